"""Association of two series: Spearman, CCC, MAE and a partial rank correlation, for all bootstrap draws at once.

Every function takes ``weights``, an array (draws, values) of how often each value counts in a draw; a row of ones is
the series as it is. NaN where a value is not defined.
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
#: Below this a variance is that of equal values, but for rounding.
_FLAT = 1e-12


def weighted_ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The rank of each value in each draw; equal values share the mean of their ranks."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1])
    sizes = np.add.reduceat(weights[:, order], begins, axis=1)
    means = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    ranks = np.empty_like(weights)
    ranks[:, order] = np.repeat(means, np.diff([*begins, len(values)]), axis=1)
    return ranks


def spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Spearman's rank correlation, corrected for ties: Pearson's of the mean ranks."""
    return _correlation(weighted_ranks(x, weights), weighted_ranks(y, weights), weights)


def concordance(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Lin's concordance correlation coefficient, with variances over n."""
    size = weights.sum(axis=1)
    mean_x, mean_y = weights @ x / size, weights @ y / size
    variance_x, variance_y = weights @ x**2 / size - mean_x**2, weights @ y**2 / size - mean_y**2
    covariance = weights @ (x * y) / size - mean_x * mean_y
    flat = np.minimum(variance_x, variance_y) < _FLAT
    return np.where(flat, np.nan, 2 * covariance / (variance_x + variance_y + (mean_x - mean_y) ** 2 + _tiny(flat)))


def absolute_error(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """The mean absolute difference."""
    result: FloatArray = weights @ np.abs(x - y) / weights.sum(axis=1)
    return result


def partial_spearman(x: FloatArray, y: FloatArray, given: list[FloatArray], weights: FloatArray) -> FloatArray:
    """Spearman's correlation of what the ranks of the ``given`` series leave unexplained in those of x and y."""
    ranks = [weighted_ranks(series, weights) for series in (x, y, *given)]
    scaled = np.sqrt(weights)
    centred = np.stack([_centred(series, weights) * scaled for series in ranks], axis=1)
    covariance = centred @ centred.transpose(0, 2, 1)
    cross, block = covariance[:, :2, 2:], covariance[:, 2:, 2:]
    left = covariance[:, :2, :2] - cross @ np.linalg.pinv(block, hermitian=True) @ cross.transpose(0, 2, 1)
    whole = covariance[:, :2, :2]
    variances = np.diagonal(left, axis1=1, axis2=2)
    flat = (variances < 1e-9 * np.diagonal(whole, axis1=1, axis2=2) + _FLAT).any(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = left[:, 0, 1] / np.sqrt(variances[:, 0] * variances[:, 1])
    return np.where(flat, np.nan, np.clip(result, -1, 1))


def _correlation(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    x, y = _centred(x, weights), _centred(y, weights)
    square_x, square_y = (weights * x * x).sum(axis=1), (weights * y * y).sum(axis=1)
    flat = np.minimum(square_x, square_y) < _FLAT
    result = (weights * x * y).sum(axis=1) / (np.sqrt(square_x * square_y) + _tiny(flat))
    return np.where(flat, np.nan, np.clip(result, -1, 1))


def _centred(values: FloatArray, weights: FloatArray) -> FloatArray:
    means: FloatArray = (weights * values).sum(axis=1) / weights.sum(axis=1)
    return values - means[:, None]


def _tiny(flat: NDArray[np.bool_]) -> FloatArray:
    """Something to divide by where the result is thrown away."""
    return flat.astype(np.float64)
