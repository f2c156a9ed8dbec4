"""Intraclass correlations, all six forms, as sums over units (Shrout and Fleiss, 1979; McGraw and Wong, 1996).

``icc-1``: raters are different people from unit to unit. ``icc-a1``: the same raters rate all units, and their severity
counts as disagreement (agreement). ``icc-c1``: the same, and severity does not count (consistency). These are of one
rater; ``icc-1k``, ``icc-ak`` and ``icc-ck`` are of the mean of all k.
"""

from typing import Literal, get_args

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray
from dialgauge.ratings._frame import UnitRatings
from dialgauge.ratings._kappa import commonest_size
from dialgauge.ratings._values import Statistic, sparse

IccForm = Literal["icc-1", "icc-a1", "icc-c1", "icc-1k", "icc-ak", "icc-ck"]
ICC_FORMS: tuple[IccForm, ...] = get_args(IccForm)


def icc_units(ratings: UnitRatings, form: str) -> BoolArray:
    """The units that take part: those that all annotators rated; one-way: those with the commonest count of ratings."""
    wanted = commonest_size(ratings) if form.startswith("icc-1") else len(np.unique(ratings.annotator))
    return np.asarray((ratings.sizes == wanted) & (wanted > 1))


def icc_statistic(ratings: UnitRatings, form: str) -> Statistic:
    """A row per unit: its ratings by annotator, the sum of their squares, the square of their sum, and 1."""
    used = icc_units(ratings, form)
    kept = used[ratings.unit]
    unit, value = ratings.unit[kept], ratings.value[kept]
    if form.startswith("icc-1"):
        # Raters are different people: any order of them will do, and the place in the unit is theirs.
        starts = np.searchsorted(unit, unit, side="left")
        column = np.arange(len(unit)) - starts
    else:
        column = np.unique(ratings.annotator[kept], return_inverse=True)[1]
    k = int(column.max(initial=-1)) + 1
    # Differences from the mean lose no digits in the squares.
    value = value - (value.mean() if len(value) else 0.0)
    totals = np.bincount(unit, value, minlength=len(used))
    squares = np.bincount(unit, value**2, minlength=len(used))
    everywhere = np.arange(len(used))
    values = np.concatenate([value, squares, totals**2, used.astype(np.float64)])
    rows = np.concatenate([unit, np.tile(everywhere, 3)])
    columns = np.concatenate([column, np.repeat([k, k + 1, k + 2], len(used))])
    return Statistic(sparse(values, rows, columns, (len(used), k + 3)), lambda sums: _from_sums(sums, form))


def _from_sums(sums: FloatArray, form: str) -> FloatArray:
    by_rater, (squares, of_sums, n) = sums[:, :-3], sums[:, -3:].T
    k = by_rater.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = by_rater.sum(axis=1) ** 2 / (n * k)
        between = of_sums / k - middle
        raters = (by_rater**2).sum(axis=1) / n - middle
        within = squares - of_sums / k
        msr, msw = between / (n - 1), within / (n * (k - 1))
        msc, mse = raters / (k - 1), (within - raters) / ((n - 1) * (k - 1))
        upper, lower = {
            "icc-1": (msr - msw, msr + (k - 1) * msw),
            "icc-a1": (msr - mse, msr + (k - 1) * mse + k * (msc - mse) / n),
            "icc-c1": (msr - mse, msr + (k - 1) * mse),
            "icc-1k": (msr - msw, msr),
            "icc-ak": (msr - mse, msr + (msc - mse) / n),
            "icc-ck": (msr - mse, msr),
        }[form]
        spread = (between + within) > 1e-12 * np.maximum(squares, 1)
        return np.asarray(np.where((n > 1) & spread, upper / lower, np.nan))
