"""acc_eq and soft pairwise accuracy against their definitions, pair by pair."""

from itertools import combinations

import numpy as np
import pytest

from dialgauge.errors import ParameterError
from dialgauge.metaeval import Weights, bootstrap_weights, correlation, pairwise_accuracy, soft_pairwise_accuracy
from dialgauge.metaeval._accuracy import calibrate_ties, order_certainty


def slow_accuracy(x: np.ndarray, z: np.ndarray, epsilon: float) -> float:
    """acc_eq at summary level by the definition (C + T_hm) / all pairs, averaged over dialogues."""
    shares = []
    for j in range(x.shape[1]):
        right = total = 0
        for i, k in combinations(range(len(x)), 2):
            if np.isnan([x[i, j], x[k, j], z[i, j], z[k, j]]).any():
                continue
            d, e = x[i, j] - x[k, j], z[i, j] - z[k, j]
            total += 1
            tied = abs(d) <= epsilon
            right += (tied and e == 0) or (not tied and e != 0 and (d > 0) == (e > 0))
        if total:
            shares.append(right / total)
    return float(np.mean(shares))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_calibration_finds_the_best_epsilon(made, missing):
    for seed in range(4):
        x, y, z = made(m=5, n=6, seed=seed, missing=missing)
        for metric in (x, y):
            found = calibrate_ties(metric, z)
            candidates = np.unique(np.abs(metric[:, None] - metric[None, :]))
            best = max(slow_accuracy(metric, z, e) for e in np.r_[0.0, candidates[~np.isnan(candidates)]])
            assert found.accuracy == pytest.approx(best, abs=1e-9)
            assert slow_accuracy(metric, z, found.epsilon) == pytest.approx(best, abs=1e-9)
            assert pairwise_accuracy(metric, z)[0] == pytest.approx(best, abs=1e-9)


def test_hand_computed():
    x = np.array([[0.1], [0.2], [0.9]])
    z = np.array([[3.0], [3.0], [5.0]])
    # Without ties of the metric two of three pairs are right; with 0.1 ≤ ε < 0.7 all are.
    assert pairwise_accuracy(x, z, epsilon=0.0)[0] == pytest.approx(2 / 3)
    assert calibrate_ties(x, z).epsilon == pytest.approx(0.1)
    assert calibrate_ties(x, z).accuracy == 1.0
    assert pairwise_accuracy(x, z, "system")[0] == 1.0


def test_held_out_epsilon_is_no_better_than_the_calibrated_one(made):
    x, _, z = made(m=8, n=40)
    calibrated, held_out = pairwise_accuracy(x, z)[0], pairwise_accuracy(x, z, epsilon="held-out", seed=1)[0]
    assert 0 < held_out <= calibrated
    assert pairwise_accuracy(x, z, epsilon="held-out", seed=1)[0] == held_out


def test_weights_are_copies(made):
    x, _, z = made(m=5, n=4)
    columns = np.array([0, 0, 2, 3])
    weights = Weights(np.ones((1, 5)), np.bincount(columns, minlength=4)[None].astype(float))
    expected = slow_accuracy(x[:, columns], z[:, columns], 0.3)
    assert pairwise_accuracy(x, z, epsilon=0.3, weights=weights)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("epsilon", ["best", -1.0, float("nan")])
def test_bad_epsilon(made, epsilon):
    x, _, z = made()
    with pytest.raises(ParameterError, match="epsilon"):
        pairwise_accuracy(x, z, epsilon=epsilon)


def test_all_pairs_of_summaries_count_at_global_level(made, monkeypatch):
    x, _, z = made(m=4, n=6)
    x, z = x.copy(), np.round(z)
    x[1, 2] = np.nan
    kept = ~np.isnan(x)
    cells = list(zip(x[kept], z[kept], strict=True))
    pairs = [(a[0] - b[0], a[1] - b[1]) for i, a in enumerate(cells) for b in cells[i + 1 :]]
    expected = np.mean([(0 if abs(one) <= 0.3 else np.sign(one)) == np.sign(other) for one, other in pairs])
    assert pairwise_accuracy(x, z, "global", 0.3)[0] == pytest.approx(expected)
    monkeypatch.setattr("dialgauge.metaeval._accuracy._CELLS", 50)
    assert pairwise_accuracy(x, z, "global", 0.3)[0] == pytest.approx(expected)
    best = max(pairwise_accuracy(x, z, "global", abs(one))[0] for one, _ in pairs)
    assert correlation(x, z, "global", "pairwise_accuracy") == pytest.approx(best)
    drawn = bootstrap_weights(4, 6, 30, "both", 0)
    assert np.abs(pairwise_accuracy(x, z, "global", 0.3, weights=drawn) - expected).max() < 0.5


def test_soft_accuracy_of_the_ratings_themselves_is_one(made):
    _, _, z = made()
    assert soft_pairwise_accuracy(z, z)[0] == 1.0
    assert soft_pairwise_accuracy(-z, z)[0] < 0.5


def test_soft_accuracy_by_the_definition(made):
    x, _, z = made(m=4, n=8)
    mask = np.ones_like(x, dtype=bool)
    apart = np.abs(order_certainty(x, mask, seed=2) - order_certainty(z, mask, seed=2))
    assert soft_pairwise_accuracy(x, z, seed=2)[0] == pytest.approx(1 - apart.mean())
    weights = bootstrap_weights(4, 8, 20, "systems", 0)
    assert soft_pairwise_accuracy(x, z, weights=weights).shape == (20,)


def test_order_certainty_equals_the_exact_test_in_the_limit():
    generator = np.random.default_rng(3)
    matrix = generator.normal(size=(2, 8))
    differences = matrix[0] - matrix[1]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1)
    exact = np.mean(differences @ signs >= differences.sum() - 1e-12)
    estimate = order_certainty(matrix, np.ones((2, 8), bool), permutations=20_000)[0]
    assert estimate == pytest.approx(exact, abs=0.015)


def test_soft_accuracy_refuses_weights_of_dialogues(made):
    x, _, z = made()
    with pytest.raises(ParameterError, match="systems only"):
        soft_pairwise_accuracy(x, z, weights=bootstrap_weights(8, 15, 5, "inputs", 0))
