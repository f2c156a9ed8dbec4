"""The interval of a difference between two systems: for the raters of the study, and for other raters like them.

A mean over three raters hides that each of them likes some systems more than others. Drawing dialogues alone treats
those three as all there are; read as a claim about people in general, its error grows with the number of dialogues.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import BoolArray, FloatArray, IntArray
from dialgauge.metaeval._student_mix import StudentMix


@dataclass(frozen=True, slots=True, eq=False)
class MeanDifferences:
    """Mean differences, an entry each, with intervals and two-sided p-values; NaN where they cannot be known.

    ``units`` counts what an interval is over.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    units: IntArray


def over_dialogues(differences: FloatArray, confidence: float) -> MeanDifferences:
    """The mean of one difference per dialogue (last axis), with Student's t interval; NaN entries are left out."""
    known = ~np.isnan(differences)
    units = np.asarray(known.sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.asarray(np.where(known, differences, 0.0).sum(axis=-1) / units)
        around = np.where(known, differences - value[..., None], 0.0)
        error = np.sqrt((around**2).sum(axis=-1) / (units - 1) / units)
    return mean_differences(value, np.asarray(error), units, confidence, tested=True)


def mean_differences(
    value: FloatArray, error: FloatArray, units: IntArray, confidence: float, *, tested: bool
) -> MeanDifferences:
    """Means of one difference per dialogue, with Student's t intervals and, if ``tested``, their p-values."""
    degrees = np.maximum(units - 1, 1)
    mix = StudentMix(degrees, degrees, np.ones(value.shape), np.zeros(value.shape))
    return _made(value, error, mix, confidence, units, known=units > 1, tested=tested)


@dataclass(frozen=True, slots=True, eq=False)
class _Design:
    """Of each mean over raters and dialogues: its value, its two variances, their noise, and how many there are."""

    value: FloatArray
    by_dialogue: FloatArray
    by_rater: FloatArray
    noise: FloatArray
    dialogues: IntArray
    raters: IntArray

    def interval(self, confidence: float) -> MeanDifferences:
        """The variance is the sum of both, and what both count, the noise of single ratings, is taken out once."""
        known = (self.raters > 1) & (self.dialogues > 1)
        total = self.by_dialogue + self.by_rater
        error = np.sqrt(np.maximum(np.maximum(self.by_dialogue, self.by_rater), total - self.noise))
        one, other = (np.maximum(count - 1, 1) for count in (self.dialogues, self.raters))
        mix = StudentMix(one, other, self.by_dialogue, self.by_rater)
        units = np.where(self.dialogues > 0, self.raters, 0)
        return _made(self.value, error, mix, confidence, units, known=known, tested=True)


def over_raters(one: FloatArray, other: FloatArray, confidence: float) -> MeanDifferences:
    """The same for other raters and dialogues: single ratings of two systems (… × raters × dialogues), NaN: missing.

    The variance is the sum of that between dialogues and that between raters (Clark 1973; Cameron, Gelbach and Miller
    2011 for incomplete designs). Where every rater rated all, what both count, the single rating's noise, is taken out
    once. The quantile is Cochran's: those of the two variances, weighted by them, because three raters leave
    two degrees of freedom whatever the number of dialogues. No interval for fewer than two raters or dialogues.
    """
    return _design(one, other).interval(confidence)


def pairs_over_raters(cube: FloatArray, confidence: float) -> MeanDifferences:
    """:func:`over_raters` of every two systems (systems × raters × dialogues), in the order of ``pair_indices``."""
    parts = [_design(cube[i], cube[i + 1 :]) for i in range(len(cube) - 1)]
    return _Design(*(_joined(parts, name) for name in _Design.__slots__)).interval(confidence)


def _joined(parts: Sequence[_Design], name: str) -> np.ndarray:
    return np.concatenate([getattr(part, name) for part in parts])


def _design(one: FloatArray, other: FloatArray) -> _Design:
    """Only dialogues that have a rating of both systems count, and only raters who have one there."""
    one, other = np.broadcast_arrays(one, other)
    rated, too = ~np.isnan(one), ~np.isnan(other)
    shared = np.asarray(rated.any(axis=-2, keepdims=True) & too.any(axis=-2, keepdims=True))
    rated, too = rated & shared, too & shared
    present = np.asarray((rated | too).any(axis=-1))
    dialogues, raters = np.asarray(shared.sum(axis=(-2, -1))), np.asarray(present.sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, parts = _contributions(one, rated, dialogues)
        other_mean, other_parts = _contributions(other, too, dialogues)
        parts -= other_parts
        by_dialogue = _variance(parts.sum(axis=-2), dialogues)
        by_rater = _variance(parts.sum(axis=-1), raters)
        noise = _noise(one - other, shared, present, rated & too)
    return _Design(mean - other_mean, by_dialogue, by_rater, noise, dialogues, raters)


def _contributions(ratings: FloatArray, rated: BoolArray, dialogues: IntArray) -> tuple[FloatArray, FloatArray]:
    """The mean over dialogues of the mean over raters, and what each rating adds to it beyond that mean."""
    weights = np.where(rated, 1.0 / (rated.sum(axis=-2, keepdims=True) * dialogues[..., None, None]), 0.0)
    filled = np.where(rated, ratings, 0.0)
    mean = np.where(dialogues > 0, (filled * weights).sum(axis=(-2, -1)), np.nan)
    return mean, np.asarray(np.where(rated, filled - mean[..., None, None], 0.0) * weights)


def _variance(sums: FloatArray, count: IntArray) -> FloatArray:
    """Of a total of independent contributions."""
    return np.asarray((sums**2).sum(axis=-1) * count / (count - 1))


def _noise(differences: FloatArray, shared: BoolArray, present: BoolArray, known: BoolArray) -> FloatArray:
    """What is left in complete tables once raters and dialogues are known, in the variance of their means; else 0."""
    used = shared & present[..., None]
    raters, dialogues = present.sum(axis=-1)[..., None, None], shared.sum(axis=-1, keepdims=True)
    filled = np.where(used & known, differences, 0.0)
    of_raters = filled.sum(axis=-1, keepdims=True) / dialogues
    of_dialogues = filled.sum(axis=-2, keepdims=True) / raters
    left = np.where(used, filled - of_dialogues - of_raters + of_raters.sum(axis=-2, keepdims=True) / raters, 0.0)
    r, n = raters[..., 0, 0], dialogues[..., 0, 0]
    noise = (left**2).sum(axis=(-2, -1)) / ((r - 1) * (n - 1)) / (r * n)
    return np.asarray(np.where((known == used).all(axis=(-2, -1)), noise, 0.0))


def _made(
    value: FloatArray,
    error: FloatArray,
    mix: StudentMix,
    confidence: float,
    units: IntArray,
    *,
    known: BoolArray,
    tested: bool,
) -> MeanDifferences:
    """Intervals and p-values of means with standard errors, where those are ``known``."""
    spread = known & (error > 0)
    half = np.where(spread, mix.quantile((1 - confidence) / 2) * np.where(spread, error, 0.0), 0.0)
    low, high = np.where(known, value - half, np.nan), np.where(known, value + half, np.nan)
    p_value = np.full(value.shape, np.nan)
    if tested:
        distance = np.abs(value) / np.where(spread, error, 1.0)
        # Without any spread, a difference is certain.
        p_value = np.where(spread, 2 * mix.tail(np.where(spread, distance, 0.0)), np.where(value == 0, 1.0, 0.0))
        p_value = np.where(known, p_value, np.nan)
    return MeanDifferences(value, low, high, p_value, units)
