"""Shared fixtures: where the study data is, what reference implementations gave, the command line, a real browser."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).resolve().parent.parent
# A value that an earlier test, or the user, has computed must not hide what the code does now.
os.environ["DIALGAUGE_RESULTS"] = "off"
# Property tests try the same values everywhere and take the time they need, so that neither luck nor a busy machine
# decides whether they pass. To look for new values: pytest --hypothesis-profile=search [--hypothesis-seed=N].
_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("search", _patient, max_examples=1000)
settings.register_profile("same", _patient, derandomize=True, database=None)
settings.register_profile("quick", settings.get_profile("same"), max_examples=25)
settings.load_profile("same")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.quick and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")
    if config.getoption("--hypothesis-profile") != "search" and hasattr(providers, "_get_local_constants"):
        # Hypothesis also tries constants of every module that happens to be loaded: other values in each order of the
        # tests, and seconds of parsing in each worker.
        providers._get_local_constants = lambda: providers._local_constants


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


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """``cli("score", "embedded", …)`` in this process gives exit code, stdout and stderr; 100 columns wide."""
    from dialgauge.cli import main

    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["dialgauge", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The Chromium of this machine, running; skips, loudly, where there is none.

    Each module opens and closes its own: Playwright runs once at a time, and while it does no other event loop can run
    in the thread of the tests, which those of other modules need.
    """
    from docs.screenshots import ARGUMENTS, chromium_here

    path = chromium_here()
    if path is None:
        pytest.skip("NO BROWSER: install chromium to look at the pages")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=180_000)
        yield running
        running.close()
