"""The scores of a study: every metric of the study file on every summary."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl
from pydantic import field_validator

from dialgauge.corpus import Corpus
from dialgauge.engine import EngineSettings
from dialgauge.metrics import (
    ReferenceSettings,
    Scores,
    TimeLimit,
    parse_requests,
    request_modules,
    score,
    suitable_engine,
)
from dialgauge.settings import Several, refusing, setting
from dialgauge.study._context import Context
from dialgauge.study._digest import file_digest
from dialgauge.study._finished import FinishedRun
from dialgauge.study._specs import Specs, metric_specs
from dialgauge.study._stage import GivenPath, Section, Stage, TableKind, check_path
from dialgauge.study._study_file import StudyFile

if TYPE_CHECKING:
    from dialgauge.report import Panel
    from dialgauge.tables import Table

Value = TypeVar("Value")


class MetricsSection(ReferenceSettings):
    """``[metrics]``: the metrics to score with, and whether references are scored like systems.

    ``known`` leads to values that were scored before (a file, or the folder of a stream): those with the signature of
    a metric of this study are not computed again.
    """

    use: Several[str] = setting(..., "Metric to score with.", flag="--metric", min_length=1)
    known: str | None = setting(None, "Values that were scored before.", option=False, min_length=1)

    @field_validator("use")
    @classmethod
    def _known(cls, specs: tuple[str, ...]) -> tuple[str, ...]:
        with refusing():
            parse_requests(specs)
        return specs


class EngineSection(EngineSettings, TimeLimit):
    """``[engine]``: where summaries are scored, and when a metric that hangs is given up."""


def _system_table(run: FinishedRun, **options: Any) -> "Table":
    from dialgauge.report import system_table

    return system_table(run.table("ratings"), run.scores, **options)


class ScoresStage(Stage):
    """Scores the corpus with the metrics of the study file, where ``[engine]`` says."""

    name = "scores"
    sections = (Section("metrics", MetricsSection, "required"), Section("engine", EngineSection))
    outputs = ("scores.parquet",)
    tables = (TableKind("systems", _system_table, ("metrics", "best", "digits")),)

    def settings(self, context: Context) -> Mapping[str, Any]:
        wanted = context.section(MetricsSection)
        specs = metric_specs(wanted.use, context.home)
        return wanted.model_dump(mode="json", exclude={"known"}) | {
            **({} if wanted.known is None else {"known": _known_digest(context.home / wanted.known)}),
            # Signatures hold the fingerprints of models: scores of other weights under the same name are other scores.
            "signatures": [specs.text(request.signature) for request in parse_requests(specs.full)],
            # Where it is done changes nothing; when it is given up does.
            "time_limit": context.section(EngineSection).time_limit,
        }

    def make(self, context: Context) -> Mapping[str, Any]:
        wanted = context.section(MetricsSection)
        known = None if wanted.known is None else _known(context.home / wanted.known, context.corpus)
        scores = score_as_asked(context, context.corpus, include_references=wanted.include_references, known=known)
        context.scores = scores
        scores.save(context.folder / "scores.parquet", with_seconds=False)
        return {"signatures": dict(scores.signatures), "seconds_per_metric": dict(scores.seconds)}

    def modules(self, context: Context) -> Iterable[str]:
        requests = parse_requests(metric_specs(context.section(MetricsSection).use, context.home).full)
        return {module for request in requests for module in request_modules(request)}

    def paths(self, settings: StudyFile, home: Path) -> Iterator[GivenPath]:
        for place in metric_specs(settings.section(MetricsSection).use, home).places:
            if not place.registered:
                yield ("metrics", "use"), place.given, place.path
        known = settings.section(MetricsSection).known
        if known is not None:
            yield ("metrics", "known"), known, home / known

    def extras(self, settings: StudyFile) -> set[str]:
        requests = parse_requests(settings.section(MetricsSection).use)
        return {request.metric.extra for request in requests if request.metric.extra}

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        scored = settings.section(MetricsSection).include_references
        return {"references scored like systems": "yes" if scored else "no"}

    def panel(self, run: FinishedRun) -> "Panel | None":
        from dialgauge.report import evidence_panel

        return evidence_panel(run.scores, run.corpus)

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        return {"scores": run.scores}


def _known(path: Path, corpus: Corpus) -> Scores:
    check_path("metrics.known", path)
    return Scores.load(path, corpus.summaries)


def _known_digest(path: Path) -> str:
    """The manifest of a stream holds the digests of its parts."""
    check_path("metrics.known", path)
    return file_digest(path / "manifest.json" if (path / "manifest.json").is_file() else path)


def score_as_asked(
    context: Context,
    corpus: Corpus,
    *,
    include_references: bool = False,
    use: Iterable[str] | None = None,
    known: Scores | None = None,
) -> Scores:
    """The scores of a corpus, in columns that are called as the study file calls the metrics; ``use``: only these."""
    asked = context.section(MetricsSection).use if use is None else use
    wanted, place = metric_specs(asked, context.home), context.section(EngineSection)
    scores = score(
        corpus,
        wanted.full,
        include_references=include_references,
        time_limit=place.time_limit,
        known=known,
        progress=lambda what, done, total: context.progress(wanted.text(what), done, total),
        engine=suitable_engine(corpus.summaries.height, wanted.full, place.subset(EngineSettings)),
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
