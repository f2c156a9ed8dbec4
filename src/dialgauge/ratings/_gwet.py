"""Gwet's AC1 and AC2, as sums over units: agreement by chance is that of raters who sometimes guess (Gwet, 2008, 2014).

Where nearly all ratings lie at one end of the scale, κ and α are low however much raters agree, and AC is high; where
they differ, prevalence is the reason. Units with one rating count for how often points are given.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._frame import UnitRatings
from dialgauge.ratings._values import Statistic, count_values, sparse

#: Weights of AC2: how close two points are, by the distance of their places on the scale.
AcWeights = Literal["none", "linear", "quadratic", "ordinal"]


def closeness(size: int, weights: AcWeights) -> FloatArray:
    """How far two points of a scale of this size count as equal: 1 for the same, 0 for its two ends."""
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    most = max(size - 1, 1)
    if weights == "linear":
        return np.asarray(1 - apart / most)
    if weights == "quadratic":
        return np.asarray(1 - (apart / most) ** 2)
    if weights == "ordinal":
        return np.asarray(1 - apart * (apart + 1) / (most * (most + 1)))
    return np.eye(size)


def gwet_statistic(ratings: UnitRatings, points: Sequence[float], weights: AcWeights) -> Statistic:
    """AC over the points of the scale, those that nobody gave included: they change what chance gives.

    A row per unit: its agreement and 1 where it has two ratings or more, the share of each point in it, and 1.
    """
    sizes = ratings.sizes
    counts = count_values(ratings, sizes > 0)
    places = np.searchsorted(points, counts.values)
    close = closeness(len(points), weights)
    code, size = places[counts.code], len(points)
    given = sparse(counts.count, counts.unit, code, (len(sizes), size))
    near = np.asarray((given @ close)[counts.unit, code])
    pairs = np.maximum(sizes * (sizes - 1), 1)[counts.unit]
    several = (sizes >= 2).astype(np.float64)
    agreeing = np.bincount(counts.unit, counts.count * (near - 1) / pairs, minlength=len(sizes)) * several
    everywhere = np.arange(len(sizes))
    values = np.concatenate([agreeing, several, (sizes > 0).astype(np.float64), counts.count / sizes[counts.unit]])
    rows = np.concatenate([np.tile(everywhere, 3), counts.unit])
    columns = np.concatenate([np.repeat([0, 1, 2], len(sizes)), 3 + code])

    def finish(sums: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = sums[:, 0] / sums[:, 1]
            share = sums[:, 3:] / sums[:, 2:3]
            chance = close.sum() / (size * (size - 1)) * (share * (1 - share)).sum(axis=1)
            return np.asarray(np.where(sums[:, 1] > 0, (observed - chance) / (1 - chance), np.nan))

    return Statistic(sparse(values, rows, columns, (len(sizes), 3 + size)), finish)
