"""Which tests run, in which order, and where: a seeded shuffle, the quick tier, and work for parallel workers.

Loaded by the conftest at the root. ``durations.json`` beside this file says how long tests took; it is only advice (the
slowest files start first, ``--quick`` leaves out the slow tests), so it may be old. ``--store-durations`` renews it.
"""

import gc
import random
from collections import defaultdict
from collections.abc import Generator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.suite_compile import compile_share
from tests.suite_durations import DURATIONS, Recorder, Stopwatch, file_of, function_of, read_durations

#: Units that take longer than this many seconds start first, the longest before the others; so the last ones are short.
LONG = 3.0
#: A test function is quick if all its cases together take at most this many seconds, with the fixtures that it needs.
QUICK = 0.3
#: Tests with one of these fixtures or markers are never quick: they need a browser, a server or a database.
NEVER_QUICK = {"browser", "postgres", "served", "slow"}
#: Files under these paths share what is expensive, so one worker runs all of them: a database server, a run that is
#: served, runs that are compared, and the cores that Ray needs.
TOGETHER = ("tests/annotate/test_annotate_", "tests/explore/", "tests/study/test_compare_runs", "tests/engine/test_ray")
#: Tests under these paths wait more than they compute: for browsers, servers and processes that are killed. Where there
#: are three workers or more, those after the second begin with these.
WAITING = (
    "tests/annotate/",
    "tests/engine/",
    "tests/explore/",
    "tests/models/test_chat_endpoint",
    "tests/report/test_report_browser",
    "tests/report/test_report_layout",
    "tests/reproduce/test_pages_browser",
    "tests/summarize/test_summarize_chat",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dialgauge", "order and choice of the tests of dialgauge")
    group.addoption("--quick", action="store_true", help="leave out tests that are slow or need a browser or a server")
    group.addoption("--order-seed", metavar="N|off", help="order of the tests (default: random; off: as in the files)")
    group.addoption("--store-durations", action="store_true", help=f"write the time tests take to {DURATIONS.name}")


def pytest_configure(config: pytest.Config) -> None:
    seed = config.option.order_seed
    if hasattr(config, "workerinput"):
        config.option.order_seed = config.workerinput["order_seed"]
    elif seed is None:
        config.option.order_seed = str(random.SystemRandom().randrange(100_000))
    elif seed != "off" and not seed.isdigit():
        raise pytest.UsageError(f"--order-seed: expected a whole number or 'off', got {seed!r}")
    if config.option.store_durations:
        config.pluginmanager.register(Stopwatch(), "stopwatch")
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Recorder(), "recorder")


def pytest_report_header(config: pytest.Config) -> str:
    return f"order of tests: --order-seed={config.option.order_seed}"


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        terminalreporter.write_line(f"same order again: pytest --order-seed={config.option.order_seed}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """Keep the garbage collector from going through thousands of tests and modules, which stay, again and again."""
    gc.disable()
    try:
        if hasattr(session.config, "workerinput"):
            compile_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # pytest itself then brings the cases of a parametrized module fixture together again
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    durations = read_durations()
    if config.option.quick:
        quick = [item for item in items if is_quick(item, durations.tests)]
        kept = set(quick)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = quick
    if config.option.order_seed != "off":
        items[:] = shuffled(items, int(config.option.order_seed), durations.files)


def is_quick(item: pytest.Item, seconds: dict[str, float]) -> bool:
    """Whether a test belongs to ``make quick``, by how long it took and by what it needs."""
    if not isinstance(item, pytest.Function):  # a block of a page of the documentation
        return False
    needs = {*item.fixturenames, *(marker.name for marker in item.iter_markers())}
    return not needs & NEVER_QUICK and seconds.get(function_of(item.nodeid), 0.0) <= QUICK


def shuffled(items: list[pytest.Item], seed: int, seconds: dict[str, float]) -> list[pytest.Item]:
    """Long units first, then other files in random order; random within a file, but classes and pages stay whole."""
    chance = random.Random(seed)
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[file_of(item.nodeid)].append(item)
    names = sorted(files)
    chance.shuffle(names)
    units: defaultdict[str, float] = defaultdict(float)
    for name in names:
        units[unit_of(name)] += seconds.get(name, 0.0)
    names.sort(key=lambda name: -units[unit_of(name)] if units[unit_of(name)] >= LONG else 0.0)
    for tests in files.values():
        if all(isinstance(item, pytest.Function) for item in tests):
            _shuffle(tests, chance)
    return [item for name in names for item in files[name]]


def _shuffle(tests: list[pytest.Item], chance: random.Random) -> None:
    """In place; the tests of a class stay together."""
    places = {item: chance.random() for item in tests}
    classes = {id(item.parent): places[item] for item in tests if isinstance(item.parent, pytest.Class)}
    tests.sort(key=lambda item: (classes.get(id(item.parent), places[item]), places[item]))


def unit_of(nodeid: str) -> str:
    """What one worker runs in one go: a file, or several that share what is expensive."""
    name = file_of(nodeid)
    return next((prefix for prefix in TOGETHER if name.startswith(prefix)), name)


def waits(unit: str) -> bool:
    return unit.startswith(WAITING)


if find_spec("xdist"):
    from xdist.scheduler import LoadScopeScheduling
    from xdist.workermanage import WorkerController

    class _ByUnit(LoadScopeScheduling):
        """Hands units to workers in the order of the collection; those that wait to the workers after the second.

        Whoever has run out of its kind takes the other.
        """

        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

        def _assign_work_unit(self, node: WorkerController) -> None:
            waiting = self._is_for_waiting(node)
            fitting = next((unit for unit in self.workqueue if waits(unit) == waiting), None)
            if fitting is not None:
                self.workqueue.move_to_end(fitting, last=False)
            super()._assign_work_unit(node)

        def _is_for_waiting(self, node: WorkerController) -> bool:
            return int(node.gateway.id.removeprefix("gw")) >= 2

    def pytest_configure_node(node: WorkerController) -> None:
        node.workerinput["order_seed"] = node.config.option.order_seed

    def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
        config.option.loadscopereorder = False
        return _ByUnit(config, log)
