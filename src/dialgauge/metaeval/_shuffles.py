"""Coefficients of every metric with every dimension when the ratings of whole systems, or of dialogues, change places.

With A_ii' = Σ_j x̂_ij ẑ_i'j the coefficient after the shuffle σ of systems is Σ_i A_iσ(i): one matrix product, then
look-ups. The same holds for pairs of systems, which Kendall's τ and the pairwise accuracy need.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import factorial

import numpy as np

from dialgauge.metaeval._draws import stream
from dialgauge.metaeval._names import BoolArray, FloatArray, IntArray
from dialgauge.metaeval._standardised import PairSigns, Standardised
from dialgauge.metaeval._weighted import pair_indices
from dialgauge.metrics.kernels import sum_looked_up

#: Up to this many systems, all shuffles are gone through (720 at six).
ENUMERATED = 6
#: Values of shuffled ratings that are held at a time.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """A coefficient after each shuffle (shuffles × hypotheses; the first is the data as they are).

    ``expected`` is its mean over all possible shuffles, ``variance`` what theory expects of its variance. Hypotheses
    are metrics × dimensions, flattened.
    """

    values: FloatArray
    expected: FloatArray
    variance: FloatArray


def shuffle_systems(m: int, resamples: int, seed: int) -> IntArray:
    """Orders of the systems, the present one first: all where they are at most ``resamples`` or ``ENUMERATED`` allows.

    Else as many random ones as ``resamples`` says, the present one among them.
    """
    if m <= ENUMERATED or factorial(m) <= resamples:
        return _all_orders(m)
    return _random_orders(m, resamples, seed)


def shuffle_dialogues(n: int, resamples: int) -> IntArray:
    """Random orders of the dialogues, the present one first.

    They are the same for every seed: with two or three systems, p-values must not change with it either.
    """
    return _random_orders(n, max(resamples, 1), 0, "inputs")


def within_dialogues(orders: IntArray, used: BoolArray) -> IntArray:
    """The orders that shuffles of all dialogues leave of some of them."""
    place = np.where(used, np.cumsum(used) - 1, -1)[orders]
    return place[place >= 0].reshape(len(orders), int(used.sum()))


@lru_cache(maxsize=8)
def _all_orders(m: int) -> IntArray:
    orders = np.array(list(permutations(range(m))), dtype=np.int64)
    orders.flags.writeable = False
    return orders


@lru_cache(maxsize=4)
def _random_orders(size: int, resamples: int, seed: int, purpose: str = "systems") -> IntArray:
    keys = stream(seed, f"shuffle-{purpose}").random((resamples, size))
    orders = np.argsort(keys, axis=1)
    orders[0] = np.arange(size)
    orders.flags.writeable = False
    return orders


def over_systems(x: Standardised, z: Standardised, orders: IntArray, *, noise: bool = False) -> Shuffled:
    """Σ x̂ẑ after each shuffle of the systems of z.

    Gaps that scores and ratings share overlap less after a shuffle, which would make it look smaller. The sum grows
    with the number of cells in both; where it is ``noise`` (nothing is left between systems), with its own deviation.
    """
    table = _table(x.values, z.values)
    values = sum_looked_up(table, orders)
    m, n = x.values.shape[1:]
    expected = table.mean(axis=1).sum(axis=0)
    if not (x.present.all() and z.present.all()):
        left, right = (side.values**2 if noise else side.present.astype(float) for side in (x, z))
        values = expected + (values - expected) * _fewer(sum_looked_up(_table(left, right), orders), noise)
    within = np.outer(x.total - x.between, z.total - z.between) / max(n - 1, 1)
    variance = ((np.outer(x.between, z.between) + within) / max(m - 1, 1)).ravel()
    return Shuffled(values, expected, variance)


def over_dialogues(x: Standardised, z: Standardised, orders: IntArray, basis: FloatArray) -> Shuffled:
    """Σ x̂ẑ after each shuffle of the dialogues of z.

    ``basis`` is what was taken out of both (dialogues × orthonormal columns). Shuffled ratings have a part along it
    again, which x cannot have: without that part they are shorter, and the coefficient is larger.
    """
    (k, m, n), d = x.values.shape, len(z.values)
    values = _with_dialogues(x.values, z.values, orders)
    again = np.einsum("dirj,jp->rdip", z.values[:, :, orders], basis, optimize=True)
    left = np.sqrt(np.clip(1 - (again**2).sum(axis=(2, 3)), 1e-3, 1.0))
    values = (values.reshape(-1, k, d) / left[:, None]).reshape(values.shape)
    freedom = (m - 1) * max(n - basis.shape[1], 1)
    return Shuffled(values, np.zeros(k * d), np.full(k * d, 1 / freedom))


def pairs_over_systems(
    x: PairSigns, z: PairSigns, orders: IntArray, variance: FloatArray, *, accuracy: bool
) -> Shuffled:
    """Kendall's τ-b, averaged over dialogues, or the share of pairs ordered alike, after each shuffle of systems."""
    left, right = (_features(side, accuracy) for side in (x, z))
    m = orders.shape[1]
    first, second = pair_indices(m)
    # Pairs of z in either order: a shuffle may turn a pair round.
    both = np.zeros((len(right), m, m, right.shape[2]))
    both[:, first, second] = right
    both[:, second, first] = right[:, :, _turned(right.shape[2], accuracy)] * (1 if accuracy else -1)
    table = _table(left, both.reshape(len(right), m * m, -1))
    places = orders[:, first] * m + orders[:, second]
    values = sum_looked_up(table, places)
    apart = ~np.eye(m, dtype=bool).ravel()
    expected = table[:, apart].mean(axis=1).sum(axis=0)
    if not (x.present.all() and z.present.all()):
        counts = sum_looked_up(_table(x.present.astype(float), _both_ways(z.present, m)), places)
        values = expected + (values - expected) * _fewer(counts, noise=False)
    return Shuffled(values, expected, variance / (4 if accuracy else 1))


def _features(side: PairSigns, accuracy: bool) -> FloatArray:
    """Matrices × pairs × features whose products sum to the coefficient."""
    if accuracy:
        count = np.maximum(side.present.sum(axis=1, keepdims=True), 1)
        used = np.maximum((side.present.sum(axis=1, keepdims=True) > 0).sum(axis=2, keepdims=True), 1)
        weight = side.present / np.sqrt(count * used)
        return np.concatenate([weight * (side.signs == sign) for sign in (1, 0, -1)], axis=2)
    untied = (side.signs**2).sum(axis=1, keepdims=True)
    used = np.maximum((untied > 0).sum(axis=2, keepdims=True), 1)
    return np.asarray(side.signs / np.sqrt(np.maximum(untied, 1) * used))


def _turned(features: int, accuracy: bool) -> IntArray:
    """The places of the features of a pair that is read the other way round."""
    places = np.arange(features)
    return np.concatenate(np.split(places, 3)[::-1]) if accuracy else places


def _both_ways(present: np.ndarray, m: int) -> FloatArray:
    first, second = pair_indices(m)
    both = np.zeros((len(present), m, m, present.shape[2]))
    both[:, first, second] = both[:, second, first] = present
    return both.reshape(len(present), m * m, -1)


def _table(left: FloatArray, right: FloatArray) -> FloatArray:
    """Rows of left × rows of right × hypotheses: the sums of products over the last axis."""
    k, a, n = left.shape
    d, b, _ = right.shape
    product = left.reshape(k * a, n) @ right.reshape(d * b, n).T
    return np.ascontiguousarray(product.reshape(k, a, d, b).transpose(1, 3, 0, 2)).reshape(a, b, k * d)


def _with_dialogues(left: FloatArray, right: FloatArray, orders: IntArray) -> FloatArray:
    """Orders × hypotheses: the sums of products with the dialogues of the right side in each order."""
    k, m, n = left.shape
    d = len(right)
    flat, values = left.reshape(k, m * n), np.empty((len(orders), k, d))
    step = max(1, _AT_ONCE // (d * m * n))
    for start in range(0, len(orders), step):
        part = orders[start : start + step]
        moved = right[:, :, part].transpose(2, 0, 1, 3).reshape(len(part) * d, m * n)
        values[start : start + step] = (moved @ flat.T).reshape(len(part), d, k).transpose(0, 2, 1)
    return values.reshape(len(orders), k * d)


def _fewer(sums: FloatArray, noise: bool) -> FloatArray:
    """What sums over fewer cells (shuffles × hypotheses) are multiplied with to be comparable to the first.

    ``sums`` counts the cells in both sides or, for noise, adds up the squares of their products.
    """
    share = sums[0] / np.maximum(sums, np.finfo(np.float64).tiny)
    return np.asarray(np.sqrt(share) if noise else share)
