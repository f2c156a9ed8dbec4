"""Results in a notebook, and as frames of other libraries."""

import re

import polars as pl
import pytest

from dialgauge import Corpus, Dialogue, Summary, Turn, embedded_corpus, score
from dialgauge.metaeval import TrustSettings, evaluate_metrics, trust
from dialgauge.tables import FrameResult


def corpus(system: str) -> Corpus:
    return Corpus.build([Dialogue("d", (Turn("A", "I want a refund."),))], [Summary("d", system, "A wants a refund.")])


def test_names_are_escaped() -> None:
    shown = score(corpus("<img src=x onerror=alert(1)>"), ["rouge-1@source"])._repr_html_()
    assert "<img" not in shown
    assert "&lt;img src=x" in shown
    assert "<script" not in shown


def test_means_have_arrows_and_headers_a_scope() -> None:
    shown = score(embedded_corpus(), ["rouge-1", "ter", "length"])._repr_html_()
    assert "rouge-1 ↑" in shown
    assert "ter ↓" in shown
    assert ">length<" in shown
    assert 'scope="col"' in shown
    assert '<th scope="row" style="text-align: left">careful</th>' in shown
    assert re.search(r'<td class="number"[^>]*>0.468</td>', shown)


def test_correlations_and_verdicts_show_what_they_found() -> None:
    data = embedded_corpus()
    scores = score(data, ["rouge-1"])
    found = evaluate_metrics(data, scores, resamples=0)
    assert found.to_polars() is found.correlations.frame
    assert "coherence" in found._repr_html_()
    shown = trust(data, scores, TrustSettings(null_runs=0, resamples=200))._repr_html_()
    assert "what to do" in shown
    assert "Use rouge-1" in shown


def test_a_corpus_counts_its_tables() -> None:
    assert "dialogues" in embedded_corpus()._repr_html_()
    assert "preferences" not in embedded_corpus()._repr_html_()


class Result(FrameResult):
    __slots__ = ("frame",)

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame


def test_long_and_wide_results_are_cut_and_counted() -> None:
    shown = Result(pl.DataFrame({f"c{i}": range(1000) for i in range(20)}))._repr_html_()
    assert "1,000 rows." in shown
    assert "… and 970 more rows." in shown
    assert "… and 8 more columns." in shown
    assert len(shown) < 60_000


def test_the_frame_for_others() -> None:
    pytest.importorskip("pandas")
    result = Result(pl.DataFrame({"metric": ["a", "b"], "value": [0.5, None]}))
    assert result.to_polars() is result.frame
    assert result.to_pandas()["metric"].tolist() == ["a", "b"]
    assert result.to_arrow().num_rows == 2
