"""Tiny models with weights, a cache of the test's own, and one thread: the machine may be small."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialgauge.models import unload


@pytest.fixture(scope="session")
def tiny(golden_dir: Path) -> Path:
    """The folder of the tiny models."""
    return golden_dir / "models"


@pytest.fixture
def copy_of(tiny: Path, tmp_path: Path):
    """A function that copies a tiny model, so that a test can spoil it."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(tiny / name, tmp_path / name))

    return copy


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty caches of dialgauge and of the hub."""
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    import torch

    torch.set_num_threads(1)
    yield
    unload()
