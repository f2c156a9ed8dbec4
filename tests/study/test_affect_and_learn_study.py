"""Affect and learned metrics in a study: stages of their own, done once, shown in the report."""

import json
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.learn._folder import read_card
from dialgauge.metaeval import human_ceiling
from dialgauge.metrics import score
from dialgauge.study import run_study

_STUDY = """
[study]
name = "s"

[corpus]
source = "embedded"

[metrics]
use = ["rouge-1", "chrf", "length", "rouge-1-p@source"]

[verdict]
null_runs = 0
[correlation]
resamples = 50
levels = ["summary"]
coefficients = ["pearson"]
"""
_AFFECT = '\n[affect]\nroles = ["customer"]\n'
_LEARN = '\n[learn]\ntargets = ["consistency"]\nlearner = "ridge"\nsplit = "dialogues"\n'


def _write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study file with both, which was run."""
    folder = tmp_path_factory.mktemp("study")
    run_study(_write(folder, _STUDY + _AFFECT + _LEARN))
    return folder


def test_tables_and_page(done: Path) -> None:
    run = done / "runs" / "s"
    scores = pl.read_parquet(run / "psentscore.parquet")
    assert set(scores["side"]) == {"", "customer"}
    assert set(scores["kind"]) == {"system", "reference", "control"}
    shares = pl.read_parquet(run / "psent.parquet")
    assert {"dialogue_id", "system", "variant", "role"} <= set(shares.columns)
    page = (run / "report.html").read_text("utf-8")
    assert "Does the sentiment survive the summary?" in page
    assert "random-quarter" in page


def test_the_trained_metric_scores(done: Path) -> None:
    folder = done / "runs" / "s" / "learned" / "consistency"
    corpus = embedded_corpus()
    scores = score(corpus, [f"learned:folder={folder}"])
    values = scores.frame[scores.metrics[0]]
    assert values.null_count() == 0
    assert values.is_between(1, 5).all()


def test_a_second_run_does_nothing_and_another_tagger_only_its_stage(done: Path) -> None:
    again = run_study(done / "study.toml")
    assert set(again.stages.values()) == {"unchanged"}
    other = run_study(_write(done, _STUDY + _AFFECT + 'tagger = "vader:negation=flip"\n' + _LEARN))
    assert {name for name, state in other.stages.items() if state == "done"} == {"affect", "report"}


def test_a_target_that_nobody_rated_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(DialgaugeError, match=r"learn\.targets: unknown dimension 'consistancy'; did you mean"):
        run_study(_write(tmp_path, _STUDY + _LEARN.replace("consistency", "consistancy")))
    assert not (tmp_path / "runs" / "s" / "scores.parquet").exists()


def test_a_lexicon_elsewhere_needs_trust(tmp_path: Path) -> None:
    with pytest.raises(DialgaugeError, match=r"affect\.tagger: '/etc/words\.tsv' is outside of"):
        run_study(_write(tmp_path, _STUDY + '\n[affect]\ntagger = "lexicon:/etc/words.tsv"\n'))


@pytest.mark.parametrize("clean", ["none", "majority-noise-removal"])
def test_both_human_ceilings_are_of_people_as_they_rated(tmp_path: Path, clean: str) -> None:
    """Cleaning takes out disagreement, so people would be flattered by it: in the ranking and beside a learned one."""
    run = run_study(_write(tmp_path, _STUDY + _LEARN + f'\n[ratings]\nclean = "{clean}"\n'))
    stages = json.loads((run.folder / "manifest.json").read_text("utf-8"))["stages"]
    assert bool(stages["correlations"]["ratings_removed_as_noise"]) is (clean != "none")
    here = {"dimension": "consistency", "level": "summary", "coefficient": "pearson"}
    [ceiling] = pl.read_parquet(run.folder / "ceiling.parquet").filter(**here)["value"]
    rated = embedded_corpus()
    assert ceiling == human_ceiling(rated.ratings, references=["reference"], resamples=0).value(*here.values())
    [facts] = json.loads((run.folder / "learned.json").read_text("utf-8"))
    card = read_card(run.folder / "learned" / "consistency")
    for rows in (facts["scores"], card.scores):
        by_people = [row for row in rows if row["by"] == "human ceiling"]
        measures = [(row["measure"], row["level"]) for row in by_people]
        assert len(set(measures)) == len(measures) > 3
        [value] = [row["value"] for row in by_people if (row["measure"], row["level"]) == ("pearson", "summary")]
        assert value == pytest.approx(ceiling, abs=1e-12)
    assert facts["card"]["scores"] == list(card.scores)
