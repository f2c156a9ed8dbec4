"""Runs the command line in this process."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from dialgauge.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """``cli("score", "embedded", …)`` gives exit code, stdout and stderr; 100 columns wide."""
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
