"""Processes that start at once, for tests that kill many: forked from one that imported the package and did no more.

A killed run costs such a test what it did until then, and not a second to start Python as well. The process is as fresh
as a new one in all that these tests look at: it has no threads, no values and no locks of another.
"""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess

_CONTEXT = multiprocessing.get_context("forkserver")
_IMPORTED = ("polars", "dialgauge.cli", "dialgauge.engine", "tests.engine.forked", "tests.engine.warm")


class Forked:
    """What ``subprocess.Popen([sys.executable, "-c", code, *arguments])`` would be, without the start of Python."""

    def __init__(self, code: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
        _CONTEXT.set_forkserver_preload(list(_IMPORTED))
        self._process: ForkServerProcess = _CONTEXT.Process(
            target=_run, args=(code, arguments, environment or dict(os.environ))
        )
        self._process.start()

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._process.exitcode

    def wait(self, seconds: float | None = None) -> int | None:
        """As :meth:`poll`, after at most so many seconds."""
        self._process.join(seconds)
        return self._process.exitcode

    def kill(self) -> None:
        """SIGKILL, if it still runs."""
        self._process.kill()


def _run(code: str, arguments: Sequence[str], environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["-c", *arguments]
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    exec(compile(code, "<forked>", "exec"), {"__name__": "__main__"})
