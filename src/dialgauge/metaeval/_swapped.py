"""Coefficients within each dialogue after two metrics were swapped for some systems, for many swaps at once.

With a_i = +1 where system i keeps its metric and −1 where it is swapped, anything that depends on two systems is

    f(a_i, a_k) = c₀ + c₁·a_i + c₂·a_k + c₃·a_i·a_k,

so a sum over pairs is a matrix product with the columns a_i and a_i·a_k. Swapping everything the other way round turns
the sign of the odd terms: one product serves both metrics.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import BoolArray, Coefficient, FloatArray
from dialgauge.metaeval._weighted import incidence, matrix_product, pair_indices, ratio

#: Cells of the largest temporary array.
_CELLS = 1 << 19


@dataclass(frozen=True, slots=True, eq=False)
class _Terms:
    """c₀ … c₃ of a function of two systems, by pair and dialogue."""

    constant: FloatArray
    first: FloatArray
    second: FloatArray
    both: FloatArray


def _terms(keep_keep: FloatArray, keep_swap: FloatArray, swap_keep: FloatArray, swap_swap: FloatArray) -> _Terms:
    return _Terms(
        (keep_keep + keep_swap + swap_keep + swap_swap) / 4,
        (keep_keep + keep_swap - swap_keep - swap_swap) / 4,
        (keep_keep - keep_swap + swap_keep - swap_swap) / 4,
        (keep_keep - keep_swap - swap_keep + swap_swap) / 4,
    )


def swapped_rows(
    x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient, swaps: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """The coefficient of each dialogue (swaps × dialogues) for the first and the second metric, systems swapped."""
    keeps = np.where(swaps, -1.0, 1.0)
    mask = ~np.isnan(z)
    x, y, z = (np.where(mask, matrix, 0.0) for matrix in (x, y, z))
    if coefficient == "spearman":
        return _swapped_ranks(x, y, z, mask, keeps)
    first, second = pair_indices(len(x))
    present = mask[first] & mask[second]

    def between(one: FloatArray, other: FloatArray) -> FloatArray:
        differences = (one[first] - other[second]) * present
        return np.asarray(np.sign(differences) if coefficient == "kendall" else differences)

    tables = (between(x, x), between(x, y), between(y, x), between(y, y))
    target = between(z, z)
    products = keeps[:, first] * keeps[:, second]
    even, odd = _sums(_terms(*(table * target for table in tables)), keeps, products)
    even_norm, odd_norm = _sums(_terms(*(table * table for table in tables)), keeps, products)
    norm = (target * target).sum(axis=0)
    smallest = 1e-12 * max(float((table * table).sum(axis=0).max(initial=0.0)) for table in tables)
    results = []
    for numerator, square in ((even + odd, even_norm + odd_norm), (even - odd, even_norm - odd_norm)):
        results.append(ratio(numerator, np.where(square > smallest, square, 0.0), norm))
    return results[0], results[1]


def _sums(terms: _Terms, keeps: FloatArray, products: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Σ over pairs of f, as its even and its odd part (swaps × dialogues)."""
    between = incidence(keeps.shape[1])
    single = (between > 0) @ terms.first + (between < 0) @ terms.second
    return matrix_product(products, terms.both) + terms.constant.sum(axis=0), matrix_product(keeps, single)


def _swapped_ranks(
    x: FloatArray, y: FloatArray, z: FloatArray, mask: BoolArray, keeps: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Spearman: the centred rank of each system in turn, which is itself a sum of signs over the others."""
    target = (np.sign(z[:, None, :] - z[None, :, :]) * mask[None]).sum(axis=1) * mask
    numerators = [np.zeros((len(keeps), x.shape[1])) for _ in range(2)]
    squares = [np.zeros_like(numerators[0]) for _ in range(2)]
    for i in range(len(x)):
        present = mask[i] & mask
        # A system is not compared with itself: the term "kept against swapped" of i with i does not occur.
        present[i] = False
        terms = _terms(*(np.sign(one[i] - other) * present for one in (x, y) for other in (x, y)))
        even = terms.constant.sum(axis=0) + keeps[:, i, None] * matrix_product(keeps, terms.both)
        odd = keeps[:, i, None] * terms.first.sum(axis=0) + matrix_product(keeps, terms.second)
        for which, rank in enumerate((even + odd, even - odd)):
            numerators[which] += rank * target[i]
            squares[which] += rank * rank
    norm = (target * target).sum(axis=0)
    return ratio(numerators[0], squares[0], norm), ratio(numerators[1], squares[1], norm)


def swapped_cells(
    x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient, swaps: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """As :func:`swapped_rows`, each cell (system, dialogue) being swapped or kept on its own."""
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
