"""How long tests take: measured with ``--store-durations``, kept in ``durations.json``, read by ``suite_order``."""

import json
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

DURATIONS = Path(__file__).with_name("durations.json")
ROOT = DURATIONS.parent.parent
#: What takes less than this many seconds is not written down.
LEAST = 0.3


@dataclass(frozen=True)
class Durations:
    """Seconds by file, and by test function: all its cases together, with the shared fixtures that they need."""

    files: dict[str, float]
    tests: dict[str, float]


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def function_of(nodeid: str) -> str:
    """The id of a test without the parameters of its case."""
    return nodeid.partition("[")[0]


def read_durations() -> Durations:
    return Durations(**json.loads(DURATIONS.read_text("utf-8")))


class Stopwatch:
    """Adds to each report what making shared fixtures took, and what all the shared fixtures of the test took.

    The first test that needs a fixture of a module or session pays for it; which one that is depends on the order.
    """

    def __init__(self) -> None:
        self.fixtures: dict[str, float] = {}
        self.making = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        start = time.monotonic()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                spent = time.monotonic() - start
                self.fixtures[f"{fixturedef.baseid}::{fixturedef.argname}"] = spent
                self.making += spent

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        info = getattr(item, "_fixtureinfo", None)
        used = [one for found in info.name2fixturedefs.values() for one in found] if info else []
        shared = sum(self.fixtures.get(f"{one.baseid}::{one.argname}", 0.0) for one in used)
        item.user_properties += [("making", self.making), ("shared", shared)]
        self.making = 0.0
        return (yield)


class Recorder:
    """Adds the reports up and writes the file in the end; keeps what it says of files that did not run."""

    def __init__(self) -> None:
        self.files: defaultdict[str, float] = defaultdict(float)
        self.tests: defaultdict[str, float] = defaultdict(float)
        self.shared: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = function_of(report.nodeid)
        self.files[file_of(name)] += report.duration
        self.tests[name] += report.duration
        if report.when == "teardown":
            measured = dict(report.user_properties)
            self.tests[name] -= float(measured["making"])  # type: ignore[arg-type]
            self.shared[name] = max(self.shared[name], float(measured["shared"]))  # type: ignore[arg-type]

    def pytest_sessionfinish(self) -> None:
        text = json.dumps(asdict(self.merged(read_durations())), indent=1, sort_keys=True)
        DURATIONS.write_text(text + "\n", "utf-8")

    def merged(self, before: Durations) -> Durations:
        """What was known, with what was measured now in its place."""
        tests = {name: seconds + self.shared[name] for name, seconds in self.tests.items()}
        return Durations(self._renewed(before.files, self.files), self._renewed(before.tests, tests))

    def _renewed(self, before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
        kept = {name: seconds for name, seconds in before.items() if self._still_there(file_of(name))}
        new = {name: round(seconds, 1) for name, seconds in now.items() if seconds >= LEAST and "::line:" not in name}
        return kept | new

    def _still_there(self, file: str) -> bool:
        return file not in self.files and (ROOT / file).exists()
