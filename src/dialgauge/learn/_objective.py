"""The objective by which learners are compared in a search, from matrices of systems × dialogues."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.arrays import FloatArray
from dialgauge.learn._targets import Target
from dialgauge.metaeval import correlation, per_dialogue

_ROW = ("system", "variant", "role")


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The position of each summary in a matrix of systems (a row per system, variant and role) × dialogues."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    shape: tuple[int, int]

    @classmethod
    def of(cls, keys: pl.DataFrame) -> "Layout":
        """The layout of these keys."""
        rows, n_rows = _numbered(keys, _ROW)
        columns, n_columns = _numbered(keys, ("dialogue_id",))
        return cls(rows, columns, (n_rows, n_columns))

    def matrix(self, values: FloatArray) -> FloatArray:
        """Values per summary as a matrix, NaN where there is no summary."""
        matrix = np.full(self.shape, np.nan)
        matrix[self.rows, self.columns] = values
        return matrix


@dataclass(frozen=True, slots=True)
class Judged:
    """The value of an objective (larger is better), its standard error over dialogues, and which one it is."""

    value: float
    error: float
    name: str


def judge(target: Target, keys: pl.DataFrame, predicted: FloatArray, values: FloatArray) -> Judged:
    """How good predictions are (NaN: not predicted).

    For classes the accuracy. For numbers the summary-level Pearson: within each dialogue, then averaged; where most
    dialogues have fewer than three summaries, the Pearson over all.
    """
    layout = Layout.of(keys)
    x, z = layout.matrix(predicted), layout.matrix(values)
    if target.task == "classes":
        known = ~np.isnan(predicted)
        right = np.where(known, target.classes(np.nan_to_num(predicted)) == target.classes(values), np.nan)
        each = _column_means(layout.matrix(right))
        return Judged(float(np.nanmean(right)), _error(each), "accuracy")
    enough = (~np.isnan(x)).sum(axis=0) >= 3
    if enough.mean() < 0.5:
        overall = correlation(x, z, "global", "pearson")
        known_pairs = int((~np.isnan(x)).sum())
        error = (1 - overall**2) / np.sqrt(max(known_pairs - 1, 1))
        return Judged(-1.0 if np.isnan(overall) else overall, float(error), "global pearson")
    each = per_dialogue(x[:, enough], z[:, enough])
    if np.isnan(each).all():
        return Judged(-1.0, float("nan"), "summary pearson")
    return Judged(float(np.nanmean(each)), _error(each), "summary pearson")


def _numbered(keys: pl.DataFrame, columns: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    numbers = keys.select(pl.struct(columns).rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
    return numbers, int(numbers.max(initial=-1)) + 1


def _column_means(matrix: FloatArray) -> FloatArray:
    known = ~np.isnan(matrix)
    count = known.sum(axis=0)
    sums = np.where(known, matrix, 0.0).sum(axis=0)
    return np.asarray(np.divide(sums, count, out=np.full(matrix.shape[1], np.nan), where=count > 0))


def _error(each: FloatArray) -> float:
    known = each[~np.isnan(each)]
    return float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")
