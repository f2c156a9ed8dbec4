"""Shared code of the n-gram metrics: which items can be scored, and the choice among several targets."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import Compute, FloatArray, Sums, Values
from dialgauge.metrics._texts import IdArray
from dialgauge.metrics.kernels import Tokens

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Scorable:
    """Which items and pairs have tokens on both sides (``items``, ``pairs``), and why other items have no value.

    A target without tokens is skipped if the item has another target with tokens.
    """

    items: BoolArray
    pairs: BoolArray
    reasons: Mapping[int, str]

    def blank(self, numbers: FloatArray) -> FloatArray:
        """The numbers, with NaN where there is nothing to compare."""
        return np.where(self.items, numbers, np.nan) if self.reasons else numbers


def scorable(job: Job, tokens: Tokens, unit: str, reads: str) -> Scorable:
    """Look for texts without tokens; ``unit`` and ``reads`` go into the reason ("words", "ROUGE reads a–z …")."""
    if tokens.lengths.min(initial=1) > 0:  # every text has some, as most do
        return Scorable(np.ones(len(job), dtype=bool), np.ones(len(job.target_ids), dtype=bool), {})
    hypotheses = tokens.lengths[job.hypothesis_ids] > 0
    targets = tokens.lengths[job.target_ids] > 0
    with_target = np.logical_or.reduceat(targets, job.offsets[:-1]) if len(job) else hypotheses
    items = hypotheses & with_target
    reasons = {}
    for i in np.flatnonzero(~items).tolist():
        side = "summary" if not hypotheses[i] else job.target
        reasons[i] = f"the {side} has no {unit} for this tokenisation ({reads})"
    return Scorable(items, targets & hypotheses[job.pair_items], reasons)


def computed_from(sums: Sums, unit: str, reads: str, lost: str = "") -> Compute:
    """The function of a system-level metric that is made of sums; ``lost`` is why these may have no value."""

    def compute(job: Job, parameters: Mapping[str, str]) -> Values:
        totals = _sum_by_group(job, sums.counts(job, parameters))
        scored = totals[:, 0] > 0
        values = np.where(scored, sums.values(totals[:, 1:], parameters), np.nan)
        reason = f"no summary of the system has {unit} for this tokenisation ({reads}) and a {job.target} with some"
        reasons = {int(group): lost if scored[group] else reason for group in np.flatnonzero(np.isnan(values))}
        return Values(values, reasons)

    return compute


def _sum_by_group(job: Job, per_item: FloatArray) -> FloatArray:
    """Sum the rows of an array over the items of each group, one after the other, as sacrebleu does."""
    count = int(job.groups.max()) + 1 if len(job) else 0
    total = np.zeros((count, *per_item.shape[1:]))
    np.add.at(total, job.groups, per_item)
    return total


def first_best(job: Job, per_pair: FloatArray) -> IdArray:
    """For each item the pair with the largest number, the first of them where several are."""
    if len(job.target_ids) == len(job):
        return np.arange(len(job))
    best = np.maximum.reduceat(per_pair, job.offsets[:-1])
    pairs = np.arange(len(per_pair))
    candidates = np.where(per_pair == best[job.pair_items], pairs, len(pairs))
    return np.minimum.reduceat(candidates, job.offsets[:-1])


def elementwise(function: Callable[[float], float], numbers: FloatArray) -> FloatArray:
    """A function of the C library for each number: NumPy's own versions may differ from it in the last bit."""
    return np.fromiter(map(function, numbers.tolist()), dtype=np.float64, count=len(numbers))


def exponential(numbers: FloatArray) -> FloatArray:
    """e to the power of each number, as ``math.exp`` gives it."""
    return elementwise(math.exp, numbers)
