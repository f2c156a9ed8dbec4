"""Any corpus of any texts comes back from every format that says it can hold it."""

import itertools
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialgauge.corpus import (
    ANNOTATORS,
    CHOICE_KEY,
    CHOICES,
    KEY,
    PREFERENCE_KEY,
    PREFERENCES,
    RATING_KEY,
    SPAN_KEY,
    SPANS,
    Choice,
    Corpus,
    CorpusInfo,
    Dialogue,
    Dimension,
    Preference,
    Rating,
    Span,
    Summary,
    Turn,
    read_corpus,
    write_corpus,
)
from dialgauge.corpus._formats import FORMATS
from dialgauge.errors import InputError

KEYS = {
    "dialogues": ("dialogue_id",),
    "summaries": KEY,
    "ratings": RATING_KEY,
    "preferences": PREFERENCE_KEY,
    "choices": CHOICE_KEY,
    "spans": SPAN_KEY,
    "annotators": ("annotator",),
}
WRITABLE = [name for name, entry in FORMATS.items() if entry.write]
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "",
        " ",
        "\r",
        "\r\n",
        '"',
        "a,b",
        "x;y",
        "=1",
        "1",
        "nan",
        "null",
        "NA",
        "\ufeff",
        "\x00",
        "A: b",
        "A | B",
        "[]",
        "{}",
    ]
)
numbers = st.none() | st.integers(-9, 9).map(float) | st.floats(allow_nan=False, allow_infinity=False)
filled = text.filter(lambda value: value != "" and not set(value) & {"\ufffe", "\uffff"})
values = st.none() | st.booleans() | st.integers(-9, 9) | text | st.lists(text, max_size=2)
meta = st.dictionaries(text, values, max_size=2)
times = st.none() | st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1))


@st.composite
def corpora(draw: st.DrawFn, text: st.SearchStrategy[str]) -> Corpus:
    turns = st.lists(st.builds(Turn, text, text, st.none() | text), max_size=3).map(tuple)
    dialogue = st.builds(Dialogue, text, turns, st.none() | text, st.none() | text, meta)
    dialogues = draw(st.lists(dialogue, min_size=1, max_size=3, unique_by=lambda d: d.id))
    ids = st.sampled_from([dialogue.id for dialogue in dialogues])
    kinds = st.sampled_from(["system", "reference"])
    summaries = draw(
        st.lists(
            st.builds(Summary, ids, text, text, text, text, kinds, meta),
            max_size=4,
            unique_by=lambda s: (s.dialogue_id, s.system, s.variant, s.role),
        )
    )
    ratings = []
    for summary in summaries:
        made = draw(
            st.lists(
                st.tuples(
                    text, text, numbers, st.none() | st.integers(0, 9), st.none() | text, st.none() | text, times
                ),
                max_size=3,
                unique_by=lambda r: (r[0], r[1], r[3]),
            )
        )
        ratings += [
            Rating(
                summary.dialogue_id, summary.system, annotator, dimension, value, summary.variant, summary.role, *rest
            )
            for annotator, dimension, value, *rest in made
        ]
    origin = draw(st.sampled_from(["human", "constructed"])) if ratings else "human"
    corpus = Corpus.build(dialogues, summaries, ratings, CorpusInfo("c", ratings_origin=origin))  # type: ignore[arg-type]
    return _with_judgements(draw, corpus, summaries, text) if draw(st.booleans()) else corpus


def _with_judgements(draw: st.DrawFn, corpus: Corpus, summaries: list[Summary], text: st.SearchStrategy[str]) -> Corpus:
    """The corpus with preferences, choices, spans, annotators and declared dimensions, some of each."""
    maybe = st.none() | text
    preferences, choices, spans = [], [], []
    for first, second in itertools.combinations(summaries, 2):
        if (first.dialogue_id, first.role) == (second.dialogue_id, second.role) and draw(st.booleans()):
            sides = {"system_a": first.system, "variant_a": first.variant}
            sides |= {"system_b": second.system, "variant_b": second.variant, "role": first.role}
            winner = draw(st.sampled_from(["a", "b", "tie"]))
            more: dict[str, Any] = {"strength": draw(st.none() | st.floats(1, 9)), "both_bad": draw(st.booleans())}
            more |= {
                "shown_first": draw(st.sampled_from(["a", "b", None])),
                "comment": draw(maybe),
                "time": draw(times),
            }
            dialogue_id, who, dimension = first.dialogue_id, draw(text), draw(text)
            preferences.append(
                Preference(dialogue_id, annotator=who, dimension=dimension, winner=winner, **sides, **more)
            )
            name, asked = draw(text), draw(text)
            choices += [
                Choice(dialogue_id, name, who, asked, one.system, chosen, one.variant, one.role)  # type: ignore[arg-type]
                for one, chosen in ((first, "best"), (second, draw(st.sampled_from(["worst", "neither"]))))
            ]
    for summary in summaries:
        key = {"dialogue_id": summary.dialogue_id, "system": summary.system, "variant": summary.variant}
        who, dimension, length = draw(text), draw(text), len(summary.text)
        for number in range(1, draw(st.integers(1, 3))):
            start = draw(st.integers(0, length - 1)) if length and draw(st.booleans()) else None
            end = None if start is None else draw(st.integers(start + 1, length))
            said = {"text": draw(maybe), "label": draw(maybe), "severity": draw(maybe), "comment": draw(maybe)}
            spans.append(
                Span(
                    annotator=who,
                    dimension=dimension,
                    span=number,
                    start=start,
                    end=end,
                    role=summary.role,
                    time=draw(times),
                    **key,
                    **said,
                )
            )
    kinds = st.sampled_from(["binary", "nominal", "span", "preference"])
    scales, labels = draw(maybe), tuple(draw(st.lists(text, max_size=2)))
    declared = [
        Dimension(name, draw(kinds), scales, labels, draw(st.sampled_from(["higher", "lower", "none"])), "file")
        for name in sorted(set(draw(st.lists(text, max_size=2))))
    ]
    people = sorted(set(draw(st.lists(text, max_size=2))))
    annotators = pl.DataFrame([(who, "model", None) for who in people], schema=ANNOTATORS, orient="row")
    tables: dict[str, list[Any]] = {"preferences": preferences, "choices": choices, "spans": spans}
    frames = {
        name: pl.DataFrame([tuple(getattr(o, c) for c in schema) for o in tables[name]], schema=schema, orient="row")
        for name, schema in (("preferences", PREFERENCES), ("choices", CHOICES), ("spans", SPANS))
    }
    return replace(corpus, annotators=annotators, declared=tuple(declared), **frames)


@pytest.mark.parametrize("name", WRITABLE)
@given(corpus=corpora(text) | corpora(filled))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_round_trip(name: str, corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c"
        if FORMATS[name].cannot_hold(corpus):
            with pytest.raises(InputError, match="cannot hold"):
                write_corpus(corpus, path, format=name)
            return
        write_corpus(corpus, path, format=name)
        back = read_corpus(path, format=name, strict=True)
    for table, key in KEYS.items():
        assert getattr(back, table).sort(key).rows() == getattr(corpus, table).sort(key).rows()
    assert back.info.ratings_origin == corpus.info.ratings_origin
    assert back.declared == corpus.declared
