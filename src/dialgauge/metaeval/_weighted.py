"""The engine: a coefficient at a level, under many weightings of systems and dialogues at once.

The coefficients are written over *pairs of systems*, because most of them are then one matrix product. With counts u
of the systems and differences d of a metric and e of a rating between the two systems of a pair,

    r = Σ u_i u_k d_ik e_ik / √(Σ u_i u_k d_ik² · Σ u_i u_k e_ik²)

is Pearson's r of the weighted systems, and Kendall's τ-b when d and e are replaced by their signs. No difference of
large sums appears, so a vector is found constant exactly when it is. Spearman's ρ uses the centred average rank
½ Σ_k u_k sign(x_i − x_k), which needs no sorting. The plain coefficient is the weighting with ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dialgauge.metaeval._draws import Weights
from dialgauge.metaeval._names import BASE, BoolArray, Coefficient, FloatArray, IntArray, Level

#: Cells of the largest temporary array; bounds memory and depends on nothing but the shape of the data.
_CELLS = 1 << 23
#: Multiplications up to which a matrix product stays on one thread and in the cache; a second thread for so little
#: work costs more than it saves.
_ONE_THREAD = 1 << 19

#: Two points always lie on a line: a coefficient of fewer than these says nothing.
FEWEST = 3

Part = FloatArray | NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Resampled:
    """Values (resamples × metrics × dimensions; NaN where undefined) and, at summary level, how many dialogues of each
    resample were skipped because a vector was constant."""

    values: FloatArray
    skipped: FloatArray


@dataclass(frozen=True, slots=True)
class Profile:
    """What one matrix contributes to any coefficient with it: a part that is multiplied, and its own norm."""

    part: Part
    norm: FloatArray


class Frame(Protocol):
    """A level and a coefficient under given weights, for cells that are present in both matrices."""

    def profile(self, matrix: FloatArray) -> Profile:
        """Prepare one matrix (systems × dialogues)."""

    def combine(self, one: Profile, other: Profile) -> tuple[FloatArray, FloatArray]:
        """The coefficient for each resample, and the dialogues skipped."""


@lru_cache(maxsize=16)
def pair_indices(m: int) -> tuple[IntArray, IntArray]:
    """Every pair of systems once: the first and the second of each. Shared, so not to be written to."""
    first, second = (np.asarray(side, dtype=np.int64) for side in np.triu_indices(m, 1))
    first.flags.writeable = second.flags.writeable = False
    return first, second


@lru_cache(maxsize=16)
def incidence(m: int) -> FloatArray:
    """Systems × pairs: +1 for the first and −1 for the second system of each pair; ``x @ incidence`` is differences."""
    first, second = pair_indices(m)
    matrix = np.zeros((m, len(first)))
    matrix[first, np.arange(len(first))] = 1
    matrix[second, np.arange(len(first))] = -1
    matrix.flags.writeable = False
    return matrix


def rounding(matrix: FloatArray) -> FloatArray:
    """How far the mean of each row can be off by rounding alone.

    Equal means need not come out equal in floating point: a difference within the sum of both is a tie.
    """
    largest = np.max(np.abs(matrix), axis=1, initial=0.0)
    return np.asarray(2.0 * np.finfo(np.float64).eps * matrix.shape[1] * largest)


def pair_rounding(matrix: FloatArray) -> FloatArray:
    """The same for the difference of the means of each pair of rows."""
    off, (first, second) = rounding(matrix), pair_indices(len(matrix))
    return np.asarray(off[first] + off[second])


def matrix_product(one: FloatArray, other: FloatArray) -> FloatArray:
    """``one @ other`` by blocks of rows that are small enough for one thread."""
    step = max(16, _ONE_THREAD // max(1, other.size))
    if len(one) <= step:
        return np.asarray(one @ other)
    return np.concatenate([one[start : start + step] @ other for start in range(0, len(one), step)])


def enough(present: BoolArray, level: Level) -> BoolArray:
    """The present cells (systems × dialogues) without those that a coefficient would have too few points of.

    The points are the systems, at summary level those of one dialogue, at global level the cells. What is drawn of
    them does not matter: a resample may have fewer different ones.
    """
    if level == "summary":
        return np.asarray(present & (present.sum(axis=0) >= FEWEST))
    points = present.any(axis=1) if level == "system" else present
    return present if points.sum() >= FEWEST else np.zeros_like(present)


def ratio(product: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """product / √(one · other), NaN where a norm is zero, never beyond ±1."""
    norm = np.sqrt(one * other)
    defined = norm > 0
    return np.clip(np.divide(product, norm, out=np.full_like(norm, np.nan), where=defined), -1.0, 1.0)


def pair_products(rows: FloatArray) -> NDArray[np.float32]:
    """The products of every pair of rows, in the order of :func:`pair_indices`."""
    m, columns = rows.shape
    narrow = rows.astype(np.float32)
    products = np.empty((m * (m - 1) // 2, columns), np.float32)
    start = 0
    for i in range(m - 1):  # row by row is several times quicker than indexing all pairs at once
        stop = start + m - 1 - i
        np.multiply(narrow[i], narrow[i + 1 :], out=products[start:stop])
        start = stop
    return products


def pair_signs(rows: FloatArray, off: FloatArray) -> NDArray[np.float32]:
    """The sign of the difference of every pair of rows; 0 within the rounding of both (``off``, a value per row).

    Signs and counts are small whole numbers, exact in single precision as long as the systems are fewer than 4,000.
    """
    m = len(rows)
    differences, (first, second) = incidence(m).T @ rows, pair_indices(m)
    tolerance = (off[first] + off[second])[:, None]
    above, below = (differences > tolerance).view(np.int8), (differences < -tolerance).view(np.int8)
    return np.subtract(above, below).astype(np.float32)


class SystemFrame:
    """System level: the coefficient of the systems' means. Arrays are systems (or pairs of them) × resamples."""

    def __init__(self, weights: Weights, mask: BoolArray, coefficient: Coefficient) -> None:
        self.coefficient, self.mask, self.dialogues = coefficient, mask, weights.dialogues
        self.systems = np.ascontiguousarray(weights.systems.T)
        if mask.all():
            self.total = self.dialogues.sum(axis=1)
        else:
            total = self._sums(mask.astype(np.float64))
            self.systems = self.systems * (total > 0)
            self.total = np.where(total > 0, total, 1.0)
        self.weights: Part = self.systems if coefficient == "pearson" else pair_products(self.systems)

    def profile(self, matrix: FloatArray) -> Profile:
        values = np.where(self.mask, matrix, 0.0)
        means = self._sums(values) / self.total
        if self.coefficient == "pearson":
            return self._centred(means, rounding(values))
        part: Part = pair_signs(means, rounding(values))
        if self.coefficient == "spearman":
            ranks = incidence(len(means)) @ (self.weights * part)
            part = np.divide(ranks, np.sqrt(self.systems), out=np.zeros_like(ranks), where=self.systems > 0)
        return Profile(part, self._product(part, part))

    def _sums(self, values: FloatArray) -> FloatArray:
        """Each row summed over the dialogues of each resample."""
        return np.asarray(values @ self.dialogues.T)

    def _centred(self, means: FloatArray, off: FloatArray) -> Profile:
        drawn = self.systems.sum(axis=0)
        part = means - np.einsum("ir,ir->r", self.systems, means) / np.where(drawn > 0, drawn, 1.0)
        norm = self._product(part, part)
        # Constant but for rounding: no drawn system is further from the mean than rounding can carry it.
        inside = (self.systems == 0) | (np.abs(part) <= 2 * off[:, None])
        norm[inside.all(axis=0)] = 0.0
        return Profile(part, norm)

    def _product(self, one: Part, other: Part) -> FloatArray:
        weighted = one if self.coefficient == "spearman" else self.weights * one  # ranks hold their weights already
        return np.asarray(np.einsum("ir,ir->r", weighted, other), dtype=np.float64)

    def combine(self, one: Profile, other: Profile) -> tuple[FloatArray, FloatArray]:
        product = self._product(one.part, other.part)
        return ratio(product, one.norm, other.norm), np.zeros(len(product))


class SummaryFrame:
    """Summary level: the coefficient over the systems within each dialogue, averaged over those where it exists."""

    def __init__(self, weights: Weights, mask: BoolArray, coefficient: Coefficient) -> None:
        self.coefficient, self.mask, self.dialogues = coefficient, mask, weights.dialogues
        self.systems = weights.systems
        self.first, self.second = pair_indices(len(mask))
        self.pairs = self.systems[:, self.first] * self.systems[:, self.second]

    def profile(self, matrix: FloatArray) -> Profile:
        if self.coefficient == "spearman":
            return self._rank_profile(matrix)
        values = np.where(self.mask, matrix, 0.0)
        differences = values[self.first] - values[self.second]
        if not self.mask.all():
            differences *= self.mask[self.first] & self.mask[self.second]
        if self.coefficient == "kendall":
            differences = np.sign(differences)
        else:
            # Each dialogue on a scale of its own: the coefficient does not see it, and squares cannot overflow.
            largest = np.max(np.abs(differences), axis=0, initial=0.0)
            differences /= np.where(largest > 0, largest, 1.0)
        return Profile(differences, self.pairs @ (differences * differences))

    def _rank_profile(self, matrix: FloatArray) -> Profile:
        m, n = matrix.shape
        values = np.where(self.mask, matrix, 0.0)
        signs = np.sign(values[None, :, :] - values[:, None, :])  # [k, i, j] = sign(x_ij − x_kj)
        if not self.mask.all():
            signs *= self.mask[None, :, :] & self.mask[:, None, :]
        ranks = (self.systems @ signs.reshape(m, m * n)).reshape(-1, m, n)
        ranks *= np.sqrt(self.systems)[:, :, None]
        return Profile(ranks, np.einsum("rij,rij->rj", ranks, ranks))

    def by_dialogue(self, one: Profile, other: Profile) -> FloatArray:
        """The coefficient within each dialogue (resamples × dialogues), NaN where a vector is constant."""
        if self.coefficient == "spearman":
            product = np.einsum("rij,rij->rj", one.part, other.part)
        else:
            product = self.pairs @ (one.part * other.part)
        return ratio(product, one.norm, other.norm)

    def combine(self, one: Profile, other: Profile) -> tuple[FloatArray, FloatArray]:
        return average(self.by_dialogue(one, other), self.dialogues)


def average(by_dialogue: FloatArray, dialogues: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The weighted mean over the dialogues that have a coefficient, and how many (drawn) dialogues have none."""
    undefined = np.isnan(by_dialogue)
    skipped = np.einsum("rj,rj->r", dialogues, undefined.astype(np.float64))
    counted = dialogues.sum(axis=1) - skipped
    total = np.einsum("rj,rj->r", dialogues, np.where(undefined, 0.0, by_dialogue))
    return np.divide(total, counted, out=np.full(len(total), np.nan), where=counted > 0), skipped


class GlobalFrame:
    """Global level: the coefficient over all summaries at once."""

    def __init__(self, weights: Weights, mask: BoolArray, coefficient: Coefficient) -> None:
        self.coefficient, self.mask = coefficient, mask
        cells = weights.systems[:, :, None] * weights.dialogues[:, None, :]
        self.cells = np.ascontiguousarray(cells.reshape(len(weights), -1)[:, mask.ravel()])
        self.total = self.cells.sum(axis=1)

    def profile(self, matrix: FloatArray) -> Profile:
        values = matrix[self.mask]
        if self.coefficient == "pearson":
            spread = float(np.max(values, initial=0.0) - np.min(values, initial=0.0)) or 1.0
            centred = (values - (values.mean() if len(values) else 0.0)) / spread
            return Profile(centred, self._variance(centred))
        if self.coefficient == "spearman":
            ranks = self._centred_ranks(values) * np.sqrt(self.cells)
            return Profile(ranks, np.einsum("rc,rc->r", ranks, ranks))
        _, dense = np.unique(values, return_inverse=True)
        order = np.argsort(dense, kind="stable")
        starts = np.flatnonzero(np.diff(dense[order], prepend=-1))
        groups = (
            np.add.reduceat(self.cells[:, order], starts, axis=1) if len(starts) else np.zeros((len(self.cells), 0))
        )
        return Profile(dense.astype(np.float64), self.total**2 - np.einsum("rg,rg->r", groups, groups))

    def _variance(self, centred: FloatArray) -> FloatArray:
        squares, sums = self.cells @ (centred * centred), self.cells @ centred
        total = np.where(self.total > 0, self.total, 1.0)
        variance = squares - sums * sums / total
        variance[variance <= 1e-13 * squares] = 0.0
        return variance

    def _centred_ranks(self, values: FloatArray) -> FloatArray:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        below = np.cumsum(self.cells[:, order], axis=1)
        below = np.concatenate([np.zeros((len(below), 1)), below], axis=1)
        start = np.searchsorted(ordered, values, side="left")
        stop = np.searchsorted(ordered, values, side="right")
        return np.asarray(below[:, start] + below[:, stop] - self.total[:, None])

    def combine(self, one: Profile, other: Profile) -> tuple[FloatArray, FloatArray]:
        if self.coefficient == "pearson":
            total = np.where(self.total > 0, self.total, 1.0)
            product = self.cells @ (one.part * other.part)
            product -= (self.cells @ one.part) * (self.cells @ other.part) / total
        elif self.coefficient == "spearman":
            product = np.einsum("rc,rc->r", one.part, other.part)
        else:
            product = self._concordance(one.part, other.part)
        return ratio(product, one.norm, other.norm), np.zeros(len(product))

    def _concordance(self, one: Part, other: Part) -> FloatArray:
        """Σ w_a w_b sign · sign over all pairs of cells, a block of cells at a time; exact in single precision because
        each inner sum is a small whole number."""
        product = np.zeros(len(self.cells))
        weights = self.cells.astype(np.float32)
        step = max(1, _CELLS // max(1, len(one)))
        for start in range(0, len(one), step):
            block = slice(start, start + step)
            signs = np.sign(one[:, None] - one[None, block]) * np.sign(other[:, None] - other[None, block])
            product += np.einsum("rb,rb->r", self.cells[:, block], weights @ signs.astype(np.float32))
        return product


_FRAMES: dict[Level, type[SystemFrame] | type[SummaryFrame] | type[GlobalFrame]] = {
    "system": SystemFrame,
    "summary": SummaryFrame,
    "global": GlobalFrame,
}


def _chunk(m: int, n: int, level: Level, coefficient: Coefficient) -> int:
    """How many resamples to take at once. Depends on the shape only, so that adding a metric changes no byte."""
    pairs = m * (m - 1) // 2
    if level == "global":
        return max(1, _CELLS // (16 * max(1, m * n)))
    if level == "system":
        return max(16, _ONE_THREAD // max(1, m * max(n, pairs)))
    return max(16, _ONE_THREAD // max(1, m * m * n if coefficient == "spearman" else pairs * n))


def mean_of(parts: Sequence[Resampled]) -> Resampled:
    """The mean of several coefficients. What is constant for one is so for all: they skip the same dialogues."""
    return Resampled(np.mean([part.values for part in parts], axis=0), parts[0].skipped)


def resampled_correlations(
    scores: FloatArray, ratings: FloatArray, level: Level, coefficient: Coefficient, weights: Weights
) -> Resampled:
    """Each matrix of ``scores`` (metrics × systems × dialogues) with each of ``ratings`` (dimensions × …).

    A cell that is NaN in either matrix of a pair counts for neither, at every level; see :func:`enough` for those that
    are too few.
    """
    if coefficient == "mean":
        return mean_of([resampled_correlations(scores, ratings, level, base, weights) for base in BASE])
    values = np.full((len(weights), len(scores), len(ratings)), np.nan)
    skipped = np.zeros_like(values)
    step = _chunk(scores.shape[1], scores.shape[2], level, coefficient)
    for start in range(0, len(weights), step):
        part = slice(start, min(start + step, len(weights)))
        _fill(scores, ratings, level, coefficient, weights.part(part.start, part.stop), values[part], skipped[part])
    return Resampled(values, skipped)


def _fill(
    scores: FloatArray,
    ratings: FloatArray,
    level: Level,
    coefficient: Coefficient,
    weights: Weights,
    values: FloatArray,
    skipped: FloatArray,
) -> None:
    """One chunk. Metrics and dimensions are grouped by where they are missing; complete data are one group."""
    for metrics, metric_mask in _by_mask(scores):
        for dimensions, dimension_mask in _by_mask(ratings):
            frame: Frame = _FRAMES[level](weights, enough(metric_mask & dimension_mask, level), coefficient)
            profiles = [(d, frame.profile(ratings[d])) for d in dimensions]
            for p in metrics:
                profile = frame.profile(scores[p])
                for d, other in profiles:
                    values[:, p, d], skipped[:, p, d] = frame.combine(profile, other)


def _by_mask(matrices: FloatArray) -> list[tuple[list[int], BoolArray]]:
    groups: dict[bytes, tuple[list[int], BoolArray]] = {}
    for index, present in enumerate(~np.isnan(matrices)):
        groups.setdefault(present.tobytes(), ([], present))[0].append(index)
    return list(groups.values())
