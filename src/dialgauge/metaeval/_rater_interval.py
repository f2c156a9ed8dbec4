"""The interval of a difference between two systems: for the raters of the study, and for other raters like them.

A mean over three raters hides that each of them likes some systems more than others. Drawing dialogues alone treats
those three as all there are; read as a claim about people in general, its error grows with the number of dialogues.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dialgauge.metaeval._names import FloatArray


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """A mean difference with its interval and two-sided p-value; NaN where they cannot be known.

    ``units`` counts what the interval is over.
    """

    value: float
    low: float
    high: float
    p_value: float
    units: int


def over_dialogues(differences: FloatArray, confidence: float) -> MeanDifference:
    """The mean of one difference per dialogue, with Student's t interval; NaN entries are left out."""
    known = differences[~np.isnan(differences)]
    n = len(known)
    error = float(known.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return mean_difference(float(known.mean()) if n else math.nan, error, n, confidence, tested=True)


def mean_difference(value: float, error: float, units: int, confidence: float, *, tested: bool) -> MeanDifference:
    """A mean of one difference per dialogue, with Student's t interval and, if ``tested``, its p-value."""
    if units < 2:
        return _without_interval(value, units)
    if not tested and error:
        half = _student(units - 1, (1 - confidence) / 2) * error
        return MeanDifference(value, value - half, value + half, math.nan, units)
    return _made(value, error, {units - 1: 1.0}, confidence, units)


def over_raters(one: FloatArray, other: FloatArray, confidence: float) -> MeanDifference:
    """The same for other raters and dialogues: single ratings of two systems (raters × dialogues), NaN where missing.

    The variance is the sum of that between dialogues and that between raters (Clark 1973; Cameron, Gelbach and Miller
    2011 for incomplete designs). Where every rater rated all, what both count, the single rating's noise, is taken out
    once. The quantile is Cochran's: those of the two variances, weighted by them, because three raters leave
    two degrees of freedom whatever the number of dialogues. No interval for fewer than two raters or dialogues.
    """
    shared = (~np.isnan(one)).any(axis=0) & (~np.isnan(other)).any(axis=0)
    one, other = one[:, shared], other[:, shared]
    present = (~np.isnan(one)).any(axis=1) | (~np.isnan(other)).any(axis=1)
    one, other = one[present], other[present]
    raters, dialogues = one.shape
    if not dialogues:
        return _without_interval(math.nan, 0)
    parts = _contribution(one) - _contribution(other)
    value = float(_mean(one) - _mean(other))
    if raters < 2 or dialogues < 2:
        return _without_interval(value, raters)
    by_dialogue = _variance(parts.sum(axis=0))
    by_rater = _variance(parts.sum(axis=1))
    total = by_dialogue + by_rater
    weights = {dialogues - 1: by_dialogue}
    weights[raters - 1] = weights.get(raters - 1, 0.0) + by_rater
    counted_twice = _noise(one - other)
    error = math.sqrt(max(by_dialogue, by_rater, total - counted_twice))
    return _made(value, error, weights, confidence, raters)


def _without_interval(value: float, units: int) -> MeanDifference:
    return MeanDifference(value, math.nan, math.nan, math.nan, units)


def _made(value: float, error: float, weights: Mapping[int, float], confidence: float, units: int) -> MeanDifference:
    """Interval and p-value of a mean with a standard error; ``weights`` are those of the degrees of freedom."""
    if not error:
        return MeanDifference(value, value, value, 1.0 if not value else 0.0, units)
    half = _quantile(weights, (1 - confidence) / 2) * error
    return MeanDifference(value, value - half, value + half, 2 * _tail(weights, abs(value) / error), units)


def _mean(ratings: FloatArray) -> float:
    return float(np.nanmean(ratings, axis=0).mean())


def _contribution(ratings: FloatArray) -> FloatArray:
    """What each rating adds to the mean over dialogues of the mean over raters, beyond that mean."""
    weights = 1.0 / ((~np.isnan(ratings)).sum(axis=0) * ratings.shape[1])
    parts: FloatArray = np.nan_to_num((ratings - _mean(ratings)) * weights)
    return parts


def _variance(sums: FloatArray) -> float:
    """Of a total of independent contributions."""
    count = len(sums)
    return float((sums**2).sum()) * count / (count - 1)


def _noise(differences: FloatArray) -> float:
    """What is left in a complete table once raters and dialogues are known, in the variance of its mean; else 0."""
    if np.isnan(differences).any():
        return 0.0
    raters, dialogues = differences.shape
    left = differences - differences.mean(axis=0) - differences.mean(axis=1, keepdims=True) + differences.mean()
    return float((left**2).sum() / ((raters - 1) * (dialogues - 1)) / (raters * dialogues))


@lru_cache(maxsize=1024)
def _student(degrees: int, tail: float) -> float:
    return _quantile({degrees: 1.0}, tail)


def _quantile(weights: Mapping[int, float], tail: float) -> float:
    """How far from zero Student's t leaves ``tail`` on one side: the mean over degrees of freedom, weighted."""
    from scipy.special import stdtrit

    total = sum(weights.values())
    return float(-sum(weight * stdtrit(degrees, tail) for degrees, weight in weights.items()) / total)


def _tail(weights: Mapping[int, float], distance: float) -> float:
    """The tail whose quantile is ``distance``: the inverse of :func:`_quantile`, by halving the logarithm."""
    low, high = -700.0, math.log(0.5)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _quantile(weights, math.exp(middle)) > distance else (low, middle)
    return math.exp(high)
