"""Two places of one page say the same: rankings and pairs, ratings and means, the verdict and the broken summaries."""

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, embedded_corpus, write_corpus
from dialgauge.report import ReportData
from dialgauge.report._content import system_table
from dialgauge.report._overview import data_problems
from dialgauge.report._rating_figures import rating_figures
from dialgauge.report._relations import significance
from dialgauge.report._verdict import answers
from dialgauge.study import FinishedRun, run_study, verdicts_of
from dialgauge.study.stages.report import report_data

STUDY = """\
[study]
name = "agrees"
seed = 4
[corpus]
source = "corpus"
[metrics]
include_references = true
use = ["rouge-1", "rouge-2", "rouge-l", "rouge-1-p", "rouge-1-r", "rouge-2-p", "bleu-1", "bleu-2", "chrf", "ter",
       "meteor", "rouge-1@source", "rouge-2@source", "chrf@source", "length"]
[correlation]
resamples = 99
confidence = 0.9
coefficients = ["pearson"]
[ratings]
clean = "majority-noise-removal"
aggregate = "majority-or-mean"
[perturbations]
use = ["jumble", "typos", "remove_punct"]
effects = { typos = { consistency = "preserves" } }
"""
#: What nobody gave, on a scale from 1.
ZEROS = 5


def _corpus() -> Corpus:
    """Rated references, raters who disagree now and then, and zeros that a tool saved."""
    whole = embedded_corpus()
    small = whole.select(dialogues=whole.dialogues["dialogue_id"].head(10))
    glib = small.ratings.filter(pl.col("system") == "glib")
    human = glib.with_columns(system=pl.lit("reference"), value=pl.lit(5.0))
    reference = small.references["system"].unique().item()
    ratings = pl.concat([small.ratings, human.with_columns(system=pl.lit(reference))])
    third = ratings.filter(pl.col("annotator") == ratings["annotator"][0])
    moved = (pl.col("value") % 5 + 1).alias("value")
    ratings = pl.concat([ratings, third.with_columns(moved, annotator=pl.lit("rater-9"))]).with_row_index("row")
    ratings = ratings.with_columns(value=pl.when(pl.col("row") < ZEROS).then(0.0).otherwise("value")).drop("row")
    return replace(small, ratings=ratings)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    home = tmp_path_factory.mktemp("agrees")
    write_corpus(_corpus(), home / "corpus")
    (home / "study.toml").write_text(STUDY)
    return FinishedRun.open(run_study(home / "study.toml").folder)


@pytest.fixture(scope="module")
def data(run: FinishedRun) -> ReportData:
    return report_data(run, run.stage("report")["settings"])


@pytest.fixture(scope="module")
def page(run: FinishedRun) -> str:
    return (run.folder / "report.html").read_text("utf-8")


def first_screen(page: str) -> str:
    """The words of the header and the first section."""
    return " ".join(re.sub(r"<[^>]+>", " ", page[page.index("<h1>") : page.index('id="ranking"')]).split())


def test_a_pair_that_differs_takes_the_mark_from_the_worse_one(run: FinishedRun, data: ReportData) -> None:
    assert data.comparisons is not None
    marked = run.needed_table("leaders", "ratings")
    level, coefficient = data.comparisons.select("level", "coefficient").row(0)
    for matrix in significance(data):
        part = data.comparisons.filter(dimension=matrix.dimension)
        assert part.height == len(matrix.metrics) * (len(matrix.metrics) - 1) // 2
        worse = set(part.filter(pl.col("p_corrected") <= 0.1, pl.col("difference") > 0)["other"])
        leading = marked.filter(level=level, coefficient=coefficient, dimension=matrix.dimension)["metric"]
        assert set(matrix.metrics) - worse == set(leading) & set(matrix.metrics)


def test_the_matrix_keeps_to_the_confidence_of_the_study(data: ReportData) -> None:
    assert data.confidence == 0.9
    assert all("differ significantly at 10 %" in matrix.verdict for matrix in significance(data))


def test_both_figures_of_ratings_have_the_same_means_and_no_zero(data: ReportData) -> None:
    systems, rows = system_table(data)
    given = {figure.title: figure for figure in rating_figures(data)}
    checked = 0
    for dimension, means in rows:
        if dimension not in given:
            continue
        figure = given[dimension]
        assert "share of 0" not in figure.columns
        shown = {row[0]: row[2] for row in figure.rows}
        for system, mean in zip(systems, means, strict=True):
            assert shown[system] == pytest.approx(mean, abs=5e-5), (dimension, system)
            checked += 1
    assert checked == len(given) * len(systems)


def test_the_first_screen_says_what_became_of_ratings(run: FinishedRun, data: ReportData, page: str) -> None:
    stage = run.stage("correlations")
    noise = stage["ratings_removed_as_noise"]
    assert stage["ratings_off_their_scale"] == ZEROS
    assert noise > 0
    said = data_problems(data)
    total = data.corpus.ratings["value"].count()
    assert said[0] == f"Dropped: {ZEROS} of {total} ratings that are not on their scale ({ZEROS} unset zeros)."
    assert said[1].startswith(f"Removed by cleaning: {noise} of {total} ratings")
    assert said[1].endswith(f" {total - ZEROS - noise} are used.")
    assert said[0] in first_screen(page)
    assert data.counted is not None
    assert sum(int(str(row[1])) for figure in rating_figures(data) for row in figure.rows) == data.counted.frame.height


def test_the_first_screen_says_that_references_are_among_the_systems(data: ReportData, page: str) -> None:
    screen = first_screen(page)
    assert f"{len(data.corpus.systems)} systems and the references" in screen
    assert "The references count as a system" in screen


def test_the_first_screen_is_the_verdict_of_the_run(run: FinishedRun, page: str) -> None:
    found = verdicts_of(run)
    assert found is not None
    screen = first_screen(page)
    for answer in answers(found):
        assert f"{answer.sign} {answer.words} {answer.metric}".strip() in screen
        assert answer.reason in screen
        assert answer.action in screen
    assert f"in {found.null_named} of {found.null_runs} studies" in screen
    for metric in {row.metric for row in found.rows}:
        # Robustness enters the verdict as a reason; three kinds of each sort are needed, and here are fewer.
        codes = {reason.code for row in found.rows if row.metric == metric for reason in row.reasons}
        assert "too-few-perturbations" in codes or "not-shown" in codes


def test_the_method_has_settings_formulas_and_versions(page: str) -> None:
    method = page[page.index('id="method"') :]
    for words in ("jumble, typos, remove_punct; by rules", "margin 0.25", "sensitivity", "stability", "spacy "):
        assert words in method, words
    assert "PSentScore" not in method


def test_a_run_without_ratings_says_nothing_of_constructed_ones(tmp_path: Path) -> None:
    corpus = _corpus()
    assert corpus.info.ratings_origin == "constructed"
    write_corpus(replace(corpus, ratings=corpus.ratings.clear()), tmp_path / "corpus")
    text = STUDY.partition("[ratings]")[0]
    (tmp_path / "study.toml").write_text(text)
    page = (run_study(tmp_path / "study.toml").folder / "report.html").read_text("utf-8")
    assert "<strong>The ratings are constructed" not in page
