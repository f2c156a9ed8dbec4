"""Outlying annotators: how much each adds to the disagreement, and in which direction."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.errors import InputError
from dialgauge.ratings._alpha import alpha_parts, statistic_of
from dialgauge.ratings._bootstrap import bootstrap_interval
from dialgauge.ratings._frame import UnitRatings, select_dimensions, unit_ratings
from dialgauge.ratings._leave_out import LeaveOneOut
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._settings import OnInvalid, OutlierSettings, RatingPolicy
from dialgauge.settings import chosen_pair, takes

#: Up to this many annotators, the rise of α has an interval for each of them; in a crowd for possible outliers only.
_PANEL = 10

OUTLIERS = pl.Schema(
    {
        "annotator": pl.String,
        "dimension": pl.String,
        "ratings": pl.Int64,
        "bias": pl.Float64,
        "distance": pl.Float64,
        "correlation": pl.Float64,
        "alpha": pl.Float64,
        "alpha_without": pl.Float64,
        "rise": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "outlier": pl.Boolean,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Outliers:
    """A row per annotator and dimension: the mean and the mean absolute residual against the others (``bias``,
    ``distance``), the correlation with the mean of the others, Krippendorff's α of all and ``alpha_without`` this
    annotator, and the ``rise`` between them with its interval (with more than ten annotators only where α rises enough
    for an outlier). ``outlier`` marks the outliers.
    """

    frame: pl.DataFrame
    level: str
    invalid: pl.DataFrame
    on_invalid: OnInvalid

    @property
    def flagged(self) -> pl.DataFrame:
        """The outliers, largest rise of α first."""
        return self.frame.filter("outlier").sort("rise", descending=True)


@takes(OutlierSettings, RatingPolicy)
def outliers(
    ratings: pl.DataFrame,
    settings: OutlierSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    scales: Iterable[Scale] = (),
    nominal: Collection[str] = (),
    **changes: Any,
) -> Outliers:
    """Which annotators are outliers.

    An annotator is an outlier on a dimension where Krippendorff's α of the others alone is higher by ``minimum_rise``
    or more and the bootstrap interval of that rise (over summaries) lies above 0. The minimum is needed because of
    three annotators some pair always agrees best. Needs three annotators: of two, either could be the outlier.
    ``nominal`` are dimensions whose values are names without an order: α is nominal there, and nobody is above others.
    """
    asked, policy = chosen_pair("outliers", changes, (OutlierSettings, settings), (RatingPolicy, policy))
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    used = select_dimensions(checked.ratings, None if policy.dimensions is None else list(policy.dimensions))
    rows: list[dict[str, Any]] = []
    for dimension in sorted(used["dimension"].unique()):
        part = used.filter(pl.col("dimension") == dimension)
        try:
            scale_of(part, scales)
            named = asked.model_copy(update={"level": "nominal"}) if dimension in nominal else None
            found = profiles(unit_ratings(part), named or asked)
            if named is not None:
                found = [{**row, "bias": None, "distance": None, "correlation": None} for row in found]
        except InputError as error:
            names = sorted(part["annotator"].unique())
            found = [{"annotator": name, "outlier": False, "note": str(error)} for name in names]
        rows += [{"dimension": dimension, **row} for row in found]
    return Outliers(pl.DataFrame(rows, schema=OUTLIERS), asked.level, checked.invalid, policy.on_invalid)


def profiles(given: UnitRatings, asked: OutlierSettings) -> list[dict[str, Any]]:
    """Each annotator on one dimension."""
    parts = alpha_parts(given, asked.level)
    alpha = _number(statistic_of(parts).value)
    left_out = LeaveOneOut(parts, len(given.annotators))
    clusters = given.clusters()
    counts = np.bincount(given.annotator, minlength=len(given.annotators))
    against = _against_the_others(given)
    rows = []
    for number, annotator in enumerate(given.annotators):
        row: dict[str, Any] = {
            "annotator": annotator,
            "ratings": int(counts[number]),
            **{name: _number(values[number]) for name, values in against.items()},
            "alpha": alpha,
            "outlier": False,
        }
        without = _number(left_out.values[number])
        if len(given.annotators) < 3:
            row["note"] = "fewer than three annotators"
        elif alpha is None or without is None:
            row |= {"alpha_without": without, "note": "α is undefined"}
        else:
            rise = without - alpha
            row |= {"alpha_without": without, "rise": rise}
            # In a crowd, an interval for each of hundreds would take long and be read by nobody.
            if rise >= asked.minimum_rise or len(given.annotators) <= _PANEL:
                interval = bootstrap_interval(left_out.rise(number), clusters, asked)
                row |= {"low": interval.low, "high": interval.high}
                row["outlier"] = rise >= asked.minimum_rise and interval.low is not None and interval.low > 0
        rows.append(row)
    return rows


def _against_the_others(ratings: UnitRatings) -> dict[str, FloatArray]:
    """For each annotator: mean and mean absolute residual, and the correlation with the mean of the others."""
    sizes, people = ratings.sizes, len(ratings.annotators)
    shared = sizes[ratings.unit] >= 2
    unit, who, own = ratings.unit[shared], ratings.annotator[shared], ratings.value[shared]
    totals = np.bincount(ratings.unit, ratings.value, minlength=len(sizes))
    others = (totals[unit] - own) / (sizes[unit] - 1)

    def mean(values: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(who, values, minlength=people) / np.bincount(who, minlength=people))

    x, y = own - mean(own)[who], others - mean(others)[who]
    spread = mean(x**2) * mean(y**2)
    # What is left of the spread of equal values is a rounding error, and must not be divided by.
    varies = spread > 1e-24 * mean(own**2) * mean(others**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.where(varies, np.clip(mean(x * y) / np.sqrt(spread), -1, 1), np.nan)
    return {"bias": mean(own - others), "distance": mean(np.abs(own - others)), "correlation": correlation}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
