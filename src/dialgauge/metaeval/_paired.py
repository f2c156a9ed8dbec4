"""Paired differences of two measurements of the same summaries: mean, interval and test, by dialogue."""

import math
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metaeval._draws import bootstrap_weights, swap_masks
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._names import FloatArray, IntArray, check_resampling
from dialgauge.metaeval._weighted import matrix_product
from dialgauge.resampling import CONFIDENCE

#: Resamples that are processed at once, to bound memory.
_BLOCK = 512
#: Sums closer than this share of the largest possible one are equal.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class PairedDifferences:
    """One entry per column: both means, their difference (second − first), its interval and the p-value.

    NaN where a column has no pair; the interval is NaN for fewer than two dialogues. ``items`` and ``dialogues`` count
    what was paired, ``floors`` is the smallest p-value that the test can give.
    """

    first: FloatArray
    second: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    items: IntArray
    dialogues: IntArray
    floors: FloatArray


def paired_differences(
    first: FloatArray,
    second: FloatArray,
    dialogue: IntArray,
    *,
    resamples: int = 10_000,
    permutations: int | None = None,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> PairedDifferences:
    """Compare two matrices of the same items (rows) in the same measures (columns); NaN is a missing value.

    ``dialogue`` says which dialogue an item belongs to. Summaries of one dialogue are not independent, so whole
    dialogues are drawn with replacement (the percentile interval), and whole dialogues are swapped in the permutation
    test: under the null hypothesis, first and second are exchangeable. The p-value is two-sided, over all 2ⁿ swaps if
    these are at most ``permutations`` (as many as ``resamples`` where None), else (c + 1) / (R + 1) over random ones.
    """
    if first.shape != second.shape or first.ndim != 2 or len(dialogue) != len(first):
        raise ParameterError(
            "paired_differences",
            "first, second",
            "two matrices of one shape, a row per item",
            (first.shape, len(dialogue)),
        )
    check_resampling("paired_differences", resamples, confidence, seed)
    known = ~(np.isnan(first) | np.isnan(second))
    one, other = np.where(known, first, 0.0), np.where(known, second, 0.0)
    names, number = np.unique(dialogue, return_inverse=True)
    n, columns = len(names), first.shape[1]
    totals, counts = np.zeros((n, columns)), np.zeros((n, columns))
    np.add.at(totals, number, other - one)
    np.add.at(counts, number, known.astype(np.float64))
    items, dialogues = counts.sum(axis=0), (counts > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = one.sum(axis=0) / items, other.sum(axis=0) / items
        difference = totals.sum(axis=0) / items
    low, high = _interval(totals, counts, resamples, confidence, seed)
    p_value, ways = swap_p_values(totals, resamples if permutations is None else permutations, seed)
    floors = np.array([max(2.0 / 2.0 ** min(int(k), 1000), ways) for k in dialogues])
    empty = items == 0
    return PairedDifferences(
        means[0],
        means[1],
        difference,
        np.where(dialogues < 2, np.nan, low),
        np.where(dialogues < 2, np.nan, high),
        np.where(empty, np.nan, p_value),
        items.astype(np.int64),
        dialogues.astype(np.int64),
        np.minimum(floors, 1.0),
    )


def _interval(
    totals: FloatArray, counts: FloatArray, resamples: int, confidence: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    if resamples == 0:
        return np.full(totals.shape[1], np.nan), np.full(totals.shape[1], np.nan)
    drawn = bootstrap_weights(1, len(totals), resamples, "inputs", seed).dialogues
    with np.errstate(invalid="ignore", divide="ignore"):
        means = matrix_product(drawn, totals) / matrix_product(drawn, counts)
    bounds = [percentile_interval(means[:, k], confidence) for k in range(totals.shape[1])]
    low, high = zip(*bounds, strict=True) if bounds else ((), ())
    return np.array(low), np.array(high)


def swap_p_values(totals: FloatArray, permutations: int, seed: int) -> tuple[FloatArray, float]:
    """The p-value of each column, and the smallest that this many random swaps can give (0 where all are tried)."""
    n = len(totals)
    whole = totals.sum(axis=0)
    observed = np.abs(whole) - _EQUAL * np.abs(totals).sum(axis=0)
    all_ways = n <= math.log2(max(permutations, 1))
    if all_ways:
        swapped = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    else:
        swapped = swap_masks("swap-inputs", permutations, n, seed=seed)
    reached = np.zeros(totals.shape[1])
    for start in range(0, len(swapped), _BLOCK):
        moved = matrix_product(swapped[start : start + _BLOCK].astype(np.float64), totals)
        reached += (np.abs(whole - 2 * moved) >= observed).sum(axis=0)
    if all_ways:
        return reached / len(swapped), 0.0
    return (reached + 1) / (len(swapped) + 1), 1 / (len(swapped) + 1)
