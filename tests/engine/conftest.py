"""Metrics as a user would write them, some of them bad ones, in a module that workers can import."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialgauge.metrics._registry import METRICS

_MODULE = '''
import os, time
import numpy as np
from dialgauge.errors import ModelError
from dialgauge.metrics import Metric, Values, register
from dialgauge.models import run_batched

COUNTER = os.environ.get("TOY_COUNTER")


def _texts(job):
    texts = [job.texts.strings[i] for i in job.hypothesis_ids.tolist()]
    if COUNTER:
        with open(COUNTER, "a") as stream:
            stream.writelines(text + "\\n" for text in texts)
    return texts


def slow(job, parameters):
    time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
    texts = _texts(job)
    notes = {i: "long" for i, text in enumerate(texts) if len(text) > 9}
    reasons = {i: "empty" for i, text in enumerate(texts) if not text}
    numbers = np.array([len(text) / 7 if text else np.nan for text in texts])
    return Values(numbers, reasons, notes)


def raises(job, parameters):
    texts = _texts(job)
    if any("bad" in text for text in texts):
        raise ZeroDivisionError("no division\\nby zero")
    return Values(np.array([float(len(text)) for text in texts]))


def always(job, parameters):
    _texts(job)
    raise KeyError("never")


def hangs(job, parameters):
    texts = _texts(job)
    if any("bad" in text for text in texts):
        time.sleep(600)
    return Values(np.array([float(len(text)) for text in texts]))


def dies(job, parameters):
    if any("bad" in text for text in _texts(job)):
        os._exit(7)
    return Values(np.ones(len(job)))


def prints(job, parameters):
    print("a line for people", flush=True)
    return Values(np.arange(len(job), dtype=float))


def memory(job, parameters):
    """Fits two texts into a batch, no more."""
    texts = _texts(job)

    def call(batch):
        if len(batch) > 2 or any("bad" in text for text in batch):
            raise MemoryError("out of memory")
        return [float(len(text)) for text in batch]

    return Values(np.array(run_batched(texts, [len(text) for text in texts], call, 10_000)))


def greedy(job, parameters):
    """Has memory for two texts, and for no bad one."""
    texts = _texts(job)
    if len(texts) > 2 or any("bad" in text for text in texts):
        raise MemoryError("9 GiB were asked for")
    return Values(np.array([float(len(text)) for text in texts]))


def threads(job, parameters):
    raise RuntimeError("can't start new thread")


def gone(job, parameters):
    if any("bad" in text for text in _texts(job)):
        raise ModelError("model 'folder:/x' is not here")
    return Values(np.ones(len(job)))


def nap():
    time.sleep(60)


def whole(job, parameters):
    if any("bad" in text for text in _texts(job)):
        raise ValueError("not this system")
    return Values(np.bincount(job.groups).astype(float))


for name, compute in [("slow", slow), ("raises", raises), ("always", always), ("hangs", hangs), ("dies", dies),
                      ("prints", prints), ("memory", memory), ("gone", gone), ("greedy", greedy), ("threads", threads),
                      ("whole", whole)]:
    register(Metric(
        name="toy-" + name, family="toys", description="A toy.", direction="none", targets=("none",),
        range=(0.0, None), citation="none", compute=compute, cost="medium",
        level="system" if name == "whole" else "summary",
    ))
'''


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Toy metrics, registered for one test; gives the file to which they write each text that they compute."""
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS.all()))
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "dialgauge_toys.py").write_text(_MODULE)
    counter = tmp_path / "computed.txt"
    counter.touch()
    monkeypatch.setenv("TOY_COUNTER", str(counter))
    monkeypatch.syspath_prepend(str(folder))
    importlib.import_module("dialgauge_toys")
    yield counter
    del sys.modules["dialgauge_toys"]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result cache of the test's own; gives its folder."""
    monkeypatch.setenv("DIALGAUGE_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"
