"""Explanation of a trained metric: feature importance, and the contribution of each feature to a prediction."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.learn._copies import apart_folds
from dialgauge.learn._learners import BLEND, Fitted, Recipe
from dialgauge.learn._objective import judge
from dialgauge.learn._procedure import Data
from dialgauge.progress import Progress

IMPORTANCE = pl.Schema({"feature": pl.String, "drop": pl.Float64, "deviation": pl.Float64, "objective": pl.String})


def permutation_importance(
    data: Data,
    recipe: Recipe,
    *,
    split: str = "dialogues",
    folds: int = 5,
    repeats: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Permutation importance: the loss on held-out rows when the values of one feature are shuffled among them.

    ``drop`` is the mean loss of the objective over ``repeats`` shuffles, ``deviation`` its standard deviation. Of two
    equivalent features, each alone has little importance. The most important come first.
    """
    made = apart_folds(split, data.keys, data.marks, folds=folds, seed=seed)
    fits = [recipe.fit(data.X[fold.train], data.y[fold.train]) for fold in made]
    predicted = np.full(len(data.y), np.nan)
    for fold, fitted in zip(made, fits, strict=True):
        predicted[fold.test] = _said(fitted, data.X[fold.test], data)
    base = judge(data.target, data.keys, predicted, data.y)
    rows = []
    for i, name in enumerate(data.names):
        if progress:
            progress(f"importance of {name}", i, len(data.names))
        drops = []
        for repeat in range(repeats):
            shuffled = np.full(len(data.y), np.nan)
            for number, (fold, fitted) in enumerate(zip(made, fits, strict=True)):
                x = data.X[fold.test].copy()
                x[:, i] = np.random.default_rng([seed, 31, i, repeat, number]).permutation(x[:, i])
                shuffled[fold.test] = _said(fitted, x, data)
            drops.append(base.value - judge(data.target, data.keys, shuffled, data.y).value)
        deviation = float(np.std(drops, ddof=1)) if repeats > 1 else None
        rows.append((name, float(np.mean(drops)), deviation, base.name))
    return pl.DataFrame(rows, schema=IMPORTANCE, orient="row").sort("drop", descending=True, maintain_order=True)


def contributions(fitted: Fitted, keys: pl.DataFrame, x: FloatArray, names: tuple[str, ...]) -> pl.DataFrame:
    """The contribution of each feature to each prediction: key, ``feature``, ``value``, ``contribution``, ``method``.

    - ``linear`` (ridge, on ranks or not): the coefficient times the distance from the training mean. Exact: with
      ``base`` they sum to the prediction before it is clipped to the scale.
    - ``path`` (trees, forests, boosted trees for numbers): along the path through each tree, the change of the mean
      rating at every split goes to the feature of the split. They sum to the prediction as well.
    - ``occlusion`` (all others): the prediction minus the one with this feature at its training median. These do not
      sum to the prediction if features interact.

    For a blend of several learners, the mean of theirs.
    """
    fill = fitted.pipeline.named_steps["fill"]
    method, made, base = _explain(fitted.recipe.learner, _after_fill(fitted), fitted, fill.transform(x))
    size = len(names)
    long = keys[np.repeat(np.arange(len(x)), size).tolist()]
    return long.with_columns(
        pl.Series("feature", list(names) * len(x), dtype=pl.String),
        pl.Series("value", x.reshape(-1), dtype=pl.Float64, nan_to_null=True),
        pl.Series("contribution", made.reshape(-1), dtype=pl.Float64),
        pl.lit(base, dtype=pl.Float64).alias("base"),
        pl.lit(method).alias("method"),
    )


def _after_fill(fitted: Fitted) -> Any:
    """The pipeline without its first step, which fills the gaps."""
    return fitted.pipeline[1:]


def _said(fitted: Fitted, x: FloatArray, data: Data) -> FloatArray:
    return fitted.classes(x) if data.target.task == "classes" else fitted.numbers(x)


def _explain(learner: str, estimator: Any, fitted: Fitted, filled: FloatArray) -> tuple[str, FloatArray, float]:
    """The method, a contribution per row and feature, and the base of one learner on features without gaps."""
    if learner == BLEND:
        pairs = zip(fitted.recipe.settings["members"], estimator[-1].estimators_, strict=True)
        known = _as_members_know(fitted, estimator[-1])
        parts = [_explain(member["learner"], part, known, filled) for member, part in pairs]
        methods = " and ".join(dict.fromkeys(part[0] for part in parts))
        return methods, np.mean([part[1] for part in parts], axis=0), float(np.mean([part[2] for part in parts]))
    if learner in ("ridge", "rank-ridge"):
        return "linear", estimator[:-1].transform(filled) * estimator[-1].coef_, float(estimator[-1].intercept_)
    if learner == "boosting" and not fitted.recipe.fits_classes:
        return _boosted_paths(estimator[-1], filled)
    if learner in ("decision-tree", "random-forest", "extra-trees"):
        return _paths(estimator[-1], fitted, filled)
    return _occlusion(estimator, fitted, filled)


def _as_members_know(fitted: Fitted, voting: Any) -> Fitted:
    """Members of a vote number the classes that occurred in training, not the points of the scale."""
    if not fitted.recipe.fits_classes:
        return fitted
    occurred = tuple(fitted.recipe.levels[int(number)] for number in voting.classes_)
    return replace(fitted, recipe=replace(fitted.recipe, levels=occurred))


def _paths(learned: Any, fitted: Fitted, filled: FloatArray) -> tuple[str, FloatArray, float]:
    trees = getattr(learned, "estimators_", [learned])
    points = np.array(fitted.recipe.levels)[learned.classes_] if fitted.recipe.fits_classes else None
    total, base = np.zeros(filled.shape), 0.0
    for tree in trees:
        values = _node_values(tree, points)
        base += float(values[0])
        total += _path_changes(tree, filled, values)
    return "path", total / len(trees), base / len(trees)


def _boosted_paths(learned: Any, filled: FloatArray) -> tuple[str, FloatArray, float]:
    """Boosted trees add up, each by a part of what it says, to the mean that they begin with."""
    total, base = np.zeros(filled.shape), 0.0
    for tree in learned.estimators_[:, 0]:
        values = _node_values(tree, None)
        base += float(values[0])
        total += _path_changes(tree, filled, values)
    start = float(np.ravel(learned.init_.constant_)[0])
    return "path", learned.learning_rate * total, start + learned.learning_rate * base


def _node_values(tree: Any, points: FloatArray | None) -> FloatArray:
    """The mean rating of the training rows at each node; of a classifier the expected value of its classes."""
    values = tree.tree_.value[:, 0, :]
    if points is None:
        return np.asarray(values[:, 0])
    return np.asarray(values @ points / values.sum(axis=1))


def _path_changes(tree: Any, x: FloatArray, values: FloatArray) -> FloatArray:
    nodes = tree.tree_
    made = np.zeros(x.shape)
    compared = x.astype(np.float32)  # as the tree itself does
    at = np.zeros(len(x), dtype=np.int64)
    active = np.arange(len(x))
    while len(active):
        here = at[active]
        active = active[nodes.children_left[here] >= 0]
        here = at[active]
        feature = nodes.feature[here]
        left = compared[active, feature] <= nodes.threshold[here]
        following = np.where(left, nodes.children_left[here], nodes.children_right[here])
        made[active, feature] += values[following] - values[here]
        at[active] = following
    return made


def _occlusion(estimator: Any, fitted: Fitted, filled: FloatArray) -> tuple[str, FloatArray, float]:
    own = Fitted(fitted.recipe, estimator)
    medians = fitted.pipeline.named_steps["fill"].statistics_
    predicted = own.numbers(filled)
    made = np.zeros(filled.shape)
    for i in range(filled.shape[1]):
        without = filled.copy()
        without[:, i] = medians[i]
        made[:, i] = predicted - own.numbers(without)
    return "occlusion", made, float(own.numbers(medians[None, :])[0])
