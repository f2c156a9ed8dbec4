"""Percentile intervals by resampling what was rated."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.ratings._values import Statistic, sparse
from dialgauge.resampling import Intervals

#: How many numbers are held at a time; more resamples than fit are worked through in turns.
_AT_ONCE = 4_000_000
#: Rows with more numbers than this are hardly ever equal, and are kept sparse.
_LONG_ROW = 256
#: α that differs from 1 by less than this is 1.
_PERFECT = 1e-9
#: Numbers of rows are sums of fractions; what differs after these decimals differs by rounding only.
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Interval:
    """The central range of the resampled values, and the number of resamples whose statistic was undefined."""

    low: float | None
    high: float | None
    undefined: int


def bootstrap_interval(statistic: Statistic, clusters: IntArray, how: Intervals) -> Interval:
    """The percentile interval of a statistic; units of the same cluster are drawn together.

    No interval if there is only one cluster, or if more than half of the resamples are undefined.
    """
    n_clusters = int(clusters.max()) + 1 if len(clusters) else 0
    if n_clusters < 2 or how.resamples == 0:
        return Interval(None, None, 0)
    drawn = _resampled(statistic, clusters, n_clusters, how)
    defined = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(defined)
    if undefined > len(drawn) / 2:
        return Interval(None, None, undefined)
    tail = (1 - how.confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), undefined)


def ratio_intervals(sums: FloatArray, counts: FloatArray, how: Intervals) -> FloatArray | None:
    """Both ends (rows) of the percentile interval of each column's total of ``sums`` over that of ``counts``.

    Their rows, such as dialogues, are resampled. None with a single row, or without resamples.
    """
    n = len(sums)
    if n < 2 or how.resamples == 0:
        return None
    weights = np.random.default_rng(how.seed).multinomial(n, np.full(n, 1 / n), size=how.resamples)
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = (weights @ sums) / (weights @ counts)
    return np.asarray(np.nanpercentile(drawn, [50 * (1 - how.confidence), 50 * (1 + how.confidence)], axis=0))


def alpha_interval(
    statistic: Statistic, value: float, clusters: IntArray, how: Intervals, without_raters: FloatArray | None = None
) -> Interval:
    """The interval of Krippendorff's α: Student's t around −log(1 − α), whose standard deviation is the bootstrap's.

    α lies closer to 1 than to its lower end, so percentiles are too narrow and off centre
    (``benchmarks/alpha_intervals.py``). With ``without_raters`` (α without each of them) the interval is for other
    raters, too: the jackknife's variance over raters is added.
    """
    n = int(clusters.max()) + 1 if len(clusters) else 0
    if n < 2 or how.resamples == 0:
        return Interval(None, None, 0)
    from scipy.special import stdtrit

    drawn = _resampled(statistic, clusters, n, how)
    defined = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(defined)
    tail = (1 - how.confidence) / 2
    if undefined > len(drawn) / 2:
        return Interval(None, None, undefined)
    if max(defined.max(), value) > 1 - _PERFECT:
        # Without disagreement there is no logarithm.
        low, high = np.quantile(defined, [tail, 1 - tail])
        return Interval(float(low), float(high), undefined)
    middle = -np.log(1 - value)
    variance, degrees = float(np.var(-np.log(1 - defined), ddof=1)) * n / (n - 1), n - 1
    if without_raters is not None:
        over_raters = _jackknife(without_raters)
        if over_raters is None:
            return Interval(None, None, undefined)
        degrees = len(without_raters) - 1 if over_raters > variance else degrees
        variance += over_raters
    half = -float(stdtrit(degrees, tail)) * np.sqrt(variance)
    low = max(-1.0, float(1 - np.exp(min(half - middle, 1.0))))
    return Interval(low, float(1 - np.exp(-half - middle)), undefined)


def _jackknife(without: FloatArray) -> float | None:
    """The variance of −log(1 − α) over raters from α without each of them; None where that is not known."""
    k = len(without)
    if k < 3 or np.isnan(without).any() or (without > 1 - _PERFECT).any():
        return None
    logs = -np.log(1 - without)
    return float((k - 1) / k * ((logs - logs.mean()) ** 2).sum())


def _resampled(statistic: Statistic, clusters: IntArray, n_clusters: int, how: Intervals) -> FloatArray:
    units = np.arange(len(clusters))
    rows = sparse(np.ones(len(units)), clusters, units, (n_clusters, len(units))) @ statistic.rows
    repeats = None
    if rows.shape[1] <= _LONG_ROW:
        rows, repeats = _distinct(rows.toarray())
    generator = np.random.default_rng(how.seed)
    at_once = max(1, _AT_ONCE // max(*rows.shape, 1))
    values = []
    for start in range(0, how.resamples, at_once):
        number = min(at_once, how.resamples - start)
        values.append(statistic.finish(_draw(generator, number, n_clusters, repeats) @ rows))
    return np.concatenate(values)


def _distinct(rows: FloatArray) -> tuple[FloatArray, IntArray | None]:
    """The rows that differ and how often each occurs; the rows as they are and None where few are equal.

    Clusters with equal rows cannot be distinguished by any statistic of their sum, so it is enough to draw how often
    each distinct row occurs: five ratings on a scale of five points have 126 rows, however many summaries there are.
    """
    keys = np.ascontiguousarray(np.round(rows, _DECIMALS) + 0.0)
    as_bytes = keys.view(np.dtype((np.void, max(1, keys.dtype.itemsize * keys.shape[1])))).ravel()
    _, first, repeats = np.unique(as_bytes, return_index=True, return_counts=True)
    return (rows[first], repeats) if 4 * len(first) <= len(rows) else (rows, None)


def _draw(generator: np.random.Generator, resamples: int, clusters: int, repeats: IntArray | None) -> Any:
    """How often each row is drawn, in each resample."""
    if repeats is not None:
        return generator.multinomial(clusters, repeats / clusters, size=resamples).astype(np.float64)
    drawn = generator.integers(clusters, size=(resamples, clusters))
    drawn += np.arange(resamples)[:, None] * clusters
    counts = np.bincount(drawn.ravel(), minlength=resamples * clusters)
    return counts.reshape(resamples, clusters).astype(np.float64)
