"""What a perfect metric could reach: ratings are noisy, so no metric correlates with their aggregate at 1.

Raters who agree share something; how far their values covary, ρ₁, is the share of one rater's variance that they share.
The mean of k raters then has the reliability ρₖ = kρ₁ / (1 + (k − 1)ρ₁) (Spearman and Brown). A metric that gives what
raters share reaches √ρₖ, one more rater reaches √(ρ₁ρₖ), and r / √ρₖ is what a metric would reach against ratings
without noise (Spearman, 1904).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._draws import Weights
from dialgauge.metaeval._names import FloatArray, Level

#: Resamples that are computed at once.
_BLOCK = 128


@dataclass(frozen=True, slots=True)
class Reachable:
    """Per resample: what a perfect metric reaches as a Pearson correlation, and what one more rater does."""

    perfect: FloatArray
    new_rater: FloatArray


@dataclass(frozen=True, slots=True)
class Disattenuated:
    """A correlation as it would be against ratings without noise, with its interval; NaN where it is not known."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


def disattenuated(
    r: tuple[FloatArray, FloatArray, FloatArray], perfect: tuple[FloatArray, FloatArray, FloatArray]
) -> Disattenuated:
    """r over what a perfect metric reaches, each given as value, low and high; nothing lies beyond −1 and 1.

    The interval of the ratio combines those of both as if they were independent (the method of variance estimates
    recovery; Donner and Zou, 2012). Percentiles of joint draws are a tenth narrower and hold the truth less often where
    systems are few (``benchmarks/true_correlations.py``).
    """
    (value, low, high), (reached, least, most) = r, perfect
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = value / reached
        to_low, to_high = (value - low) / reached, (high - value) / reached
        by_most, by_least = ratio * (most - reached) / reached, ratio * (reached - least) / reached
        down = np.hypot(to_low, np.where(ratio > 0, by_most, by_least))
        up = np.hypot(to_high, np.where(ratio > 0, by_least, by_most))
        return Disattenuated(*(np.clip(each, -1.0, 1.0) for each in (ratio, ratio - down, ratio + up)))


def reachable_against_mean(cube: FloatArray, raters: float, level: Level, weights: Weights) -> Reachable:
    """Against the mean of this number of raters; ``cube`` has raters × systems × dialogues, NaN where missing."""
    one = _in_blocks(weights, lambda part: _shared(cube, level, part))
    with np.errstate(invalid="ignore"):
        one = np.where(one > 0, np.minimum(one, 1.0), np.nan)
        mean = raters * one / (1 + (raters - 1) * one)
        return Reachable(np.sqrt(mean), np.sqrt(one * mean))


def reachable_against_model(values: FloatArray, sds: FloatArray, level: Level, weights: Weights) -> Reachable:
    """Against values that a model of the raters made, with their standard deviations (systems × dialogues each).

    The model's values are drawn together by as much as they are uncertain: the truth varies by the sum of both. NaN at
    system level: the model does not know how raters see systems, which does not average out over dialogues.
    """
    if level == "system":
        return Reachable(*(np.full(len(weights), np.nan),) * 2)
    found = _in_blocks(weights, lambda part: _reliability(values, sds, level, part))
    return Reachable(np.sqrt(found), np.full(len(found), np.nan))


def _in_blocks(weights: Weights, compute: Callable[[Weights], FloatArray]) -> FloatArray:
    parts = [compute(weights.part(start, start + _BLOCK)) for start in range(0, len(weights), _BLOCK)]
    return np.concatenate(parts) if parts else np.empty(0)


def _shared(cube: FloatArray, level: Level, weights: Weights) -> FloatArray:
    """The covariance between raters over the variance of one, for each resample."""
    among, freedom_among, own, freedom = (np.zeros(len(weights)) for _ in range(4))
    for i in range(len(cube)):
        for j in range(i, len(cube)):
            product, degrees = _covariation(cube[i], cube[j], level, weights)
            if i == j:
                own, freedom = own + product, freedom + degrees
            else:
                among, freedom_among = among + product, freedom_among + degrees
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((among / freedom_among) / (own / freedom))


def _covariation(one: FloatArray, other: FloatArray, level: Level, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """The sum of products of deviations from each rater's mean, and its degrees of freedom, over shared summaries."""
    here = (~(np.isnan(one) | np.isnan(other))).astype(np.float64)
    x, y = np.nan_to_num(one) * here, np.nan_to_num(other) * here
    s, d = weights.systems, weights.dialogues
    if level == "system":
        count = d @ here.T
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y = np.nan_to_num(d @ x.T / count), np.nan_to_num(d @ y.T / count)
        w = s * (count > 0)
        total = w.sum(axis=1)
        product = (w * x * y).sum(axis=1) - _ratio((w * x).sum(axis=1) * (w * y).sum(axis=1), total)
        return product, np.maximum(total - 1, 0)
    count, sums = s @ here, (s @ x, s @ y, s @ (x * y))
    if level == "summary":
        product = sums[2] - _ratio(sums[0] * sums[1], count)
        return (d * product).sum(axis=1), (d * np.maximum(count - 1, 0)).sum(axis=1)
    total = (d * count).sum(axis=1)
    first, second, both = ((d * each).sum(axis=1) for each in sums)
    return both - _ratio(first * second, total), np.maximum(total - 1, 0)


def _ratio(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """Zero where there is nothing to divide by."""
    return np.asarray(np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0))


def _reliability(values: FloatArray, sds: FloatArray, level: Level, weights: Weights) -> FloatArray:
    product, degrees = _covariation(values, values, level, weights)
    here = (~np.isnan(values)).astype(np.float64)
    noise = np.nan_to_num(sds) ** 2 * here
    s, d = weights.systems, weights.dialogues
    error = _ratio((d * (s @ noise)).sum(axis=1), (d * (s @ here)).sum(axis=1))
    spread = _ratio(product, degrees)
    return np.asarray(np.where(spread > 0, spread / np.maximum(spread + error, 1e-300), np.nan))
