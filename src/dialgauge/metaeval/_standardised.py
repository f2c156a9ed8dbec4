"""What a coefficient multiplies: matrices of systems × dialogues, centred and scaled so that it is a sum of products.

A coefficient at a level is Σ_ij x̂_ij ẑ_ij (Kendall's τ and the pairwise accuracy: a sum over pairs of systems). A cell
without a value is 0. All of this commutes with exchanging the rows of one side, which is what makes shuffles quick.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import BoolArray, FloatArray, Level
from dialgauge.metaeval._weighted import pair_indices

#: Rounds of filling gaps by what the means predict; the error shrinks by the share of gaps each time.
_ROUNDS = 30
#: Sums of squares below this share of the largest value are rounding: the values are constant.
_CONSTANT = 1e-24


@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """Matrices × systems × dialogues, with the cells that have a value, and per matrix the parts of its variance.

    ``between`` is the sum of squares that lies between systems, ``total`` all of it, both after what dialogues
    contribute; ``dialogues`` is how many of them count.
    """

    values: FloatArray
    present: BoolArray
    between: FloatArray
    total: FloatArray

    def take(self, rows: np.ndarray, columns: np.ndarray) -> "Standardised":
        """The same with systems and dialogues in another order."""
        return Standardised(
            self.values[:, rows][:, :, columns], self.present[:, rows][:, :, columns], self.between, self.total
        )


def standardised(cube: FloatArray, level: Level) -> Standardised:
    """For a coefficient within dialogues (``summary``), of the systems' means (``system``) or of all cells."""
    cube, present = _at_level(cube, level)
    axes = (1, 2) if level == "global" else (1,)
    values = _centred(cube, present, axes)
    largest = np.abs(np.where(present, cube, 0.0)).max(axis=(1, 2), initial=0.0)[:, None, None]
    square = (values**2).sum(axis=axes, keepdims=True)
    defined = square > _CONSTANT * (largest**2 + np.finfo(np.float64).tiny)
    values = np.where(defined, values / np.sqrt(np.where(defined, square, 1.0)), 0.0)
    if level == "summary":
        values = values / np.sqrt(np.maximum(defined.sum(axis=2, keepdims=True), 1))
    return _measured(values, present)


def cell_part(cube: FloatArray, covariates: FloatArray | None = None) -> Standardised:
    """What is left without the means of dialogues and systems, scaled to length 1.

    With ``covariates`` (each a value per dialogue), the line of every system on them is taken out, too: systems that
    react differently to the length of a dialogue would otherwise look like agreement. Values are then replaced by
    normal scores first, because a line through a few outliers leaves residuals that do not change places fairly.
    """
    present = ~np.isnan(cube)
    largest = np.abs(np.where(present, cube, 0.0)).max(axis=(1, 2), initial=0.0)
    values = _without_means(cube, present, slope_basis(cube.shape[2], None))
    defined = (values**2).sum(axis=(1, 2)) > _CONSTANT * cube[0].size * (largest**2 + np.finfo(np.float64).tiny)
    if covariates is not None:
        values = _normal_scores(np.where(present & defined[:, None, None], values, np.nan))
        values = _without_means(values, present, slope_basis(cube.shape[2], covariates))
    square = (values**2).sum(axis=(1, 2))
    defined &= square > _CONSTANT
    length = np.sqrt(np.where(defined, square, 1.0))
    return _measured(np.where(defined[:, None, None], values / length[:, None, None], 0.0), present)


def _without_means(cube: FloatArray, present: BoolArray, basis: FloatArray) -> FloatArray:
    """The cells without what dialogues and the basis predict; gaps are filled by what is predicted, and then 0."""
    if present.all():
        return _residuals(np.where(present, cube, 0.0), basis)
    filled = _centred(cube, present, (1, 2))
    for _ in range(_ROUNDS):
        filled = np.where(present, filled, filled - _residuals(filled, basis))
    return np.asarray(np.where(present, _residuals(filled, basis), 0.0))


def _normal_scores(cube: FloatArray) -> FloatArray:
    """The quantiles of a normal distribution that the ranks of a matrix's values stand for."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    flat = np.round(cube.reshape(len(cube), -1), 12)
    count = (~np.isnan(flat)).sum(axis=1, keepdims=True)
    ranks = rankdata(flat, axis=1, nan_policy="omit") if np.isnan(flat).any() else rankdata(flat, axis=1)
    return np.asarray(np.where(np.isnan(flat), 0.0, ndtri(ranks / (count + 1)))).reshape(cube.shape)


def without_line(cube: FloatArray, on: FloatArray) -> FloatArray:
    """Within dialogues, what is left of each matrix when its line on another matrix is taken out."""
    present = ~np.isnan(cube) & ~np.isnan(on)
    given = np.broadcast_to(on, cube.shape)
    x = _centred(np.where(present, given, np.nan), present, (1,))
    y = _centred(np.where(present, cube, np.nan), present, (1,))
    square = (x**2).sum(axis=(1, 2), keepdims=True)
    slope = (x * y).sum(axis=(1, 2), keepdims=True) / np.where(square > 0, square, 1.0)
    left = y - slope * x
    # What the line explains to the last digit is constant, not tiny.
    left = np.where(np.abs(left) <= 1e-10 * np.abs(y).max(axis=(1, 2), keepdims=True, initial=0.0), 0.0, left)
    return np.where(present, left, np.nan)


def ranked(cube: FloatArray, level: Level) -> FloatArray:
    """Ranks (average of ties, centred) of what a coefficient compares: within dialogues, of means, of all cells."""
    cube, present = _at_level(cube, level)
    if level == "global":
        from scipy.stats import rankdata

        flat = cube.reshape(len(cube), -1)
        return np.asarray(rankdata(flat, axis=1, nan_policy="omit")).reshape(cube.shape)
    ranks = np.empty_like(cube)
    for i in range(cube.shape[1]):
        ranks[:, i] = np.where(present, np.sign(cube[:, i, None] - np.where(present, cube, 0.0)), 0.0).sum(axis=1)
    return np.where(present, ranks / 2, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class PairSigns:
    """Which system of each pair is better: matrices × pairs × dialogues, −1, 0 or 1; 0 where one is missing."""

    signs: FloatArray
    present: BoolArray


def pair_signs(cube: FloatArray, level: Level, ties: FloatArray | None = None) -> PairSigns:
    """The order of each pair of systems in each dialogue (or of their means); closer than ``ties`` counts as tied."""
    cube, present = _at_level(cube, level)
    k, m, n = cube.shape
    within = (np.zeros(k) if ties is None else ties)[:, None, None]
    signs, both = np.empty((k, m * (m - 1) // 2, n)), np.empty((k, m * (m - 1) // 2, n), dtype=bool)
    start = 0
    for i in range(m - 1):  # system by system: all pairs at once take many times the memory, and longer
        stop = start + m - 1 - i
        np.logical_and(present[:, i : i + 1], present[:, i + 1 :], out=both[:, start:stop])
        apart = cube[:, i : i + 1] - cube[:, i + 1 :]  # NaN where one is missing: neither above nor below
        above, below = (apart > within).view(np.int8), (apart < -within).view(np.int8)
        np.subtract(above, below, out=signs[:, start:stop], dtype=np.int8, casting="unsafe")
        start = stop
    return PairSigns(signs, both)


def pair_distances(matrix: FloatArray, level: Level) -> FloatArray:
    """How far apart the two systems of each pair are, in each dialogue that has both (or in their means)."""
    cube, present = _at_level(matrix[None], level)
    first, second = pair_indices(cube.shape[1])
    both = present[:, first] & present[:, second]
    return np.asarray(np.abs(cube[:, first] - cube[:, second])[both])


def _at_level(cube: FloatArray, level: Level) -> tuple[FloatArray, BoolArray]:
    """The values that are compared, and which there are: the cells, or the means of systems as one dialogue."""
    present = np.asarray(~np.isnan(cube))
    if level == "system":
        return _means(cube, present), np.asarray(present.any(axis=2, keepdims=True))
    return cube, present


def _means(cube: FloatArray, present: BoolArray) -> FloatArray:
    count = present.sum(axis=2, keepdims=True)
    total = np.where(present, cube, 0.0).sum(axis=2, keepdims=True)
    means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    # Equal means must be equal: rounding in a sum is not a difference between systems.
    size = np.abs(np.where(present, cube, 0.0)).max(axis=(1, 2), keepdims=True, initial=0.0)
    step = 1e-12 * np.where(size > 0, size, 1.0)
    return np.asarray(np.round(means / step) * step)


def _centred(cube: FloatArray, present: BoolArray, axes: tuple[int, ...]) -> FloatArray:
    filled = np.where(present, cube, 0.0)
    count = np.maximum(present.sum(axis=axes, keepdims=True), 1)
    return np.asarray(np.where(present, filled - filled.sum(axis=axes, keepdims=True) / count, 0.0))


def slope_basis(n: int, covariates: FloatArray | None) -> FloatArray:
    """Orthonormal columns: a constant and the covariates, as far as they differ from each other."""
    columns = [np.ones(n)]
    for row in () if covariates is None else covariates:
        spread = row - row.mean()
        if np.abs(spread).max() > 0:
            columns.append(spread / np.abs(spread).max())
    q, r = np.linalg.qr(np.stack(columns, axis=1))
    return np.asarray(q[:, np.abs(np.diag(r)) > 1e-9])


def _residuals(filled: FloatArray, basis: FloatArray) -> FloatArray:
    values = filled - filled.mean(axis=1, keepdims=True)
    return np.asarray(values - (values @ basis) @ basis.T)


def _measured(values: FloatArray, present: BoolArray) -> Standardised:
    # The part of a global coefficient that dialogues share is the same in every shuffle of the systems.
    m = values.shape[1]
    rest = values - np.where(present, values.sum(axis=1, keepdims=True) / m, 0.0)
    between = (rest.sum(axis=2) ** 2).sum(axis=1) / values.shape[2]
    return Standardised(values, present, between, (rest**2).sum(axis=(1, 2)))
