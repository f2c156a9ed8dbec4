"""The human ceiling: how well one annotator correlates with the others, measured like a metric."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import UnknownNameError
from dialgauge.metaeval._cells import null, too_few
from dialgauge.metaeval._coefficients import resampled_values
from dialgauge.metaeval._draws import Weights, bootstrap_weights, no_resampling
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._matrix import ScoreMatrix, align, choose_role
from dialgauge.metaeval._names import BASE, Coefficient, FloatArray, Level, check_name
from dialgauge.metaeval._perfect import Reachable, reachable_against_mean, reachable_against_model
from dialgauge.metaeval._settings import CorrelationSettings
from dialgauge.ratings import RatingPolicy, aggregate
from dialgauge.settings import chosen_pair, takes
from dialgauge.tables import FrameResult

CEILING = pl.Schema(
    {
        "dimension": pl.String,
        "level": pl.String,
        "coefficient": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "perfect": pl.Float64,
        "perfect_low": pl.Float64,
        "perfect_high": pl.Float64,
        "new_rater": pl.Float64,
        "annotators": pl.Int64,
        "reason": pl.String,
    }
)
BY_ANNOTATOR = pl.Schema(
    {
        "annotator": pl.String,
        "dimension": pl.String,
        "level": pl.String,
        "coefficient": pl.String,
        "value": pl.Float64,
    }
)


#: More annotators than this are a crowd, in which nobody rated enough to be compared alone.
_PANEL = 10


@dataclass(frozen=True, slots=True)
class HumanCeiling(FrameResult):
    """``frame``: the mean over annotators of their correlation with the aggregate of the others, per dimension.

    ``annotators`` has each annotator's own. It is one against the rest. Metrics are compared with the aggregate of all,
    which is less noisy: ``perfect``, with its interval, is what a metric without any error reaches there, ``new_rater``
    what one more annotator does (both for Pearson's r, against the mean or, below system level, a model of the raters;
    else null). Raters count as a sample: what they share is taken as the truth.
    """

    frame: pl.DataFrame
    annotators: pl.DataFrame

    def value(self, dimension: str, level: str, coefficient: str) -> float | None:
        """One cell of the frame; None where it has no value or was not asked for."""
        rows = self.frame.filter(
            pl.col("dimension") == dimension, pl.col("level") == level, pl.col("coefficient") == coefficient
        )
        return rows["value"][0] if rows.height else None

    def perfect(self, dimension: str, level: str, coefficient: str) -> float | None:
        """What a perfect metric reaches; None where that is not known."""
        rows = self.frame.filter(
            pl.col("dimension") == dimension, pl.col("level") == level, pl.col("coefficient") == coefficient
        )
        return rows["perfect"][0] if rows.height else None


@takes(CorrelationSettings, RatingPolicy)
def human_ceiling(
    ratings: pl.DataFrame,
    settings: CorrelationSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    references: Collection[str] = (),
    **changes: Any,
) -> HumanCeiling:
    """Correlate each annotator with the aggregate of the others, as a metric is with all of them.

    ``ratings`` are single ratings (``corpus.ratings``). Where fewer than two annotators rated a dimension the value is
    null with a reason. Without ``role``: the only one that was rated, or ``"overall"`` where several were. Ratings are
    not cleaned: cleaning removes disagreement, and would make the ceiling too high.

    More than ten annotators are a crowd: each rated a few summaries, on which a correlation says nothing. There the
    raters of each summary are put in random order, and "rater 1", "rater 2" … are compared with the others.
    """
    asked, policy = chosen_pair("human_ceiling", changes, (CorrelationSettings, settings), (RatingPolicy, policy))
    for name in asked.coefficients:
        check_name("coefficient", name, (*BASE, "mean", "pairwise_accuracy"))
    without = [] if asked.with_references else list(references)
    variant, resamples = asked.variant, asked.resamples
    given = ratings.filter(pl.col("value").is_not_null(), ~pl.col("system").is_in(without))
    role = choose_role(asked.role, given, given, variant)
    kept = given.filter(pl.col("role") == role, pl.col("variant") == variant)
    wanted = sorted(ratings["dimension"].unique()) if policy.dimensions is None else list(policy.dimensions)
    rows: list[tuple[object, ...]] = []
    singles: list[tuple[object, ...]] = []
    panels: dict[str, tuple[pl.DataFrame, list[str]]] = {}
    for dimension in wanted:
        if dimension not in ratings["dimension"]:
            raise UnknownNameError("dimension", dimension, ratings["dimension"].unique())
        panels[dimension] = _panel(kept.filter(pl.col("dimension") == dimension), asked.seed)
    sides = _own_and_others([panel for panel in panels.values() if len(panel[1]) > 1], policy)
    for dimension, (part, names) in panels.items():
        heads = [(dimension, level, coefficient) for level in asked.levels for coefficient in asked.coefficients]
        if len(names) < 2:
            rows += [(*head, *[None] * 7, len(names), "fewer than two annotators") for head in heads]
            continue
        matrix = _against_others(part, names, sides)
        m, n = len(matrix.systems), len(matrix.dialogues)
        draws = bootstrap_weights(m, n, resamples, asked.resample, asked.seed) if resamples else None
        # As they were given: a model must know who rated what.
        gold = _Gold.of(kept.filter(pl.col("dimension") == dimension), policy, matrix)
        for _, level, coefficient in heads:
            each = _diagonal(matrix, level, coefficient, no_resampling(m, n))
            drawn = each[:0] if draws is None else _diagonal(matrix, level, coefficient, draws)
            low, high = percentile_interval(_mean(drawn), asked.confidence)
            known = int((~np.isnan(each)).sum())
            few = too_few(np.any(~(np.isnan(matrix.scores) | np.isnan(matrix.ratings)), axis=0), level)
            reason = None if known else few or "no annotator's ratings vary where the others rated too"
            reached = _reachable(gold, matrix, level, coefficient, draws, asked.confidence)
            numbers = (null(number) for number in (float(_mean(each)[0]), low, high, *reached))
            rows.append((dimension, level, coefficient, *numbers, known, reason))
            singles += [
                (name, dimension, level, coefficient, null(float(v))) for name, v in zip(names, each[0], strict=True)
            ]
    return HumanCeiling(
        pl.DataFrame(rows, schema=CEILING, orient="row"), pl.DataFrame(singles, schema=BY_ANNOTATOR, orient="row")
    )


@dataclass(frozen=True, slots=True)
class _Gold:
    """The aggregate that metrics are compared with: of the mean the raters per summary, of a model values and sds."""

    raters: float | None = None
    values: FloatArray | None = None
    sds: FloatArray | None = None

    @classmethod
    def of(cls, ratings: pl.DataFrame, policy: RatingPolicy, matrix: ScoreMatrix) -> "_Gold":
        if policy.aggregate == "mean":
            return cls(float((~np.isnan(matrix.scores)).sum() / np.any(~np.isnan(matrix.scores), axis=0).sum()))
        made = aggregate(ratings, settings=policy.model_copy(update={"dimensions": None})).frame
        if made["sd"].is_null().all():
            return cls()
        cells = made.with_columns(pl.col("value", "sd").fill_null(float("nan")))
        shape = (len(matrix.systems), len(matrix.dialogues))
        values, sds = np.full(shape, np.nan), np.full(shape, np.nan)
        row = {name: place for place, name in enumerate(matrix.systems)}
        column = {name: place for place, name in enumerate(matrix.dialogues)}
        for system, dialogue, value, sd in cells.select("system", "dialogue_id", "value", "sd").iter_rows():
            values[row[system], column[dialogue]], sds[row[system], column[dialogue]] = value, sd
        return cls(values=values, sds=sds)


def _reachable(
    gold: _Gold, matrix: ScoreMatrix, level: Level, coefficient: str, draws: Weights | None, confidence: float
) -> tuple[float, float, float, float]:
    """What a perfect metric reaches with its interval, and what one more annotator does; NaN where not known."""

    def compute(weights: Weights) -> Reachable | None:
        if coefficient != "pearson":
            # Ranks of values that are not normal have no such relation: a rater came out above a perfect metric.
            return None
        if gold.raters is not None:
            return reachable_against_mean(matrix.scores, gold.raters, level, weights)
        if gold.values is not None and gold.sds is not None:
            return reachable_against_model(gold.values, gold.sds, level, weights)
        return None

    found = compute(no_resampling(len(matrix.systems), len(matrix.dialogues)))
    if found is None:
        return (float("nan"),) * 4
    drawn = None if draws is None else compute(draws)
    low, high = percentile_interval(np.empty(0) if drawn is None else drawn.perfect, confidence)
    return float(found.perfect[0]), low, high, float(found.new_rater[0])


def _panel(ratings: pl.DataFrame, seed: int) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of a dimension, and the names of those who are compared with the others."""
    names = sorted(ratings["annotator"].unique())
    if len(names) <= _PANEL:
        return ratings, names
    renamed = _in_random_places(ratings, seed)
    places = min(_PANEL, renamed["annotator"].n_unique())
    return renamed, [f"rater {place}" for place in range(1, places + 1)]


def _in_random_places(ratings: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The ratings with the annotators of each summary renamed to their place in a random order."""
    work = ratings.select(*KEY, "annotator").unique().sort(*KEY, "annotator")
    shuffled = pl.Series("order", np.random.default_rng(seed).permutation(work.height))
    place = pl.col("order").rank("ordinal").over(KEY)
    named = work.with_columns(shuffled).with_columns(pl.format("rater {}", place).alias("place"))
    joined = ratings.join(named.drop("order"), on=[*KEY, "annotator"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("place").alias("annotator")).drop("place")


def _own_and_others(
    panels: Sequence[tuple[pl.DataFrame, list[str]]], policy: RatingPolicy
) -> dict[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """For each annotator, with a column per dimension: their own ratings, and the aggregate of the others."""
    # Correlating one annotator with a chosen one is not a ceiling: there the others count by their mean.
    chosen = policy.aggregate.startswith("annotator:")
    policy = policy.model_copy(update={"dimensions": None} | ({"aggregate": "mean"} if chosen else {}))
    ratings = pl.concat([part for part, _ in panels]) if panels else pl.DataFrame()
    found = {}
    for name in sorted({name for _, names in panels for name in names}):
        mine = pl.col("annotator") == name
        own = aggregate(ratings.filter(mine), "mean", on_invalid=policy.on_invalid)
        found[name] = own.wide(), aggregate(ratings.filter(~mine), settings=policy).wide()
    return found


def _against_others(
    ratings: pl.DataFrame, names: Sequence[str], sides: Mapping[str, tuple[pl.DataFrame, pl.DataFrame]]
) -> ScoreMatrix:
    """A matrix per annotator of their own ratings (as scores) of a dimension beside the aggregate of the others."""
    own = rest = ratings.select(KEY).unique().sort(KEY)
    dimension = ratings["dimension"][0]
    for name in names:
        one, others = (side.select(*KEY, pl.col(dimension).alias(name)) for side in sides[name])
        own = own.join(one, on=list(KEY), how="left", maintain_order="left")
        rest = rest.join(others, on=list(KEY), how="left", maintain_order="left")
    return align(own, rest, role=ratings["role"][0], variant=ratings["variant"][0])


def _diagonal(matrix: ScoreMatrix, level: Level, coefficient: Coefficient, weights: Weights) -> FloatArray:
    """Resamples × annotators: each with the others."""
    return np.stack(
        [
            resampled_values(x[None], z[None], level, coefficient, weights).values[:, 0, 0]
            for x, z in zip(matrix.scores, matrix.ratings, strict=True)
        ],
        axis=1,
    )


def _mean(values: FloatArray) -> FloatArray:
    """The mean over annotators of those that have a value."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0))
