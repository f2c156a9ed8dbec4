"""Krippendorff's α, for any number of annotators and any pattern of missing ratings.

A statistic in this room is a function of *weights*: how often each unit counts, for many resamples at once (a row per
resample, a column per unit). All ones is the data as it is; the counts of a bootstrap draw are a resample. So the value
and its interval come from the same code, without a loop over resamples.
"""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import InputError, ParameterError
from dialgauge.ratings._frame import Matrix
from dialgauge.ratings._settings import Level

#: From weights (resamples × units) to values (one per resample), NaN where the statistic is undefined.
Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]

_BLOCK = 512


def alpha_statistic(matrix: Matrix, level: Level) -> Statistic:
    """α as a function of unit weights: 1 − (n − 1)·Σ o·δ² / Σ n·n·δ², over the ratings that can be paired.

    Units with fewer than two ratings are ignored. The distance δ² of two values c and k (Krippendorff, 2011):

    - nominal: 0 if equal, else 1
    - ordinal: (number of ratings from c to k, half of those at c and at k not counted)²
    - interval: (c − k)²
    - ratio: ((c − k)/(c + k))²
    """
    if level not in get_args(Level):
        raise ParameterError("krippendorff_alpha", "level", ", ".join(map(repr, get_args(Level))), level)
    given = ~np.isnan(matrix)
    sizes = given.sum(axis=1)
    pairable = sizes >= 2
    unit_of, column_of = np.nonzero(given & pairable[:, None])
    values, codes = np.unique(matrix[unit_of, column_of], return_inverse=True)
    if level == "ratio" and values.size and values[0] < 0:
        raise InputError(f"Krippendorff's α at ratio level needs values of 0 or more; got {values[0]:g}")
    codes_matrix = np.full(matrix.shape, -1, dtype=np.intp)
    codes_matrix[unit_of, column_of] = codes
    observed = _observed(codes_matrix, values, sizes, level)
    counts = _count_matrix(unit_of, codes, (len(matrix), len(values)))

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        marginals = weights @ counts
        total = marginals.sum(axis=1)
        expected = _expected(marginals, values, level)
        # One value only: nothing could have disagreed. Tested by counting, since sums of squares have rounding errors.
        defined = (marginals > 0).sum(axis=1) > 1
        disagreement = observed(weights, marginals)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(defined, 1 - (total - 1) * disagreement / expected, np.nan))

    return statistic


def _count_matrix(rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def _distance(values: NDArray[np.float64], others: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    if level == "nominal":
        return np.asarray(values != others, dtype=np.float64)
    if level == "interval":
        return np.asarray((values - others) ** 2)
    total = values + others
    return np.asarray(np.where(total == 0, 0.0, (values - others) / np.where(total == 0, 1.0, total)) ** 2)


def _observed(
    codes: NDArray[np.intp], values: NDArray[np.float64], sizes: NDArray[np.intp], level: Level
) -> Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]:
    """The sum of distances within units, each divided by its number of ratings less one."""
    n_annotators = codes.shape[1]
    first, second = np.triu_indices(n_annotators, 1)
    left, right = codes[:, first], codes[:, second]
    unit_of, pair_of = np.nonzero((left >= 0) & (right >= 0) & (left != right))
    low = np.minimum(left, right)[unit_of, pair_of]
    high = np.maximum(left, right)[unit_of, pair_of]
    share = 2.0 / (sizes[unit_of] - 1)
    if level != "ordinal":
        per_pair = share * _distance(values[low], values[high], level)
        per_unit = np.bincount(unit_of, per_pair, minlength=len(codes))
        return lambda weights, _: weights @ per_unit
    # The ordinal distance depends on the marginals of each resample: keep the pairs apart by the values they join.
    from scipy.sparse import csr_array

    joined, where = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    shares = csr_array((share, (unit_of, where.ravel())), shape=(len(codes), joined.shape[1]))

    def ordinal(weights: NDArray[np.float64], marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        positions = _positions(marginals)
        gaps = positions[:, joined[0]] - positions[:, joined[1]]
        return np.asarray(((weights @ shares) * gaps**2).sum(axis=1))

    return ordinal


def _positions(marginals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each value lies in the sorted ratings: the middle of its run. Ordinal distance is distance of these."""
    return np.asarray(np.cumsum(marginals, axis=1) - marginals / 2)


def _expected(marginals: NDArray[np.float64], values: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """The sum of distances over all pairs of ratings of all units."""
    total = marginals.sum(axis=1)
    if level == "nominal":
        return np.asarray(total**2 - (marginals**2).sum(axis=1))
    if level in ("interval", "ordinal"):
        positions = _positions(marginals) if level == "ordinal" else np.broadcast_to(values, marginals.shape)
        if not values.size:
            return np.asarray(total)
        mean = (marginals * positions).sum(axis=1, keepdims=True) / np.maximum(total, 1)[:, None]
        return np.asarray(2 * total * (marginals * (positions - mean) ** 2).sum(axis=1))
    expected = np.zeros(len(marginals))
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = _distance(values[block, None], values[None, :], level)
        expected += (marginals[:, block] * (marginals @ distances.T)).sum(axis=1)
    return expected
