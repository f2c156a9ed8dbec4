"""What other engines map over their partitions gives what a stream writes."""

from pathlib import Path

import polars as pl
import pytest

from dialgauge.errors import InputError
from dialgauge.metrics import score_arrow, score_stream

pyarrow = pytest.importorskip("pyarrow")
METRICS = ["rouge-1", "chrf", "length"]


def rows(count: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "dialogue_id": [f"call-{i // 2:02}" for i in range(count)],
            "system": ["a", "b"] * (count // 2),
            "summary": [f"The customer {i} asks for a refund." for i in range(count)],
            "reference": [f"Customer {i // 3} wants a refund." for i in range(count)],
        }
    )


def test_batches_give_the_parts_of_a_stream(tmp_path: Path) -> None:
    rows(20).write_parquet(tmp_path / "calls.parquet")
    score_stream(tmp_path / "calls.parquet", METRICS, tmp_path / "out", chunk_size=10)
    for number, batch in enumerate(rows(20).to_arrow().to_batches(10)):
        table = score_arrow(batch, METRICS)
        assert isinstance(table, pyarrow.Table)
        part = pl.read_parquet(tmp_path / "out" / f"part-{number:08}.parquet")
        assert pl.DataFrame(table).equals(part)


def test_a_whole_table_under_other_names() -> None:
    table = rows(6).rename({"summary": "hyp", "reference": "gold"}).to_arrow()
    scored = score_arrow(table, ["rouge-1"], mapping={"summary": "hyp", "reference": "gold"})
    assert pl.DataFrame(scored).equals(pl.DataFrame(score_arrow(rows(6).to_arrow(), ["rouge-1"])))


def test_an_empty_partition_has_the_same_columns() -> None:
    empty, full = (score_arrow(one.to_arrow(), METRICS) for one in (rows(6).clear(), rows(6)))
    assert (empty.num_rows, empty.schema) == (0, full.schema)


def test_what_cannot_be_scored_is_said() -> None:
    with pytest.warns(UserWarning, match="skipped 2 rows: duplicate key"):
        assert score_arrow(pl.concat([rows(2), rows(2)]).to_arrow(), ["rouge-1"]).num_rows == 2
    with pytest.raises(InputError, match="'corpus-bleu' needs all summaries at once"):
        score_arrow(rows(2).to_arrow(), ["corpus-bleu"])
    with pytest.raises(InputError, match="the table: no summary column found"):
        score_arrow(pl.DataFrame({"x": [1]}).to_arrow(), ["rouge-1"])
    with pytest.raises(InputError, match="'rouge-1' needs references"):
        score_arrow(rows(2).drop("reference").to_arrow(), ["rouge-1"])
