"""Layouts that the importer was not made on: everything arrives, or what does not is refused."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError
from tests.corpus import stranger_records
from tests.corpus.stranger_files import EXPECTED, FILES

assert stranger_records  # its import adds to FILES


@pytest.mark.parametrize("name", FILES)
def test_everything_arrives(name: str, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    FILES[name](tmp_path / name)
    if expected.get("refused"):
        with pytest.raises(InputError, match="do not say which of them is better"):
            read_corpus(tmp_path / name)
        return
    corpus = read_corpus(tmp_path / name)
    assert not any(account.too_much() or account.unread for account in corpus.accounts), corpus.problems
    found = _found(corpus)
    assert {key: found[key] for key in expected if key in found} == {k: v for k, v in expected.items() if k in found}
    assert set(expected.get("ids", ())) <= set(corpus.dialogues["dialogue_id"])
    assert corpus.ratings["value"].count() >= expected.get("given_min", 0)
    assert found["turns"] >= expected.get("turns_min", 0)
    assert all(corpus.dimension(dimension).direction == "lower" for dimension in expected.get("lower", ()))
    if "direction" in expected:
        assert corpus.dimension(expected["direction"][0]).direction == expected["direction"][1]
    for dialogue, system, who, dimension, value in expected.get("values", ()):
        named = corpus.dimensions[dimension] if isinstance(dimension, int) else dimension
        rating = corpus.ratings.filter(
            pl.col("dimension").str.to_lowercase() == named.lower(), dialogue_id=dialogue, system=system, annotator=who
        )
        assert rating["value"].to_list() == [value]


def _found(corpus: Corpus) -> dict[str, Any]:
    ratings, pairs, spans = corpus.ratings, corpus.preferences, corpus.spans
    tables = (ratings, pairs, corpus.choices, spans)
    item = ["dialogue_id", "system", "variant", "annotator"]
    return {
        "dialogues": corpus.dialogues.height,
        "summaries": corpus.summaries.filter(kind="system").height,
        "systems": corpus.systems,
        "given": ratings["value"].count(),
        "annotators": len({who for frame in tables for who in frame["annotator"].unique()}),
        "ndims": len(corpus.dimensions),
        "dims": sorted(name.lower() for name in corpus.dimensions),
        "kinds": sorted({corpus.dimension(name).kind for name in corpus.dimensions}),
        "preferences": pairs.height,
        "ties": pairs.filter(winner="tie").height,
        "strengths": pairs["strength"].drop_nulls().n_unique(),
        "pcomments": pairs["comment"].count(),
        "choices": corpus.choices.select("dialogue_id", "tuple", "annotator", "dimension").n_unique(),
        "spans": spans["start"].count(),
        "passes": spans.select(item).n_unique(),
        "turns": int(corpus.dialogues["turns"].list.len().sum()),
        "sentences": bool(ratings["sentence"].is_not_null().all()),
        "comments": ratings.filter(pl.col("comment").is_not_null()).select(*item, "comment").n_unique(),
        "times": ratings.filter(pl.col("time").is_not_null()).select(item).n_unique(),
    }
