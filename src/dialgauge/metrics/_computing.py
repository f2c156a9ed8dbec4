"""Compute the values of one metric: from the cache or newly, under a time limit, isolating items that fail.

Items are computed in slices wherever that cannot change a value. Each slice is cached as
soon as it is done, so that an interrupted run can resume; if a metric raises or hangs, the slice is halved until
the items are found that it cannot score. These get a reason instead of a value; all others are scored. Lack of memory
is no property of an item: if halves do not help, the error propagates.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from dialgauge.engine import LimitedWorker, LostWorkError, described, memory_errors
from dialgauge.errors import DialgaugeError
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import MetricRequest, Values
from dialgauge.metrics._registry import parse_request, request_modules
from dialgauge.metrics._texts import IdArray, TextTable
from dialgauge.models import TooLargeError, report_progress, watching_part
from dialgauge.registry import defining_module
from dialgauge.sources import NoSourceError, source_digest

if TYPE_CHECKING:
    from dialgauge.engine import Entry, ResultCache

#: Items computed and cached at a time: with half as many, a model takes 5 % longer because of padding.
SLICE = 1024
#: A metric that failed on this many single items and scored none is not tried on the others.
_HOPELESS = 32
#: An item that hangs costs the whole time limit, so it counts more.
_LATE_WEIGHS = 8
#: Packages that compute the values of models, besides our own code.
_LIBRARIES = ("numpy", "scipy", "spacy", "tokenizers", "torch", "transformers")


def compute(request: MetricRequest, job: Job, expected: int) -> Values:
    """Compute the values of a metric in this process; its exceptions propagate."""
    return _checked(request, request.metric.compute(job, request.parameters), expected)


def _checked(request: MetricRequest, values: Values, expected: int) -> Values:
    if len(values.numbers) != expected:
        raise ValueError(f"metric {request.column!r} returned {len(values.numbers)} values; expected {expected}")
    return values


@dataclass(frozen=True, slots=True)
class Computing:
    """How values are computed in one scoring run: with this cache, if any, and under this time limit, if any."""

    cache: "ResultCache | None" = None
    worker: LimitedWorker | None = None

    def per_item(self, request: MetricRequest, job: Job) -> Values:
        """The value of every item."""
        found = _Collected(len(job))
        attempts = _Attempts(self.worker, request)
        keys = _keys(request, job) if self.cache and is_kept(request) else None
        sliced = request.itemwise and (keys is not None or self.worker is not None)
        for done, positions in _slices(job) if sliced else [(0, np.arange(len(job)))]:
            missing = positions
            if keys is not None and self.cache:
                kept = self.cache.find([keys[i] for i in positions.tolist()])
                found.add_kept(positions, keys, kept)
                missing = np.array([i for i in positions.tolist() if keys[i] not in kept], dtype=np.int64)
            if len(missing):
                with watching_part(done, len(positions), len(job)) if sliced else nullcontext():
                    lost = attempts.items(job, missing, found)
                if keys is not None and self.cache:
                    self.cache.keep(request.column, found.entries(missing, keys, lost))
            elif sliced:
                report_progress(done + len(positions), len(job))
        return found.values()

    def per_group(self, request: MetricRequest, job: Job, groups: int) -> Values:
        """The value of every group, for a metric of the system level."""
        attempts = _Attempts(self.worker, request)
        try:
            return attempts.run(job, groups)
        except LostWorkError as error:
            failure = error
        found = _Collected(groups)
        if groups == 1:
            found.reasons[0] = str(failure)
        for group in range(groups) if groups > 1 else ():
            try:
                found.add(np.array([group]), attempts.run(part(job, np.flatnonzero(job.groups == group)), 1))
            except LostWorkError as error:
                found.reasons[group] = str(error)
        return found.values()


def is_kept(request: MetricRequest) -> bool:
    """Whether values of this request are cached: if they are slow and depend only on their key.

    A cheap metric is faster than a cache look-up. A chat endpoint caches its answers
    itself, and the model behind its name may change.
    """
    chat = "chat" in request.metric.models.values()
    return request.itemwise and request.metric.cost != "low" and not chat and _code(request) is not None


def part(job: Job, positions: IdArray) -> Job:
    """These items of a job as a job of their own."""
    pairs = [np.arange(job.offsets[i], job.offsets[i + 1]) for i in positions.tolist()]
    counts = [len(several) for several in pairs]
    chosen = np.concatenate(pairs) if pairs else np.zeros(0, dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    _, groups = np.unique(job.groups[positions], return_inverse=True)
    return Job(
        job.texts,
        job.target,
        job.hypothesis_ids[positions],
        job.target_ids[chosen],
        offsets,
        groups.astype(np.int64),
    )


def _slices(job: Job) -> Iterator[tuple[int, IdArray]]:
    """The items in slices, with the number of items before each. Items of one source stay together to read it once.

    The slices depend on the job alone, not on the cache: a resumed run computes the same slices.
    """
    order = np.arange(len(job))
    if len(job) > SLICE and job.target != "none":
        order = np.argsort(job.target_ids[job.offsets[:-1]], kind="stable")
    for start in range(0, len(job), SLICE):
        yield start, order[start : start + SLICE]


@dataclass(slots=True)
class _Collected:
    """Values collected so far."""

    count: int
    numbers: Any = field(init=False)
    reasons: dict[int, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers = np.full(self.count, math.nan)

    def add(self, positions: IdArray, values: Values) -> None:
        self.numbers[positions] = values.numbers
        self.reasons |= {int(positions[i]): reason for i, reason in values.reasons.items()}
        self.notes |= {int(positions[i]): note for i, note in values.notes.items()}

    def add_kept(self, positions: IdArray, keys: Sequence[bytes], kept: "Mapping[bytes, Entry]") -> None:
        for i in positions.tolist():
            entry = kept.get(keys[i])
            if entry is None:
                continue
            self.numbers[i] = entry.number
            if entry.reason is not None:
                self.reasons[i] = entry.reason
            if entry.note is not None:
                self.notes[i] = entry.note

    def entries(self, positions: IdArray, keys: Sequence[bytes], lost: set[int]) -> "list[tuple[bytes, Entry]]":
        """The cache entries of these items, without those on which the metric failed, which are retried next time."""
        from dialgauge.engine import Entry

        return [
            (keys[i], Entry(float(self.numbers[i]), self.reasons.get(i), self.notes.get(i)))
            for i in positions.tolist()
            if i not in lost
        ]

    def values(self) -> Values:
        return Values(self.numbers, self.reasons, self.notes)


@dataclass(slots=True)
class _Attempts:
    """Attempts to compute one metric, and their results."""

    worker: LimitedWorker | None
    request: MetricRequest
    scored: bool = False
    failed: int = 0

    def items(self, job: Job, positions: IdArray, found: _Collected) -> set[int]:
        """Put the values of these items into ``found``; return those on which the metric failed."""
        lost: set[int] = set()
        waiting = [positions]
        while waiting:
            chosen = waiting.pop()
            if not self.scored and self.failed >= _HOPELESS:
                reason = "skipped because the metric failed on every summary tried before"
                found.reasons |= dict.fromkeys(chosen.tolist(), reason)
                lost.update(chosen.tolist())
                continue
            try:
                found.add(chosen, self.run(_shared_part(job, chosen), len(chosen)))
                self.scored = True
            except (LostWorkError, MemoryError) as error:
                if len(chosen) > 1 and self.request.itemwise:
                    half = len(chosen) // 2
                    waiting += [chosen[half:], chosen[:half]]
                    continue
                if isinstance(error, MemoryError):
                    raise
                self.failed += _LATE_WEIGHS if error.late else 1
                found.reasons |= dict.fromkeys(chosen.tolist(), str(error))
                lost.update(chosen.tolist())
        return lost

    def run(self, job: Job, expected: int) -> Values:
        """The values of a job, or :class:`LostWorkError`. Lack of memory and errors that the user can fix propagate."""
        if self.worker is not None:
            given = self.worker.call(f"{__name__}:remote", _described_job(self.request, job))
            reasons, notes = ({int(i): text for i, text in given[name]} for name in ("reasons", "notes"))
            values = Values(np.array(given["numbers"], dtype=np.float64), reasons, notes)
            return _checked(self.request, values, expected)
        try:
            with memory_errors():
                values = self.request.metric.compute(job, self.request.parameters)
        except TooLargeError as error:
            raise LostWorkError(str(error)) from error
        except (DialgaugeError, MemoryError):
            raise
        except Exception as error:  # a metric may be anybody's code, and one text must not cost all the others
            raise LostWorkError(described(error)) from error
        return _checked(self.request, values, expected)


def _shared_part(job: Job, positions: IdArray) -> Job:
    """A part of a job, the same object for the same items: metrics of a family share its intermediate results."""
    if len(positions) == len(job) and np.array_equal(positions, np.arange(len(job))):
        return job
    return job.memo(("part", positions.tobytes()), lambda: part(job, positions))


def _described_job(request: MetricRequest, job: Job) -> dict[str, Any]:
    """A request and its job as JSON data."""
    used = np.unique(np.concatenate([job.hypothesis_ids, job.target_ids]))
    return {
        "spec": request.column,
        "module": defining_module(request.metric.compute),
        "texts": [job.texts.strings[i] for i in used.tolist()],
        "target": job.target,
        "hypotheses": np.searchsorted(used, job.hypothesis_ids).tolist(),
        "targets": np.searchsorted(used, job.target_ids).tolist(),
        "offsets": job.offsets.tolist(),
        "groups": job.groups.tolist(),
    }


def remote(
    spec: str,
    module: str,
    texts: list[str],
    target: Any,
    hypotheses: list[int],
    targets: list[int],
    offsets: list[int],
    groups: list[int],
) -> dict[str, Any]:
    """Compute a metric in the process of a :class:`LimitedWorker`; the other side of :func:`_described_job`."""
    if module == "__main__":
        raise DialgaugeError(
            f"metric {spec!r} is defined in the script itself, where the worker process of a time limit cannot import "
            "it: move "
            "it to a module, or remove the time limit"
        )
    import_module(module)
    table = TextTable()
    table.intern(texts)
    job = Job(
        table,
        target,
        np.array(hypotheses, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.array(offsets, dtype=np.int64),
        np.array(groups, dtype=np.int64),
    )
    request = parse_request(spec)
    values = request.metric.compute(job, request.parameters)
    return {
        "numbers": values.numbers.tolist(),
        "reasons": [[int(i), text] for i, text in values.reasons.items()],
        "notes": [[int(i), text] for i, text in values.notes.items()],
    }


def _keys(request: MetricRequest, job: Job) -> list[bytes]:
    """The key of every item: a digest of its texts and of all that makes a value from them."""
    from dialgauge import __version__

    made_by = json.dumps([request.signature, __version__, _code(request), _versions()])
    head = hashlib.sha256(made_by.encode()).digest()
    ids = np.concatenate([job.hypothesis_ids, job.target_ids])
    digests = job.texts.feature("sha256", ids, lambda text: hashlib.sha256(text.encode()).digest())
    targets, offsets = job.target_ids.tolist(), job.offsets.tolist()
    return [
        hashlib.sha256(
            b"".join([head, digests[hypothesis], *(digests[i] for i in targets[offsets[item] : offsets[item + 1]])])
        ).digest()
        for item, hypothesis in enumerate(job.hypothesis_ids.tolist())
    ]


def _code(request: MetricRequest) -> str | None:
    """A digest of the code that a metric depends on; None if it cannot be read.

    The version of a metric has the same purpose, but is easily forgotten when a metric changes.
    """
    try:
        return source_digest(*request_modules(request))
    except NoSourceError:
        return None


@cache
def _versions() -> tuple[str, ...]:
    from importlib.metadata import PackageNotFoundError, version

    found = []
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} absent")
    return tuple(found)
