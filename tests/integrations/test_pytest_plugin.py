"""The pytest plugin, in runs of pytest of its own."""

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

PLUGIN = "dialgauge.integrations.pytest_plugin"

TESTS = """
GOOD = ["Ann wants a refund.", "A flight to Oslo is booked."]
REFERENCES = ["Ann asks for a refund.", "A flight to Oslo is booked."]

def test_good(dialgauge):
    assert dialgauge.check(GOOD, "rouge-1", references=REFERENCES, at_least=0.5) > 0.5

def test_bad(dialgauge):
    dialgauge.check(["No.", *GOOD[1:]], "rouge-1", references=REFERENCES, at_least=0.9)

def test_long(dialgauge):
    dialgauge.check(GOOD, "length", at_most=3)
"""


def run(folder: Path, *options: str) -> tuple[int, str]:
    (folder / "test_summaries.py").write_text(TESTS, encoding="utf-8")
    # pytest finds it by its entry point; a checkout that was installed before there was one has none.
    found = any(one.value == PLUGIN for one in entry_points(group="pytest11"))
    plugin = [] if found else ["-p", PLUGIN]
    # Those of packages that happen to be here take two seconds to load, in each process.
    others = [part for name in ("schemathesis", "hypothesispytest", "anyio") for part in ("-p", f"no:{name}")]
    # Plain assertions: in a fresh checkout it would rewrite and compile each of our modules, in both processes.
    command = [sys.executable, "-m", "pytest", "--assert=plain", *plugin, *others, "-p", "no:cacheprovider", *options]
    done = subprocess.run([*command, "test_summaries.py"], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_bounds_are_tests(tmp_path: Path) -> None:
    code, out = run(tmp_path, "--dialgauge-json", "checks.json", "--junit-xml", "junit.xml", "-n", "1")
    assert code == 1, out
    assert "1 passed" in out
    assert "2 failed" in out
    assert "rouge-1 must be at least 0.9; the mean of 2 summaries is 0.5000 [0.0000, 1.0000]" in out
    assert "worst: summary 0 with 0.0000: No." in out
    assert "length must be at most 3" in out
    assert "FAILED rouge-1 0.5000" in out
    found = json.loads((tmp_path / "checks.json").read_text("utf-8"))
    assert sorted((one["metric"], one["passed"]) for one in found) == [
        ("length", False),
        ("rouge-1", False),
        ("rouge-1", True),
    ]
    assert 'name="dialgauge rouge-1"' in (tmp_path / "junit.xml").read_text("utf-8")


def test_it_loads_nothing_before_it_is_used() -> None:
    code = "import sys, dialgauge.integrations.pytest_plugin; print('numpy' in sys.modules, 'polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
