"""What the tests and intervals promise, by simulation with a fixed seed.

Two metrics that are equally good (identically distributed) are compared many times: a test at 5 % should call one of
them better about 5 % of the time. Metrics of real studies have biases of their own towards systems; then only tests
that treat the systems as drawn keep that promise.
"""

import numpy as np
import pytest

from dialgauge.metaeval import (
    bootstrap,
    bootstrap_weights,
    correlation,
    fisher_interval,
    percentile_interval,
    permutation_test,
    weighted_values,
    williams_test,
)
from dialgauge.metaeval._permutation import draw_swaps

REPETITIONS = 300
SYSTEMS, DIALOGUES = 14, 60
RESAMPLES = 200


def equally_good(generator: np.random.Generator, bias: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings and two metrics that see the same quality through noise (sd 1) and system-specific bias (sd ``bias``)."""
    quality = 0.3 * generator.normal(size=(SYSTEMS, 1)) + 0.5 * generator.normal(size=(SYSTEMS, DIALOGUES))
    x, y = (
        quality + bias * generator.normal(size=(SYSTEMS, 1)) + generator.normal(size=quality.shape) for _ in range(2)
    )
    return x, y, quality + 0.3 * generator.normal(size=quality.shape)


def rejections(bias: float) -> dict[str, float]:
    """How often each test rejects, at 5 %, that two equally good metrics are equally good."""
    generator = np.random.default_rng(17)
    swaps = {
        method: draw_swaps(method, SYSTEMS, DIALOGUES, RESAMPLES, seed=1)
        for method in ("systems", "inputs", "both", "cells")
    }
    weights = bootstrap_weights(SYSTEMS, DIALOGUES, RESAMPLES, "both", seed=1)
    found = dict.fromkeys([*swaps, "williams", "bootstrap"], 0)
    for _ in range(REPETITIONS):
        x, y, z = equally_good(generator, bias)
        for method, chosen in swaps.items():
            found[method] += permutation_test(x, y, z, "system", "pearson", swaps=chosen).p_value <= 0.05
        xz, yz, xy = (correlation(a, b, "system", "pearson") for a, b in ((x, z), (y, z), (x, y)))
        found["williams"] += williams_test(xz, yz, xy, SYSTEMS) <= 0.05
        one, other = (weighted_values(a, z, "system", "pearson", weights) for a in (x, y))
        low, high = percentile_interval(one - other, 0.95)
        found["bootstrap"] += low > 0 or high < 0
    return {name: count / REPETITIONS for name, count in found.items()}


def test_without_bias_every_test_keeps_its_level():
    rates = rejections(0.0)
    # 300 repetitions of a 5 % test: two standard errors are 2.5 points.
    for name in ("systems", "inputs", "both", "cells", "williams"):
        assert 0.01 <= rates[name] <= 0.09, rates
    assert rates["bootstrap"] <= 0.05, rates


def test_with_system_bias_only_tests_over_systems_keep_their_level():
    rates = rejections(0.5)
    for name in ("systems", "williams"):
        assert rates[name] <= 0.09, rates
    assert rates["bootstrap"] <= 0.09, rates
    for name in ("inputs", "both", "cells"):
        assert rates[name] >= 0.4, rates


def test_tests_over_systems_have_power():
    generator = np.random.default_rng(3)
    found = 0
    for _ in range(60):
        x, _, z = equally_good(generator, 0.1)
        noise = generator.normal(size=(SYSTEMS, 1)) + generator.normal(size=x.shape)
        found += permutation_test(x, noise, z, "system", "pearson", resamples=RESAMPLES).p_value <= 0.05
    assert found >= 0.7 * 60


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_fisher_intervals_cover(coefficient):
    """Systems drawn from a bivariate normal: the interval holds the true coefficient about 95 % of the time."""
    rho = 0.6
    truth = {
        "pearson": rho,
        "spearman": 6 / np.pi * np.arcsin(rho / 2),
        "kendall": 2 / np.pi * np.arcsin(rho),
    }[coefficient]
    generator = np.random.default_rng(11)
    covered = 0
    for _ in range(600):
        x = generator.normal(size=(25, 1))
        z = rho * x + np.sqrt(1 - rho**2) * generator.normal(size=(25, 1))
        low, high = fisher_interval(correlation(x, z, "system", coefficient), 25, coefficient)
        covered += low <= truth <= high
    assert 0.92 <= covered / 600 <= 0.98


def test_bootstrap_intervals_cover():
    """The percentile interval over systems is known to be a little short with few systems, and the BCa one, too."""
    rho, repetitions = 0.6, 200
    generator = np.random.default_rng(12)
    covered = {"percentile": 0, "bca": 0}
    for _ in range(repetitions):
        x = generator.normal(size=(25, 1))
        z = rho * x + np.sqrt(1 - rho**2) * generator.normal(size=(25, 1))
        for interval in covered:
            result = bootstrap(x, z, "system", "pearson", resample="systems", interval=interval, resamples=400)
            covered[interval] += result.low <= rho <= result.high
    for interval, count in covered.items():
        assert 0.87 <= count / repetitions <= 0.98, interval
