"""Cohen's κ and the correlation of two annotators, for all pairs of annotators at once.

The pairs are found by one sort, not by a loop over all that could be: of 283 workers most never meet, and most who do
share two or three units, on which a coefficient says nothing.
"""

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray, IntArray
from dialgauge.errors import ParameterError
from dialgauge.ratings._frame import UnitRatings
from dialgauge.ratings._settings import Weights
from dialgauge.ratings._values import Statistic, pairs_within, sparse

#: A mean over fewer pairs than this does not stand for a crowd of which the other pairs are not counted.
_FEWEST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class AnnotatorPairs:
    """Every pair of annotators that shares a unit.

    ``first``, ``second`` and ``shared`` have one number per pair: the two annotators and how many units they share.
    ``pair``, ``unit``, ``x`` and ``y`` have one per pair and shared unit: the number of the pair, and the two values.
    """

    first: IntArray
    second: IntArray
    shared: IntArray
    pair: IntArray
    unit: IntArray
    x: FloatArray
    y: FloatArray


def annotator_pairs(ratings: UnitRatings) -> AnnotatorPairs:
    """The pairs of annotators that meet."""
    left, right = pairs_within(ratings.unit)
    width = max(1, len(ratings.annotators))
    keys, pair, shared = np.unique(
        ratings.annotator[left] * width + ratings.annotator[right], return_inverse=True, return_counts=True
    )
    return AnnotatorPairs(
        keys // width, keys % width, shared, pair, ratings.unit[left], ratings.value[left], ratings.value[right]
    )


@dataclass(frozen=True, slots=True)
class PairMeasure:
    """A measure of pairs of annotators: the mean over pairs, weighted by the number of units they share.

    ``counted`` of the ``met`` pairs share at least ``minimum`` units; ``each`` has their values (NaN: undefined).
    """

    statistic: Statistic
    each: FloatArray
    met: int
    counted: int
    minimum: int

    @property
    def too_few(self) -> bool:
        """Whether the counted pairs are too few to stand for the others."""
        return self.counted < min(_FEWEST_PAIRS, self.met)


def least_shared(ratings: UnitRatings, minimum: int) -> int:
    """From how many shared units on a pair counts: ``minimum``, or half of the units there are where that is fewer."""
    units = int((ratings.sizes >= 2).sum())
    return min(minimum, max(1, -(-units // 2)))


def pair_measure(ratings: UnitRatings, measure: str, weighting: Weights, minimum: int) -> PairMeasure:
    """Cohen's κ, Pearson's r or Spearman's ρ of the pairs of annotators."""
    if weighting not in get_args(Weights):
        raise ParameterError("cohen_kappa", "weights", ", ".join(map(repr, get_args(Weights))), weighting)
    met = annotator_pairs(ratings)
    least = least_shared(ratings, minimum)
    cells = _cells(met, met.shared >= least, len(ratings.sizes))
    each = cells.kappa(weighting) if measure == "cohen-kappa" else cells.correlation(ranks=measure == "spearman")

    def mean(sums: FloatArray) -> FloatArray:
        values, total = each(sums), cells.totals(sums)
        defined = ~np.isnan(values)
        weight = np.where(defined, total, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((weight * np.where(defined, values, 0.0)).sum(axis=1) / weight.sum(axis=1))

    whole = each(np.asarray(cells.rows.sum(axis=0))[None, :])[0]
    return PairMeasure(Statistic(cells.rows, mean), whole, len(met.shared), len(whole), least)


@dataclass(frozen=True, slots=True)
class _Cells:
    """A cell per pair of annotators and pair of values that they gave to a unit; a slot per pair and value of either.

    ``rows`` (units × cells) count the cells; ``x`` and ``y`` name the slots of a cell's values; ``value`` is the value
    of a slot. Cells and slots are sorted by pair; ``cell_start`` and ``slot_start`` say where each pair begins.
    """

    rows: Any
    x: IntArray
    y: IntArray
    value: FloatArray
    pair_of_slot: IntArray
    cell_start: IntArray
    slot_start: IntArray

    def totals(self, cells: FloatArray) -> FloatArray:
        """How many units each pair shares."""
        return _sums(cells, self.cell_start)

    def _margins(self, cells: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How often each value was given by the first and by the second of each pair."""
        n, width = np.arange(len(self.x)), (len(self.x), len(self.value))
        return cells @ sparse(np.ones(len(n)), n, self.x, width), cells @ sparse(np.ones(len(n)), n, self.y, width)

    def _up_to(self, counts: FloatArray) -> FloatArray:
        """Sums of counts up to each slot, within its pair."""
        running = np.cumsum(counts, axis=1)
        before = running[:, self.slot_start] - counts[:, self.slot_start]
        return np.asarray(running - before[:, self.pair_of_slot])

    def kappa(self, weighting: Weights) -> Any:
        """κ = 1 − Σ w·observed / Σ w·expected with w = 1 for different values ("none"), \\|x − y\\| ("linear") or
        (x − y)² ("quadratic"). The weights use the values themselves, not their rank among those that occur.
        """
        gap = self.value[self.x] - self.value[self.y]
        distance = {"none": (gap != 0).astype(float), "linear": np.abs(gap), "quadratic": gap**2}[weighting]

        def values(cells: FloatArray) -> FloatArray:
            first, second = self._margins(cells)
            total = self.totals(cells)
            expected = self._expected(first, second, total, weighting)
            defined = _sums((first + second > 0.5).astype(float), self.slot_start) > 1
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(defined, 1 - total * _sums(cells * distance, self.cell_start) / expected, np.nan)

        return values

    def _expected(self, first: FloatArray, second: FloatArray, total: FloatArray, weighting: Weights) -> FloatArray:
        """Σ over all values x, y of count(x)·count(y)·w(x, y), without building the table of all pairs of values."""
        start = self.slot_start
        if weighting == "none":
            return np.asarray(total**2 - _sums(first * second, start))
        if weighting == "linear":
            # |x − y| is the sum of the gaps between neighbouring values that lie between x and y.
            gaps = np.append(np.diff(self.value), 0.0)
            gaps[np.append(start[1:], len(gaps)) - 1] = 0.0
            below, beneath, rest = self._up_to(first), self._up_to(second), total[:, self.pair_of_slot]
            return _sums((below * (rest - beneath) + beneath * (rest - below)) * gaps, start)
        means = _sums(self.value[None, :], start)[0] / np.bincount(self.pair_of_slot, minlength=len(start))
        centred = self.value - means[self.pair_of_slot]
        squares = total * _sums((first + second) * centred**2, start)
        return np.asarray(squares - 2 * _sums(first * centred, start) * _sums(second * centred, start))

    def correlation(self, *, ranks: bool) -> Any:
        """Pearson's r, or Spearman's ρ, of each pair."""

        def values(cells: FloatArray) -> FloatArray:
            first, second = self._margins(cells)
            total = np.maximum(self.totals(cells), 1)
            x, y = (self._centred(counts, total, ranks) for counts in (first, second))
            together = _sums(cells * x[:, self.x] * y[:, self.y], self.cell_start)
            alone = _sums(first * x**2, self.slot_start) * _sums(second * y**2, self.slot_start)
            defined = self._varies(first) & self._varies(second)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(defined, np.clip(together / np.sqrt(alone), -1, 1), np.nan)

        return values

    def _varies(self, counts: FloatArray) -> BoolArray:
        return np.asarray(_sums((counts > 0.5).astype(float), self.slot_start) > 1)

    def _centred(self, counts: FloatArray, total: FloatArray, ranks: bool) -> FloatArray:
        place = self._up_to(counts) - (counts - 1) / 2 if ranks else np.broadcast_to(self.value, counts.shape)
        mean = _sums(counts * place, self.slot_start) / total
        return np.asarray(place - mean[:, self.pair_of_slot])


def _cells(met: AnnotatorPairs, counts: BoolArray, units: int) -> _Cells:
    """The cells of the pairs that count."""
    used = counts[met.pair]
    pair = (np.cumsum(counts) - 1)[met.pair[used]]
    levels, codes = np.unique(np.concatenate([met.x[used], met.y[used]]), return_inverse=True)
    width = max(1, len(levels))
    left, right = pair * width + codes[: len(pair)], codes[len(pair) :]
    keys, cell = np.unique(left * width + right, return_inverse=True)
    of_pair = keys // width**2
    x, y = keys // width, of_pair * width + keys % width
    slots = np.unique(np.concatenate([x, y]))
    numbers = np.arange(int(counts.sum()))
    return _Cells(
        sparse(np.ones(len(cell)), met.unit[used], cell, (units, len(keys))),
        np.searchsorted(slots, x),
        np.searchsorted(slots, y),
        levels[slots % width],
        slots // width,
        np.searchsorted(of_pair, numbers),
        np.searchsorted(slots // width, numbers),
    )


def _sums(values: FloatArray, starts: IntArray) -> FloatArray:
    """Sums over runs of columns that begin at ``starts``."""
    return np.add.reduceat(values, starts, axis=1) if len(starts) else np.zeros((len(values), 0))
