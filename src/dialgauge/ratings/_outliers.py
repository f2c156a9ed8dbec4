"""Outlying annotators: how much each adds to the disagreement, and in which direction."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.errors import InputError
from dialgauge.ratings._alpha import alpha_statistic
from dialgauge.ratings._bootstrap import bootstrap_interval
from dialgauge.ratings._drift import residuals
from dialgauge.ratings._frame import select_dimensions, unit_matrix
from dialgauge.ratings._kappa import correlation_statistic
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._settings import OnInvalid, OutlierSettings, RatingPolicy
from dialgauge.settings import chosen_pair, takes

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
    annotator, and the ``rise`` between them with its interval. ``outlier`` marks the outliers.
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
    **changes: Any,
) -> Outliers:
    """Which annotators are outliers.

    An annotator is an outlier on a dimension where Krippendorff's α of the others alone is higher by ``minimum_rise``
    or more and the bootstrap interval of that rise (over summaries) lies above 0. The minimum is needed because of
    three annotators some pair always agrees best. Needs three annotators: of two, either could be the outlier.
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
            profiles = _profiles(part, asked)
        except InputError as error:
            names = sorted(part["annotator"].unique())
            profiles = [{"annotator": name, "outlier": False, "note": str(error)} for name in names]
        rows += [{"dimension": dimension, **row} for row in profiles]
    return Outliers(pl.DataFrame(rows, schema=OUTLIERS), asked.level, checked.invalid, policy.on_invalid)


def _profiles(ratings: pl.DataFrame, asked: OutlierSettings) -> list[dict[str, Any]]:
    matrix = unit_matrix(ratings)
    values, clusters = matrix.values, matrix.clusters()
    whole = np.ones((1, len(values)))
    of_all = alpha_statistic(values, asked.level)
    alpha = _number(of_all(whole))
    about = residuals(ratings)
    rows = []
    for column, annotator in enumerate(matrix.annotators):
        mine = about.filter(pl.col("annotator") == annotator)["residual"]
        others = np.delete(values, column, axis=1)
        row: dict[str, Any] = {
            "annotator": annotator,
            "ratings": int((~np.isnan(values[:, column])).sum()),
            "bias": mine.mean(),
            "distance": mine.abs().mean(),
            "correlation": _number(correlation_statistic(_beside_mean(values[:, column], others), ranks=False)(whole)),
            "alpha": alpha,
            "outlier": False,
        }
        if len(matrix.annotators) < 3:
            rows.append({**row, "note": "fewer than three annotators"})
            continue
        of_others = alpha_statistic(others, asked.level)
        without = _number(of_others(whole))
        if alpha is None or without is None:
            rows.append({**row, "alpha_without": without, "note": "α is undefined"})
            continue
        # Bound as defaults: the lambda is called within this iteration, but a reader need not check that.
        interval = bootstrap_interval(lambda w, a=of_others, b=of_all: a(w) - b(w), clusters, asked)  # type: ignore[misc]
        rise = without - alpha
        row |= {"alpha_without": without, "rise": rise, "low": interval.low, "high": interval.high}
        row["outlier"] = rise >= asked.minimum_rise and interval.low is not None and interval.low > 0
        rows.append(row)
    return rows


def _beside_mean(own: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    given = ~np.isnan(others)
    count = given.sum(axis=1)
    mean = np.where(count > 0, np.where(given, others, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan)
    return np.stack([own, mean], axis=1)


def _number(values: NDArray[np.float64]) -> float | None:
    return None if np.isnan(values[0]) else float(values[0])
