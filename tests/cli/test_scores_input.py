"""Commands that take scores say which file is missing, and as which argument or option it was given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("train", "embedded", "MISSING", "--target", "consistency"), "SCORES"),
        (("correlate", "embedded", "MISSING"), "SCORES"),
        (("robustness", "embedded", "MISSING"), "SCORES"),
        (("train-tables", "embedded", "--priors", "--scores", "MISSING"), "--scores"),
    ],
)
@pytest.mark.parametrize("file", ["missing.parquet", "missing.csv", "missing"])
def test_missing_scores(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], name: str, file: str) -> None:
    path = tmp_path / file
    outcome = cli(*(path if argument == "MISSING" else argument for argument in arguments))
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.strip() == f"error: {name} {path}: no such file"


def test_accuracies_have_a_human_ceiling_as_coefficients_have(cli: Cli, tmp_path: Path) -> None:
    scores = tmp_path / "scores.parquet"
    assert cli("score", "embedded", "-m", "rouge-1", "-o", scores).code == 0
    chosen = ("-l", "summary", "-c", "kendall", "-c", "pairwise_accuracy", "--resamples", 0)
    outcome = cli("correlate", "embedded", scores, *chosen)
    assert outcome.code == 0, outcome.err
    kendall, accuracy = outcome.out.split("pairwise_accuracy at summary level")
    assert "human ceiling" in kendall
    assert "rouge-1" in accuracy
    assert "human ceiling" in accuracy
