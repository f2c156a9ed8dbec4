"""The stage of a study in which systems write summaries of its dialogues, before anything is scored."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.errors import ModelError
from dialgauge.files import atomic_file, write_text
from dialgauge.progress import Progress
from dialgauge.report import WrittenData
from dialgauge.study._file import SummarizeSection
from dialgauge.study._finished import FinishedRun
from dialgauge.study._stages import Ledger

if TYPE_CHECKING:
    from dialgauge.summarize import Summarized, SummarizerRequest

SUMMARIES, MADE_BY = "summaries.parquet", "summaries.json"
#: Kept when all is written: a system that is added later leaves the others nothing to do.
JOURNAL = "summaries.journal.jsonl"


@dataclass(frozen=True, slots=True)
class SummarizeStage:
    """What this stage needs of a pipeline. ``source`` is what tells the corpus from another, ``read_source`` reads it.

    It runs before the corpus of the run is written, which holds what it writes.
    """

    wanted: SummarizeSection
    folder: Path
    ledger: Ledger
    progress: Progress
    source: Mapping[str, Any]
    read_source: Callable[[], Corpus]

    def run(self) -> list[str]:
        """Run it unless it is done; gives the name of the stage that the report shows."""
        requests = self._requests()
        # Budgets, batches and prices change no text; signatures hold the fingerprints of models and prompts.
        made = self.wanted.model_dump(include={"roles", "replace"}) | {
            "systems": {request.system: request.signature for request in requests},
            "source": dict(self.source),
        }
        self.ledger.run("summaries", made, [], [SUMMARIES, MADE_BY], self._make)
        return ["summaries"]

    def complete(self, corpus: Corpus) -> Corpus:
        """The corpus of the source with what this stage wrote."""
        from dialgauge.summarize import with_summaries

        added = pl.read_parquet(self.folder / SUMMARIES)
        return with_summaries(corpus, added, [request.system for request in self._requests()], self.wanted.roles)

    def _requests(self) -> "list[SummarizerRequest]":
        from dialgauge.summarize import parse_requests

        return parse_requests(self.wanted.systems)

    def _make(self) -> dict[str, Any]:
        from dialgauge.models import ChatBudget, TokenPrice
        from dialgauge.summarize import Means, summarize

        wanted = self.wanted
        price = TokenPrice.parse(wanted.price) if wanted.price is not None else None
        self.ledger.save()  # the folder is a run from now on, which can be taken up again when this is stopped
        budget = ChatBudget(requests=wanted.max_calls, tokens=wanted.max_tokens)
        means = Means(wanted.batch_tokens, wanted.parallel, budget)
        try:
            result = summarize(
                self.read_source(),
                wanted.systems,
                roles=wanted.roles,
                replace_existing=wanted.replace,
                means=means,
                journal=self.folder / JOURNAL,
                progress=self.progress,
            )
        except ModelError as error:
            if not means.usage.asked:
                raise
            raise type(error)(f"{error}. Chat so far: {means.usage.line(price)}") from error
        with atomic_file(self.folder / SUMMARIES) as temporary:
            result.added.write_parquet(temporary)
        document = {
            "systems": self._rows(result),
            "failures": _counted(result.failures, "reason"),
            "notes": _counted(result.notes, "note"),
            "ratings_dropped": result.ratings_dropped,
        }
        write_text(self.folder / MADE_BY, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
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


def _counted(remarks: pl.DataFrame, column: str) -> list[dict[str, Any]]:
    counts = remarks.group_by("system", "role", column).len("dialogues")
    return counts.sort("system", "role", column).to_dicts()


def written_results(run: FinishedRun) -> WrittenData:
    """What the report shows of this stage of a run."""
    document = run.document(MADE_BY)
    return WrittenData(document["systems"], document["failures"], document["notes"], document["ratings_dropped"])
