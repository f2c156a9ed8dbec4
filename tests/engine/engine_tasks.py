"""Tasks and metrics that tests send to workers, which must be able to import them."""

import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metrics import Job, Metric, Values, register


@dataclass
class Square:
    """The square of a number, and how often this copy of the task was set up."""

    setups: int = 0

    def setup(self) -> None:
        self.setups += 1

    def __call__(self, number: int) -> tuple[int, int, int]:
        return number * number, self.setups, os.getpid()


@dataclass
class Threads:
    """How many threads the libraries of a worker may use."""

    def setup(self) -> None:
        pass

    def __call__(self, name: str) -> str | None:
        return os.environ.get(name)


@dataclass
class Mortal:
    """Dies by SIGKILL on one chunk, as often as told; writes a line for each chunk that it begins."""

    folder: Path
    fatal: int
    deaths: int

    def setup(self) -> None:
        pass

    def __call__(self, number: int) -> int:
        with (self.folder / "begun").open("a") as log:
            log.write(f"{number}\n")
        if number == self.fatal:
            tombs = list(self.folder.glob("tomb-*"))
            if len(tombs) < self.deaths:
                (self.folder / f"tomb-{len(tombs)}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return number + 1


class WordyError(Exception):
    """Makes words of what it is given."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no such name: {name}")


class HoldingError(Exception):
    """Holds what cannot be pickled."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.again = lambda: message


@dataclass
class Failing:
    """Raises this kind of error."""

    kind: str

    def setup(self) -> None:
        if self.kind == "setup":
            raise ParameterError("task", "kind", "anything else", self.kind)

    def __call__(self, number: int) -> Any:
        if self.kind == "end of file":
            raise EOFError("the task's own")
        if self.kind == "parameter":
            raise ParameterError("task", "number", "odd", number)
        if self.kind == "wordy":
            raise WordyError("rouge-0")
        if self.kind == "holding":
            raise HoldingError("the model has gone")
        if self.kind == "unsendable":
            return lambda: number
        raise OSError(28, "No space left on device", "scores")


@dataclass(frozen=True)
class Inline:
    """An engine that claims to be elsewhere and runs here: what is sent and merged can be tested without processes."""

    workers: int = 3
    name: str = "inline"
    local: bool = False

    def run(self, task: Any, chunks: Iterable[Any]) -> Iterator[Any]:
        task.setup()
        yield from map(task, chunks)


#: A summary that ends its worker, where the test wants that.
FATAL = "the end of the worker"


def _slow(job: Job, parameters: Mapping[str, str]) -> Values:
    """Takes a while for each job, longer while there is a file that holds it up, and says in which process it runs."""
    if folder := os.environ.get("DIALGAUGE_TEST_PIDS"):
        (Path(folder) / str(os.getpid())).touch()
    time.sleep(float(os.environ.get("DIALGAUGE_TEST_SECONDS", "0.05")))
    while (hold := os.environ.get("DIALGAUGE_TEST_HOLD")) and Path(hold).exists():
        time.sleep(0.05)
    texts = [job.texts.strings[i] for i in job.hypothesis_ids.tolist()]
    if FATAL in texts and os.environ.get("DIALGAUGE_TEST_FATAL"):
        os.kill(os.getpid(), signal.SIGKILL)
    lengths = list(map(len, texts))
    return Values(np.sqrt(np.array(lengths, dtype=np.float64)))


SLOW = Metric(
    name="test-slow",
    family="test",
    description="The root of the number of characters, after a pause.",
    direction="none",
    targets=("none",),
    range=(0.0, None),
    citation="none",
    compute=_slow,
)


def stream_slowly(source: str, output: str, engine: Any, chunk_size: int) -> dict[str, str]:
    """What the killed processes run; gives the parts that could not be made."""
    from dialgauge.metrics import score_stream

    register(SLOW)
    report = score_stream(source, ["test-slow", "rouge-1"], output, chunk_size=chunk_size, engine=engine)
    return dict(report.failed)
