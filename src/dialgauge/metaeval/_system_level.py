"""System level: the coefficient of the systems' means. Arrays are systems (or pairs of them) × resamples."""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._draws import Weights
from dialgauge.metaeval._names import BoolArray, Coefficient, FloatArray
from dialgauge.metaeval._pairs import Counts, incidence, matrix_product, pair_products, pair_signs, ratio, rounding


@dataclass(frozen=True, slots=True)
class _Profile:
    """What one matrix contributes to any coefficient with it: a part, the same with weights, and its own norm."""

    part: FloatArray | Counts
    weighted: FloatArray | Counts
    norm: FloatArray


class SystemFrame:
    """The cells that count (systems × dialogues), for one coefficient."""

    def __init__(self, mask: BoolArray, coefficient: Coefficient) -> None:
        self.mask, self.coefficient = mask, coefficient

    def prepare(self, matrix: FloatArray) -> FloatArray:
        """The matrix with zeros where a cell does not count."""
        return np.where(self.mask, matrix, 0.0)

    def under(self, weights: Weights) -> "_Means":
        """The same under these weights."""
        return _Means(weights, self.mask, self.coefficient)


class _Means:
    def __init__(self, weights: Weights, mask: BoolArray, coefficient: Coefficient) -> None:
        self.coefficient, self.dialogues = coefficient, weights.dialogues
        self.systems = np.ascontiguousarray(weights.systems.T)
        if mask.all():
            self.total = self.dialogues.sum(axis=1)
        else:
            total = self._sums(mask.astype(np.float64))
            self.systems = self.systems * (total > 0)
            self.total = np.where(total > 0, total, 1.0)
        self.pairs = None if coefficient == "pearson" else pair_products(self.systems)

    def profile(self, values: FloatArray) -> _Profile:
        means = self._sums(values) / self.total
        if self.pairs is None:
            return self._centred(means, rounding(values))
        signs = pair_signs(means, rounding(values))
        weighted = signs * self.pairs
        if self.coefficient == "kendall":
            return _Profile(signs, weighted, _product(weighted, signs))
        # Ranks times counts, and over the root of the counts: a product of two such parts has the counts once.
        ranks = matrix_product(incidence(len(means)).astype(np.float32), weighted)
        part = np.divide(ranks, np.sqrt(self.systems), out=np.zeros(ranks.shape), where=self.systems > 0)
        return _Profile(part, part, _product(part, part))

    def _sums(self, values: FloatArray) -> FloatArray:
        """Each row summed over the dialogues of each resample."""
        return matrix_product(values, self.dialogues.T)

    def _centred(self, means: FloatArray, off: FloatArray) -> _Profile:
        drawn = self.systems.sum(axis=0)
        part = means - np.einsum("ir,ir->r", self.systems, means) / np.where(drawn > 0, drawn, 1.0)
        weighted = self.systems * part
        norm = _product(weighted, part)
        # Constant but for rounding: no drawn system is further from the mean than rounding can carry it.
        inside = (self.systems == 0) | (np.abs(part) <= 2 * off[:, None])
        norm[inside.all(axis=0)] = 0.0
        return _Profile(part, weighted, norm)

    def combine(self, one: _Profile, other: _Profile) -> tuple[FloatArray, FloatArray]:
        product = _product(one.weighted, other.part)
        return ratio(product, one.norm, other.norm), np.zeros(len(product))


def _product(one: FloatArray | Counts, other: FloatArray | Counts) -> FloatArray:
    return np.asarray(np.einsum("ir,ir->r", one, other), dtype=np.float64)
