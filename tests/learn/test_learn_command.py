"""``dialgauge train`` and ``dialgauge bench learned``, as a user calls them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import SUITES, run_suite
from dialgauge.cli._app import app
from dialgauge.corpus import write_corpus
from dialgauge.errors import InputError
from dialgauge.metrics import score
from tests.learn.learn_cases import made_corpus


@pytest.fixture
def study(tmp_path: Path) -> tuple[str, str]:
    corpus = made_corpus()
    write_corpus(corpus, tmp_path / "calls.jsonl")
    score(corpus, ["rouge-1", "length"]).save(tmp_path / "scores.parquet")
    return str(tmp_path / "calls.jsonl"), str(tmp_path / "scores.parquet")


def test_from_ratings_to_a_metric(study: tuple[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    kept = ["--split", "dialogues", "--learner", "ridge", "--resamples", "0"]
    wanted = ["train", *study, "-t", "consistency", *kept, "--text", "coverage", "-o", str(folder), "--json"]
    made = CliRunner().invoke(app, [*wanted, "--select", "--importance"], catch_exceptions=False)
    assert made.exit_code == 0
    answer = json.loads(made.stdout)
    assert answer["features"] == ["rouge-1", "length", "coverage"]
    assert answer["split"]["name"] == "dialogues"
    assert {row["by"] for row in answer["scores"]} >= {"learned", "best single metric", "human ceiling"}
    assert answer["selection"]["chosen"]
    assert len(answer["importance"]) == 3
    scored = CliRunner().invoke(app, ["score", study[0], "-m", f"learned:folder={folder}", "--json"])
    assert scored.exit_code == 0
    systems = json.loads(scored.stdout)["systems"]
    means = [row[f"learned:folder={folder}"] for row in systems]
    assert means == sorted(means)  # system k copies more the larger k is


def test_for_people(study: tuple[str, str]) -> None:
    wanted = ["train", *study, "-t", "consistency", "--split", "random", "--learner", "decision-tree"]
    made = CliRunner().invoke(app, [*wanted, "--resamples", "50", "--task", "classes"], catch_exceptions=False)
    assert made.exit_code == 0
    assert "best single metric" in made.stdout
    assert "human ceiling" in made.stdout
    assert "within dialogues and" in made.stdout
    assert len(made.stdout.splitlines()) < 40, "a row for each thing compared, not for each number"
    assert "are on both sides" in " ".join(made.stderr.split())


def test_what_cannot_be_measured_is_said(tmp_path: Path) -> None:
    """Calls that only one system has summed up: nothing can be compared within a call."""
    corpus = made_corpus(dialogues=30, systems=1)
    write_corpus(corpus, tmp_path / "calls.jsonl")
    score(corpus, ["rouge-1", "length"]).save(tmp_path / "scores.parquet")
    wanted = ["train", str(tmp_path / "calls.jsonl"), str(tmp_path / "scores.parquet"), "-t", "consistency"]
    made = CliRunner().invoke(app, [*wanted, "--split", "dialogues", "--learner", "ridge"], catch_exceptions=False)
    assert made.exit_code == 0
    said = " ".join(made.stderr.split())
    assert "ridge (alpha " in said
    assert "Nothing is said of the order within dialogues: undefined" in said


def test_one_place_only(study: tuple[str, str], tmp_path: Path) -> None:
    wanted = ["train", *study, "-t", "consistency", "--name", "x", "-o", str(tmp_path / "y")]
    with pytest.raises(InputError, match="give either --output or --name"):
        CliRunner().invoke(app, wanted, catch_exceptions=False)


def test_a_folder_of_something_else_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    wanted = ["train", "no-corpus", "no-scores", "-t", "consistency", "-o", str(tmp_path / "mine")]
    with pytest.raises(InputError, match="mine: exists and is not a trained metric; use another folder"):
        CliRunner().invoke(app, wanted, catch_exceptions=False)


def test_the_bench_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_DATA", str(tmp_path))
    assert SUITES["learned"].unit == ""
    with pytest.raises(InputError, match="set DIALGAUGE_DATA"):
        run_suite("learned")
