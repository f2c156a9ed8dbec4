"""Runs of equal values, and one number per item from one per pair where some pairs have none."""

import numpy as np

from dialgauge.metrics._job import Job
from dialgauge.metrics._metric import FloatArray
from dialgauge.metrics._texts import IdArray


def runs(values: IdArray) -> list[tuple[int, int]]:
    """Where each run of equal values begins and ends."""
    if len(values) == 0:
        return []
    begins = np.flatnonzero(np.diff(values, prepend=values[0] - 1)).tolist()
    return list(zip(begins, [*begins[1:], len(values)], strict=True))


def best_target(job: Job, pairs: FloatArray) -> FloatArray:
    """The largest number over the targets of each item that have one; NaN where none has."""
    if len(job) == 0:
        return np.zeros(0)
    best: FloatArray = np.fmax.reduceat(pairs, job.offsets[:-1])
    return best
