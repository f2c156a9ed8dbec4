"""Targets: aggregated ratings of one dimension, as numbers or as the classes of a scale."""

import math
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, ParameterError, UnknownNameError, counted
from dialgauge.learn._settings import Task
from dialgauge.ratings import (
    RatingPolicy,
    Scale,
    classes_without_order,
    find_scale,
    treat_ratings,
    with_judgements_as_ratings,
)
from dialgauge.settings import takes

TASKS: tuple[Task, ...] = get_args(Task)
#: Minimum number of rated summaries for training and validation.
MIN_RATED = 20


@dataclass(frozen=True, slots=True)
class Target:
    """The values to predict: ``frame`` has the key and ``value`` of each rated summary.

    ``levels`` are the classes from lowest to highest: the points of the scale, or the values that occur if the
    ratings declare no scale. An aggregated value between two of them belongs to the nearer, and to the higher one if
    both are equally near.
    """

    dimension: str
    frame: pl.DataFrame
    task: Task
    levels: tuple[float, ...]
    minimum: float | None
    maximum: float | None
    policy: RatingPolicy

    @property
    def keys(self) -> pl.DataFrame:
        """The key of each rated summary."""
        return self.frame.select(KEY)

    @property
    def values(self) -> FloatArray:
        """The aggregated ratings."""
        return self.frame["value"].to_numpy()

    def classes(self, values: FloatArray) -> FloatArray:
        """The class that each value belongs to (a number: the point of the scale)."""
        return nearest(values, self.levels)


def nearest(values: FloatArray, levels: tuple[float, ...]) -> FloatArray:
    """The nearest level to each value, the higher of two that are equally near."""
    points = np.array(levels)
    middles = (points[1:] + points[:-1]) / 2
    # Means of thirds and halves: 2.5 must not be 2.4999… because of how a sum was rounded.
    return points[np.searchsorted(middles, values + 1e-9, side="right")]


def corpus_to_learn(corpus: Corpus, dimension: str, policy: RatingPolicy) -> Corpus:
    """What people said, with shares of comparisons won, best-worst points and penalties of marks as ratings.

    What a model said is no target: a metric that repeats it has learnt nothing of people. Classes without an order are
    refused: a number that predicts the mean of their numbers predicts nothing.
    """
    judged = with_judgements_as_ratings(corpus.without_models())
    if dimension in classes_without_order(judged, policy):
        raise InputError(
            f"dimension {dimension!r}: choose a dimension with an order; this one has classes without an order, whose "
            "numbers cannot be predicted (if it has one, say which way is better: --higher-is-better)"
        )
    return judged


@takes(RatingPolicy)
def build_target(
    ratings: pl.DataFrame,
    dimension: str,
    policy: RatingPolicy | None = None,
    *,
    task: str = "numbers",
    **changes: Any,
) -> Target:
    """Treat and aggregate the ratings of one dimension (see :func:`dialgauge.ratings.treat_ratings`).

    Fewer than 20 rated summaries, or ratings that are all the same, raise an error: there is nothing to learn.
    """
    policy = RatingPolicy.chosen(policy, {**changes, "dimensions": None}, "build_target")
    if task not in TASKS:
        raise UnknownNameError("task", task, TASKS)
    if ratings.is_empty():
        raise InputError("the corpus has no ratings to learn from")
    if dimension not in ratings["dimension"]:
        raise UnknownNameError("dimension", dimension, ratings["dimension"].unique())
    part = ratings.filter(pl.col("dimension") == dimension)
    treated = treat_ratings(part, policy)
    made = treated.aggregate().frame.drop_nulls("value")
    if made.height < MIN_RATED:
        raise InputError(
            f"dimension {dimension!r}: {counted(made.height, 'summary', 'summaries')} with a rating; "
            f"at least {MIN_RATED} are needed to train"
        )
    scale = _scale(treated.counted)
    values = made["value"].to_numpy()
    low, high = (scale.minimum, scale.maximum) if scale else (None, None)
    if low is not None and high is not None and (values.min() < low or values.max() > high):
        outside = made.filter((pl.col("value") < low) | (pl.col("value") > high)).row(0, named=True)
        raise InputError(
            f"dimension {dimension!r}: [{outside['dialogue_id']} / {outside['system']}] has the value "
            f"{outside['value']:g}, outside the scale from {low:g} to {high:g}; drop such ratings (on_invalid='drop')"
        )
    levels = scale.points if scale and scale.points else tuple(sorted({float(value) for value in values}))
    if task == "classes" and len(levels) > 20:
        raise ParameterError(
            "train", "task", f"'numbers': {dimension!r} has {len(levels)} values, too many classes", task
        )
    built = Target(
        dimension,
        made.select(*KEY, "value").sort(KEY),
        "numbers" if task == "numbers" else "classes",
        levels,
        low,
        high,
        policy,
    )
    kinds = built.classes(values) if task == "classes" else values
    if len(np.unique(kinds)) < 2 or math.isclose(values.min(), values.max()):
        raise InputError(
            f"dimension {dimension!r}: every rated summary has the same value ({values[0]:g}), so there is nothing to "
            "learn"
        )
    return built


def _scale(ratings: pl.DataFrame) -> Scale | None:
    names = ratings["scale"].drop_nulls().unique().to_list()
    return find_scale(names[0]) if names else None  # aggregate() has refused several
