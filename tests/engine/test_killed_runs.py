"""Runs killed by ``kill -9`` at random moments, then run again: the tables are those of a run that nobody disturbed.

Streams, killed twenty times, are in test_stream_resume.
"""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.engine import results_cache
from dialgauge.files import is_temporary
from dialgauge.study import run_study
from tests.engine.forked import Forked
from tests.engine.toy_corpora import made_corpus

_SCORE = """
import sys
sys.path.insert(0, sys.argv[1])
import dialgauge_toys
from dialgauge.metrics import _computing, score
from dialgauge.corpus import read_corpus
_computing.SLICE = 10
score(read_corpus(sys.argv[2]), ["toy-slow", "rouge-l@source", "length"]).save(sys.argv[3], with_seconds=False)
"""
_STUDY = """\
[study]
name = "s"
[corpus]
source = "corpus"
[metrics]
use = ["rouge-1", "rouge-l@source", "chrf", "ter", "length"]
[verdict]
null_runs = 0
[correlation]
resamples = 20
[perturbations]
use = ["jumble", "typos", "remove_punct"]
"""

_COMMAND = """
import os, sys
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
os.dup2(1, 2)
from dialgauge.cli import main
main()
"""
_KILLED_WHILE_WRITING = """
import os, signal, sys
from dialgauge import files
sync = files._sync
def kill(path):
    if any(part.startswith(f".{sys.argv[1]}.") for part in path.parts[-2:]):
        os.kill(os.getpid(), signal.SIGKILL)
    sync(path)
files._sync = kill
from dialgauge.study import run_study
run_study(sys.argv[2], output=sys.argv[3])
"""


def finished(run: Forked, begun: Callable[[], bool]) -> float:
    """Wait for the end; gives the seconds that the work took from its beginning."""
    start = waited_for(run, begun)
    assert run.wait() == 0
    return time.monotonic() - start


def killed(run: Forked, begun: Callable[[], bool], seconds: float) -> bool:
    """Wait until the work has begun and so many seconds longer, then kill; whether there was something to kill."""
    waited_for(run, begun)
    if run.wait(seconds) is None:
        run.kill()
    return run.wait() == -signal.SIGKILL


def waited_for(run: Forked, begun: Callable[[], bool]) -> float:
    while run.poll() is None and not begun():
        time.sleep(0.005)
    return time.monotonic()


def at_once() -> bool:
    return True


def longer(path: Path, lines: int) -> Callable[[], bool]:
    """Whether a file has more than so many lines more than now."""

    def count() -> int:
        return path.read_bytes().count(b"\n")

    last = count() + lines
    return lambda: count() > last


def another_stage(folder: Path) -> Callable[[], bool]:
    """Whether more stages of a study are finished than now."""
    now = finished_stages(folder)
    return lambda: finished_stages(folder) != now


def moments(seed: int, longest: float) -> Iterator[tuple[bool, float]]:
    """Moments to kill, some while Python starts: whether to wait for progress, and how long after it."""
    rng = random.Random(seed)
    for number in range(40):  # some runs are quicker than the killer, and then begin again
        late = number % 5 > 0
        yield late, rng.uniform(0.0, longest) if late else rng.uniform(0.1, 0.6)


@pytest.mark.slow
def test_scores_after_six_kills(toys: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices that were finished are not computed again.

    A kill with progress comes when a second slice is computed, so that the first is kept, and before six more can be:
    each of them takes its 0.05 seconds, and there are 21.
    """
    write_corpus(made_corpus([f"text {i}" * (i % 3) for i in range(300)]), tmp_path / "corpus")
    monkeypatch.setenv("TOY_SECONDS", "0.05")
    arguments = [_SCORE, str(tmp_path / "modules"), str(tmp_path / "corpus")]
    calm, disturbed = tmp_path / "calm.parquet", tmp_path / "disturbed.parquet"
    other = os.environ | {"DIALGAUGE_RESULTS": str(tmp_path / "calm")}
    finished(Forked(*arguments, str(calm), environment=other), at_once)
    kills, progress = 0, [0]
    for late, seconds in moments(7, 0.3):
        kills += killed(Forked(*arguments, str(disturbed)), longer(toys, 10) if late else at_once, seconds)
        entries = results_cache().stats().entries  # type: ignore[union-attr]
        assert entries >= progress[-1], "nothing that was finished is lost"
        assert entries % 10 == 0 or entries == 201, "slices are kept whole"
        progress.append(entries)
        if kills == 6:
            break
        if disturbed.exists():
            assert disturbed.read_bytes() == calm.read_bytes()
            disturbed.unlink()
            shutil.rmtree(kept)
            progress.append(0)
    assert kills == 6
    assert len(set(progress)) > 3
    finished(Forked(*arguments, str(disturbed)), at_once)
    assert disturbed.read_bytes() == calm.read_bytes()


@pytest.mark.slow
def test_a_study_after_six_kills(tmp_path: Path) -> None:
    """Stages that were finished are not done again, and nobody finds half a table."""
    corpus = embedded_corpus()
    write_corpus(corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(12)), tmp_path / "corpus")
    (tmp_path / "s.toml").write_text(_STUDY)
    arguments = [_COMMAND, "run", str(tmp_path / "s.toml"), "-o"]
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    work = finished(Forked(*arguments, str(calm)), another_stage(calm))
    kills, stages = 0, []
    for late, seconds in moments(8, work / 2):
        kills += killed(Forked(*arguments, str(disturbed)), another_stage(disturbed) if late else at_once, seconds)
        stages.append(finished_stages(disturbed))
        if kills == 6:
            break
        if "report" in stages[-1]:
            assert tables(disturbed) == tables(calm)
            shutil.rmtree(disturbed)
    assert kills == 6
    assert len(set(stages)) > 1
    finished(Forked(*arguments, str(disturbed)), at_once)
    assert tables(disturbed) == tables(calm)


def test_a_study_killed_while_it_writes(tmp_path: Path) -> None:
    """It goes on also where there is no manifest yet, and what it had half written does not stay in its folder."""
    study = tmp_path / "s.toml"
    study.write_text('[study]\nname = "s"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["length"]\n')
    write_corpus(made_corpus(["One text.", "Another text."]), tmp_path / "corpus")
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    run_study(study, output=calm)
    for file in ("manifest.json", "corpus", "scores.parquet", "report.html"):
        assert Forked(_KILLED_WHILE_WRITING, file, str(study), str(disturbed)).wait() == -signal.SIGKILL
        assert [path for path in disturbed.iterdir() if is_temporary(path.name)]
        run_study(study, output=disturbed)
        assert tables(disturbed) == tables(calm)
        shutil.rmtree(disturbed)


def finished_stages(folder: Path) -> tuple[str, ...]:
    """What the manifest says, which is whole at any moment."""
    manifest = folder / "manifest.json"
    return tuple(json.loads(manifest.read_text())["stages"]) if manifest.exists() else ()


def tables(folder: Path) -> dict[str, bytes]:
    """Every file but the manifest, which says how long the stages took."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
