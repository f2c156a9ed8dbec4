"""Fleiss' κ and percent agreement, as sums over units."""

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray
from dialgauge.ratings._frame import UnitRatings
from dialgauge.ratings._values import Statistic, count_values, sparse


def commonest_size(ratings: UnitRatings) -> int:
    """The commonest number (two or more; ties: the larger) of ratings of a unit; 0 where no unit has two."""
    counts = np.bincount(ratings.sizes, minlength=2)
    counts[:2] = 0
    return len(counts) - 1 - int(np.argmax(counts[::-1])) if counts.any() else 0


def fleiss_units(ratings: UnitRatings, size: int | None = None) -> BoolArray:
    """The units that Fleiss' κ can use: those with ``size`` ratings, by default the commonest number of them."""
    wanted = commonest_size(ratings) if size is None else size
    return np.asarray((ratings.sizes == wanted) & (wanted > 1))


def fleiss_statistic(ratings: UnitRatings, size: int | None = None) -> Statistic:
    """Fleiss' κ = (P − Pₑ)/(1 − Pₑ) over the units of :func:`fleiss_units`, which have equally many ratings."""
    used = fleiss_units(ratings, size)
    counts = count_values(ratings, used)
    width, each = len(counts.values), int(counts.sizes[used].max(initial=0))
    agreeing = counts.count * (counts.count - 1) / max(each * (each - 1), 1)
    columns = np.concatenate([counts.code, np.full(len(counts.code), width)])
    rows = sparse(
        np.concatenate([counts.count, agreeing]), np.tile(counts.unit, 2), columns, (len(counts.sizes), width + 1)
    )

    def finish(sums: FloatArray) -> FloatArray:
        marginals = sums[:, :-1]
        total = np.maximum(marginals.sum(axis=1), 1)
        chance = ((marginals / total[:, None]) ** 2).sum(axis=1)
        defined = (marginals > 0.5).sum(axis=1) > 1
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(defined, (sums[:, -1] * max(each, 1) / total - chance) / (1 - chance), np.nan)

    return Statistic(rows, finish)


def percent_statistic(ratings: UnitRatings) -> Statistic:
    """The share of equal pairs among all pairs of ratings of the same unit."""
    sizes = ratings.sizes
    counts = count_values(ratings, sizes >= 2)
    units = np.arange(len(sizes))
    values = np.concatenate([sizes * (sizes - 1) / 2, counts.count * (counts.count - 1) / 2])
    rows = sparse(
        values,
        np.concatenate([units, counts.unit]),
        np.concatenate([np.zeros(len(units), dtype=np.int64), np.ones(len(counts.unit), dtype=np.int64)]),
        (len(sizes), 2),
    )

    def finish(sums: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(sums[:, 0] > 0, sums[:, 1] / sums[:, 0], np.nan)

    return Statistic(rows, finish)
