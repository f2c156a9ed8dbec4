"""Percentile intervals by resampling what was rated: a resample is how often each unit counts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.resampling import Intervals

#: How many weights are held at a time; more resamples than fit are worked through in turns.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """The central range of the resampled values, and the number of resamples whose statistic was undefined."""

    low: float | None
    high: float | None
    undefined: int


def bootstrap_interval(
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]], clusters: NDArray[np.intp], how: Intervals
) -> Interval:
    """The percentile interval of a statistic of unit weights; units of the same cluster are drawn together.

    No interval if there is only one cluster, or if more than half of the resamples are undefined.
    """
    n_clusters = int(clusters.max()) + 1 if len(clusters) else 0
    if n_clusters < 2 or how.resamples == 0:
        return Interval(None, None, 0)
    generator = np.random.default_rng(how.seed)
    values = []
    at_once = max(1, _AT_ONCE // max(len(clusters), n_clusters))
    for start in range(0, how.resamples, at_once):
        counts = _draw(n_clusters, min(at_once, how.resamples - start), generator)
        values.append(statistic(counts[:, clusters]))
    drawn = np.concatenate(values)
    defined = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(defined)
    if undefined > len(drawn) / 2:
        return Interval(None, None, undefined)
    tail = (1 - how.confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), undefined)


def _draw(n_clusters: int, resamples: int, generator: np.random.Generator) -> NDArray[np.float64]:
    drawn = generator.integers(n_clusters, size=(resamples, n_clusters))
    drawn += np.arange(resamples)[:, None] * n_clusters
    counts = np.bincount(drawn.ravel(), minlength=resamples * n_clusters)
    return counts.reshape(resamples, n_clusters).astype(np.float64)
