"""Cohen's κ, Fleiss' κ, percent agreement and the correlation of annotators, as functions of unit weights."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ParameterError
from dialgauge.ratings._alpha import Statistic
from dialgauge.ratings._frame import Matrix
from dialgauge.ratings._settings import Weights

Array = NDArray[np.float64]


def cohen_statistic(matrix: Matrix, weighting: Weights) -> Statistic:
    """Cohen's κ of each pair of annotators on the units both rated; the mean over the pairs that have one.

    κ = 1 − Σ w·observed / Σ w·expected with w = 1 for different values ("none"), \\|x − y\\| ("linear") or (x − y)²
    ("quadratic"). The weights use the values themselves, not their rank among those that happen to occur.
    """
    if weighting not in get_args(Weights):
        raise ParameterError("cohen_kappa", "weights", ", ".join(map(repr, get_args(Weights))), weighting)
    return _mean_over_pairs([_cohen_pair(matrix[:, i], matrix[:, j], weighting) for i, j in _pairs(matrix)])


def _pairs(matrix: Matrix) -> list[tuple[int, int]]:
    return list(combinations(range(matrix.shape[1]), 2))


def _mean_over_pairs(statistics: Sequence[Statistic]) -> Statistic:
    def mean(weights: Array) -> Array:
        if not statistics:
            return np.full(len(weights), np.nan)
        values = np.stack([statistic(weights) for statistic in statistics])
        defined = ~np.isnan(values)
        count = defined.sum(axis=0)
        total = np.where(defined, values, 0.0).sum(axis=0)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    return mean


def _one_hot(values: Array, levels: Array) -> Any:
    from scipy.sparse import csr_array

    columns = np.searchsorted(levels, values)
    return csr_array((np.ones(len(values)), (np.arange(len(values)), columns)), shape=(len(values), len(levels)))


def _cohen_pair(first: Array, second: Array, weighting: Weights) -> Statistic:
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    levels = np.unique(np.concatenate([x, y]))
    left, right = _one_hot(x, levels), _one_hot(y, levels)
    distance = {"none": (x != y).astype(float), "linear": np.abs(x - y), "quadratic": (x - y) ** 2}[weighting]

    def statistic(weights: Array) -> Array:
        used = weights[:, both]
        in_first, in_second = used @ left, used @ right
        total = used.sum(axis=1)
        expected = _expected_distance(in_first, in_second, levels, weighting)
        defined = (in_first + in_second > 0).sum(axis=1) > 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(defined, 1 - total * (used @ distance) / expected, np.nan)

    return statistic


def _expected_distance(first: Array, second: Array, levels: Array, weighting: Weights) -> Array:
    """Σ over all values x, y of count(x)·count(y)·w(x, y), without building the table of all pairs."""
    total = first.sum(axis=1)
    if weighting == "none":
        return np.asarray(total**2 - (first * second).sum(axis=1))
    if weighting == "linear":
        # |x − y| is the sum of the gaps between neighbouring values that lie between x and y.
        below_first, below_second = np.cumsum(first, axis=1)[:, :-1], np.cumsum(second, axis=1)[:, :-1]
        rest = total[:, None]
        across = below_first * (rest - below_second) + below_second * (rest - below_first)
        return np.asarray(across @ np.diff(levels))
    centred = levels - levels.mean() if levels.size else levels
    squares = total * ((first + second) @ centred**2)
    return np.asarray(squares - 2 * (first @ centred) * (second @ centred))


def fleiss_units(matrix: Matrix) -> NDArray[np.bool_]:
    """The units that Fleiss' κ can use: those with the commonest number (two or more; ties: the larger) of ratings."""
    sizes = (~np.isnan(matrix)).sum(axis=1)
    counts = np.bincount(sizes, minlength=2)
    counts[:2] = 0
    if not counts.any():
        return np.zeros(len(matrix), dtype=bool)
    commonest = len(counts) - 1 - int(np.argmax(counts[::-1]))
    return np.asarray(sizes == commonest)


def fleiss_statistic(matrix: Matrix) -> Statistic:
    """Fleiss' κ = (P − Pₑ)/(1 − Pₑ) over the units of :func:`fleiss_units`, which have equally many ratings."""
    used = fleiss_units(matrix)
    part = matrix[used]
    given = ~np.isnan(part)
    unit_of, column_of = np.nonzero(given)
    levels, codes = np.unique(part[unit_of, column_of], return_inverse=True)
    per_unit = int(given[0].sum()) if len(part) else 0
    from scipy.sparse import csr_array

    counts = csr_array((np.ones(len(unit_of)), (unit_of, codes)), shape=(len(part), len(levels)))
    squares = np.asarray(counts.multiply(counts).sum(axis=1)).ravel()
    agreeing = (squares - per_unit) / max(per_unit * (per_unit - 1), 1)

    def statistic(weights: Array) -> Array:
        kept = weights[:, used]
        total = np.maximum(kept.sum(axis=1), 1)
        marginals = kept @ counts
        chance = ((marginals / (total * max(per_unit, 1))[:, None]) ** 2).sum(axis=1)
        defined = (marginals > 0).sum(axis=1) > 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(defined, (kept @ agreeing / total - chance) / (1 - chance), np.nan)

    return statistic


def percent_statistic(matrix: Matrix) -> Statistic:
    """The share of equal pairs among all pairs of ratings of the same unit."""
    first, second = np.triu_indices(matrix.shape[1], 1)
    left, right = matrix[:, first], matrix[:, second]
    pairs = (~np.isnan(left) & ~np.isnan(right)).sum(axis=1).astype(float)
    equal = (left == right).sum(axis=1).astype(float)

    def statistic(weights: Array) -> Array:
        total = weights @ pairs
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(total > 0, (weights @ equal) / total, np.nan)

    return statistic


def correlation_statistic(matrix: Matrix, *, ranks: bool) -> Statistic:
    """Pearson's r (Spearman's ρ with ``ranks``) of each pair of annotators on the units both rated; mean over pairs."""
    return _mean_over_pairs([_correlation_pair(matrix[:, i], matrix[:, j], ranks) for i, j in _pairs(matrix)])


def _correlation_pair(first: Array, second: Array, ranks: bool) -> Statistic:
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    levels_x, levels_y = np.unique(x), np.unique(y)
    hot_x, hot_y = _one_hot(x, levels_x), _one_hot(y, levels_y)
    code_x, code_y = np.searchsorted(levels_x, x), np.searchsorted(levels_y, y)

    def statistic(weights: Array) -> Array:
        used = weights[:, both]
        counts_x, counts_y = used @ hot_x, used @ hot_y
        defined = ((counts_x > 0).sum(axis=1) > 1) & ((counts_y > 0).sum(axis=1) > 1)
        place_x = _middle_ranks(counts_x) if ranks else np.broadcast_to(levels_x, counts_x.shape)
        place_y = _middle_ranks(counts_y) if ranks else np.broadcast_to(levels_y, counts_y.shape)
        total = np.maximum(used.sum(axis=1), 1)[:, None]
        place_x = place_x - (counts_x * place_x).sum(axis=1, keepdims=True) / total
        place_y = place_y - (counts_y * place_y).sum(axis=1, keepdims=True) / total
        together = (used * place_x[:, code_x] * place_y[:, code_y]).sum(axis=1)
        alone = (counts_x * place_x**2).sum(axis=1) * (counts_y * place_y**2).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(defined, np.clip(together / np.sqrt(alone), -1, 1), np.nan)

    return statistic


def _middle_ranks(counts: Array) -> Array:
    return np.asarray(np.cumsum(counts, axis=1) - (counts - 1) / 2)
