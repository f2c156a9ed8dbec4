"""The code is formatted, follows the rules of ruff and has the types that mypy wants: ``make lint``, among the tests.

As tests they run beside others that wait for browsers and servers, and ``make test`` still ends with pytest's summary.
And people who write a metric get help from a type checker: a right one passes ``mypy --strict``, wrong ones do not.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

HEAD = """
from collections.abc import Mapping

import numpy as np

from dialgauge.metrics import Job, Metric, Parameter, Values, metric

"""
DECLARATION = """@metric(
    name="ones",
    family="own",
    description="One for everyone.",
    direction="higher",
    targets=("source", "reference"),
    range=(0.0, 1.0),
    citation="This test.",
    parameters={"size": Parameter("1", (), "what everyone gets")},
)
"""
FUNCTION = """def ones(job: Job, parameters: Mapping[str, str]) -> Values:
    return Values(np.full(len(job), float(parameters["size"])))
"""
RIGHT = HEAD + DECLARATION + FUNCTION + "\ndeclared: Metric = ones\nreveal_type(ones)\n"
WRONG = {
    "no_values": (HEAD + DECLARATION + FUNCTION.replace("-> Values", "-> list[float]"), r"list\[float\].*Values"),
    "one_argument": (HEAD + DECLARATION + FUNCTION.replace(", parameters: Mapping[str, str]", ""), "incompatible type"),
    "no_direction": (HEAD + DECLARATION.replace('    direction="higher",\n', "") + FUNCTION, '"direction"'),
    "misspelt": (HEAD + DECLARATION.replace("citation", "citations") + FUNCTION, '"citations"'),
    "wrong_choice": (HEAD + DECLARATION.replace('"higher"', '"up"') + FUNCTION, "'up'"),
}


def run(tool: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    path = shutil.which(tool, path=str(Path(sys.executable).parent)) or shutil.which(tool)
    if path is None:
        pytest.skip(f"{tool} IS NOT INSTALLED: pip install 'dialgauge[dev]'")
    return subprocess.run([path, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["ruff check .", "ruff format --check ."])
def test_it_passes(command: str) -> None:
    done = run(*command.split())
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def type_check() -> "subprocess.CompletedProcess[str]":
    """What mypy says of everything. Its cache has NumPy and Polars then, whose types it need not read once more."""
    return run("mypy")


@pytest.mark.slow
def test_types_are_right(type_check: "subprocess.CompletedProcess[str]") -> None:
    assert type_check.returncode == 0, f"{type_check.stdout}{type_check.stderr}"


@pytest.mark.slow
@pytest.mark.usefixtures("type_check")
def test_mypy_helps_whoever_writes_a_metric(tmp_path: Path) -> None:
    files = {"right": RIGHT} | {name: text for name, (text, _) in WRONG.items()}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    done = run("mypy", "--no-error-summary", "--no-pretty", *(str(tmp_path / f"{name}.py") for name in files))
    said = {name: "\n".join(re.findall(rf"^.*\b{name}\.py:.*", done.stdout, re.MULTILINE)) for name in files}
    assert "error" not in said["right"], done.stdout + done.stderr
    assert 'Revealed type is "dialgauge.metrics._metric.Metric"' in said["right"], done.stdout + done.stderr
    for name, (_, expected) in WRONG.items():
        assert re.search(f"error: .*({expected})", said[name]), (name, done.stdout)
