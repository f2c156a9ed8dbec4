"""The protocol of all engines, and how one is chosen by name."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from dialgauge.engine._settings import EngineSettings
from dialgauge.errors import DialgaugeError, ParameterError, UnknownNameError
from dialgauge.settings import takes

Chunk_contra = TypeVar("Chunk_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)
Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

#: How often a chunk is tried again after the worker that had it died.
RETRIES = 2


class WorkerError(DialgaugeError):
    """A worker died on the same chunk again and again, or could not start. The message says how it ended."""


class Task(Protocol[Chunk_contra, Result_co]):
    """Work on one chunk after another. It must be picklable: each worker gets a copy of its own.

    ``setup`` runs once per worker before the first chunk; what is loaded there stays warm. The result may depend on
    the chunk alone, so that it does not matter which worker had it, and in which order. A task with a method
    ``lost(chunk, reason)`` gives the result of a chunk that ended its worker too often; without it, the run ends there.
    """

    def setup(self) -> None:
        """Load what every chunk needs."""

    def __call__(self, chunk: Chunk_contra, /) -> Result_co:
        """The result of one chunk."""


class Engine(Protocol):
    """Runs a task over chunks.

    ``run`` gives the results in the order of the chunks and takes new chunks only as fast as results are fetched. An
    error of the task ends the run and is raised here; a chunk whose worker died is run again elsewhere. ``local`` is
    true where tasks run in this very process, so that nothing has to be sent and everything in memory is at hand.
    """

    @property
    def name(self) -> str:
        """The name by which the engine is chosen."""

    @property
    def workers(self) -> int:
        """How many chunks are worked on at the same time."""

    @property
    def local(self) -> bool:
        """Whether tasks run in this process."""

    def run(self, task: Task[Chunk, Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """The result of each chunk, in order."""


def cores() -> int:
    """How many cores this process may use."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


def _serial(workers: int | None, ray_address: str | None, gpus: float) -> Engine:
    from dialgauge.engine._serial import SerialEngine

    if workers not in (None, 1):
        raise ParameterError("engine 'serial'", "workers", "1 or left out; 'processes' takes more", workers)
    return SerialEngine()


def _processes(workers: int | None, ray_address: str | None, gpus: float) -> Engine:
    from dialgauge.engine._processes import ProcessEngine

    return ProcessEngine(cores() if workers is None else workers)


def _ray(workers: int | None, ray_address: str | None, gpus: float) -> Engine:
    from dialgauge.engine._ray import RayEngine

    return RayEngine(workers, ray_address, gpus)


ENGINES: Mapping[str, Callable[[int | None, str | None, float], Engine]] = {
    "serial": _serial,
    "processes": _processes,
    "ray": _ray,
}


@takes(EngineSettings)
def engine(name: str = "processes", settings: EngineSettings | None = None, **changes: Any) -> Engine:
    """The engine of this name: ``serial``, ``processes`` or ``ray`` (extra ``ray``).

    ``workers`` is by default the number of cores, or on Ray the number of CPUs of the cluster less one, which Ray needs
    for itself. ``ray_address`` is that of a running cluster, as in ``10.0.0.5:6379`` or ``auto``; without it Ray is
    started on this machine. ``gpus`` is the share of a GPU that each worker on Ray gets.
    """
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    asked = EngineSettings.chosen(settings, {**changes, "name": name}, f"engine {name!r}")
    return ENGINES[name](asked.workers, asked.ray_address, asked.gpus)
