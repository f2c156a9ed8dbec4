"""The stage of a study in which systems write summaries of its dialogues, before anything is scored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.errors import ModelError
from dialgauge.files import write_text
from dialgauge.report import WrittenData
from dialgauge.study._context import Context
from dialgauge.study._finished import FinishedRun
from dialgauge.study._sections import SummarizeSection
from dialgauge.study._specs import Specs, system_specs

if TYPE_CHECKING:
    from dialgauge.summarize import Summarized, SummarizerRequest

SUMMARIES, MADE_BY = "summaries.parquet", "summaries.json"
#: Kept when all is written: a system that is added later leaves the others nothing to do.
JOURNAL = "summaries.journal.jsonl"


@dataclass(frozen=True, slots=True)
class SummarizeStage:
    """The stage, of a run under way. ``source`` is what tells the corpus from another.

    It runs before the corpus of the run is written, which holds what it writes.
    """

    context: Context
    wanted: SummarizeSection
    source: Mapping[str, Any]

    @property
    def _systems(self) -> Specs:
        return system_specs(self.wanted.systems, self.context.home)

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        from dialgauge.summarize import parse_requests

        systems = self._systems
        # Budgets, batches and prices change no text; signatures hold the fingerprints of models and prompts.
        made = self.wanted.model_dump(include={"roles", "replace"}) | {
            "systems": systems.texts({one.system: one.signature for one in parse_requests(systems.full)}),
            "source": dict(self.source),
        }
        self.context.ledger.run("summaries", made, [], [SUMMARIES, MADE_BY], self._make)
        return ["summaries"]

    def complete(self, corpus: Corpus) -> Corpus:
        """The corpus of the source with what this stage wrote."""
        from dialgauge.summarize import with_summaries

        added = pl.read_parquet(self.context.folder / SUMMARIES)
        return with_summaries(corpus, added, [request.system for request in self._requests()], self.wanted.roles)

    def _requests(self) -> "list[SummarizerRequest]":
        from dialgauge.summarize import parse_requests

        return parse_requests(self.wanted.systems)

    def _make(self) -> dict[str, Any]:
        from dialgauge.models import ChatBudget, TokenPrice
        from dialgauge.summarize import Means, summarize

        wanted, context, systems = self.wanted, self.context, self._systems
        price = TokenPrice.parse(wanted.price) if wanted.price is not None else None
        context.ledger.save()  # the folder is a run from now on, which can be taken up again when this is stopped
        budget = ChatBudget(requests=wanted.max_calls, tokens=wanted.max_tokens)
        means = Means(wanted.batch_tokens, wanted.parallel, budget)
        try:
            result = summarize(
                _with_names(context.source, {name: full for full, name in systems.names.items()}),
                systems.full,
                roles=wanted.roles,
                replace_existing=wanted.replace,
                means=means,
                journal=context.folder / JOURNAL,
                progress=lambda what, done, total: context.progress(systems.text(what), done, total),
            )
        except ModelError as error:
            if not means.usage.asked:
                raise
            raise type(error)(f"{error}. Chat so far: {means.usage.line(price)}") from error
        result = _named(result, systems)
        context.write(SUMMARIES, result.added)
        document = {
            "systems": self._rows(result),
            "failures": _counted(result.failures, "reason"),
            "notes": _counted(result.notes, "note"),
            "ratings_dropped": result.ratings_dropped,
        }
        write_text(context.folder / MADE_BY, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        facts: dict[str, Any] = {
            "written": result.added.height,
            "failures": result.failures.height,
            "ratings_dropped": result.ratings_dropped,
            "signatures": dict(result.signatures),
            "seconds_per_system": dict(result.seconds),
        }
        return facts | ({"chat": result.usage.account(price)} if result.usage.asked else {})

    def _rows(self, result: "Summarized") -> list[dict[str, Any]]:
        """Per system and role what was written, and what wrote it."""
        made = {request.system: request.summarizer for request in self._requests()}
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
    system = pl.col("system").replace(names)
    return replace(corpus, summaries=corpus.summaries.with_columns(system), ratings=corpus.ratings.with_columns(system))


def _named(result: "Summarized", systems: Specs) -> "Summarized":
    """What was written, by systems that are called as the study file calls them."""
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


def written_results(run: FinishedRun) -> WrittenData:
    """What the report shows of this stage of a run."""
    document = run.document(MADE_BY)
    return WrittenData(document["systems"], document["failures"], document["notes"], document["ratings_dropped"])
