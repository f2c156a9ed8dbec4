"""The report as a page: self-contained, escaped, and clean in a real browser."""

import base64
import hashlib
import re

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus
from dialgauge.metaeval import correlate, trust
from dialgauge.metrics import score
from dialgauge.ratings import aggregate
from dialgauge.report import ReportData, render_report
from dialgauge.report._figures import forests


@pytest.fixture(scope="module")
def data() -> ReportData:
    corpus = embedded_corpus()
    scores = score(corpus, ["rouge-1", "ter", "length", "corpus-bleu"])
    ratings = aggregate(corpus.ratings, "mean").wide()
    found = correlate(scores.frame, ratings, directions=scores.directions, oriented=True, resamples=50)
    verdicts = trust(corpus, scores, resamples=50, null_runs=0)
    return ReportData("A title", corpus, scores, found.frame, verdicts, ratings=ratings, settings={"seed": 1})


def test_nothing_is_loaded_from_elsewhere(data: ReportData) -> None:
    page = render_report(data)
    markup = page[: page.index('<script type="application/json"')]
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']*["']""", markup)
    assert page.count("<script") == 2, "the data, and the one script"
    assert "default-src 'none'" in page


def test_only_this_script_may_run(data: ReportData) -> None:
    page = render_report(data)
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in page
    assert "eval" not in script[0]
    assert "innerHTML" not in script[0]


def test_says_what_it_must(data: ReportData) -> None:
    page = render_report(data)
    assert "The ratings are constructed." in page
    for dimension in ("coherence", "consistency", "fluency", "relevance"):
        assert f'<h3 class="dimension">{dimension}</h3>' in page
    assert "rouge-1|target:reference|stem:no" in page
    assert page.count('<svg class="forest"') == 8, "a small one and a full one for each dimension"


def test_same_bytes(data: ReportData) -> None:
    assert render_report(data) == render_report(data)


def test_metrics_that_only_describe_are_not_ranked(data: ReportData) -> None:
    assert data.verdicts is not None
    for forest in forests(data.verdicts):
        assert {entry.estimate.metric for entry in forest.metrics} == {"rouge-1", "ter", "corpus-bleu"}
        assert "length" in {entry.estimate.metric for entry in forest.controls}


def test_lower_is_better_is_turned_round(data: ReportData) -> None:
    """TER must rank as a metric that follows relevance, though its raw correlation is negative."""
    assert data.correlations is not None
    row = data.correlations.filter(
        pl.col("metric") == "ter", pl.col("dimension") == "relevance", level="summary", coefficient="pearson"
    )
    assert row["value"][0] > 0


def test_without_ratings() -> None:
    corpus = Corpus.build(
        [Dialogue("d", (Turn("A", "Hello there you."),))],
        [Summary("d", "x", "A greets."), Summary("d", "r", "A says hello.", kind="reference")],
    )
    page = render_report(ReportData("Bare", corpus, score(corpus, ["rouge-1"])))
    assert "has no ratings" in page
    assert "constructed" not in page
