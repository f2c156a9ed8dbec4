"""Shares of pairs that are in the right order, summed over dialogues: intervals, and whether any is above chance.

Summaries of one dialogue share its difficulty, so only dialogues are independent of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.metaeval._roc import Labelled, within_counts

#: How many random signs are held at a time.
_AT_ONCE = 4_000_000
#: A variance below this is none.
_DUST = 1e-18


@dataclass(frozen=True, slots=True)
class ClusteredShare:
    """A share of pairs, and what each dialogue that has such pairs (``dialogues``, their numbers) adds to it.

    ``influence`` is how far the share moves with each dialogue; it sums to 0. ``surplus`` is what each adds to the
    share beyond one half.
    """

    value: float
    dialogues: IntArray
    influence: FloatArray
    surplus: FloatArray

    def placed(self, numbers: IntArray) -> "ClusteredShare":
        """The same with other numbers of its dialogues: ``numbers`` of those that were 0, 1, 2 …"""
        return replace(self, dialogues=np.asarray(numbers, dtype=np.intp)[self.dialogues])


def ratio_share(right: FloatArray, pairs: FloatArray) -> ClusteredShare:
    """The share of ``right`` among ``pairs``, which are counted for each dialogue; NaN without any."""
    there = np.flatnonzero(pairs)
    right, pairs = right[there], pairs[there]
    total = pairs.sum()
    value = float(right.sum() / total) if total else float("nan")
    return ClusteredShare(value, there, (right - value * pairs) / total, (right - pairs / 2) / total)


def within_share(items: Labelled) -> ClusteredShare:
    """AUC over pairs of one dialogue."""
    return ratio_share(*within_counts(items))


def auc_share(items: Labelled) -> ClusteredShare:
    """AUC over all pairs; its variance is the sum of squares of these influences (DeLong, clustered by Obuchowski)."""
    good, bad = np.sort(items.score[items.good]), np.sort(items.score[~items.good])
    below, above = _placed(bad, items.score[items.good]), 1 - _placed(good, items.score[~items.good])
    value = float(below.mean()) if len(good) and len(bad) else float("nan")
    n = items.dialogues

    def summed(centre: float) -> FloatArray:
        parts = ((items.good, below, len(good)), (~items.good, above, len(bad)))
        return sum(
            (np.bincount(items.dialogue[side], each - centre, minlength=n) / count for side, each, count in parts),
            np.zeros(n),
        )

    return ClusteredShare(value, np.arange(n), summed(value), summed(0.5) / 2)


def _placed(ordered: FloatArray, scores: FloatArray) -> FloatArray:
    """The share of ``ordered`` below each score, equal ones counting half."""
    sides = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return np.asarray(sum(sides) / (2 * max(len(ordered), 1)), dtype=np.float64)


def chance_p_values(shares: Sequence[ClusteredShare], dialogues: int, resamples: int, seed: int) -> FloatArray:
    """Two-sided p-values of the shares' distance from one half, at one error for all of them together.

    Where scores know nothing of labels, each dialogue adds as much above one half as below. So the signs of all
    surpluses of a dialogue are turned at random, and the largest of all shares is compared (each share in units of its
    own spread). The dialogues of all shares have the same numbers, below ``dialogues``.
    """
    table = np.zeros((dialogues, len(shares)))
    for column, share in enumerate(shares):
        table[share.dialogues, column] = share.surplus
    spread = np.sqrt((table**2).sum(axis=0))
    table = np.divide(table, spread, out=np.zeros_like(table), where=spread > 0)
    found = np.abs(table.sum(axis=0)) - 1e-12
    generator, extreme = np.random.default_rng(seed), np.zeros(len(shares), dtype=np.int64)
    step = max(1, _AT_ONCE // max(dialogues, 1))
    for start in range(0, resamples, step):
        signs = generator.integers(0, 2, size=(min(step, resamples - start), dialogues)) * 2.0 - 1
        largest = np.abs(signs @ table).max(axis=1, initial=0.0)
        extreme += (largest[:, None] >= found[None, :]).sum(axis=0)
    return np.asarray((extreme + 1) / (resamples + 1))


def share_interval(share: ClusteredShare, confidence: float) -> tuple[float | None, float | None]:
    """Wilson's interval for as many single trials as would vary like this share does over its dialogues.

    The number of trials is that of a binomial share with the same variance, made smaller by the squared ratio of the
    normal to Student's quantile, since few dialogues say little of the variance. It keeps its error where the share is
    near 1 and where few dialogues take part, which percentiles of resamples (too narrow) and Student's t around the
    logit (too wide) do not. Where all pairs of all dialogues are in the right order, each dialogue is one trial. None
    where fewer than two dialogues take part.
    """
    from scipy.special import ndtri, stdtrit

    clusters, value = len(share.dialogues), share.value
    if clusters < 2:
        return None, None
    quantile = float(ndtri((1 + confidence) / 2))
    variance = clusters / (clusters - 1) * float((share.influence**2).sum())
    if value <= 0 or value >= 1:
        trials = float(clusters)
    elif variance < _DUST:
        return value, value
    else:
        trials = value * (1 - value) / variance * (quantile / float(stdtrit(clusters - 1, (1 + confidence) / 2))) ** 2
    shift = quantile**2 / trials
    centre = (value + shift / 2) / (1 + shift)
    reach = float(np.sqrt(shift * (value * (1 - value) + shift / 4))) / (1 + shift)
    return max(0.0, centre - reach), min(1.0, centre + reach)
