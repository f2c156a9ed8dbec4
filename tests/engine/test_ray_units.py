"""The engine of Ray without Ray: how many actors it asks for, how often they restart, and when a chunk is given up."""

import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from dialgauge.engine import WorkerError
from dialgauge.engine._ray import RayEngine, _Actor, _Attempts


class GoneError(Exception):
    """What Ray raises when it gives up."""


class Remote:
    """A method of an actor: called at once."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.remote = method


@dataclass
class Counter:
    """The counter of attempts, as its handle is used."""

    kept: _Attempts = field(default_factory=_Attempts)

    def __getattr__(self, name: str) -> Remote:
        return Remote(getattr(self.kept, name))


@dataclass
class Cluster:
    """As much of Ray and Ray Data as the engine uses; chunks are worked on one after the other, the last one first."""

    cpus: float = 8.0
    options: dict[str, Any] = field(default_factory=dict)
    counter: Counter = field(default_factory=Counter)

    def modules(self) -> dict[str, ModuleType]:
        ray, data = ModuleType("ray"), ModuleType("ray.data")
        vars(ray).update(
            data=data,
            get=lambda value: value,
            is_initialized=lambda: True,
            cluster_resources=lambda: {"CPU": self.cpus},
            exceptions=SimpleNamespace(RayError=GoneError),
        )
        vars(data).update(
            ActorPoolStrategy=lambda **sizes: sizes,
            DataContext=SimpleNamespace(get_current=SimpleNamespace),
            from_items=self._from_items,
        )
        return {"ray": ray, "ray.data": data}

    def _from_items(self, packed: list[dict[str, Any]], override_num_blocks: int) -> "Cluster":
        assert override_num_blocks == len(packed)  # a chunk each
        self.packed = packed
        return self

    def map_batches(self, actor: type[_Actor], fn_constructor_args: tuple[Any, ...], **options: Any) -> "Cluster":
        self.options = options
        self.actor = actor(*fn_constructor_args)
        return self

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        for one in reversed(self.packed):
            answer = self.actor({"number": [one["number"]], "content": [one["content"]]})
            yield {"number": one["number"], "content": answer["content"][0]}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    for name, module in made.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("dialgauge.engine._ray._attempts_here", lambda ray: made.counter)
    return made


@dataclass
class Double:
    """Twice the number."""

    setups: int = 0

    def setup(self) -> None:
        self.setups += 1

    def __call__(self, number: int) -> tuple[int, int]:
        return 2 * number, self.setups


class Forgiving(Double):
    """Says what was lost."""

    def lost(self, number: int, reason: str) -> str:
        return f"{number}: {reason}"


@pytest.mark.parametrize(
    ("wanted", "address", "chunks", "pool"),
    [
        (3, None, 9, {"size": 3}),
        (3, "127.0.0.1:6379", 9, {"size": 3}),  # nodes that join get nothing: so many were asked for
        (3, "127.0.0.1:6379", 2, {"size": 2}),
        (None, None, 9, {"size": 7}),  # one CPU is Ray's own
        (None, "127.0.0.1:6379", 9, {"min_size": 1, "max_size": 9, "initial_size": 7}),
        (None, "127.0.0.1:6379", 4, {"min_size": 1, "max_size": 4, "initial_size": 4}),
    ],
)
def test_the_pool_is_what_was_asked_for_or_grows_with_the_cluster(
    cluster: Cluster, wanted: int | None, address: str | None, chunks: int, pool: dict[str, int]
) -> None:
    results = list(RayEngine(wanted, address).run(Double(), range(chunks)))
    assert results == [(2 * number, 1) for number in range(chunks)]  # in order, set up once
    assert cluster.options["compute"] == pool
    assert (cluster.options["num_cpus"], cluster.options["num_gpus"], cluster.options["batch_size"]) == (1, None, 1)


@pytest.mark.parametrize("restarts", [10, 2])
def test_a_dead_actor_is_replaced_so_often_and_no_more(cluster: Cluster, restarts: int) -> None:
    engine = RayEngine(2) if restarts == 10 else RayEngine(2, restarts=restarts)
    list(engine.run(Double(), range(3)))
    assert cluster.options["ray_remote_args_fn"]() == {"max_restarts": restarts, "max_task_retries": -1}


def test_a_chunk_that_was_begun_three_times_is_given_up(cluster: Cluster) -> None:
    for _ in range(3):
        cluster.counter.kept.begin(1)
    cluster.counter.kept.begin(0)  # once before: the worker died, and another one has it now
    results = list(RayEngine(2).run(Forgiving(), range(3)))
    reason = "1: ended its worker 3 times; use smaller chunks, which need less memory"
    assert results == [(0, 1), reason, (4, 1)]
    assert cluster.counter.kept.unfinished() == []


def test_without_a_record_of_losses_the_run_ends_and_names_the_chunk(cluster: Cluster) -> None:
    for _ in range(3):
        cluster.counter.kept.begin(1)
    with pytest.raises(WorkerError, match="engine 'ray': chunk 2 ended its worker 3 times"):
        list(RayEngine(2).run(Double(), range(3)))


def test_when_the_cluster_gives_up_the_chunks_that_were_begun_are_named(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(self: Cluster) -> Iterator[dict[str, Any]]:
        cluster.counter.kept.begin(1)
        yield {"number": 0, "content": pickle.dumps(("result", "first"))}
        raise GoneError("the actor died\nand more")

    monkeypatch.setattr(Cluster, "iter_rows", gone)
    results = RayEngine(2).run(Double(), range(3))
    assert next(results) == "first"  # type: ignore[comparison-overlap]
    with pytest.raises(WorkerError, match=r"the actor died \(begun and not finished: chunk 2 of 3\)"):
        next(results)
