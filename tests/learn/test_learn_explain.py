"""Explanations and the choice of features."""

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest

from dialgauge.learn import Recipe, contributions, permutation_importance, select_features
from dialgauge.learn._learners import LEARNERS, candidates
from tests.learn.learn_cases import made_corpus, made_data

LINEAR, TREES = ("ridge", "rank-ridge"), ("decision-tree", "random-forest", "extra-trees")


@pytest.mark.parametrize(
    ("learner", "task"),
    [*product((*LINEAR, *TREES, "blend"), ("numbers", "classes")), ("boosting", "numbers"), ("auto", "numbers")],
)
def test_contributions_sum_to_the_prediction(learner: str, task: str) -> None:
    data, _, target, _ = made_data(task=task)
    if learner == "auto":
        recipe = candidates("auto", target, 0)[0].quicker(5)
    else:
        recipe = Recipe.build("extra-trees" if learner == "blend" else learner, target).quicker(15)
    if learner == "blend":
        recipe = Recipe.blend([recipe, Recipe.build("decision-tree", target)])
    fitted = recipe.fit(data.X, data.y)
    frame = contributions(fitted, data.keys, data.X, data.names)
    sums = frame["contribution"].to_numpy().reshape(len(data.y), -1).sum(axis=1) + frame["base"][0]
    free = np.clip(sums, 1, 5) if learner in (*LINEAR, "boosting", "auto") else sums
    assert free == pytest.approx(fitted.numbers(data.X), abs=1e-9)
    assert frame.columns[-5:] == ["feature", "value", "contribution", "base", "method"]
    assert frame["method"].unique().to_list() == [
        "linear" if learner in LINEAR else "linear and path" if learner == "auto" else "path"
    ]


def test_a_blend_is_explained_where_a_point_of_the_scale_never_occurs() -> None:
    corpus = made_corpus()
    ratings = corpus.ratings.with_columns(value=pl.col("value").clip(3, 5))
    data, _, target, _ = made_data(replace(corpus, ratings=ratings), task="classes")
    assert set(target.classes(data.y)) == {3.0, 4.0, 5.0}
    trees = Recipe.build("extra-trees", target).quicker(15)
    alone, blended = trees.fit(data.X, data.y), Recipe.blend([trees, trees]).fit(data.X, data.y)
    parts, same = (contributions(fitted, data.keys, data.X, data.names) for fitted in (alone, blended))
    assert same["base"][0] == pytest.approx(parts["base"][0])
    assert same["contribution"].to_numpy() == pytest.approx(parts["contribution"].to_numpy())
    linear = Recipe.build("logistic", target)
    alone, blended = linear.fit(data.X, data.y), Recipe.blend([linear, linear]).fit(data.X, data.y)
    parts, same = (contributions(fitted, data.keys, data.X, data.names) for fitted in (alone, blended))
    assert same["contribution"].to_numpy() == pytest.approx(parts["contribution"].to_numpy())


@pytest.mark.parametrize("learner", sorted(set(LEARNERS) - {*LINEAR, *TREES, "boosting"}))
def test_other_learners_are_explained_by_occlusion(learner: str) -> None:
    data, _, target, _ = made_data()
    fitted = Recipe.build(learner, target).quicker(20).fit(data.X, data.y)
    frame = contributions(fitted, data.keys[:3], data.X[:3], data.names)
    assert frame["method"].unique().to_list() == ["occlusion"]
    middle = np.median(data.X, axis=0)[None, :]
    at_middle = contributions(fitted, data.keys[:1], middle, data.names)
    assert at_middle["contribution"].to_list() == [0.0, 0.0, 0.0]


def test_importance_finds_what_matters() -> None:
    data, _, target, _ = made_data()
    frame = permutation_importance(data, Recipe.build("ridge", target), repeats=3, seed=1)
    assert frame["feature"][0] == "good"
    assert frame["drop"][0] > 0.3
    assert frame["drop"][1:].abs().max() < 0.1
    assert frame.equals(permutation_importance(data, Recipe.build("ridge", target), repeats=3, seed=1))


def test_the_cheapest_set_that_will_do() -> None:
    data, _, target, _ = made_data()
    seconds = {"good": 1.0, "noise-0": 100.0}
    made = select_features(data, Recipe.build("ridge", target), seconds, seed=1)
    assert made.chosen == ("good",)
    assert made.unknown == ("noise-1",)
    assert made.frame.filter(made.frame["chosen"]).height == 1
    best = made.frame.sort("value").row(-1, named=True)
    chosen = made.frame.filter(made.frame["chosen"]).row(0, named=True)
    assert chosen["value"] >= best["value"] - best["error"]
    assert made.frame["seconds"].max() == 101.0
    assert candidates("ridge", target, 0)[0].learner == "ridge"
