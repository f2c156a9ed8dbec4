"""Marked spans as scores: the penalty of a summary and the mean penalty of a system, weighted by severity."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from dialgauge.corpus import KEY
from dialgauge.ratings._bootstrap import ratio_intervals
from dialgauge.ratings._judgement_frames import system_name
from dialgauge.ratings._settings import JudgementSettings

SYSTEMS = pl.Schema(
    {
        "dimension": pl.String,
        "system": pl.String,
        "readings": pl.Int64,
        "errors": pl.Float64,
        **{f"{name}{end}": pl.Float64 for name in ("penalty", "per_100_words", "any") for end in ("", "_low", "_high")},
    }
)
_READING = (*KEY, "dimension", "annotator")


def span_scores(spans: pl.DataFrame, summaries: pl.DataFrame, severities: Mapping[str, float]) -> pl.DataFrame:
    """Scores of summaries from their marks, a row per summary, dimension and annotator who read it.

    ``penalty`` is the sum of the weights of the marks, by their severity (1 where it has none, as in MQM);
    ``per_100_words`` the same relative to the length of the summary; ``errors`` their number. Less is better.
    """
    weight = (
        pl.col("severity").str.to_lowercase().replace_strict(dict(severities), default=1.0, return_dtype=pl.Float64)
    )
    is_mark = pl.col("start").is_not_null()
    words = summaries.select(
        *KEY, pl.col("text").str.split(" ").list.eval(pl.element() != "").list.sum().alias("words")
    )
    found = spans.group_by(*_READING).agg(
        pl.when(is_mark).then(weight.fill_null(1.0)).otherwise(0.0).sum().alias("penalty"),
        is_mark.sum().cast(pl.Float64).alias("errors"),
    )
    relative = 100 * pl.col("penalty") / pl.col("words").cast(pl.Float64)
    scored = found.join(words, on=list(KEY), how="left").with_columns(
        pl.when(pl.col("words") > 0).then(relative).alias("per_100_words")
    )
    return scored.drop("words").sort(*_READING)


def span_systems(scores: pl.DataFrame, asked: JudgementSettings) -> pl.DataFrame:
    """Means of the readings of each system, the fewest errors first, with intervals over dialogues.

    ``scores`` are those of :func:`span_scores`; ``any`` is the share of readings with an error.
    """
    named = scores.with_columns(system_name().alias("item"), (pl.col("errors") > 0).cast(pl.Float64).alias("any"))
    rows: list[dict[str, Any]] = []
    for (dimension,), part in named.group_by("dimension", maintain_order=True):
        systems = [_system(str(item), own, asked) for (item,), own in part.group_by("item", maintain_order=True)]
        rows += [
            {"dimension": dimension, **row} for row in sorted(systems, key=lambda row: (row["penalty"], row["system"]))
        ]
    return pl.DataFrame(rows, schema=SYSTEMS)


def _system(name: str, own: pl.DataFrame, asked: JudgementSettings) -> dict[str, Any]:
    columns = ("penalty", "per_100_words", "any")
    row: dict[str, Any] = {"system": name, "readings": own.height, "errors": own["errors"].mean()}
    row |= {column: own[column].mean() for column in columns}
    by_dialogue = own.group_by("dialogue_id", maintain_order=True)
    sums, counts = (
        by_dialogue.agg(made(column) for column in columns).drop("dialogue_id").to_numpy()
        for made in (pl.sum, pl.count)
    )
    ends = ratio_intervals(sums, counts, asked)
    if ends is not None:
        for place, column in enumerate(columns):
            row |= {f"{column}_low": float(ends[0, place]), f"{column}_high": float(ends[1, place])}
    return row
