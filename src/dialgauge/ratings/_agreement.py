"""Inter-annotator agreement: a table of measures, each with its interval, its verdict and the units left out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings._bootstrap import bootstrap_interval
from dialgauge.ratings._frame import UnitMatrix, select_dimensions, unit_matrix
from dialgauge.ratings._measures import make_statistic, setting_of, usable_units, verdict, why_undefined
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._settings import AgreementSettings, Level, OnInvalid, RatingPolicy, Scope, Weights
from dialgauge.resampling import Intervals
from dialgauge.settings import chosen_pair, takes

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
class Agreement:
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
    **changes: Any,
) -> Agreement:
    """Inter-annotator agreement.

    A unit is a summary (or a sentence of it) on one dimension; "overall" pools the units of all dimensions. ``level``
    of Krippendorff's α and ``weights`` of Cohen's κ follow from the kind of the scale where they are not given:
    nominal and unweighted for categorical scales, ordinal or interval and quadratic for others; ordinal where no
    scale is named. Intervals are bootstrap percentiles. What is drawn is a summary with all its sentences and
    dimensions, or a dialogue with all its summaries; ``resamples=0`` computes none. The same seed gives the same
    interval. Ratings are not cleaned here: pass those that :func:`treat_ratings` counted.
    """
    changes |= {"measures": measures} if measures else {}
    asked, policy = chosen_pair("agreement", changes, (AgreementSettings, settings), (RatingPolicy, policy))
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    wanted = None if policy.dimensions is None else list(policy.dimensions)
    used = select_dimensions(checked.ratings, wanted)
    cluster_key = KEY if asked.resample == "summary" else ("dialogue_id",)
    rows = []
    for scope, dimension, group, part in _groups(used, asked.by):
        chosen = _choose(part, asked.level, asked.weights, scales)
        matrix = unit_matrix(part)
        for measure in asked.measures:
            row = _estimate(matrix, measure, chosen, cluster_key, asked)
            rows.append({"scope": scope, "dimension": dimension, "group": group, **row})
    invalid = checked.invalid if wanted is None else checked.invalid.filter(pl.col("dimension").is_in(wanted))
    return Agreement(pl.DataFrame(rows, schema=AGREEMENT), invalid, policy.on_invalid, asked)


def _groups(ratings: pl.DataFrame, by: Sequence[Scope]) -> Iterator[tuple[Scope, str | None, str | None, pl.DataFrame]]:
    """The parts of the ratings that get rows of their own, in the order they are shown."""
    dimensions = sorted(ratings["dimension"].unique())
    if "overall" in by:
        yield "overall", None, None, ratings
    parts = {dimension: ratings.filter(pl.col("dimension") == dimension) for dimension in dimensions}
    if "dimension" in by:
        for dimension, part in parts.items():
            yield "dimension", dimension, None, part
    if "pair" in by:
        for dimension, part in parts.items():
            for pair in combinations(sorted(part["annotator"].unique()), 2):
                yield "pair", dimension, " × ".join(pair), part.filter(pl.col("annotator").is_in(pair))
    if "system" in by:
        for dimension, part in parts.items():
            for system in sorted(part["system"].unique()):
                yield "system", dimension, system, part.filter(pl.col("system") == system)


@dataclass(frozen=True, slots=True)
class _Choice:
    """The level and the weights for one group, or the reason why it cannot be measured."""

    level: Level
    weights: Weights
    obstacle: str | None = None


def _choose(ratings: pl.DataFrame, level: Level | None, weights: Weights | None, scales: tuple[Scale, ...]) -> _Choice:
    """As requested, or by the scale of the ratings."""
    try:
        scale = scale_of(ratings, scales)
    except InputError as error:
        return _Choice(level or "ordinal", weights or "quadratic", str(error))
    suggested: dict[str, Level] = {"categorical": "nominal", "ordinal": "ordinal", "interval": "interval"}
    kind = scale.kind if scale else "ordinal"
    return _Choice(level or suggested[kind], weights or ("none" if kind == "categorical" else "quadratic"))


def _estimate(
    matrix: UnitMatrix, measure: str, chosen: _Choice, cluster_key: tuple[str, ...], how: Intervals
) -> dict[str, Any]:
    values = matrix.values
    used = usable_units(values, measure)
    row: dict[str, Any] = {
        "measure": measure,
        "setting": setting_of(measure, chosen.level, chosen.weights),
        "annotators": int((~np.isnan(values)).any(axis=0).sum()),
        "units": int(used.sum()),
        "ratings": int((~np.isnan(values[used])).sum()),
        "units_left_out": int((~used).sum()),
    }
    if chosen.obstacle:
        return {**row, "note": chosen.obstacle}
    statistic = make_statistic(values, measure, chosen.level, chosen.weights)
    value = float(statistic(np.ones((1, len(values))))[0]) if len(values) else np.nan
    if np.isnan(value):
        return {**row, "note": why_undefined(values, measure)}
    interval = bootstrap_interval(statistic, matrix.clusters(cluster_key), how)
    return {
        **row,
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "verdict": verdict(measure, value),
        "undefined_resamples": interval.undefined,
        "note": _left_out_note(values, measure, chosen),
    }


def _left_out_note(values: np.ndarray[Any, np.dtype[np.float64]], measure: str, chosen: _Choice) -> str | None:
    """Pairs of annotators that have no value of their own and so are not in the mean over pairs."""
    if measure not in ("cohen-kappa", "pearson", "spearman"):
        return None
    pairs = list(combinations(range(values.shape[1]), 2))
    whole = np.ones((1, len(values)))
    undefined = sum(
        bool(np.isnan(make_statistic(values[:, list(pair)], measure, chosen.level, chosen.weights)(whole)[0]))
        for pair in pairs
    )
    return f"{undefined} of {len(pairs)} pairs of annotators have no value and are left out" if undefined else None
