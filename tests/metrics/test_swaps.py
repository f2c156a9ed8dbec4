"""Swaps and shuffles: compiled and in Python, counted and added the same, ties included."""

import numpy as np
import pytest

from dialgauge.metrics import use_kernels
from dialgauge.metrics.kernels import Swaps, sum_looked_up, swaps_reached


def drawn(systems: int, dialogues: int, ways: int) -> tuple[np.ndarray, Swaps]:
    """Small whole numbers, so that many sums are equal."""
    generator = np.random.default_rng(systems * dialogues)
    values = generator.integers(-2, 3, size=(systems, dialogues)).astype(np.float64)
    return values, Swaps(generator.random((ways, dialogues)) < 0.5)


# Beside and on the borders of the groups of dialogues, strips of systems and blocks of swaps in swaps.c.
@pytest.mark.parametrize(
    ("systems", "dialogues", "ways"),
    [(2, 1, 1), (2, 4, 256), (3, 5, 255), (8, 8, 257), (9, 7, 512), (17, 30, 700), (0, 3, 5), (1, 3, 5), (3, 0, 5)],
)
def test_every_kernel_counts_what_the_definition_says(systems: int, dialogues: int, ways: int) -> None:
    values, swaps = drawn(systems, dialogues, ways)
    first, second = np.triu_indices(systems, 1)
    differences = values[first] - values[second]
    distances = np.abs(differences.sum(axis=1))
    signs = np.where(swaps.masks, -1.0, 1.0)
    expected = (np.abs(differences @ signs.T) >= distances[:, None]).sum(axis=1)
    for kernel in ("c", "python"):
        with use_kernels(kernel):  # type: ignore[arg-type]
            np.testing.assert_array_equal(swaps_reached(values, swaps, distances), expected)


def test_swaps_are_packed_by_four_dialogues() -> None:
    masks = np.array([[True, False, False, True, False, True], [False] * 6])
    assert Swaps(masks).patterns.tolist() == [[0b1001, 0b10], [0, 0]]


@pytest.mark.parametrize(("tables", "rows", "columns"), [(5, 5, 3), (7, 9, 32), (3, 4, 70), (0, 2, 3), (2, 3, 0)])
def test_every_kernel_adds_the_same_rows_in_the_same_order(tables: int, rows: int, columns: int) -> None:
    generator = np.random.default_rng(tables)
    values, places = generator.normal(size=(tables, rows, columns)), generator.integers(0, rows, size=(11, tables))
    expected = np.zeros((11, columns))
    for table in range(tables):
        expected += values[table, places[:, table]]
    for kernel in ("c", "python"):
        with use_kernels(kernel):  # type: ignore[arg-type]
            np.testing.assert_array_equal(sum_looked_up(values, places), expected)
