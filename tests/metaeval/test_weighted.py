"""The engine against scipy, nlpstats and itself."""

# ruff: noqa: NPY002 — nlpstats draws from the global generator, so its draws are replayed from there.

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.metaeval import (
    Weights,
    bootstrap,
    bootstrap_weights,
    correlation,
    count_draws,
    per_dialogue,
    weighted_values,
)
from dialgauge.metaeval._weighted import resampled_correlations
from tests.metaeval.metaeval_oracles import slow_correlation

LEVELS = ("system", "summary", "global")
BASE = ("pearson", "spearman", "kendall")


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("coefficient", BASE)
@pytest.mark.parametrize("level", LEVELS)
def test_plain_values_equal_scipy(made, level, coefficient, missing):
    x, y, z = made(missing=missing)
    for metric in (x, y):
        expected = slow_correlation(metric, z, level, coefficient)
        assert correlation(metric, z, level, coefficient) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("coefficient", BASE)
@pytest.mark.parametrize("level", LEVELS)
def test_resamples_equal_the_matrices_they_stand_for(made, level, coefficient, missing):
    x, y, z = made(missing=missing)
    weights = bootstrap_weights(8, 15, 6, "both", seed=3)
    values = resampled_correlations(np.stack([x, y]), z[None], level, coefficient, weights).values[:, :, 0]
    for r in range(6):
        rows = np.repeat(np.arange(len(x)), weights.systems[r].astype(int))
        columns = np.repeat(np.arange(x.shape[1]), weights.dialogues[r].astype(int))
        for p, metric in enumerate((x, y)):
            expected = slow_correlation(metric[np.ix_(rows, columns)], z[np.ix_(rows, columns)], level, coefficient)
            assert values[r, p] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("coefficient", BASE)
@pytest.mark.parametrize(("level", "theirs"), [("system", "system"), ("summary", "input"), ("global", "global")])
def test_bootstrap_equals_nlpstats_on_identical_draws(made, level, theirs, coefficient):
    nlpstats = pytest.importorskip("nlpstats.correlations")
    x, _, z = made(m=9, n=12)
    np.random.seed(5)
    draws = [(np.random.choice(9, 9), np.random.choice(12, 12)) for _ in range(20)]
    np.random.seed(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = nlpstats.bootstrap(x, z, theirs, coefficient, "both", n_resamples=20)
    rows, columns = (np.stack(part) for part in zip(*draws, strict=True))
    result = bootstrap(x, z, level, coefficient, weights=Weights(count_draws(rows, 9), count_draws(columns, 12)))
    np.testing.assert_allclose(result.values, expected.samples, atol=1e-12, rtol=0)
    assert (result.low, result.high) == pytest.approx((expected.lower, expected.upper), abs=1e-12)


def test_chunks_do_not_change_values(made, monkeypatch):
    x, _, z = made(m=7, n=9)
    weights = bootstrap_weights(7, 9, 50, "both", 0)
    for level in LEVELS:
        for coefficient in BASE:
            whole = weighted_values(x, z, level, coefficient, weights)
            with monkeypatch.context() as patch:
                patch.setattr("dialgauge.metaeval._weighted._chunk", lambda *_: 7)
                np.testing.assert_allclose(weighted_values(x, z, level, coefficient, weights), whole, atol=1e-13)


def test_constant_dialogues_are_skipped_and_counted(made):
    x, _, z = made()
    x[:, 3] = 0.25
    weights = Weights(np.ones((1, 8)), np.ones((1, 15)))
    for coefficient in BASE:
        assert resampled_correlations(x[None], z[None], "summary", coefficient, weights).skipped[0, 0, 0] == 2
        each = per_dialogue(x, z, coefficient)
        assert np.flatnonzero(np.isnan(each)).tolist() == [0, 3]
        assert np.nanmean(each) == pytest.approx(correlation(x, z, "summary", coefficient), abs=1e-14)


def test_an_outlier_does_not_cost_precision():
    """Resamples without the outlier must not inherit its scale: a difference of large sums would lose eight digits."""
    generator = np.random.default_rng(1)
    x, z = generator.normal(size=(2, 10, 4))
    x[0] = 1e9
    weights = Weights(np.r_[0.0, np.ones(9)][None], np.ones((1, 4)))
    for level in ("system", "summary"):
        inner = correlation(x[1:], z[1:], level, "pearson")
        assert weighted_values(x, z, level, "pearson", weights)[0] == pytest.approx(inner, abs=1e-12)


def test_equal_means_are_ties_whatever_the_rounding():
    """The means of 1/3, 2/3, 3/3 in any order are equal, even though sums in floating point differ."""
    thirds = np.array([1, 2, 3, 4, 5, 7]) / 3
    generator = np.random.default_rng(0)
    x = np.stack([generator.permutation(thirds) for _ in range(6)] + [thirds + 1])
    z = np.arange(7)[:, None] + np.zeros((7, 6))
    assert correlation(x, z, "system", "kendall") == pytest.approx(6 / np.sqrt(6 * 21), abs=1e-14)


def test_mean_is_the_mean_of_three(made):
    x, _, z = made()
    for level in LEVELS:
        three = [correlation(x, z, level, coefficient) for coefficient in BASE]
        assert correlation(x, z, level, "mean") == pytest.approx(np.mean(three), abs=1e-14)


matrices = st.tuples(st.integers(3, 7), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())


def _random(shape: tuple[int, int, int, bool]) -> tuple[np.ndarray, np.ndarray]:
    m, n, seed, tied = shape
    generator = np.random.default_rng(seed)
    x, z = generator.normal(size=(2, m, n))
    return (np.round(x), np.round(z)) if tied else (x, z)


@settings(max_examples=60, deadline=None)
@given(matrices, st.sampled_from(LEVELS), st.sampled_from(BASE))
def test_properties(shape, level, coefficient):
    x, z = _random(shape)
    value = correlation(x, z, level, coefficient)
    assert np.isnan(value) or -1 <= value <= 1
    assert correlation(z, x, level, coefficient) == pytest.approx(value, abs=1e-13, nan_ok=True)
    assert correlation(-x, z, level, coefficient) == pytest.approx(-value, abs=1e-12, nan_ok=True)
    assert correlation(3.5 * x + 2, z, level, coefficient) == pytest.approx(value, abs=1e-10, nan_ok=True)
    order = np.random.default_rng(shape[2]).permutation(len(x))
    assert correlation(x[order], z[order], level, coefficient) == pytest.approx(value, abs=1e-12, nan_ok=True)
    if level != "system" and coefficient != "pearson":
        assert correlation(np.exp(x / 4), z, level, coefficient) == pytest.approx(value, abs=1e-12, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(matrices, st.sampled_from(LEVELS), st.sampled_from(BASE))
def test_a_matrix_agrees_with_itself(shape, level, coefficient):
    x, _ = _random(shape)
    value = correlation(x, x, level, coefficient)
    assert np.isnan(value) or value == pytest.approx(1, abs=1e-14)


def test_undefined_resamples_are_counted():
    x = np.array([[1.0, 2.0], [2.0, 1.0]])
    result = bootstrap(x, x, "system", "pearson", resample="systems", resamples=200)
    drawn_twice = bootstrap_weights(2, 2, 200, "systems", 0).systems.max(axis=1) == 2
    assert drawn_twice.any()
    # Both systems have the mean 1.5: nothing is ever defined, and nothing is dropped.
    assert result.undefined == 200
    assert np.isnan(result.low)
