"""The order of the tests themselves: a seed repeats it, nothing is lost, and what belongs together stays together."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import suite_compile, suite_order
from tests.suite_durations import Durations, Recorder, file_of, function_of, read_durations
from tests.suite_order import LONG, QUICK, is_quick, shuffled, unit_of


@pytest.fixture(params=[0, 1, 2])
def order(request: pytest.FixtureRequest) -> list[pytest.Item]:
    return shuffled(request.session.items, request.param, read_durations().files)


def in_one_piece(values: Sequence[object]) -> bool:
    """Whether equal values stand side by side."""
    return len(list(groupby(values))) == len(set(values))


def test_nothing_is_lost_and_files_and_classes_stay_whole(
    request: pytest.FixtureRequest, order: list[pytest.Item]
) -> None:
    assert sorted(item.nodeid for item in order) == sorted(item.nodeid for item in request.session.items)
    assert in_one_piece([file_of(item.nodeid) for item in order])
    assert in_one_piece([item.parent for item in order if isinstance(item.parent, pytest.Class)])


def test_pages_are_read_from_the_top(order: list[pytest.Item]) -> None:
    lines: dict[str, list[int]] = {}
    for item in order:
        if not isinstance(item, pytest.Function):
            lines.setdefault(file_of(item.nodeid), []).append(item.location[1] or 0)
    assert all(numbers == sorted(numbers) for numbers in lines.values())


def test_a_seed_repeats_the_order_and_long_files_come_first(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    last = max(file_of(item.nodeid) for item in items)
    one, other, third = (shuffled(items, seed, {last: LONG + 1}) for seed in (1, 1, 2))
    assert one == other
    assert {file_of(order[0].nodeid) for order in (one, third)} == {last}
    assert len(items) < 10 or one != third


def test_slow_tests_and_those_with_a_browser_are_not_quick(request: pytest.FixtureRequest) -> None:
    assert is_quick(request.node, {})
    assert not is_quick(request.node, {function_of(request.node.nodeid): QUICK + 0.1})
    for item in request.session.items:
        if not isinstance(item, pytest.Function) or "browser" in item.fixturenames or item.get_closest_marker("slow"):
            assert not is_quick(item, {}), item.nodeid


def test_files_that_share_fixtures_are_one_unit() -> None:
    assert unit_of("tests/explore/test_a.py::T::test[x::y]") == unit_of("tests/explore/test_b.py::test")
    assert unit_of("tests/cli/test_a.py::T::test") == "tests/cli/test_a.py"


def test_the_last_of_three_workers_runs_what_waits_and_the_others_help_in_the_end() -> None:
    pytest.importorskip("xdist")
    files = ["tests/engine/test_a.py", "tests/cli/test_b.py", "tests/cli/test_c.py", "tests/engine/test_d.py"]
    tests = [f"{file}::test_{number}" for file in files for number in range(4)]
    config = SimpleNamespace(getvalue=lambda _: ["3*popen"], option=SimpleNamespace(loadscopereorder=False))
    order = suite_order.pytest_xdist_make_scheduler(config, None)
    workers = [_Worker(f"gw{number}") for number in range(3)]
    for worker in workers:
        order.add_node(worker)
        order.add_node_collection(worker, tests)
    order.schedule()
    while any(worker.todo for worker in workers):  # the first two are quick
        worker = next(worker for worker in workers if worker.todo)
        worker.done.append(tests[worker.todo[0]])
        order.mark_test_complete(worker, worker.todo.pop(0))
    assert sorted(test for worker in workers for test in worker.done) == sorted(tests)
    assert [worker.done[0] for worker in workers] == [f"{files[n]}::test_0" for n in (1, 2, 0)]
    assert f"{files[3]}::test_0" in workers[0].done + workers[1].done
    assert all(worker.shutting_down for worker in workers)


class _Worker:
    """What the scheduler needs of a worker."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.todo: list[int] = []
        self.done: list[str] = []
        self.shutting_down = False

    def send_runtest_some(self, indices: list[int]) -> None:
        self.todo += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def test_times_are_added_up_over_the_cases_of_a_test() -> None:
    recorder = Recorder()
    for case, making in (("a", 2.0), ("b", 0.0)):
        for when, seconds in (("setup", making), ("call", 1.0), ("teardown", 0.0)):
            measured = [("making", making), ("shared", 2.0)] if when == "teardown" else []
            recorder.pytest_runtest_logreport(_report(f"tests/x.py::test_x[{case}]", when, seconds, measured))
    before = Durations({"tests/x.py": 9.0, "tests/conftest.py": 3.0, "tests/gone.py": 3.0}, {"tests/x.py::test_y": 1.0})
    after = recorder.merged(before)
    assert after.files == {"tests/x.py": 4.0, "tests/conftest.py": 3.0}
    assert after.tests == {"tests/x.py::test_x": 4.0}


def _report(nodeid: str, when: str, seconds: float, measured: list[tuple[str, object]]) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid,
        ("x", 1, "x"),
        {},
        "passed",
        None,
        when,
        user_properties=measured,
        duration=seconds,
    )


def test_each_file_is_compiled_by_one_worker_and_found_by_all(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("test_a.py", "test_b.py", "test_c.py", "conftest.py"):
        (tmp_path / name).write_text("def test_it():\n    assert (1, 2) == (1, 3)\n", "utf-8")
    (tmp_path / "test_wrong.py").write_text("def", "utf-8")
    monkeypatch.setattr(suite_compile, "TESTS", tmp_path)
    shares = [suite_compile.share({"workerid": f"gw{i}", "workercount": 2}) for i in range(2)]
    assert sorted(path for files in shares for path in files) == sorted(tmp_path.glob("*.py"))
    monkeypatch.setattr(request.config, "workerinput", {}, raising=False)
    assert suite_compile.compile_share(request.config) == 4
    assert suite_compile.compile_share(request.config) == 0
