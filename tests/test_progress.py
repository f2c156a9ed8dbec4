"""Bars: on a terminal and in notebooks where work takes a while, and nowhere else."""

import inspect
import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from dialgauge import progress as bars
from dialgauge.metaeval import correlate
from dialgauge.metrics import score
from dialgauge.progress import Progress, silent, with_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@with_bar
def outer_work(steps: int, *, progress: Progress | None = None) -> int:
    """Works."""
    for step in range(steps):
        inner_work(progress=None)
        if progress:
            progress("step", step, steps)
    return steps


@with_bar
def inner_work(*, progress: Progress | None = None) -> None:
    if progress:
        progress("within", 0, 1)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal, at which nobody waits two seconds; other tests may have called the command line."""
    made = Terminal()
    monkeypatch.setattr(bars, "sys", SimpleNamespace(stderr=made, modules=sys.modules))
    monkeypatch.setattr(bars, "_SECONDS", 0.0)
    monkeypatch.setattr(bars, "_taken", False)
    return made


def test_a_terminal_shows_one_bar_of_the_outermost_work(screen: Terminal) -> None:
    assert outer_work(3) == 3
    assert "outer work: step" in screen.getvalue()
    assert "/3" in screen.getvalue()
    assert "within" not in screen.getvalue()


@pytest.mark.parametrize("case", ["pipe", "switched off", "silent", "quick", "own bars"])
def test_no_bar(case: str, screen: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    more: dict[str, Any] = {}
    if case == "pipe":
        monkeypatch.setattr(screen, "isatty", lambda: False)
    elif case == "switched off":
        monkeypatch.setenv("DIALGAUGE_PROGRESS", "off")
    elif case == "silent":
        more = {"progress": silent}
    elif case == "quick":
        monkeypatch.setattr(bars, "_SECONDS", 60.0)
    else:
        bars.no_bars()
    assert outer_work(2, **more) == 2
    assert screen.getvalue() == ""


def test_a_notebook_is_known_without_importing_ipython(screen: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "isatty", lambda: False)
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert bars._somebody_looks()


def test_the_bar_goes_with_an_error_and_the_next_work_has_one(screen: Terminal) -> None:
    @with_bar
    def broken(*, progress: Progress | None = None) -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        broken()
    outer_work(2)
    assert "outer work" in screen.getvalue()


def test_a_bar_that_was_not_filled_is_taken_away(screen: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook would keep it, in red, as the bar of something that broke."""
    made: Any = []
    ours = bars._Bar._made
    monkeypatch.setattr(bars._Bar, "_made", lambda bar: made.append(ours(bar)) or made[0])
    outer_work(3)
    assert (made[0].n, made[0].total) == (2, None)


def test_public_functions_keep_their_signature() -> None:
    for function in (score, correlate):
        assert {"progress", "settings"} <= set(inspect.signature(function).parameters)
        assert "changes" not in inspect.signature(function).parameters, "keywords of settings are shown by name"
        assert hasattr(function, "__wrapped__")
