"""Coefficients after two metrics were swapped for some systems, for many swaps at once.

With a_i = +1 where system i keeps its metric and −1 where it is swapped, the swapped metric is h + a·g, the other one
h − a·g (h and g being half of their sum and difference), and anything that depends on two systems is

    f(a_i, a_k) = c₀ + c₁·a_i + c₂·a_k + c₃·a_i·a_k,

so sums over systems and over pairs are matrix products with the columns a_i and a_i·a_k. Swapping everything the other
way round turns the sign of the odd terms: one product serves both metrics. How often a value occurs is a sum over
systems, too, and ties are all that the norm of a rank coefficient depends on.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import BoolArray, Coefficient, FloatArray
from dialgauge.metaeval._pairs import (
    Counts,
    Numbers,
    incidence,
    matrix_product,
    pair_indices,
    pair_products,
    ratio,
    shared_values,
)

#: Cells of the largest temporary array.
_CELLS = 1 << 19
_Both = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class _Terms:
    """c₀ … c₃ of a function of two systems."""

    constant: Numbers
    first: Numbers
    second: Numbers
    both: Numbers


def _terms(*tables: Numbers) -> _Terms:
    keep_keep, keep_swap, swap_keep, swap_swap = tables
    return _Terms(
        (keep_keep + keep_swap + swap_keep + swap_swap) / 4,
        (keep_keep + keep_swap - swap_keep - swap_swap) / 4,
        (keep_keep - keep_swap + swap_keep - swap_swap) / 4,
        (keep_keep - keep_swap - swap_keep + swap_swap) / 4,
    )


class SwappedRows:
    """Which systems are swapped (swaps × systems), and what all pairs of metrics share because of it."""

    def __init__(self, swaps: BoolArray) -> None:
        self.keeps = np.where(swaps, -1.0, 1.0)
        self._products: Counts | None = None

    def __len__(self) -> int:
        return len(self.keeps)

    @property
    def products(self) -> Counts:
        """a_i·a_k of every pair of systems (swaps × pairs)."""
        if self._products is None:
            self._products = pair_products(np.ascontiguousarray(self.keeps.T)).T
        return self._products

    def by_dialogue(self, x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient) -> _Both:
        """The coefficient of each dialogue (swaps × dialogues) for the first and the second metric."""
        mask = ~np.isnan(z)
        x, y, z = (np.where(mask, matrix, 0.0) for matrix in (x, y, z))
        if coefficient == "pearson":
            return self._moments(x, y, z, mask)
        return self._orders(x, y, z, mask, coefficient)

    def _moments(self, x: FloatArray, y: FloatArray, z: FloatArray, mask: BoolArray) -> _Both:
        count = np.maximum(mask.sum(axis=0), 1)
        h, g, z = (x + y) / 2, (x - y) / 2, (z - z.sum(axis=0) / count) * mask
        sides = np.concatenate([g, 2 * h * g, g * z], axis=1)
        odd = np.split(matrix_product(self.keeps, sides), 3, axis=1)
        even = h.sum(axis=0), (h * h + g * g).sum(axis=0), (h * z).sum(axis=0)
        norm = (z * z).sum(axis=0)
        smallest = 1e-12 * max(float((values * values).sum(axis=0).max(initial=0.0)) for values in (x, y))
        results = []
        for sign in (1, -1):
            total, squares, product = (still + sign * moved for still, moved in zip(even, odd, strict=True))
            variance = squares - total * total / count
            results.append(ratio(product, np.where(variance > smallest, variance, 0.0), norm))
        return results[0], results[1]

    def _orders(self, x: FloatArray, y: FloatArray, z: FloatArray, mask: BoolArray, coefficient: Coefficient) -> _Both:
        first, second = pair_indices(len(x))
        present = mask[first] & mask[second]

        def between(one: FloatArray, other: FloatArray) -> Numbers:
            return np.sign(one[first] - other[second]).astype(np.float32) * present

        target = between(z, z).astype(np.float64)
        if coefficient == "spearman":
            # Σ rank·rank over systems is Σ sign·(difference of ranks) over pairs.
            ranks = matrix_product(incidence(len(x)), target)
            target = (ranks[first] - ranks[second]) * present
            norm = (ranks * ranks).sum(axis=0)
        else:
            norm = (target * target).sum(axis=0)
        # Quarters of whole numbers, and as a rule few enough of them to be exact in single precision.
        kind = np.float32 if np.abs(target).sum(axis=0).max(initial=0.0) < 1 << 22 else np.float64
        weights: Numbers = target.astype(kind)
        tables = _terms(*(between(one, other) * weights for one in (x, y) for other in (x, y)))
        even = matrix_product(self.products.astype(kind, copy=False), tables.both) + tables.constant.sum(axis=0)
        sides = incidence(len(x)).astype(kind)
        alike, apart = tables.first + tables.second, tables.first - tables.second
        single = (matrix_product(np.abs(sides), alike) + matrix_product(sides, apart)) / 2
        odd = matrix_product(self.keeps, single.astype(np.float64))
        squares = self._untied(x, y, mask, coefficient)
        return ratio(even + odd, squares[0], norm), ratio(even - odd, squares[1], norm)

    def _untied(self, x: FloatArray, y: FloatArray, mask: BoolArray, coefficient: Coefficient) -> _Both:
        """Σ sign² over pairs (Kendall) or Σ rank² over systems (Spearman) of both metrics: what no tie takes away."""
        n = mask.sum(axis=0).astype(np.float64)
        members, dialogues = shared_values((x, y), mask)
        constant, moved = (members[0] + members[1]) / 2, (members[0] - members[1]) / 2
        shift = matrix_product(self.keeps, moved) if len(dialogues) else np.zeros((len(self), 0))
        results = []
        for sign in (1, -1):
            size = constant.sum(axis=0) + sign * shift
            lost = np.zeros((len(self), mask.shape[1]))
            if len(dialogues):
                starts = np.flatnonzero(np.diff(dialogues, prepend=-1))
                lost[:, dialogues[starts]] = np.add.reduceat(_taken(size, coefficient), starts, axis=1)
            results.append(_taken(n, coefficient) - lost)
        return results[0], results[1]


def _taken(size: FloatArray, coefficient: Coefficient) -> FloatArray:
    """What a group of tied systems takes from the norm: all of it where it is everybody."""
    return size * (size - 1) / 2 if coefficient == "kendall" else (size**3 - size) / 3


class SwappedMeans:
    """The means of the systems under two metrics, of which whole systems are swapped; those within ``tied`` (systems ×
    systems) of each other are equal."""

    def __init__(self, x: FloatArray, y: FloatArray, tied: FloatArray, swaps: SwappedRows) -> None:
        self.keeps = swaps.keeps

        def between(one: FloatArray, other: FloatArray) -> FloatArray:
            differences = one[:, None] - other[None, :]
            signs = np.where(np.abs(differences) <= tied, 0.0, np.sign(differences))
            np.fill_diagonal(signs, 0.0)  # a system is not compared with itself
            return signs

        self.signs = [between(one, other) for one in (x, y) for other in (x, y)]

    def kendall(self, target: FloatArray) -> _Both:
        """With the signs of the ratings' differences (systems × systems)."""
        product = [sums.sum(axis=1) for sums in self._rows([table * target for table in self.signs])]
        squares = [sums.sum(axis=1) for sums in self._rows([table * table for table in self.signs])]
        norm = np.asarray(np.sum(target * target))
        return ratio(product[0], squares[0], norm), ratio(product[1], squares[1], norm)

    def spearman(self, target: FloatArray) -> _Both:
        """With the same signs, whose sums are ranks."""
        fixed = target.sum(axis=1)
        norm = np.asarray(np.sum(fixed * fixed))
        first, second = (
            ratio(ranks @ fixed, np.einsum("ri,ri->r", ranks, ranks), norm) for ranks in self._rows(self.signs)
        )
        return first, second

    def _rows(self, tables: list[FloatArray]) -> _Both:
        """What each system adds to a sum over all pairs, for both metrics (swaps × systems)."""
        terms = _terms(*tables)
        even = terms.constant.sum(axis=1) + self.keeps * matrix_product(self.keeps, terms.both.T)
        odd = self.keeps * terms.first.sum(axis=1) + matrix_product(self.keeps, terms.second.T)
        return even + odd, even - odd


def swapped_cells(
    x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient, swaps: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """As :meth:`SwappedRows.by_dialogue`, each cell (system, dialogue) being swapped or kept on its own."""
    mask = ~np.isnan(z)
    x, y, z = (np.where(mask, matrix, 0.0) for matrix in (x, y, z))
    target = _vectors(z[None], mask, coefficient)[0]
    norm = (target * target).sum(axis=0)
    step = max(1, _CELLS // (len(x) * max(1, x.size)))
    results: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for start in range(0, len(swaps), step):
        chosen = swaps[start : start + step]
        for kept, matrices in zip(results, (np.where(chosen, y, x), np.where(chosen, x, y)), strict=True):
            vectors = _vectors(matrices, mask, coefficient)
            products = np.einsum("rpj,pj->rj", vectors, target)
            kept.append(ratio(products, np.einsum("rpj,rpj->rj", vectors, vectors), norm[None]))
    return np.concatenate(results[0]), np.concatenate(results[1])


def _vectors(matrices: FloatArray, mask: BoolArray, coefficient: Coefficient) -> FloatArray:
    """What a coefficient correlates within a dialogue: differences of pairs, their signs, or centred ranks."""
    first, second = pair_indices(len(mask))
    differences = (matrices[:, first] - matrices[:, second]) * (mask[first] & mask[second])
    if coefficient == "pearson":
        return np.asarray(differences)
    signs = np.sign(differences)
    if coefficient == "kendall":
        return np.asarray(signs)
    return np.asarray(incidence(len(mask)) @ signs)
