"""The rule that names metrics: exact with few systems, indifferent to what must not matter, right about made data."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest

from dialgauge.metaeval import TrustSettings, correlation, decide
from dialgauge.metaeval._best import best_floor, undominated
from dialgauge.metaeval._coefficient_parts import coefficient_parts
from dialgauge.metaeval._decide import Decision, matching_ties, order_family
from dialgauge.metaeval._score_side import ScoreSide
from dialgauge.metaeval._shuffles import shuffle_systems
from dialgauge.metaeval._standardised import without_line

COEFFICIENTS = ("pearson", "spearman", "kendall", "mean", "pairwise_accuracy")


def study(m: int, n: int, metrics: int = 6, seed: int = 0, r: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and ratings of two dimensions; the first metric follows the first dimension by r."""
    generator = np.random.default_rng(seed)

    def layered(count: int) -> np.ndarray:
        cells = generator.normal(size=(count, m, n))
        return cells + 0.5 * generator.normal(size=(count, m, 1)) + 0.5 * generator.normal(size=(count, 1, n))

    scores, ratings = layered(metrics), layered(2)
    scores[0] = r * ratings[0] + np.sqrt(1 - r * r) * scores[0]
    return scores, ratings


def same(one: Decision, other: Decision) -> None:
    for name in ("p_order", "p_cells", "order", "cells"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("m", [4, 5, 6])
def test_p_values_of_few_systems_are_exact_and_the_same_for_every_seed(m: int) -> None:
    scores, ratings = study(m, 15, r=0.6)
    found = decide(scores, ratings, TrustSettings(seed=1, resamples=50))
    same(found, decide(scores, ratings, TrustSettings(seed=2, resamples=5000)))
    counts = found.p_cells * factorial(m)
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    assert found.enumerated
    assert found.floor == 1 / factorial(m)


@pytest.mark.parametrize("m", [2, 3])
def test_two_and_three_systems_do_not_depend_on_the_seed_either(m: int) -> None:
    scores, ratings = study(m, 30, r=0.7)
    same(decide(scores, ratings, TrustSettings(seed=1)), decide(scores, ratings, TrustSettings(seed=2)))


#: At global level, coefficients over pairs are tested through ranks.
SHOWN = [(level, name) for level in ("summary", "system") for name in COEFFICIENTS]


@pytest.mark.parametrize(("level", "coefficient"), [*SHOWN, ("global", "pearson"), ("global", "spearman")])
def test_every_shuffle_has_the_coefficient_of_shuffled_ratings(level: str, coefficient: str) -> None:
    scores, ratings = study(4, 7, metrics=2, seed=3)
    ratings = np.round(ratings)
    asked = TrustSettings(level=level, coefficient=coefficient)
    orders = shuffle_systems(4, 100, 0)
    assert [tuple(row) for row in orders.tolist()] == list(permutations(range(4)))
    found = order_family(ScoreSide(scores), ratings, asked, orders).values.reshape(24, 2, 2)
    for number in (0, 7, 23):
        moved = ratings[:, orders[number]]
        for k in range(2):
            for d in range(2):
                expected = _coefficient(scores[k], moved[d], level, coefficient)
                assert found[number, k, d] == pytest.approx(expected, abs=1e-9)


def _coefficient(x: np.ndarray, z: np.ndarray, level: str, coefficient: str) -> float:
    if coefficient != "pairwise_accuracy":
        return correlation(x, z, level, coefficient)
    limit = matching_ties(x[None], z, level)[0]
    if level == "system":
        x, z = x.mean(axis=1, keepdims=True), z.mean(axis=1, keepdims=True)
    alike = []
    for i in range(len(x)):
        for k in range(i + 1, len(x)):
            scored, rated = x[i] - x[k], z[i] - z[k]
            order = np.where(np.abs(scored) <= limit + 1e-9, 0, np.sign(scored))
            alike.append(order == np.where(np.abs(rated) <= 1e-9, 0, np.sign(rated)))
    return float(np.mean(alike))


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("m", [2, 4, 6])
def test_what_must_not_matter_does_not(m: int, coefficient: str) -> None:
    scores, ratings = study(m, 12, r=0.5, seed=4)
    asked = TrustSettings(coefficient=coefficient, resamples=100)
    found = decide(scores, ratings, asked)
    same(found, decide(scores * 3.5 + 2, ratings * 0.25 - 1, asked))
    generator = np.random.default_rng(0)
    if coefficient not in ("pairwise_accuracy",):  # a constant may turn a tie of the last digit
        per_dialogue = np.round(generator.normal(size=(1, 1, 12)), 2)
        same(found, decide(scores + per_dialogue, ratings + per_dialogue, asked))
    renamed = generator.permutation(m)
    same(found, decide(scores[:, renamed], ratings[:, renamed], asked))


def test_noise_is_rarely_named_and_a_true_metric_nearly_always() -> None:
    asked = TrustSettings(resamples=100)
    for m, n in ((2, 60), (4, 40), (6, 25), (9, 20)):
        noise = true = 0
        for seed in range(40):
            order, cells = decide(*study(m, n, seed=seed, r=0.75), asked).shown(0.05)
            shown = order | cells
            true += int(shown[0, 0])
            shown[0, 0] = False
            noise += int(shown.any())
        assert true >= 36, (m, n)
        assert noise <= 7, (m, n)


def test_slopes_on_the_length_of_dialogues_are_no_agreement() -> None:
    generator = np.random.default_rng(5)
    length = generator.normal(size=60)
    raw = known = 0
    for seed in range(20):
        scores, ratings = study(3, 60, seed=seed)
        scores += generator.normal(size=(6, 3, 1)) * length
        ratings += generator.normal(size=(2, 3, 1)) * length
        for covariates in (None, length[None]):
            named = decide(scores, ratings, TrustSettings(resamples=100), covariates).shown(0.05)[1].any()
            raw += int(named and covariates is None)
            known += int(named and covariates is not None)
    assert raw >= 10
    assert known <= 4


def test_gaps_do_not_make_noise_follow_the_ratings() -> None:
    generator = np.random.default_rng(6)
    for m in (3, 5):
        named = 0
        for seed in range(40):
            scores, ratings = study(m, 25, seed=seed)
            gaps = generator.random((m, 25)) < 0.2
            scores[:, gaps] = ratings[:, gaps] = np.nan
            order, cells = decide(scores, ratings, TrustSettings(resamples=100)).shown(0.05)
            named += int((order | cells).any())
        assert named <= 7, m


def test_what_cannot_be_decided_is_undefined() -> None:
    scores, ratings = study(6, 10)
    scores[0] = 3.0
    found = decide(scores, ratings, TrustSettings())
    assert np.isnan(found.p_order[0]).all()
    assert np.isnan(found.p_cells[0]).all()
    assert not np.isnan(found.p_order[1:]).any()
    one = decide(scores[:, :1], ratings[:, :1], TrustSettings())
    assert np.isnan(one.p_cells).all()
    four = decide(scores[:, :4], ratings[:, :4], TrustSettings(confidence=0.99))
    assert four.floor > 0.01
    assert np.isnan(four.p_order).all()


def test_length_is_taken_out_to_the_last_digit() -> None:
    generator = np.random.default_rng(7)
    length = np.round(generator.gamma(5, 5, size=(6, 20)))
    left = without_line(np.stack([2 * length + 1, generator.normal(size=(6, 20))]), length)
    assert (left[0] == 0).all()
    slope = (left[1] * (length - length.mean(axis=0))).sum()
    assert slope == pytest.approx(0, abs=1e-9)


def test_a_metric_is_dropped_only_where_another_is_shown_to_be_better() -> None:
    generator = np.random.default_rng(8)
    quality = generator.normal(size=(1, 12, 40)) + generator.normal(size=(1, 12, 1))
    strength = np.array([0.9, 0.9, 0.1])[:, None, None]
    scores = strength * quality + np.sqrt(1 - strength**2) * generator.normal(size=(3, 12, 40))
    parts = coefficient_parts(scores, quality, "summary", "pearson")
    assert undominated([part[:, 0] for part in parts], 0.05, 1000, 0).tolist() == [True, True, False]
    few = coefficient_parts(scores[:, :5], quality[:, :5], "summary", "pearson")
    assert best_floor(5) > 0.05
    assert undominated([part[:, 0] for part in few], 0.05, 1000, 0).all(), "five systems cannot decide"


@pytest.mark.parametrize("level", ["summary", "system", "global"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_what_units_add_sums_to_the_coefficient(level: str, coefficient: str) -> None:
    if (level, coefficient) == ("global", "kendall"):
        return  # ranks stand for the pairs there
    generator = np.random.default_rng(9)
    scores, ratings = generator.normal(size=(2, 7, 11)), generator.normal(size=(1, 7, 11))
    expected = [correlation(x, ratings[0], level, coefficient) for x in scores]
    views = coefficient_parts(scores, ratings, level, coefficient)
    assert len(views) == (2 if level == "global" else 1)
    for view in (*views, *coefficient_parts(scores, ratings, level, coefficient, "dialogues")):
        np.testing.assert_allclose(view[:, 0].sum(axis=1), expected)


def test_equal_metrics_share_the_mark_by_every_coefficient() -> None:
    """Half of each pair for each of its systems would call an equal metric worse in most studies of noise."""
    generator = np.random.default_rng(10)
    lost = dict.fromkeys(("pearson", "kendall", "pairwise_accuracy"), 0)
    for _ in range(40):
        scores, ratings = generator.normal(size=(8, 10, 12)), generator.normal(size=(1, 10, 12))
        for name in lost:
            views = coefficient_parts(scores, ratings, "summary", name)
            lost[name] += not undominated([view[:, 0] for view in views], 0.05, 200, 0).all()
    assert max(lost.values()) <= 6
