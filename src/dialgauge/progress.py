"""How long-running work reports its progress: to a function that the caller gives, else to a bar."""

import functools
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]

P = ParamSpec("P")
R = TypeVar("R")

#: Nobody needs a bar for what ends sooner.
_SECONDS = 2.0
#: Whether a bar is shown now, or this program shows its own: work inside other work adds none.
_taken = False


def silent(what: str, done: int, total: int) -> None:
    """Shows nothing: ``score(corpus, metrics, progress=silent)``."""


def with_bar(work: Callable[P, R]) -> Callable[P, R]:
    """Without ``progress``, show a bar on a terminal or in a notebook when the work takes more than two seconds.

    In a pipe, in a worker and with ``DIALGAUGE_PROGRESS=off`` there is none.
    """

    @functools.wraps(work)
    def watched(*args: P.args, **kwargs: P.kwargs) -> R:
        global _taken
        if _taken or (kwargs.get("progress") is None and not _somebody_looks()):
            return work(*args, **kwargs)
        bar = _Bar(work.__name__.replace("_", " "))
        _taken = True
        try:
            given = kwargs.get("progress") or bar
            return work(*args, **{**kwargs, "progress": given})  # type: ignore[arg-type]
        finally:
            _taken = False
            bar.close()

    return watched


def no_bars() -> None:
    """For programs with bars of their own, as the command line."""
    global _taken
    _taken = True


def _somebody_looks() -> bool:
    if os.environ.get("DIALGAUGE_PROGRESS", "").lower() in ("off", "0", "no"):
        return False
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _in_notebook() -> bool:
    """Whether IPython runs in a notebook; it is not imported to find out."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Bar:
    """A bar of tqdm, made when the work has taken a while."""

    def __init__(self, name: str) -> None:
        self._name, self._start, self._shown = name, time.monotonic(), None

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._shown is None:
            if time.monotonic() - self._start < _SECONDS:
                return
            self._shown = self._made()
        bar: Any = self._shown
        bar.set_description_str(f"{self._name}: {what}", refresh=False)
        if bar.total != (total or None):
            bar.reset(total or None)
        bar.update(done - bar.n)

    def _made(self) -> Any:
        with warnings.catch_warnings():  # that a notebook has no widgets: then the bar is text
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

            return tqdm(leave=False, dynamic_ncols=True, mininterval=0.2, file=sys.stderr)

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.total = None  # or a bar that did not come to its end stays in a notebook, in red
            self._shown.close()
