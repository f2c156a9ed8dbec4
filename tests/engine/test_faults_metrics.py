"""Metrics that raise, hang, die or run out of memory: what they cannot score is named, the rest is scored."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from dialgauge.engine import LimitedWorker, LostWorkError, ResultCache, results_cache
from dialgauge.errors import DialgaugeError, ModelError, ParameterError
from dialgauge.metrics import Scores, score
from tests.engine.toy_corpora import made_corpus

TEXTS = [f"text {i}" + " bad" * (i in (3, 17)) for i in range(24)]


def reasons(scores: Scores) -> dict[str, str]:
    return dict(scores.failures.select("dialogue_id", "reason").iter_rows())


def test_one_item_on_which_a_metric_raises(toys: Path, kept: Path) -> None:
    scores = score(made_corpus(TEXTS), ["toy-raises", "length"])
    said = "the metric raised ZeroDivisionError: no division by zero"
    assert reasons(scores) == {"d00003": said, "d00017": said}
    assert scores.frame["toy-raises"].to_list() == [None if "bad" in t else len(t) for t in TEXTS]
    assert scores.frame["length"].null_count() == 0
    toys.write_text("")
    again = score(made_corpus(TEXTS), ["toy-raises"])
    assert reasons(again) == reasons(scores)
    tried = set(toys.read_text().splitlines())
    assert tried == {TEXTS[3], TEXTS[17]}, "the failures are tried again, the values are kept"


def test_a_metric_that_always_raises_is_given_up(toys: Path) -> None:
    scores = score(made_corpus([f"t{i}" for i in range(300)]), ["toy-always", "length"], cache=False)
    assert scores.frame["toy-always"].null_count() == 300
    assert scores.frame["length"].null_count() == 0
    said = scores.failures["reason"].value_counts().sort("count").rows()
    assert said[0] == ("the metric raised KeyError: 'never'", 32)
    assert said[1][0].startswith("skipped because the metric failed on every summary")
    assert said[1][1] == 268
    assert len(toys.read_text().splitlines()) < 3000


def test_a_system_on_which_a_metric_raises(toys: Path) -> None:
    scores = score(made_corpus([*TEXTS[:3], "bad"]), ["toy-whole"])
    assert dict(scores.systems.select("system", "toy-whole").iter_rows()) == {"s0": 2.0, "s1": None}
    assert scores.failures.select("system", "reason").rows() == [
        ("s1", "the metric raised ValueError: not this system")
    ]


def test_a_metric_that_hangs(toys: Path, kept: Path) -> None:
    start = time.monotonic()
    scores = score(made_corpus(TEXTS[:4]), ["toy-hangs"], time_limit=4)
    assert time.monotonic() - start < 300  # it hangs for 600
    assert reasons(scores) == {"d00003": "no value within 4 s"}
    assert scores.frame["toy-hangs"].to_list() == [None if "bad" in t else len(t) for t in TEXTS[:4]]
    assert results_cache().stats().entries == 3  # type: ignore[union-attr]


def test_a_metric_that_ends_its_process(toys: Path) -> None:
    scores = score(made_corpus(TEXTS[:5]), ["toy-dies"], time_limit=60)
    assert reasons(scores) == {"d00003": "the process that computed it died (exit code 7)"}


def test_a_time_limit_changes_no_value(toys: Path, kept: Path) -> None:
    corpus = made_corpus(TEXTS)
    wanted = ["toy-slow", "toy-raises", "rouge-1@source", "corpus-bleu@source", "toy-prints"]
    free, limited = score(corpus, wanted, cache=False), score(corpus, wanted, cache=False, time_limit=60)
    assert limited.frame.equals(free.frame)
    assert limited.systems.equals(free.systems)
    assert limited.failures.equals(free.failures)
    assert limited.notes.equals(free.notes)


def test_errors_for_people_come_through_the_process(toys: Path) -> None:
    for limit in (None, 60):
        with pytest.raises(ModelError, match="model 'folder:/x' is not here"):
            score(made_corpus(TEXTS[:5]), ["toy-gone"], time_limit=limit)
    with pytest.raises(ParameterError, match=r"time_limit.*above 0; got -1"):
        score(made_corpus(["a"]), ["length"], time_limit=-1)


def test_what_was_done_before_a_model_vanished_is_kept(toys: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dialgauge.metrics import _computing

    monkeypatch.setattr(_computing, "SLICE", 2)
    with pytest.raises(ModelError, match="is not here"):
        score(made_corpus(TEXTS[:6]), ["toy-slow", "toy-gone"])
    assert results_cache().stats().labels == {"toy-slow": 6, "toy-gone": 2}  # type: ignore[union-attr]


def test_the_folder_of_a_model_vanishes(
    kept: Path, golden_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two slices: the message names the folder, and the slice before is there for the next run."""
    import shutil

    import torch

    from dialgauge.metrics import _computing

    torch.set_num_threads(1)
    monkeypatch.setattr(_computing, "SLICE", 3)
    folder = Path(shutil.copytree(golden_dir / "models" / "tiny-bert", tmp_path / "model"))
    spec = f"bertscore-f1@source:model=folder:{folder},device=cpu"
    keep = ResultCache.keep

    def keep_and_break(self: object, label: str, entries: object) -> bool:
        done = keep(self, label, entries)  # type: ignore[arg-type]
        shutil.rmtree(folder, ignore_errors=True)
        return done

    monkeypatch.setattr(ResultCache, "keep", keep_and_break)
    with pytest.raises(ModelError, match=f"is not here: looked in {folder}"):
        score(made_corpus(TEXTS[:8]), [spec])
    assert results_cache().stats().entries == 3  # type: ignore[union-attr]


def test_an_out_of_memory_batch_is_halved(toys: Path) -> None:
    texts = [text for text in TEXTS if "bad" not in text]
    scores = score(made_corpus(texts), ["toy-memory"])
    assert scores.frame["toy-memory"].to_list() == [float(len(text)) for text in texts]
    for limit in (None, 60):
        scores = score(made_corpus(TEXTS), ["toy-memory"], time_limit=limit)
        assert scores.frame["toy-memory"].null_count() == 2
        assert reasons(scores)["d00003"].startswith("a single text of 10 tokens does not fit into memory; use device=")


@pytest.mark.parametrize("limit", [None, 60])
def test_lack_of_memory_is_no_missing_value(toys: Path, limit: float | None) -> None:
    """Fewer texts at a time are tried, for they need less; what does not fit then is an error."""
    texts = [text for text in TEXTS if "bad" not in text]
    scores = score(made_corpus(texts), ["toy-greedy"], time_limit=limit)
    assert scores.frame["toy-greedy"].to_list() == [float(len(text)) for text in texts]
    with pytest.raises(MemoryError, match="9 GiB were asked for"):
        score(made_corpus(TEXTS), ["toy-greedy"], time_limit=limit)
    with pytest.raises(MemoryError, match="can't start new thread; 'ulimit -u' may limit them, too"):
        score(made_corpus(TEXTS[:1]), ["toy-threads"], time_limit=limit)


def test_a_worker_finds_modules_and_survives(toys: Path) -> None:
    with LimitedWorker(30) as worker:
        assert worker.call("math:gcd", {}) == 0
        with pytest.raises(LostWorkError, match="raised TypeError"):
            worker.call("math:gcd", {"wrong": 1})
        with pytest.raises(LostWorkError, match="raised ModuleNotFoundError"):
            worker.call("no_such_module:f", {})
        assert worker.call("builtins:dict", {"a": [1.5, None, "ü\n"]}) == {"a": [1.5, None, "ü\n"]}


def test_a_worker_does_not_outlive_whoever_wanted_its_work(toys: Path, tmp_path: Path) -> None:
    """Its parent is killed while it hangs: nobody would ever end it."""
    modules = str(tmp_path / "modules")
    code = (
        f"import sys\nsys.path.insert(0, {modules!r})\nfrom dialgauge.engine import LimitedWorker\n"
        "worker = LimitedWorker(600)\nprint(worker.call('os:getpid', {}), flush=True)\n"
        "worker.call('dialgauge_toys:nap', {})"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.2)
    os.kill(child, 0)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 50  # it naps for 60
    while time.monotonic() < deadline and runs(child):
        time.sleep(0.05)
    assert not runs(child)


def runs(process: int) -> bool:
    """Whether a process is there, and is not one that has ended and waits for somebody to take note of it."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return True


def test_a_process_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(DialgaugeError, match=r"did not start .exit code 1"):
        LimitedWorker(5).call("math:gcd", {})
