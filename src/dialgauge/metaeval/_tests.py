"""Williams' test, the paired bootstrap, and corrections for many tests."""

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metaeval._names import FloatArray, check_name

Correction = Literal["holm", "benjamini-hochberg"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def williams_test(r12: float, r13: float, r23: float, n: int, alternative: str = "two-sided") -> float:
    """The p-value of two dependent correlations being equal (Williams 1959): r12 and r13 share variable 1.

    Variable 1 are the ratings, 2 and 3 the metrics, n the systems. NaN for n < 4 or where the statistic is undefined.
    """
    check_name("alternative", alternative, ("two-sided", "greater", "less"))
    if n < 4 or any(math.isnan(r) for r in (r12, r13, r23)):
        return math.nan
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    below = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1 - r23) ** 3
    if below <= 0:
        return 1.0 if r12 == r13 else math.nan
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(2 * stdtr(n - 3, -abs(t)))
    return float(stdtr(n - 3, -t if alternative == "greater" else t))


def paired_bootstrap_p_value(differences: FloatArray) -> float:
    """Two-sided: twice the smaller share of resampled differences on one side of zero, with (c + 1) / (R + 1)."""
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return math.nan
    smaller = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (smaller + 1) / (len(defined) + 1))


def adjust_p_values(p_values: Sequence[float], method: Correction = "holm") -> FloatArray:
    """Correct p-values for multiple testing; NaN stays NaN and does not count.

    ``holm`` (1979) bounds the chance of any false finding; ``benjamini-hochberg`` (1995) the share of false ones among
    the findings.
    """
    check_name("correction", method, CORRECTIONS)
    given = np.asarray(p_values, dtype=np.float64)
    if ((given < 0) | (given > 1)).any():
        raise ParameterError(
            "adjust_p_values", "p_values", "between 0 and 1", float(given[(given < 0) | (given > 1)][0])
        )
    result = np.full_like(given, np.nan)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    count, ordered = len(order), given[order]
    if method == "holm":
        adjusted = np.maximum.accumulate(ordered * (count - np.arange(count)))
    else:
        adjusted = np.minimum.accumulate((ordered * count / np.arange(1, count + 1))[::-1])[::-1]
    result[order] = np.minimum(adjusted, 1.0)
    return result
