"""Confidence intervals of a coefficient: from resamples, and in closed form."""

import math
from statistics import NormalDist

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metaeval._names import FloatArray
from dialgauge.resampling import CONFIDENCE

_NORMAL = NormalDist()
#: The degrees lost, and c² = constant + slope · r², by coefficient.
_BONETT_WRIGHT = {"pearson": (3, 1.0, 0.0), "spearman": (3, 1.0, 0.5), "kendall": (4, 0.437, 0.0)}


def percentile_interval(values: FloatArray, confidence: float) -> tuple[float, float]:
    """The central percentiles of the resamples that have a value; NaN where none has."""
    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    return _quantile(defined, tail), _quantile(defined, 1 - tail)


def _quantile(ordered: FloatArray, share: float) -> float:
    """Linear between the two nearest order statistics, the usual default."""
    position = share * (len(ordered) - 1)
    below = min(int(position), len(ordered) - 2) if len(ordered) > 1 else 0
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def bca_interval(observed: float, values: FloatArray, jackknife: FloatArray, confidence: float) -> tuple[float, float]:
    """The bias-corrected and accelerated interval (Efron 1987) from resamples and leave-one-out values.

    NaN where it does not exist: no resample lies on one side of the observed value, or leaving one out has no effect.
    """
    defined, left_out = values[~np.isnan(values)], jackknife[~np.isnan(jackknife)]
    if not len(defined) or len(left_out) < 2 or math.isnan(observed):
        return math.nan, math.nan
    below = float(np.mean(defined < observed) + np.mean(defined == observed) / 2)
    centred = left_out.mean() - left_out
    spread = float(np.sum(centred**2))
    if not 0 < below < 1 or spread <= 0:
        return math.nan, math.nan
    bias = _NORMAL.inv_cdf(below)
    acceleration = float(np.sum(centred**3)) / (6 * spread**1.5)
    tail = (1 - confidence) / 2
    ordered, bounds = np.sort(defined), []
    for z in (_NORMAL.inv_cdf(tail), _NORMAL.inv_cdf(1 - tail)):
        shifted = (bias + z) / (1 - acceleration * (bias + z))
        bounds.append(_quantile(ordered, _NORMAL.cdf(bias + shifted)))
    return bounds[0], bounds[1]


def fisher_interval(
    r: float, n: int, coefficient: str = "pearson", confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """tanh(atanh r ± z·c/√(n − b)), with b and c of Bonett & Wright (2000) for the rank coefficients.

    ``n`` counts independent pairs: the systems at system level. At summary level this interval is not valid. NaN
    for too few pairs, or for ``|r| = 1``.
    """
    if coefficient not in _BONETT_WRIGHT:
        raise ParameterError("fisher_interval", "coefficient", " or ".join(_BONETT_WRIGHT), coefficient)
    lost, constant, slope = _BONETT_WRIGHT[coefficient]
    if math.isnan(r) or n <= lost or abs(r) >= 1:
        return math.nan, math.nan
    half = _NORMAL.inv_cdf(0.5 + confidence / 2) * math.sqrt((constant + slope * r * r) / (n - lost))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)
