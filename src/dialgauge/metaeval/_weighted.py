"""The engine: a coefficient at a level, under many weightings of systems and dialogues at once.

The coefficients are written over *pairs of systems*, because most of them are then one matrix product. With counts u
of the systems and differences d of a metric and e of a rating between the two systems of a pair,

    r = Σ u_i u_k d_ik e_ik / √(Σ u_i u_k d_ik² · Σ u_i u_k e_ik²)

is Pearson's r of the weighted systems, and Kendall's τ-b when d and e are replaced by their signs. No difference of
large sums appears, so a vector is found constant exactly when it is. Spearman's ρ uses the centred average rank
½ Σ_k u_k sign(x_i − x_k), which needs no sorting. The plain coefficient is the weighting with ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dialgauge.metaeval._draws import Weights
from dialgauge.metaeval._names import BASE, BoolArray, Coefficient, FloatArray, Level
from dialgauge.metaeval._pairs import (
    FEWEST as FEWEST,
    ONE_THREAD,
    average as average,
    enough as enough,
    incidence as incidence,
    matrix_product as matrix_product,
    pair_indices as pair_indices,
    pair_rounding as pair_rounding,
    ratio as ratio,
    rounding as rounding,
)
from dialgauge.metaeval._summary_level import SummaryFrame
from dialgauge.metaeval._system_level import SystemFrame

#: Cells of the largest temporary array; bounds memory and depends on nothing but the shape of the data.
_CELLS = 1 << 23


@dataclass(frozen=True, slots=True)
class Resampled:
    """Values (resamples × metrics × dimensions; NaN where undefined) and, at summary level, how many dialogues of each
    resample were skipped because a vector was constant."""

    values: FloatArray
    skipped: FloatArray


class Frame(Protocol):
    """A level and a coefficient, for cells that are present in both matrices."""

    coefficient: Coefficient

    def prepare(self, matrix: FloatArray) -> Any:
        """What one matrix (systems × dialogues) brings to every resample."""

    def under(self, weights: Weights) -> "Weighed":
        """The same under these weights."""


class Weighed(Protocol):
    """A level and a coefficient under given weights."""

    def profile(self, prepared: Any) -> Any:
        """What a prepared matrix contributes to any coefficient with it."""

    def combine(self, one: Any, other: Any) -> tuple[FloatArray, FloatArray]:
        """The coefficient for each resample, and the dialogues skipped."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What one matrix contributes to any coefficient with it: a part that is multiplied, and its own norm."""

    part: FloatArray
    norm: FloatArray


class GlobalFrame:
    """Global level: the coefficient over all summaries at once."""

    def __init__(self, mask: BoolArray, coefficient: Coefficient) -> None:
        self.mask, self.coefficient = mask, coefficient

    def prepare(self, matrix: FloatArray) -> FloatArray:
        """The values of the cells that count."""
        return np.asarray(matrix[self.mask])

    def under(self, weights: Weights) -> "_Cells":
        """The same under these weights."""
        return _Cells(weights, self.mask, self.coefficient)


class _Cells:
    def __init__(self, weights: Weights, mask: BoolArray, coefficient: Coefficient) -> None:
        self.coefficient = coefficient
        cells = weights.systems[:, :, None] * weights.dialogues[:, None, :]
        self.cells = np.ascontiguousarray(cells.reshape(len(weights), -1)[:, mask.ravel()])
        self.total = self.cells.sum(axis=1)

    def profile(self, values: FloatArray) -> Profile:
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

    def _concordance(self, one: FloatArray, other: FloatArray) -> FloatArray:
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


_FRAMES: dict[Level, Callable[[BoolArray, Coefficient], Frame]] = {
    "system": SystemFrame,
    "summary": SummaryFrame,
    "global": GlobalFrame,
}


def _chunk(m: int, n: int, level: Level, coefficient: Coefficient) -> int:
    """How many resamples to take at once. Depends on the shape only, so that adding a metric changes no byte."""
    pairs = max(1, m * (m - 1) // 2)
    if level == "global":
        return max(1, _CELLS // (16 * max(1, m * n)))
    if level == "system":
        return max(64, ONE_THREAD // 2 // max(1, m if coefficient == "pearson" else pairs))
    if coefficient == "spearman":
        return max(16, ONE_THREAD // max(1, m * n))
    return max(16, min(2 * ONE_THREAD // pairs, ONE_THREAD // max(1, n)))


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
    # Metrics and dimensions are grouped by where they are missing; complete data are one group.
    for metrics, metric_mask in _by_mask(scores):
        for dimensions, dimension_mask in _by_mask(ratings):
            frame: Frame = _FRAMES[level](enough(metric_mask & dimension_mask, level), coefficient)
            _fill(frame, (scores, metrics), (ratings, dimensions), weights, (values, skipped), level)
    return Resampled(values, skipped)


def _fill(
    frame: Frame,
    scores: tuple[FloatArray, list[int]],
    ratings: tuple[FloatArray, list[int]],
    weights: Weights,
    results: tuple[FloatArray, FloatArray],
    level: Level,
) -> None:
    """The resamples of one group, chunk by chunk; what does not depend on them is prepared once."""
    values, skipped = results
    prepared = {p: frame.prepare(scores[0][p]) for p in scores[1]}
    rated = {d: frame.prepare(ratings[0][d]) for d in ratings[1]}
    m, n = scores[0].shape[1:]
    step = _chunk(m, n, level, frame.coefficient)
    for start in range(0, len(weights), step):
        stop = min(start + step, len(weights))
        weighed = frame.under(weights.part(start, stop))
        profiles = [(d, weighed.profile(matrix)) for d, matrix in rated.items()]
        for p, matrix in prepared.items():
            profile = weighed.profile(matrix)
            for d, other in profiles:
                values[start:stop, p, d], skipped[start:stop, p, d] = weighed.combine(profile, other)


def _by_mask(matrices: FloatArray) -> list[tuple[list[int], BoolArray]]:
    groups: dict[bytes, tuple[list[int], BoolArray]] = {}
    for index, present in enumerate(~np.isnan(matrices)):
        groups.setdefault(present.tobytes(), ([], present))[0].append(index)
    return list(groups.values())
