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
        (OSError(28, "No space left on device", "out.parquet"), 2, "out.parquet: No space left on device ("),
        (
            OSError(28, "No space left on device", "out.parquet"),
            2,
            " MiB free): free some space, or name another place",
        ),
        (OSError(13, "Permission denied", "out.parquet"), 2, "out.parquet: Permission denied\n"),
        (MemoryError("Unable to allocate 8 TiB"), 2, "not enough memory (Unable to allocate 8 TiB): give it less"),
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
    said_here = capsys.readouterr().err
    assert said in said_here.replace("\n", " ") or said in said_here  # a narrow console breaks lines


def test_a_reader_that_goes_away_is_no_failed_check():
    """As with ``dialgauge metrics --json | head -1``."""
    command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "metrics", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stderr
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 0
