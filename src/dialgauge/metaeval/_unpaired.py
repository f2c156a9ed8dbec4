"""Systems with values on different dialogues: their means over all of their own, compared by Welch's t-test."""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import BoolArray, FloatArray, IntArray

#: Values that differ by less are equal.
_DUST = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class UnpairedSystems:
    """An entry per pair of systems; ``apart`` says which pairs these are, all other entries are NaN."""

    apart: BoolArray
    mean: FloatArray
    other_mean: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    effect: FloatArray


def unpaired_systems(values: FloatArray, first: IntArray, second: IntArray, confidence: float) -> UnpairedSystems:
    """Compare rows of systems × dialogues (NaN: missing) that share fewer than half of the dialogues of either.

    ``effect`` is the difference by the pooled standard deviation. No test where a system has one dialogue, or where
    neither varies.
    """
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    shared = (known[first] & known[second]).sum(axis=1)
    fewer = np.minimum(count[first], count[second])
    apart = (2 * shared < fewer) & (fewer > 0)
    found = UnpairedSystems(apart, *(np.full(len(first), np.nan) for _ in range(7)))
    for pair in np.flatnonzero(apart):
        one, other = (values[row][known[row]] for row in (first[pair], second[pair]))
        found.mean[pair], found.other_mean[pair] = one.mean(), other.mean()
        found.difference[pair] = one.mean() - other.mean()
        if min(len(one), len(other)) < 2 or max(np.ptp(one), np.ptp(other)) < _DUST:
            continue
        half, found.p_value[pair] = _welch(one, other, confidence)
        found.low[pair], found.high[pair] = found.difference[pair] - half, found.difference[pair] + half
        squares = sum(len(side) * float(side.var()) for side in (one, other))
        found.effect[pair] = found.difference[pair] / np.sqrt(squares / (len(one) + len(other) - 2))
    return found


def _welch(one: FloatArray, other: FloatArray, confidence: float) -> tuple[float, float]:
    """Half the width of the interval of the difference of two means, and its two-sided p-value."""
    from scipy.special import stdtr, stdtrit

    parts = [float(side.var(ddof=1)) / len(side) for side in (one, other)]
    error = float(np.sqrt(sum(parts)))
    below = sum(part**2 / (len(side) - 1) for part, side in zip(parts, (one, other), strict=True))
    degrees = error**4 / below
    away = abs(float(one.mean() - other.mean())) / error
    return float(-stdtrit(degrees, (1 - confidence) / 2)) * error, float(2 * stdtr(degrees, -away))
