"""Comparisons and marks of a project become the tables of a corpus."""

import polars as pl

from dialgauge.annotate._judgements import judgement_tables, with_tables
from dialgauge.annotate._results import COMPARED, MARKED, RATED, WRITTEN, Results
from dialgauge.corpus import Corpus, Dialogue, Summary, Turn

TURNS = [
    {"speaker": "Agent", "text": "Good day."},
    {"speaker": "", "text": "(noise)"},
    {"speaker": "Ann", "text": "It is late."},
]
DIALOGUE = Dialogue("d", tuple(Turn(turn["speaker"], turn["text"]) for turn in TURNS))
SUMMARIES = [Summary("d", system, f"Summary by {system}.") for system in "abc"]
KEY = {"dialogue_id": "d", "role": "overall", "annotator": "ada"}


def _results(compared: list[dict[str, object]], marked: list[dict[str, object]] | None = None) -> Results:
    rated = [{**KEY, "system": "b", "variant": "original", "dimension": "fluency", "value": 3.0}] if marked else []
    return Results(
        pl.DataFrame(rated, schema=RATED),
        pl.DataFrame(compared, schema=COMPARED),
        pl.DataFrame(marked or [], schema=MARKED),
        pl.DataFrame(schema=WRITTEN),
    )


def _corpus(everything: Results) -> Corpus:
    base = Corpus.build([DIALOGUE], SUMMARIES)
    return with_tables(base, judgement_tables(everything, {"d": TURNS}))


def test_pairs_are_preferences() -> None:
    told = {**KEY, "dimension": "overall", "comment": "why"}
    rows: list[dict[str, object]] = [
        {**told, "systems": ["b", "a"], "best": "b", "worst": "a", "tie": False},
        {**told, "systems": ["a", "c"], "best": None, "worst": None, "tie": True},
        {**told, "systems": ["b", "c"], "best": None, "worst": None, "tie": False},  # not answered
        {**told, "systems": ["b", "a"], "best": "a", "worst": "b", "tie": False},  # changed later
    ]
    found = _corpus(_results(rows)).preferences.select("system_a", "system_b", "winner", "shown_first", "comment")
    assert sorted(found.rows()) == [("a", "b", "a", "b", "why"), ("a", "c", "tie", "a", "why")]


def test_best_and_worst_are_choices() -> None:
    row = {**KEY, "dimension": "overall", "systems": ["c", "a", "b"], "best": "a", "worst": "c", "tie": False}
    found = _corpus(_results([row])).choices.select("tuple", "system", "choice")
    assert found.rows() == [("a+b+c", "c", "worst"), ("a+b+c", "a", "best"), ("a+b+c", "b", "neither")]


def test_marks_are_spans_in_whole_texts() -> None:
    base = {**KEY, "system": "a", "variant": "original"}
    marks: list[dict[str, object]] = [
        {**base, "type": "name", "in": "summary", "start": 11, "end": 12, "marked": "a", "note": "who?"},
        {**base, "type": "omission", "in": "dialogue", "turn": 2, "start": 3, "end": 5, "marked": "is"},
    ]
    spans = _corpus(_results([], marks)).spans
    assert spans.select("system", "span", "side", "label", "text").rows() == [
        ("a", 1, "summary", "name", "a"),
        ("a", 2, "dialogue", "omission", "is"),
        ("b", 1, "summary", None, None),
    ]
    start, end = spans.filter(side="dialogue").select("start", "end").row(0)
    assert DIALOGUE.text[start:end] == "is"
