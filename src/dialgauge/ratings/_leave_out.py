"""Krippendorff's α without each annotator, for all annotators in one pass.

Removing a rating changes only the row of its unit, and the change depends on the value alone. So what a unit loses with
one rating of each of its values is computed once, and summed by annotator.
"""

from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._alpha import AlphaParts, statistic_of
from dialgauge.ratings._values import Statistic, sparse

#: How many numbers are held at a time.
_AT_ONCE = 4_000_000


class LeaveOneOut:
    """α without each annotator: ``values`` has one per annotator (NaN where undefined)."""

    def __init__(self, parts: AlphaParts, annotators: int) -> None:
        self._parts = parts
        self._whole = statistic_of(parts)
        self._lost = _lost_with_one(parts)
        counts = parts.counts
        who = sparse(np.ones(len(counts.entry)), counts.annotator, counts.entry, (annotators, len(counts.unit)))
        self.values = self._values(who @ self._lost)

    def _values(self, lost: Any) -> FloatArray:
        total = np.asarray(self._whole.rows.sum(axis=0))
        step = max(1, _AT_ONCE // max(1, self._parts.width))
        parts = [
            self._parts.finish(total[None, :] - lost[start : start + step].toarray())
            for start in range(0, lost.shape[0], step)
        ]
        return np.concatenate([np.empty(0), *parts])

    def rise(self, annotator: int) -> Statistic:
        """How much α rises without this annotator, as sums over units."""
        from scipy.sparse import csr_array, hstack

        counts, width, finish = self._parts.counts, self._parts.width, self._parts.finish
        mine = counts.entry[counts.annotator == annotator]
        where = sparse(np.ones(len(mine)), counts.unit[mine], np.arange(len(mine)), (len(counts.sizes), len(mine)))
        rows = csr_array(hstack([self._whole.rows, where @ self._lost[mine]]))
        return Statistic(rows, lambda sums: finish(sums[:, :width] - sums[:, width:]) - finish(sums[:, :width]))


def _lost_with_one(parts: AlphaParts) -> Any:
    """What a unit's row loses with one rating of each of its values: a sparse array of entries × numbers.

    A unit with two ratings loses everything: the one that is left can be paired with none.
    """
    counts, pairs = parts.counts, parts.pairs
    entries = np.arange(len(counts.unit))
    start = np.searchsorted(counts.unit, counts.unit, side="left")
    end = np.searchsorted(counts.unit, counts.unit, side="right")
    size = counts.sizes[counts.unit]
    # Of two ratings the other goes too: the unit's other entry, or the same one where both are equal.
    two = np.flatnonzero(size == 2)
    other = np.where(end - start == 2, start + end - 1 - entries, entries)[two]
    taken, code = np.concatenate([entries, two]), np.concatenate([counts.code, counts.code[other]])
    # Each pair of values of a unit beside each of its entries.
    number = (end - start)[pairs.low]
    pair = np.repeat(np.arange(len(pairs.low)), number)
    entry = np.arange(len(pair)) - np.repeat(np.cumsum(number) - number - start[pairs.low], number)
    low, high = pairs.low[pair], pairs.high[pair]
    n, m = counts.count, size[low]
    before = 2.0 * n[low] * n[high] / (m - 1)
    after = 2.0 * (n[low] - (entry == low)) * (n[high] - (entry == high)) / np.maximum(m - 2, 1) * (m > 2)
    values = np.concatenate([parts.amounts[code].ravel(), (before - after) * pairs.distance[pair]])
    rows = np.concatenate([np.repeat(taken, parts.columns.shape[1]), entry])
    columns = np.concatenate([parts.columns[code].ravel(), pairs.column[pair]])
    return sparse(values, rows, columns, (len(entries), parts.width))
