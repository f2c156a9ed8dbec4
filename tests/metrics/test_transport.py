"""The transport kernel: hand-made problems, both implementations, and what every plan must satisfy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.metrics import kernel_name, use_kernels
from dialgauge.metrics.kernels import Transport, transport_costs

KERNELS = ("c", "python")


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest):
    if request.param == "c" and kernel_name() != "c":
        pytest.skip("the compiled kernels were not built here")
    with use_kernels(request.param):
        yield request.param


def cost_of(supply: list[float], demand: list[float], cost: list[list[float]]) -> float:
    return float(transport_costs([Transport(np.array(supply), np.array(demand), np.array(cost))])[0])


def test_by_hand(kernel: str) -> None:
    assert cost_of([1.0], [1.0], [[0.25]]) == 0.25
    # The diagonal is dear: everything goes crosswise.
    assert cost_of([0.5, 0.5], [0.5, 0.5], [[1.0, 0.1], [0.2, 1.0]]) == pytest.approx(0.15)
    # The second sender has to go round: greedy choices would cost 1.0.
    assert cost_of([0.5, 0.5], [0.5, 0.5], [[0.0, 1.0], [0.1, 2.0]]) == pytest.approx(0.55)


def test_the_smaller_mass_is_moved_as_a_whole(kernel: str) -> None:
    assert cost_of([1.0], [3.0, 3.0], [[0.5, 0.2]]) == pytest.approx(0.2)
    assert cost_of([3.0, 3.0], [1.0], [[0.5], [0.2]]) == pytest.approx(0.2)
    assert cost_of([2.0, 1.0], [2.0, 2.0], [[0.1, 0.9], [0.0, 0.8]]) == pytest.approx(
        min(0.1 * 2 + 0.8, 0.1 + 0.9 + 0.0)
    )


def test_nothing_to_move_costs_nothing(kernel: str) -> None:
    assert cost_of([0.0, 0.0], [1.0], [[5.0], [5.0]]) == 0.0
    assert len(transport_costs([])) == 0
    assert transport_costs([Transport(np.zeros(0), np.ones(1), np.zeros((0, 1)))]).tolist() == [0.0]


def test_a_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"2 and 1 masses but costs of shape \(1, 2\)"):
        transport_costs([Transport(np.ones(2), np.ones(1), np.ones((1, 2)))])


def problem(seed: int, rows: int, columns: int, *, balanced: bool, ties: bool) -> Transport:
    rng = np.random.default_rng(seed)
    supply = rng.integers(0, 4, rows) if ties else rng.random(rows) * (rng.random(rows) > 0.2)
    demand = rng.integers(0, 4, columns) if ties else rng.random(columns) * (rng.random(columns) > 0.2)
    cost = rng.integers(0, 3, (rows, columns)) if ties else rng.random((rows, columns))
    if balanced:
        supply, demand = supply / max(supply.sum(), 1e-9), demand / max(demand.sum(), 1e-9)
    return Transport(supply.astype(float), demand.astype(float), cost.astype(float))


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
    balanced=st.booleans(),
    ties=st.booleans(),
)
def test_both_kernels_agree(seed: int, rows: int, columns: int, balanced: bool, ties: bool) -> None:
    if kernel_name() != "c":
        pytest.skip("the compiled kernels were not built here")
    one = problem(seed, rows, columns, balanced=balanced, ties=ties)
    swapped = Transport(one.demand, one.supply, one.cost.T)
    with use_kernels("python"):
        expected = transport_costs([one])[0]
    with use_kernels("c"):
        found = transport_costs([one, swapped])
    assert found.tolist() == pytest.approx([expected, expected], abs=1e-9)


def test_the_distance_on_a_line_is_that_of_the_sorted_masses() -> None:
    """In one dimension the cheapest plan is known: it costs the area between the cumulative masses."""
    rng = np.random.default_rng(7)
    for size in (3, 40, 150):
        left, right = np.sort(rng.normal(size=size)), np.sort(rng.normal(size=size + 5))
        a, b = rng.random(size), rng.random(size + 5)
        a, b = a / a.sum(), b / b.sum()
        places = np.sort(np.concatenate([left, right]))
        gap = [a[left <= x].sum() - b[right <= x].sum() for x in places[:-1]]
        expected = float(np.abs(gap) @ np.diff(places))
        found = transport_costs([Transport(a, b, np.abs(left[:, None] - right[None]))])[0]
        assert found == pytest.approx(expected, abs=1e-9)


def test_equal_masses_are_an_assignment() -> None:
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(3)
    for size in (1, 5, 60):
        cost = rng.random((size, size))
        rows, columns = linear_sum_assignment(cost)
        found = transport_costs([Transport(np.full(size, 1 / size), np.full(size, 1 / size), cost)])[0]
        assert found == pytest.approx(cost[rows, columns].mean(), abs=1e-12)
        assert math.isfinite(found)
