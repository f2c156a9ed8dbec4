"""From keyed frames to aligned matrices. Values are never paired by row."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, OVERALL
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval._names import FloatArray

_NUMERIC = (pl.Boolean, pl.Null)

#: Summaries that the choice of one role and one variant left out: ``summaries`` of each table, by role and variant.
FILTERED = pl.Schema({"table": pl.String, "role": pl.String, "variant": pl.String, "summaries": pl.Int64})


@dataclass(frozen=True, slots=True)
class Pairing:
    """How two keyed tables were joined: the keys in both, and those that only one of them has.

    All of that within one ``role`` and ``variant``; ``filtered`` counts the summaries of the others.
    ``missing_scores`` and ``missing_ratings`` say which columns lack values, for how many of the paired summaries.
    """

    paired: int
    only_scores: pl.DataFrame
    only_ratings: pl.DataFrame
    role: str = OVERALL
    variant: str = ORIGINAL
    filtered: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=FILTERED))
    missing_scores: Mapping[str, int] = field(default_factory=dict)
    missing_ratings: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        text = f"{self.paired} summaries have scores and ratings"
        for name, frame in (("scores", self.only_scores), ("ratings", self.only_ratings)):
            if frame.height:
                first = " / ".join(frame.row(0)[:2])
                text += f"; {frame.height} only {name} (first: {first})"
        for name, missing in (("scores", self.missing_scores), ("ratings", self.missing_ratings)):
            if missing:
                text += f"; missing {name}: {_by_count(missing)}"
        here = pl.col("role") == self.role
        text += _filtered("role", self.role, self.filtered.filter(~here))
        return text + _filtered("variant", self.variant, self.filtered.filter(here))


def _by_count(missing: Mapping[str, int]) -> str:
    """Names with the same count share one entry: ``30 of bleu, chrf; 2 of rouge-1``."""
    names: dict[int, list[str]] = {}
    for name, count in missing.items():
        names.setdefault(count, []).append(name)
    return "; ".join(f"{count} of {', '.join(named)}" for count, named in sorted(names.items(), reverse=True))


def _filtered(part: str, chosen: str, others: pl.DataFrame) -> str:
    if others.is_empty():
        return ""
    scored, rated = (int(others.filter(pl.col("table") == name)["summaries"].sum()) for name in ("scores", "ratings"))
    names = sorted(others[part].unique())
    named = ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"
    return f"; only the {part} {chosen!r} is used: {scored} scored and {rated} rated summaries of {named} are left out"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """Metric scores (metrics × systems × dialogues) beside ratings (dimensions × systems × dialogues).

    A cell without a value is NaN. ``refused`` has the reason why a metric or dimension is excluded (its matrix is then
    all NaN). Systems and dialogues are sorted by name; both sides have the same.
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
        return replace(
            self,
            systems=tuple(self.systems[i] for i in keep),
            scores=self.scores[:, keep],
            ratings=self.ratings[:, keep],
        )


def align(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    dimensions: Sequence[str] | None = None,
    without_systems: Collection[str] = (),
    role: str | None = None,
    variant: str = ORIGINAL,
    no_metrics: bool = False,
) -> ScoreMatrix:
    """Join a frame of metric scores and a frame of aggregated ratings by key.

    ``scores`` has the key columns and one column per metric, ``ratings`` the key columns and one per dimension; a
    missing ``variant`` or ``role`` column stands for ``"original"`` and ``"overall"``. One role and one variant are
    analysed: without ``role``, the only one that both sides have, or ``"overall"`` where there are several (an error
    where that is none of them). Keys that only one side has, and those of other roles and variants, are left out and
    counted in ``pairing``. ``no_metrics`` permits an empty selection of metrics.
    """
    metric_names = _value_columns(scores, "scores", "metric", metrics, may_be_empty=no_metrics)
    dimension_names = _value_columns(ratings, "ratings", "dimension", dimensions)
    all_scores = _keyed(scores, metric_names, without_systems)
    all_ratings = _keyed(ratings, dimension_names, without_systems)
    role = choose_role(role, all_scores, all_ratings, variant)
    here = (pl.col("role") == role) & (pl.col("variant") == variant)
    left = _one_row_per_key(all_scores.filter(here), "scores")
    right = _one_row_per_key(all_ratings.filter(here), "ratings")
    both = left.join(right.select(KEY), on=list(KEY), how="semi")
    rated = right.join(left.select(KEY), on=list(KEY), how="semi")
    pairing = Pairing(
        both.height,
        left.join(right, on=list(KEY), how="anti").select(KEY).sort(KEY),
        right.join(left, on=list(KEY), how="anti").select(KEY).sort(KEY),
        role,
        variant,
        _count_filtered(all_scores.filter(~here), all_ratings.filter(~here)),
        _missing(both, metric_names),
        _missing(rated, dimension_names),
    )
    if not pairing.paired:
        raise InputError(
            f"no summary has both scores and ratings (variant {variant!r}, role {role!r}): {left.height} keys in the "
            f"scores (first: {_first_key(left)}), {right.height} in the ratings (first: {_first_key(right)}); "
            f"roles in the scores: {_roles_text(all_scores)}; in the ratings: {_roles_text(all_ratings)}"
        )
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


def choose_role(role: str | None, scores: pl.DataFrame, ratings: pl.DataFrame, variant: str | None) -> str:
    """The role to analyse: the one asked for, else the only one of both tables, else ``"overall"``."""
    if role is not None:
        return role
    tables = [frame if variant is None else frame.filter(pl.col("variant") == variant) for frame in (scores, ratings)]
    shared = sorted(set(tables[0]["role"]) & set(tables[1]["role"]))
    if not shared or OVERALL in shared:
        return OVERALL
    if len(shared) > 1:
        counts = ", ".join(f"{name} ({tables[1].filter(pl.col('role') == name).height} rated)" for name in shared)
        raise InputError(f"several roles have ratings: {counts}; choose one (role=…, on the command line --role)")
    return str(shared[0])


def _roles_text(frame: pl.DataFrame) -> str:
    return ", ".join(sorted(frame["role"].unique())) or "none"


def _count_filtered(scores: pl.DataFrame, ratings: pl.DataFrame) -> pl.DataFrame:
    counts = [
        frame.unique(KEY)
        .group_by("role", "variant")
        .agg(pl.len().cast(pl.Int64).alias("summaries"))
        .select(pl.lit(table).alias("table"), "role", "variant", "summaries")
        for table, frame in (("scores", scores), ("ratings", ratings))
    ]
    return pl.concat(counts).sort("table", "role", "variant")


def _missing(frame: pl.DataFrame, columns: Sequence[str]) -> dict[str, int]:
    counts = {name: int(frame[name].fill_nan(None).null_count()) for name in columns}
    return {name: count for name, count in counts.items() if count}


def _value_columns(
    frame: pl.DataFrame, table: str, kind: str, wanted: Sequence[str] | None, *, may_be_empty: bool = False
) -> list[str]:
    for column in ("dialogue_id", "system"):
        if column not in frame.columns:
            raise InputError(f"{table}: missing key column {column!r}; found: {', '.join(frame.columns) or 'none'}")
    present = [column for column in frame.columns if column not in KEY]
    if isinstance(wanted, str):
        raise InputError(f"{table}: give {kind}s as a list of names; got the bare string {wanted!r}")
    chosen = present if wanted is None else list(dict.fromkeys(wanted))
    if not chosen and not may_be_empty:
        raise InputError(f"{table}: no {kind} column beside the key {', '.join(KEY)}")
    for name in chosen:
        if name not in present:
            raise UnknownNameError(kind, name, present)
        check_numeric(frame, name, table)
    return chosen


def check_numeric(frame: pl.DataFrame, name: str, table: str) -> None:
    """Refuse a column of texts, dates and the like."""
    dtype = frame.schema[name]
    if not (dtype.is_numeric() or isinstance(dtype, _NUMERIC)):
        raise InputError(f"{table}: column {name!r} must be numeric; it is {dtype}")


def with_defaults(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the columns ``variant`` and ``role``, whose absence means the original and the overall summary."""
    defaults = {"variant": ORIGINAL, "role": OVERALL}
    return frame.with_columns(
        pl.lit(value).alias(name) for name, value in defaults.items() if name not in frame.columns
    )


def _keyed(frame: pl.DataFrame, columns: Sequence[str], without: Collection[str]) -> pl.DataFrame:
    keyed = with_defaults(frame).select(
        *(pl.col(part).cast(pl.String) for part in KEY), *(pl.col(name).cast(pl.Float64) for name in columns)
    )
    return keyed.filter(~pl.col("system").is_in(list(without)))


def _one_row_per_key(chosen: pl.DataFrame, table: str) -> pl.DataFrame:
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
