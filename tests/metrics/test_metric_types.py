"""People who write a metric get help from a type checker: a right one passes mypy --strict, wrong ones do not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.slow
def test_mypy_helps_whoever_writes_a_metric(tmp_path: Path) -> None:
    files = {"right": RIGHT} | {name: text for name, (text, _) in WRONG.items()}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    # From the root of the clone, whose cache "make lint" fills: most of the time goes into reading NumPy and Polars.
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--no-error-summary",
            "--no-pretty",
            *(str(tmp_path / f"{n}.py") for n in files),
        ],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    said = {name: "\n".join(re.findall(rf"^.*\b{name}\.py:.*", done.stdout, re.MULTILINE)) for name in files}
    assert "error" not in said["right"], done.stdout + done.stderr
    assert 'Revealed type is "dialgauge.metrics._metric.Metric"' in said["right"], done.stdout + done.stderr
    for name, (_, expected) in WRONG.items():
        assert re.search(f"error: .*({expected})", said[name]), (name, done.stdout)
