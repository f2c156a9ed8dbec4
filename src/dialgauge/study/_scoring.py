"""Scoring with the metrics of a study file, where its ``[engine]`` says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.metrics import Scores, score, suitable_engine
from dialgauge.study._context import Context
from dialgauge.study._specs import Specs

Value = TypeVar("Value")


def score_as_asked(context: Context, corpus: Corpus, *, include_references: bool = False) -> Scores:
    """The scores of a corpus, in columns that are called as the study file calls the metrics."""
    wanted, place = context.metrics, context.settings.engine
    engine = suitable_engine(
        place.name,
        corpus.summaries.height,
        wanted.full,
        workers=place.workers,
        ray_address=place.ray_address,
        gpus=place.gpus,
    )
    scores = score(
        corpus,
        wanted.full,
        include_references=include_references,
        progress=lambda what, done, total: context.progress(wanted.text(what), done, total),
        time_limit=place.time_limit,
        engine=engine,
    )
    return _named(scores, wanted)


def _named(scores: Scores, wanted: Specs) -> Scores:
    def columns(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.rename({column: wanted.name(column) for column in frame.columns})

    def by_name(values: Mapping[str, Value]) -> dict[str, Value]:
        return {wanted.name(column): value for column, value in values.items()}

    return replace(
        scores,
        frame=columns(scores.frame),
        systems=columns(scores.systems),
        signatures=wanted.texts(scores.signatures),
        directions=by_name(scores.directions),
        seconds=by_name(scores.seconds),
        failures=wanted.remarks(scores.failures, "metric", "reason"),
        notes=wanted.remarks(scores.notes, "metric", "note"),
    )
