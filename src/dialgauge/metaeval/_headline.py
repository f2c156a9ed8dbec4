"""Which of several correlations the verdict on metrics is about."""

from typing import cast

import polars as pl

from dialgauge.metaeval._settings import Coefficient, Level

#: The level and coefficient of the verdict: the first of these pairs that was computed.
_PAIRS: tuple[tuple[Level, Coefficient], ...] = (
    ("summary", "pearson"),
    ("system", "pearson"),
    ("summary", "spearman"),
    ("system", "spearman"),
)


def headline(correlations: pl.DataFrame | None) -> tuple[Level, Coefficient]:
    """The level and the coefficient that the verdict is about, of those in a table of correlations."""
    if correlations is None:
        return _PAIRS[0]
    present = set(correlations.select("level", "coefficient").iter_rows())
    first = next((pair for pair in _PAIRS if pair in present), None)
    return first or cast("tuple[Level, Coefficient]", sorted(present)[0])
