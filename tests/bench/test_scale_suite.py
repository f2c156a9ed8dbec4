"""The benchmark of growth: its numbers mean what it says."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from benchmarks import SUITES, scale

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


def test_memory_and_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "SIZES", (100, 400))
    monkeypatch.setattr(scale, "_BASE", 100)
    monkeypatch.setattr(scale, "_REPEATED", 1)
    memory, growth = scale.run()
    assert SUITES["scale"].module == scale.__name__
    assert (memory.name, growth.name) == ("memory", "growth")
    runs = memory.detail["runs"]
    assert [(run["pairs"], run["workers"]) for run in runs] == [(100, 1), (100, 2), (400, 1), (400, 2)]
    assert all(40 < run["memory_mib"] < 2048 for run in runs)  # at least the interpreters and their libraries
    assert memory.ratio == pytest.approx(memory.detail["rss_mib"] / 2048)
    largest, base = runs[-1], runs[1]
    assert growth.ratio == pytest.approx(
        largest["microseconds_per_pair"] / base["microseconds_per_pair_of_chunks"], rel=0.02
    )
    assert 0 < base["chunks_cpu_seconds"] < 5


def test_the_texts_are_like_summaries(tmp_path: Path) -> None:
    for name in ("one", "two"):
        scale._write_pairs(tmp_path / name, 2_000)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    frame = pl.read_parquet(tmp_path / "one")
    assert frame.height == 2_000
    words = frame["summary"].str.split(" ").list.len()
    assert 20 < float(words.mean()) < 25  # type: ignore[arg-type]
    assert frame["summary"].n_unique() > 1_990
    assert frame["reference"].n_unique() == 400  # five systems share one


def test_the_memory_of_children_counts() -> None:
    hungry = "import time; held = bytearray(200_000_000); print(flush=True); time.sleep(60)"
    shell = f'"{sys.executable}" -c "{hungry}" & wait'
    with subprocess.Popen(["sh", "-c", shell], stdout=subprocess.PIPE, start_new_session=True) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        found = scale._tree_memory(parent.pid)
        os.killpg(parent.pid, 9)
    assert 190 < found < 400
