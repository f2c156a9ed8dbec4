"""Classes without an order: their names, and how often the summaries of each system are of each."""

import re
from collections.abc import Sequence

import polars as pl

from dialgauge.corpus import Corpus, Dimension
from dialgauge.ratings._judgement_frames import system_name

CLASSES = pl.Schema(
    {
        "dimension": pl.String,
        "system": pl.String,
        "class": pl.String,
        "judgements": pl.Int64,
        "share": pl.Float64,
    }
)


def class_names(about: Dimension, values: Sequence[float]) -> dict[float, str]:
    """The name of each value: labels count from the lowest point of the scale, or from the lowest value without one."""
    lowest = re.match(r"\s*(-?\d+)\s*-", about.scale or "")
    first = int(lowest[1]) if lowest else int(min(values, default=0))
    places = {float(first + place): label for place, label in enumerate(about.labels)}
    return {value: places.get(value, f"{value:g}") for value in values}


def class_shares(corpus: Corpus) -> pl.DataFrame:
    """For each dimension of classes and each system the ``share`` of its ``judgements`` that name each class.

    A variant that several dialogues have is counted for itself. Classes are in the order of their declaration.
    """
    rows = []
    given = corpus.ratings.drop_nulls("value").with_columns(system_name().alias("system"))
    for dimension in corpus.dimensions_of("nominal"):
        part = given.filter(pl.col("dimension") == dimension)
        values = sorted(part["value"].unique())
        names = class_names(corpus.dimension(dimension), values)
        counts = {(system, value): n for system, value, n in part.group_by("system", "value").len().iter_rows()}
        for system, total in part.group_by("system").len().sort("system").iter_rows():
            shares = [(names[value], counts.get((system, value), 0) / total) for value in values]
            rows += [(dimension, system, name, total, share) for name, share in shares]
    return pl.DataFrame(rows, schema=CLASSES, orient="row")
