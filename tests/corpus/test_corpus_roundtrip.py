"""Any corpus of any texts comes back from every format that says it can hold it."""

import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialgauge.corpus import (
    KEY,
    RATING_KEY,
    Corpus,
    CorpusInfo,
    Dialogue,
    Rating,
    Summary,
    Turn,
    read_corpus,
    write_corpus,
)
from dialgauge.corpus._formats import FORMATS
from dialgauge.errors import InputError

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
    return Corpus.build(dialogues, summaries, ratings, CorpusInfo("c", ratings_origin=origin))  # type: ignore[arg-type]


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
    for table, key in (("dialogues", ("dialogue_id",)), ("summaries", KEY), ("ratings", RATING_KEY)):
        assert getattr(back, table).sort(key).rows() == getattr(corpus, table).sort(key).rows()
    assert back.info.ratings_origin == corpus.info.ratings_origin
