"""The scores of predictions that were made on held-out rows, each with a bootstrap interval."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY
from dialgauge.learn._objective import Layout
from dialgauge.learn._procedure import Data
from dialgauge.learn._targets import nearest
from dialgauge.metaeval import (
    Coefficient,
    CorrelationSettings,
    Level,
    bootstrap,
    bootstrap_weights,
    correlation,
    human_ceiling,
    percentile_interval,
    weighted_values,
)
from dialgauge.ratings import treat_ratings
from dialgauge.resampling import Intervals

COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall", "mean")
LEVELS: tuple[Level, ...] = ("summary", "system")
LEARNED, SINGLE, MEAN, CEILING = "learned", "best single metric", "mean predictor", "human ceiling"
HINDSIGHT, DIFFERENCE = "best single metric in hindsight", "learned minus best single metric"
AUTHOR, PERMUTED = "system's training mean", "permuted ratings"
PERFECT, NEW_RATER = "perfect metric", "new rater"
#: Pearson within dialogues of what is left without the means of systems: of use to who compares summaries of one.
WITHIN = "pearson within systems"
#: Why a level has no value.
WITHHELD = "withheld: every system is also trained on, and recognising it is enough to order systems"
#: Why it is not known what ratings allow.
_NOT_REACHED = "known for Pearson's r against means of ratings, or below system level a model of the raters"
_OTHER_CEILING = "not known for what is left without the means of systems"
#: Mark of a single metric that agrees best with its sign flipped against its direction.
TURNED = "turned round"
#: One row of the scores of a validation.
SCORES = pl.Schema(
    {
        "by": pl.String,
        "name": pl.String,
        "measure": pl.String,
        "level": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p": pl.Float64,
        "reason": pl.String,
    }
)
CALIBRATION = pl.Schema(
    {
        "bin": pl.Int64,
        "count": pl.Int64,
        "predicted": pl.Float64,
        "rated": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
)
#: Rounds of taking out means of rows and columns, where cells are missing.
_ROUNDS = 20
#: A scale with more points than this has no useful accuracy.
_MOST_CLASSES = 20
Row = dict[str, Any]


def judged_matrices(
    data: Data, predicted: FloatArray, known_systems: bool, layout: Layout | None = None
) -> tuple[FloatArray, FloatArray]:
    """Predictions and ratings as systems × dialogues; without the means of systems where these were trained on."""
    layout = layout or Layout.of(data.keys)
    x, z = layout.matrix(predicted), layout.matrix(np.where(np.isnan(predicted), np.nan, data.y))
    return (without_means(x), without_means(z)) if known_systems else (x, z)


def without_means(matrix: FloatArray) -> FloatArray:
    """What is left of a matrix without the means of its rows and columns."""
    known = ~np.isnan(matrix)
    left = np.where(known, matrix, 0.0)
    for _ in range(_ROUNDS):
        for axis in (1, 0):
            count = np.maximum(known.sum(axis=axis, keepdims=True), 1)
            left = np.where(known, left - left.sum(axis=axis, keepdims=True) / count, 0.0)
        if known.all():
            break
    # Means that explain everything leave rounding, which is no signal.
    left = np.where(np.abs(left) <= 1e-9 * np.abs(np.where(known, matrix, 0.0)).max(initial=0.0), 0.0, left)
    return np.where(known, left, np.nan)


def correlation_rows(
    by: str, name: str, data: Data, predicted: FloatArray, asked: Intervals, *, known_systems: bool = False
) -> list[Row]:
    """Pearson, Spearman, Kendall and their mean at summary and system level; systems and dialogues resampled.

    With ``known_systems`` there is no system level, and summary level is what is left without the means of systems.
    """
    x, z = judged_matrices(data, predicted, known_systems)
    rows = []
    for level in LEVELS:
        for coefficient in COEFFICIENTS:
            if known_systems and level == "system":
                rows.append(_row(by, name, coefficient, level, None, None, None, WITHHELD))
                continue
            if asked.resamples:
                drawn = bootstrap(x, z, level, coefficient, resample="both", **asked.model_dump())
                value, low, high = drawn.value, drawn.low, drawn.high
            else:
                value, low, high = correlation(x, z, level, coefficient), math.nan, math.nan
            reason = "undefined: a vector is constant, or there are too few systems" if math.isnan(value) else None
            rows.append(_row(by, name, coefficient, level, value, low, high, reason))
    return rows


def within_rows(data: Data, predicted: FloatArray, asked: Intervals) -> list[Row]:
    """The learned metric among summaries of one system: without the means of systems and dialogues."""
    x, z = judged_matrices(data, predicted, known_systems=True)
    if not asked.resamples:
        value, low, high = correlation(x, z, "summary", "pearson"), math.nan, math.nan
    else:
        drawn = bootstrap(x, z, "summary", "pearson", resample="both", **asked.model_dump())
        value, low, high = drawn.value, drawn.low, drawn.high
    return [_row(LEARNED, LEARNED, WITHIN, "summary", value, low, high, None)]


def difference_rows(
    name: str, data: Data, learned: FloatArray, single: FloatArray, asked: Intervals, known_systems: bool
) -> list[Row]:
    """Learned minus single, by Pearson at both levels; systems and dialogues drawn, the same for both."""
    both = ~(np.isnan(learned) | np.isnan(single))
    (x, z), (other, _) = (
        judged_matrices(data, np.where(both, one, np.nan), known_systems) for one in (learned, single)
    )
    rows = []
    for level in LEVELS:
        if known_systems and level == "system":
            rows.append(_row(DIFFERENCE, name, "pearson", level, None, None, None, WITHHELD))
            continue
        value = correlation(x, z, level, "pearson") - correlation(other, z, level, "pearson")
        low = high = math.nan
        if asked.resamples:
            weights = bootstrap_weights(x.shape[0], x.shape[1], asked.resamples, "both", asked.seed)
            first, second = (weighted_values(one, z, level, "pearson", weights) for one in (x, other))
            low, high = percentile_interval(first - second, asked.confidence)
        rows.append(_row(DIFFERENCE, name, "pearson", level, value, low, high, None))
    return rows


def null_rows(null: FloatArray, asked: Intervals, known_systems: bool) -> list[Row]:
    """Mean and range of what the same procedure reaches on shuffled ratings."""
    rows = []
    for level, values in zip(LEVELS, null.T, strict=True):
        if known_systems and level == "system":
            rows.append(_row(PERMUTED, f"{len(null)} shuffles", "pearson", level, None, None, None, WITHHELD))
            continue
        tail = (1 - asked.confidence) / 2
        known = values[~np.isnan(values)]
        low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (math.nan, math.nan)
        mean = float(known.mean()) if len(known) else math.nan
        rows.append(_row(PERMUTED, f"{len(null)} shuffles", "pearson", level, mean, float(low), float(high), None))
    return rows


def with_p_values(rows: list[Row], null: FloatArray) -> list[Row]:
    """The rows, with the share of shuffles (the data among them) that reach the learned metric's Pearson."""
    for row in rows:
        if row["by"] == LEARNED and row["measure"] == "pearson" and row["value"] is not None and len(null):
            values = null[:, LEVELS.index(row["level"])]
            row["p"] = float((1 + np.sum(values >= row["value"])) / (len(null) + 1))
    return rows


def class_rows(by: str, name: str, data: Data, classes: FloatArray, numbers: FloatArray, asked: Intervals) -> list[Row]:
    """Accuracy, macro-F1, quadratic κ and the mean absolute error; dialogues resampled."""
    known = np.flatnonzero(~np.isnan(numbers))
    keys = data.keys[known.tolist()]
    layout = Layout.of(keys)
    n = layout.shape[1]
    draws = dialogue_draws(n, asked)
    weights = np.vstack([np.ones((1, n)), draws])
    errors = np.zeros(n)
    np.add.at(errors, layout.columns, np.abs(numbers[known] - data.y[known]))
    sizes = np.bincount(layout.columns, minlength=n)
    made = {"mean absolute error": (weights @ errors) / (weights @ sizes)}
    levels = np.array(data.target.levels)
    reason = None
    if len(levels) <= _MOST_CLASSES:
        truth = np.searchsorted(levels, nearest(data.y[known], data.target.levels))
        said = np.searchsorted(levels, classes[known])
        tables = np.zeros((n, len(levels), len(levels)))
        np.add.at(tables, (layout.columns, truth, said), 1)
        made |= class_measures(np.tensordot(weights, tables, axes=1), levels)
    else:
        reason = f"{len(levels)} different values: no classes"
        made |= {measure: np.full(len(weights), np.nan) for measure in ("accuracy", "macro-f1", "quadratic kappa")}
    rows = []
    for measure, values in made.items():
        low, high = percentile_interval(values[1:], asked.confidence) if asked.resamples else (math.nan, math.nan)
        rows.append(_row(by, name, measure, "summary", float(values[0]), low, high, reason))
    return rows


def class_measures(tables: FloatArray, levels: FloatArray) -> dict[str, FloatArray]:
    """Accuracy, macro-F1 (over classes that were rated or predicted) and κ with quadratic weights.

    ``tables`` holds confusion counts (tables × rated × predicted).
    """
    total = tables.sum(axis=(1, 2))
    hits = np.einsum("rkk->rk", tables)
    rated, said = tables.sum(axis=2), tables.sum(axis=1)
    both = rated + said
    f1 = np.divide(2 * hits, both, out=np.zeros_like(both), where=both > 0)
    distance = (levels[:, None] - levels[None, :]) ** 2
    observed = (tables * distance).sum(axis=(1, 2))
    expected = np.einsum("rk,kl,rl->r", rated, distance, said) / total
    kappa = np.divide(observed, expected, out=np.full(len(total), np.nan), where=expected > 0)
    return {
        "accuracy": hits.sum(axis=1) / total,
        "macro-f1": f1.sum(axis=1) / (both > 0).sum(axis=1),
        "quadratic kappa": 1 - kappa,
    }


def best_single(data: Data, predicted: FloatArray) -> tuple[str, FloatArray] | None:
    """The single feature that agrees best with the ratings of the held-out rows, with its sign set to higher-is-better.

    Feature and sign are selected on those same ratings, which favours it. Its name says so if its sign is
    flipped against its direction: a lower-is-better metric that rises with the ratings, or vice versa.
    """
    held = ~np.isnan(predicted)
    layout = Layout.of(data.keys)
    truth = layout.matrix(np.where(held, data.y, np.nan))
    level: Level = "summary" if layout.shape[0] > 1 else "global"
    turned = data.target.dimension in data.target.policy.lower_is_better
    found: list[tuple[float, str, FloatArray]] = []
    for i, name in enumerate(data.names):
        column = np.where(held, data.X[:, i], np.nan)
        value = correlation(layout.matrix(column), truth, level, "pearson")
        if not math.isnan(value):
            declared = -1 if (data.directions.get(name) == "lower") != turned else 1
            shown = name if value * declared >= 0 else f"{name}, {TURNED}"
            found.append((abs(value), shown, column if value >= 0 else -column))
    if not found:
        return None
    _, name, column = max(found, key=lambda entry: entry[0])
    return name, column


def dialogue_draws(dialogues: int, asked: Intervals) -> FloatArray:
    """How often each dialogue is in each resample: resamples × dialogues."""
    if not asked.resamples:
        return np.zeros((0, dialogues))
    return bootstrap_weights(1, dialogues, asked.resamples, "inputs", asked.seed).dialogues


def ceiling_rows(data: Data, ratings: pl.DataFrame, asked: Intervals, known_systems: bool = False) -> list[Row]:
    """How well one annotator agrees with the others, measured as a metric is; and what these ratings allow.

    One against the rest is no ceiling: the aggregate that metrics face is less noisy. A metric without any error and
    one more rater are beside it.
    """
    own = ratings.filter(pl.col("dimension") == data.target.dimension).join(data.keys, on=list(KEY), how="semi")
    wanted = asked.subset(
        CorrelationSettings, levels=LEVELS, coefficients=COEFFICIENTS, variant=data.keys["variant"][0]
    )
    # People are measured on uncleaned ratings: cleaning removes their disagreement and would be too optimistic.
    made = human_ceiling(treat_ratings(own, data.target.policy).checked, wanted, data.target.policy)
    columns = ("coefficient", "level", "value", "low", "high", "reason")
    name = "one annotator, means of systems included" if known_systems else "one annotator"
    rows = [_row(CEILING, name, *row) for row in made.frame.select(columns).iter_rows()]
    for by in (NEW_RATER, PERFECT):
        for found in made.frame.filter(pl.col("coefficient") == "pearson").iter_rows(named=True):
            value, low, high = found["perfect"], found["perfect_low"], found["perfect_high"]
            if by == NEW_RATER:
                value, low, high = found["new_rater"], None, None
            reason = _NOT_REACHED if value is None else None
            if known_systems:
                value, low, high, reason = None, None, None, _OTHER_CEILING
            rows.append(_row(by, by, "pearson", found["level"], value, low, high, reason))
    return rows


def calibration(data: Data, predicted: FloatArray, asked: Intervals) -> pl.DataFrame:
    """Ten bins of equal size by prediction: mean prediction, mean rating, and the interval of the latter."""
    known = np.flatnonzero(~np.isnan(predicted))
    order = known[np.argsort(predicted[known], kind="stable")]
    layout = Layout.of(data.keys)
    n = layout.shape[1]
    draws = dialogue_draws(n, asked)
    rows = []
    for number, part in enumerate(np.array_split(order, min(10, len(order)))):
        columns = layout.columns[part]
        sums = np.bincount(columns, weights=data.y[part], minlength=n)
        sizes = np.bincount(columns, minlength=n)
        drawn = draws @ sizes
        means = np.divide(draws @ sums, drawn, out=np.full(len(draws), np.nan), where=drawn > 0)
        low, high = percentile_interval(means, asked.confidence)
        rows.append(
            (number + 1, len(part), float(predicted[part].mean()), float(data.y[part].mean()), _null(low), _null(high))
        )
    return pl.DataFrame(rows, schema=CALIBRATION, orient="row")


def scores_frame(rows: Iterable[Row]) -> pl.DataFrame:
    """Rows as a frame."""
    return pl.DataFrame(list(rows), schema=SCORES)


def no_correlation_rows(by: str, name: str, reason: str) -> list[Row]:
    """Rows without a value, and why."""
    return [
        _row(by, name, coefficient, level, None, None, None, reason) for level in LEVELS for coefficient in COEFFICIENTS
    ]


def _row(
    by: str,
    name: str,
    measure: str,
    level: str,
    value: float | None,
    low: float | None,
    high: float | None,
    reason: str | None,
) -> Row:
    numbers = {"value": _null(value), "low": _null(low), "high": _null(high)}
    return {"by": by, "name": name, "measure": measure, "level": level, **numbers, "p": None, "reason": reason}


def _null(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
