"""Kendall's test of no association, two-sided: exact for few values without ties, else by the normal distribution.

The values are those of ``scipy.stats.kendalltau``, whose package takes a second to import.
"""

from functools import lru_cache
from math import erfc, nan, sqrt

import numpy as np

from dialgauge.metaeval._names import FloatArray

#: Up to this number of values the exact distribution is used. Beyond, only where hardly a pair is out of order.
_FEW = 33


def kendall_p_value(x: FloatArray, y: FloatArray) -> float:
    """Of two vectors of equal length; NaN where one of them is constant."""
    n = len(x)
    pairs = n * (n - 1) // 2
    above = np.triu(np.sign(x[:, None] - x) * np.sign(y[:, None] - y), 1)
    balance = int(above.sum())
    (tied, cubic, weighted), (other_tied, other_cubic, other_weighted) = _ties(x), _ties(y)
    if tied == pairs or other_tied == pairs:
        return nan
    discordant = int((above < 0).sum())
    if not tied and not other_tied and (n <= _FEW or min(discordant, pairs - discordant) <= 1):
        return _exact(n, min(discordant, pairs - discordant))
    m = n * (n - 1.0)
    variance = (m * (2 * n + 5) - weighted - other_weighted) / 18 + 2 * tied * other_tied / m
    variance += cubic * other_cubic / (9 * m * (n - 2))
    return erfc(abs(balance / sqrt(variance)) / sqrt(2))


def _ties(values: FloatArray) -> tuple[int, float, float]:
    """How many pairs are tied, and the sums that ties take from the variance."""
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    pairs = counts * (counts - 1)
    return int(pairs.sum()) // 2, float((pairs * (counts - 2)).sum()), float((pairs * (2 * counts + 5)).sum())


@lru_cache(maxsize=4096)
def _exact(n: int, discordant: int) -> float:
    """The share of orders of n values with at most this number of pairs out of order, or in order (Kendall 1970)."""
    if n <= 2 or 4 * discordant == n * (n - 1):
        return 1.0
    ways = [1.0] + [0.0] * discordant
    for j in range(2, n + 1):
        # A further value can stand before 0 … j − 1 of those that are there. Divided, so that numbers stay small.
        sums = np.cumsum(ways)
        sums[j:] -= sums[: max(discordant + 1 - j, 0)].copy()
        ways = list(sums / j)
    return float(min(1.0, 2 * sum(ways)))
