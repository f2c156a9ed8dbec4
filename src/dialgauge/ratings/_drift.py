"""Annotators whose standard changes in the course of the work."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.corpus import KEY, RATING_KEY
from dialgauge.errors import InputError, ParameterError, counted
from dialgauge.ratings._frame import UNIT, select_dimensions
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._settings import DriftSettings, OnInvalid, RatingPolicy
from dialgauge.settings import chosen_pair, takes

Order = Literal["time", "frame"]

BLOCKS = pl.Schema(
    {
        "annotator": pl.String,
        "dimension": pl.String,
        "block": pl.Int64,
        "residual": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "ratings": pl.Int64,
    }
)
TRENDS = pl.Schema(
    {
        "annotator": pl.String,
        "dimension": pl.String,
        "change": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "adjusted_p": pl.Float64,
        "drifts": pl.Boolean,
        "ratings": pl.Int64,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Drift:
    """How each annotator changes relative to the others in the course of the work.

    ``blocks``: the mean residual in each part of the work, with an interval. ``trends``: the change from the first to
    the last rating by a straight line, its interval, its p-value, the p-value after Holm's correction for all
    annotators and dimensions, and whether it ``drifts``. ``order`` says where the order of work comes from.
    ``invalid`` lists the ratings that their scale does not allow, which ``on_invalid`` kept or dropped.
    """

    blocks: pl.DataFrame
    trends: pl.DataFrame
    order: str
    invalid: pl.DataFrame
    on_invalid: OnInvalid

    @property
    def drifting(self) -> pl.DataFrame:
        """The trends that are flagged, largest change first."""
        return self.trends.filter("drifts").sort(pl.col("change").abs(), descending=True)


def residuals(ratings: pl.DataFrame) -> pl.DataFrame:
    """The ratings that another annotator gave too, with ``residual``: the value less the mean of the others' values."""
    given = ratings.drop_nulls("value").sort(RATING_KEY)
    others = pl.len().over(UNIT) - 1
    mean_of_others = (pl.col("value").sum().over(UNIT) - pl.col("value")) / others
    return given.filter(others > 0).with_columns((pl.col("value") - mean_of_others).alias("residual"))


@takes(DriftSettings, RatingPolicy)
def drift(
    ratings: pl.DataFrame,
    settings: DriftSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    order: Order | Sequence[str] | None = None,
    scales: Iterable[Scale] = (),
    **changes: Any,
) -> Drift:
    """Whether annotators change their standard while they work.

    The residual of a rating is its value less the mean of the other annotators' values for the same unit. It is
    followed along the order of work, in ``blocks`` equal parts and by a straight line. ``order`` is "time" (the time of
    each rating), "frame" (the dialogues as they first appear in the frame) or the list of dialogue ids as they were
    annotated; by default time where every rating has one, else the frame.

    Intervals and tests treat the ratings of one dialogue as one cluster. An annotator *drifts* on a dimension where the
    change is significant after Holm's correction and at least ``minimum_change`` of the range of the scale. With few
    annotators residuals mirror each other: where one rises, those of the others fall. Read them together.
    """
    asked, policy = chosen_pair("drift", changes, (DriftSettings, settings), (RatingPolicy, policy))
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    used = select_dimensions(checked.ratings, None if policy.dimensions is None else list(policy.dimensions))
    taken_from, placed = _place(used, order)
    with_residuals = residuals(used).join(placed, on=["annotator", *KEY], how="left")
    block_rows: list[dict[str, Any]] = []
    trend_rows: list[dict[str, Any]] = []
    for dimension in sorted(used["dimension"].unique()):
        here = used.filter(pl.col("dimension") == dimension)
        try:
            least, obstacle = asked.minimum_change * _range(here, scales), None
        except InputError as error:
            least, obstacle = 0.0, str(error)
        for annotator in sorted(here["annotator"].unique()):
            label = {"annotator": annotator, "dimension": dimension}
            if obstacle:
                trend_rows.append({**label, "note": obstacle, "least": least})
                continue
            part = with_residuals.filter((pl.col("annotator") == annotator) & (pl.col("dimension") == dimension))
            block_rows += [{**label, **row} for row in _blocks(part, asked.blocks, asked.confidence)]
            trend_rows.append({**label, **_trend(part, asked.confidence), "least": least})
    trends = _flag(trend_rows, asked.significance).sort("annotator", "dimension")
    in_blocks = pl.DataFrame(block_rows, schema=BLOCKS).sort("annotator", "dimension", "block")
    return Drift(in_blocks, trends, taken_from, checked.invalid, policy.on_invalid)


def _place(ratings: pl.DataFrame, order: Order | Sequence[str] | None) -> tuple[str, pl.DataFrame]:
    """For each annotator and summary its ``place`` in the work from 0 to 1, and where that comes from."""
    times = ratings.drop_nulls("value")["time"]
    if order is None:
        order = "time" if len(times) and times.null_count() == 0 else "frame"
    work = ratings.group_by("annotator", *KEY, maintain_order=True).agg(pl.col("time").min())
    if order == "time":
        if times.null_count():
            raise InputError(f"drift: order='time', but {counted(times.null_count(), 'rating')} without a time")
        work, taken_from = work.with_columns(pl.col("time").alias("at")), "the time of each rating"
    elif order == "frame":
        first = pl.col("row").min().over("annotator", "dialogue_id")
        work, taken_from = work.with_row_index("row").with_columns(first.alias("at")), "the order of the table"
    elif isinstance(order, str):
        raise ParameterError("drift", "order", "'time', 'frame' or a list of dialogue ids", order)
    else:
        listed = pl.DataFrame({"dialogue_id": list(order)}, schema={"dialogue_id": pl.String}).with_row_index("at")
        if listed["dialogue_id"].is_duplicated().any():
            raise InputError("drift: order names a dialogue twice")
        missing = sorted(set(ratings["dialogue_id"]) - set(listed["dialogue_id"]))
        if missing:
            raise InputError(f"drift: order does not name dialogue {missing[0]!r} ({len(missing)} missing)")
        work, taken_from = work.join(listed, on="dialogue_id"), "the order given"
    rank = pl.col("at").rank("dense").over("annotator").cast(pl.Float64) - 1
    last = pl.col("rank").max().over("annotator")
    placed = work.with_columns(rank.alias("rank")).with_columns(
        pl.when(last > 0).then(pl.col("rank") / last).otherwise(0.0).alias("place"), last.alias("last")
    )
    return taken_from, placed.select("annotator", *KEY, "rank", "last", "place")


def _range(ratings: pl.DataFrame, scales: tuple[Scale, ...]) -> float:
    scale = scale_of(ratings, scales)
    if scale is not None:
        return scale.maximum - scale.minimum
    values = ratings["value"].drop_nulls().to_numpy()
    return float(np.ptp(values)) if len(values) else 0.0


def _blocks(part: pl.DataFrame, blocks: int, confidence: float) -> list[dict[str, Any]]:
    number = (pl.col("rank") * blocks // (pl.col("last") + 1)).cast(pl.Int64) + 1
    rows = []
    for (block,), ratings in (
        part.with_columns(number.alias("block")).sort("block").group_by("block", maintain_order=True)
    ):
        values, clusters = _arrays(ratings)
        mean = float(values.mean())
        error, df = _clustered_error(values - mean, np.full(len(values), 1 / len(values)), clusters)
        low, high = _t_interval(mean, error, df, confidence)
        rows.append({"block": block, "residual": mean, "low": low, "high": high, "ratings": len(values)})
    return rows


def _arrays(part: pl.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    codes = np.unique(part["dialogue_id"].to_numpy(), return_inverse=True)[1]
    return part["residual"].to_numpy(), codes.astype(np.intp)


def _trend(part: pl.DataFrame, confidence: float) -> dict[str, Any]:
    row: dict[str, Any] = {"ratings": part.height}
    if part.is_empty():
        return {**row, "note": "no unit was rated by another annotator too"}
    values, clusters = _arrays(part)
    if clusters.max() < 2:
        return {**row, "note": "fewer than three dialogues"}
    centred = part["place"].to_numpy() - part["place"].to_numpy().mean()
    spread = float((centred**2).sum())
    if spread == 0:
        return {**row, "note": "all ratings are at the same place in the order of work"}
    lever = centred / spread
    change = float(lever @ values)
    rest = values - values.mean() - change * centred
    error, df = _clustered_error(rest, lever, clusters)
    low, high = _t_interval(change, error, df, confidence)
    return {**row, "change": change, "low": low, "high": high, "p_value": _t_test(change, error, df)}


def _clustered_error(
    rest: NDArray[np.float64], lever: NDArray[np.float64], clusters: NDArray[np.intp]
) -> tuple[float, int]:
    """The cluster-robust standard error of Σ lever·value, and its degrees of freedom."""
    sums = np.bincount(clusters, lever * rest)
    n = len(sums)
    return (float(np.sqrt(n / (n - 1) * (sums**2).sum())), n - 1) if n > 1 else (np.nan, 0)


def _t_interval(value: float, error: float, df: int, confidence: float) -> tuple[float | None, float | None]:
    from scipy.special import stdtrit

    if df < 1:
        return None, None
    reach = float(stdtrit(df, (1 + confidence) / 2)) * error
    return value - reach, value + reach


def _t_test(value: float, error: float, df: int) -> float:
    from scipy.special import stdtr

    # A rounding error in place of an exact zero must not look like a perfect trend.
    if abs(value) < 1e-12:
        return 1.0
    return float(2 * stdtr(df, -abs(value) / error)) if error > 0 else 0.0


def _flag(rows: list[dict[str, Any]], significance: float) -> pl.DataFrame:
    tested = sorted((row for row in rows if row.get("p_value") is not None), key=lambda row: row["p_value"])
    running = 0.0
    for rank, row in enumerate(tested):
        running = max(running, min(1.0, (len(tested) - rank) * row["p_value"]))
        row["adjusted_p"] = running
        row["drifts"] = running < significance and abs(row["change"]) >= row["least"]
    shown = [{"drifts": False, **{key: row[key] for key in row if key != "least"}} for row in rows]
    return pl.DataFrame(shown, schema=TRENDS)
