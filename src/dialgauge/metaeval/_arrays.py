"""For people who have matrices (systems × dialogues): one coefficient, its parts, its resamples, its interval."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dialgauge.errors import InputError, ParameterError
from dialgauge.metaeval._accuracy import pairwise_accuracy, soft_pairwise_accuracy
from dialgauge.metaeval._draws import Weights, bootstrap_weights, jackknife_weights, no_resampling
from dialgauge.metaeval._intervals import bca_interval, fisher_interval, percentile_interval
from dialgauge.metaeval._names import (
    BASE,
    COEFFICIENTS,
    INTERVALS,
    LEVELS,
    RESAMPLES,
    Coefficient,
    FloatArray,
    Interval,
    Level,
    Resample,
    check_name,
    check_resampling,
)
from dialgauge.metaeval._summary_level import SummaryFrame
from dialgauge.metaeval._weighted import enough, resampled_correlations
from dialgauge.resampling import CONFIDENCE, DRAWS


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """A coefficient with its interval. ``undefined`` counts resamples without a value; they are NaN in ``values``."""

    value: float
    low: float
    high: float
    values: FloatArray
    undefined: int


def as_matrices(*matrices: ArrayLike) -> tuple[FloatArray, ...]:
    """Matrices (systems × dialogues) of one shape as float arrays; NaN marks a missing cell, infinity is refused."""
    arrays = tuple(np.asarray(matrix, dtype=np.float64) for matrix in matrices)
    for array in arrays:
        if array.ndim != 2 or array.shape != arrays[0].shape:
            shapes = ", ".join(str(a.shape) for a in arrays)
            raise InputError(f"matrices must all be systems × dialogues of the same shape; got {shapes}")
        if np.isinf(array).any():
            raise InputError("a matrix has an infinite value; NaN marks a missing cell")
    return arrays


def correlation(metric: ArrayLike, ratings: ArrayLike, level: Level, coefficient: Coefficient) -> float:
    """One coefficient between a metric and a rating matrix (systems × dialogues); NaN where it is undefined.

    With fewer than three points there is none: any two lie on a line. The matrices are used as they are: wrongly paired
    columns give a wrong number, which is how a published mispairing can be reproduced. :func:`correlate` pairs by key.
    """
    x, z = as_matrices(metric, ratings)
    check_name("level", level, LEVELS)
    check_name("coefficient", coefficient, COEFFICIENTS)
    return float(weighted_values(x, z, level, coefficient, no_resampling(*x.shape))[0])


def weighted_values(
    x: FloatArray, z: FloatArray, level: Level, coefficient: Coefficient, weights: Weights, seed: int = 0
) -> FloatArray:
    """The coefficient under each weighting (see :class:`Weights`)."""
    if coefficient == "pairwise_accuracy":
        return pairwise_accuracy(x, z, level, seed=seed, weights=weights)
    if coefficient == "soft_pairwise_accuracy":
        if level != "system":
            raise ParameterError("soft_pairwise_accuracy", "level", "'system'", level)
        return soft_pairwise_accuracy(x, z, seed=seed, weights=weights)
    return resampled_correlations(x[None], z[None], level, coefficient, weights).values[:, 0, 0]


def per_dialogue(metric: ArrayLike, ratings: ArrayLike, coefficient: Coefficient = "pearson") -> FloatArray:
    """The coefficient within each dialogue (column); its mean is the summary level.

    NaN where a vector is constant, and where fewer than three systems have a value.
    """
    x, z = as_matrices(metric, ratings)
    check_name("coefficient of a dialogue", coefficient, BASE)
    frame = SummaryFrame(enough(~(np.isnan(x) | np.isnan(z)), "summary"), coefficient)
    plain = frame.under(no_resampling(*x.shape))
    return np.asarray(plain.by_dialogue(plain.profile(frame.prepare(x)), plain.profile(frame.prepare(z)))[0])


def bootstrap(
    metric: ArrayLike,
    ratings: ArrayLike,
    level: Level,
    coefficient: Coefficient,
    *,
    resample: Resample = "both",
    resamples: int = DRAWS,
    confidence: float = CONFIDENCE,
    interval: Interval = "percentile",
    seed: int = 0,
    weights: Weights | None = None,
) -> Bootstrap:
    """A coefficient and its bootstrap interval. ``weights`` replaces the random draws by your own."""
    x, z = as_matrices(metric, ratings)
    check_name("level", level, LEVELS)
    check_name("coefficient", coefficient, COEFFICIENTS)
    check_name("resample", resample, RESAMPLES)
    check_resampling("bootstrap", resamples, confidence, seed)
    m, n = x.shape
    weights = weights or bootstrap_weights(m, n, resamples, resample, seed)
    observed = float(weighted_values(x, z, level, coefficient, no_resampling(m, n), seed)[0])
    values = weighted_values(x, z, level, coefficient, weights, seed)
    if check_interval(interval, resample) == "bca":
        left_out = weighted_values(x, z, level, coefficient, jackknife_weights(m, n, resample), seed)
        low, high = bca_interval(observed, values, left_out, confidence)
    elif interval == "fisher":
        low, high = fisher_interval(observed, m, coefficient, confidence)
    else:
        low, high = percentile_interval(values, confidence)
    return Bootstrap(observed, low, high, values, int(np.isnan(values).sum()))


def check_interval(interval: str, resample: Resample) -> Interval:
    """The interval, if it exists for what is resampled."""
    known = check_name("interval", interval, INTERVALS)
    if known == "bca" and resample == "both":
        raise ParameterError("interval 'bca'", "resample", "'systems' or 'inputs' (one-way resampling)", resample)
    return known
