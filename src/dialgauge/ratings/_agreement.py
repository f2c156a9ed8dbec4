"""Inter-annotator agreement: a table of measures, each with its interval, its verdict and the units left out."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import IntArray
from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings._alpha import alpha_parts
from dialgauge.ratings._bootstrap import Interval, alpha_interval, bootstrap_interval
from dialgauge.ratings._frame import UNIT, UnitRatings, select_dimensions, unit_ratings
from dialgauge.ratings._kappa import commonest_size
from dialgauge.ratings._leave_out import LeaveOneOut
from dialgauge.ratings._measures import Measured, measure_on, needs_order, setting_of, verdict, why_undefined
from dialgauge.ratings._pairs import annotator_pairs
from dialgauge.ratings._scales import NAMES, Scale, ScaleKind, scale_of, validate
from dialgauge.ratings._settings import AgreementSettings, Level, OnInvalid, RatingPolicy, Scope, Weights
from dialgauge.resampling import Intervals
from dialgauge.settings import chosen_pair, takes
from dialgauge.tables import FrameResult

#: The columns of the agreement table.
AGREEMENT = pl.Schema(
    {
        "scope": pl.String,
        "dimension": pl.String,
        "group": pl.String,
        "measure": pl.String,
        "setting": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "verdict": pl.String,
        "annotators": pl.Int64,
        "units": pl.Int64,
        "ratings": pl.Int64,
        "units_left_out": pl.Int64,
        "undefined_resamples": pl.Int64,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Agreement(FrameResult):
    """Agreement, a row per scope, group and measure.

    ``scope`` is "overall" (all dimensions pooled), "dimension", "pair" (``group`` names the two annotators) or
    "system" (``group`` names the system). ``value`` with the interval ``low``–``high``; ``verdict`` in words;
    ``units`` that took part with ``ratings`` on them, ``units_left_out`` that could not. A null ``value`` has its
    reason in ``note``. ``invalid`` lists the ratings that their scale does not allow, which ``on_invalid`` kept or
    dropped.
    """

    frame: pl.DataFrame
    invalid: pl.DataFrame
    on_invalid: OnInvalid
    resampling: Intervals

    def value(self, measure: str, dimension: str | None = None) -> float | None:
        """One value: of a dimension, or of all dimensions pooled."""
        scope = "overall" if dimension is None else "dimension"
        rows = self.frame.filter(
            (pl.col("scope") == scope) & (pl.col("measure") == measure) & pl.col("dimension").eq_missing(dimension)
        )
        if rows.is_empty():
            known = self.frame.filter(pl.col("scope") == scope).select("measure", "dimension").unique().rows()
            have = [" / ".join(part for part in row if part) for row in known]
            raise UnknownNameError("agreement", " / ".join(filter(None, (measure, dimension))), have)
        result: float | None = rows["value"].item()
        return result


@takes(AgreementSettings, RatingPolicy)
def agreement(
    ratings: pl.DataFrame,
    measures: Sequence[str] | None = None,
    settings: AgreementSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    scales: Iterable[Scale] = (),
    nominal: Collection[str] = (),
    before_cleaning: pl.DataFrame | None = None,
    **changes: Any,
) -> Agreement:
    """Inter-annotator agreement.

    A unit is a summary (or a sentence of it) on one dimension; "overall" pools the units of all dimensions. ``level``
    of Krippendorff's α and ``weights`` of Cohen's κ follow from the kind of the scale where they are not given:
    nominal and unweighted for categorical scales, ordinal or interval and quadratic for others; ordinal where no
    scale is named. ``nominal`` are dimensions whose values are names without an order, whatever their scale: they are
    measured as such, and are no part of "overall" beside dimensions with an order.

    Intervals are bootstrap percentiles; that of α is Student's t around −log(1 − α), for these raters or, with
    ``raters="random"``, for others like them. What is drawn is a summary with all its sentences and dimensions, or a
    dialogue with all its summaries; ``resamples=0`` computes none. The same seed gives the same interval.

    Cohen's κ, Pearson's r and Spearman's ρ are means over pairs of annotators, weighted by the units that a pair
    shares. A pair counts from ``minimum_shared`` of them on (or half of all units, where that is fewer): over a crowd
    most pairs share two or three units, and their mean misleads. Fewer than three such pairs among more: no value, and
    the reason.

    Ratings are not cleaned here: pass those that :func:`treat_ratings` counted, with the ratings ``before_cleaning``,
    so that Fleiss' κ keeps to the number of ratings that units had.
    """
    changes |= {"measures": measures} if measures else {}
    asked, policy = chosen_pair("agreement", changes, (AgreementSettings, settings), (RatingPolicy, policy))
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    wanted = None if policy.dimensions is None else list(policy.dimensions)
    used = select_dimensions(checked.ratings, wanted)
    earlier = used if before_cleaning is None else select_dimensions(before_cleaning, wanted)
    rows = []
    for scope, dimension, group, part in _groups(used, asked.by, nominal):
        chosen = _choose(part, asked.level, asked.weights, scales, nominal)
        points = _points(part, scales)
        given = unit_ratings(part)
        same = (
            given
            if before_cleaning is None
            else unit_ratings(earlier.join(part, on=UNIT, how="semi", nulls_equal=True))
        )
        clusters = given.clusters(KEY if asked.resample == "summary" else ("dialogue_id",))
        for measure in asked.measures:
            row = _estimate(given, measure, chosen, clusters, commonest_size(same), points, asked)
            rows.append({"scope": scope, "dimension": dimension, "group": group, **row})
    invalid = checked.invalid if wanted is None else checked.invalid.filter(pl.col("dimension").is_in(wanted))
    return Agreement(pl.DataFrame(rows, schema=AGREEMENT), invalid, policy.on_invalid, asked)


def _groups(
    ratings: pl.DataFrame, by: Sequence[Scope], nominal: Collection[str]
) -> Iterator[tuple[Scope, str | None, str | None, pl.DataFrame]]:
    """The parts of the ratings that get rows of their own, in the order they are shown."""
    dimensions = sorted(ratings["dimension"].unique())
    if "overall" in by:
        ordered = ratings.filter(~pl.col("dimension").is_in(list(nominal)))
        yield "overall", None, None, ratings if ordered.is_empty() else ordered
    parts = {dimension: ratings.filter(pl.col("dimension") == dimension) for dimension in dimensions}
    if "dimension" in by:
        for dimension, part in parts.items():
            yield "dimension", dimension, None, part
    if "pair" in by:
        for dimension, part in parts.items():
            for pair in _meeting(part):
                yield "pair", dimension, " × ".join(pair), part.filter(pl.col("annotator").is_in(pair))
    if "system" in by:
        for dimension, part in parts.items():
            for system in sorted(part["system"].unique()):
                yield "system", dimension, system, part.filter(pl.col("system") == system)


def _meeting(ratings: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """The pairs of annotators that share a unit; where no two do, all of them."""
    given = unit_ratings(ratings)
    met = annotator_pairs(given)
    pairs = zip(met.first.tolist(), met.second.tolist(), strict=True)
    for first, second in pairs if len(met.shared) else combinations(range(len(given.annotators)), 2):
        yield given.annotators[first], given.annotators[second]


@dataclass(frozen=True, slots=True)
class _Choice:
    """The level and the weights for one group, or the reason why it cannot be measured."""

    level: Level
    weights: Weights
    obstacle: str | None = None
    named: bool = False  # The values are names without an order.


def _choose(
    ratings: pl.DataFrame,
    level: Level | None,
    weights: Weights | None,
    scales: tuple[Scale, ...],
    nominal: Collection[str],
) -> _Choice:
    """As requested, or by the scale of the ratings."""
    if nominal and set(ratings["dimension"].unique()) <= set(nominal):
        return _Choice(level or "nominal", weights or "none", named=True)
    try:
        scale = scale_of(ratings, scales)
    except InputError as error:
        return _Choice(level or "ordinal", weights or "quadratic", str(error))
    return _choice_for(scale.kind if scale else "ordinal", level, weights)


def _choice_for(kind: ScaleKind, level: Level | None, weights: Weights | None) -> _Choice:
    suggested: dict[str, Level] = {"categorical": "nominal", "ordinal": "ordinal", "interval": "interval"}
    return _Choice(level or suggested[kind], weights or ("none" if kind == "categorical" else "quadratic"))


def _points(ratings: pl.DataFrame, scales: tuple[Scale, ...]) -> tuple[float, ...]:
    """The points of the scale of these ratings; none where they name no scale, or several."""
    try:
        scale = scale_of(ratings, scales)
    except InputError:
        return ()
    return scale.points if scale else ()


def _estimate(
    ratings: UnitRatings,
    measure: str,
    chosen: _Choice,
    clusters: IntArray,
    fleiss_size: int,
    points: tuple[float, ...],
    asked: AgreementSettings,
) -> dict[str, Any]:
    measured = measure_on(
        ratings,
        measure,
        chosen.level,
        chosen.weights,
        minimum_shared=asked.minimum_shared,
        fleiss_size=fleiss_size,
        points=points,
    )
    row: dict[str, Any] = {
        "measure": measure,
        "setting": setting_of(measure, chosen.level, chosen.weights),
        "annotators": len(np.unique(ratings.annotator)),
        "units": int(measured.used.sum()),
        "ratings": int(measured.used[ratings.unit].sum()),
        "units_left_out": int((~measured.used).sum()),
    }
    if chosen.obstacle or (chosen.named and needs_order(measure)):
        return {**row, "note": chosen.obstacle or NAMES}
    value = np.nan if measured.obstacle else measured.statistic.value
    if np.isnan(value):
        return {**row, "note": why_undefined(ratings, measured)}
    if measure == "krippendorff-alpha":
        interval, aside = _alpha_interval(ratings, measured, value, chosen.level, clusters, asked)
    else:
        interval, aside = bootstrap_interval(measured.statistic, clusters, asked), None
    return {
        **row,
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "verdict": verdict(measure, value),
        "undefined_resamples": interval.undefined,
        "note": measured.note or aside,
    }


def _alpha_interval(
    ratings: UnitRatings, measured: Measured, value: float, level: Level, clusters: IntArray, asked: AgreementSettings
) -> tuple[Interval, str | None]:
    """The interval of α for these raters or others like them, and what is to be said about it."""
    if asked.raters == "fixed" or not asked.resamples:
        return alpha_interval(measured.statistic, value, clusters, asked), None
    present = np.unique(ratings.annotator)
    without = LeaveOneOut(alpha_parts(ratings, level), len(ratings.annotators)).values[present]
    found = alpha_interval(measured.statistic, value, clusters, asked, without)
    if found.low is None:
        return found, "an interval for other raters needs three raters or more, and α without each of them"
    return found, "interval for other raters, too"
