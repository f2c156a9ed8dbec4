"""Scoring plan of a corpus: texts interned once, a deduplicated job per kind of target, values assigned by key."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.metrics._computing import Computing
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Derived, MetricRequest, Sums, Target
from dialgauge.metrics._registry import parse_request
from dialgauge.metrics._scores import SYSTEM_KEY
from dialgauge.metrics._texts import IdArray, TextTable

NO_NUMBER = "the metric returned no number"
#: What the target ``both`` is made of, in this order.
_BOTH: tuple[Target, Target] = ("source", "reference")


@dataclass(frozen=True, slots=True)
class _Distinct:
    """The distinct items of a corpus for one kind of target, and where each summary finds its own."""

    job: Job
    position: IdArray  # summary -> item of the job, or -1 where the summary has no target


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of one metric: a value per summary or group (null if there is none), the failures and the notes."""

    values: pl.Series
    failures: pl.DataFrame
    notes: pl.DataFrame


class ScoringPlan:
    """Interns the texts of a corpus and makes one deduplicated job per kind of target."""

    def __init__(self, corpus: Corpus, include_references: bool, computing: Computing) -> None:
        self.corpus, self.computing = corpus, computing
        kept = self.items = scored_items(corpus, include_references)
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
        self._grouped: dict[Target, tuple[Job, IdArray, IdArray]] = {}

    def summary_values(self, request: MetricRequest) -> Scored:
        """The value of each summary."""
        if request.metric.derived is not None:
            return self._derived_values(request, request.metric.derived)
        distinct = self._distinct_job(request)
        values = self.computing.per_item(request, distinct.job)
        position = distinct.position
        numbers = np.full(len(position), np.nan)
        present = position >= 0
        numbers[present] = values.numbers[position[present]]
        lost = np.flatnonzero(np.isnan(numbers)).tolist()
        reasons = [values.reasons.get(int(position[i]), NO_NUMBER) if present[i] else no_target(request) for i in lost]
        noted = [i for i, item in enumerate(position.tolist()) if item in values.notes] if values.notes else []
        return Scored(
            pl.Series(numbers, nan_to_null=True),
            _remarks(self.items, lost, request, "reason", reasons),
            _remarks(self.items, noted, request, "note", [values.notes[int(position[i])] for i in noted]),
        )

    def _derived_values(self, request: MetricRequest, derived: Derived) -> Scored:
        """The value of each summary from those of other metrics."""
        used = [parse_request(spec) for spec in derived.features(request.parameters)]
        columns = [self.summary_values(feature).values.to_numpy() for feature in used]
        values = derived.combine(np.column_stack(columns).astype(np.float64), request.parameters)
        lost = np.flatnonzero(np.isnan(values.numbers)).tolist()
        return Scored(
            pl.Series(values.numbers, nan_to_null=True),
            _remarks(self.items, lost, request, "reason", [values.reasons.get(i, NO_NUMBER) for i in lost]),
            _remarks(self.items, list(values.notes), request, "note", list(values.notes.values())),
        )

    def system_values(self, request: MetricRequest) -> Scored:
        """The value of each group of summaries (system, variant, role); its failures name no dialogue."""
        job, present, _ = self._grouped_job(request)
        values = self.computing.per_group(request, job, len(present))
        numbers = np.full(self.groups.height, np.nan)
        numbers[present] = values.numbers
        place = {int(group): i for i, group in enumerate(present)}
        lost = np.flatnonzero(np.isnan(numbers)).tolist()
        reasons = [
            values.reasons.get(place[group], NO_NUMBER) if group in place else no_target(request) for group in lost
        ]
        noted = [int(present[i]) for i in values.notes]
        return Scored(
            pl.Series(numbers, nan_to_null=True),
            _remarks(self.groups, lost, request, "reason", reasons),
            _remarks(self.groups, noted, request, "note", list(values.notes.values())),
        )

    def counts(self, request: MetricRequest, sums: Sums) -> pl.DataFrame:
        """What a metric made of sums counts in each summary that has a target (``numbers``)."""
        job, _, rows = self._grouped_job(request)
        numbers = pl.Series("numbers", sums.counts(job, request.parameters).tolist(), dtype=pl.List(pl.Float64))
        return self.items[rows].select(KEY).with_columns(numbers)

    def _grouped_job(self, request: MetricRequest) -> tuple[Job, IdArray, IdArray]:
        """The job by groups, the groups that have a target in it, and the summaries that have one."""
        if request.target not in self._grouped:
            lists = self._targets(request)
            rows = np.array([i for i, some in enumerate(lists) if some or request.target == "none"], dtype=np.int64)
            job = self._job(request.target, rows, lists)
            # A group may have lost all its items because they have no target: the metric sees the others without gaps.
            present, dense = np.unique(job.groups, return_inverse=True)
            self._grouped[request.target] = replace(job, groups=dense.astype(np.int64)), present, rows
        return self._grouped[request.target]

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
            first, second = (self._targets(replace(request, target=part)) for part in _BOTH)
            return [source + several if several else () for source, several in zip(first, second, strict=True)]
        if request.target == "source":
            dialogues = [(d.id, d.text) for d in self.corpus.iter_dialogues()]
            ids = self.texts.intern(text for _, text in dialogues)
            source_of = {dialogue_id: (int(i),) for (dialogue_id, _), i in zip(dialogues, ids, strict=True)}
            return [source_of[dialogue_id] for dialogue_id in self.items["dialogue_id"].to_list()]
        references = self.corpus.references
        if references.is_empty():
            raise InputError(
                f"metric {request.column!r} needs references, but corpus {self.corpus.info.name!r} has none: "
                f"add summaries of kind 'reference', or use '{request.metric.name}@source' if the metric supports it"
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


def scored_items(corpus: Corpus, include_references: bool) -> pl.DataFrame:
    """The summaries that are scored; judgements that came without any text cannot be."""
    found = corpus.summaries if include_references else corpus.summaries.filter(kind="system")
    judged = any(table.height for table in (corpus.ratings, corpus.preferences, corpus.choices, corpus.spans))
    if judged and found.height and (found["text"] == "").all():
        raise InputError(
            f"the summaries of {corpus.info.name!r} have no texts, so that no metric can be computed; add the "
            "judgements to their summaries: dialgauge convert SUMMARIES corpus --ratings FILE"
        )
    return found


def no_target(request: MetricRequest) -> str:
    missing = "reference" if request.target == "both" else request.target
    return f"the dialogue has no {missing} for this role"
