"""How often each value was given to each unit, and statistics that are sums over units.

A statistic in this room is a row of numbers per unit and a function of the sums of these rows. All units once is the
data as it is; units drawn again are a resample. So a value and its interval come from the same code, the time is linear
in the number of ratings, and units with the same row need not be distinguished.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.ratings._frame import UnitRatings

#: From sums (resamples × numbers of a row) to values (one per resample), NaN where the statistic is undefined.
Finish = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Statistic:
    """``rows``: what each unit adds (a sparse array of units × numbers); ``finish``: the value of sums of such rows."""

    rows: Any
    finish: Finish

    def __call__(self, weights: FloatArray) -> FloatArray:
        """The value for each row of weights, which say how often each unit counts."""
        return self.finish(weights @ self.rows)

    @property
    def value(self) -> float:
        """The value of the data as it is; NaN where it is undefined."""
        return float(self(np.ones((1, self.rows.shape[0])))[0])


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """An entry per unit and value that it was given: the unit, the place of the value among ``values``, how often.

    Entries are sorted by unit, then value; ``sizes`` holds the number of ratings of each unit, counted or not;
    ``entry`` the number of the entry of each rating that is counted, ``annotator`` who gave it.
    """

    unit: IntArray
    code: IntArray
    count: IntArray
    values: FloatArray
    sizes: IntArray
    entry: IntArray
    annotator: IntArray


def count_values(ratings: UnitRatings, used: Any) -> ValueCounts:
    """The counts of the units marked in ``used``."""
    sizes = ratings.sizes
    kept = used[ratings.unit]
    values, codes = np.unique(ratings.value[kept], return_inverse=True)
    width = max(1, len(values))
    keys, entry, counts = np.unique(ratings.unit[kept] * width + codes, return_inverse=True, return_counts=True)
    return ValueCounts(keys // width, keys % width, counts, values, sizes, entry, ratings.annotator[kept])


def pairs_within(group: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs of positions with the same group; ``group`` is sorted. The first of a pair comes first."""
    first, lag = [np.empty(0, dtype=np.int64)], 1
    second = [np.empty(0, dtype=np.int64)]
    while lag < len(group):
        same = np.flatnonzero(group[lag:] == group[:-lag])
        if not len(same):
            break
        first.append(same)
        second.append(same + lag)
        lag += 1
    return np.concatenate(first), np.concatenate(second)


def sparse(values: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """A sparse array of these values; values for the same place are added."""
    from scipy.sparse import csr_array

    return csr_array((np.asarray(values, dtype=np.float64), (rows, columns)), shape=shape)
