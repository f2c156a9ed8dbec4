"""Metrics compared with metrics: which are equivalent, and which differ significantly."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import polars as pl

from dialgauge.metaeval import (
    COMPARISONS,
    ComparisonSettings,
    CorrelationSettings,
    align,
    compare,
    correlation_matrix,
    find_items,
    headline,
)
from dialgauge.ratings import AgreementSettings, RatingPolicy, agreement, treat_ratings
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Stage
from dialgauge.study.stages.scores import MetricsSection

METRICS, COMPARED, CLEANING = "metric-correlations.parquet", "comparisons.parquet", "cleaning.parquet"
#: So many of the leading metrics of each dimension are tested against each other.
_TESTED = 12


class RelationsStage(Stage):
    """Correlates metrics with metrics, and tests the leading ones of each dimension against each other."""

    name = "relations"
    inputs = ("corpus", "scores", "correlations")
    outputs = (METRICS, COMPARED, CLEANING)
    needs_ratings = True

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "seed": context.study.seed,
            "tested": _TESTED,
            "families": "with the best, and the rest",
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
            "correlation": context.section(CorrelationSettings).model_dump(mode="json"),
        }

    def files(self, context: Context) -> list[str]:
        return [METRICS, COMPARED] + ([CLEANING] if context.section(RatingPolicy).clean != "none" else [])

    def make(self, context: Context) -> None:
        correlations = context.read("correlations.parquet")
        level, coefficient = headline(correlations)
        context.write(METRICS, _between(context, level, coefficient))
        context.write(COMPARED, _compared(context, correlations, level, coefficient))
        if context.section(RatingPolicy).clean != "none":
            context.write(CLEANING, _cleaning(context))

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        return {
            "between": run.table("metric-correlations"),
            "comparisons": run.table("comparisons"),
            "cleaning": run.table("cleaning"),
        }


def _between(context: Context, level: Any, coefficient: Any) -> pl.DataFrame:
    context.progress("metrics with metrics", 0, 1)
    frame, ratings = _paired(context)
    if not context.scores.metrics:  # only some that exist for a whole system
        return pl.DataFrame(schema={"name": pl.String, "cluster": pl.Int64})
    role = align(frame, ratings, role=context.section(CorrelationSettings).role).pairing.role
    without = _without(context)
    return correlation_matrix(frame, level=level, coefficient=coefficient, without_systems=without, role=role).frame


def _paired(context: Context) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores and aggregated ratings; rated variants of one system as items, as in the correlations."""
    ratings = context.read("ratings.parquet")
    items = find_items(ratings, context.corpus.references["system"].unique().to_list())
    if items is None:
        return context.scores.frame, ratings
    return items.renamed(context.scores.frame), items.renamed(ratings)


def _compared(context: Context, correlations: pl.DataFrame, level: Any, coefficient: Any) -> pl.DataFrame:
    """The leading metrics of each dimension, every pair tested; empty where there is no test."""
    settings, scores = context.section(CorrelationSettings), context.scores
    if level == "global" or not settings.resamples:
        return pl.DataFrame(schema=COMPARISONS)
    here = (pl.col("level") == level) & (pl.col("coefficient") == coefficient)
    known = correlations.filter(here, pl.col("value").is_not_null(), pl.col("direction") != "none")
    parts = [pl.DataFrame(schema=COMPARISONS)]
    dimensions = known["dimension"].unique().sort().to_list()
    for done, dimension in enumerate(dimensions):
        context.progress(f"comparing metrics of {dimension}", done, len(dimensions))
        ranked = known.filter(pl.col("dimension") == dimension).sort("value", "metric", descending=[True, False])
        names = [name for name in ranked["metric"] if name in scores.metrics]
        if len(names) > 1:
            parts += _pairs(context, dimension, names, level, coefficient)
    return pl.concat(parts)


def _pairs(context: Context, dimension: str, names: list[str], level: Any, coefficient: Any) -> list[pl.DataFrame]:
    """Two families, each corrected by itself: all metrics against the best, and all other pairs of leading ones.

    The first are the very tests by which the ranking tells metrics from the best, so that both say the same.
    """
    scores, drawn = context.scores, context.section(CorrelationSettings)
    asked = context.asked(
        ComparisonSettings, level=level, coefficient=coefficient, resample=drawn.resample, role=drawn.role
    )
    frame, ratings = _paired(context)
    first, *others = names
    leading = names[:_TESTED]
    families = [[(first, other) for other in others], list(combinations(leading[1:], 2))]
    tested = [
        compare(
            frame,
            ratings,
            asked,
            pairs=pairs,
            dimensions=[dimension],
            directions=scores.directions,
            references=_without(context),
        ).frame
        for pairs in families
        if pairs
    ]
    return [frame.filter(pl.col("other").is_in(leading)) for frame in tested]


def _cleaning(context: Context) -> pl.DataFrame:
    """Agreement once what contradicts a majority is gone, and how many ratings that takes."""
    policy = context.section(RatingPolicy)
    treated = treat_ratings(context.corpus.ratings, policy)
    if treated.cleaned is None:
        raise ValueError("there is a table of cleaning only where the policy cleans")
    asked = context.asked(AgreementSettings, measures="krippendorff-alpha")
    agreed = agreement(treated.counted, settings=asked, policy=policy)
    after = agreed.frame.select("dimension", "value", "low", "high")
    return treated.cleaned.counts.join(after, on="dimension", how="inner", maintain_order="left")


def _without(context: Context) -> list[str]:
    if context.section(MetricsSection).include_references:
        return []
    return context.corpus.references["system"].unique().to_list()
