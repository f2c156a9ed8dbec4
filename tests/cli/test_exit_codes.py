"""Exit codes: a fault of ours is not taken for a failed check."""

import subprocess
import sys

import pytest
import typer

from dialgauge.cli import _app


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ZeroDivisionError("division by zero"), 70, "internal error in dialgauge"),
        (OSError(28, "No space left on device", "out.parquet"), 2, "out.parquet: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_went_wrong_decides_the_code(monkeypatch, capsys, error, code, said):
    app = typer.Typer()

    @app.command()
    def broken() -> None:
        raise error

    monkeypatch.setattr(_app, "_asked", lambda: app)
    monkeypatch.setattr(sys, "argv", ["dialgauge"])
    with pytest.raises(SystemExit) as stopped:
        _app.main()
    assert stopped.value.code == code
    assert said in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_failed_check():
    """As with ``dialgauge metrics --json | head -1``."""
    command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "metrics", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stderr
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 0
