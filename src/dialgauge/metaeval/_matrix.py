"""From keyed frames to aligned matrices. Nothing is ever paired by row."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, OVERALL
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval._names import FloatArray

_NUMERIC = (pl.Boolean, pl.Null)


@dataclass(frozen=True, slots=True)
class Pairing:
    """How two keyed tables met: the keys in both, and those that only one of them has."""

    paired: int
    only_scores: pl.DataFrame
    only_ratings: pl.DataFrame

    def __str__(self) -> str:
        text = f"{self.paired} summaries have scores and ratings"
        for name, frame in (("scores", self.only_scores), ("ratings", self.only_ratings)):
            if frame.height:
                first = " / ".join(frame.row(0)[:2])
                text += f"; {frame.height} only {name} (first: {first})"
        return text


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """Metric scores (metrics × systems × dialogues) beside ratings (dimensions × systems × dialogues).

    A cell without a value is NaN. ``refused`` holds the reason why a metric or dimension takes no part (its matrix is
    all NaN then). Systems and dialogues are sorted by name; both sides have the same.
    """

    metrics: tuple[str, ...]
    dimensions: tuple[str, ...]
    systems: tuple[str, ...]
    dialogues: tuple[str, ...]
    scores: FloatArray
    ratings: FloatArray
    pairing: Pairing
    refused: dict[str, str]

    def without(self, systems: Collection[str]) -> "ScoreMatrix":
        """The same without some systems."""
        keep = [i for i, name in enumerate(self.systems) if name not in systems]
        return ScoreMatrix(
            self.metrics,
            self.dimensions,
            tuple(self.systems[i] for i in keep),
            self.dialogues,
            self.scores[:, keep],
            self.ratings[:, keep],
            self.pairing,
            self.refused,
        )


def align(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    dimensions: Sequence[str] | None = None,
    without_systems: Collection[str] = (),
    role: str = OVERALL,
    variant: str = ORIGINAL,
) -> ScoreMatrix:
    """Join a frame of metric scores and a frame of aggregated ratings by key.

    ``scores`` has the key columns and one column per metric, ``ratings`` the key columns and one per dimension; a
    missing ``variant`` or ``role`` column stands for ``"original"`` and ``"overall"``. Keys that only one side has are
    left out, counted and named in ``pairing``.
    """
    metric_names = _value_columns(scores, "scores", "metric", metrics)
    dimension_names = _value_columns(ratings, "ratings", "dimension", dimensions)
    left = _keyed(scores, metric_names, "scores", role, variant, without_systems)
    right = _keyed(ratings, dimension_names, "ratings", role, variant, without_systems)
    pairing = Pairing(
        left.join(right, on=list(KEY), how="semi").height,
        left.join(right, on=list(KEY), how="anti").select(KEY).sort(KEY),
        right.join(left, on=list(KEY), how="anti").select(KEY).sort(KEY),
    )
    if not pairing.paired:
        raise InputError(
            f"no summary has both scores and ratings (variant {variant!r}, role {role!r}): {left.height} keys in the "
            f"scores (first: {_first_key(left)}), {right.height} in the ratings (first: {_first_key(right)})"
        )
    both = left.join(right.select(KEY), on=list(KEY), how="semi")
    systems = both["system"].unique().sort()
    dialogues = both["dialogue_id"].unique().sort()
    refused: dict[str, str] = {}
    score_cube = _cube(left, metric_names, systems, dialogues, refused)
    rating_cube = _cube(right, dimension_names, systems, dialogues, refused)
    return ScoreMatrix(
        tuple(metric_names),
        tuple(dimension_names),
        tuple(systems),
        tuple(dialogues),
        score_cube,
        rating_cube,
        pairing,
        refused,
    )


def _value_columns(frame: pl.DataFrame, table: str, kind: str, wanted: Sequence[str] | None) -> list[str]:
    for column in ("dialogue_id", "system"):
        if column not in frame.columns:
            raise InputError(f"{table}: missing key column {column!r}; found: {', '.join(frame.columns) or 'none'}")
    present = [column for column in frame.columns if column not in KEY]
    if isinstance(wanted, str):
        raise InputError(f"{table}: give {kind}s as a list of names; got the bare string {wanted!r}")
    chosen = present if wanted is None else list(dict.fromkeys(wanted))
    if not chosen:
        raise InputError(f"{table}: no {kind} column beside the key {', '.join(KEY)}")
    for name in chosen:
        if name not in present:
            raise UnknownNameError(kind, name, present)
        dtype = frame.schema[name]
        if not (dtype.is_numeric() or isinstance(dtype, _NUMERIC)):
            raise InputError(f"{table}: column {name!r} must hold numbers; it is {dtype}")
    return chosen


def _keyed(
    frame: pl.DataFrame, columns: Sequence[str], table: str, role: str, variant: str, without: Collection[str]
) -> pl.DataFrame:
    defaults = {"variant": ORIGINAL, "role": OVERALL}
    keyed = frame.with_columns(
        pl.lit(value).alias(name) for name, value in defaults.items() if name not in frame.columns
    ).select(*(pl.col(part).cast(pl.String) for part in KEY), *(pl.col(name).cast(pl.Float64) for name in columns))
    chosen = keyed.filter(pl.col("variant") == variant, pl.col("role") == role, ~pl.col("system").is_in(list(without)))
    repeated = chosen.filter(~pl.struct(KEY).is_first_distinct())
    if repeated.height:
        raise InputError(
            f"{table}: {repeated.height} duplicate keys (first: {_first_key(repeated)}); there must be one row per "
            "summary" + (": aggregate the annotators first" if table == "ratings" else "")
        )
    return chosen


def _first_key(frame: pl.DataFrame) -> str:
    return " / ".join(str(part) for part in frame.select(KEY).row(0)) if frame.height else "none"


def _cube(
    frame: pl.DataFrame, columns: Sequence[str], systems: pl.Series, dialogues: pl.Series, refused: dict[str, str]
) -> FloatArray:
    """Columns × systems × dialogues, NaN where the frame has no row or no value."""
    placed = frame.join(pl.DataFrame({"system": systems}).with_row_index("i"), on="system").join(
        pl.DataFrame({"dialogue_id": dialogues}).with_row_index("j"), on="dialogue_id"
    )
    rows, cols = placed["i"].to_numpy(), placed["j"].to_numpy()
    cube = np.full((len(columns), len(systems), len(dialogues)), np.nan)
    for number, name in enumerate(columns):
        cube[number, rows, cols] = placed[name].to_numpy()
        infinite = placed.filter(pl.col(name).is_infinite())
        if infinite.height:
            refused[name] = f"{infinite.height} infinite values (first: {_first_key(infinite)})"
            cube[number] = np.nan
        elif np.isnan(cube[number]).all():
            refused[name] = "no value for any of the paired summaries"
    return cube
