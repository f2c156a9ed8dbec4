"""Shared fixtures: where the study data is, and the embedded corpus."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# A value that an earlier test, or the user, has computed must not hide what the code does now.
os.environ["DIALGAUGE_RESULTS"] = "off"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public study data. Its licences forbid us to ship it, so its tests skip where it is absent."""
    folder = Path(os.environ.get("DIALGAUGE_DATA", ROOT / ".." / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"NO STUDY DATA: {folder} does not exist; set DIALGAUGE_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """Texts and values recorded from the reference implementations."""
    return ROOT / "tests" / "golden"
