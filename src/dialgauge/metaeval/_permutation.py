"""Permutation tests for "metric A correlates better than metric B", by swapping the scores of both.

Both metrics are put on the scale on which they are correlated (z-scores in each dialogue, or of the systems' means),
then swapped for random ``systems`` (rows), ``inputs`` (columns), ``both`` (a cell is swapped when its row or its column
is, but not when both are) or single ``cells``. Published tools mean either of the last two by "permutation over both",
and take z-scores over the whole matrix: where metrics differ in their noise within dialogues, that rejects up to two
thirds of true null hypotheses. Where there are few systems, all ways to swap them are gone through.

Only swapping whole systems generalises to *new systems*. Swapping inputs or cells treats the systems' biases as fixed,
and rejects true null hypotheses about half of the time once metrics have biases of their own towards systems.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from dialgauge.errors import ParameterError
from dialgauge.metaeval._arrays import as_matrices
from dialgauge.metaeval._draws import no_resampling, swap_masks
from dialgauge.metaeval._names import BASE, BoolArray, Coefficient, FloatArray, Level, check_name
from dialgauge.metaeval._swapped import SwappedMeans, SwappedRows, swapped_cells
from dialgauge.metaeval._weighted import (
    average,
    enough,
    incidence,
    matrix_product,
    pair_rounding,
    ratio,
    resampled_correlations,
    rounding,
)
from dialgauge.resampling import DRAWS

Permutation = Literal["systems", "inputs", "both", "cells"]
Alternative = Literal["two-sided", "greater", "less"]
#: What is brought to mean 0 and deviation 1: what is correlated at the level, or the whole matrix.
Scaled = Literal["level", "matrix"]
SCALES: tuple[Scaled, ...] = get_args(Scaled)
PERMUTATIONS: tuple[Permutation, ...] = get_args(Permutation)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)

#: Differences closer than this are equal: swapping nothing must count as reaching the observed difference.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Swaps:
    """What each permutation swaps: systems (permutations × systems), inputs, or single cells; None where nothing.

    ``complete`` where these are all there are, swapping nothing among them.
    """

    systems: BoolArray | None = None
    inputs: BoolArray | None = None
    cells: BoolArray | None = None
    complete: bool = False

    def __len__(self) -> int:
        return next(len(mask) for mask in (self.systems, self.inputs, self.cells) if mask is not None)

    @cached_property
    def rows(self) -> SwappedRows:
        """The systems that are swapped, with what all tests share."""
        if self.systems is None:
            raise ValueError("these swaps are not of systems")
        return SwappedRows(self.systems)


@dataclass(frozen=True, slots=True, eq=False)
class PermutationTest:
    """The observed difference of the coefficients, its p-value (c + 1) / (R + 1), and the differences after swapping.

    ``undefined`` permutations (a vector became constant) are NaN in ``differences`` and count in neither c nor R. Where
    all permutations were gone through, the p-value is c / R. ``floor`` is the smallest p-value that was possible.
    """

    observed: float
    p_value: float
    differences: FloatArray
    undefined: int
    floor: float = 0.0


def draw_swaps(method: Permutation, m: int, n: int, resamples: int, seed: int) -> Swaps:
    """The swaps of a method, the same for every pair of metrics: all of systems where they fit, else random ones."""
    if method == "systems" and 2**m <= resamples:
        patterns = (np.arange(2**m)[:, None] >> np.arange(m)) & 1
        return Swaps(systems=patterns.astype(bool), complete=True)
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
    resamples: int = DRAWS,
    seed: int = 0,
    swaps: Swaps | None = None,
    scale: Scaled = "level",
) -> PermutationTest:
    """Does ``metric`` correlate with the ratings better than ``other`` does? All three are systems × dialogues.

    ``swaps`` replaces the random ones by your own. A cell that is NaN in any of the three counts in none. With
    ``scale="matrix"`` both metrics are standardised over the whole matrix, as published tools do.
    """
    check_name("scale", scale, SCALES)
    check_name("permutation", method, PERMUTATIONS)
    check_name("alternative", alternative, ALTERNATIVES)
    if level not in ("system", "summary"):
        raise ParameterError("permutation_test", "level", "'system' or 'summary' (bootstrap the global level)", level)
    check_name("coefficient of a permutation test", coefficient, (*BASE, "mean"))
    x, y, z = as_matrices(metric, other, ratings)
    swaps = swaps or draw_swaps(method, x.shape[0], x.shape[1], resamples, seed)
    bases = BASE if coefficient == "mean" else (coefficient,)
    x, y, z = _on_one_scale(x, y, z, level, scale)
    pairs = [_differences(x, y, z, level, base, swaps) for base in bases]
    observed = float(np.mean([pair[0] for pair in pairs]))
    differences = np.mean([pair[1] for pair in pairs], axis=0)
    return PermutationTest(
        observed,
        permutation_p_value(observed, differences, alternative, complete=swaps.complete),
        differences,
        int(np.isnan(differences).sum()),
        swap_floor(swaps, alternative),
    )


def swap_floor(swaps: Swaps, alternative: Alternative = "two-sided") -> float:
    """The smallest p-value of these swaps. Swapping everything gives the same difference with the other sign."""
    if not swaps.complete:
        return 1 / (len(swaps) + 1)
    return (2 if alternative == "two-sided" else 1) / len(swaps)


def permutation_p_value(
    observed: float, differences: FloatArray, alternative: Alternative = "two-sided", *, complete: bool = False
) -> float:
    """(c + 1) / (R + 1), c being how many differences are at least as extreme as the observed one.

    c / R where the differences are ``complete``: the observed one is among them.
    """
    defined = differences[~np.isnan(differences)]
    if np.isnan(observed):
        return float("nan")
    if alternative == "two-sided":
        reached = np.abs(defined) >= abs(observed) - _EQUAL
    elif alternative == "greater":
        reached = defined >= observed - _EQUAL
    else:
        reached = defined <= observed + _EQUAL
    itself = 0 if complete else 1
    return float((reached.sum() + itself) / (len(defined) + itself))


def _on_one_scale(
    x: FloatArray, y: FloatArray, z: FloatArray, level: Level, scale: Scaled
) -> tuple[FloatArray, FloatArray, FloatArray]:
    present = enough(~(np.isnan(x) | np.isnan(y) | np.isnan(z)), level)
    how = "matrix" if scale == "matrix" else level
    scaled = [_standardised(np.where(present, matrix, 0.0), present, how) for matrix in (x, y)]
    return scaled[0], scaled[1], np.where(present, z, np.nan)


def _standardised(values: FloatArray, present: BoolArray, how: str) -> FloatArray:
    """Mean 0 and deviation 1 within each dialogue, of the systems' means, or over the whole matrix."""
    axis = 0 if how == "summary" else None
    weights = present.astype(np.float64)
    if how == "system":
        # Every cell of a system has the weight that it has in the mean of its system; the deviation is that of means.
        weights = weights / np.maximum(present.sum(axis=1, keepdims=True), 1)
    total = np.maximum(weights.sum(axis=axis, keepdims=True), np.finfo(np.float64).tiny)
    centred = (values - (weights * values).sum(axis=axis, keepdims=True) / total) * present
    spread_of = (weights * centred).sum(axis=1, keepdims=True) if how == "system" else centred
    count = present.any(axis=1).sum() if how == "system" else total
    spread = np.sqrt((spread_of**2).sum(axis=axis, keepdims=True) / np.maximum(count, 1))
    constant = spread <= 1e-13 * np.abs(values).max(axis=axis, keepdims=True, initial=0.0)
    divided = np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))
    return np.where(present, divided, np.nan)


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
    means = [matrix.sum(axis=1) / counts for matrix in (x, y, z)]
    off = [rounding(matrix) for matrix in (x, y, z)]
    if swaps.systems is not None and swaps.inputs is None and coefficient != "pearson":
        tied = np.maximum(*(each[:, None] + each for each in off[:2]))
        chosen = swaps.rows if rows.all() else SwappedRows(swaps.systems[:, rows])
        swapped = SwappedMeans(means[0], means[1], tied, chosen)
        target = np.where(np.abs(means[2][:, None] - means[2]) <= off[2][:, None] + off[2], 0.0, 1.0)
        target *= np.sign(means[2][:, None] - means[2])
        both = swapped.kendall(target) if coefficient == "kendall" else swapped.spearman(target)
        return np.asarray(both[0] - both[1])
    first, second = (np.broadcast_to(each, (len(swaps), len(counts))) for each in means[:2])
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
    if coefficient == "pearson":
        results = [_pearson(each, means[2], np.maximum(off[0], off[1]), off[2]) for each in (first, second)]
    else:
        fixed = _vectors(means[2][None], coefficient, pair_rounding(z))
        tolerance = np.maximum(pair_rounding(x), pair_rounding(y))
        results = [_with(_vectors(each, coefficient, tolerance), fixed) for each in (first, second)]
    return np.asarray(results[0] - results[1])


def _pearson(means: FloatArray, target: FloatArray, off: FloatArray, target_off: FloatArray) -> FloatArray:
    """Pearson's r of each row of system means with those of the ratings; what differs by rounding alone is constant."""
    centred, fixed = means - means.mean(axis=1, keepdims=True), target - target.mean()
    squares = np.einsum("ri,ri->r", centred, centred)
    squares[(np.abs(centred) <= 2 * off).all(axis=1)] = 0.0
    norm = 0.0 if (np.abs(fixed) <= 2 * target_off).all() else float(fixed @ fixed)
    return ratio(centred @ fixed, squares, np.asarray(norm))


def _vectors(means: FloatArray, coefficient: Coefficient, off: FloatArray) -> FloatArray:
    """What a rank coefficient correlates, for each row of system means: signs of differences, or centred ranks."""
    between = incidence(means.shape[1])
    differences = matrix_product(means, between)
    signs = np.where(np.abs(differences) <= off, 0.0, np.sign(differences))
    return signs if coefficient == "kendall" else signs @ between.T


def _with(vectors: FloatArray, fixed: FloatArray) -> FloatArray:
    return ratio(vectors @ fixed[0], np.einsum("rp,rp->r", vectors, vectors), np.sum(fixed * fixed, axis=1))


def _at_summary_level(
    x: FloatArray, y: FloatArray, z: FloatArray, coefficient: Coefficient, swaps: Swaps
) -> FloatArray:
    if swaps.cells is not None:
        first, second = swapped_cells(x, y, z, coefficient, swaps.cells)
    else:
        chosen = SwappedRows(np.zeros((1, len(x)), dtype=bool)) if swaps.systems is None else swaps.rows
        first, second = chosen.by_dialogue(x, y, z, coefficient)
        if swaps.inputs is not None:
            first, second = np.where(swaps.inputs, second, first), np.where(swaps.inputs, first, second)
    ones = np.ones_like(first)
    return np.asarray(average(first, ones)[0] - average(second, ones)[0])
