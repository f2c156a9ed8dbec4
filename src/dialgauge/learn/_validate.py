"""Validation: predictions of held-out summaries, compared with baselines and the human ceiling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError
from dialgauge.learn._claims import claims, learned_verdict
from dialgauge.learn._copies import apart_folds, find_copies, purged, system_families
from dialgauge.learn._features import FeatureTable
from dialgauge.learn._learners import Recipe, candidates
from dialgauge.learn._procedure import Data, Predicted, Procedure, check_leaks, procedure
from dialgauge.learn._settings import LearnSettings
from dialgauge.learn._splits import Fold, check_folds, find_split
from dialgauge.learn._summary_intervals import SummaryIntervals, summary_intervals
from dialgauge.learn._targets import MIN_RATED, Target
from dialgauge.learn._validation_controls import null_correlations, single_inside, system_means
from dialgauge.learn._validation_scores import (
    AUTHOR,
    HINDSIGHT,
    LEARNED,
    MEAN,
    SINGLE,
    best_single,
    calibration,
    ceiling_rows,
    class_rows,
    correlation_rows,
    difference_rows,
    no_correlation_rows,
    null_rows,
    scores_frame,
    with_p_values,
    within_rows,
)
from dialgauge.metaeval import Trust
from dialgauge.progress import Progress, with_bar
from dialgauge.resampling import Intervals
from dialgauge.settings import takes


@dataclass(frozen=True, slots=True)
class Validation:
    """Results on held-out summaries.

    ``scores`` has a row per measure: its subject (the learned metric, the best single metric chosen inside the folds
    and in hindsight, learned minus single, shuffled ratings, the mean predictor, the human ceiling, one more rater, a
    metric without any error), value, interval,
    and for the learned metric ``p``, the share of shuffles that reach it. Correlations are those of predictions minus
    the mean rating that their fold was trained on. A level that the split cannot judge is null, with the reason.
    ``predictions`` has the key, the rating, the prediction, its class and the fold; ``calibration`` the mean rating per
    tenth of the predictions; ``chosen`` what was chosen inside each fold; ``copies`` the texts that several systems
    wrote; ``intervals`` how far single predictions may be off. ``claims`` are sentences that the numbers support,
    ``verdict`` what follows from them. ``hides`` says what this split does not show.
    """

    dimension: str
    split: str
    hides: str
    scores: pl.DataFrame
    predictions: pl.DataFrame
    calibration: pl.DataFrame
    chosen: pl.DataFrame
    copies: pl.DataFrame
    intervals: SummaryIntervals | None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def value(self, measure: str, level: str = "summary", by: str = LEARNED) -> Mapping[str, Any]:
        """One row of the scores."""
        rows = self.scores.filter(pl.col("measure") == measure, pl.col("level") == level, pl.col("by") == by)
        if rows.is_empty():
            raise InputError(f"no {measure} of level {level!r} by {by!r} in this validation")
        return rows.row(0, named=True)

    @property
    def claims(self) -> tuple[str, ...]:
        """What may be said of the learned metric, and what may not."""
        return claims(self.scores, self._alpha)

    @property
    def verdict(self) -> Trust:
        """Whether the learned metric can be used (``use``), with care (``care``) or not (``do-not-use``)."""
        return learned_verdict(self.scores, self._alpha)

    @property
    def _alpha(self) -> float:
        """The error of a claim; few shuffles cannot show more than their own smallest p-value."""
        return max(1 - float(self.settings["confidence"]), 1 / (int(self.settings["null"]) + 1))


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
    marks: tuple[str, ...] = ()
    if table.marks is not None:
        placed = keys.join(table.marks, on=list(KEY), how="left", maintain_order="left")["mark"]
        # A summary without a text is like no other.
        marks = tuple(mark or f"row {i}" for i, mark in enumerate(placed))
    return Data(keys, table.names, X, y, target, table.directions, marks)


@with_bar
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
    ``recipes`` lists it); every choice is made within the training rows, by folds of the same rule. ``auto`` is
    a mean of learners that chooses nothing. ``run`` replaces that procedure by your own. ``guard``
    checks on the first fold whether predictions change with held-out data, and raises an error if they do.
    ``own_folds`` replace those of the split; they raise an error if they share what the split separates.
    """
    asked = LearnSettings.chosen(settings, changes, "validate")
    split, seed = asked.split, asked.seed
    tried = tuple(recipes) if recipes is not None else tuple(candidates(asked.learner, data.target, seed))
    marks = data.marks if asked.copies == "purge" else ()
    data = replace(data, marks=marks)
    if own_folds:
        check_folds(split, data.keys, own_folds)
        made = [purged(fold, marks) for fold in own_folds]
    else:
        made = apart_folds(split, data.keys, marks, folds=asked.folds, seed=seed)
    own = run or procedure(tried, split, inner_folds=asked.inner_folds, seed=seed)
    results: list[Predicted] = []
    for done, fold in enumerate(made):
        if progress:
            progress(f"{data.target.dimension}: {fold.name}", done, len(made))
        results.append(own(data, fold.train, fold.test))
        if guard and not done:
            check_leaks(own, data, fold, before=results[0], seed=seed)
    if progress:
        progress(f"{data.target.dimension}: shuffled ratings and intervals", len(made), len(made))
    known_systems = "system" not in find_split(split).apart
    null = null_correlations(data, made, results, own, asked.null, seed, known_systems)
    return _scored(data, ratings, asked, made, results, null)


def _scored(
    data: Data,
    ratings: pl.DataFrame,
    asked: LearnSettings,
    folds: Sequence[Fold],
    results: Sequence[Predicted],
    null: np.ndarray,
) -> Validation:
    size = len(data.y)
    numbers, classes, means = (np.full(size, np.nan) for _ in range(3))
    of_fold = np.full(size, None, dtype=object)
    for fold, result in zip(folds, results, strict=True):
        numbers[fold.test], classes[fold.test] = result.numbers, result.classes
        means[fold.test] = data.y[fold.train].mean()
        of_fold[fold.test] = fold.name
    drawn, rule = asked.subset(Intervals), find_split(asked.split)
    rows = _learned_rows(data, folds, numbers - means, drawn, "system" not in rule.apart, null)
    rows += class_rows(LEARNED, LEARNED, data, classes, numbers, drawn)
    rows += no_correlation_rows(MEAN, MEAN, "it predicts the same for every summary of a fold")
    rows += class_rows(MEAN, MEAN, data, np.where(np.isnan(means), np.nan, _classes(data, means)), means, drawn)
    rows += ceiling_rows(data, ratings, drawn, "system" not in rule.apart)
    known = ~np.isnan(numbers)
    predictions = data.keys.with_columns(
        pl.Series("rating", data.y),
        pl.Series("prediction", numbers),
        pl.Series("class", classes),
        pl.Series("fold", of_fold.tolist(), dtype=pl.String),
    ).filter(pl.Series(known))
    whole = [size - len(np.union1d(fold.train, fold.test)) for fold in folds]
    return Validation(
        data.target.dimension,
        asked.split,
        rule.hides,
        scores_frame(rows),
        predictions,
        calibration(data, numbers, drawn),
        _chosen(folds, results),
        find_copies(data.keys, data.marks),
        summary_intervals(data, numbers, asked.interval),
        {**drawn.model_dump(), "folds": len(folds), "rows": int(known.sum()), "null": len(null)}
        | _copies_said(data, whole, asked.split),
    )


def _learned_rows(
    data: Data,
    folds: Sequence[Fold],
    centred: np.ndarray,
    drawn: Intervals,
    known_systems: bool,
    null: np.ndarray,
) -> list[dict[str, Any]]:
    """The learned metric and what it must be compared with.

    Predictions are centred by fold: a fold without a good system predicts lower, which would count against it.
    """
    asked: dict[str, Any] = {"known_systems": known_systems}
    rows = with_p_values(correlation_rows(LEARNED, LEARNED, data, centred, drawn, **asked), null)
    if not known_systems:
        rows += within_rows(data, centred, drawn)
    single = single_inside(data, folds)
    if single is not None:
        rows += correlation_rows(SINGLE, single[0], data, single[1], drawn, **asked)
        rows += difference_rows(single[0], data, centred, single[1], drawn, known_systems)
    hindsight = best_single(data, centred)
    if hindsight is not None:
        rows += correlation_rows(HINDSIGHT, hindsight[0], data, hindsight[1], drawn, **asked)
    if known_systems:
        rows += correlation_rows(AUTHOR, "who wrote it, and nothing else", data, system_means(data, folds), drawn)
    return rows + (null_rows(null, drawn, known_systems) if len(null) else [])


def _chosen(folds: Sequence[Fold], results: Sequence[Predicted]) -> pl.DataFrame:
    rows = [
        {
            "fold": fold.name,
            "train": len(fold.train),
            "test": len(fold.test),
            "learner": result.recipe.learner if result.recipe else None,
            "settings": str(dict(result.recipe.settings)) if result.recipe else None,
        }
        for fold, result in zip(folds, results, strict=True)
    ]
    return pl.DataFrame(rows)


def _copies_said(data: Data, left_out: Sequence[int], split: str) -> dict[str, Any]:
    """How many texts several systems wrote, and which systems were held out together for it."""
    families = set(system_families(data.keys, data.marks).values()) if data.marks else set()
    together = sorted(name for name in families if " + " in name)
    purged_rows = sum(left_out) if split in ("systems", "dialogues", "random") else 0
    copied = find_copies(data.keys, data.marks).height
    return {"copied_texts": copied, "purged_rows": purged_rows, "held_out_together": together}


def _classes(data: Data, values: np.ndarray) -> np.ndarray:
    return data.target.classes(np.nan_to_num(values, nan=data.target.levels[0]))
