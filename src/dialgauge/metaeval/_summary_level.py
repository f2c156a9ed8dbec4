"""Summary level: the coefficient over the systems within each dialogue, averaged over those where it exists.

What depends on the data alone is prepared once for all resamples. Pearson's r needs sums over systems only; Kendall's
τ-b sums over pairs, in single precision, where such small whole numbers are exact; Spearman's ρ is Pearson's r of ranks
that are themselves sums of signs. So the cost of a resample grows with the systems, their pairs, and their squares.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialgauge.metaeval._draws import Weights
from dialgauge.metaeval._names import BoolArray, Coefficient, FloatArray, IntArray
from dialgauge.metaeval._pairs import (
    Numbers,
    average,
    matrix_product,
    pair_indices,
    pair_products,
    ratio,
    shared_values,
)

Signs: TypeAlias = NDArray[np.int8]
#: A variance below this share of the sum of squares may have lost digits, and is computed anew.
_LOST = 0.01
#: Cells of the arrays of such computations.
_CELLS = 1 << 20
#: Sums of the ranks of up to so many systems are whole numbers below 2²⁴.
_EXACT_RANKS = 256


class SummaryFrame:
    """The cells that count (systems × dialogues), for one coefficient."""

    def __init__(self, mask: BoolArray, coefficient: Coefficient) -> None:
        self.coefficient, self.mask = coefficient, mask

    def prepare(self, matrix: FloatArray) -> Any:
        """What a matrix brings to every resample."""
        values = np.where(self.mask, matrix, 0.0)
        if self.coefficient == "pearson":
            return self._centred(matrix)
        if self.coefficient == "spearman":
            signs = np.sign(values[None, :, :] - values[:, None, :]).astype(np.int8)  # [k, i, j] = sign(x_ij − x_kj)
            return signs if self.mask.all() else signs * (self.mask[None, :, :] & self.mask[:, None, :])
        first, second = pair_indices(len(values))
        signs = np.sign(values[first] - values[second]).astype(np.int8)
        if not self.mask.all():
            signs *= self.mask[first] & self.mask[second]
        members, dialogues = shared_values([values], self.mask)
        return _Ordered(signs, members[0], dialogues)

    def under(self, weights: Weights) -> "_Within":
        """The same under these weights."""
        kinds: dict[str, type[_Within]] = {"pearson": _Moments, "kendall": _Concordance, "spearman": _Ranks}
        return kinds[self.coefficient](weights, self.mask)

    def _centred(self, matrix: FloatArray) -> FloatArray:
        """Each dialogue around its median and on a scale of its own: the coefficient sees neither, squares cannot
        overflow, and an outlier that is not drawn costs the others no precision."""
        values = np.where(self.mask, matrix - self._medians(matrix), 0.0)
        largest = np.max(np.abs(values), axis=0, initial=0.0)
        return np.asarray(values / np.where(largest > 0, largest, 1.0))

    def _medians(self, matrix: FloatArray) -> FloatArray:
        """That of each dialogue, zero where there is none. For tables as small as ours, ``nanmedian`` goes a long way
        through masked arrays."""
        counts = self.mask.sum(axis=0)
        ordered = np.full((len(matrix) + 1, matrix.shape[1]), np.inf)  # a row more, so that no index is too large
        np.copyto(ordered[:-1], matrix, where=self.mask)
        ordered.sort(axis=0)
        low, high = np.take_along_axis(ordered, np.stack([np.maximum(counts - 1, 0) // 2, counts // 2]), axis=0)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.where(counts > 0, np.where(low == high, low, (low + high) / 2), 0.0)


class _Within:
    """Weights of systems and dialogues, and the mean over dialogues."""

    def __init__(self, weights: Weights, mask: BoolArray) -> None:
        self.systems, self.dialogues, self.mask = weights.systems, weights.dialogues, mask

    def profile(self, prepared: Any) -> Any:
        """What a prepared matrix contributes to any coefficient with it."""
        raise NotImplementedError

    def by_dialogue(self, one: Any, other: Any) -> FloatArray:
        """The coefficient within each dialogue (resamples × dialogues), NaN where a vector is constant."""
        raise NotImplementedError

    def combine(self, one: Any, other: Any) -> tuple[FloatArray, FloatArray]:
        return average(self.by_dialogue(one, other), self.dialogues)


@dataclass(frozen=True, slots=True)
class _Sums:
    values: FloatArray  # systems × dialogues
    first: FloatArray  # Σ u·x, resamples × dialogues
    variance: FloatArray
    doubtful: BoolArray


class _Moments(_Within):
    """Pearson."""

    def __init__(self, weights: Weights, mask: BoolArray) -> None:
        super().__init__(weights, mask)
        total = np.asarray(self.systems.sum(axis=1)[:, None] if mask.all() else self.systems @ mask)
        self.total = np.where(total > 0, total, 1.0)

    def profile(self, values: FloatArray) -> _Sums:
        first, squares = matrix_product(self.systems, values), matrix_product(self.systems, values * values)
        variance = squares - first * first / self.total
        return _Sums(values, first, np.maximum(variance, 0.0), variance < _LOST * squares)

    def by_dialogue(self, one: _Sums, other: _Sums) -> FloatArray:
        product = matrix_product(self.systems, one.values * other.values) - one.first * other.first / self.total
        result = ratio(product, one.variance, other.variance)
        doubtful = np.flatnonzero((one.doubtful | other.doubtful).ravel())
        step = max(1, _CELLS // len(self.mask))
        for start in range(0, len(doubtful), step):
            rows, columns = np.divmod(doubtful[start : start + step], result.shape[1])
            drawn = self.systems[rows] * self.mask[:, columns].T
            result[rows, columns] = _two_passes(drawn, one.values[:, columns].T, other.values[:, columns].T)
        return result


def _two_passes(drawn: FloatArray, x: FloatArray, z: FloatArray) -> FloatArray:
    """Pearson's r of each row under its weights, around its own mean; NaN where what is drawn is constant."""
    total = drawn.sum(axis=1, keepdims=True)
    total[total == 0] = 1.0
    centred, squares = [], []
    for values in (x, z):
        around = values - (drawn * values).sum(axis=1, keepdims=True) / total
        lowest = np.where(drawn > 0, values, np.inf).min(axis=1)
        highest = np.where(drawn > 0, values, -np.inf).max(axis=1)
        centred.append(around)
        squares.append(np.where(lowest == highest, 0.0, (drawn * around * around).sum(axis=1)))
    return ratio((drawn * centred[0] * centred[1]).sum(axis=1), squares[0], squares[1])


@dataclass(frozen=True, slots=True)
class _Ordered:
    """The sign of each pair's difference (pairs × dialogues), and the values that several systems share: who has each
    (systems × values), and its dialogue."""

    signs: Signs
    members: FloatArray
    dialogues: IntArray


@dataclass(frozen=True, slots=True)
class _Untied:
    signs: Signs
    norm: FloatArray


class _Concordance(_Within):
    """Kendall."""

    def __init__(self, weights: Weights, mask: BoolArray) -> None:
        super().__init__(weights, mask)
        self.pairs = pair_products(np.ascontiguousarray(self.systems.T)).T
        self.squares = self.systems * self.systems
        if mask.all():
            total, squares = self.systems.sum(axis=1)[:, None], self.squares.sum(axis=1)[:, None]
        else:
            total, squares = self.systems @ mask, self.squares @ mask
        self.all_pairs = np.broadcast_to((total * total - squares) / 2, self.dialogues.shape)

    def profile(self, prepared: _Ordered) -> _Untied:
        """The norm is the number of pairs that are no tie."""
        if not len(prepared.dialogues):
            return _Untied(prepared.signs, self.all_pairs)
        sums = matrix_product(self.systems, prepared.members)
        tied = (sums * sums - matrix_product(self.squares, prepared.members)) / 2
        starts = np.flatnonzero(np.diff(prepared.dialogues, prepend=-1))
        norm = self.all_pairs.copy()
        norm[:, prepared.dialogues[starts]] -= np.add.reduceat(tied, starts, axis=1)
        return _Untied(prepared.signs, norm)

    def by_dialogue(self, one: _Untied, other: _Untied) -> FloatArray:
        product = matrix_product(self.pairs, (one.signs * other.signs).astype(np.float32))
        return ratio(product.astype(np.float64), one.norm, other.norm)


@dataclass(frozen=True, slots=True)
class _RankSums:
    ranks: Numbers  # resamples × systems × dialogues, twice the centred rank
    weighted: Numbers
    norm: FloatArray


class _Ranks(_Within):
    """Spearman."""

    def __init__(self, weights: Weights, mask: BoolArray) -> None:
        super().__init__(weights, mask)
        self.counts: Numbers = self.systems.astype(np.float32 if len(mask) <= _EXACT_RANKS else np.float64)

    def profile(self, signs: Signs) -> _RankSums:
        m, n = self.mask.shape
        ranks = matrix_product(self.counts, signs.reshape(m, m * n).astype(self.counts.dtype)).reshape(-1, m, n)
        weighted = ranks * self.counts[:, :, None]
        return _RankSums(ranks, weighted, np.einsum("rij,rij->rj", weighted, ranks).astype(np.float64))

    def by_dialogue(self, one: _RankSums, other: _RankSums) -> FloatArray:
        product = np.einsum("rij,rij->rj", one.weighted, other.ranks)
        return ratio(product.astype(np.float64), one.norm, other.norm)
