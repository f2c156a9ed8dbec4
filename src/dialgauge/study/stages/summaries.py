"""Summaries that systems write in a run, before anything is scored."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import polars as pl
from pydantic import field_validator

from dialgauge.corpus import Corpus
from dialgauge.errors import ModelError
from dialgauge.settings import Several, refusing, setting
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._specs import Specs, system_specs
from dialgauge.study._stage import GivenPath, Section, Stage
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.corpus import read_source, source_settings
from dialgauge.summarize import SummarizeSettings

if TYPE_CHECKING:
    from dialgauge.summarize import Summarized

SUMMARIES, MADE_BY = "summaries.parquet", "summaries.json"
#: Kept when all is written: a system that is added later leaves the others nothing to do.
JOURNAL = "summaries.journal.jsonl"


class SummarizeSection(SummarizeSettings):
    """``[summarize]``: systems that write summaries of all dialogues before anything is scored.

    ``systems`` are specifications as ``dialgauge summarize --system`` takes them. Batches, and what chat models may be
    asked, change no text.
    """

    systems: Several[str] = setting(..., "Summarizer that writes.", flag="--system", min_length=1)

    @field_validator("systems")
    @classmethod
    def _known(cls, specs: tuple[str, ...]) -> tuple[str, ...]:
        from dialgauge.summarize import parse_requests

        with refusing():
            parse_requests(specs)
        return specs


class SummariesStage(Stage):
    """Has systems write summaries of all dialogues; the corpus of the run holds what they write."""

    name = "summaries"
    sections = (Section("summarize", SummarizeSection, "optional"),)
    inputs = ()
    outputs = (SUMMARIES, MADE_BY)

    def settings(self, context: Context) -> Mapping[str, Any]:
        from dialgauge.summarize import parse_requests

        systems = _systems(context)
        # Budgets, batches and prices change no text; signatures hold the fingerprints of models and prompts.
        return context.section(SummarizeSection).model_dump(mode="json", include={"roles", "replace"}) | {
            "systems": systems.texts({one.system: one.signature for one in parse_requests(systems.full)}),
            "source": source_settings(context),
        }

    def make(self, context: Context) -> Mapping[str, Any]:
        result, chat = _written(context)
        context.write(SUMMARIES, result.added)
        document = {
            "systems": _rows(context, result),
            "failures": _counted(result.failures, "reason"),
            "notes": _counted(result.notes, "note"),
            "ratings_dropped": result.ratings_dropped,
        }
        context.write_json(MADE_BY, document)
        return {
            "written": result.added.height,
            "failures": result.failures.height,
            "ratings_dropped": result.ratings_dropped,
            "signatures": dict(result.signatures),
            "seconds_per_system": dict(result.seconds),
            **chat,
        }

    def modules(self, context: Context) -> Iterable[str]:
        from dialgauge.summarize import SUMMARIZERS, parse_requests

        requests = parse_requests(context.section(SummarizeSection).systems)
        return {module for request in requests for module in SUMMARIZERS.modules(request.summarizer)}

    def paths(self, settings: StudyFile, home: Path) -> Iterator[GivenPath]:
        for place in system_specs(settings.section(SummarizeSection).systems, home).places:
            yield ("summarize", "systems"), place.given, place.path

    def extras(self, settings: StudyFile) -> set[str]:
        from dialgauge.models import NeuralKind
        from dialgauge.summarize import parse_requests

        requests = parse_requests(settings.section(SummarizeSection).systems)
        kinds = {kind for request in requests for kind in request.summarizer.models.values()}
        return {"models"} if kinds & set(get_args(NeuralKind)) else set()

    def described(self, settings: StudyFile) -> Mapping[str, str]:
        wanted = settings.section(SummarizeSection)
        replaced = "; replacing those in the corpus" if wanted.replace else ""
        by = ", ".join(wanted.systems)
        return {"summaries written": f"by {by}; roles: {', '.join(wanted.roles)}{replaced}"}

    def results(self, run: FinishedRun) -> Mapping[str, Any]:
        from dialgauge.report import WrittenData

        made = run.document(MADE_BY)
        return {"written": WrittenData(made["systems"], made["failures"], made["notes"], made["ratings_dropped"])}


def with_written(context: Context, corpus: Corpus) -> Corpus:
    """The corpus of the source with what this stage wrote."""
    from dialgauge.summarize import parse_requests, with_summaries

    wanted = context.section(SummarizeSection)
    names = [request.system for request in parse_requests(wanted.systems)]
    return with_summaries(corpus, context.read(SUMMARIES), names, wanted.roles)


def _systems(context: Context) -> Specs:
    return system_specs(context.section(SummarizeSection).systems, context.home)


def _written(context: Context) -> "tuple[Summarized, dict[str, Any]]":
    """What was written, by systems that are called as the study file calls them, and what chat models were asked."""
    from dialgauge.summarize import Means, summarize

    wanted, systems = context.section(SummarizeSection), _systems(context)
    asked, price = wanted.subset(SummarizeSettings), wanted.token_price
    means = Means.of(asked)
    try:
        result = summarize(
            _with_names(read_source(context), {name: full for full, name in systems.names.items()}),
            systems.full,
            asked,
            means=means,
            journal=context.folder / JOURNAL,
            progress=lambda what, done, total: context.progress(systems.text(what), done, total),
        )
    except ModelError as error:
        if not means.usage.asked:
            raise
        raise type(error)(f"{error}. Chat so far: {means.usage.line(price)}") from error
    return _named(result, systems), {"chat": result.usage.account(price)} if result.usage.asked else {}


def _rows(context: Context, result: "Summarized") -> list[dict[str, Any]]:
    """Per system and role what was written, and what wrote it."""
    from dialgauge.summarize import parse_requests

    requests = parse_requests(context.section(SummarizeSection).systems)
    made = {request.system: request.summarizer for request in requests}
    return [
        row
        | {
            "description": made[row["system"]].description,
            "citation": made[row["system"]].citation,
            "signature": result.signatures[row["system"]],
        }
        for row in result.counts()
    ]


def _with_names(corpus: Corpus, names: Mapping[str, str]) -> Corpus:
    """The corpus with other names of these systems: what it has of one already is found under the name of the room."""
    return corpus.with_system_names(names)


def _named(result: "Summarized", systems: Specs) -> "Summarized":
    made = {text: _provenance(text, systems) for text in result.added["provenance"].unique()}
    renamed = (pl.col("system").replace(systems.names), pl.col("provenance").replace(made))
    return replace(
        result,
        added=result.added.with_columns(renamed),
        failures=systems.remarks(result.failures, "system", "reason"),
        notes=systems.remarks(result.notes, "system", "note"),
        signatures=systems.texts(result.signatures),
        seconds={systems.name(system): seconds for system, seconds in result.seconds.items()},
    )


def _provenance(text: str, systems: Specs) -> str:
    made = {key: systems.text(value) for key, value in json.loads(text).items()}
    return json.dumps(made, ensure_ascii=False, sort_keys=True)


def _counted(remarks: pl.DataFrame, column: str) -> list[dict[str, Any]]:
    counts = remarks.group_by("system", "role", column).len("dialogues")
    return counts.sort("system", "role", column).to_dicts()
