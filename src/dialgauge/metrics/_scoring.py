"""The scoring plan: from a corpus and a list of metrics to :class:`Scores`, each distinct text processed once."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError, MissingExtraError, ModelError
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import MetricRequest, Target, Values
from dialgauge.metrics._registry import parse_requests
from dialgauge.metrics._scores import FAILURES, NOTES, SYSTEM_KEY, Scores
from dialgauge.metrics._texts import IdArray, TextTable
from dialgauge.models import Watcher, check_available, watching

#: Called before each metric with its column name, how many are done and how many there are.
Progress = Callable[[str, int, int], None]
NO_NUMBER = "the metric gave no number"
#: What the target ``both`` is made of, in this order.
_BOTH: tuple[Target, Target] = ("source", "reference")


def score(
    corpus: Corpus,
    metrics: Iterable[str],
    *,
    include_references: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """Score every summary of the corpus with every metric.

    ``metrics`` are specifications such as ``"rouge-l"``, ``"chrf@source"`` or ``"rouge-2:stem=yes"``. With
    ``include_references`` the references are scored like systems (published studies often do; it flatters
    reference-based metrics). A summary whose dialogue has no reference gets null with a reason; a corpus without any
    reference is refused for a metric that needs one. A metric whose model or packages are not here is refused before
    any work is done; one that came with a family or ``all`` is left out instead, with the reason in the failures.
    """
    requests, left_out = _able(_requests(metrics))
    plan = _Plan(corpus, include_references)
    columns: dict[str, pl.Series] = {}
    systems = plan.groups
    failures: list[pl.DataFrame] = []
    notes: list[pl.DataFrame] = []
    seconds: dict[str, float] = {}
    for done, request in enumerate(requests):
        if progress:
            progress(request.column, done, len(requests))
        start = time.perf_counter()
        try:
            with watching(_inner(progress, request.column, done, len(requests))):
                scored = (
                    plan.system_values(request) if request.metric.level == "system" else plan.summary_values(request)
                )
        except (MissingExtraError, ModelError) as error:
            if not request.optional:
                raise
            left_out[request.column] = str(error)
            continue
        if request.metric.level == "system":
            systems = systems.with_columns(scored.values.alias(request.column))
        else:
            columns[request.column] = scored.values
        failures.append(scored.failures)
        notes.append(scored.notes)
        seconds[request.column] = time.perf_counter() - start
    if progress:
        progress("done", len(requests), len(requests))
    made = [request for request in requests if request.column not in left_out]
    return Scores(
        frame=plan.items.select(KEY).with_columns(**columns) if columns else plan.items.select(KEY),
        signatures={request.column: request.signature for request in made},
        directions={request.column: request.metric.direction for request in made},
        systems=systems if systems.width > len(SYSTEM_KEY) else pl.DataFrame(),
        failures=pl.concat([*failures, _whole(left_out)]),
        seconds=seconds,
        notes=pl.concat([pl.DataFrame(schema=NOTES), *notes]),
    )


def score_pairs(
    summaries: Sequence[str],
    targets: Sequence[str | Sequence[str]] | None,
    metrics: Iterable[str],
) -> pl.DataFrame:
    """Score plain lists: ``summaries[i]`` against ``targets[i]`` (a text, or several references).

    The targets are taken for whatever a metric reads, references or sources (for one that reads both, the source comes
    first); None suits metrics that read the summary alone. One column per metric, in the order of the input; null where a metric cannot score a pair. A metric of the
    system level takes all pairs for one system and repeats its value.
    """
    requests, left_out = _able(_requests(metrics))
    flat_targets, counts = _flat_targets(summaries, targets)
    texts = TextTable()
    hypotheses = texts.intern(summaries)
    flat = texts.intern(flat_targets)
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    groups = np.zeros(len(summaries), dtype=np.int64)
    jobs: dict[Target, Job] = {}
    columns = {}
    for request in requests:
        bare = request.target == "none"
        if not bare and targets is None:
            raise InputError(f"metric {request.column!r} compares with a {request.target}: give targets")
        if request.target == "both" and min(counts, default=2) < 2:
            raise InputError(f"metric {request.column!r} reads the source and references: give both in targets[i]")
        if request.target not in jobs:
            empty = np.zeros(0, dtype=np.int64)
            zeros = np.zeros(len(summaries) + 1, dtype=np.int64)
            jobs[request.target] = Job(
                texts, request.target, hypotheses, empty if bare else flat, zeros if bare else offsets, groups
            )
        whole = request.metric.level == "system"
        expected = min(1, len(summaries)) if whole else len(summaries)
        try:
            numbers = _compute(request, jobs[request.target], expected).numbers
        except (MissingExtraError, ModelError) as error:
            if not request.optional:
                raise
            left_out[request.column] = str(error)
            continue
        columns[request.column] = pl.Series(np.repeat(numbers, len(summaries)) if whole else numbers, nan_to_null=True)
    for column, reason in left_out.items():
        warnings.warn(f"{column} is left out: {reason}", stacklevel=2)
    return pl.DataFrame(columns)


def _requests(metrics: Iterable[str]) -> list[MetricRequest]:
    if isinstance(metrics, str):
        raise InputError(f"metrics is a list of specifications; got the bare string {metrics!r}: write [{metrics!r}]")
    requests = parse_requests(metrics)
    if not requests:
        raise InputError("no metric was asked for; 'dialgauge metrics' lists them")
    return requests


def _able(requests: Sequence[MetricRequest]) -> tuple[list[MetricRequest], dict[str, str]]:
    """Those whose models and packages are here, and the reasons of the optional ones that are left out."""
    kept: list[MetricRequest] = []
    left_out: dict[str, str] = {}
    for request in requests:
        try:
            for parameter, kind in request.metric.models.items():
                check_available(kind, request.parameters[parameter], f"metric {request.column!r}", parameter)
            kept.append(request)
        except (MissingExtraError, ModelError) as error:
            if not request.optional:
                raise
            left_out[request.column] = str(error)
    return kept, left_out


def _inner(progress: Progress | None, column: str, done: int, total: int) -> Watcher | None:
    """What shows, within one metric, how many texts have been through its model."""
    if progress is None:
        return None
    return lambda texts, of: progress(f"{column} ({texts:,} of {of:,} texts)", done, total)


def _whole(left_out: Mapping[str, str]) -> pl.DataFrame:
    """The failures of metrics that could not run at all: no summary is named."""
    rows = [{"metric": column, "reason": reason} for column, reason in left_out.items()]
    return pl.DataFrame(rows, schema=FAILURES)


def _flat_targets(
    summaries: Sequence[str], targets: Sequence[str | Sequence[str]] | None
) -> tuple[list[str], list[int]]:
    """All targets in one list and how many each summary has, after a look at whether these are texts at all."""
    if isinstance(summaries, str) or isinstance(targets, str):
        raise InputError("score_pairs takes lists of texts; got a bare string")
    _check_texts("summaries", enumerate(summaries))
    flat: list[str] = []
    counts: list[int] = []
    if targets is None:
        return flat, counts
    if len(targets) != len(summaries):
        raise InputError(f"score_pairs: {len(summaries)} summaries but {len(targets)} targets")
    for i, several in enumerate(targets):
        # A list per summary would cost more than the metrics do: most have one target, a plain string.
        if isinstance(several, str):
            flat.append(several)
            counts.append(1)
            continue
        texts = [several] if several is None else list(several)
        if not texts:
            raise InputError(f"score_pairs: targets[{i}] is empty: every summary needs at least one target")
        _check_texts("targets", ((i, text) for text in texts))
        flat.extend(texts)
        counts.append(len(texts))
    return flat, counts


def _check_texts(name: str, texts: Iterable[tuple[int, object]]) -> None:
    for i, text in texts:
        if not isinstance(text, str):
            raise InputError(f"score_pairs: {name}[{i}] must be a text; got {text!r}")


@dataclass(frozen=True, slots=True)
class _Distinct:
    """The distinct items of a corpus for one kind of target, and where each summary finds its own."""

    job: Job
    position: IdArray  # summary -> item of the job, or -1 where the summary has no target


@dataclass(frozen=True, slots=True)
class _Scored:
    """What one metric gave: a value per summary or group (null where there is none), the failures and the notes."""

    values: pl.Series
    failures: pl.DataFrame
    notes: pl.DataFrame


class _Plan:
    """Interns the texts of a corpus and makes one deduplicated job per kind of target."""

    def __init__(self, corpus: Corpus, include_references: bool) -> None:
        self.corpus = corpus
        kept = corpus.summaries if include_references else corpus.summaries.filter(pl.col("kind") == "system")
        self.items = kept
        self.texts = TextTable()
        self.hypotheses = self.texts.intern(kept["text"].to_list())
        self.groups = kept.select(SYSTEM_KEY).unique(maintain_order=True)
        numbered = self.groups.with_row_index("group")
        self.group_of = (
            kept.select(SYSTEM_KEY)
            .join(numbered, on=list(SYSTEM_KEY), how="left", maintain_order="left")["group"]
            .cast(pl.Int64)
            .to_numpy()
        )
        self._distinct: dict[Target, _Distinct] = {}
        self._grouped: dict[Target, tuple[Job, IdArray]] = {}

    def summary_values(self, request: MetricRequest) -> _Scored:
        """The value of each summary."""
        distinct = self._distinct_job(request)
        values = _compute(request, distinct.job, len(distinct.job))
        position = distinct.position
        numbers = np.full(len(position), np.nan)
        present = position >= 0
        numbers[present] = values.numbers[position[present]]
        lost = np.flatnonzero(np.isnan(numbers)).tolist()
        reasons = [values.reasons.get(int(position[i]), NO_NUMBER) if present[i] else _no_target(request) for i in lost]
        noted = [i for i, item in enumerate(position.tolist()) if item in values.notes] if values.notes else []
        return _Scored(
            pl.Series(numbers, nan_to_null=True),
            _remarks(self.items, lost, request, "reason", reasons),
            _remarks(self.items, noted, request, "note", [values.notes[int(position[i])] for i in noted]),
        )

    def system_values(self, request: MetricRequest) -> _Scored:
        """The value of each group of summaries (system, variant, role); its failures name no dialogue."""
        if request.target not in self._grouped:
            lists = self._targets(request)
            kept = [i for i, several in enumerate(lists) if several or request.target == "none"]
            job = self._job(request.target, np.array(kept, dtype=np.int64), lists)
            # A group may have lost all its items for want of a target: the metric sees the others without gaps.
            present, dense = np.unique(job.groups, return_inverse=True)
            self._grouped[request.target] = replace(job, groups=dense.astype(np.int64)), present
        job, present = self._grouped[request.target]
        values = _compute(request, job, len(present))
        numbers = np.full(self.groups.height, np.nan)
        numbers[present] = values.numbers
        place = {int(group): i for i, group in enumerate(present)}
        lost = np.flatnonzero(np.isnan(numbers)).tolist()
        reasons = [
            values.reasons.get(place[group], NO_NUMBER) if group in place else _no_target(request) for group in lost
        ]
        noted = [int(present[i]) for i in values.notes]
        return _Scored(
            pl.Series(numbers, nan_to_null=True),
            _remarks(self.groups, lost, request, "reason", reasons),
            _remarks(self.groups, noted, request, "note", list(values.notes.values())),
        )

    def _distinct_job(self, request: MetricRequest) -> _Distinct:
        if request.target not in self._distinct:
            lists = self._targets(request)
            first: dict[tuple[int, tuple[int, ...]], int] = {}
            rows: list[int] = []
            position = np.full(len(lists), -1, dtype=np.int64)
            for i, (hypothesis, several) in enumerate(zip(self.hypotheses.tolist(), lists, strict=True)):
                if request.target != "none" and not several:
                    continue
                key = (hypothesis, several)
                if key not in first:
                    first[key] = len(rows)
                    rows.append(i)
                position[i] = first[key]
            job = self._job(request.target, np.array(rows, dtype=np.int64), lists)
            self._distinct[request.target] = _Distinct(job, position)
        return self._distinct[request.target]

    def _job(self, target: Target, rows: IdArray, lists: Sequence[tuple[int, ...]]) -> Job:
        chosen = [lists[i] for i in rows.tolist()]
        offsets = np.concatenate([[0], np.cumsum([len(several) for several in chosen], dtype=np.int64)])
        flat = np.array([text_id for several in chosen for text_id in several], dtype=np.int64)
        return Job(self.texts, target, self.hypotheses[rows], flat, offsets, self.group_of[rows])

    def _targets(self, request: MetricRequest) -> list[tuple[int, ...]]:
        """The target text ids of each summary, in the order of ``items``."""
        if request.target == "none":
            return [()] * self.items.height
        if request.target == "both":
            sources, references = (self._targets(replace(request, target=part)) for part in _BOTH)
            return [source + several if several else () for source, several in zip(sources, references, strict=True)]
        if request.target == "source":
            dialogues = [(d.id, d.text) for d in self.corpus.iter_dialogues()]
            ids = self.texts.intern(text for _, text in dialogues)
            source_of = {dialogue_id: (int(i),) for (dialogue_id, _), i in zip(dialogues, ids, strict=True)}
            return [source_of[dialogue_id] for dialogue_id in self.items["dialogue_id"].to_list()]
        references = self.corpus.references
        if references.is_empty():
            raise InputError(
                f"metric {request.column!r} needs references and corpus {self.corpus.info.name!r} has none: "
                f"add summaries of kind 'reference', or use '{request.metric.name}@source' where the metric offers it"
            )
        of: dict[tuple[str, str], list[int]] = {}
        ids = self.texts.intern(references["text"].to_list())
        for (dialogue_id, role), text_id in zip(
            references.select("dialogue_id", "role").rows(), ids.tolist(), strict=True
        ):
            of.setdefault((dialogue_id, role), []).append(text_id)
        lists = {key: tuple(several) for key, several in of.items()}
        return [lists.get(key, ()) for key in self.items.select("dialogue_id", "role").rows()]


def _remarks(
    of: pl.DataFrame, rows: Sequence[int], request: MetricRequest, name: str, texts: Sequence[str]
) -> pl.DataFrame:
    """A text about each of these rows, which are summaries or systems (no dialogue is named then)."""
    if not rows:  # the usual case, and Polars would take longer over it than a fast metric over the corpus
        return pl.DataFrame(schema={**dict.fromkeys(KEY, pl.String), "metric": pl.String, name: pl.String})
    chosen = of[rows]
    if "dialogue_id" not in chosen.columns:
        chosen = chosen.with_columns(pl.lit(None, dtype=pl.String).alias("dialogue_id"))
    return chosen.select(*KEY, pl.lit(request.column).alias("metric"), pl.Series(name, texts, dtype=pl.String))


def _no_target(request: MetricRequest) -> str:
    missing = "reference" if request.target == "both" else request.target
    return f"the dialogue has no {missing} for this role"


def _compute(request: MetricRequest, job: Job, expected: int) -> Values:
    values = request.metric.compute(job, request.parameters)
    if len(values.numbers) != expected:
        raise ValueError(f"metric {request.column!r} gave {len(values.numbers)} values where {expected} were due")
    return values
