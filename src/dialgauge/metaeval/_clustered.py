"""Shares of pairs that are in the right order, summed over dialogues, and whether any is above chance.

Summaries of one dialogue share its difficulty, so only dialogues are independent of each other.
"""

from collections.abc import Sequence

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.metaeval._roc import Labelled, within_counts
from dialgauge.ratings import ClusteredShare, ratio_share

#: How many random signs are held at a time.
_AT_ONCE = 4_000_000


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
