"""Coefficients after shuffles: for every shuffle, a sum of one row of each table."""

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics.kernels._native import call, has_kernel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def sum_looked_up(tables: FloatArray, places: IntArray) -> FloatArray:
    """Σ_t tables[t, places[r, t]] for every shuffle r, added in the order of t: shuffles × columns."""
    count, rows, columns = tables.shape
    if not has_kernel("dg_look_up"):
        return _sparse_product(tables, places)
    sums = np.zeros((len(places), columns))
    chosen = np.ascontiguousarray(places, dtype=np.int64)
    call("dg_look_up", np.ascontiguousarray(tables), count, rows, columns, chosen, len(places), sums)
    return sums


def _sparse_product(tables: FloatArray, places: IntArray) -> FloatArray:
    """A product with a sparse matrix of ones, which adds in the same order."""
    from scipy.sparse import csr_array

    count, rows, columns = tables.shape
    cells = (places + np.arange(count) * rows).ravel()
    starts = np.arange(0, len(cells) + 1, count) if count else np.zeros(len(places) + 1, dtype=np.int64)
    chosen = csr_array((np.ones(len(cells)), cells, starts), shape=(len(places), count * rows))
    return np.asarray(chosen @ tables.reshape(count * rows, columns))
