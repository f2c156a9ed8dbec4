"""How many threads commands give to the libraries they use."""

import os
from pathlib import Path

import pytest

from dialgauge.cli import _threads
from dialgauge.cli._threads import choose_threads

NAMES = ("OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(_threads, "_LARGE", 1 << 20)


def chosen(*words: str) -> list[str | None]:
    choose_threads(words)
    return [os.environ.get(name) for name in NAMES]


def test_small_work_runs_in_one_thread(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("")
    assert chosen("run", str(tmp_path / "study.toml"), "--output", "x" * 5000, "\0") == ["1", "1"]


@pytest.mark.parametrize("name", ["large.jsonl", "."])
def test_large_files_and_folders_are_read_in_several(tmp_path: Path, name: str) -> None:
    with (tmp_path / "large.jsonl").open("wb") as file:
        file.truncate(2 << 20)
    assert chosen("inspect", str(tmp_path / name)) == ["1", None]


def test_streams_run_in_several(tmp_path: Path) -> None:
    assert chosen("score", str(tmp_path), "--stream") == ["1", None]


def test_the_environment_has_the_last_word() -> None:
    os.environ.update(dict.fromkeys(NAMES, "3"))
    assert chosen("run") == ["3", "3"]
