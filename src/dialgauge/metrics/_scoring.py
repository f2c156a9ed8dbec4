"""The scoring plan: from a corpus and a list of metrics to :class:`Scores`, each distinct text processed once."""

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.engine import Engine, LimitedWorker
from dialgauge.errors import InputError, MissingExtraError, ModelError
from dialgauge.metrics._computing import Computing, compute, is_kept
from dialgauge.metrics._job import Job
from dialgauge.metrics._known import known_values
from dialgauge.metrics._language_fit import warn_of_language, warn_of_letters
from dialgauge.metrics._metric import Derived, FloatArray, MetricRequest, Target
from dialgauge.metrics._plan import Scored, ScoringPlan, scored_items
from dialgauge.metrics._registry import METRICS, parse_request, parse_requests
from dialgauge.metrics._scores import FAILURES, NOTES, Scores
from dialgauge.metrics._settings import ScoringSettings
from dialgauge.metrics._sharded import PartScorer, itemwise, merged, score_in_parts, shareable
from dialgauge.metrics._texts import IdArray, TextTable
from dialgauge.models import Watcher, watching
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

if TYPE_CHECKING:
    from dialgauge.engine import ResultCache


@with_bar
@takes(ScoringSettings)
def score(
    corpus: Corpus,
    metrics: Iterable[str],
    settings: ScoringSettings | None = None,
    *,
    engine: Engine | None = None,
    known: Scores | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Scores:
    """Score every summary of the corpus with every metric.

    ``metrics`` are specifications such as ``"rouge-l"``, ``"chrf@source"`` or ``"rouge-2:stem=yes"``. With
    ``include_references`` the references are scored like systems (published studies often do; it flatters
    reference-based metrics). A summary whose dialogue has no reference gets null with a reason; for a corpus without
    any reference, a metric that needs one raises an error. A metric whose model or packages are missing raises an error
    before any work is done; one requested through a family or ``all`` is skipped instead, with the reason in the
    failures, and so is one that needs references where there are none. If nothing is left, that is an error.

    A summary on which a metric raises gets null with a reason; the others are scored. With ``cache``, values of metrics
    that are slow (those with models) are cached as they are computed and reused by later runs. With a
    ``time_limit`` in seconds, metrics run in a separate process; a batch of at most 1,024 summaries that exceeds the
    limit is retried in halves until the summaries that hang are found: they get null with that reason.

    With an ``engine`` (``dialgauge.engine.engine("processes")``) the summaries are scored by its workers, part by part;
    the values are the same. Metrics that need all summaries at once, such as corpus BLEU, run in this process.

    Values that are ``known`` (``Scores.load("parts", corpus.summaries)``) are taken instead of computed where their
    signature is that of the metric, except of metrics that need all summaries at once.

    Metrics that do not read the language of the texts are named once in a :class:`LanguageWarning`.
    """
    if not isinstance(corpus, Corpus):
        raise InputError(f"score needs a Corpus; got {corpus!r}: open it with dialgauge.corpus.open_corpus")
    asked = ScoringSettings.chosen(settings, changes, "score")
    requests, left_out = able(requested(metrics))
    requests = _with_references(corpus, requests, left_out)
    refuse_nothing(requests, left_out)
    warn_of_language(requests, corpus)
    taken = known and known_values(known, scored_items(corpus, asked.include_references), itemwise(corpus, requests))
    if taken is None:
        return _computed(corpus, requests, left_out, asked, engine, progress)
    others = [request for request in requests if request.column not in taken.signatures]
    return merged(_computed(corpus, others, left_out, asked, engine, progress), taken, requests)


def _computed(
    corpus: Corpus,
    requests: Sequence[MetricRequest],
    left_out: dict[str, str],
    settings: ScoringSettings,
    engine: Engine | None,
    progress: Progress | None,
) -> Scores:
    """In this process, and what can be shared on the engine."""
    shared = [] if engine is None or engine.local else shareable(corpus, requests)
    unshared = [request for request in requests if request not in shared]
    here = score_here(corpus, unshared, left_out, settings, progress)
    if engine is None or not shared:
        return here
    scorer = PartScorer.of(shared, settings)
    return merged(here, score_in_parts(corpus, scorer, engine, progress), requests)


def score_here(
    corpus: Corpus,
    requests: Sequence[MetricRequest],
    left_out: dict[str, str],
    settings: ScoringSettings,
    progress: Progress | None = None,
) -> Scores:
    """Score in this process what is known to run, and say nothing about it."""
    with _computing(requests, settings) as computing:
        return _score(ScoringPlan(corpus, settings.include_references, computing), requests, left_out, progress)


@contextmanager
def _computing(requests: Sequence[MetricRequest], settings: ScoringSettings) -> Iterator[Computing]:
    kept = _results_cache() if settings.cache and any(map(is_kept, requests)) else None
    if settings.time_limit is None:
        yield Computing(kept)
        return
    modules = {module for request in requests for module in METRICS.modules(request.metric)}
    # Imported before the timing starts; the worker imports modules that are not ours with the work.
    with LimitedWorker(
        settings.time_limit, sorted(name for name in modules if name.startswith("dialgauge."))
    ) as worker:
        yield Computing(kept, worker)


def _results_cache() -> "ResultCache | None":
    from dialgauge.engine import results_cache  # with SQLite, which takes longer to load than ROUGE of some pairs

    return results_cache()


def _score(
    plan: ScoringPlan, requests: Sequence[MetricRequest], left_out: dict[str, str], progress: Progress | None
) -> Scores:
    found: dict[str, Scored] = {}
    seconds: dict[str, float] = {}
    for done, request in enumerate(sorted(requests, key=_runs_first, reverse=True)):
        if progress:
            progress(request.column, done, len(requests))
        start = time.perf_counter()
        try:
            with watching(_inner(progress, request.column, done, len(requests))):
                found[request.column] = (
                    plan.system_values(request) if request.metric.level == "system" else plan.summary_values(request)
                )
        except (MissingExtraError, ModelError) as error:
            if not request.optional:
                raise
            left_out[request.column] = str(error)
            continue
        seconds[request.column] = time.perf_counter() - start
    if progress:
        progress("done", len(requests), len(requests))
    made = [request for request in requests if request.column in found]
    values = {level: _values(made, found, level) for level in ("summary", "system")}
    return Scores(
        frame=plan.items.select(KEY).with_columns(values["summary"]),
        signatures={request.column: request.signature for request in made},
        directions={request.column: request.metric.direction for request in made},
        systems=plan.groups.with_columns(values["system"]) if values["system"] else pl.DataFrame(),
        failures=pl.concat([*(found[request.column].failures for request in made), _unkeyed_failures(left_out)]),
        seconds={request.column: seconds[request.column] for request in made},
        notes=pl.concat([pl.DataFrame(schema=NOTES), *(found[request.column].notes for request in made)]),
    )


def _values(made: Sequence[MetricRequest], found: Mapping[str, Scored], level: str) -> list[pl.Series]:
    return [found[r.column].values.alias(r.column) for r in made if r.metric.level == level]


def score_pairs(
    summaries: Sequence[str],
    targets: Sequence[str | Sequence[str]] | None,
    metrics: Iterable[str],
) -> pl.DataFrame:
    """Score plain lists: ``summaries[i]`` compared with ``targets[i]`` (a text, or several references).

    The targets serve as whatever a metric reads, references or sources (for one that reads both, the source comes
    first); use None for metrics that read the summary alone. One column per metric, in the order of the input; null if
    a metric cannot score a pair. A system-level metric treats all pairs as one system and repeats its value.
    """
    requests, left_out = able(requested(metrics))
    refuse_nothing(requests, left_out)
    flat_targets, offsets = _flat_targets(summaries, targets)
    texts = TextTable()
    ids = texts.intern([*summaries, *flat_targets])
    warn_of_letters(requests, texts.strings)
    jobs: dict[Target, Job] = {}
    columns: dict[str, FloatArray] = {}
    for request in sorted(requests, key=_runs_first, reverse=True):
        if request.target != "none" and targets is None:
            raise InputError(f"metric {request.column!r} needs a {request.target}: give targets")
        if request.target == "both" and np.diff(offsets).min(initial=2) < 2:
            raise InputError(f"metric {request.column!r} reads the source and references: give both in targets[i]")
        if request.target not in jobs:
            jobs[request.target] = _job_of_pairs(texts, request.target, ids, len(summaries), offsets)
        whole = request.metric.level == "system"
        expected = min(1, len(summaries)) if whole else len(summaries)
        try:
            if request.metric.derived is not None:
                numbers = _derived_pairs(request, request.metric.derived, summaries, targets)
            else:
                numbers = compute(request, jobs[request.target], expected).numbers
        except (MissingExtraError, ModelError) as error:
            if not request.optional:
                raise
            left_out[request.column] = str(error)
            continue
        columns[request.column] = np.repeat(numbers, len(summaries)) if whole else numbers
    for column, reason in left_out.items():
        warnings.warn(f"{column} is skipped: {reason}", stacklevel=2)
    return _frame({request.column: columns[request.column] for request in requests if request.column in columns})


def _frame(columns: Mapping[str, FloatArray]) -> pl.DataFrame:
    """Columns that lie side by side in one buffer: Polars makes it once, and ``to_numpy()`` hands it out as it is."""
    if not columns:
        return pl.DataFrame()
    height = len(next(iter(columns.values())))
    whole = pl.Series(np.concatenate(list(columns.values())), nan_to_null=True)
    first, *others = [whole.slice(i * height, height).alias(name) for i, name in enumerate(columns)]
    return first.to_frame().hstack(others)


def _job_of_pairs(texts: TextTable, target: Target, ids: IdArray, count: int, offsets: IdArray) -> Job:
    """``ids`` has ``count`` summaries and then their targets; all are of one system."""
    groups = np.zeros(count, dtype=np.int64)
    if target == "none":
        return Job(texts, target, ids[:count], ids[:0], np.zeros(count + 1, dtype=np.int64), groups)
    return Job(texts, target, ids[:count], ids[count:], offsets, groups)


def _derived_pairs(
    request: MetricRequest,
    derived: Derived,
    summaries: Sequence[str],
    targets: Sequence[str | Sequence[str]] | None,
) -> FloatArray:
    """A value per pair of a metric that is made from others'."""
    made = score_pairs(summaries, targets, list(derived.features(request.parameters)))
    return derived.combine(made.cast(pl.Float64).to_numpy(), request.parameters).numbers


def requested(metrics: Iterable[str]) -> list[MetricRequest]:
    if isinstance(metrics, str):
        raise InputError(f"metrics must be a list of specifications; got the string {metrics!r}: write [{metrics!r}]")
    requests = parse_requests(metrics)
    if not requests:
        raise InputError("no metric was given; 'dialgauge metrics' lists them")
    return requests


def able(requests: Sequence[MetricRequest]) -> tuple[list[MetricRequest], dict[str, str]]:
    """The requests whose models and packages are installed, and the reasons why optional ones are skipped."""
    kept: list[MetricRequest] = []
    left_out: dict[str, str] = {}
    for request in requests:
        try:
            _check_ready(request)
            kept.append(request)
        except (MissingExtraError, ModelError) as error:
            if not request.optional:
                raise
            left_out[request.column] = str(error)
    return kept, left_out


def _with_references(
    corpus: Corpus, requests: Sequence[MetricRequest], left_out: dict[str, str]
) -> list[MetricRequest]:
    """Without the optional requests that need a reference, where the corpus has none."""
    if corpus.references.height:
        return list(requests)
    kept = []
    for request in requests:
        if request.optional and request.target in ("reference", "both"):
            left_out[request.column] = "the corpus has no references; NAME@source compares with the dialogue"
        else:
            kept.append(request)
    return kept


def refuse_nothing(requests: Sequence[MetricRequest], left_out: Mapping[str, str]) -> None:
    """Refuse a question of which nothing is left: an empty table is no answer."""
    if not requests:
        column, reason = next(iter(left_out.items()))
        others = f" (and {len(left_out) - 1} more)" if len(left_out) > 1 else ""
        raise InputError(f"none of the requested metrics can run: {column}{others}: {reason}")


def _check_ready(request: MetricRequest) -> None:
    """Fail before any work is done if the request cannot run; no model is loaded for this check."""
    for parameter, kind in request.metric.models.items():
        from dialgauge.models import check_available  # imports what loads models, which most metrics do without

        check_available(kind, request.parameters[parameter], f"metric {request.column!r}", parameter)
    if request.metric.check is not None:
        request.metric.check(request.parameters)
    if request.metric.derived is not None:
        for spec in request.metric.derived.features(request.parameters):
            _check_ready(parse_request(spec))


def _runs_first(request: MetricRequest) -> bool:
    """Whether it calls an endpoint, which may be down: such a failure must not discard the work of other metrics."""
    return "chat" in request.metric.models.values()


def _inner(progress: Progress | None, column: str, done: int, total: int) -> Watcher | None:
    """A callback that reports, within one metric, how many texts its model has processed."""
    if progress is None:
        return None
    return lambda texts, of: progress(f"{column} ({texts:,} of {of:,} texts)", done, total)


def _unkeyed_failures(left_out: Mapping[str, str]) -> pl.DataFrame:
    """The failures of metrics that could not run at all, without the key of a summary."""
    rows = [{"metric": column, "reason": reason} for column, reason in left_out.items()]
    return pl.DataFrame(rows, schema=FAILURES)


def _flat_targets(summaries: Sequence[str], targets: Sequence[str | Sequence[str]] | None) -> tuple[list[str], IdArray]:
    """All targets in one list and where those of each summary begin, after checking that they are texts."""
    if isinstance(summaries, str) or isinstance(targets, str):
        raise InputError("score_pairs needs lists of texts; got a string")
    if set(map(type, summaries)) != {str}:
        _check_texts("summaries", enumerate(summaries))
    flat: list[str] = []
    ends = [0]
    if targets is None:
        return flat, np.zeros(1, dtype=np.int64)
    if len(targets) != len(summaries):
        raise InputError(f"score_pairs: {len(summaries)} summaries but {len(targets)} targets")
    if set(map(type, targets)) == {str}:  # most have one target, and a look at each costs as much as a metric
        return list(targets), np.arange(len(targets) + 1)  # type: ignore[arg-type]
    for i, several in enumerate(targets):
        if isinstance(several, str):
            flat.append(several)
            ends.append(len(flat))
            continue
        texts = [several] if several is None else list(several)
        if not texts:
            raise InputError(f"score_pairs: targets[{i}] is empty: every summary needs at least one target")
        _check_texts("targets", ((i, text) for text in texts))
        flat.extend(texts)
        ends.append(len(flat))
    return flat, np.array(ends, dtype=np.int64)


def _check_texts(name: str, texts: Iterable[tuple[int, object]]) -> None:
    for i, text in texts:
        if not isinstance(text, str):
            raise InputError(f"score_pairs: {name}[{i}] must be a text; got {text!r}")
