"""The engine that runs chunks in processes of this machine, and survives the death of any of them.

Each worker has a pipe of its own and one chunk at a time, so when one dies it is known which chunk it had. (The pools
of the standard library give up all chunks in flight when one worker is killed.)
"""

import atexit
import contextlib
import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, Literal

from dialgauge.engine._carried import Carried
from dialgauge.engine._engine import RETRIES, Chunk, Result, Task, WorkerError, cores

#: The maximum number of results per worker that wait for an earlier chunk.
_AHEAD = 3
#: The errors of a pipe whose other end is closed.
_GONE = (EOFError, BrokenPipeError, ConnectionResetError)
#: Environment variables that set the number of threads of libraries.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
#: Seconds that a worker may take to end by itself.
_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class ProcessEngine:
    """One process per core by default, started afresh for each run (spawned, never forked) and warm until its end."""

    workers: int
    retries: int = RETRIES
    name: str = "processes"
    local: bool = False

    def run(self, task: Task[Chunk, Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """The result of each chunk, in order. Workers are started as chunks come, so little work starts few."""
        pool: _Pool[Chunk, Result] = _Pool(task, self.workers, self.retries)
        atexit.register(pool.close)
        try:
            yield from pool.results(chunks)
        finally:
            atexit.unregister(pool.close)
            pool.close()


@dataclass(slots=True)
class _Order(Generic[Chunk]):
    """A chunk that is being worked on, and how often its worker died."""

    number: int
    chunk: Chunk
    deaths: int = 0


@dataclass(slots=True)
class _Worker(Generic[Chunk]):
    process: BaseProcess
    pipe: "Connection[Any, Any]"
    order: _Order[Chunk] | None = None
    ready: bool = False


@dataclass(slots=True)
class _Pool(Generic[Chunk, Result]):
    task: Task[Chunk, Result]
    size: int
    retries: int
    crew: list[_Worker[Chunk]] = field(default_factory=list)
    given_up: dict[int, Result] = field(default_factory=dict)
    again: deque[_Order[Chunk]] = field(default_factory=deque)

    def results(self, chunks: Iterable[Chunk]) -> Iterator[Result]:
        fresh = (_Order(number, chunk) for number, chunk in enumerate(chunks))
        finished: dict[int, Result] = {}
        due = 0
        while True:
            while (busy := self._busy()) is not None and len(busy) < self.size:
                if len(busy) + len(finished) >= self.size * _AHEAD and not self.again:
                    break
                order = self.again.popleft() if self.again else next(fresh, None)
                if order is None:
                    break
                self._give(order)
            finished |= self.given_up
            self.given_up.clear()
            if not busy and not self.again:
                yield from (finished[number] for number in sorted(finished))
                return
            for worker in self._answering(busy):
                answer = self._answer(worker)
                if answer is not None:
                    finished[answer[0]] = answer[1]
            while due in finished:
                yield finished.pop(due)
                due += 1

    def _busy(self) -> list[_Worker[Chunk]]:
        return [worker for worker in self.crew if worker.order is not None]

    @staticmethod
    def _answering(busy: list[_Worker[Chunk]]) -> list[_Worker[Chunk]]:
        ready = wait([worker.pipe for worker in busy])
        return [worker for worker in busy if worker.pipe in ready]

    def _give(self, order: _Order[Chunk]) -> None:
        worker = next((worker for worker in self.crew if worker.order is None), None) or self._start()
        worker.order = order
        try:
            worker.pipe.send(order.chunk)
        except _GONE:
            self._remove_dead(worker)

    def _answer(self, worker: _Worker[Chunk]) -> tuple[int, Result] | None:
        """The worker's answer: the number and the result of its chunk, or None if it is not ready."""
        kind: Literal["ready", "result", "error"]
        try:
            kind, content = worker.pipe.recv()
        except (*_GONE, pickle.UnpicklingError):  # killed before, or in the middle of, its answer
            self._remove_dead(worker)
            return None
        if kind == "ready":
            worker.ready = True
            return None
        if kind == "error":
            raise content.raised()
        assert worker.order is not None
        number, worker.order = worker.order.number, None
        return number, content

    def _start(self) -> _Worker[Chunk]:
        context = multiprocessing.get_context("spawn")
        _check_sendable(self.task)
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,))
        with _threads_per_worker(max(1, cores() // self.size)):
            process.start()
        theirs.close()  # or the pipe would not end with the worker
        worker: _Worker[Chunk] = _Worker(process, ours)
        self.crew.append(worker)
        with contextlib.suppress(*_GONE):  # the first chunk reports the problem in more detail
            ours.send(self.task)
        return worker

    def _remove_dead(self, worker: _Worker[Chunk]) -> None:
        """Remove a dead worker from the pool; its chunk is retried, unless that was tried often enough."""
        worker.process.join()
        worker.pipe.close()
        self.crew.remove(worker)
        order = worker.order
        if order is None:
            return
        code = worker.process.exitcode or 0
        if not worker.ready and code > 0:
            raise WorkerError(
                f"engine 'processes': a worker could not start (exit code {code}; its own message is above). In a "
                "script, start the work below: if __name__ == '__main__':"
            )
        order.deaths += 1
        if order.deaths <= self.retries:
            self.again.append(order)
            return
        reason = (
            f"ended its worker {order.deaths} times, the last time by {_ending(code)}; use smaller chunks or fewer "
            "workers to need less memory"
        )
        lost = getattr(self.task, "lost", None)
        if lost is None:
            raise WorkerError(f"engine 'processes': chunk {order.number} {reason}")
        self.given_up[order.number] = lost(order.chunk, reason)

    def close(self) -> None:
        for worker in self.crew:
            worker.pipe.close()
            if worker.order is not None:
                worker.process.terminate()
        for worker in self.crew:
            worker.process.join(_PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _check_sendable(task: Any) -> None:
    try:
        pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise WorkerError(
            f"engine 'processes': the work cannot be sent to another process: {error}; functions and classes must be "
            "defined at the top level of a module that can be imported"
        ) from error


@contextlib.contextmanager
def _threads_per_worker(count: int) -> Iterator[None]:
    """Workers share the cores. The libraries read this when they are loaded, so it must be there from the start."""
    added = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(added, str(count)))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    if code == -signal.SIGKILL:
        return "SIGKILL (often because the machine ran out of memory)"
    return signal.Signals(-code).name


def _work(pipe: "Connection[Any, Any]") -> None:
    """The main loop of a worker: a task first, then chunk after chunk until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the driver, which ends us
    try:
        task = pipe.recv()
        answer = _attempt("ready", task.setup)
        while True:
            try:
                pipe.send(answer)
            except _GONE:
                raise
            except Exception as error:  # a result that cannot be sent
                pipe.send(("error", Carried.of(error)))
            chunk = pipe.recv()
            answer = _attempt("result", partial(task, chunk))
    except _GONE:
        return  # the driver has ended


def _attempt(kind: str, function: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return kind, function()
    except BaseException as error:  # whatever it is, the driver raises it where users see it
        return "error", Carried.of(error)
