"""The report as a page: self-contained, escaped, and clean in a real browser."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, embedded_corpus
from dialgauge.metaeval import correlate
from dialgauge.metrics import score
from dialgauge.ratings import aggregate
from dialgauge.report import ReportData, render_report


@pytest.fixture(scope="module")
def data() -> ReportData:
    corpus = embedded_corpus()
    scores = score(corpus, ["rouge-1", "ter", "length", "corpus-bleu"])
    ratings = aggregate(corpus.ratings, "mean").wide()
    found = correlate(scores.frame, ratings, directions=scores.directions, oriented=True, resamples=50)
    return ReportData("A title", corpus, scores, found.frame, ratings=ratings, settings={"seed": 1})


def test_nothing_is_loaded_from_elsewhere(data: ReportData) -> None:
    page = render_report(data)
    assert not re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']*["']""", page)
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_says_what_it_must(data: ReportData) -> None:
    page = render_report(data)
    assert "The ratings are constructed." in page
    for dimension in ("coherence", "consistency", "fluency", "relevance"):
        assert f"<h3>{dimension}</h3>" in page
    assert "rouge-1|target:reference|stem:no" in page
    assert page.count("<svg") == 4


def test_same_bytes(data: ReportData) -> None:
    assert render_report(data) == render_report(data)


def test_metrics_that_only_describe_are_not_ranked(data: ReportData) -> None:
    figures = "".join(re.findall(r"<svg.*?</svg>", render_report(data), re.DOTALL))
    assert "rouge-1" in figures
    assert "length" not in figures


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
    assert "holds no ratings" in page
    assert "constructed" not in page


def test_texts_of_the_corpus_are_escaped() -> None:
    evil = "<b onmouseover=alert(1)>\"'&"
    corpus = Corpus.build(
        [Dialogue("d", (Turn("A", "Hello there you."),), domain=evil)],
        [Summary("d", evil, "A greets."), Summary("d", "r", "A says hello.", kind="reference")],
    )
    page = render_report(ReportData(evil, corpus, score(corpus, ["rouge-1"]), problems=[evil]))
    assert "<b " not in page


@pytest.mark.browser
@pytest.mark.parametrize("width", [1366, 390])
def test_in_a_browser(data: ReportData, browser: Any, tmp_path: Path, width: int) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_report(data), "utf-8")
    page = browser.new_page(viewport={"width": width, "height": 768})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto(path.as_uri())
    assert page.title() == "A title"
    assert page.locator("svg.forest").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"
    assert complaints == []
    page.close()
