"""The robustness of metrics: whether they detect degraded summaries and keep their score if the meaning is kept."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.metaeval import RobustnessSettings
from dialgauge.metrics import Scores
from dialgauge.perturb import PERTURBATIONS
from dialgauge.ratings import RatingPolicy
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._robustness import TABLES, analyse_variants, write_analysis
from dialgauge.study._stage import Stage, TableKind
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.variant_scores import SCORES
from dialgauge.study.stages.variants import PerturbationsSection, with_variants

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

FACTS = "robustness.json"
_NEEDS = "[perturbations] in the study file"


def _robustness_table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import robustness_table

    return robustness_table(run.needed_table("robustness", _NEEDS), **options)


def _perturbation_table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import perturbation_table

    return perturbation_table(run.needed_table("robustness-changes", _NEEDS), **options)


def _correlation_table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import perturbed_correlation_table

    return perturbed_correlation_table(run.needed_table("robustness-correlations", _NEEDS), **options)


class RobustnessStage(Stage):
    """Compares the scores of variants with those of their originals, and with what the perturbations should do."""

    name = "robustness"
    inputs = ("corpus", "scores", "variants", "variant-scores")
    outputs = (*(f"{name}.parquet" for name in TABLES), FACTS)
    tables = (
        TableKind("robustness", _robustness_table, ("metrics", "best", "digits")),
        TableKind("perturbations", _perturbation_table, ("metrics", "digits")),
        TableKind("perturbed-correlations", _correlation_table, ("metrics", "digits")),
    )

    def asked(self, settings: StudyFile) -> bool:
        return bool(settings.section(PerturbationsSection).use)

    def settings(self, context: Context) -> Mapping[str, Any]:
        return _asked(context).model_dump(mode="json") | {
            "ratings": context.section(RatingPolicy).model_dump(mode="json"),
        }

    def make(self, context: Context) -> None:
        variants = Scores.load(context.folder / SCORES)
        frame = pl.concat([context.scores.frame, variants.frame], how="diagonal_relaxed")
        analysis = analyse_variants(
            with_variants(context.folder, context.corpus),
            replace(context.scores, frame=frame),
            _asked(context),
            context.section(RatingPolicy),
            metrics=[name for name in context.scores.metrics if name in variants.metrics],
            progress=context.progress,
        )
        write_analysis(analysis, context.folder)

    def modules(self, context: Context) -> Iterable[str]:
        # The corpus may bring variants of any perturbation, which says what they should do.
        return {module for entry in PERTURBATIONS.values() for module in PERTURBATIONS.modules(entry)}

    def panel(self, run: FinishedRun) -> "Panel":
        from dialgauge.report import RobustnessData, robustness_panel

        tables = {name: run.needed_table(file, _NEEDS) for file, name in TABLES.items()}
        return robustness_panel(
            RobustnessData(
                corpus=with_variants(run.folder, run.corpus),
                tables=tables,
                settings=run.document(FACTS),
                correlations=None if tables["correlations"].is_empty() else tables["correlations"],
                declined=run.needed_table("declined", _NEEDS),
            )
        )


def _asked(context: Context) -> RobustnessSettings:
    return context.asked(RobustnessSettings, context.section(PerturbationsSection))
