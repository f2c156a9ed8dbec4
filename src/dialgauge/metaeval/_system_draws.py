"""Coefficients of two values of each system in many samples, where a sample has each system any number of times."""

from collections.abc import Callable, Mapping

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.metaeval._pairs import FEWEST

_OfSamples = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
#: Pairs of systems that are held at a time, in all samples: few enough for the memory that a processor has nearby.
_CELLS = 1 << 16


def _pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Of each row; NaN where fewer than three systems, or one value, are left."""
    x, y, weights, enough = _known(x, y, weights)
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    x, y = (values - (weights * values).sum(axis=1, keepdims=True) / total for values in (x, y))
    norm = np.sqrt((weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1))
    return _divided((weights * x * y).sum(axis=1), norm, enough & (norm > 1e-24))


def _spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Pearson's of the ranks; how many are below less how many are above is twice the rank, centred."""
    known = ~(np.isnan(x) | np.isnan(y))
    present = np.where(known, weights, 0.0)
    ranks = [np.einsum("rik,rk->ri", _signs(np.where(known, values, 0.0)), present) for values in (x, y)]
    first, second = (np.where(known, rank, np.nan) for rank in ranks)
    return _pearson(first, second, weights)


def _kendall(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Kendall's tau-b: a system that is there twice is tied with itself in both, which counts for nothing."""
    x, y, weights, enough = _known(x, y, weights)
    first, second = _signs(x), _signs(y)
    agreeing, untied, untied_other = (
        np.einsum("ri,rik,rk->r", weights, signs, weights, optimize=True)
        for signs in (first * second, np.abs(first), np.abs(second))
    )
    norm = np.sqrt(untied * untied_other)
    return _divided(agreeing, norm, enough & (norm > 0))


def _known(x: FloatArray, y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Zeros, without weight, in place of what is not known in both; and which rows have enough systems."""
    known = ~(np.isnan(x) | np.isnan(y))
    weights = np.where(known, weights, 0.0)
    return np.where(known, x, 0.0), np.where(known, y, 0.0), weights, (weights > 0).sum(axis=1) >= FEWEST


def _signs(values: FloatArray) -> FloatArray:
    """Samples × systems × systems: whether the first has more (1), less (-1) or as much."""
    return np.sign(values[:, :, None] - values[:, None, :])


def _divided(product: FloatArray, norm: FloatArray, defined: FloatArray) -> FloatArray:
    return np.asarray(np.divide(product, norm, out=np.full(len(product), np.nan), where=defined.astype(bool)))


def _in_turns(coefficient: _OfSamples) -> _OfSamples:
    """The same, some samples at a time; how many depends on the number of systems alone."""

    def correlated(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
        size = max(1, _CELLS // x.shape[1] ** 2)
        turns = (slice(start, start + size) for start in range(0, len(x), size))
        return np.concatenate([coefficient(x[turn], y[turn], weights[turn]) for turn in turns])

    return correlated


#: Each takes samples × systems of two metrics and how often a sample has each system, and gives a value per sample.
ACROSS_SYSTEMS: Mapping[str, _OfSamples] = {
    "pearson": _pearson,
    "spearman": _in_turns(_spearman),
    "kendall": _in_turns(_kendall),
}
