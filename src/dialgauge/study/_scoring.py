"""Scoring with the metrics of a study file, where its ``[engine]`` says."""

from dialgauge.corpus import Corpus
from dialgauge.metrics import Scores, score, suitable_engine
from dialgauge.progress import Progress
from dialgauge.study._file import StudyFile


def score_as_asked(
    settings: StudyFile, corpus: Corpus, progress: Progress, *, include_references: bool = False
) -> Scores:
    """The scores of a corpus."""
    wanted, place = settings.metrics.use, settings.engine
    engine = suitable_engine(
        place.name,
        corpus.summaries.height,
        wanted,
        workers=place.workers,
        ray_address=place.ray_address,
        gpus=place.gpus,
    )
    return score(
        corpus,
        wanted,
        include_references=include_references,
        progress=progress,
        time_limit=place.time_limit,
        engine=engine,
    )
