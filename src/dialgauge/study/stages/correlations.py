"""Correlation of each metric with the ratings, the leading metrics, and the human ceiling."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.metaeval import CEILING, CorrelationSettings, evaluate_metrics
from dialgauge.ratings import (
    JudgementSettings,
    RatingPolicy,
    treat_ratings,
    with_judgements_as_ratings,
    with_ordered_ratings,
)
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stage import Section, Stage, TableKind
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.scores import MetricsSection

if TYPE_CHECKING:
    from dialgauge.report import CountedRatings
    from dialgauge.tables import Table

_RESAMPLED = {"inputs": "dialogues", "systems": "systems", "both": "dialogues and systems"}


def _table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import correlation_table

    return correlation_table(run.needed_table("correlations", "a corpus with ratings"), **options)


class CorrelationsStage(Stage):
    """Correlates the scores with the ratings."""

    name = "correlations"
    sections = (Section("correlation", CorrelationSettings),)
    inputs = ("corpus", "scores")
    outputs = ("correlations.parquet", "leaders.parquet", "ratings.parquet", "ceiling.parquet")
    tables = (TableKind("correlations", _table, ("metrics", "coefficient", "best", "digits")),)
    needs_judgements = True

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
            "correlation": _asked(context).model_dump(mode="json"),
            "severities": context.section(JudgementSettings).severities,
        }

    def make(self, context: Context) -> Mapping[str, Any]:
        policy, asked = context.policy, _asked(context)
        found = evaluate_metrics(context.judged, context.scores, asked, policy, progress=context.progress)
        context.write("ratings.parquet", found.ratings)
        context.write("leaders.parquet", found.leaders)
        context.write("ceiling.parquet", pl.DataFrame(schema=CEILING) if found.ceiling is None else found.ceiling.frame)
        context.write("correlations.parquet", found.correlations.frame)
        return {
            "pairing": str(found.correlations.pairing),
            "ratings_removed_as_noise": found.treated.removed,
            "ratings_off_their_scale": found.treated.invalid.height,
        }

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        ratings, wanted = settings.section(RatingPolicy), settings.section(CorrelationSettings)
        return {
            "ratings of a summary": f"{ratings.aggregate}; cleaning: {ratings.clean}; off scale: {ratings.on_invalid}",
            "interval": f"{wanted.confidence:.0%}, bootstrap over {_RESAMPLED[wanted.resample]}, "
            f"{wanted.resamples} resamples",
        }

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        tables = {name: run.table(name) for name in ("correlations", "ratings")}
        confidence = run.setting("correlations", "correlation", "confidence")
        return tables | {"counted": _counted(run), "confidence": confidence or 0.95}


def _asked(context: Context) -> CorrelationSettings:
    """References count as systems where they are scored like systems, unless the file says otherwise."""
    asked = context.asked(CorrelationSettings, context.section(CorrelationSettings))
    if "with_references" in asked.model_fields_set:
        return asked
    return asked.model_copy(update={"with_references": context.section(MetricsSection).include_references})


def _counted(run: FinishedRun) -> "CountedRatings":
    """The ratings that the correlations of a run rest on, and what became of the others."""
    from dialgauge.report import CountedRatings

    policy = RatingPolicy.model_validate(run.stage("correlations")["settings"]["ratings"])
    severities = run.stage("correlations")["settings"].get("severities", {})
    judged = with_judgements_as_ratings(run.corpus.without_models(), severities=severities)
    judged = with_ordered_ratings(judged, policy)
    ratings = judged.ratings.filter(pl.col("value").is_not_null())
    if policy.dimensions:
        ratings = ratings.filter(pl.col("dimension").is_in(policy.dimensions))
    treated = treat_ratings(ratings, policy)
    invalid = dict(treated.invalid["problem"].value_counts().sort("problem").iter_rows())
    used = treated.counted.filter(pl.col("value").is_not_null())
    return CountedRatings(used, ratings.height, invalid, policy.on_invalid == "keep", treated.removed)
