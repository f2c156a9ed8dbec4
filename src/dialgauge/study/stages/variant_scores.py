"""The scores of the variants, by the metrics of the study file."""

from collections.abc import Mapping
from typing import Any

from dialgauge.corpus import read_corpus
from dialgauge.errors import UnknownNameError
from dialgauge.study._context import Context
from dialgauge.study._stage import Stage, WrongKeyError
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.scores import MetricsSection, score_as_asked
from dialgauge.study.stages.variants import VARIANTS, PerturbationsSection

SCORES = "variant-scores.parquet"


class VariantScoresStage(Stage):
    """Scores the variants like the summaries that they were made of, without the metrics that the study leaves out."""

    name = "variant-scores"
    inputs = ("variants", "scores")
    outputs = (SCORES,)

    def asked(self, settings: StudyFile) -> bool:
        return bool(settings.section(PerturbationsSection).use)

    def check(self, context: Context) -> None:
        use = context.section(MetricsSection).use
        for spec in context.section(PerturbationsSection).without_metrics:
            if spec not in use:
                why = UnknownNameError("metric of the study", spec, use)
                raise WrongKeyError("perturbations.without_metrics", str(why))
        if not _used(context):
            raise WrongKeyError("perturbations.without_metrics", "leaves no metric for the variants")

    def settings(self, context: Context) -> Mapping[str, Any]:
        # What made the scores made these: a changed model shows in the fingerprint of that stage.
        return context.section(MetricsSection).model_dump(mode="json") | {"use": _used(context)}

    def make(self, context: Context) -> Mapping[str, Any]:
        scores = score_as_asked(context, read_corpus(context.folder / VARIANTS), use=_used(context))
        scores.save(context.folder / SCORES, with_seconds=False)
        return {"seconds_per_metric": dict(scores.seconds)}


def _used(context: Context) -> list[str]:
    """The metrics of the study that are computed for variants, too."""
    left_out = context.section(PerturbationsSection).without_metrics
    return [spec for spec in context.section(MetricsSection).use if spec not in left_out]
