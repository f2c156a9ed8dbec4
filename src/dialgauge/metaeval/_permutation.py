"""Permutation tests for "metric A correlates better than metric B", by swapping the scores of both.

Both metrics are put on one scale (z-scores over the whole matrix), then swapped for random ``systems`` (rows),
``inputs`` (columns), ``both`` (a cell is swapped when its row or its column is, but not when both are) or single
``cells``. Published tools mean either of the last two by "permutation over both".

Only swapping whole systems generalises to *new systems*. Swapping inputs or cells treats the systems' biases as fixed,
and rejects true null hypotheses about half of the time once metrics have biases of their own towards systems.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dialgauge.errors import ParameterError
from dialgauge.metaeval._arrays import as_matrices
from dialgauge.metaeval._draws import no_resampling, swap_masks
from dialgauge.metaeval._names import BASE, BoolArray, Coefficient, FloatArray, Level, check_name
from dialgauge.metaeval._swapped import swapped_cells, swapped_rows
from dialgauge.metaeval._weighted import (
    average,
    enough,
    incidence,
    matrix_product,
    pair_rounding,
    ratio,
    resampled_correlations,
)

Permutation = Literal["systems", "inputs", "both", "cells"]
Alternative = Literal["two-sided", "greater", "less"]
PERMUTATIONS: tuple[Permutation, ...] = get_args(Permutation)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)

#: Differences closer than this are equal: swapping nothing must count as reaching the observed difference.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Swaps:
    """What each permutation swaps: systems (permutations × systems), inputs, or single cells; None where nothing."""

    systems: BoolArray | None = None
    inputs: BoolArray | None = None
    cells: BoolArray | None = None

    def __len__(self) -> int:
        return next(len(mask) for mask in (self.systems, self.inputs, self.cells) if mask is not None)


@dataclass(frozen=True, slots=True, eq=False)
class PermutationTest:
    """The observed difference of the coefficients, its p-value (c + 1) / (R + 1), and the differences after swapping.

    ``undefined`` permutations (a vector became constant) are NaN in ``differences`` and count in neither c nor R.
    """

    observed: float
    p_value: float
    differences: FloatArray
    undefined: int


def draw_swaps(method: Permutation, m: int, n: int, resamples: int, seed: int) -> Swaps:
    """The random swaps of a method, the same for every pair of metrics."""
    if method == "cells":
        return Swaps(cells=swap_masks("swap-cells", resamples, m, n, seed=seed))
    systems = swap_masks("swap-systems", resamples, m, seed=seed) if method != "inputs" else None
    inputs = swap_masks("swap-inputs", resamples, n, seed=seed) if method != "systems" else None
    return Swaps(systems, inputs)


def permutation_test(
    metric: ArrayLike,
    other: ArrayLike,
    ratings: ArrayLike,
    level: Level,
    coefficient: Coefficient,
    method: Permutation = "systems",
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 1000,
    seed: int = 0,
    swaps: Swaps | None = None,
) -> PermutationTest:
    """Does ``metric`` correlate with the ratings better than ``other`` does? All three are systems × dialogues.

    ``swaps`` replaces the random ones by your own. A cell that is NaN in any of the three counts in none.
    """
    check_name("permutation", method, PERMUTATIONS)
    check_name("alternative", alternative, ALTERNATIVES)
    if level not in ("system", "summary"):
        raise ParameterError("permutation_test", "level", "'system' or 'summary' (bootstrap the global level)", level)
    check_name("coefficient of a permutation test", coefficient, (*BASE, "mean"))
    x, y, z = as_matrices(metric, other, ratings)
    swaps = swaps or draw_swaps(method, x.shape[0], x.shape[1], resamples, seed)
    bases = BASE if coefficient == "mean" else (coefficient,)
    x, y, z = _on_one_scale(x, y, z, level)
    pairs = [_differences(x, y, z, level, base, swaps) for base in bases]
    observed = float(np.mean([pair[0] for pair in pairs]))
    differences = np.mean([pair[1] for pair in pairs], axis=0)
    return PermutationTest(
        observed, permutation_p_value(observed, differences, alternative), differences, int(np.isnan(differences).sum())
    )


def permutation_p_value(observed: float, differences: FloatArray, alternative: Alternative = "two-sided") -> float:
    """(c + 1) / (R + 1), c being how many differences are at least as extreme as the observed one."""
    defined = differences[~np.isnan(differences)]
    if np.isnan(observed):
        return float("nan")
    if alternative == "two-sided":
        reached = np.abs(defined) >= abs(observed) - _EQUAL
    elif alternative == "greater":
        reached = defined >= observed - _EQUAL
    else:
        reached = defined <= observed + _EQUAL
    return float((reached.sum() + 1) / (len(defined) + 1))


def _on_one_scale(
    x: FloatArray, y: FloatArray, z: FloatArray, level: Level
) -> tuple[FloatArray, FloatArray, FloatArray]:
    missing = ~enough(~(np.isnan(x) | np.isnan(y) | np.isnan(z)), level)
    scaled = []
    for matrix in (x, y):
        kept = np.where(missing, np.nan, matrix)
        spread = float(np.nanstd(kept)) if not missing.all() else 0.0
        scaled.append((kept - np.nanmean(kept)) / spread if spread > 0 else kept * 0.0)
    return scaled[0], scaled[1], np.where(missing, np.nan, z)


def _differences(
    x: FloatArray, y: FloatArray, z: FloatArray, level: Level, coefficient: Coefficient, swaps: Swaps
) -> tuple[float, FloatArray]:
    """The observed difference, and that of each permutation."""
    plain = resampled_correlations(np.stack([x, y]), z[None], level, coefficient, no_resampling(*x.shape)).values[
        0, :, 0
    ]
    compute = _at_system_level if level == "system" else _at_summary_level
    return float(plain[0] - plain[1]), compute(x, y, z, coefficient, swaps)


def _at_system_level(x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient, swaps: Swaps) -> FloatArray:
    mask = ~np.isnan(z)
    rows = mask.any(axis=1)
    counts = mask[rows].sum(axis=1)
    x, y, z = (np.where(mask, matrix, 0.0)[rows] for matrix in (x, y, z))
    off = np.maximum(pair_rounding(x), pair_rounding(y))
    first, second = (np.broadcast_to(matrix.sum(axis=1) / counts, (len(swaps), len(counts))) for matrix in (x, y))
    moved: FloatArray | None = None
    if swaps.inputs is not None:
        moved = matrix_product(swaps.inputs.astype(np.float64), (y - x).T) / counts
    elif swaps.cells is not None:
        moved = np.einsum("rij,ij->ri", swaps.cells[:, rows].astype(np.float64), y - x) / counts
    if moved is not None:
        first, second = first + moved, second - moved
    if swaps.systems is not None:
        mask = swaps.systems[:, rows]
        first, second = np.where(mask, second, first), np.where(mask, first, second)
    target = (z.sum(axis=1) / counts)[None]
    fixed = _vectors(target, coefficient, pair_rounding(z))
    results = [_with(_vectors(means, coefficient, off), fixed) for means in (first, second)]
    return np.asarray(results[0] - results[1])


def _vectors(means: FloatArray, coefficient: Coefficient, off: FloatArray) -> FloatArray:
    """What a coefficient correlates, for each row of system means: differences, their signs, or centred ranks."""
    between = incidence(means.shape[1])
    differences = matrix_product(means, between)
    differences = np.where(np.abs(differences) <= off, 0.0, differences)
    if coefficient == "pearson":
        return differences
    signs = np.sign(differences)
    return signs if coefficient == "kendall" else signs @ between.T


def _with(vectors: FloatArray, fixed: FloatArray) -> FloatArray:
    return ratio(vectors @ fixed[0], np.einsum("rp,rp->r", vectors, vectors), np.sum(fixed * fixed, axis=1))


def _at_summary_level(
    x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient, swaps: Swaps
) -> FloatArray:
    if swaps.cells is not None:
        first, second = swapped_cells(x, y, z, coefficient, swaps.cells)
    else:
        kept = np.zeros((1, len(x)), dtype=bool)
        first, second = swapped_rows(x, y, z, coefficient, kept if swaps.systems is None else swaps.systems)
        if swaps.inputs is not None:
            first, second = np.where(swaps.inputs, second, first), np.where(swaps.inputs, first, second)
    ones = np.ones_like(first)
    return np.asarray(average(first, ones)[0] - average(second, ones)[0])
