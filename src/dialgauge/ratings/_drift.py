"""Annotators whose standard changes in the course of the work."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, RATING_KEY
from dialgauge.errors import InputError, counted
from dialgauge.ratings._frame import UNIT, select_dimensions
from dialgauge.ratings._scales import NAMES, Scale, scale_of, validate
from dialgauge.ratings._settings import DriftSettings, OnInvalid, RatingPolicy
from dialgauge.settings import chosen_pair, takes

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
        "order": pl.String,
        "note": pl.String,
    }
)
#: Whose ratings are followed.
_LABEL = ("annotator", "dimension")


@dataclass(frozen=True, slots=True)
class Drift:
    """How each annotator changes relative to the others in the course of the work.

    ``blocks``: the mean residual in each part of the work, with an interval. ``trends``: the change from the first to
    the last rating by a straight line, its interval, its p-value, the p-value after Holm's correction for all
    annotators and dimensions, and whether it ``drifts``. ``order`` says where the order of work comes from: without the
    time of every rating, "first" and "last" are places in the table, and a trend along them need not be one of time.
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
    scales: Iterable[Scale] = (),
    nominal: Collection[str] = (),
    **changes: Any,
) -> Drift:
    """Whether annotators change their standard while they work.

    The residual of a rating is its value less the mean of the other annotators' values for the same unit. It is
    followed along the order of work, in ``blocks`` equal parts and by a straight line. ``order`` is "time" (the time of
    each rating), "frame" (the dialogues as they first appear in the frame) or the list of dialogue ids as they were
    annotated; by default time where every rating has one, else the frame.

    Intervals and tests treat the ratings of one dialogue as one cluster. An annotator *drifts* on a dimension where the
    change is significant after Holm's correction and at least ``minimum_change`` of the range of the scale. With few
    annotators residuals mirror each other: where one rises, those of the others fall. Read them together. ``nominal``
    are dimensions whose values are names without an order: nothing rises or falls there.
    """
    asked, policy = chosen_pair("drift", changes, (DriftSettings, settings), (RatingPolicy, policy))
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    used = select_dimensions(checked.ratings, None if policy.dimensions is None else list(policy.dimensions))
    taken_from, placed = _place(used, asked.order)
    rated = used.select(_LABEL).unique().sort(_LABEL)
    least, obstacles = _least_changes(used, asked.minimum_change, scales)
    obstacles |= {name: NAMES for name in least if name in nominal}
    usable = residuals(used.filter(~pl.col("dimension").is_in(list(obstacles))))
    with_place = usable.join(placed, on=["annotator", *KEY], how="left", maintain_order="left")
    in_blocks = _blocks(with_place, asked.blocks, asked.confidence).sort(*_LABEL, "block")
    found = rated.join(_trends(with_place, asked.confidence), on=_LABEL, how="left").sort(_LABEL)
    rows = [
        {**row, "order": taken_from, "least": least[row["dimension"]], **_note(row, obstacles.get(row["dimension"]))}
        for row in found.iter_rows(named=True)
    ]
    return Drift(in_blocks, _flag(rows, asked.significance), taken_from, checked.invalid, policy.on_invalid)


def _least_changes(
    ratings: pl.DataFrame, minimum: float, scales: tuple[Scale, ...]
) -> tuple[dict[str, float], dict[str, str]]:
    """For each dimension the least change that matters; and the dimensions that cannot be judged, with the reason."""
    least, obstacles = {}, {}
    for (dimension,), part in ratings.group_by("dimension", maintain_order=True):
        try:
            least[str(dimension)] = minimum * _range(part, scales)
        except InputError as error:
            least[str(dimension)], obstacles[str(dimension)] = 0.0, str(error)
    return least, obstacles


def _place(ratings: pl.DataFrame, order: str | tuple[str, ...] | None) -> tuple[str, pl.DataFrame]:
    """For each annotator and summary its ``place`` in the work from 0 to 1, and where that comes from."""
    times = ratings.drop_nulls("value")["time"]
    table = "the order of the table"
    if order is None:
        order = "time" if len(times) and times.null_count() == 0 else "frame"
        table += "; not every rating has a time" if times.null_count() < len(times) else "; the ratings have no times"
    work = ratings.group_by("annotator", *KEY, maintain_order=True).agg(pl.col("time").min())
    if order == "time":
        if times.null_count():
            raise InputError(f"drift: order='time', but {counted(times.null_count(), 'rating')} without a time")
        work, taken_from = work.with_columns(pl.col("time").alias("at")), "the time of each rating"
    elif order == "frame":
        first = pl.col("row").min().over("annotator", "dialogue_id")
        work, taken_from = work.with_row_index("row").with_columns(first.alias("at")), table
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


def _blocks(part: pl.DataFrame, blocks: int, confidence: float) -> pl.DataFrame:
    """The mean residual of each annotator and dimension in each part of the work."""
    by = (*_LABEL, "block")
    number = (pl.col("rank") * blocks // (pl.col("last") + 1)).cast(pl.Int64) + 1
    marked = part.with_columns(number.alias("block"))
    rest = (pl.col("residual") - pl.col("residual").mean().over(by)) / pl.len().over(by)
    errors = _clustered_errors(marked.with_columns(rest.alias("part")), by)
    means = marked.group_by(by, maintain_order=True).agg(
        pl.col("residual").mean(), pl.len().cast(pl.Int64).alias("ratings")
    )
    return _with_interval(means.join(errors, on=by), "residual", confidence).select(BLOCKS.names())


def _trends(part: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """The straight line through the residuals of each annotator and dimension along the order of work."""
    centred = pl.col("place") - pl.col("place").mean().over(_LABEL)
    marked = part.with_columns(centred.alias("centred")).with_columns(
        (pl.col("centred") ** 2).sum().over(_LABEL).alias("spread")
    )
    marked = marked.with_columns((pl.col("centred") / pl.col("spread")).alias("lever"))
    change = (pl.col("lever") * pl.col("residual")).sum().over(_LABEL)
    mean = pl.col("residual").mean().over(_LABEL)
    marked = marked.with_columns(change.alias("change"), mean.alias("mean"))
    rest = pl.col("residual") - pl.col("mean") - pl.col("change") * pl.col("centred")
    errors = _clustered_errors(marked.with_columns((pl.col("lever") * rest).alias("part")), _LABEL)
    lines = marked.group_by(_LABEL, maintain_order=True).agg(
        pl.col("change", "spread").first(), pl.len().cast(pl.Int64).alias("ratings")
    )
    return _with_interval(lines.join(errors, on=_LABEL), "change", confidence)


def _clustered_errors(frame: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """The cluster-robust standard error of the sum of ``part``: the ratings of a dialogue are one cluster."""
    sums = frame.group_by(*by, "dialogue_id", maintain_order=True).agg(pl.col("part").sum())
    n = pl.col("clusters")
    return (
        sums.group_by(by, maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("clusters"), (pl.col("part") ** 2).sum().alias("squares"))
        .with_columns(pl.when(n > 1).then((n / (n - 1) * pl.col("squares")).sqrt()).alias("error"))
        .drop("squares")
    )


def _with_interval(frame: pl.DataFrame, column: str, confidence: float) -> pl.DataFrame:
    """With ``low``, ``high`` and ``p_value`` by Student's t with a degree of freedom per cluster less one."""
    from scipy.special import stdtr, stdtrit

    value, error = frame[column].to_numpy(), frame["error"].fill_null(np.nan).to_numpy()
    df = np.maximum(frame["clusters"].to_numpy() - 1, 1)
    reach = stdtrit(df, (1 + confidence) / 2) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = np.where(error > 0, 2 * stdtr(df, -np.abs(value) / error), 0.0)
    # A rounding error in place of an exact zero must not look like a perfect trend.
    p_value = np.where(np.abs(value) < 1e-12, 1.0, p_value)
    added = {"low": value - reach, "high": value + reach, "p_value": p_value}
    return frame.with_columns(pl.Series(name, array).fill_nan(None) for name, array in added.items())


def _note(row: dict[str, Any], obstacle: str | None) -> dict[str, Any]:
    """Why a trend cannot be told, and then no numbers; nothing where it can."""
    note = obstacle
    if note is None and row["ratings"] is None:
        note = "no unit was rated by another annotator too"
    elif note is None and row["clusters"] < 3:
        note = "fewer than three dialogues"
    elif note is None and row["spread"] == 0:
        note = "all ratings are at the same place in the order of work"
    if note is None:
        return {}
    ratings = None if obstacle else row["ratings"] or 0
    return {"change": None, "low": None, "high": None, "p_value": None, "ratings": ratings, "note": note}


def _flag(rows: list[dict[str, Any]], significance: float) -> pl.DataFrame:
    tested = sorted((row for row in rows if row.get("p_value") is not None), key=lambda row: row["p_value"])
    running = 0.0
    for rank, row in enumerate(tested):
        running = max(running, min(1.0, (len(tested) - rank) * row["p_value"]))
        row["adjusted_p"] = running
        row["drifts"] = running < significance and abs(row["change"]) >= row["least"]
    return pl.DataFrame([{"drifts": False, **row} for row in rows], schema=TRENDS)
