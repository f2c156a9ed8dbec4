"""Shared code of metrics that read pairs of texts with a model: a reading per pair, and its conversion to values."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dialgauge.metrics._encoding import readable
from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Parameter, Values
from dialgauge.models import Model, default_budget, watching_part

T = TypeVar("T")
R = TypeVar("R")

#: For a metric whose published program does not do what its paper says.
BEHAVIOUR = Parameter(
    "intended", ("intended", "reference"), "intended: as described in the paper; reference: as in the published program"
)


def number_parameter(default: str, what: str, pattern: str = r"[1-9]\d*", form: str = "a whole number") -> Parameter:
    """A parameter that holds a number."""
    return Parameter(default, (), what, pattern=pattern, form=form)


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a metric for one pair: a number, or the reason why there is none; and a note on it."""

    number: float = math.nan
    reason: str = ""
    note: str = ""


#: A summary and the text that it is compared with ("" if a metric reads the summary alone).
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The distinct pairs of a job (``texts``), and which of them each pair of the job is (``position``)."""

    texts: Sequence[Pair]
    position: Sequence[int]

    @classmethod
    def of(cls, job: Job) -> "Pairs":
        """The pairs of a job, ordered by target so that what belongs to one source comes together."""
        return job.memo("distinct pairs", lambda: cls._build(job))

    @classmethod
    def _build(cls, job: Job) -> "Pairs":
        if job.target == "none":
            keys = [(-1, hypothesis) for hypothesis in job.hypothesis_ids.tolist()]
        else:
            keys = list(zip(job.target_ids.tolist(), job.pair_hypothesis_ids.tolist(), strict=True))
        order = {key: i for i, key in enumerate(sorted(set(keys)))}
        strings = job.texts.strings
        texts = [
            (readable(strings[hypothesis]), readable(strings[target]) if target >= 0 else "")
            for target, hypothesis in order
        ]
        return cls(texts, [order[key] for key in keys])


def values(job: Job, readings: Sequence[Reading], best: Callable[[Sequence[float]], float] = max) -> Values:
    """One value per item from a reading per distinct pair: the best over the targets that gave a number."""
    position = Pairs.of(job).position
    bounds = range(len(job) + 1) if job.target == "none" else job.offsets.tolist()
    per_item = []
    for first, last in itertools.pairwise(bounds):
        mine = [readings[place] for place in position[first:last]]
        known = [reading.number for reading in mine if not math.isnan(reading.number)]
        note = "; ".join(dict.fromkeys(reading.note for reading in mine if reading.note))
        per_item.append(Reading(best(known), note=note) if known else Reading(reason=mine[0].reason, note=note))
    return item_values(per_item)


def item_values(readings: Sequence[Reading]) -> Values:
    """Values from a reading per item."""
    return Values(
        np.array([reading.number for reading in readings], dtype=np.float64),
        {i: reading.reason for i, reading in enumerate(readings) if reading.reason},
        {i: reading.note for i, reading in enumerate(readings) if reading.note},
    )


def in_parts(items: Sequence[T], size: int, work: Callable[[Sequence[T]], Sequence[R]]) -> list[R]:
    """The results of ``work`` on consecutive parts of a list, so that what it prepares does not grow with the corpus.

    Progress is reported for the whole list, not for each part.
    """
    results: list[R] = []
    for start in range(0, len(items), size):
        part = items[start : start + size]
        with watching_part(start, len(part), len(items)):
            results += work(part)
    return results


def budget(model: Model) -> int:
    """Tokens per batch on the model's device."""
    return default_budget(model.device)


def blank(text: str) -> bool:
    """Whether a text is nothing but white space."""
    return not text.strip()


EMPTY = Reading(reason="the summary is empty")
EMPTY_SOURCE = Reading(reason="the source is empty")
