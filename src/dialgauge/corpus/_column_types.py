"""What the values of a column are."""

import polars as pl

from dialgauge.corpus._values import MOSTLY, Reading, read_values

#: A column that we count in: no column of a file has this name.
COUNT = "\0count"


def column_type(values: pl.Series) -> str:
    """``number``, ``text``, ``yes/no``, ``time`` or ``empty``: what the values of a column are."""
    if values.null_count() == len(values):
        return "empty"
    if values.dtype == pl.Boolean:
        return "yes/no"
    if values.dtype.is_numeric():
        return "number"
    if values.dtype.is_temporal():
        return "time"
    reading = answers(values)
    if not reading.given:
        return "empty" if not reading.not_given else "text"
    # A column of numbers may hold a few typing errors: these are then reported, and do not turn it into text.
    if reading.nearly >= 0.5 and reading.kind == "number":
        return "number"
    return "yes/no" if reading.share >= MOSTLY and reading.kind == "yes/no" else "text"


def answers(values: pl.Series, most: int = 5000) -> Reading:
    """How the first filled cells of a column are read as judgements."""
    # The user's column may itself be called "count".
    counts = values.drop_nulls().head(most).cast(pl.String).alias("value").value_counts(name="_count")
    return read_values(dict(zip(counts["value"].to_list(), counts["_count"].to_list(), strict=True)))
