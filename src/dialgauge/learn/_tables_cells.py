"""The cells of the tables: accuracies on each set, their difference to the originals, and intervals of both."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.learn._procedure import Data
from dialgauge.learn._splits import IntArray
from dialgauge.learn._validation_scores import dialogue_draws
from dialgauge.metaeval import percentile_interval
from dialgauge.resampling import CONFIDENCE, Intervals

TABLES = pl.Schema(
    {
        "condition": pl.String(),
        "dimension": pl.String(),
        "classifier": pl.String(),
        "set": pl.String(),
        "accuracy": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "difference": pl.Float64(),
        "difference_low": pl.Float64(),
        "difference_high": pl.Float64(),
        "summaries": pl.Int64(),
        "ratings": pl.String(),
    }
)


@dataclass(frozen=True, slots=True)
class _Set:
    """The rows of one set: positions, their true class, the number of their dialogue."""

    rows: IntArray
    truth: FloatArray
    dialogue: IntArray
    origin: str


@dataclass(frozen=True, slots=True)
class Cells:
    """The data for evaluating predictions of one dimension.

    ``draws`` is how often each dialogue counts: once in the first row, and in each resample.
    """

    sets: Mapping[str, _Set]
    originals: int
    variants: int
    dialogues: int
    draws: FloatArray = field(default_factory=lambda: np.ones((1, 1)))
    confidence: float = CONFIDENCE

    @classmethod
    def of(cls, data: Data, rated: pl.DataFrame, variants: pl.DataFrame, families: Sequence[str]) -> "Cells":
        """``rated`` has the key, value and origin of each variant that has a rating; ``variants`` has them all."""
        names = data.keys["dialogue_id"].unique().sort().to_list()
        place = {name: number for number, name in enumerate(names)}

        def numbers(column: pl.Series) -> IntArray:
            return np.array([place[name] for name in column], dtype=np.int64)

        truth = data.target.classes(data.y)
        sets = {ORIGINAL: _Set(np.arange(len(truth)), truth, numbers(data.keys["dialogue_id"]), "given")}
        known = variants.with_row_index("row").join(
            rated.select(*KEY, "value", "origin"), on=list(KEY), how="inner", maintain_order="left"
        )
        for family in families:
            part = known.filter(pl.col("family") == family)
            sets[family] = _Set(
                part["row"].to_numpy().astype(np.int64),
                data.target.classes(part["value"].to_numpy()),
                numbers(part["dialogue_id"]),
                " and ".join(sorted(part["origin"].unique())),
            )
        return cls(sets, len(truth), variants.height, len(names))

    def empty(self) -> tuple[FloatArray, FloatArray]:
        """Room for a class of each original and each variant; NaN where nothing was predicted."""
        return np.full(self.originals, np.nan), np.full(self.variants, np.nan)

    def with_draws(self, asked: Intervals) -> "Cells":
        """The same with resamples of dialogues, which all classifiers and sets share."""
        draws = np.vstack([np.ones((1, self.dialogues)), dialogue_draws(self.dialogues, asked)])
        return replace(self, draws=draws, confidence=asked.confidence)

    def judge(self, said: tuple[FloatArray, FloatArray]) -> list[dict[str, Any]]:
        """A cell per set."""
        values = {name: self._accuracies(said, name) for name in self.sets}
        rows = []
        for name, one in self.sets.items():
            change = values[name] - values[ORIGINAL]
            base = name == ORIGINAL
            low, high = _interval(values[name], self.confidence)
            change_low, change_high = _interval(change, self.confidence)
            rows.append(
                {
                    "set": name,
                    "accuracy": _null(values[name][0]),
                    "low": low,
                    "high": high,
                    "difference": None if base else _null(change[0]),
                    "difference_low": None if base else change_low,
                    "difference_high": None if base else change_high,
                    "summaries": int((~np.isnan(self._said(said, name))).sum()),
                    "ratings": one.origin,
                }
            )
        return rows

    def _said(self, said: tuple[FloatArray, FloatArray], name: str) -> FloatArray:
        return said[0 if name == ORIGINAL else 1][self.sets[name].rows]

    def _accuracies(self, said: tuple[FloatArray, FloatArray], name: str) -> FloatArray:
        """The accuracy on one set: as it is, then in each resample."""
        one, predicted = self.sets[name], self._said(said, name)
        known = ~np.isnan(predicted)
        places = one.dialogue[known]
        right = np.bincount(places, weights=predicted[known] == one.truth[known], minlength=self.dialogues)
        sizes = self.draws @ np.bincount(places, minlength=self.dialogues)
        result: FloatArray = np.divide(self.draws @ right, sizes, out=np.full(len(sizes), np.nan), where=sizes > 0)
        return result


def _interval(values: FloatArray, confidence: float) -> tuple[float | None, float | None]:
    if len(values) == 1:
        return None, None
    low, high = percentile_interval(values[1:], confidence)
    return _null(low), _null(high)


def _null(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
