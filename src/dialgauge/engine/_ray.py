"""The engine that runs chunks on a Ray cluster: Ray Data with actors that keep the task warm.

Three pitfalls are avoided. Ray Data needs a CPU for its own tasks, so as many one-CPU actors as there are CPUs would
deadlock: one CPU stays free. On one machine Ray must be told to use the loopback address, or its processes may try to
connect where nothing listens. And a driver needs the token of a cluster that asks for one
(``RAY_AUTH_MODE=token`` with ``RAY_AUTH_TOKEN``), or the connection fails with a message about the network.
"""

import logging
import os
import pickle
import socket
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dialgauge.engine._carried import Carried
from dialgauge.engine._engine import Chunk, Result, Task, WorkerError
from dialgauge.errors import DialgaugeError, MissingExtraError, ParameterError

_LOOPBACK = "127.0.0.1"
#: Timeout in seconds for the first answer of a cluster.
_PATIENCE = 10.0
_RESERVED_CPUS = 1
#: Ray prints what happened to nodes and actors on the standard output of the driver, where results are printed. Who
#: sets this variable sees it.
_QUIET = {"RAY_DEDUP_LOGS_SKIP_REGEX": "."}
#: A chunk that ended its worker so often is given up, as on the engine of processes.
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Actors on a cluster that runs already (``address``), or on this machine alone. A dead actor is replaced.

    Without a number of workers wanted there are as many as the cluster has CPUs to spare, and more when nodes join.
    """

    wanted: int | None = None
    address: str | None = None
    gpus: float = 0.0
    restarts: int = 10
    name: str = "ray"
    local: bool = False

    @property
    def workers(self) -> int:
        """How many actors there will be; without a number given, as many as Ray's cluster has CPUs to spare."""
        if self.wanted is not None:
            return self.wanted
        with self._cluster() as ray:
            return _spare_cpus(ray)

    def run(self, task: Task[Chunk, Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """The result of each chunk, in order. All chunks are listed first, so they should be small."""
        packed = [{"number": number, "content": pickle.dumps(chunk)} for number, chunk in enumerate(chunks)]
        if not packed:
            return
        with self._cluster() as ray:
            yield from self._results(ray, task, packed)

    def _results(self, ray: Any, task: Task[Chunk, Result], packed: list[dict[str, Any]]) -> Iterator[Result]:
        import ray.data as data

        size = min(self._actors(ray), len(packed))
        restarts, attempts = self.restarts, _attempts_here(ray)
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        with warnings.catch_warnings():
            # Ray 2.60 says that this way to bound restarts will go, and has no other yet.
            warnings.simplefilter("ignore")
            answers = data.from_items(packed, override_num_blocks=len(packed)).map_batches(
                _Actor,
                fn_constructor_args=(task, attempts),
                batch_size=1,
                compute=self._pool(data, size, len(packed)),
                num_cpus=1,
                num_gpus=self.gpus or None,
                # A chunk is retried as long as its actor can be: while a dead one is replaced, Ray counts every
                # attempt to reach it as a retry, so it is the replacements that are bounded.
                ray_remote_args_fn=lambda: {"max_restarts": restarts, "max_task_retries": -1},
            )
        waiting: dict[int, Any] = {}
        due = 0
        try:
            for answer in answers.iter_rows():
                waiting[int(answer["number"])] = answer["content"]
                while due in waiting:
                    kind, content = pickle.loads(waiting.pop(due))
                    if kind == "error":
                        raise content.raised()
                    yield content
                    due += 1
        except ray.exceptions.RayError as error:
            begun = ", ".join(str(number + 1) for number in ray.get(attempts.unfinished.remote()))
            where = f" (begun and not finished: chunk {begun} of {len(packed)})" if begun else ""
            raise WorkerError(f"engine 'ray': {_first_line(error)}{where}") from error

    def _pool(self, data: Any, size: int, chunks: int) -> Any:
        """As many actors as wanted; else, on a cluster, as many as there is room for, also when nodes come or go."""
        if self.wanted is not None or self.address is None:
            return data.ActorPoolStrategy(size=size)
        return data.ActorPoolStrategy(min_size=1, max_size=chunks, initial_size=size)

    def _actors(self, ray: Any) -> int:
        spare = _spare_cpus(ray)
        gpus = ray.cluster_resources().get("GPU", 0.0)
        if self.gpus and gpus < self.gpus:
            raise ParameterError("engine 'ray'", "gpus", f"at most the cluster's {gpus:g}", self.gpus)
        most = min(spare, int(gpus / self.gpus)) if self.gpus else spare
        if self.wanted is not None and self.wanted > most:
            raise ParameterError("engine 'ray'", "workers", f"at most {most} on this cluster", self.wanted)
        return self.wanted or most

    @contextmanager
    def _cluster(self) -> Iterator[Any]:
        """Ray, connected. A connection that was there before stays."""
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        try:
            import ray
            import ray.data  # Ray without its data part is not enough
        except ImportError as error:
            raise MissingExtraError("engine 'ray'", "ray") from error
        if ray.is_initialized():
            yield ray
            return
        self._connect(ray)
        try:
            yield ray
        finally:
            ray.shutdown()

    def _connect(self, ray: Any) -> None:
        shared: dict[str, Any] = {"log_to_driver": False, "configure_logging": True, "logging_level": "error"}
        if self.address is None:
            cpus = None if self.wanted is None else self.wanted + _RESERVED_CPUS
            ray.init(num_cpus=cpus, include_dashboard=False, _node_ip_address=_LOOPBACK, **shared)
            return
        host = _reach(self.address)
        if host in (_LOOPBACK, "localhost"):
            shared["_node_ip_address"] = _LOOPBACK
        try:
            ray.init(address=self.address, **shared)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise DialgaugeError(
                f"engine 'ray': no cluster at {self.address}: {_first_line(error)}; start one with 'ray start --head'; "
                "every process needs the same RAY_AUTH_MODE and RAY_AUTH_TOKEN"
            ) from error


class _Actor:
    """The task on a worker of the cluster, set up once."""

    def __init__(self, task: Task[Any, Any], attempts: Any) -> None:
        self.task, self.attempts = task, attempts
        self.ready = False

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        numbers = [int(number) for number in batch["number"]]
        answers = [self._answer(number, content) for number, content in zip(numbers, batch["content"], strict=True)]
        return {"number": batch["number"], "content": answers}

    def _answer(self, number: int, content: bytes) -> bytes:
        import ray

        earlier = ray.get(self.attempts.begin.remote(number))
        try:
            result = self._given_up(number, content) if earlier >= _ATTEMPTS else self._result(content)
            answer = pickle.dumps(("result", result))
        except BaseException as error:  # the driver raises it; Ray would wrap it beyond recognition
            answer = pickle.dumps(("error", Carried.of(error)))
        self.attempts.finish.remote(number)
        return answer

    def _result(self, content: bytes) -> Any:
        if not self.ready:
            self.task.setup()
            self.ready = True
        return self.task(pickle.loads(content))

    def _given_up(self, number: int, content: bytes) -> Any:
        reason = f"ended its worker {_ATTEMPTS} times; use smaller chunks, which need less memory"
        lost = getattr(self.task, "lost", None)
        if lost is None:
            raise WorkerError(f"engine 'ray': chunk {number + 1} {reason}")
        return lost(pickle.loads(content), reason)


class _Attempts:
    """Which chunks were begun, and how often: an actor that dies can no longer say what it was doing."""

    def __init__(self) -> None:
        self.begun: dict[int, int] = {}

    def begin(self, number: int) -> int:
        """How often the chunk was begun before."""
        earlier = self.begun.get(number, 0)
        self.begun[number] = earlier + 1
        return earlier

    def finish(self, number: int) -> None:
        """Forget a chunk that has an answer."""
        self.begun.pop(number, None)

    def unfinished(self) -> list[int]:
        """The chunks that have none."""
        return sorted(self.begun)


def _attempts_here(ray: Any) -> Any:
    """The counter as an actor on the node of the driver: whatever other node dies, it stays."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(_Attempts).options(num_cpus=0, scheduling_strategy=here).remote()


def _spare_cpus(ray: Any) -> int:
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus <= _RESERVED_CPUS:
        raise DialgaugeError(
            f"engine 'ray': the cluster has {cpus} CPU, and Ray needs one for itself: start it with at least "
            f"{_RESERVED_CPUS + 1} (ray start --num-cpus)"
        )
    return cpus - _RESERVED_CPUS


def _reach(address: str) -> str | None:
    """Try to connect to an address before Ray does, which would retry for a minute; returns its host."""
    if address in ("auto", "local"):
        return None
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        raise ParameterError("engine 'ray'", "ray_address", "HOST:PORT, ray://HOST:PORT or 'auto'", address)
    try:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
    except OSError as error:
        raise DialgaugeError(
            f"engine 'ray': nothing answers at {address}: {error}; start the cluster with 'ray start --head'"
        ) from error
    return host


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
