"""The paired test of two measurements: against scipy, against counting by hand, and how often it cries wolf."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.errors import ParameterError
from dialgauge.metaeval import paired_differences


def test_exact_for_few_dialogues_as_scipy_does() -> None:
    from scipy.stats import permutation_test

    generator = np.random.default_rng(5)
    first, second = generator.normal(size=(2, 9, 1))
    second += 0.6
    ours = paired_differences(first, second, np.arange(9), resamples=1000)
    theirs = permutation_test(
        (second[:, 0], first[:, 0]),
        lambda x, y: abs(np.mean(x - y)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert ours.p_value[0] == pytest.approx(theirs.pvalue, abs=1e-15)
    assert ours.floors[0] == 2 / 2**9


def test_random_swaps_come_close_to_all_of_them() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.normal(size=(2, 12, 1))
    second += 0.4
    every = paired_differences(first, second, np.arange(12), resamples=4096).p_value[0]
    some = paired_differences(first, second, np.arange(12), resamples=4095, seed=3).p_value[0]
    assert some == pytest.approx(every, abs=4 * np.sqrt(every * (1 - every) / 4095))
    assert some != every


def test_summaries_of_a_dialogue_change_sides_together() -> None:
    dialogue = np.array([0, 0, 0, 1, 1, 2, 3])
    change = np.array([0.5, 0.4, 0.6, 0.2, -0.1, 0.3, 0.7])
    found = paired_differences(np.zeros((7, 1)), change[:, None], dialogue, resamples=100)
    sums = [1.5, 0.1, 0.3, 0.7]
    totals = [
        abs(sum(s * x for s, x in zip(signs, sums, strict=True))) for signs in itertools.product((1, -1), repeat=4)
    ]
    assert found.p_value[0] == sum(total >= 2.6 - 1e-12 for total in totals) / 16
    assert found.difference[0] == pytest.approx(2.6 / 7)
    assert (found.items[0], found.dialogues[0]) == (7, 4)


def test_missing_values_count_in_neither_mean() -> None:
    first = np.array([[1.0, 1.0], [2.0, np.nan], [np.nan, 3.0]])
    second = np.array([[2.0, 5.0], [np.nan, 1.0], [1.0, np.nan]])
    found = paired_differences(first, second, np.arange(3), resamples=50)
    assert found.first.tolist() == [1.0, 1.0]
    assert found.second.tolist() == [2.0, 5.0]
    assert found.items.tolist() == [1, 1]
    assert np.isnan(found.low).all()
    assert found.p_value.tolist() == [1.0, 1.0]
    empty = paired_differences(np.full((2, 1), np.nan), np.ones((2, 1)), np.arange(2), resamples=50)
    assert np.isnan(empty.p_value[0])
    assert np.isnan(empty.difference[0])


def test_interval_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(0)
    changes = generator.normal(0.3, 1.0, size=(40, 400))
    found = paired_differences(np.zeros_like(changes), changes, np.arange(40), resamples=400, seed=1)
    covered = ((found.low <= 0.3) & (found.high >= 0.3)).mean()
    assert 0.90 <= covered <= 0.98


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Three summaries of each dialogue move together: taken for independent they would give far too many alarms."""
    generator = np.random.default_rng(11)
    moved = np.repeat(generator.normal(size=(25, 600)), 3, axis=0) + 0.1 * generator.normal(size=(75, 600))
    found = paired_differences(np.zeros_like(moved), moved, np.repeat(np.arange(25), 3), resamples=500, seed=2)
    assert 0.02 <= (found.p_value <= 0.05).mean() <= 0.08


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=25),
    st.sampled_from([20, 200]),
)
def test_sides_are_treated_alike(rows: list[tuple[int, int, int]], resamples: int) -> None:
    dialogue, first, second = (np.array(column) for column in zip(*rows, strict=True))
    one, other = first[:, None].astype(float), second[:, None].astype(float)
    there = paired_differences(one, other, dialogue, resamples=resamples)
    back = paired_differences(other, one, dialogue, resamples=resamples)
    assert there.difference[0] == pytest.approx(-back.difference[0])
    assert there.p_value[0] == back.p_value[0]
    assert 0 < there.p_value[0] <= 1
    assert there.p_value[0] >= there.floors[0] - 1e-12 or (first == second).all()
    same = paired_differences(one, one, dialogue, resamples=resamples)
    assert same.p_value[0] == 1.0
    assert same.difference[0] == 0.0


def test_refuses_what_does_not_fit() -> None:
    with pytest.raises(ParameterError, match="one shape"):
        paired_differences(np.zeros((3, 1)), np.zeros((2, 1)), np.arange(3))
    with pytest.raises(ParameterError, match="resamples"):
        paired_differences(np.zeros((3, 1)), np.zeros((3, 1)), np.arange(3), resamples=3)


def test_without_resamples_there_is_no_interval() -> None:
    found = paired_differences(np.zeros((3, 1)), np.ones((3, 1)), np.arange(3), resamples=0, permutations=8)
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert found.p_value[0] == 0.25
