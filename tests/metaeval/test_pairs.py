"""Sums over pairs of systems: tiles, shared values, and swaps against the matrices they stand for, ties included."""

import numpy as np
import pytest

from dialgauge.metaeval import correlation
from dialgauge.metaeval._pairs import matrix_product, shared_values
from dialgauge.metaeval._permutation import _on_one_scale, draw_swaps, permutation_test


@pytest.mark.parametrize("shape", [(3, 4, 5), (90, 300, 70), (700, 140, 400)])
def test_tiles_make_the_product(shape: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(0)
    rows, inner, columns = shape
    one, other = rng.integers(-9, 9, (rows, inner)), rng.integers(-9, 9, (inner, columns))
    assert np.array_equal(matrix_product(one.astype(np.float32), other.astype(np.float32)), one @ other)


def test_values_that_systems_share() -> None:
    x = np.array([[1.0, 2.0], [1.0, 3.0], [5.0, 2.0]])
    y = np.array([[4.0, 7.0], [5.0, 8.0], [5.0, 9.0]])
    members, dialogues = shared_values([x, y], np.array([[True, True], [True, True], [True, False]]))
    # Dialogue 0: 1 (systems 0 and 1 in x) and 5 (1 and 2 in y, 2 in x); in dialogue 1 system 2 does not count.
    assert dialogues.tolist() == [0, 0]
    assert members[0].T.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert members[1].T.tolist() == [[0, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("level", ["system", "summary"])
def test_a_swap_is_the_test_on_swapped_scores_with_ties(level: str, coefficient: str, missing: float) -> None:
    rng = np.random.default_rng(4)
    x, y, z = (np.round(rng.normal(size=(9, 14)) * 1.5) for _ in range(3))
    x[:, 2] = 1.0  # constant in a dialogue
    for matrix in (x, y, z):
        matrix[rng.random(matrix.shape) < missing] = np.nan
    swaps = draw_swaps("systems", 9, 14, 40, 0)
    found = permutation_test(x, y, z, level, coefficient, swaps=swaps)
    one, other, rated = _on_one_scale(x, y, z, level, "level")
    assert swaps.systems is not None
    for mask, difference in zip(swaps.systems[:, :, None], found.differences, strict=True):
        swapped = [np.where(mask, other, one), np.where(mask, one, other)]
        values = [correlation(matrix, rated, level, coefficient) for matrix in swapped]
        assert difference == pytest.approx(values[0] - values[1], abs=1e-12, nan_ok=True)
