"""Shares that are summed over dialogues, and their intervals: what comes from one dialogue belongs together."""

from dataclasses import dataclass, replace

import numpy as np

from dialgauge.arrays import FloatArray, IntArray

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


def share_interval(share: ClusteredShare, confidence: float) -> tuple[float | None, float | None]:
    """Wilson's interval for as many single trials as would vary like this share does over its dialogues.

    The number of trials is that of a binomial share with the same variance, made smaller by the squared ratio of the
    normal to Student's quantile, since few dialogues say little of the variance. It keeps its error where the share is
    near 1 and where few dialogues take part, which percentiles of resamples (too narrow) and Student's t around the
    logit (too wide) do not. Where all dialogues have the same share, up to Wilson's bound for none of them could have
    had another, and that could have been 0 or 1. None where fewer than two dialogues take part.
    """
    from scipy.special import ndtri, stdtrit

    clusters, value = len(share.dialogues), share.value
    if clusters < 2:
        return None, None
    quantile = float(ndtri((1 + confidence) / 2))
    variance = clusters / (clusters - 1) * float((share.influence**2).sum())
    if variance < _DUST:
        others = quantile**2 / (clusters + quantile**2)
        return value - others * value, value + others * (1 - value)
    trials = value * (1 - value) / variance * (quantile / float(stdtrit(clusters - 1, (1 + confidence) / 2))) ** 2
    shift = quantile**2 / trials
    centre = (value + shift / 2) / (1 + shift)
    reach = float(np.sqrt(shift * (value * (1 - value) + shift / 4))) / (1 + shift)
    return max(0.0, centre - reach), min(1.0, centre + reach)
