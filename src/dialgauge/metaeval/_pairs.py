"""Pairs of systems, and sums over them: what every level of the engine is written with."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.metaeval._names import BoolArray, FloatArray, IntArray, Level

#: Multiplications up to which a matrix product stays on one thread and in the cache.
ONE_THREAD = 1 << 19

#: Two points always lie on a line: a coefficient of fewer than these says nothing.
FEWEST = 3

#: Small whole numbers: exact in single precision.
Counts = NDArray[np.float32]
#: Such counts, or any other numbers.
Numbers = NDArray[Any]


@lru_cache(maxsize=16)
def pair_indices(m: int) -> tuple[IntArray, IntArray]:
    """Every pair of systems once: the first and the second of each. Shared, so not to be written to."""
    first, second = (np.asarray(side, dtype=np.int64) for side in np.triu_indices(m, 1))
    first.flags.writeable = second.flags.writeable = False
    return first, second


@lru_cache(maxsize=16)
def incidence(m: int) -> FloatArray:
    """Systems × pairs: +1 for the first and −1 for the second system of each pair; ``x @ incidence`` is differences."""
    first, second = pair_indices(m)
    matrix = np.zeros((m, len(first)))
    matrix[first, np.arange(len(first))] = 1
    matrix[second, np.arange(len(first))] = -1
    matrix.flags.writeable = False
    return matrix


def rounding(matrix: FloatArray) -> FloatArray:
    """How far the mean of each row can be off by rounding alone.

    Equal means need not come out equal in floating point: a difference within the sum of both is a tie.
    """
    largest = np.max(np.abs(matrix), axis=1, initial=0.0)
    return np.asarray(2.0 * np.finfo(np.float64).eps * matrix.shape[1] * largest)


def pair_rounding(matrix: FloatArray) -> FloatArray:
    """The same for the difference of the means of each pair of rows."""
    off, (first, second) = rounding(matrix), pair_indices(len(matrix))
    return np.asarray(off[first] + off[second])


def matrix_product(one: Numbers, other: Numbers) -> Numbers:
    """``one @ other`` in tiles that are small enough for one thread.

    A product that is shared among threads takes several times the processor time where the machine has other work.
    The tiles depend on the shapes alone, so that the same product gives the same bits everywhere.
    """
    rows, inner, columns = len(one), one.shape[1], other.shape[1]
    if rows * inner * columns <= ONE_THREAD:
        return np.asarray(one @ other)
    depth, width = min(inner, 128), min(columns, 256)
    height = max(16, ONE_THREAD // max(1, depth * width))
    if inner <= depth:
        return _flat_product(one, other, height, width)
    result = np.zeros((rows, columns), dtype=np.result_type(one, other))
    for top in range(0, rows, height):
        for left in range(0, columns, width):
            tile = result[top : top + height, left : left + width]
            for start in range(0, inner, depth):
                inside = slice(start, start + depth)
                tile += one[top : top + height, inside] @ other[inside, left : left + width]
    return result


def _flat_product(one: Numbers, other: Numbers, height: int, width: int) -> Numbers:
    """The same where no sum is longer than a tile: each tile is written where it belongs."""
    result = np.empty((len(one), other.shape[1]), dtype=np.result_type(one, other))
    for top in range(0, len(one), height):
        for left in range(0, other.shape[1], width):
            place = result[top : top + height, left : left + width]
            np.matmul(one[top : top + height], other[:, left : left + width], out=place)
    return result


def enough(present: BoolArray, level: Level) -> BoolArray:
    """The present cells (systems × dialogues) without those that a coefficient would have too few points of.

    The points are the systems, at summary level those of one dialogue, at global level the cells. What is drawn of
    them does not matter: a resample may have fewer different ones.
    """
    if level == "summary":
        return np.asarray(present & (present.sum(axis=0) >= FEWEST))
    points = present.any(axis=1) if level == "system" else present
    return present if points.sum() >= FEWEST else np.zeros_like(present)


def ratio(product: FloatArray, one: FloatArray, other: FloatArray) -> FloatArray:
    """product / √(one · other), NaN where a norm is zero, never beyond ±1."""
    norm = np.asarray(one * other)
    np.sqrt(norm, out=norm)
    if norm.all():
        np.divide(product, norm, out=norm)
    else:
        norm = np.divide(product, norm, out=np.full_like(norm, np.nan), where=norm > 0)
    return np.clip(norm, -1.0, 1.0, out=norm)


def average(by_dialogue: FloatArray, dialogues: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The weighted mean over the dialogues that have a coefficient, and how many (drawn) dialogues have none."""
    undefined = np.isnan(by_dialogue)
    if not undefined.any():
        return np.einsum("rj,rj->r", dialogues, by_dialogue) / dialogues.sum(axis=1), np.zeros(len(by_dialogue))
    skipped = np.einsum("rj,rj->r", dialogues, undefined.astype(np.float64))
    counted = dialogues.sum(axis=1) - skipped
    total = np.einsum("rj,rj->r", dialogues, np.where(undefined, 0.0, by_dialogue))
    return np.divide(total, counted, out=np.full(len(total), np.nan), where=counted > 0), skipped


def pair_products(rows: FloatArray) -> Counts:
    """The products of every pair of rows, in the order of :func:`pair_indices`."""
    m, columns = rows.shape
    narrow = rows.astype(np.float32)
    products = np.empty((m * (m - 1) // 2, columns), np.float32)
    start = 0
    for i in range(m - 1):  # row by row is several times quicker than indexing all pairs at once
        stop = start + m - 1 - i
        np.multiply(narrow[i], narrow[i + 1 :], out=products[start:stop])
        start = stop
    return products


def pair_signs(rows: FloatArray, off: FloatArray) -> Counts:
    """The sign of the difference of every pair of rows; 0 within the rounding of both (``off``, a value per row).

    Signs and counts are small whole numbers, exact in single precision as long as the systems are fewer than 4,000.
    """
    m, columns = rows.shape
    signs = np.empty((m * (m - 1) // 2, columns), np.float32)
    start = 0
    for i in range(m - 1):
        stop = start + m - 1 - i
        differences, tolerance = rows[i] - rows[i + 1 :], (off[i] + off[i + 1 :])[:, None]
        above, below = (differences > tolerance).view(np.int8), (differences < -tolerance).view(np.int8)
        np.subtract(above, below, out=signs[start:stop], dtype=np.int8, casting="unsafe")
        start = stop
    return signs


def shared_values(matrices: Sequence[FloatArray], mask: BoolArray) -> tuple[FloatArray, IntArray]:
    """The values that more than one system has in a dialogue, in one of these matrices or another.

    Gives who has each of them in each matrix (matrices × systems × values), and its dialogue; dialogues are in order.
    """
    system, dialogue = np.nonzero(mask)
    count = len(system)
    values = np.concatenate([matrix[mask] for matrix in matrices])
    order = np.lexsort((values, np.tile(dialogue, len(matrices))))
    values, which = values[order], order // max(1, count)
    systems, dialogues = system[order % max(1, count)], dialogue[order % max(1, count)]
    begins = np.ones(len(values), dtype=bool)
    begins[1:] = (np.diff(values) != 0) | (np.diff(dialogues) != 0)
    starts, group = np.flatnonzero(begins), np.cumsum(begins) - 1
    shared = np.zeros(len(starts), dtype=bool)
    shared[group[systems != systems[starts][group]]] = True
    number, kept = np.cumsum(shared) - 1, shared[group]
    members = np.zeros((len(matrices), len(mask), int(shared.sum())))
    members[which[kept], systems[kept], number[group[kept]]] = 1.0
    return members, dialogues[starts][shared]
