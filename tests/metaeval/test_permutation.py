"""Permutation tests against nlpstats, against each other, and against all permutations."""

# ruff: noqa: NPY002 — nlpstats draws from the global generator, so its draws are replayed from there.

import warnings
from itertools import product

import numpy as np
import pytest

from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metaeval import Swaps, correlation, permutation_test
from dialgauge.metaeval._permutation import draw_swaps, permutation_p_value

BASE = ("pearson", "spearman", "kendall")


@pytest.mark.parametrize("method", ["systems", "inputs", "both"])
@pytest.mark.parametrize("coefficient", BASE)
@pytest.mark.parametrize(("level", "theirs"), [("system", "system"), ("summary", "input")])
def test_equals_nlpstats_on_identical_swaps(made, level, theirs, coefficient, method):
    nlpstats = pytest.importorskip("nlpstats.correlations")
    x, _, z = made(m=9, n=11)
    y = x + np.random.default_rng(4).normal(size=x.shape)
    np.random.seed(7)
    systems, inputs = [], []
    for _ in range(15):
        if method != "inputs":
            systems.append(np.random.rand(9) > 0.5)
        if method != "systems":
            inputs.append(np.random.rand(11) > 0.5)
    np.random.seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = nlpstats.permutation_test(x, y, z, theirs, coefficient, method, n_resamples=15)
    swaps = Swaps(np.array(systems) if systems else None, np.array(inputs) if inputs else None)
    result = permutation_test(x, y, z, level, coefficient, swaps=swaps, scale="matrix")
    np.testing.assert_allclose(result.differences, expected.samples, atol=1e-12, rtol=0)
    # Their p is c / R, ours (c + 1) / (R + 1).
    assert result.p_value == pytest.approx((expected.pvalue * 15 + 1) / 16)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("coefficient", BASE)
@pytest.mark.parametrize("level", ["system", "summary"])
def test_both_is_cells_with_row_xor_column(made, level, coefficient, missing):
    x, y, z = made(missing=missing)
    both = draw_swaps("both", 8, 15, 25, seed=1)
    assert both.systems is not None
    assert both.inputs is not None
    cells = Swaps(cells=both.systems[:, :, None] ^ both.inputs[:, None, :])
    one = permutation_test(x, y, z, level, coefficient, swaps=both)
    other = permutation_test(x, y, z, level, coefficient, swaps=cells)
    np.testing.assert_allclose(one.differences, other.differences, atol=1e-12)
    assert one.p_value == other.p_value


@pytest.mark.parametrize("coefficient", BASE)
@pytest.mark.parametrize("level", ["system", "summary"])
def test_all_permutations_of_few_systems(made, level, coefficient):
    x, y, z = made(m=5, n=6, seed=2)
    swaps = np.array(list(product([False, True], repeat=5)))
    result = permutation_test(x, y, z, level, coefficient, swaps=Swaps(systems=swaps))
    if level == "summary":
        x, y = ((each - each.mean(axis=0)) / each.std(axis=0) for each in (x, y))
    else:
        x, y = ((each - each.mean()) / each.mean(axis=1).std() for each in (x, y))
    expected = []
    for mask in swaps:
        a, b = np.where(mask[:, None], y, x), np.where(mask[:, None], x, y)
        expected.append(correlation(a, z, level, coefficient) - correlation(b, z, level, coefficient))
    np.testing.assert_allclose(result.differences, expected, atol=1e-12)
    # Swapping nothing and swapping everything reach the observed difference, so p can never be zero.
    assert result.p_value >= 3 / 33
    chosen = permutation_test(x, y, z, level, coefficient, resamples=32)
    np.testing.assert_allclose(np.sort(chosen.differences), np.sort(expected), atol=1e-12)
    assert chosen.p_value == np.mean(np.abs(expected) >= abs(chosen.observed) - 1e-12)
    assert chosen.floor == 2 / 32
    assert permutation_test(x, y, z, level, coefficient, resamples=31).floor == 1 / 32


def test_p_value_counts_itself():
    differences = np.array([0.1, -0.3, 0.2, np.nan])
    assert permutation_p_value(0.25, differences) == (1 + 1) / (3 + 1)
    assert permutation_p_value(0.25, differences, "greater") == 1 / 4
    assert permutation_p_value(0.25, differences, "less") == (3 + 1) / 4
    assert permutation_p_value(0.3, differences) == 2 / 4


def test_a_metric_against_itself_is_never_better(made):
    x, _, z = made()
    for method in ("systems", "inputs", "both", "cells"):
        result = permutation_test(x, x * 3 + 1, z, "summary", "kendall", method, resamples=50)
        assert result.observed == pytest.approx(0, abs=1e-14)
        assert result.p_value == 1.0


def test_mean_coefficient_is_the_mean_of_the_differences(made):
    x, y, z = made()
    swaps = draw_swaps("systems", 8, 15, 10, seed=0)
    three = [permutation_test(x, y, z, "summary", base, swaps=swaps).differences for base in BASE]
    mean = permutation_test(x, y, z, "summary", "mean", swaps=swaps)
    np.testing.assert_allclose(mean.differences, np.mean(three, axis=0), atol=1e-14)


def test_bad_names(made):
    x, y, z = made()
    with pytest.raises(ParameterError, match="bootstrap the global level"):
        permutation_test(x, y, z, "global", "pearson")
    with pytest.raises(UnknownNameError, match="rows"):
        permutation_test(x, y, z, "system", "pearson", "rows")
    with pytest.raises(UnknownNameError, match="pairwise_accuracy"):
        permutation_test(x, y, z, "system", "pairwise_accuracy")
