"""Ratings from rows: one per row (dimension and value), or a column for each dimension."""

from datetime import UTC, datetime

import polars as pl

from dialgauge.corpus._checks import ROW, bad_rows
from dialgauge.corpus._columns import DECIMAL_COMMA
from dialgauge.corpus._rows import Rows
from dialgauge.corpus._schema import KEY, RATINGS
from dialgauge.errors import InputError

_ROWS = pl.Schema({**RATINGS, ROW: pl.Int64()})
_COMMA = "the value has a decimal comma; write it with a point, as in 2.5"
_SHOWN = (*KEY, "annotator", "dimension")


def rating_rows(rows: Rows) -> pl.DataFrame:
    """The ratings of these rows; values that are not numbers are reported and skipped."""
    wide = rows.columns("dimension")
    if rows.plan.has("value") and not rows.plan.has("dimension"):
        raise InputError("ratings have a value but no dimension; map dimension=COLUMN, or dimension==NAME for all")
    if not wide and not rows.plan.has("value"):
        if rows.plan.has("annotator"):
            rows.notes.append("a column names annotators, but no column holds ratings; map dimension:NAME=COLUMN")
        return pl.DataFrame(schema=_ROWS)
    rated = rows.frame.filter(rows.rated())
    if not rows.plan.has("annotator") and not rated.is_empty():
        rows.notes.append("no column names the annotators: all ratings are assigned to the annotator '1'")
        rated = rated.with_columns(annotator=pl.lit("1"))
    index = [ROW, *KEY, "annotator", "sentence", "scale", "comment", "time"]
    parts = []
    if rows.plan.has("value"):
        long = rated.filter(pl.any_horizontal(pl.col("dimension", "value").is_not_null()))
        parts.append(long.select(*index, "dimension", "value"))
    if wide:
        columns = rated.filter(pl.col("dimension").is_null()).select(*index, *wide)
        spread = columns.unpivot(wide, index=index, variable_name="dimension", value_name="value")
        named = pl.col("dimension").str.strip_prefix("dimension:")
        parts.append(spread.with_columns(named).sort(ROW, maintain_order=True).select(*index, "dimension", "value"))
    return _typed(rows, pl.concat(parts)).select(_ROWS.names())


def _typed(rows: Rows, ratings: pl.DataFrame) -> pl.DataFrame:
    """The texts of values, sentences and times as what they stand for."""
    with_comma = pl.col("value").str.contains(DECIMAL_COMMA)
    for column, dtype, hints in (
        ("value", pl.Float64(), {_COMMA: with_comma, "the value is not a number": ~with_comma}),
        ("sentence", pl.Int32(), {"the sentence is not a whole number": pl.lit(True)}),
    ):
        text = pl.col(column).str.strip_chars()
        ratings = ratings.with_columns(pl.when(text != "").then(text).alias(column))
        parsed = ratings.with_columns(pl.col(column).cast(dtype, strict=False).alias("_parsed"))
        wrong = pl.col(column).is_not_null() & pl.col("_parsed").is_null()
        for reason, which in hints.items():
            rows.bad += bad_rows("ratings", parsed.filter(wrong & which), _SHOWN, reason, column)
        ratings = parsed.filter(~wrong).drop(column).rename({"_parsed": column})
    times = {text: _time(text) for text in ratings["time"].drop_nulls().unique()}
    timed = ratings.with_columns(
        pl.col("time").replace_strict(times, default=None, return_dtype=pl.Datetime("us")).alias("_parsed")
    )
    wrong = pl.col("time").is_not_null() & pl.col("_parsed").is_null()
    reason = "the time is not of the form 2024-12-31T23:59:59"
    rows.bad += bad_rows("ratings", timed.filter(wrong), _SHOWN, reason, "time")
    return timed.filter(~wrong).drop("time").rename({"_parsed": "time"})


def _time(text: str) -> datetime | None:
    """A time as UTC without a zone, as the corpus keeps it."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
