"""Exit codes: a fault of ours is not taken for a failed check."""

import sys

import pytest

from dialgauge.cli import _app


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ZeroDivisionError("division by zero"), 70, "this is a fault of dialgauge"),
        (OSError(28, "No space left on device", "out.parquet"), 2, "out.parquet: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_what_went_wrong_decides_the_code(monkeypatch, capsys, error, code, said):
    def broken(**_: object) -> None:
        raise error

    monkeypatch.setattr(_app, "app", broken)
    monkeypatch.setattr(sys, "argv", ["dialgauge"])
    with pytest.raises(SystemExit) as stopped:
        _app.main()
    assert stopped.value.code == code
    assert said in capsys.readouterr().err
