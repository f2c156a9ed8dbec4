"""Metrics compared with metrics: which are equivalent, and which differ significantly."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from dialgauge.metaeval import (
    CorrelationSettings,
    PairedSettings,
    align,
    correlation_matrix,
    find_items,
    headline,
    metric_pairs,
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
    needs_judgements = True

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "seed": context.study.seed,
            "tested": _TESTED,
            "corrected": "for all pairs",
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
    frame, ratings, _ = _paired(context)
    if not context.scores.metrics:  # only some that exist for a whole system
        return pl.DataFrame(schema={"name": pl.String, "cluster": pl.Int64})
    role = align(frame, ratings, role=context.section(CorrelationSettings).role).pairing.role
    without = _without(context)
    return correlation_matrix(frame, level=level, coefficient=coefficient, without_systems=without, role=role).frame


def _paired(context: Context) -> tuple[pl.DataFrame, pl.DataFrame, bool]:
    """Scores and aggregated ratings; rated variants of one system as items, as in the correlations, and if they are."""
    ratings = context.read("ratings.parquet")
    items = find_items(ratings, context.corpus.references["system"].unique().to_list())
    if items is None:
        return context.scores.frame, ratings, False
    return items.renamed(context.scores.frame), items.renamed(ratings), True


def _compared(context: Context, correlations: pl.DataFrame, level: Any, coefficient: Any) -> pl.DataFrame:
    """The pairs of the leading metrics of each dimension, by the test that marks them in the correlations."""
    settings, scores = context.section(CorrelationSettings), context.scores
    here = (pl.col("level") == level) & (pl.col("coefficient") == coefficient)
    judging = correlations.filter(here, pl.col("direction") != "none", pl.col("metric").is_in(scores.metrics))
    frame, ratings, over_items = _paired(context)
    return metric_pairs(
        judging,
        frame,
        ratings,
        context.asked(PairedSettings, resample=settings.resample, role=settings.role),
        most=_TESTED,
        directions=scores.directions,
        references=_without(context),
        unit="dialogues" if over_items else "systems",
        progress=context.progress,
    )


def _cleaning(context: Context) -> pl.DataFrame:
    """Agreement once what contradicts a majority is gone, and how many ratings that takes."""
    policy = context.section(RatingPolicy)
    treated = treat_ratings(context.corpus.without_models().ratings, policy)
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
