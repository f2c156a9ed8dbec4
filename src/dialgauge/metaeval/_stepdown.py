"""Corrected p-values from shuffles: step-down maximum within a family, and several families at one level.

Within a family of hypotheses: sort the observed statistics downwards; the p-value of each is the share of shuffles in
which the largest of it and all below reaches it (Westfall and Young 1993). Families are combined through the p-value
of their own maximum, so that a family with strong effects does not hide the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._shuffles import Shuffled

#: Statistics closer than this are equal.
_EQUAL = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Standardised statistics of one family, its corrected p-values, and what a statistic must reach (NaN: cannot).

    ``scale`` turns a statistic back into a coefficient: expected + statistic × scale. Undefined hypotheses are NaN.
    """

    statistics: FloatArray
    p_values: FloatArray
    critical: float
    scale: FloatArray
    expected: FloatArray

    @property
    def bars(self) -> FloatArray:
        """The coefficient that each hypothesis had to reach."""
        return np.asarray(self.expected + self.critical * self.scale)


def decide_families(families: Sequence[Shuffled], alpha: float) -> list[Family]:
    """The hypotheses of several families, at one familywise error for all of them together."""
    scaled = [_standardise(family) for family in families]
    adjusted = [_step_down(statistics) for statistics, _ in scaled]
    largest = [statistics.max(axis=1, initial=-np.inf) for statistics, _ in scaled]
    shares = np.stack([_share_reaching(top) for top in largest])
    smallest = np.sort(shares.min(axis=0))
    count = len(smallest)

    def final(p_values: FloatArray) -> FloatArray:
        reached = np.searchsorted(smallest, p_values + _EQUAL, side="right") / count
        return np.where(np.isnan(p_values), np.nan, reached)

    limit = _largest_allowed(smallest, alpha)
    return [
        Family(
            np.where(np.isnan(p), np.nan, statistics[0]),
            final(p),
            _critical(top, limit),
            scale,
            family.expected,
        )
        for (statistics, scale), p, top, family in zip(scaled, adjusted, largest, families, strict=True)
    ]


def _standardise(family: Shuffled) -> tuple[FloatArray, FloatArray]:
    """Statistics (−∞ where undefined) and their scale.

    Half of the variance is that over the shuffles and half what theory expects: with few systems a metric that does
    follow the ratings inflates the former, and theory alone loses where metrics differ in spread.
    """
    moved = family.values - family.expected
    variance = (family.variance + np.mean(moved**2, axis=0)) / 2
    defined = np.mean(moved**2, axis=0) > 1e-20
    scale = np.sqrt(np.where(defined, variance, 1.0))
    return np.where(defined, moved / scale, -np.inf), np.where(defined, scale, np.nan)


def _step_down(statistics: FloatArray) -> FloatArray:
    observed = statistics[0]
    order = np.argsort(-observed, kind="stable")
    below = np.maximum.accumulate(statistics[:, order][:, ::-1], axis=1)[:, ::-1]
    p_values = np.mean(below >= observed[order] - _EQUAL, axis=0)
    result = np.empty(len(order))
    result[order] = np.maximum.accumulate(p_values)
    return np.where(np.isinf(observed), np.nan, result)


def _share_reaching(largest: FloatArray) -> FloatArray:
    """For each shuffle, the share of shuffles whose maximum is at least as large."""
    ordered = np.sort(largest)
    return np.asarray(1 - np.searchsorted(ordered, largest - _EQUAL, side="left") / len(ordered))


def _largest_allowed(smallest: FloatArray, alpha: float) -> float:
    """The largest p-value within a family whose final p-value is still at most alpha; 0 where there is none."""
    count = len(smallest)
    values = np.unique(smallest)
    finals = np.searchsorted(smallest, values + _EQUAL, side="right") / count
    allowed = values[finals <= alpha + _EQUAL]
    return float(allowed[-1]) if len(allowed) else 0.0


def _critical(largest: FloatArray, limit: float) -> float:
    """What a statistic must exceed to have a p-value within the limit in its family: one of the largest of others.

    The data themselves are one of the shuffles that may reach it.
    """
    others = np.sort(largest[1:])
    may_reach = int(np.floor(limit * len(largest) + _EQUAL))
    return float(others[len(others) - may_reach]) if 0 < may_reach <= len(others) else float("nan")
