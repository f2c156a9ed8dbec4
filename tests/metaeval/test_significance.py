"""Williams' test, intervals, the paired bootstrap and corrections, against nlpstats, statsmodels, scipy and by hand."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metaeval import (
    adjust_p_values,
    bca_interval,
    bootstrap,
    correlation,
    fisher_interval,
    percentile_interval,
    williams_test,
)
from dialgauge.metaeval._cells import correlation_p_value
from dialgauge.metaeval._kendall_test import kendall_p_value
from dialgauge.metaeval._tests import paired_bootstrap_p_value


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_williams_equals_nlpstats(made, alternative):
    nlpstats = pytest.importorskip("nlpstats.correlations")
    for seed in range(5):
        x, y, z = made(m=12, seed=seed)
        r12, r13, r23 = (correlation(a, b, "system", "pearson") for a, b in ((x, z), (y, z), (x, y)))
        expected = nlpstats.williams_test(x, y, z, "system", "pearson", alternative=alternative)
        assert williams_test(r12, r13, r23, 12, alternative) == pytest.approx(float(expected.pvalue), abs=1e-10)


def test_kendalls_test_is_that_of_scipy_ties_included():
    generator = np.random.default_rng(0)
    for n in (3, 4, 14, 33, 34, 100):
        x = generator.normal(size=n)
        for y in (x + generator.normal(size=n), generator.normal(size=n), -x, np.sort(x)):
            for one, other in ((x, y), (np.round(x), y), (np.round(x), np.round(y))):
                expected = stats.kendalltau(one, other).pvalue
                assert kendall_p_value(one, other) == pytest.approx(expected, rel=1e-11, nan_ok=True)
    assert np.isnan(kendall_p_value(np.ones(5), np.arange(5.0)))


def test_williams_at_its_edges():
    assert williams_test(0.5, 0.5, 0.3, 10) == 1.0
    assert np.isnan(williams_test(0.5, 0.4, 0.3, 3))
    assert np.isnan(williams_test(float("nan"), 0.4, 0.3, 10))
    assert williams_test(0.9, 0.9, 1.0, 10) == 1.0


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_fisher_equals_nlpstats(made, coefficient):
    fisher = pytest.importorskip("nlpstats.correlations.fisher")
    x, _, z = made(m=12)
    r = correlation(x, z, "system", coefficient)
    expected = fisher.fisher(x, z, "system", coefficient)
    assert fisher_interval(r, 12, coefficient) == pytest.approx((expected.lower, expected.upper), abs=1e-10)


def test_fisher_where_it_does_not_exist():
    assert all(np.isnan(fisher_interval(0.5, 3)))
    assert all(np.isnan(fisher_interval(1.0, 10)))
    with pytest.raises(ParameterError, match="coefficient"):
        fisher_interval(0.5, 10, "mean")


def test_percentiles_equal_numpy():
    values = np.random.default_rng(0).normal(size=999)
    assert percentile_interval(values, 0.9) == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])), abs=1e-14)
    assert percentile_interval(np.r_[values, np.nan], 0.9) == percentile_interval(values, 0.9)
    assert percentile_interval(np.array([0.3]), 0.95) == (0.3, 0.3)


def test_bca_equals_scipy_on_the_same_resamples():
    generator = np.random.default_rng(2)
    data = generator.gamma(1.5, size=30)
    result = stats.bootstrap((data,), np.mean, n_resamples=2000, method="BCa", random_state=3)
    left_out = np.array([np.delete(data, i).mean() for i in range(30)])
    low, high = bca_interval(data.mean(), result.bootstrap_distribution, left_out, 0.95)
    assert (low, high) == pytest.approx(tuple(result.confidence_interval), abs=1e-6)


def test_bca_is_for_one_way_resampling(made):
    x, _, z = made(m=10)
    with pytest.raises(ParameterError, match="one-way"):
        bootstrap(x, z, "system", "pearson", interval="bca")
    result = bootstrap(x, z, "system", "pearson", resample="systems", interval="bca", resamples=500)
    assert result.low < result.value < result.high


@settings(deadline=None)  # the first call imports statsmodels
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_corrections_equal_statsmodels(p_values):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for ours, theirs in (("holm", "holm"), ("benjamini-hochberg", "fdr_bh")):
        # Each of its corrections by Holm collects garbage: half a second in a process that has run other tests.
        with mock.patch("gc.collect"):
            expected = multitest.multipletests(p_values, method=theirs)[1]
        np.testing.assert_allclose(adjust_p_values(p_values, ours), expected, atol=1e-14)


def test_corrections_leave_missing_tests_out():
    adjusted = adjust_p_values([0.01, float("nan"), 0.04], "holm")
    assert adjusted[0] == pytest.approx(0.02)
    assert np.isnan(adjusted[1])
    assert adjusted[2] == pytest.approx(0.04)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        adjust_p_values([0.5, 1.5])
    with pytest.raises(UnknownNameError, match="bonferroni"):
        adjust_p_values([0.5], "bonferroni")


def test_paired_bootstrap_p_value():
    assert paired_bootstrap_p_value(np.full(99, 0.2)) == pytest.approx(2 / 100)
    assert paired_bootstrap_p_value(np.zeros(10)) == 1.0
    assert np.isnan(paired_bootstrap_p_value(np.full(5, np.nan)))


def test_p_value_of_a_correlation_equals_scipy():
    x, z = np.random.default_rng(1).normal(size=(2, 14))
    expected = stats.pearsonr(x, z)
    assert correlation_p_value(expected.statistic, 14) == pytest.approx(expected.pvalue, rel=1e-12)
    assert correlation_p_value(1.0, 14) == 0.0
    with pytest.raises(ParameterError, match="at least 3"):
        correlation_p_value(0.5, 2)
