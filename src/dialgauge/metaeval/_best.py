"""Which of the metrics that follow the ratings are not significantly worse than the best of them.

A metric is dropped only where another one is shown to be better, over all pairs at one error: never by comparing with
a best one that the same data chose. Signs are flipped by whole systems, the same for all pairs.
"""

from collections.abc import Sequence

import numpy as np

from dialgauge.metaeval._draws import stream
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._weighted import matrix_product, pair_indices

_EQUAL = 1e-10
#: Statistics that are held at once, so that hundreds of metrics fit in memory.
_CELLS = 1 << 21


def best_floor(m: int) -> float:
    """The smallest p-value that a comparison of two metrics over this many systems permits."""
    return 2.0 ** (1 - m)


def undominated(views: Sequence[FloatArray], alpha: float, resamples: int, seed: int) -> np.ndarray:
    """Of metrics × units (what each unit adds to a metric's coefficient): those that no other is shown to beat.

    Where systems and dialogues both matter there are two views, each of which sums to the coefficient; the signs of
    both are flipped at once, so that chance in either counts.
    """
    if best_floor(views[0].shape[1]) > alpha:
        return np.ones(len(views[0]), dtype=bool)
    worse = corrected_pairs(views, resamples, seed) <= alpha + _EQUAL
    values = views[0].sum(axis=1)
    return np.asarray(~(worse & (values[:, None] < values[None])).any(axis=1))


def corrected_pairs(views: Sequence[FloatArray], resamples: int, seed: int) -> FloatArray:
    """Metrics × metrics: the p-value of their difference, corrected for all pairs; 1 where they are the same."""
    k = len(views[0])
    result = np.ones((k, k))
    if k < 2:
        return result
    first, second = pair_indices(k)
    observed = np.abs((views[0][first] - views[0][second]).sum(axis=1))
    apart = np.concatenate([_spread(view[first] - view[second]) for view in views], axis=1)
    square = (apart**2).sum(axis=1)
    scale = np.sqrt((square + np.median(square)) / 2)
    used = scale > 0
    if used.any():
        signs = _signs(apart.shape[1], resamples, seed)
        p_values = _step_down(observed[used] / scale[used], signs, apart[used].T / scale[used])
        result[first[used], second[used]] = result[second[used], first[used]] = p_values
    return result


def _spread(apart: FloatArray) -> FloatArray:
    """Centring within dialogues makes what units add sum to the coefficient, which shrinks their spread a little."""
    units = apart.shape[1]
    return np.asarray(apart * np.sqrt(units / max(units - 1, 1)))


def _signs(m: int, resamples: int, seed: int) -> FloatArray:
    """All sign patterns (one of each pair of opposites) where they are at most ``resamples``, else random ones.

    The first flips nothing.
    """
    if 2 ** (m - 1) <= max(resamples, 1024):
        bits = (np.arange(2 ** (m - 1))[:, None] >> np.arange(m)) & 1
        return np.asarray(1.0 - 2.0 * bits)
    signs = stream(seed, "best").integers(0, 2, size=(resamples, m)) * 2.0 - 1.0
    signs[0] = 1.0
    return np.asarray(signs)


def _step_down(observed: FloatArray, signs: FloatArray, apart: FloatArray) -> FloatArray:
    """Corrected p-values of pairs: the share of flips whose largest statistic, of a pair and all below, reaches it."""
    order = np.argsort(-observed, kind="stable")
    apart, ordered = apart[:, order], observed[order]
    reached = np.zeros(len(order))
    step = max(1, _CELLS // len(order))
    for start in range(0, len(signs), step):
        flipped = np.abs(matrix_product(signs[start : start + step], apart))
        if start == 0:
            flipped[0] = np.maximum(flipped[0], ordered)  # nothing flipped reaches what was observed
        largest = np.maximum.accumulate(flipped[:, ::-1], axis=1)[:, ::-1]
        reached += (largest >= ordered - _EQUAL).sum(axis=0)
    result = np.empty(len(order))
    result[order] = np.maximum.accumulate(reached / len(signs))
    return result
