"""Runs killed by ``kill -9`` at random moments, then run again: the tables are those of a run that nobody disturbed.

Streams, killed twenty times, are in test_stream_resume.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from toy_corpora import made_corpus

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.engine import results_cache

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
[correlation]
resamples = 100
[perturbations]
use = ["jumble", "typos", "remove_punct"]
"""


def finished(command: Sequence[str], **environment: str) -> float:
    """Run to the end; gives the seconds that it took."""
    start = time.monotonic()
    run = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return time.monotonic() - start


def killed(command: Sequence[str], seconds: float) -> bool:
    """Run for so many seconds and then kill; whether there was still something to kill."""
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        run.wait(seconds)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
    return run.wait() == -signal.SIGKILL


@pytest.mark.slow
def test_scores_after_ten_kills(toys: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run gets further, slice by slice."""
    write_corpus(made_corpus([f"text {i}" * (i % 3) for i in range(300)]), tmp_path / "corpus")
    monkeypatch.setenv("TOY_SECONDS", "0.05")
    command = [sys.executable, "-c", _SCORE, str(tmp_path / "modules"), str(tmp_path / "corpus")]
    calm, disturbed = tmp_path / "calm.parquet", tmp_path / "disturbed.parquet"
    whole = finished([*command, str(calm)], DIALGAUGE_RESULTS=str(tmp_path / "calm"))
    rng = random.Random(7)
    kills, progress = 0, [0]
    while kills < 10:
        if killed([*command, str(disturbed)], rng.uniform(0.3, whole)):
            kills += 1
        entries = results_cache().stats().entries  # type: ignore[union-attr]
        assert entries >= progress[-1], "nothing that was finished is lost"
        assert entries % 10 == 0 or entries == 201, "slices are kept whole"
        progress.append(entries)
        if disturbed.exists():  # it was quicker than the killer, who begins again
            assert disturbed.read_bytes() == calm.read_bytes()
            disturbed.unlink()
            shutil.rmtree(kept)
            progress.append(0)
    assert len(set(progress)) > 3
    finished([*command, str(disturbed)])
    assert disturbed.read_bytes() == calm.read_bytes()


@pytest.mark.slow
def test_a_study_after_ten_kills(tmp_path: Path) -> None:
    """Stages that were finished are not done again, and what is left is no file of half a table."""
    corpus = embedded_corpus()
    write_corpus(corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(12)), tmp_path / "corpus")
    (tmp_path / "s.toml").write_text(_STUDY)
    command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "run", str(tmp_path / "s.toml"), "-o"]
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    whole = finished([*command, str(calm)])
    rng = random.Random(8)
    kills, stages = 0, []
    while kills < 10:
        if killed([*command, str(disturbed)], rng.uniform(0.3, whole)):
            kills += 1
        if (disturbed / "report.html").exists():
            assert tables(disturbed) == tables(calm)
            shutil.rmtree(disturbed)
        manifest = disturbed / "manifest.json"
        stages.append(len(json.loads(manifest.read_text())["stages"]) if manifest.exists() else 0)
    assert max(stages) > 1
    finished([*command, str(disturbed)])
    assert tables(disturbed) == tables(calm)


def tables(folder: Path) -> dict[str, bytes]:
    """Every file but the manifest, which says how long the stages took."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
