"""Predictions of held-out rows, and a check that the procedure does not use their ratings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.arrays import FloatArray
from dialgauge.errors import DialgaugeError
from dialgauge.learn._copies import apart_inside
from dialgauge.learn._learners import Recipe
from dialgauge.learn._objective import judge
from dialgauge.learn._splits import Fold, IntArray
from dialgauge.learn._targets import Target


class LeakError(DialgaugeError):
    """Raised if the predictions of a procedure depend on held-out data."""


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Rated summaries with their features: keys, a row of ``X`` and a value of ``y`` each, in the same order.

    ``directions`` says which direction is better for features that are metrics. ``marks`` has the same mark for equal
    texts of a dialogue; it is empty where the texts are not known.
    """

    keys: pl.DataFrame
    names: tuple[str, ...]
    X: FloatArray
    y: FloatArray
    target: Target
    directions: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[str, ...] = ()

    def part(self, rows: IntArray) -> "Data":
        """Some of the rows."""
        marks = tuple(self.marks[row] for row in rows.tolist()) if self.marks else ()
        return replace(self, keys=self.keys[rows.tolist()], X=self.X[rows], y=self.y[rows], marks=marks)


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """The predictions of a procedure for held-out rows, and the recipe it chose."""

    numbers: FloatArray
    classes: FloatArray
    recipe: Recipe | None = None


#: Maps all rows, the training positions and the test positions to predictions for the latter.
Procedure = Callable[[Data, IntArray, IntArray], Predicted]


@dataclass(frozen=True, slots=True)
class Trial:
    """A recipe that a search tried, and its result."""

    recipe: Recipe
    value: float
    error: float


def search(data: Data, recipes: Sequence[Recipe], split: str, *, folds: int = 3, seed: int = 0) -> list[Trial]:
    """Try recipes on folds of these rows, made by the same rule as the outer split; the best first.

    A single recipe needs no comparison and gets no value.
    """
    if len(recipes) == 1:
        return [Trial(recipes[0], float("nan"), float("nan"))]
    inner = apart_inside(split, data.keys, data.marks, folds, seed)
    trials = []
    for recipe in recipes:
        numbers = np.full(len(data.y), np.nan)
        quick = recipe.quicker()
        for fold in inner:
            fitted = quick.fit(data.X[fold.train], data.y[fold.train])
            if data.target.task == "classes":
                numbers[fold.test] = fitted.classes(data.X[fold.test])
            else:
                # Centred: a fold without a good system predicts lower, which would count against it.
                numbers[fold.test] = fitted.numbers(data.X[fold.test]) - data.y[fold.train].mean()
        judged = judge(data.target, data.keys, numbers, data.y)
        trials.append(Trial(recipe, judged.value, judged.error))
    return sorted(trials, key=lambda trial: -trial.value)


def procedure(recipes: Sequence[Recipe], split: str, *, inner_folds: int = 3, seed: int = 0) -> Procedure:
    """Search among the recipes, fit the best, predict: all from the training rows."""

    def run(data: Data, train: IntArray, test: IntArray) -> Predicted:
        known = data.part(train)
        best = search(known, recipes, split, folds=inner_folds, seed=seed)[0].recipe
        fitted = best.fit(known.X, known.y)
        return Predicted(fitted.numbers(data.X[test]), fitted.classes(data.X[test]), best)

    return run


def check_leaks(run: Procedure, data: Data, fold: Fold, *, before: Predicted | None = None, seed: int = 0) -> None:
    """Raise an error if the predictions of a procedure change with held-out data.

    The ratings of all rows that are not trained on (held-out ones, and copies of their texts) are replaced by noise,
    and the features of half of the held-out ones by others: the predictions of the other half must be the same to the
    last bit. Scaling, filling, selecting features or encoding ratings over
    all rows changes them. ``before`` is the procedure's prediction for the fold, if known already.
    """
    generator = np.random.default_rng([seed, 21])
    spoilt = generator.permutation(fold.test)[: len(fold.test) // 2]
    kept = ~np.isin(fold.test, spoilt)
    said = _both(before or run(data, fold.train, fold.test), kept)
    y = data.y.copy()
    unknown = np.setdiff1d(np.arange(len(y)), fold.train)
    y[unknown] = generator.choice(np.array(data.target.levels), len(unknown))
    other = _with_noise(data, spoilt, generator)

    def change(changed: Data) -> float:
        again = _both(run(changed, fold.train, fold.test), kept)
        differ = (said != again) & ~(np.isnan(said) & np.isnan(again))
        # A value that appears or disappears is also a change, although without a size.
        return float(np.max(np.nan_to_num(np.abs(said - again)[differ], nan=np.inf), initial=0.0))

    if not change(replace(other, y=y)):
        return
    for what, changed in (
        ("ratings of held-out summaries", replace(data, y=y)),
        ("features of other held-out summaries", other),
    ):
        by = change(changed)
        if by:
            raise LeakError(
                f"fold {fold.name}: predictions change with the {what} (by up to {by:.3g}): a step of the procedure "
                "uses held-out rows"
            )
    raise LeakError(
        f"fold {fold.name}: predictions change although only held-out rows changed, or they differ from run to run"
    )


def _both(predicted: Predicted, rows: NDArray[np.bool_]) -> FloatArray:
    return np.stack([predicted.numbers[rows], predicted.classes[rows]])


def _with_noise(data: Data, rows: IntArray, generator: np.random.Generator) -> Data:
    X = data.X.copy()
    size = (len(rows), X.shape[1])
    spread = np.nan_to_num(np.nanmax(np.abs(X), axis=0), nan=0.0) + 1.0
    X[rows] = generator.normal(size=size) * 100 * spread
    return replace(data, X=X)
