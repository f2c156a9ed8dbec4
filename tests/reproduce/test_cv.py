"""CV* against test vectors of other labs, and what rounding leaves open against brute force."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.stats import rankdata

from dialgauge.errors import InputError
from dialgauge.reproduce import cv_star
from dialgauge.reproduce._cv import c4
from dialgauge.reproduce._intervals import cv_star_range, spearman_range

WORDERROR = [84.51, 84.5, 87.46, 85.6, 84.2, 86.61, 86.2]


def test_equals_the_notebook_of_its_authors():
    variation = cv_star(WORDERROR)
    assert variation.cv_star == pytest.approx(1.5616560359100269, abs=1e-12)
    assert variation.sd == pytest.approx(1.2904233075765223, abs=1e-12)
    assert variation.sd_interval == pytest.approx((0.4514829817654973, 2.1293636333875474), abs=1e-9)


@pytest.mark.data
def test_equals_the_vectors_of_other_labs(data_dir):
    oracles = json.loads((data_dir / "csds" / "oracles_cvstar" / "cvstar_oracles.json").read_text(encoding="utf-8"))
    notebook, arvan = oracles["belz2022_notebook"], oracles["arvan_0744_02"]
    assert cv_star(notebook["values"]).cv_star == pytest.approx(notebook["cv_star"], rel=1e-12)
    assert len(arvan["cells"]) == 4
    for cell in arvan["cells"]:
        assert cv_star(cell["values"]).cv_star == pytest.approx(cell["cv_star"], rel=1e-12)
        # The values above are shifted already; on their own scale they begin at -100.
        own = [value - arvan["shift"] for value in cell["values"]]
        assert cv_star(own, lowest=-100).cv_star == pytest.approx(cell["cv_star"], rel=1e-9)


def test_c4_is_the_mean_of_s_over_sigma():
    assert c4(2) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-14)
    assert c4(3) == pytest.approx(math.sqrt(math.pi) / 2, rel=1e-14)
    assert c4(1000) == pytest.approx(1 - 1 / (4 * 999), abs=1e-6)


@pytest.mark.parametrize(
    ("values", "lowest", "message"),
    [
        ([3.0], 0, "two or more"),
        ([], 0, "two or more"),
        ([0.0, 0.0], 0, "mean of 0"),
        ([1.0, 1.0], 1, "mean of 0"),
        ([-1.0, 2.0], 0, "-1 is below 0"),
        ([0.5, 2.0], 1, "0.5 is below 1"),
        ([1.0, math.nan], 0, "finite"),
        ([1.0, math.inf], 0, "finite"),
    ],
)
def test_refuses_what_has_no_coefficient_of_variation(values, lowest, message):
    with pytest.raises(InputError, match=message):
        cv_star(values, lowest=lowest)


values = st.lists(st.floats(0.1, 100), min_size=2, max_size=8)


@given(values, st.floats(0.5, 20))
def test_does_not_depend_on_the_unit(results, unit):
    once = cv_star(results).cv_star
    assert cv_star([value * unit for value in results]).cv_star == pytest.approx(once, abs=1e-9)


@given(values, st.floats(-50, 50))
def test_shifting_the_scale_and_its_start_changes_nothing(results, shift):
    moved = cv_star([value + shift for value in results], lowest=shift)
    assert moved.cv_star == pytest.approx(cv_star(results).cv_star, abs=1e-6)


@given(values)
def test_is_zero_exactly_for_equal_results(results):
    assert cv_star([results[0]] * len(results)).cv_star == pytest.approx(0, abs=1e-12)
    assume(max(results) - min(results) > 1e-6)
    assert cv_star(results).cv_star > 1e-9


printed = st.lists(st.integers(1, 20).map(lambda i: i / 10), min_size=2, max_size=5)


@settings(deadline=None)
@given(printed, st.data())
def test_the_range_holds_every_value_within_rounding_and_is_reached(results, data):
    widths = [data.draw(st.sampled_from([0.0, 0.05, 0.005])) for _ in results]
    span = cv_star_range(results, widths)
    corners = itertools.product(*({v - h, v + h} for v, h in zip(results, widths, strict=True)))
    assert span.high == pytest.approx(max(cv_star(corner).cv_star for corner in corners), abs=1e-9)
    generator = np.random.default_rng(0)
    for _ in range(30):
        inside = [v + h * generator.uniform(-1, 1) for v, h in zip(results, widths, strict=True)]
        assert span.low - 1e-9 <= cv_star(inside).cv_star <= span.high + 1e-9
    # The smallest value is a minimum: no point of a fine grid is better.
    grids = [np.linspace(v - h, v + h, 5 if h else 1) for v, h in zip(results, widths, strict=True)]
    best = min(cv_star(point).cv_star for point in itertools.islice(itertools.product(*grids), 700))
    assert span.low <= best + 1e-9


def test_the_range_begins_at_zero_where_the_intervals_meet():
    assert cv_star_range([0.69, 0.68], [0.005, 0.005]).low == pytest.approx(0, abs=1e-9)
    assert cv_star_range([0.69, 0.67], [0.005, 0.005]).low > 1
    assert cv_star_range([0.0, 0.01], [0.005, 0.005]).low == pytest.approx(0, abs=1e-9)


def brute_force(first, second, rounded):
    """Every order that breaks the ties of rounded series, by exhaustive search."""

    def orders(series, may_break):
        if not may_break:
            return [list(series)]
        indices = range(len(series))
        return [
            [order.index(i) for i in indices]
            for order in itertools.permutations(indices)
            if all(series[a] <= series[b] for a, b in itertools.pairwise(order))
        ]

    ranks = [np.array([rankdata(x) for x in orders(s, r)]) for s, r in zip((first, second), rounded, strict=True)]
    one, other = (r - r.mean(axis=1, keepdims=True) for r in ranks)
    norms = np.outer(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))
    return one @ other.T / norms


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=5),
    st.booleans(),
    st.booleans(),
)
def test_the_range_of_spearman_equals_brute_force(pairs, first_rounded, second_rounded):
    first, second = [float(p[0]) for p in pairs], [float(p[1]) for p in pairs]
    assume(first_rounded or len(set(first)) > 1)
    assume(second_rounded or len(set(second)) > 1)
    rounded = (first_rounded, second_rounded)
    found = brute_force(first, second, rounded)
    span = spearman_range(first, second, rounded)
    assert span.low == pytest.approx(found.min(), abs=1e-9)
    assert span.high == pytest.approx(found.max(), abs=1e-9)


def test_a_range_knows_what_it_leaves_open():
    fixed = spearman_range([1, 2, 3, 4], [2, 1, 4, 3], (True, True))
    assert fixed.is_point()
    assert fixed.has_one_sign()
    loose = spearman_range([1, 1, 1], [1, 2, 3], (True, True))
    assert (loose.low, loose.high) == pytest.approx((-1, 1))
    assert not loose.has_one_sign()


def test_without_the_over_correction_every_value_is_smaller_by_the_factor():
    for values in ([84.51, 84.5, 87.46, 85.6, 84.2, 86.61, 86.2], [158.0, 157.0]):
        n = len(values)
        with_it, without = cv_star(values), cv_star(values, over_correction=False)
        assert with_it.cv_star / without.cv_star == pytest.approx(1 + 1 / (4 * n), abs=1e-15)
        assert (with_it.sd, with_it.sd_interval) == (without.sd, without.sd_interval)
