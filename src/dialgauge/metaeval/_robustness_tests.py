"""Tests of a change where summaries of one dialogue are not independent: a sign test, and one of equivalence."""

import math
from dataclasses import dataclass

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metaeval._names import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class MeanChange:
    """A mean over items with its standard error over dialogues (NaN for fewer than two of them)."""

    mean: float
    error: float
    dialogues: int

    def interval(self, confidence: float) -> tuple[float, float]:
        """Student's t interval with one degree of freedom less than there are dialogues."""
        if math.isnan(self.error):
            return math.nan, math.nan
        from scipy.special import stdtrit

        half = float(stdtrit(self.dialogues - 1, 0.5 + confidence / 2)) * self.error
        return self.mean - half, self.mean + half


def mean_change(changes: FloatArray, dialogue: IntArray) -> MeanChange:
    """The mean of the changes that are known; the error follows from the dialogues' shares in it.

    With one summary per dialogue this is the plain standard error of the mean. With more, items of a dialogue may move
    together, and only dialogues count as independent cases (the sandwich estimate for clusters, with n / (n − 1)).
    """
    known = ~np.isnan(changes)
    if not known.any():
        return MeanChange(math.nan, math.nan, 0)
    _, number = np.unique(dialogue[known], return_inverse=True)
    counts = np.bincount(number)
    totals = np.bincount(number, weights=changes[known])
    mean = float(totals.sum() / counts.sum())
    n = len(counts)
    if n < 2:
        return MeanChange(mean, math.nan, n)
    residuals = totals - mean * counts
    return MeanChange(mean, math.sqrt(n / (n - 1) * float(residuals @ residuals)) / int(counts.sum()), n)


def sign_test(changes: FloatArray, dialogue: IntArray) -> float:
    """Two-sided p of "up is as likely as down", exact, with the dialogues as independent cases.

    The signs within a dialogue are added up; under the null hypothesis each sum could as well have the other sign. The
    distribution of their total is exact, by convolution. With one summary per dialogue this is the ordinary sign test;
    items that do not change take no part. NaN where nothing is known.
    """
    known = ~np.isnan(changes)
    if not known.any():
        return math.nan
    _, number = np.unique(dialogue[known], return_inverse=True)
    sums = np.bincount(number, weights=np.sign(changes[known])).astype(np.int64)
    total = abs(int(sums.sum()))
    sizes, counts = np.unique(np.abs(sums[sums != 0]), return_counts=True)
    density = np.ones(1)
    for size, count in zip(sizes, counts, strict=True):
        steps = np.zeros(2 * size * count + 1)
        steps[:: 2 * size] = _coin_flips(int(count))
        density = np.convolve(density, steps)
    return min(1.0, 2 * float(density[len(density) // 2 + total :].sum())) if total else 1.0


def _coin_flips(count: int) -> FloatArray:
    """The chance of 0 … count heads."""
    faculties = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    logs = faculties[count] - faculties - faculties[::-1] - count * math.log(2)
    return np.asarray(np.exp(logs))


def equivalence_test(change: MeanChange, margin: float) -> float:
    """The p of "the mean change is margin or more, up or down": the larger of two one-sided t tests (Schuirmann 1987).

    A small p shows that the metric preserved its score. NaN for fewer than two dialogues.
    """
    if not margin > 0:
        raise ParameterError("equivalence_test", "margin", "above 0", margin)
    if math.isnan(change.error):
        return math.nan
    if change.error == 0:
        return 0.0 if abs(change.mean) < margin else 1.0
    from scipy.special import stdtr

    return float(stdtr(change.dialogues - 1, -(margin - abs(change.mean)) / change.error))
