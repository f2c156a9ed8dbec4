"""The scoring plan: from a corpus and a list of metrics to :class:`Scores`, each distinct text processed once."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import MetricRequest, Target, Values
from dialgauge.metrics._registry import parse_requests
from dialgauge.metrics._scores import FAILURES, SYSTEM_KEY, Scores
from dialgauge.metrics._texts import IdArray, TextTable

#: Called before each metric with its column name, how many are done and how many there are.
Progress = Callable[[str, int, int], None]


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
    reference is refused for a metric that needs one.
    """
    requests = parse_requests(metrics)
    if not requests:
        raise InputError("no metric was asked for; 'dialgauge metrics' lists them")
    plan = _Plan(corpus, include_references)
    columns: dict[str, pl.Series] = {}
    systems = plan.groups
    failures: list[pl.DataFrame] = []
    seconds: dict[str, float] = {}
    for done, request in enumerate(requests):
        if progress:
            progress(request.column, done, len(requests))
        start = time.perf_counter()
        if request.metric.level == "system":
            numbers = plan.system_values(request)
            systems = systems.with_columns(pl.Series(request.column, numbers, nan_to_null=True))
        else:
            values, lost = plan.summary_values(request)
            columns[request.column] = values
            failures.append(lost)
        seconds[request.column] = time.perf_counter() - start
    if progress:
        progress("done", len(requests), len(requests))
    return Scores(
        frame=plan.items.select(KEY).with_columns(**columns) if columns else plan.items.select(KEY),
        signatures={request.column: request.signature for request in requests},
        directions={request.column: request.metric.direction for request in requests},
        systems=systems if systems.width > len(SYSTEM_KEY) else pl.DataFrame(),
        failures=pl.concat(failures) if failures else pl.DataFrame(schema=FAILURES),
        seconds=seconds,
    )


def score_pairs(
    summaries: Sequence[str],
    targets: Sequence[str | Sequence[str]] | None,
    metrics: Iterable[str],
) -> pl.DataFrame:
    """Score plain lists: ``summaries[i]`` against ``targets[i]`` (a text, or several references).

    The targets are taken for whatever a metric reads, references or sources; None suits metrics that read the summary
    alone. One column per metric, in the order of the input; null where a metric cannot score a pair.
    """
    if isinstance(summaries, str) or isinstance(targets, str):
        raise InputError("score_pairs takes lists of texts; got a bare string")
    if targets is not None and len(targets) != len(summaries):
        raise InputError(f"score_pairs: {len(summaries)} summaries but {len(targets)} targets")
    texts = TextTable()
    lists = [] if targets is None else [[t] if isinstance(t, str) else list(t) for t in targets]
    if any(not several for several in lists):
        raise InputError("score_pairs: every summary needs at least one target")
    hypotheses = texts.intern(summaries)
    flat = texts.intern(text for several in lists for text in several)
    offsets = np.concatenate([[0], np.cumsum([len(several) for several in lists], dtype=np.int64)])
    groups = np.zeros(len(summaries), dtype=np.int64)
    jobs: dict[bool, Job] = {}
    columns = {}
    for request in parse_requests(metrics):
        bare = request.target == "none"
        if not bare and targets is None:
            raise InputError(f"metric {request.column!r} compares with a {request.target}: give targets")
        if bare not in jobs:
            empty = np.zeros(0, dtype=np.int64)
            zeros = np.zeros(len(summaries) + 1, dtype=np.int64)
            jobs[bare] = Job(
                texts, request.target, hypotheses, empty if bare else flat, zeros if bare else offsets, groups
            )
        values = request.metric.compute(jobs[bare], request.parameters)
        columns[request.column] = pl.Series(values.numbers, nan_to_null=True)
    return pl.DataFrame(columns)


@dataclass(frozen=True, slots=True)
class _Distinct:
    """The distinct (hypothesis, targets) items of a corpus for one kind of target, and where each summary finds its own."""

    job: Job
    position: IdArray  # summary -> item of the job, or -1 where the summary has no target


class _Plan:
    """Interns the texts of a corpus and makes one deduplicated job per kind of target."""

    def __init__(self, corpus: Corpus, include_references: bool) -> None:
        self.corpus = corpus
        kept = corpus.summaries if include_references else corpus.summaries.filter(pl.col("kind") == "system")
        self.items = kept
        self.texts = TextTable()
        self.hypotheses = self.texts.intern(kept["text"])
        self.groups = kept.select(SYSTEM_KEY).unique(maintain_order=True)
        numbered = self.groups.with_row_index("group")
        self.group_of = (
            kept.select(SYSTEM_KEY)
            .join(numbered, on=list(SYSTEM_KEY), how="left", maintain_order="left")["group"]
            .cast(pl.Int64)
            .to_numpy()
        )
        self._distinct: dict[Target, _Distinct] = {}
        self._grouped: dict[Target, Job] = {}

    def summary_values(self, request: MetricRequest) -> tuple[pl.Series, pl.DataFrame]:
        """The value of each summary (null where there is none) and the frame of failures."""
        distinct = self._distinct_job(request)
        values = request.metric.compute(distinct.job, request.parameters)
        _check_length(request, values, len(distinct.job))
        position = distinct.position
        numbers = np.full(len(position), np.nan)
        present = position >= 0
        numbers[present] = values.numbers[position[present]]
        lost = np.flatnonzero(np.isnan(numbers))
        reasons = [
            values.reasons.get(int(position[i]), "the metric gave no number") if present[i] else _no_target(request)
            for i in lost
        ]
        failures = (
            self.items[lost]
            .select(KEY)
            .with_columns(pl.lit(request.column).alias("metric"), pl.Series("reason", reasons, dtype=pl.String))
        )
        return pl.Series(numbers, nan_to_null=True), failures

    def system_values(self, request: MetricRequest) -> np.ndarray:
        """The value of each group of summaries (system, variant, role)."""
        if request.target not in self._grouped:
            lists = self._targets(request)
            keep = np.array([bool(several) for several in lists]) if request.target != "none" else None
            rows = np.arange(len(lists)) if keep is None else np.flatnonzero(keep)
            self._grouped[request.target] = self._job(request.target, rows, lists)
        values = request.metric.compute(self._grouped[request.target], request.parameters)
        _check_length(request, values, self.groups.height)
        return values.numbers

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
        if request.target == "source":
            dialogues = [(d.id, d.text) for d in self.corpus.iter_dialogues()]
            ids = self.texts.intern(text for _, text in dialogues)
            source_of = {dialogue_id: (int(i),) for (dialogue_id, _), i in zip(dialogues, ids, strict=True)}
            return [source_of[dialogue_id] for dialogue_id in self.items["dialogue_id"]]
        references = self.corpus.references
        if references.is_empty():
            raise InputError(
                f"metric {request.column!r} needs references and corpus {self.corpus.info.name!r} has none: "
                f"add summaries of kind 'reference', or use '{request.metric.name}@source' where the metric offers it"
            )
        of: dict[tuple[str, str], list[int]] = {}
        ids = self.texts.intern(references["text"])
        for (dialogue_id, role), text_id in zip(
            references.select("dialogue_id", "role").iter_rows(), ids.tolist(), strict=True
        ):
            of.setdefault((dialogue_id, role), []).append(text_id)
        return [tuple(of.get(key, ())) for key in self.items.select("dialogue_id", "role").iter_rows()]


def _no_target(request: MetricRequest) -> str:
    return f"the dialogue has no {request.target} for this role"


def _check_length(request: MetricRequest, values: Values, expected: int) -> None:
    if len(values.numbers) != expected:
        raise ValueError(f"metric {request.column!r} gave {len(values.numbers)} values for {expected} items")
