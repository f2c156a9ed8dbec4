"""Tables in memory are read like files: the same keys, the same account, the same errors."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError

ROWS: list[dict[str, Any]] = [
    {
        "call_id": f"c{n // 4}",
        "transcript": f"Agent: Hello {n // 4}.\nCustomer: Parcel {n // 4} is late.",
        "system": ("alpha", "beta")[n // 2 % 2],
        "summary": f"Parcel of {n // 4} is late, says summary {n // 2}.",
        "annotator": ("ann", "bob")[n % 2],
        "coherence": None if n == 5 else 1 + n % 5,
        "remark": "n/a",
    }
    for n in range(40)
]
FRAME = pl.DataFrame(ROWS)


def _keys(corpus: Corpus) -> set[tuple[object, ...]]:
    return set(corpus.ratings.select("dialogue_id", "system", "annotator", "dimension", "value").iter_rows())


def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = {"polars": FRAME, "lazy": FRAME.lazy(), "dicts": ROWS, "columns": FRAME.to_dict()}
    tables["mixed dicts"] = [
        {**row, "call_id": row["call_id"] if n else "c0", "remark": n or "x"} for n, row in enumerate(ROWS)
    ]
    if pytest.importorskip("pyarrow"):
        tables |= {"Arrow": FRAME.to_arrow(), "pandas": FRAME.to_pandas()}
        tables |= {"pandas with index": FRAME.to_pandas().set_index("call_id")}
        tables |= {"pandas, sorted": FRAME.to_pandas().sort_values("summary", ascending=False)}
    return tables


@pytest.mark.parametrize("kind", _tables())
def test_every_kind_of_table_gives_the_keys_of_the_file(kind: str, tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "c.csv")
    file = read_corpus(tmp_path / "c.csv")
    corpus = Corpus.from_frame(_tables()[kind])
    assert _keys(corpus) == _keys(file)
    assert corpus.summaries.sort("system", "dialogue_id").equals(file.summaries.sort("system", "dialogue_id"))
    assert (corpus.accounts[0].stored, corpus.accounts[0].cells) == (39, 39)


def test_data_sets_after_select_and_shuffle() -> None:
    datasets = pytest.importorskip("datasets")
    made = datasets.Dataset.from_list(ROWS)
    assert _keys(read_corpus(made)) == _keys(read_corpus(FRAME))
    part = made.shuffle(seed=1).select(range(10))
    expected = {(row["call_id"], row["system"], row["annotator"]) for row in part}
    assert {key[:3] for key in _keys(read_corpus(part))} == expected
    both = datasets.DatasetDict({"train": made.select(range(20)), "test": made.select(range(20, 40))})
    assert _keys(read_corpus(both)) == _keys(read_corpus(FRAME))


def test_nested_dicts_are_read_as_json() -> None:
    rows = [{"id": "d", "turns": ["Agent: Hello.", "Customer: Late."], "summaries": {"a": "It is late."}}]
    corpus = read_corpus(rows, strict=True)
    assert [turn.speaker for turn in corpus.dialogue("d").turns] == ["Agent", "Customer"]
    assert corpus.systems == ["a"]


def test_a_second_table_with_ratings_and_one_system() -> None:
    texts = FRAME.filter(pl.col("system") == "alpha").select("call_id", "transcript", "summary").unique()
    rated = FRAME.filter(pl.col("system") == "alpha").select("call_id", "system", "annotator", "coherence")
    corpus = Corpus.from_frame(texts, ratings=rated, system="alpha", strict=True)
    assert corpus.systems == ["alpha"]
    assert corpus.ratings.height == rated.height


def test_problems_name_rows_of_the_table() -> None:
    bad = [*ROWS, {**ROWS[0], "summary": "Another text."}]
    (problem,) = read_corpus(bad).problems
    assert (problem.file, problem.line) == ("<list>", 41)
    with pytest.raises(InputError, match="table: 1 bad row"):
        read_corpus(bad, strict=True)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (FRAME["summary"], "a table with columns is needed"),
        ([1, 2], "a list must hold a dict for each row"),
        (42, "<int>: a corpus can be read from a file, a folder, a data frame of pandas"),
        (FRAME.head(0), "has no rows"),
        ([], "has no rows"),
        (FRAME.select("coherence"), "no column holds dialogues, summaries or references"),
    ],
)
def test_what_is_no_table_is_said(table: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_corpus(table)


def test_columns_of_pandas_that_arrow_refuses() -> None:
    pandas = pytest.importorskip("pandas")
    frame = FRAME.to_pandas()
    frame["coherence"] = pandas.Series([str(v) if n % 2 else v for n, v in enumerate([1, 2, 3, 4] * 10)], dtype=object)
    assert read_corpus(frame).ratings["value"].drop_nulls().len() == 40
    double = pandas.concat([FRAME.to_pandas(), FRAME.to_pandas()[["summary"]]], axis=1)
    with pytest.raises(InputError, match="two columns are called 'summary'"):
        read_corpus(double)


def test_ids_that_became_floats() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2, None], "summary": ["a b", "c d", "e f"], "system": "s"})
    assert sorted(read_corpus(frame).dialogues["dialogue_id"]) == ["1", "2"]
