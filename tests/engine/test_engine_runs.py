"""The engines: order, errors, deaths of workers, and what is refused."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from dialgauge.engine import WorkerError, engine
from dialgauge.engine._engine import cores
from dialgauge.engine._ray import RayEngine
from dialgauge.errors import DialgaugeError, MissingExtraError, ParameterError, UnknownNameError
from tests.engine.engine_tasks import Failing, Mortal, Square, Threads, WordyError


def test_results_come_in_the_order_of_the_chunks_from_warm_workers() -> None:
    serial = list(engine("serial").run(Square(), range(20)))
    several = list(engine("processes", workers=2).run(Square(), range(20)))
    assert [result[0] for result in serial] == [result[0] for result in several] == [n * n for n in range(20)]
    assert {result[1] for result in serial + several} == {1}  # each copy of the task was set up once
    assert {result[2] for result in serial} == {os.getpid()}
    assert len({result[2] for result in several}) == 2
    assert os.getpid() not in {result[2] for result in several}
    assert multiprocessing.active_children() == []


def test_chunks_are_taken_only_as_results_are_fetched() -> None:
    taken: list[int] = []

    def chunks() -> object:
        for number in range(100):
            taken.append(number)
            yield number

    results = engine("processes", workers=2).run(Square(), chunks())  # type: ignore[arg-type]
    next(results)
    assert len(taken) <= 8
    results.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []  # nobody works on for a run that was given up


def test_nothing_to_do_starts_nobody() -> None:
    assert list(engine("processes").run(Square(), [])) == []


def test_a_killed_worker_costs_nothing(tmp_path: Path) -> None:
    results = list(engine("processes", workers=2).run(Mortal(tmp_path, fatal=3, deaths=2), range(12)))
    assert results == list(range(1, 13))
    begun = (tmp_path / "begun").read_text().split()
    assert {number: begun.count(number) for number in begun} == {str(n): 3 if n == 3 else 1 for n in range(12)}


def test_a_chunk_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=r"chunk 1 ended its worker 3 times, the last .* SIGKILL .*out of memory"):
        list(engine("processes", workers=2).run(Mortal(tmp_path, fatal=1, deaths=99), range(4)))
    assert len(list(tmp_path.glob("tomb-*"))) == 3


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("parameter", ParameterError, "task: parameter 'number' must be odd; got 0"),
        ("setup", ParameterError, "task: parameter 'kind'"),
        ("end of file", EOFError, "the task's own"),
        ("system", OSError, r"^\[Errno 28\] No space left on device: 'scores'"),
        ("wordy", WordyError, "^no such name: rouge-0"),
        ("holding", Exception, "the model has gone"),
        ("unsendable", Exception, "lambda"),
    ],
)
@pytest.mark.parametrize("name", ["serial", "processes"])
def test_an_error_of_the_task_is_raised_where_a_person_sees_it(
    name: str, kind: str, error: type[Exception], message: str
) -> None:
    if (name, kind) == ("serial", "unsendable"):
        pytest.skip("nothing is sent")
    with pytest.raises(error, match=message) as raised:
        list(engine(name, workers=1).run(Failing(kind), range(2)))
    if name == "processes":
        assert "engine_tasks.py" in "".join(raised.value.__notes__) or kind == "unsendable"
    if (name, kind) == ("processes", "holding"):
        assert str(raised.value) == "HoldingError: the model has gone"
    if kind == "parameter":
        assert raised.value.given == 0  # type: ignore[attr-defined]


def test_work_that_cannot_be_sent_is_refused() -> None:
    class Inside(Square):
        pass

    with pytest.raises(WorkerError, match="top level of a module"):
        list(engine("processes", workers=1).run(Inside(), [1]))


def test_a_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "careless.py"
    script.write_text(
        textwrap.dedent(
            """
            from engine_tasks import Square
            from dialgauge.engine import engine

            print(list(engine("processes", workers=1).run(Square(), [1, 2])))
            """
        )
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "proceses"}, UnknownNameError, "did you mean 'processes'"),
        ({"name": "processes", "workers": 0}, ParameterError, "'workers' must be 1 or more; got 0"),
        ({"name": "serial", "workers": 2}, ParameterError, "'processes' takes more"),
        ({"name": "processes", "ray_address": "auto"}, ParameterError, "only the engine 'ray' takes it"),
        ({"name": "processes", "gpus": 1.0}, ParameterError, "only the engine 'ray' takes it"),
        ({"name": "ray", "gpus": -1.0}, ParameterError, "'gpus' must be 0 or more"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        engine(**arguments)  # type: ignore[arg-type]


def test_one_worker_per_core_by_default() -> None:
    assert engine().workers == cores()
    assert engine().name == "processes"


def test_ray_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'dialgauge\[ray\]'"):
        list(engine("ray").run(Square(), [1]))


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("127.0.0.1:9", DialgaugeError, "nothing answers at 127.0.0.1:9: .*ray start --head"),
        ("head-node", ParameterError, "must be HOST:PORT"),
    ],
)
def test_a_cluster_that_is_not_there(address: str, error: type[Exception], message: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(error, match=message):
        list(engine("ray", ray_address=address).run(Square(), [1]))


@dataclass
class FakeRay:
    """As much of Ray as is asked how large the cluster is."""

    resources: dict[str, float]

    def cluster_resources(self) -> dict[str, float]:
        return self.resources


@pytest.mark.parametrize(
    ("wanted", "gpus", "resources", "actors"),
    [
        (None, 0.0, {"CPU": 8.0}, 7),  # as many one-CPU actors as CPUs would hang
        (3, 0.0, {"CPU": 8.0}, 3),
        (None, 0.5, {"CPU": 8.0, "GPU": 2.0}, 4),
        (None, 1.0, {"CPU": 2.0, "GPU": 8.0}, 1),
    ],
)
def test_ray_keeps_a_cpu_for_itself(wanted: int | None, gpus: float, resources: dict[str, float], actors: int) -> None:
    assert RayEngine(wanted, None, gpus)._actors(FakeRay(resources)) == actors


@pytest.mark.parametrize(
    ("wanted", "gpus", "resources", "message"),
    [
        (8, 0.0, {"CPU": 8.0}, "'workers' must be at most 7 on this cluster; got 8"),
        (None, 0.0, {"CPU": 1.0}, "Ray needs one for itself"),
        (None, 1.0, {"CPU": 4.0}, "'gpus' must be at most the cluster's 0; got 1.0"),
    ],
)
def test_more_than_the_cluster_has_is_refused(
    wanted: int | None, gpus: float, resources: dict[str, float], message: str
) -> None:
    with pytest.raises(DialgaugeError, match=message):
        RayEngine(wanted, None, gpus)._actors(FakeRay(resources))


def test_the_room_is_light() -> None:
    code = "import sys, dialgauge.engine; print(sorted({'polars', 'ray', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    asked = ["POLARS_MAX_THREADS", "OMP_NUM_THREADS"]
    assert list(engine("processes", workers=cores()).run(Threads(), asked)) == ["1", "3"]  # what is set stays
    assert "POLARS_MAX_THREADS" not in os.environ
