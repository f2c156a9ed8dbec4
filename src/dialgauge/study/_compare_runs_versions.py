"""The effect of a new version of a metric: single scores, the ranks of systems, the agreement with people."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.metaeval import adjust_p_values, compare
from dialgauge.progress import Progress
from dialgauge.study._compare_runs_overlap import Overlap, Side

LARGEST = pl.Schema(
    {
        "metric": pl.String,
        "summaries": pl.Int64,
        "changed": pl.Int64,
        **dict.fromkeys(KEY, pl.String),
        "first": pl.Float64,
        "second": pl.Float64,
        "change": pl.Float64,
    }
)
RANKS = pl.Schema({"kind": pl.String, "name": pl.String, "system": pl.String, "first": pl.Int64, "second": pl.Int64})
CORRELATION_CHANGES = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "level": pl.String,
        "coefficient": pl.String,
        "first": pl.Float64,
        "second": pl.Float64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "p_corrected": pl.Float64,
    }
)
#: Scores closer than this share of the larger one (or of 1) have not changed.
_EQUAL = 1e-9
#: Correlations are tested with no more resamples than this: each test is a sum over whole matrices.
_MOST = 1000


def largest_changes(pairs: pl.DataFrame, metrics: list[str]) -> pl.DataFrame:
    """For each metric how many scores changed, and the summary whose score changed most."""
    rows = []
    for name in metrics:
        before, after = pairs[name].to_numpy().astype(float), pairs[f"{name}:new"].to_numpy().astype(float)
        change = after - before
        known = ~np.isnan(change)
        if not known.any():
            continue
        moved = known & (np.abs(change) > _EQUAL * np.maximum(1.0, np.abs(before)))
        where = int(np.argmax(np.where(known, np.abs(change), -1.0)))
        row: dict[str, Any] = {"metric": name, "summaries": int(known.sum()), "changed": int(moved.sum())}
        if moved.any():
            row |= {part: pairs[part][where] for part in KEY}
            row |= {"first": before[where], "second": after[where], "change": change[where]}
        rows.append(row)
    return pl.DataFrame(rows, schema=LARGEST)


def rank_changes(changes: pl.DataFrame) -> pl.DataFrame:
    """The place of each system by each measure in either run, 1 being the best (the highest where nothing is better).

    Systems are placed by their means over what both runs have; equal means share the better place.
    """
    rows: list[dict[str, Any]] = []
    for (kind, name), part in changes.group_by("kind", "name", maintain_order=True):
        known = part.drop_nulls(["first", "second"])
        if known.height < 2:
            continue
        down = known["direction"][0] != "lower"
        places = [known[side].round(12).rank("min", descending=down).to_list() for side in ("first", "second")]
        rows += [
            {"kind": kind, "name": name, "system": system, "first": before, "second": after}
            for system, before, after in zip(known["system"], *places, strict=True)
        ]
    return pl.DataFrame(rows, schema=RANKS)


def correlation_changes(
    old: Side, new: Side, overlap: Overlap, settings: Mapping[str, Any], progress: Progress | None
) -> pl.DataFrame:
    """The correlations that both runs saved, side by side.

    Where texts and ratings are the same and only scores changed, the difference is tested: both versions of the metric
    against the same ratings, by :func:`dialgauge.metaeval.compare`.
    """
    before, after = old.correlations, new.correlations
    if before is None or after is None:
        return pl.DataFrame(schema=CORRELATION_CHANGES)
    on = ["metric", "dimension", "level", "coefficient"]
    joined = before.select(*on, first="value").join(
        after.select(*on, second="value"), on=on, how="inner", maintain_order="left"
    )
    joined = joined.filter(pl.col("metric").is_in([*overlap.metrics, *overlap.system_metrics]))
    joined = joined.with_columns(difference=pl.col("second") - pl.col("first"))
    tested = _tested(old, new, overlap, joined, settings, progress)
    found = joined.join(tested, on=on, how="left", maintain_order="left", suffix=":tested")
    # On what both have: the saved values may be over more summaries than are shared.
    both = [pl.coalesce(f"{name}:tested", name).alias(name) for name in ("first", "second", "difference")]
    return found.with_columns(both).select(list(CORRELATION_CHANGES)).cast(CORRELATION_CHANGES)


def _tested(
    old: Side, new: Side, overlap: Overlap, joined: pl.DataFrame, settings: Mapping[str, Any], progress: Progress | None
) -> pl.DataFrame:
    nothing = pl.DataFrame(schema=CORRELATION_CHANGES)
    dimensions = [name for name in overlap.dimensions if _same_ratings(old, new, name)]
    pairs = old.scores.frame.join(new.scores.frame, on=list(KEY), how="inner", suffix=":new", maintain_order="left")
    moved = largest_changes(pairs, overlap.metrics).filter(pl.col("changed") > 0)["metric"].to_list()
    if overlap.texts_changed or not dimensions or not moved or old.ratings is None:
        return nothing
    ratings = old.ratings.join(pairs.select(KEY), on=list(KEY), how="semi")
    tables = []
    for level, coefficient in _cells(joined):
        found = compare(
            pairs,
            ratings.select(*KEY, *dimensions),
            level=level,
            coefficient=coefficient,
            pairs=[(f"{name}:new", name) for name in moved],
            metrics=[column for name in moved for column in (name, f"{name}:new")],
            directions={f"{name}{tail}": overlap.directions[name] for name in moved for tail in ("", ":new")},
            references=old.corpus.references["system"].unique().to_list(),
            with_references=bool(old.run.stage("scores").get("settings", {}).get("include_references", False)),
            resamples=min(settings["resamples"], _MOST),
            confidence=settings["confidence"],
            seed=settings["seed"],
            role=old.run.setting("correlations", "correlation", "role"),
            progress=progress,
        ).frame
        tables.append(
            found.select(
                pl.col("other").alias("metric"),
                "dimension",
                "level",
                "coefficient",
                pl.col("other_value").alias("first"),
                pl.col("value").alias("second"),
                "difference",
                "low",
                "high",
                "p_value",
            )
        )
    result = pl.concat(tables)
    p_values = result["p_value"].fill_null(np.nan).to_list()
    corrected = pl.Series("p_corrected", adjust_p_values(p_values, settings["correction"])).fill_nan(None)
    return result.with_columns(corrected).select(list(CORRELATION_CHANGES))


def _cells(joined: pl.DataFrame) -> list[tuple[Any, Any]]:
    """The levels at which such a test exists, with the first coefficient that the runs share there."""
    found: dict[str, str] = {}
    for level, coefficient in joined.select("level", "coefficient").unique(maintain_order=True).iter_rows():
        if level in ("system", "summary"):
            found.setdefault(level, coefficient)
    return list(found.items())


def _same_ratings(old: Side, new: Side, dimension: str) -> bool:
    if old.ratings is None or new.ratings is None:
        return False
    frames = [side.select(*KEY, dimension) for side in (old.ratings, new.ratings)]
    joined = frames[0].join(frames[1], on=list(KEY), how="inner", suffix=":new")
    return bool(joined[dimension].eq_missing(joined[f"{dimension}:new"]).all())
