"""Which of several correlations the verdict on metrics is about."""

from typing import get_args

import polars as pl

from dialgauge.metaeval._settings import Coefficient, Level

_COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "mean", *get_args(Coefficient))
_WITHIN: tuple[Level, ...] = ("summary", "system")
#: The level and coefficient of the verdict: the first of these pairs that was computed.
_PAIRS: tuple[tuple[Level, Coefficient], ...] = (
    *((level, coefficient) for coefficient in _COEFFICIENTS for level in _WITHIN),
    *(("global", coefficient) for coefficient in _COEFFICIENTS),
)


def headline(correlations: pl.DataFrame | None) -> tuple[Level, Coefficient]:
    """The level and the coefficient that the verdict is about, of those in a table of correlations."""
    if correlations is None:
        return _PAIRS[0]
    present = set(correlations.select("level", "coefficient").iter_rows())
    return next(pair for pair in _PAIRS if pair in present)
