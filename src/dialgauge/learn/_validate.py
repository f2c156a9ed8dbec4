"""Validation: predictions of held-out summaries, compared with baselines and the human ceiling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.learn._features import FeatureTable
from dialgauge.learn._learners import AUTO, Recipe, candidates
from dialgauge.learn._procedure import Data, Predicted, Procedure, check_leaks, procedure
from dialgauge.learn._settings import LearnSettings
from dialgauge.learn._splits import Fold, check_folds, find_split, make_folds
from dialgauge.learn._targets import MIN_RATED, Target
from dialgauge.learn._validation_scores import (
    LEARNED,
    MEAN,
    SINGLE,
    best_single,
    calibration,
    ceiling_rows,
    class_rows,
    correlation_rows,
    no_correlation_rows,
    scores_frame,
)
from dialgauge.progress import Progress
from dialgauge.resampling import Intervals
from dialgauge.settings import takes


@dataclass(frozen=True, slots=True)
class Validation:
    """Results on held-out summaries.

    ``scores`` has a row per measure: its subject (the learned metric, the best single metric, the mean predictor, the
    human ceiling), value and interval. ``predictions`` has the key, the rating, the prediction, its class and the fold;
    ``calibration`` the mean rating per tenth of the predictions; ``chosen`` what was chosen inside each fold. ``hides``
    says what this split does not show.
    """

    dimension: str
    split: str
    hides: str
    scores: pl.DataFrame
    predictions: pl.DataFrame
    calibration: pl.DataFrame
    chosen: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)

    def value(self, measure: str, level: str = "summary", by: str = LEARNED) -> Mapping[str, Any]:
        """One row of the scores."""
        rows = self.scores.filter(pl.col("measure") == measure, pl.col("level") == level, pl.col("by") == by)
        if rows.is_empty():
            raise InputError(f"no {measure} of level {level!r} by {by!r} in this validation")
        return rows.row(0, named=True)


def build_data(table: FeatureTable, target: Target) -> Data:
    """The summaries that have both features and a rating."""
    keys = target.keys.join(table.frame.select(KEY), on=list(KEY), how="semi", maintain_order="left")
    if keys.height < MIN_RATED:
        raise InputError(
            f"dimension {target.dimension!r}: {keys.height} of {target.keys.height} rated summaries have scores; "
            f"at least {MIN_RATED} are needed (were the references scored as well?)"
        )
    y = keys.join(target.frame, on=list(KEY), how="left", maintain_order="left")["value"].to_numpy()
    X = table.rows(keys).matrix()
    for i, name in enumerate(table.names):
        column = X[:, i]
        known = ~np.isnan(column)
        if not known.any():
            raise InputError(f"feature {name!r} has no value for any rated summary; remove it")
        varies = known.sum() > 2 and np.ptp(column[known]) > 0 and np.ptp(y[known]) > 0
        if varies and abs(np.corrcoef(column[known], y[known])[0, 1]) > 0.9999:
            raise InputError(f"feature {name!r} is the rating of {target.dimension!r} itself; remove it")
    return Data(keys, table.names, X, y, target, table.directions)


@takes(LearnSettings)
def validate(
    data: Data,
    ratings: pl.DataFrame,
    settings: LearnSettings | None = None,
    *,
    recipes: Sequence[Recipe] | None = None,
    run: Procedure | None = None,
    own_folds: Sequence[Fold] | None = None,
    guard: bool = True,
    progress: Progress | None = None,
    **changes: Any,
) -> Validation:
    """Predict every held-out summary from the others, and score that.

    ``ratings`` are the single ratings for the human ceiling. ``learner`` names what is searched (or
    ``recipes`` lists it); every choice is made within the training rows, by folds of the same rule. ``auto`` blends the
    recipes within one standard error of the best. ``run`` replaces that procedure by your own. ``guard``
    checks on the first fold whether predictions change with held-out data, and raises an error if they do.
    ``own_folds`` replace those of the split; they raise an error if they share what the split separates.
    """
    asked = LearnSettings.chosen(settings, changes, "validate")
    split, seed = asked.split, asked.seed
    tried = tuple(recipes) if recipes is not None else tuple(candidates(asked.learner, data.target, seed))
    made = list(own_folds) if own_folds else make_folds(split, data.keys, folds=asked.folds, seed=seed)
    check_folds(split, data.keys, made)
    own = run or procedure(tried, split, blend=asked.learner == AUTO, inner_folds=asked.inner_folds, seed=seed)
    results: list[Predicted] = []
    for done, fold in enumerate(made):
        if progress:
            progress(f"{data.target.dimension}: {fold.name}", done, len(made))
        results.append(own(data, fold.train, fold.test))
        if guard and not done:
            check_leaks(own, data, fold, before=results[0], seed=seed)
    if progress:
        progress(f"{data.target.dimension}: intervals", len(made), len(made))
    return _scored(data, ratings, split, made, results, asked.subset(Intervals))


def _scored(
    data: Data,
    ratings: pl.DataFrame,
    split: str,
    folds: Sequence[Fold],
    results: Sequence[Predicted],
    asked: Intervals,
) -> Validation:
    size = len(data.y)
    numbers, classes, means = (np.full(size, np.nan) for _ in range(3))
    of_fold = np.full(size, None, dtype=object)
    for fold, result in zip(folds, results, strict=True):
        numbers[fold.test], classes[fold.test] = result.numbers, result.classes
        means[fold.test] = data.y[fold.train].mean()
        of_fold[fold.test] = fold.name
    rows = correlation_rows(LEARNED, LEARNED, data, numbers, asked)
    rows += class_rows(LEARNED, LEARNED, data, classes, numbers, asked)
    single = best_single(data, numbers)
    if single is not None:
        rows += correlation_rows(SINGLE, single[0], data, single[1], asked)
    constant = "it predicts the same for every summary of a fold"
    rows += no_correlation_rows(MEAN, MEAN, constant)
    rows += class_rows(MEAN, MEAN, data, np.where(np.isnan(means), np.nan, _classes(data, means)), means, asked)
    rows += ceiling_rows(data, ratings, asked)
    known = ~np.isnan(numbers)
    predictions = data.keys.with_columns(
        pl.Series("rating", data.y),
        pl.Series("prediction", numbers),
        pl.Series("class", classes),
        pl.Series("fold", of_fold.tolist(), dtype=pl.String),
    ).filter(pl.Series(known))
    chosen = [
        {
            "fold": fold.name,
            "train": len(fold.train),
            "test": len(fold.test),
            "learner": result.recipe.learner if result.recipe else None,
            "settings": str(dict(result.recipe.settings)) if result.recipe else None,
        }
        for fold, result in zip(folds, results, strict=True)
    ]
    return Validation(
        data.target.dimension,
        split,
        find_split(split).hides,
        scores_frame(rows),
        predictions,
        calibration(data, numbers, asked),
        pl.DataFrame(chosen),
        {**asked.model_dump(), "folds": len(folds), "rows": int(known.sum())},
    )


def _classes(data: Data, values: np.ndarray) -> np.ndarray:
    return data.target.classes(np.nan_to_num(values, nan=data.target.levels[0]))
