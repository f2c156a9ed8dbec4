"""The same metric, trained from Python, by the command and in a study file, has the same numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import embedded_corpus
from dialgauge.learn import train
from dialgauge.metrics import Scores, score
from dialgauge.study import run_study

METRICS = ("rouge-1", "chrf", "length")
ASKED: dict[str, dict[str, Any]] = {
    "defaults": {"learner": "ridge", "split": "dialogues"},
    "other answers": {
        "learner": "ridge",
        "split": "dialogues",
        "texts": ["coverage"],
        "folds": 3,
        "resamples": 50,
        "confidence": 0.9,
        "seed": 4,
        "clean": "majority-noise-removal",
        "aggregate": "median",
    },
}


def in_python(scores: Path, asked: dict[str, Any]) -> Any:
    made = train(embedded_corpus(), Scores.load(scores), "consistency", **asked)
    return made.validation.scores.to_dicts()


def by_command(scores: Path, asked: dict[str, Any]) -> Any:
    options = [
        text
        for name, value in asked.items()
        for text in (f"--{name.replace('texts', 'text')}", value[0] if isinstance(value, list) else str(value))
    ]
    wanted = ["train", "embedded", str(scores), "--target", "consistency", *options, "--json"]
    made = CliRunner().invoke(app, wanted, catch_exceptions=False)
    return json.loads(made.stdout)["scores"]


def in_a_study(folder: Path, asked: dict[str, Any]) -> Any:
    ratings = {name: value for name, value in asked.items() if name in ("clean", "aggregate")}
    learn = {name: value for name, value in asked.items() if name not in ratings} | {"targets": ["consistency"]}
    tables: dict[str, dict[str, Any]] = {
        "study": {"name": "s"},
        "corpus": {"source": "embedded"},
        "metrics": {"use": list(METRICS)},
        "learn": learn,
        "ratings": ratings,
    }
    lines = [
        line
        for table, values in tables.items()
        for line in (f"[{table}]", *(f"{name} = {json.dumps(value)}" for name, value in values.items()))
    ]
    (folder / "study.toml").write_text("\n".join(lines), "utf-8")
    run = run_study(folder / "study.toml")
    [facts] = json.loads((run.folder / "learned.json").read_text("utf-8"))
    return facts["scores"]


@pytest.mark.parametrize("case", ASKED)
def test_the_same_metric_has_the_same_numbers_by_every_entrance(tmp_path: Path, case: str) -> None:
    asked = ASKED[case]
    scores = tmp_path / "scores.parquet"
    score(embedded_corpus(), METRICS).save(scores)
    expected = in_python(scores, asked)
    assert {row["by"] for row in expected} >= {"learned", "human ceiling"}
    assert by_command(scores, asked) == expected
    assert in_a_study(tmp_path, asked) == expected
