"""Score data larger than memory: read Parquet in chunks, write Parquet parts, and resume after an interruption.

A chunk is scored and its part written by one worker, so the driver holds no text and no score. Parts are written
atomically; a small record next to each part holds its digest. The inputs of a run are recorded first: a folder with
parts of another run is rejected.
"""

import hashlib
import json
import math
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.engine import Engine, engine as choose_engine, memory_errors
from dialgauge.errors import InputError, MissingExtraError, ModelError, ParameterError
from dialgauge.metrics._language_fit import warn_of_language
from dialgauge.metrics._metric import MetricRequest
from dialgauge.metrics._registry import parse_requests
from dialgauge.metrics._scores import SYSTEM_KEY, Scores
from dialgauge.metrics._scores_io import parquet_bytes
from dialgauge.metrics._scoring import able, requested
from dialgauge.metrics._settings import StreamSettings
from dialgauge.metrics._sharded import PartScorer
from dialgauge.metrics._stream_files import PartStore, in_memory
from dialgauge.metrics._stream_layout import Workplace, forget_files
from dialgauge.metrics._stream_source import Chunk, Loaded, Source, check_references, open_source
from dialgauge.metrics._stream_sums import part_totals, unscored, values_of
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

_RUN, _MANIFEST = "run.json", "manifest.json"
_LAYOUT = 2
#: Parts that are checked at the same time on resume.
_READERS = 8


@dataclass(frozen=True, slots=True)
class StreamReport:
    """What a streamed run wrote: ``part-00000000.parquet`` and so on in ``output``, each to be read as :class:`Scores`.

    ``resumed`` of the ``parts`` existed already. ``means`` has the mean of every metric for each system.
    ``failures`` counts the values that are null, by metric and reason, ``problems`` the skipped rows, by
    reason, and ``left_out`` says why a metric could not run. ``failed`` has the parts that could not be made, each with
    its rows and the reason; while there are some, the folder has no manifest, and a rerun makes these parts alone.
    """

    output: str
    rows: int
    parts: int
    resumed: int
    signatures: Mapping[str, str]
    means: pl.DataFrame
    failures: Mapping[tuple[str, str], int]
    problems: Mapping[str, int]
    left_out: Mapping[str, str]
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _PartTask:
    """Reads a chunk, scores it and writes its part; gives the record of it."""

    source: Source
    store: PartStore
    scorer: PartScorer
    summed: tuple[str, ...]
    run: str

    def setup(self) -> None:
        """Set up the scorer."""
        self.scorer.setup()

    def __call__(self, chunk: Chunk) -> dict[str, Any]:
        """The record says what the part holds, and its digest that this is what was written.

        Whatever goes wrong with these rows alone must not cost the others: the record then says what it was.
        """
        try:
            with memory_errors():
                loaded = self.source.load(chunk)
                scores = self._scored(loaded)
                references = self.scorer.settings.include_references
                totals = part_totals(loaded, self.summed, references) if self.summed else None
                data = parquet_bytes(scores)
        except (MissingExtraError, ModelError):  # no part can be made without
            raise
        except MemoryError as error:
            return self.lost(
                chunk, f"not enough memory ({str(error) or 'no more was given'}): use a smaller chunk size"
            )
        except Exception as error:
            return self.lost(chunk, f"{type(error).__name__}: {error}", traceback.format_exc())
        name = part_name(chunk.number)
        record = {
            "run": self.run,
            "part": name,
            "rows": scores.frame.height,
            "sha256": hashlib.sha256(data).hexdigest(),
            "sums": _sums(scores),
            "failures": [[*key, count] for key, count in _counted(scores).items()],
            "problems": dict(loaded.problems),
        }
        if totals is not None:
            record["totals"] = totals
        self.store.write(name, data)
        self.store.write(_record_name(chunk.number), _json(record))
        self.store.remove(_failure_name(chunk.number))
        return record

    def _scored(self, loaded: Loaded) -> Scores:
        scores = self.scorer(loaded.corpus)
        frame, failures, notes = map(loaded.keyed, (scores.frame, scores.failures, scores.notes))
        return replace(scores, frame=frame, failures=failures, notes=notes)

    def lost(self, chunk: Chunk, reason: str, details: str = "") -> dict[str, Any]:
        """The record of a part that could not be made. Engines call it for a chunk that ended its worker too often."""
        named = {"part": part_name(chunk.number), "rows": chunk.named(), "reason": reason}
        self.store.write(_failure_name(chunk.number), _json({"run": self.run, **named, "details": details}))
        return {"failed": named}


@with_bar
@takes(StreamSettings)
def score_stream(
    source: Path | str,
    metrics: Iterable[str],
    output: Path | str,
    settings: StreamSettings | None = None,
    *,
    mapping: Mapping[str, str | Sequence[str]] | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> StreamReport:
    """Score a corpus that is larger than memory, and write the scores as Parquet parts into the folder ``output``.

    ``source`` is a corpus folder whose dialogues and summaries are Parquet files (or folders of them), or one or more
    Parquet files with a summary and its references in each row (``mapping`` as in :func:`dialgauge.read_corpus`).
    ``source`` and ``output`` can be URLs such as ``s3://bucket/calls`` (extra ``remote``). About ``chunk_size`` rows
    are in memory per worker; consecutive rows of a dialogue are scored together, and texts that they share are
    processed once.

    Rerun with the same arguments to resume: intact parts are kept and the others are computed. The files are
    byte-identical to those of an uninterrupted run, on any engine. Corpus BLEU, chrF and TER come from sums over the
    parts. Metrics that need all summaries at once, such as BERTScore with ``idf``, raise an error.
    """
    place, store = str(source), PartStore(str(output))
    asked = StreamSettings.chosen(settings, changes, "score_stream")
    engine = engine or choose_engine("serial")
    for name, given in (("source", place), ("output", store.place)):
        if in_memory(given) and not engine.local:
            raise ParameterError("score_stream", name, f"a place that the workers of engine {engine.name!r} see", given)
    requests, left_out = _streamable(*able(requested(metrics)))
    opened = open_source(
        place,
        mapping or {},
        store,
        include_references=asked.include_references,
        with_sources=any(request.target in ("source", "both") for request in requests),
    )
    check_references(place, opened, requests)
    head: dict[str, Any] = {
        "layout": _LAYOUT,
        "source": opened.describe(engine),
        "chunk_size": asked.chunk_size,
        "include_references": asked.include_references,
        "signatures": {request.column: request.signature for request in requests},
    }
    with store.claimed():
        _claim(store, head)
        run = hashlib.sha256(_json(head)).hexdigest()
        summed = tuple(request.column for request in requests if request.metric.sums is not None)
        itemwise = tuple(request.column for request in requests if request.column not in summed)
        scorer = replace(PartScorer.of(requests, asked), columns=itemwise)
        task = _PartTask(opened, store, scorer, summed, run)
        return _stream(task, asked.chunk_size, engine, head["signatures"], left_out, progress)


def _stream(
    task: _PartTask,
    size: int,
    engine: Engine,
    signatures: Mapping[str, str],
    left_out: Mapping[str, str],
    progress: Progress | None,
) -> StreamReport:
    """Make the parts that are not there yet, and then the manifest."""
    opened, store = task.source, task.store
    work = Workplace(store, task.run, engine)
    chunks = opened.chunks(size, work)
    records = _finished(store, task.run, chunks)
    resumed = len(records)
    missing = [chunk for chunk in chunks if chunk.number not in records]
    missing = opened.located(missing, size, work) if missing else []
    rows, done = sum(c.stop - c.start for c in chunks), sum(c.stop - c.start for c in chunks if c.number in records)
    if missing:  # the first chunk speaks for all: nobody has the others at hand
        _warn(opened, missing[0], parse_requests([*task.scorer.columns, *task.summed]))
    failed: dict[str, str] = {}
    if progress:
        progress(store.place, done, rows)
    for chunk, record in zip(missing, engine.run(task, missing), strict=True):
        if lost := record.get("failed"):
            failed[lost["part"]] = f"{lost['rows']}: {lost['reason']}"
        else:
            records[chunk.number] = record
        done += chunk.stop - chunk.start
        if progress:
            progress(store.place, done, rows)
    made = [records[chunk.number] for chunk in chunks if chunk.number in records]
    report = replace(_report(store.place, made, signatures, task.summed, left_out), resumed=resumed, failed=failed)
    if not failed:
        opened.check_unchanged()  # a manifest stands for what is there now
        store.write(_MANIFEST, _json(_manifest(report, made)))
        forget_files(work)
    return report


def _warn(source: Source, chunk: Chunk, requests: Sequence[MetricRequest]) -> None:
    """Warn of the language of one chunk. If it cannot be read, the record of its part will say why."""
    try:
        corpus = source.load(chunk).corpus
    except Exception:
        return
    warn_of_language(requests, corpus)


def _finished(store: PartStore, run: str, chunks: Sequence[Chunk]) -> dict[int, dict[str, Any]]:
    """The records of the parts that are finished and intact; several are read at once."""
    numbers = [chunk.number for chunk in chunks]
    if store.read(_RUN) is None or not numbers:
        return {}
    with ThreadPoolExecutor(max_workers=_READERS) as readers:
        found = readers.map(partial(_kept, store, run), numbers)
        return {number: record for number, record in zip(numbers, found, strict=True) if record}


def part_name(number: int) -> str:
    """The file of a part."""
    return f"part-{number:08d}.parquet"


def _failure_name(number: int) -> str:
    return f"_failed-{number:08d}.json"


def _record_name(number: int) -> str:
    return f"_part-{number:08d}.json"


def _streamable(
    requests: Sequence[MetricRequest], left_out: Mapping[str, str]
) -> tuple[list[MetricRequest], dict[str, str]]:
    """The requests that can be computed in chunks; others raise an error, or are skipped if a family added them."""
    kept, lost = [], dict(left_out)
    for request in requests:
        if request.itemwise or request.metric.sums is not None:
            kept.append(request)
            continue
        reason = "needs all summaries at once and cannot be streamed"
        if not request.optional:
            raise InputError(f"metric {request.column!r} {reason}; score it on a corpus that fits into memory")
        lost[request.column] = reason
    if not kept:
        raise InputError("none of the metrics can run: " + "; ".join(f"{name}: {why}" for name, why in lost.items()))
    return kept, lost


def _claim(store: PartStore, head: Mapping[str, Any]) -> None:
    """Record the inputs of the run, or check that they are the same."""
    present = store.read(_RUN)
    if present is None:
        store.write(_RUN, _json(head))
        return
    try:
        before = json.loads(present)
    except ValueError as error:
        raise InputError(f"{store.place}: {_RUN} is damaged ({error}); remove the folder or use another one") from error
    changed = [key for key, value in json.loads(_json(head)).items() if before.get(key) != value]
    if changed:
        raise InputError(
            f"{store.place}: contains the parts of another run, which differs in: {', '.join(changed)}; use another "
            "folder, or remove this one"
        )


def _kept(store: PartStore, run: str, number: int) -> dict[str, Any] | None:
    """The record of a part that is finished and intact."""
    raw = store.read(_record_name(number))
    data = store.read(part_name(number)) if raw is not None else None
    if raw is None or data is None:
        return None
    try:
        record = json.loads(raw)
    except ValueError:
        return None
    intact = record.get("run") == run and record.get("sha256") == hashlib.sha256(data).hexdigest()
    return record if intact else None


def _sums(scores: Scores) -> list[list[Any]]:
    """For each system: its key, and for each metric the sum of its values and their number. Exact in any order."""
    groups = scores.frame.partition_by(SYSTEM_KEY, as_dict=True, maintain_order=True)
    return [
        [list(key), [[math.fsum(values := rows[column].drop_nulls()), len(values)] for column in scores.metrics]]
        for key, rows in sorted(groups.items())
    ]


def _counted(scores: Scores) -> Counter[tuple[str, str]]:
    return Counter(scores.failures.select("metric", "reason").iter_rows())


def _report(
    output: str,
    records: Sequence[Mapping[str, Any]],
    signatures: Mapping[str, str],
    summed: Sequence[str],
    left_out: Mapping[str, str],
) -> StreamReport:
    groups: dict[tuple[str, ...], list[list[list[float]]]] = {}
    failures: Counter[tuple[str, str]] = Counter()
    problems: Counter[str] = Counter()
    for record in records:
        for key, sums in record["sums"]:
            groups.setdefault(tuple(key), []).append(sums)
        failures.update({(metric, reason): count for metric, reason, count in record["failures"]})
        problems.update(record["problems"])
    itemwise = [column for column in signatures if column not in summed]
    values = values_of(records, summed)
    rows: list[dict[str, Any]] = []
    for key, several in sorted(groups.items()):
        numbers = (*key, *map(_mean, zip(*several, strict=True)))
        rows.append({**dict(zip([*SYSTEM_KEY, *itemwise], numbers, strict=True)), **values.get(key, {})})
    schema = {**dict.fromkeys(SYSTEM_KEY, pl.String), **dict.fromkeys(signatures, pl.Float64)}
    means = pl.DataFrame(rows, schema=schema)
    failures.update(unscored(means, summed))
    return StreamReport(
        output=output,
        rows=sum(record["rows"] for record in records),
        parts=len(records),
        resumed=0,
        signatures=dict(signatures),
        means=means,
        failures=dict(sorted(failures.items())),
        problems=dict(sorted(problems.items())),
        left_out=dict(left_out),
    )


def _mean(parts: Sequence[Sequence[float]]) -> float | None:
    count = sum(number for _, number in parts)
    return math.fsum(total for total, _ in parts) / count if count else None


def _manifest(report: StreamReport, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The manifest of the finished folder; without times, so that equal runs give equal bytes."""
    return {
        "rows": report.rows,
        "signatures": report.signatures,
        "parts": [{key: record[key] for key in ("part", "rows", "sha256")} for record in records],
        "means": report.means.to_dicts(),
        "failures": [[*key, count] for key, count in report.failures.items()],
        "problems": report.problems,
        "left_out": report.left_out,
    }


def _json(data: Mapping[str, Any]) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
