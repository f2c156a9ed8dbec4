"""Affect and learned metrics in a study: stages of their own, done once, shown in the report."""

from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.metrics import score
from dialgauge.study import run_study

_STUDY = """
[study]
name = "s"

[corpus]
source = "embedded"

[metrics]
use = ["rouge-1", "chrf", "length", "rouge-1-p@source"]

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
    assert "Do the feelings survive the summary?" in page
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
    with pytest.raises(DialgaugeError, match=r"unknown dimension in learn\.targets 'consistancy'; did you mean"):
        run_study(_write(tmp_path, _STUDY + _LEARN.replace("consistency", "consistancy")))
    assert not (tmp_path / "runs" / "s" / "scores.parquet").exists()


def test_a_lexicon_elsewhere_needs_trust(tmp_path: Path) -> None:
    with pytest.raises(DialgaugeError, match=r"affect\.tagger: '/etc/words\.tsv' leads out of"):
        run_study(_write(tmp_path, _STUDY + '\n[affect]\ntagger = "lexicon:/etc/words.tsv"\n'))
