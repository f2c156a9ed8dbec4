"""Tests of two systems that were rated on different dialogues."""

import math
from collections.abc import Sequence

import numpy as np

from dialgauge.arrays import FloatArray

#: Values that differ by less are equal.
_DUST = 1e-12


def unpaired_test(
    ours: Sequence[float], theirs: Sequence[float], permutations: int, confidence: float, seed: int
) -> dict[str, object]:
    """Welch's t-test, the Mann–Whitney test and a permutation test of two independent groups, with Cohen's d."""
    one, other = np.array(ours, dtype=np.float64), np.array(theirs, dtype=np.float64)
    facts: dict[str, object] = {"design": "unpaired", "n": len(one), "n_baseline": len(other)}
    if not len(one) or not len(other):
        return facts | {"note": "one of the systems has no ratings"}
    difference = float(one.mean() - other.mean())
    facts |= {"mean": float(one.mean()), "baseline_mean": float(other.mean()), "difference": difference}
    if min(len(one), len(other)) < 2:
        return facts | {"note": "only one dialogue: cannot be tested"}
    from scipy import stats

    variances = one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)
    facts["p_permutation"] = _permutation_p_value(one, other, permutations, seed)
    facts["p_wilcoxon"] = float(stats.mannwhitneyu(one, other, alternative="two-sided").pvalue)
    if sum(variances) < _DUST:
        return facts | {"note": "the ratings of each system do not vary: no t-test"}
    tested = stats.ttest_ind(one, other, equal_var=False)
    interval = tested.confidence_interval(confidence)
    return facts | {
        "p_t": float(tested.pvalue),
        "low": float(interval.low),
        "high": float(interval.high),
        **_effect(one, other, difference, confidence),
    }


def _effect(one: FloatArray, other: FloatArray, difference: float, confidence: float) -> dict[str, object]:
    """Cohen's d over the pooled standard deviation, with its exact interval from the noncentral t."""
    freedom = len(one) + len(other) - 2
    pooled = math.sqrt(((len(one) - 1) * one.var(ddof=1) + (len(other) - 1) * other.var(ddof=1)) / freedom)
    scale = math.sqrt(1 / len(one) + 1 / len(other))
    low, high = (end * scale for end in noncentral_interval(difference / pooled / scale, freedom, confidence))
    return {"effect": difference / pooled, "effect_low": low, "effect_high": high}


def _permutation_p_value(one: FloatArray, other: FloatArray, permutations: int, seed: int) -> float:
    """Two-sided p-value of the difference of means when the systems' names are random."""
    everything = np.concatenate([one, other])
    everything = everything - everything.mean()
    observed = abs(one.mean() - other.mean()) - _DUST
    generator, extreme = np.random.default_rng(seed), 0
    for start in range(0, permutations, 1000):
        keys = generator.random((min(1000, permutations - start), len(everything)))
        first = everything[np.argsort(keys, axis=1)[:, : len(one)]].sum(axis=1)
        extreme += int((np.abs(first / len(one) + first / len(other)) >= observed).sum())
    return (extreme + 1) / (permutations + 1)


def noncentral_interval(t: float, freedom: int, confidence: float) -> tuple[float, float]:
    """The noncentralities under which t lies at the edges of its distribution.

    The noncentral t is integrated here as a normal probability over the distribution of s/σ: that stays finite for
    every t and n, which SciPy's does not.
    """
    from scipy.integrate import simpson
    from scipy.optimize import brentq
    from scipy.special import chdtri, gammaln, ndtr

    ends = np.sqrt(chdtri(freedom, np.array([1 - 1e-14, 1e-14])) / freedom)
    ratio = np.linspace(ends[0], ends[1], 801)
    with np.errstate(divide="ignore"):
        powers = (freedom - 1) * np.log(ratio) if freedom > 1 else np.zeros_like(ratio)
    constant = freedom / 2 * math.log(freedom / 2) + math.log(2) - gammaln(freedom / 2)
    density = np.exp(constant + powers - freedom * ratio**2 / 2)
    density /= simpson(density, x=ratio)

    scaled = t * ratio

    def noncentrality(quantile: float) -> float:
        def surplus(delta: float) -> float:
            return float(simpson(ndtr(scaled - delta) * density, x=ratio)) - quantile

        return float(brentq(surplus, scaled.min() - 10, scaled.max() + 10))

    edge = (1 - confidence) / 2
    return noncentrality(1 - edge), noncentrality(edge)
