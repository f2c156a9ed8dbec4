"""Which of the metrics that follow the ratings are not significantly worse than the best of them.

A metric is dropped only where another one is shown to be better, over all pairs at one error: never by comparing with
a best one that the same data chose. Signs are flipped by whole systems, the same for all pairs.
"""

import numpy as np

from dialgauge.metaeval._draws import stream
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._weighted import pair_indices

_EQUAL = 1e-10


def best_floor(m: int) -> float:
    """The smallest p-value that a comparison of two metrics over this many systems permits."""
    return 2.0 / 2.0**m


def undominated(contributions: FloatArray, alpha: float, resamples: int, seed: int) -> np.ndarray:
    """Of metrics × systems (what each system adds to a metric's coefficient): those that no other is shown to beat."""
    k, m = contributions.shape
    if k < 2 or best_floor(m) > alpha:
        return np.ones(k, dtype=bool)
    first, second = pair_indices(k)
    apart = contributions[first] - contributions[second]
    square = (apart**2).sum(axis=1)
    scale = np.sqrt((square + np.median(square)) / 2)
    used = scale > 0
    if not used.any():
        return np.ones(k, dtype=bool)
    apart, scale, first, second = apart[used], scale[used], first[used], second[used]
    observed = apart.sum(axis=1) / scale
    # Centring within dialogues makes what systems add sum to the coefficient, which shrinks their spread a little.
    flipped = np.abs(_signs(m, resamples, seed) @ apart.T / scale) * np.sqrt(m / (m - 1))
    shown = _step_down(np.abs(observed), flipped) <= alpha + _EQUAL
    worse = np.where(observed > 0, second, first)[shown]
    kept = np.ones(k, dtype=bool)
    kept[worse] = False
    return kept


def _signs(m: int, resamples: int, seed: int) -> FloatArray:
    """All sign patterns (one of each pair of opposites) where they are at most ``resamples``, else random ones."""
    if 2 ** (m - 1) <= max(resamples, 1024):
        bits = (np.arange(2 ** (m - 1))[:, None] >> np.arange(m)) & 1
        return np.asarray(1.0 - 2.0 * bits)
    signs = stream(seed, "best").integers(0, 2, size=(resamples, m)) * 2.0 - 1.0
    signs[0] = 1.0
    return np.asarray(signs)


def _step_down(observed: FloatArray, flipped: FloatArray) -> FloatArray:
    order = np.argsort(-observed, kind="stable")
    below = np.maximum.accumulate(flipped[:, order][:, ::-1], axis=1)[:, ::-1]
    below[0] = np.maximum(below[0], observed[order])  # nothing flipped reaches what was observed
    p_values = np.mean(below >= observed[order] - _EQUAL, axis=0)
    result = np.empty(len(order))
    result[order] = np.maximum.accumulate(p_values)
    return result
