"""Run systems on a corpus: each distinct dialogue once, finished work is kept, summaries are keyed."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL, OVERALL, Corpus, Dialogue, Summary, summaries_frame
from dialgauge.errors import InputError, ModelError, UnknownNameError, counted
from dialgauge.models import ChatUsage, Watcher, watching
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes
from dialgauge.summarize._journal import Journal, work_key
from dialgauge.summarize._registry import parse_requests
from dialgauge.summarize._roles import roles_of
from dialgauge.summarize._settings import SummarizeSettings
from dialgauge.summarize._system import Means, Outcome, SummarizerRequest, Task

_REMARKS = pl.Schema({"dialogue_id": pl.String(), "system": pl.String(), "role": pl.String(), "text": pl.String()})


@dataclass(frozen=True, slots=True)
class Summarized:
    """What was written: ``corpus`` is the given one with ``added``, the new summaries.

    ``failures`` holds, in the column ``reason``, why a dialogue has no summary of a system, ``notes`` (column ``note``)
    what a reader of one should know. ``signatures`` and ``seconds`` are by system; ``resumed`` counts the summaries
    that a journal had already, ``usage`` what chat endpoints were asked, also in the runs that left the journal,
    ``ratings_dropped`` the ratings that went with the summaries they are of, because those were written again.
    """

    corpus: Corpus
    added: pl.DataFrame
    failures: pl.DataFrame
    notes: pl.DataFrame
    signatures: Mapping[str, str]
    seconds: Mapping[str, float]
    resumed: int
    usage: ChatUsage
    ratings_dropped: int

    def counts(self) -> list[dict[str, Any]]:
        """Per system and role: how many summaries there are, of how many words, how many are not, and with a note."""
        keys = ["system", "role"]
        counts = [
            self.added.group_by(keys).agg(
                pl.len().alias("summaries"), pl.col("text").str.count_matches(r"\S+").mean().alias("words")
            ),
            self.failures.group_by(keys).agg(pl.len().alias("failures")),
            self.notes.group_by(keys).agg(pl.len().alias("notes")),
        ]
        table = pl.concat([count.select(keys) for count in counts]).unique()
        for count in counts:
            table = table.join(count, on=keys, how="left")
        table = table.with_columns(pl.col("summaries", "failures", "notes").fill_null(0)).sort(keys)
        return table.select(*keys, "summaries", "failures", "notes", "words").to_dicts()


@dataclass(slots=True)
class _Record:
    """What a run has gathered so far."""

    summaries: list[Summary] = field(default_factory=list)
    failures: list[tuple[str, str, str, str]] = field(default_factory=list)
    notes: list[tuple[str, str, str, str]] = field(default_factory=list)
    resumed: int = 0

    def add(self, dialogue_id: str, request: SummarizerRequest, signature: str, role: str, outcome: Outcome) -> None:
        key = (dialogue_id, request.system, role)
        if outcome.text is None:
            self.failures.append((*key, outcome.reason))
            return
        made = {"summarizer": request.summarizer.name, "signature": signature}
        if outcome.note:
            made["note"] = outcome.note
            self.notes.append((*key, outcome.note))
        self.summaries.append(Summary(dialogue_id, request.system, outcome.text, role=role, provenance=made))


@with_bar
@takes(SummarizeSettings)
def summarize(
    corpus: Corpus,
    systems: Iterable[str],
    settings: SummarizeSettings | None = None,
    *,
    means: Means | None = None,
    journal: Path | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Summarized:
    """Summarize every dialogue of the corpus with every system, for every role.

    ``systems`` are specifications such as ``"lead"``, ``"longest:n=2"`` or ``"bart=seq2seq:model=folder:/m"``. A system
    that the corpus has already for one of the roles is refused, unless ``replace`` is given; ratings of
    replaced summaries are removed. A dialogue without words, or without a turn of the role, gets no summary but a
    reason. With ``journal``, a file, every text is recorded as soon as it is finished: to resume interrupted work, call
    again with the same arguments; deleting the file after the run is left to the caller. ``means`` (by default
    those of the settings) count what chat endpoints were asked, also where the work stops.
    """
    asked = SummarizeSettings.chosen(settings, changes, "summarize")
    requests, roles = parse_requests(systems), asked.roles
    dialogues = list(corpus.iter_dialogues())
    _check(corpus, requests, roles, dialogues, asked.replace)
    means = means or Means.of(asked)
    record = _Record()
    seconds: dict[str, float] = {}
    signatures = {request.system: request.signature for request in requests}
    with Journal(journal) if journal else nullcontext() as kept:
        for request in requests:
            start = time.perf_counter()
            for role in roles:
                work = _Work(request, signatures[request.system], role, means, kept, progress)
                work.run(dialogues, _references(corpus, request, role), record)
            seconds[request.system] = time.perf_counter() - start
    added = summaries_frame(record.summaries)
    summarized = with_summaries(corpus, added, signatures, roles)
    return Summarized(
        corpus=summarized,
        added=added,
        failures=_remarks(record.failures, "reason"),
        notes=_remarks(record.notes, "note"),
        signatures=signatures,
        seconds=seconds,
        resumed=record.resumed,
        usage=means.usage,
        ratings_dropped=corpus.ratings.height - summarized.ratings.height,
    )


def summarize_dialogues(dialogues: Sequence[Dialogue], system: str, role: str = OVERALL) -> list[Outcome]:
    """What one system makes of these dialogues, in their order; for those who need no corpus."""
    [request] = parse_requests([system])
    request.check()
    if request.summarizer.reads_references:
        raise InputError(f"summarizer {request.summarizer.name!r} reads references: use summarize with a corpus")
    record = _Record()
    numbered = [replace(dialogue, id=str(i)) for i, dialogue in enumerate(dialogues)]
    _Work(request, request.signature, role, Means(), None, None).run(numbered, {}, record)
    texts = {summary.dialogue_id: summary.text for summary in record.summaries}
    notes = {dialogue_id: note for dialogue_id, _, _, note in record.notes}
    reasons = {dialogue_id: reason for dialogue_id, _, _, reason in record.failures}
    return [Outcome(texts.get(d.id), notes.get(d.id, ""), reasons.get(d.id, "")) for d in numbered]


@dataclass(frozen=True, slots=True)
class _Work:
    """One system for one role."""

    request: SummarizerRequest
    signature: str
    role: str
    means: Means
    journal: Journal | None
    progress: Progress | None

    def run(self, dialogues: Sequence[Dialogue], references: Mapping[str, tuple[str, ...]], record: _Record) -> None:
        """Add the outcome of every dialogue to the record."""
        keys: dict[str, str] = {}  # of each dialogue that can be summarized
        outcomes: dict[str, Outcome] = {}
        waiting: dict[str, tuple[Dialogue, tuple[str, ...]]] = {}
        known = self.journal.known if self.journal else {}
        hindered: dict[str, str] = {}
        for dialogue in dialogues:
            if reason := self._hindrance(dialogue):
                hindered[dialogue.id] = reason
                continue
            targets = references.get(dialogue.id, ())
            key = keys[dialogue.id] = work_key(self.signature, self.role, dialogue, targets)
            if key in known:
                outcomes[key] = known[key]
                record.resumed += 1
            else:
                waiting.setdefault(key, (dialogue, targets))
            if self.journal:
                self.means.usage.merge(self.journal.take_usage(key))
        total = len(outcomes) + len(waiting)
        with watching(self._inner(outcomes, total)):
            for key, outcome in self._computed(waiting, len(outcomes)):
                outcomes[key] = outcome
                if self.progress:
                    self.progress(self._label, len(outcomes), total)
        for dialogue in dialogues:
            outcome = (
                Outcome(None, reason=hindered[dialogue.id]) if dialogue.id in hindered else outcomes[keys[dialogue.id]]
            )
            record.add(dialogue.id, self.request, self.signature, self.role, outcome)

    @property
    def _label(self) -> str:
        return f"{self.request.system}, {self.role}"

    def _inner(self, outcomes: Mapping[str, Outcome], total: int) -> Watcher | None:
        """What shows, before a portion of the work is done, how many of its texts have been through the model."""
        if self.progress is None:
            return None
        show = self.progress
        return lambda texts, of: show(f"{self._label} ({texts:,} of {of:,} texts at work)", len(outcomes), total)

    def _hindrance(self, dialogue: Dialogue) -> str:
        spoken = _spoken(dialogue)
        if not spoken.turns:
            return "the dialogue is empty"
        if not spoken.side(self.role).turns:
            return f"no speaker of the dialogue has the role {self.role!r}"
        return ""

    def _computed(
        self, waiting: Mapping[str, tuple[Dialogue, tuple[str, ...]]], earlier: int
    ) -> Iterator[tuple[str, Outcome]]:
        """The outcomes of the distinct dialogues, each written down before it is passed on."""
        if not waiting:
            return
        keys = list(waiting)
        journal = self.journal
        task = Task(
            [_spoken(dialogue) for dialogue, _ in waiting.values()],
            self.role,
            [references for _, references in waiting.values()],
            self.means,
            (lambda i, usage: journal.keep_usage(keys[i], usage)) if journal else None,
            earlier,
        )
        missing = set(range(len(keys)))
        kept = earlier
        try:
            for i, outcome in self.request.summarizer.compute(task, self.request.parameters):
                missing.remove(i)
                if journal and outcome.text is not None:
                    journal.keep(keys[i], outcome)
                    kept += 1
                yield keys[i], outcome
        except ModelError as error:
            if not journal or not kept:
                raise
            raise type(error)(
                f"{error}. {kept} of {earlier + len(keys)} summaries of system {self.request.system!r} are kept in "
                f"{journal.path}: rerun the same command to resume"
            ) from error
        if missing:
            raise ModelError(
                f"summarizer {self.request.summarizer.name!r} returned nothing for {len(missing)} of {len(keys)} "
                "dialogues"
            )


def _spoken(dialogue: Dialogue) -> Dialogue:
    """The dialogue without the turns in which nothing is said."""
    return replace(dialogue, turns=tuple(turn for turn in dialogue.turns if turn.text.strip()))


def _check(
    corpus: Corpus,
    requests: Sequence[SummarizerRequest],
    roles: Sequence[str],
    dialogues: Sequence[Dialogue],
    replace_existing: bool,
) -> None:
    """Raise an error before any work is done if something cannot or must not be done."""
    if not dialogues:
        raise InputError(f"corpus {corpus.info.name!r} has no dialogues to summarize")
    for role in roles:
        if role != OVERALL and not any(dialogue.side(role).turns for dialogue in dialogues):
            raise UnknownNameError("role", role, roles_of(dialogues), "no turn of this corpus has this role")
    for request in requests:
        request.check()
        if request.summarizer.reads_references and corpus.references.is_empty():
            raise InputError(f"system {request.system!r} reads references, but corpus {corpus.info.name!r} has none")
        present = corpus.summaries.filter((pl.col("system") == request.system) & pl.col("role").is_in(list(roles)))
        if not present.filter(pl.col("kind") == "reference").is_empty():
            raise InputError(
                f"{request.system!r} is the name of references in this corpus; choose another name: NAME=SPEC"
            )
        if not present.is_empty() and not replace_existing:
            raise InputError(
                f"the corpus already has {counted(present.height, 'summary', 'summaries')} of system "
                f"{request.system!r}; "
                "replace them (--replace, in a study file replace = true), or choose another name: NAME=SPEC"
            )


def _references(corpus: Corpus, request: SummarizerRequest, role: str) -> dict[str, tuple[str, ...]]:
    """The references of each dialogue, for a system that reads them; of others no work may depend on them."""
    if not request.summarizer.reads_references:
        return {}
    wanted = corpus.references.filter((pl.col("role") == role) & (pl.col("variant") == ORIGINAL)).sort(KEY)
    return {
        row["dialogue_id"]: tuple(row["text"])
        for row in wanted.group_by("dialogue_id", maintain_order=True).agg("text").iter_rows(named=True)
    }


def with_summaries(corpus: Corpus, added: pl.DataFrame, systems: Iterable[str], roles: Iterable[str]) -> Corpus:
    """The corpus with new summaries in the place of older ones of these systems and roles, variants included.

    Ratings of replaced summaries go with them, and a note of the corpus counts them.
    """
    replaced = pl.col("system").is_in(list(systems)) & pl.col("role").is_in(list(roles))
    kept = corpus.summaries.filter(~replaced)
    left = corpus.restricted(corpus.dialogues, kept)
    notes = corpus.notes
    if dropped := corpus.ratings.height - left.ratings.height:
        notes = (*notes, f"summaries were replaced: {counted(dropped, 'rating')} of the old texts removed")
    return replace(left, summaries=pl.concat([kept, added]), notes=notes)


def _remarks(rows: Sequence[tuple[str, str, str, str]], column: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=_REMARKS, orient="row").rename({"text": column})
