"""Intervals of a comparison: the results of all studies on resampled dialogues.

Dialogues that several studies rated are drawn for all of them together, as a new sample would have them; dialogues of
one study only are drawn for that one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.reproduce._cv import c4, small_sample_factor
from dialgauge.reproduce._settings import ComparisonSettings
from dialgauge.reproduce._studies import CELL, StudyResults

#: Fewer dialogues than this are too few to draw from.
_FEWEST_DIALOGUES = 5


@dataclass(frozen=True, slots=True)
class SampledCells:
    """For each study the value of each cell in each resample (resamples × cells); NaN where no dialogue was drawn."""

    cells: tuple[tuple[str, str, str], ...]
    drawn: tuple[FloatArray, ...]
    confidence: float

    @property
    def studies(self) -> int:
        """The number of studies."""
        return len(self.drawn)

    def values(self, cells: Sequence[tuple[str, str, str]], study: int) -> FloatArray:
        """The resampled values (resamples × cells) of some cells of one study."""
        places = {cell: place for place, cell in enumerate(self.cells)}
        return self.drawn[study][:, [places[cell] for cell in cells]]


def sample_cells(
    studies: Sequence[StudyResults], cells: Sequence[tuple[str, str, str]], asked: ComparisonSettings
) -> SampledCells | None:
    """The cells over drawn dialogues; None where a study has printed results only, or too few dialogues."""
    parts = [study.summaries for study in studies if study.summaries is not None]
    if len(parts) < len(studies) or not asked.resamples:
        return None
    dialogues = sorted({name for part in parts for name in part["dialogue_id"]})
    if min(part["dialogue_id"].n_unique() for part in parts) < _FEWEST_DIALOGUES:
        return None
    generator = np.random.default_rng(asked.seed)
    n = len(dialogues)
    weights = generator.multinomial(n, np.full(n, 1 / n), size=asked.resamples).astype(np.float64)
    drawn = tuple(_means(part, dialogues, cells, weights) for part in parts)
    return SampledCells(tuple(cells), drawn, asked.confidence)


def _means(
    summaries: pl.DataFrame, dialogues: list[str], cells: Sequence[tuple[str, str, str]], weights: FloatArray
) -> FloatArray:
    rows = {name: row for row, name in enumerate(dialogues)}
    columns = {cell: column for column, cell in enumerate(cells)}
    sums, counts = np.zeros((len(rows), len(columns))), np.zeros((len(rows), len(columns)))
    for dialogue, *cell, value in (
        summaries.select("dialogue_id", *CELL, "value").sort("dialogue_id", *CELL).iter_rows()
    ):
        column = columns.get((cell[0], cell[1], cell[2]))
        if column is not None:
            sums[rows[dialogue], column] += value
            counts[rows[dialogue], column] += 1
    with np.errstate(invalid="ignore"):
        return np.asarray((weights @ sums) / (weights @ counts))


def percentiles(values: FloatArray, confidence: float) -> tuple[float | None, float | None]:
    """The central range of the values that are defined; none where more than half are not."""
    defined = values[np.isfinite(values)]
    if 2 * len(defined) <= len(values):
        return None, None
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def row_cv_star(values: FloatArray, over_correction: bool) -> FloatArray:
    """CV* of each row of values on a scale that begins at 0."""
    n = values.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = values.std(axis=1, ddof=1) / c4(n) / values.mean(axis=1)
    return np.asarray(100 * small_sample_factor(n, over_correction) * spread)


def row_correlations(first: FloatArray, second: FloatArray, *, ranks: bool) -> FloatArray:
    """Pearson's r, or Spearman's ρ, of each row; NaN where one does not vary."""
    if ranks:
        from scipy.stats import rankdata

        first, second = rankdata(first, axis=1), rankdata(second, axis=1)
    x, y = first - first.mean(axis=1, keepdims=True), second - second.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1)))
