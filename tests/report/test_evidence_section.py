"""The section with reasons: the least likely summaries, their sentences and the turns that these cite."""

import json

import polars as pl
import pytest

from dialgauge.corpus import KEY, Corpus, Dialogue, Summary, Turn
from dialgauge.metrics import Scores, score
from dialgauge.report import evidence_panel
from dialgauge.report._page import engine

TURNS = (Turn("Tom", "It costs <b>45</b> dollars."), Turn("Ines", "ok"))
NOTE = [
    {
        "sentence": 1,
        "span": [0, 20],
        "text": "It costs 60 dollars.",
        "p_right": 0.2,
        "verdict": "contradicted",
        "reasons": [
            {
                "check": "value_conflict",
                "summary": [9, 19],
                "says": "60 dollars",
                "turn": 1,
                "turn_span": [9, 26],
                "dialogue_says": "<b>45</b> dollars",
                "strength": 1.0,
                "weight": 2.0,
            }
        ],
        "evidence": [1],
        "parts": {"checks": 0.2},
    }
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.build([Dialogue("d", TURNS)], [Summary("d", "s", "It costs 60 dollars.")])


def noted(scores: Scores, note: str) -> Scores:
    """The scores with a note on the one summary."""
    row = scores.frame.select(*KEY, pl.lit("length").alias("metric"), pl.lit(note).alias("note"))
    return Scores(**{**{name: getattr(scores, name) for name in scores.__dataclass_fields__}, "notes": row})


def test_reasons_are_shown_with_the_turn_and_escaped(corpus: Corpus) -> None:
    panel = evidence_panel(noted(score(corpus, ["length"]), json.dumps(NOTE)), corpus)
    assert panel is not None
    html = engine(panel.package).get_template(panel.template).render(**panel.shown)
    assert '<u class="doubt">60 dollars</u>' in html
    assert 'href="#evidence-1-turn-1"' in html
    assert 'id="evidence-1-turn-1"' in html
    assert "&lt;b&gt;45&lt;/b&gt;" in html
    assert "<b>45" not in html


def test_other_notes_make_no_section(corpus: Corpus) -> None:
    scores = score(corpus, ["length"])
    assert evidence_panel(scores, corpus) is None
    assert evidence_panel(noted(scores, "the source was truncated"), corpus) is None
