"""Krippendorff's α from the counts of values: any number of annotators, any pattern of missing ratings.

Two ratings of a unit with m ratings are paired with weight 1/(m − 1). So α needs of a unit only how often each value
was given to it, not who gave it, and a crowd costs no more than three annotators with as many ratings.
"""

from dataclasses import dataclass
from functools import partial
from typing import get_args

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray, IntArray
from dialgauge.errors import InputError, ParameterError
from dialgauge.ratings._frame import UnitRatings
from dialgauge.ratings._settings import Level
from dialgauge.ratings._values import Finish, Statistic, ValueCounts, count_values, pairs_within, sparse

_BLOCK = 512
#: With more distinct values than this (sliders), interval α is computed from moments, not from a count per value.
_MANY_VALUES = 30


@dataclass(frozen=True, slots=True)
class ValuePairs:
    """Pairs of different values of a unit: their entries, the column of their share, the distance it is weighted by."""

    low: IntArray
    high: IntArray
    column: IntArray
    distance: FloatArray


@dataclass(frozen=True, slots=True)
class AlphaParts:
    """What α is made of.

    ``columns`` and ``amounts`` (values × columns of each) say what a rating of each value adds to the row of its unit;
    ``pairs`` add the disagreement; ``width`` is the length of a row and ``finish`` makes α of the sum of rows.
    """

    counts: ValueCounts
    columns: IntArray
    amounts: FloatArray
    pairs: ValuePairs
    width: int
    finish: Finish


def alpha_statistic(ratings: UnitRatings, level: Level) -> Statistic:
    """α as sums over units: 1 − (n − 1)·Σ o·δ² / Σ n·n·δ², over the ratings that can be paired.

    Units with fewer than two ratings are ignored. The distance δ² of two values c and k (Krippendorff, 2011):

    - nominal: 0 if equal, else 1
    - ordinal: (number of ratings from c to k, half of those at c and at k not counted)²
    - interval: (c − k)²
    - ratio: ((c − k)/(c + k))²

    Of pairs (``two_sided``) each answer counts half for either side in what is expected by chance: which side comes
    first, and so what the systems are called, changes nothing.
    """
    return statistic_of(alpha_parts(ratings, level))


def statistic_of(parts: AlphaParts) -> Statistic:
    """α of these parts."""
    counts, pairs, each = parts.counts, parts.pairs, parts.columns.shape[1]
    share = 2.0 * counts.count[pairs.low] * counts.count[pairs.high] / (counts.sizes[counts.unit[pairs.low]] - 1)
    values = np.concatenate([(counts.count[:, None] * parts.amounts[counts.code]).ravel(), share * pairs.distance])
    rows = np.concatenate([np.repeat(counts.unit, each), counts.unit[pairs.low]])
    columns = np.concatenate([parts.columns[counts.code].ravel(), pairs.column])
    return Statistic(sparse(values, rows, columns, (len(counts.sizes), parts.width)), parts.finish)


def alpha_parts(ratings: UnitRatings, level: Level) -> AlphaParts:
    """The parts of α at this level of measurement."""
    if level not in get_args(Level):
        raise ParameterError("krippendorff_alpha", "level", ", ".join(map(repr, get_args(Level))), level)
    counts = count_values(ratings, ratings.sizes >= 2)
    values, n = counts.values, len(counts.values)
    if level == "ratio" and n and values[0] < 0:
        raise InputError(f"Krippendorff's α at ratio level needs values of 0 or more; got {values[0]:g}")
    low, high = pairs_within(counts.unit)
    if ratings.two_sided:
        tie = values == 2.0
        columns = np.where(tie[:, None], 2, np.arange(2))
        amounts = np.where(tie[:, None], [1.0, 0.0], 0.5)
        distance = _distance(values[counts.code[low]], values[counts.code[high]], "nominal")
        where = ValuePairs(low, high, np.full(len(low), 3), distance)
        return AlphaParts(counts, columns, amounts, where, 4, partial(from_counts, np.arange(3.0), "nominal"))
    columns, amounts = np.arange(n)[:, None], np.ones((n, 1))
    if level == "ordinal":
        # The ordinal distance depends on the marginals of each resample: keep the pairs apart by the values they join.
        joined, place = np.unique(counts.code[low] * max(1, n) + counts.code[high], return_inverse=True)
        finish: Finish = partial(_ordinal, joined // max(1, n), joined % max(1, n), n)
        return AlphaParts(
            counts, columns, amounts, ValuePairs(low, high, n + place, np.ones(len(low))), n + len(joined), finish
        )
    distance = _distance(values[counts.code[low]], values[counts.code[high]], level)
    width, finish = n, partial(from_counts, values, level)
    if level == "interval" and n > _MANY_VALUES:
        centred = values - values.mean()
        width, finish = 3, _from_moments
        columns, amounts = np.tile(np.arange(3), (n, 1)), np.stack([np.ones(n), centred, centred**2], axis=1)
    return AlphaParts(
        counts, columns, amounts, ValuePairs(low, high, np.full(len(low), width), distance), width + 1, finish
    )


def _distance(values: FloatArray, others: FloatArray, level: Level) -> FloatArray:
    if level == "nominal":
        return np.asarray(values != others, dtype=np.float64)
    if level == "interval":
        return np.asarray((values - others) ** 2)
    total = values + others
    return np.asarray(np.where(total == 0, 0.0, (values - others) / np.where(total == 0, 1.0, total)) ** 2)


def _alpha(total: FloatArray, observed: FloatArray, expected: FloatArray, defined: BoolArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(defined, 1 - (total - 1) * observed / expected, np.nan))


def _several_values(marginals: FloatArray) -> BoolArray:
    """One value only: nothing could have disagreed. By counting, since sums of squares have rounding errors."""
    return np.asarray((marginals > 0.5).sum(axis=1) > 1)


def from_counts(values: FloatArray, level: Level, sums: FloatArray) -> FloatArray:
    marginals = sums[:, :-1]
    expected = _expected(marginals, values, level)
    return _alpha(marginals.sum(axis=1), sums[:, -1], expected, _several_values(marginals))


def _from_moments(sums: FloatArray) -> FloatArray:
    n, first, second, observed = sums.T
    expected = 2 * (n * second - first**2)
    return _alpha(n, observed, expected, expected > 1e-12 * n * second)


def _ordinal(low: IntArray, high: IntArray, width: int, sums: FloatArray) -> FloatArray:
    marginals, shares = sums[:, :width], sums[:, width:]
    places = _places(marginals)
    observed = (shares * (places[:, low] - places[:, high]) ** 2).sum(axis=1)
    return _alpha(marginals.sum(axis=1), observed, _spread(marginals, places), _several_values(marginals))


def _places(marginals: FloatArray) -> FloatArray:
    """Where each value lies in the sorted ratings: the middle of its run. Ordinal distance is distance of these."""
    return np.asarray(np.cumsum(marginals, axis=1) - marginals / 2)


def _spread(marginals: FloatArray, places: FloatArray) -> FloatArray:
    """The sum of squared distances over all pairs of ratings."""
    total = marginals.sum(axis=1)
    mean = (marginals * places).sum(axis=1, keepdims=True) / np.maximum(total, 1)[:, None]
    return np.asarray(2 * total * (marginals * (places - mean) ** 2).sum(axis=1))


def _expected(marginals: FloatArray, values: FloatArray, level: Level) -> FloatArray:
    """The sum of distances over all pairs of ratings of all units."""
    if level == "nominal":
        return np.asarray(marginals.sum(axis=1) ** 2 - (marginals**2).sum(axis=1))
    if level == "interval":
        return _spread(marginals, np.broadcast_to(values, marginals.shape))
    expected = np.zeros(len(marginals))
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = _distance(values[block, None], values[None, :], level)
        expected += (marginals[:, block] * (marginals @ distances.T)).sum(axis=1)
    return expected
