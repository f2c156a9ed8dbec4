"""The scores of the variants, by the metrics of the study file."""

from collections.abc import Mapping
from typing import Any

from dialgauge.corpus import read_corpus
from dialgauge.study._context import Context
from dialgauge.study._stage import Stage
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.scores import MetricsSection, score_as_asked
from dialgauge.study.stages.variants import VARIANTS, PerturbationsSection

SCORES = "variant-scores.parquet"


class VariantScoresStage(Stage):
    """Scores the variants like the summaries that they were made of."""

    name = "variant-scores"
    inputs = ("variants", "scores")
    outputs = (SCORES,)

    def asked(self, settings: StudyFile) -> bool:
        return bool(settings.section(PerturbationsSection).use)

    def settings(self, context: Context) -> Mapping[str, Any]:
        # What made the scores made these: a changed model shows in the fingerprint of that stage.
        return context.section(MetricsSection).model_dump(mode="json")

    def make(self, context: Context) -> Mapping[str, Any]:
        scores = score_as_asked(context, read_corpus(context.folder / VARIANTS))
        scores.save(context.folder / SCORES, with_seconds=False)
        return {"seconds_per_metric": dict(scores.seconds)}
