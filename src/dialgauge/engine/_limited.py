"""Work under a time limit: done in a process of its own, which is ended when it takes too long.

What goes there and comes back is JSON, a line each way, so nothing has to be pickled and the process may be started
from anywhere, a worker of another engine included.
"""

import contextlib
import importlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any

from dialgauge.engine._memory import memory_errors
from dialgauge.errors import DialgaugeError, MissingExtraError, ModelError
from dialgauge.models import TooLargeError

#: Seconds that starting a process may take; they do not count as time of the work.
_LONGEST_START = 300.0
#: Seconds that a process may take to end by itself when there is no more work.
_PATIENCE = 1.0
_LATE, _DIED, _RAISED = "no value within ", "the process that computed it died", "the metric raised "
#: How reasons begin that are a fault of the work itself and not of the texts.
FAULT_BEGINS = (_LATE, _DIED, _RAISED)


class LostWorkError(Exception):
    """A piece of work gave nothing: it took too long (``late``), raised, or its process died."""

    def __init__(self, reason: str, *, late: bool = False) -> None:
        super().__init__(reason)
        self.late = late


class LimitedWorker:
    """A process that does one piece of work after the other and stays warm (its models stay loaded) in between.

    A piece that takes longer than ``seconds`` is ended together with the process; the next piece gets a new one. What
    ``imports`` names is imported first, which does not count.
    """

    def __init__(self, seconds: float, imports: Sequence[str] = ()) -> None:
        self.seconds = seconds
        self.imports = tuple(imports)
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> "LimitedWorker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """What a function, named as ``module:function``, gives; arguments and result are what JSON can hold.

        Raises :class:`LostWorkError`, or what the function raised if that is a :class:`DialgaugeError` or a
        :class:`MemoryError`.
        """
        process = self._process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps([function, dict(arguments)]) + "\n")
            process.stdin.flush()
            line = self._lines.get(timeout=self.seconds)
        except queue.Empty:
            process.kill()
            self.close()
            raise LostWorkError(f"{_LATE}{self.seconds:g} s", late=True) from None
        except OSError:  # the process has ended; its last line, an empty one, says so as well
            line = ""
        if not line:
            raise LostWorkError(f"{_DIED} (exit code {self.close()})")
        kind, given = json.loads(line)
        if kind == "value":
            return given
        if kind == "model":
            raise ModelError(given)
        if kind == "refused":
            raise DialgaugeError(given)
        if kind == "memory":
            raise MemoryError(given)
        raise LostWorkError(given)

    def close(self) -> int | None:
        """End the process, whatever it is doing; gives its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()  # one that waits for work ends by itself
        try:
            return process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _start(self) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", f"from {__name__} import serve; serve()", *self.imports]
        # Our own search path goes along, so that a metric is found there as it is here.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8"
        )
        self._process, self._lines = process, queue.SimpleQueue()
        threading.Thread(target=_listen, args=(process.stdout, self._lines), daemon=True).start()
        try:
            ready = self._lines.get(timeout=_LONGEST_START)
        except queue.Empty:
            ready = ""
        if not ready:
            raise DialgaugeError(
                f"the process for work under a time limit did not start (exit code {self.close()}; its own message is "
                "above)"
            )
        return process


def _listen(stream: IO[str], lines: "queue.SimpleQueue[str]") -> None:
    """Pass on every line, and at the end an empty one."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def serve() -> None:
    """Answer every line of standard input until it ends. What the work itself prints goes to standard error.

    The end of the input ends this process, even during work that hangs: the caller is gone.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions: queue.SimpleQueue[str] = queue.SimpleQueue()
    os.dup2(2, 1)
    for module in sys.argv[1:]:
        importlib.import_module(module)
    answers.write("ready\n")
    answers.flush()
    threading.Thread(target=_take, args=(os.fdopen(os.dup(0), encoding="utf-8"), questions), daemon=True).start()
    while True:
        answers.write(json.dumps(_answer(*json.loads(questions.get()))) + "\n")
        answers.flush()


def _take(stream: IO[str], questions: "queue.SimpleQueue[str]") -> None:
    for line in stream:
        questions.put(line)
    os._exit(0)


def _answer(function: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    module, _, name = function.partition(":")
    try:
        with memory_errors():
            return "value", getattr(importlib.import_module(module), name)(**arguments)
    except TooLargeError as error:
        return "raised", str(error)
    except (ModelError, MissingExtraError) as error:
        return "model", str(error)
    except DialgaugeError as error:
        return "refused", str(error)
    except MemoryError as error:
        return "memory", str(error)
    except Exception as error:  # whatever a metric raises belongs to the item, not to this process
        return "raised", described(error)


def described(error: BaseException) -> str:
    """An exception of a metric in one line."""
    text = " ".join(str(error).split())
    return f"{_RAISED}{type(error).__name__}" + (f": {text[:300]}" if text else "")
