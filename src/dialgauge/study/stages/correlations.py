"""How closely each metric follows the ratings, which lead, and what one rater reaches against the others."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.metaeval import correlate, human_ceiling, leaders
from dialgauge.ratings import aggregate
from dialgauge.study._context import Context
from dialgauge.study._correlation_section import CorrelationSection
from dialgauge.study._finished import FinishedRun
from dialgauge.study._ratings_used import RatingsSection, ratings_used
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
    sections = (Section("correlation", CorrelationSection),)
    inputs = ("corpus", "scores")
    outputs = ("correlations.parquet", "leaders.parquet", "ratings.parquet", "ceiling.parquet")
    tables = (TableKind("correlations", _table, ("metrics", "coefficient", "best", "digits")),)
    needs_ratings = True

    def settings(self, context: Context) -> Mapping[str, Any]:
        return {
            "seed": context.study.seed,
            "ratings": context.section(RatingsSection).model_dump(),
            "correlation": context.section(CorrelationSection).model_dump(),
        }

    def make(self, context: Context) -> Mapping[str, Any]:
        corpus, scores, wanted = context.corpus, context.scores, context.section(RatingsSection)
        ratings = ratings_used(corpus.ratings, wanted)
        options: dict[str, Any] = {"dimensions": wanted.dimensions, "on_invalid": wanted.on_invalid}
        aggregated = aggregate(ratings.used, wanted.aggregate, **options)
        shared: dict[str, Any] = context.section(CorrelationSection).model_dump() | {
            "seed": context.study.seed,
            "references": corpus.references["system"].unique().to_list(),
            "with_references": context.section(MetricsSection).include_references,
        }
        found = correlate(
            scores.frame,
            aggregated.wide(),
            systems=None if scores.systems.is_empty() else scores.systems,
            directions=scores.directions,
            oriented=True,
            progress=context.progress,
            **shared,
        )
        shared["role"] = found.settings["role"]
        best = leaders(
            found.frame,
            scores.frame,
            aggregated.wide(),
            directions=scores.directions,
            metrics=[name for name in scores.metrics if scores.directions[name] != "none"],
            progress=context.progress,
            **{key: value for key, value in shared.items() if key not in ("levels", "coefficients")},
        )
        # People are measured as they rated: cleaning takes out their disagreement, and would flatter them. One
        # annotator against a chosen one is no ceiling, so there the others count by their mean.
        how = "mean" if wanted.aggregate.startswith("annotator:") else wanted.aggregate
        ceiling = human_ceiling(ratings.checked, aggregate=how, **options, **shared)
        context.write("ratings.parquet", aggregated.wide())
        context.write("leaders.parquet", best)
        context.write("ceiling.parquet", ceiling.frame)
        context.write("correlations.parquet", found.frame)
        return {
            "pairing": str(found.pairing),
            "ratings_removed_as_noise": ratings.noise.height,
            "ratings_off_their_scale": ratings.invalid.height,
        }

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        ratings, wanted = settings.section(RatingsSection), settings.section(CorrelationSection)
        return {
            "ratings of a summary": f"{ratings.aggregate}; cleaning: {ratings.clean}; off scale: {ratings.on_invalid}",
            "interval": f"{wanted.confidence:.0%}, bootstrap over {_RESAMPLED[wanted.resample]}, "
            f"{wanted.resamples} resamples",
        }

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        tables = {name: run.table(name) for name in ("correlations", "leaders", "ceiling", "ratings")}
        confidence = run.setting("correlations", "correlation", "confidence")
        return tables | {"counted": _counted(run), "confidence": confidence or 0.95}


def _counted(run: FinishedRun) -> "CountedRatings":
    """The ratings that the correlations of a run rest on, and what became of the others."""
    from dialgauge.report import CountedRatings

    wanted = RatingsSection.model_validate(run.stage("correlations")["settings"]["ratings"])
    ratings = run.corpus.ratings.filter(pl.col("value").is_not_null())
    if wanted.dimensions:
        ratings = ratings.filter(pl.col("dimension").is_in(wanted.dimensions))
    found = ratings_used(ratings, wanted)
    invalid = dict(found.invalid["problem"].value_counts().sort("problem").iter_rows())
    used = found.used.filter(pl.col("value").is_not_null())
    return CountedRatings(used, ratings.height, invalid, wanted.on_invalid == "keep", found.noise.height)
