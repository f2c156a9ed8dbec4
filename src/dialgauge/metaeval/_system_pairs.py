"""Every two systems by one measure, all pairs at once: means, wins, and the test that swaps within dialogues.

Swapping within dialogues turns signs of differences, and a sum of signed differences is the difference of two signed
sums: those are made once for each system, not for each pair.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dialgauge.metaeval._draws import swap_masks
from dialgauge.metaeval._names import BoolArray, FloatArray, IntArray
from dialgauge.metaeval._paired import swap_p_values
from dialgauge.metaeval._pairs import pair_indices
from dialgauge.metrics.kernels import Swaps, swaps_reached

#: Differences below this share of the largest are ties: machines differ in the last digits.
_TIED = 1e-9
#: Sums closer than this share of the largest possible one are equal.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class PairedSystems:
    """An entry per pair of systems, in the order of :func:`pair_indices`; NaN where a number does not exist."""

    mean: FloatArray
    other_mean: FloatArray
    difference: FloatArray
    error: FloatArray
    effect: FloatArray
    p_value: FloatArray
    floor: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray
    dialogues: IntArray


def pair_systems(values: FloatArray, lower: bool, permutations: int, seed: int) -> PairedSystems:
    """Compare all rows of systems × dialogues; NaN is a missing value. 0 ``permutations``: no test."""
    first, second = pair_indices(len(values))
    one, other = values[first], values[second]
    differences = one - other
    known = ~np.isnan(differences)
    count = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [np.where(known, side, 0.0).sum(axis=1) / count for side in (one, other)]
        difference = np.where(known, differences, 0.0).sum(axis=1) / count
        around = np.where(known, differences - difference[:, None], 0.0)
        spread = np.sqrt((around * around).sum(axis=1) / (count - 1))
        effect = np.where(spread > 0, difference / spread, np.nan)
        error = np.where(count > 1, spread / np.sqrt(count), np.nan)
    small = _TIED * np.max(np.abs(differences), axis=1, initial=0.0, where=known, keepdims=True)
    signed = np.where(known, -differences if lower else differences, 0.0)
    p_value, least = _p_values(values, differences, known, permutations, seed)
    floor = np.array([max(2.0 / 2.0 ** min(int(n), 1000), least) for n in count])
    return PairedSystems(
        means[0],
        means[1],
        difference,
        error,
        effect,
        np.where(count == 0, np.nan, p_value),
        np.minimum(floor, 1.0),
        ((signed > small) & known).sum(axis=1),
        ((np.abs(signed) <= small) & known).sum(axis=1),
        ((signed < -small) & known).sum(axis=1),
        count,
    )


def _p_values(
    values: FloatArray, differences: FloatArray, known: BoolArray, permutations: int, seed: int
) -> tuple[FloatArray, float]:
    """Two-sided, over all ways to swap if these are at most ``permutations``; and the least that random ones give."""
    found = np.full(len(differences), np.nan)
    if not permutations:
        return found, 0.0
    n = values.shape[1]
    complete = known.all(axis=1)
    all_ways = n <= math.log2(permutations)
    if not complete.all():
        totals = np.where(known, differences, 0.0)[~complete]
        found[~complete] = swap_p_values(totals.T, permutations, seed)[0]
    if complete.any():
        reached, ways = _reached(values, differences, permutations, seed)
        p_values = reached / ways if all_ways else (reached + 1) / (ways + 1)
        found[complete] = p_values[complete]
    return found, 0.0 if all_ways else 1 / (permutations + 1)


def _reached(values: FloatArray, differences: FloatArray, permutations: int, seed: int) -> tuple[IntArray, int]:
    """How many swaps give every pair a difference that is at least as large as its own, and how many there were."""
    swaps = drawn_swaps(values.shape[1], permutations, seed)
    # Around the mean of each dialogue, which no difference sees, so that sums are as small as they can be.
    some = ~np.isnan(values)
    centre = np.where(some, values, 0.0).sum(axis=0) / np.maximum(some.sum(axis=0), 1)
    observed = np.abs(differences.sum(axis=1)) - _EQUAL * np.abs(differences).sum(axis=1)
    return swaps_reached(np.where(some, values - centre, 0.0), swaps, observed), len(swaps)


@lru_cache(maxsize=1)
def drawn_swaps(n: int, permutations: int, seed: int) -> Swaps:
    """All ways to swap n dialogues if these are at most ``permutations``, else as many random ones."""
    if n <= math.log2(permutations):
        return Swaps(np.asarray((np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1))
    return Swaps(swap_masks("swap-inputs", permutations, n, seed=seed))
