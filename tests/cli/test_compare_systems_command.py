"""``dialgauge compare-systems``, the stage of a study behind it, and its table and section of the report."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dialgauge.report import same_winner_table
from dialgauge.study import publication_table, run_study


def test_the_command_names_the_better_of_two_systems(cli: Callable, tmp_path: Path) -> None:
    scores = tmp_path / "scores.parquet"
    assert cli("score", "embedded", "-m", "rouge-1", "-o", scores).code == 0
    said = cli("compare-systems", "embedded", scores, "-s", "careful", "-s", "glib")
    assert said.code == 0
    assert "opposite systems" in said.out
    assert "other raters" in said.out
    assert "Whether metric and people show the same of the two systems" in said.err
    assert max(len(line) for line in said.out.splitlines()) <= 100
    found = json.loads(cli("compare-systems", "embedded", scores, "-s", "careful", "-s", "glib", "--json").out)
    better = {row["name"]: row["better"] for row in found["comparisons"]}
    assert better["rouge-1"] == "glib"
    assert better["consistency"] == "careful"
    assert better["fluency"] == "neither"
    assert found["settings"]["correction"] == "holm"


def test_ratings_alone_and_unknown_systems(cli: Callable) -> None:
    said = cli("compare-systems", "embedded", "--dimension", "fluency")
    assert said.code == 0
    assert "careful −" in said.out
    assert "(metric)" not in said.out
    wrong = cli("compare-systems", "embedded", "-s", "carefull", "-s", "glib")
    assert wrong.code == 2
    assert "did you mean 'careful'" in wrong.err


def test_counts_of_the_same_winner_are_explained() -> None:
    rows = [
        ("m", "fluency", "a", "b", "yes"),
        ("m", "fluency", "a", "c", "no"),
        ("m", "fluency", "b", "c", "people only"),
    ]
    agreement = pl.DataFrame(rows, schema=["metric", "dimension", "system", "other", "agree"], orient="row")
    for frame, shown in ((agreement, "1 of 2, +1"), (agreement[:2], "1 of 2")):
        table = same_winner_table(frame)
        assert table is not None
        assert table.rows[0].cells[0].text == shown
        assert "+N: further pairs for which only people do" in table.notes[0]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("systems")
    (folder / "study.toml").write_text(
        '[study]\nname = "two"\n[corpus]\nsource = "embedded"\n[metrics]\nuse = ["rouge-1", "length"]\n'
        '[correlation]\nresamples = 20\n[verdict]\nnull_runs = 0\n[systems]\nsystems = ["careful", "glib"]\n'
    )
    return run_study(folder / "study.toml").folder


def test_a_study_compares_its_systems(run: Path) -> None:
    frame = pl.read_parquet(run / "system-comparisons.parquet")
    assert frame.height == 6
    assert frame.filter(name="consistency")["better"].to_list() == ["careful"]
    page = (run / "report.html").read_text("utf-8")
    assert "Which system is better?" in page
    assert page.count("Difference: mean over dialogues") == 1, "what holds for all tables stands above them"
    assert "People find careful better for" in page
    table = publication_table(run, "paired-systems")
    assert [row.group for row in table.rows] == ["coherence", "consistency", "fluency", "relevance"]
