"""Agreement of numbers with ratings: the paper's mean of three coefficients, and the order within dialogues."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.learn._finetune_data import RatedSummary
from dialgauge.resampling import CONFIDENCE

FloatArray = NDArray[np.float64]
#: Number of groups of dialogues that are left out in turn for an interval.
_MOST_GROUPS = 20


@dataclass(frozen=True, slots=True)
class Agreement:
    """One cell of a table: the mean of Pearson, Spearman and Kendall with its interval, and the order accuracy.

    ``order`` is the share of pairs of summaries of one dialogue, rated differently, that the metric orders as people
    do (a tie of the metric counts half). What is undefined is None.
    """

    value: float | None
    low: float | None
    high: float | None
    order: float | None
    summaries: int


def mean_correlation(numbers: FloatArray, ratings: FloatArray) -> float:
    """The mean of Pearson, Spearman and Kendall (τ-b) over all summaries; NaN where one side is constant."""
    if len(numbers) < 3 or np.ptp(numbers) == 0 or np.ptp(ratings) == 0:
        return math.nan
    from scipy.stats import kendalltau, rankdata

    pearson = np.corrcoef(numbers, ratings)[0, 1]
    spearman = np.corrcoef(rankdata(numbers), rankdata(ratings))[0, 1]
    return float(np.mean([pearson, spearman, kendalltau(numbers, ratings).statistic]))


def order_accuracy(numbers: FloatArray, items: Sequence[RatedSummary]) -> float:
    """The share of differently rated pairs within dialogues whose order is right; NaN where there is no such pair."""
    groups: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        groups.setdefault(item.dialogue_id, []).append(place)
    ratings = np.array([item.rating for item in items], dtype=np.float64)
    right = total = 0.0
    for places in groups.values():
        better = np.sign(ratings[places][:, None] - ratings[places][None, :])
        scored = np.sign(numbers[places][:, None] - numbers[places][None, :])
        pairs = better > 0
        right += float(((scored > 0) + 0.5 * (scored == 0))[pairs].sum())
        total += float(pairs.sum())
    return right / total if total else math.nan


def agreement(numbers: FloatArray, items: Sequence[RatedSummary], confidence: float = CONFIDENCE) -> Agreement:
    """The agreement with the ratings of these summaries; those without a number are skipped."""
    known = np.flatnonzero(~np.isnan(numbers))
    numbers, items = numbers[known], [items[i] for i in known.tolist()]
    ratings = np.array([item.rating for item in items], dtype=np.float64)
    value = mean_correlation(numbers, ratings)
    low, high = _jackknife(numbers, ratings, [item.dialogue_id for item in items], value, confidence)
    known_only = [None if math.isnan(x) else x for x in (value, low, high, order_accuracy(numbers, items))]
    return Agreement(known_only[0], known_only[1], known_only[2], known_only[3], len(items))


def _jackknife(
    numbers: FloatArray, ratings: FloatArray, dialogues: Sequence[str], value: float, confidence: float
) -> tuple[float, float]:
    """Student's t interval from leaving groups of dialogues out in turn."""
    place = {name: i % _MOST_GROUPS for i, name in enumerate(sorted(set(dialogues)))}
    group = np.array([place[name] for name in dialogues], dtype=np.int64)
    n = len(set(place.values()))
    if n < 2 or math.isnan(value):
        return math.nan, math.nan
    left_out = np.array([mean_correlation(numbers[group != g], ratings[group != g]) for g in range(n)])
    if np.isnan(left_out).any():
        return math.nan, math.nan
    from scipy.special import stdtrit

    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    half = float(stdtrit(n - 1, 0.5 + confidence / 2)) * error
    return max(-1.0, value - half), min(1.0, value + half)
