"""Trust cards: one number each for how a metric reacts to degraded and to rewritten summaries, and the worst cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY
from dialgauge.metaeval._cells import null
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._names import BoolArray, FloatArray
from dialgauge.metaeval._robustness_matrix import Changes, dose_of
from dialgauge.metaeval._weighted import matrix_product

#: One row of :attr:`Robustness.cards`.
CARDS = pl.Schema(
    {"metric": pl.String, "dimension": pl.String, "direction": pl.String}
    | {
        f"{name}{tail}": pl.Float64
        for name in ("robustness", "sensitivity", "stability")
        for tail in ("", "_low", "_high")
    }
    | {"degrading": pl.Int64, "preserving": pl.Int64, "dialogues": pl.Int64, "reason": pl.String}
)
#: One row of :attr:`Robustness.failures`.
FAILURES = pl.Schema(
    {
        "metric": pl.String,
        "rank": pl.Int64,
        **dict.fromkeys(KEY, pl.String),
        "perturbation": pl.String,
        "expected": pl.String,
        "original_score": pl.Float64,
        "variant_score": pl.Float64,
        "change": pl.Float64,
    }
)


def is_degrading(effect: str | None) -> bool:
    """Whether the effect lowers quality, mildly or not."""
    return effect is not None and effect.startswith("degrades")


@dataclass(frozen=True, slots=True, eq=False)
class CardMaker:
    """Everything the cards share. ``draws`` are counts of the dialogues (resamples × dialogues), the first all ones."""

    changes: Changes
    directions: Mapping[str, str]
    margin: float
    draws: FloatArray
    confidence: float

    def cards(self, dimension: str, expected: Sequence[str | None]) -> list[dict[str, Any]]:
        """A card per metric, for the effects of each label on a dimension (or all together)."""
        degrading = np.array([is_degrading(effect) for effect in expected])
        preserving = np.array([effect == "preserves" for effect in expected])
        values = self.changes.values
        sensitivity = self._share(values < 0, degrading)
        stability = self._share(np.abs(values) <= self.margin, preserving)
        rows = []
        for m, metric in enumerate(self.changes.metrics):
            direction = self.directions.get(metric, "none")
            reason = self._reason(metric, direction, degrading, preserving)
            row: dict[str, Any] = {
                "metric": metric,
                "dimension": dimension,
                "direction": direction,
                "degrading": int(degrading.sum()),
                "preserving": int(preserving.sum()),
                "dialogues": self.changes.dialogues,
                "reason": reason or None,
            }
            judged = direction != "none"
            row |= self._estimate("stability", stability[m])
            row |= self._estimate("sensitivity", sensitivity[m] if judged else None)
            row |= self._estimate("robustness", self._separation(m, degrading, preserving) if judged else None)
            rows.append(row)
        return rows

    def _reason(self, metric: str, direction: str, degrading: BoolArray, preserving: BoolArray) -> str:
        if metric in self.changes.reasons:
            return self.changes.reasons[metric]
        if direction == "none":
            return "descriptive: neither higher nor lower is better, so it cannot be judged"
        absent = [name for name, mask in (("degrading", degrading), ("preserving", preserving)) if not mask.any()]
        if absent:
            return f"no {' or '.join(absent)} perturbation among the variants"
        return "one dialogue: no interval" if self.changes.dialogues < 2 else ""

    def _share(self, hits: BoolArray, chosen: BoolArray) -> FloatArray:
        """The share of items that hit, averaged over the chosen labels: metrics × resamples."""
        known = ~np.isnan(self.changes.values[:, chosen])
        return _weighted_mean(self._shares(hits[:, chosen] & known, known), self._weights(chosen)[:, None], axis=1)

    def _separation(self, m: int, degrading: BoolArray, preserving: BoolArray) -> FloatArray:
        """How often damage lowers a score by more than a rewrite of the same summary moves it (ties count half).

        A rewrite should leave the score where it is: raising it is as wrong as lowering it.
        """
        worse = self.changes.values[m, degrading][:, None]
        kept = -np.abs(self.changes.values[m, preserving])[None]
        known = ~np.isnan(worse) & ~np.isnan(kept)
        shares = self._shares(np.where(known, (worse < kept) + 0.5 * (worse == kept), 0.0), known)
        by_label = _weighted_mean(shares, self._weights(preserving)[:, None], axis=1)
        return _weighted_mean(by_label, self._weights(degrading)[:, None], axis=0)

    def _shares(self, hits: FloatArray | BoolArray, known: BoolArray) -> FloatArray:
        """Hits per known item (last axis) under each weighting of the dialogues, which becomes the last axis."""
        both = np.stack([self.changes.by_dialogue(np.asarray(part, np.float64)) for part in (hits, known)])
        flat = matrix_product(self.draws, np.ascontiguousarray(both.reshape(-1, both.shape[-1]).T)).T
        hit, total = flat.reshape(*both.shape[:-1], len(self.draws))
        return np.asarray(np.divide(hit, total, out=np.full_like(hit, np.nan), where=total > 0))

    def _weights(self, chosen: BoolArray) -> FloatArray:
        """Every series counts once, however many levels it has."""
        series = [dose_of(label)[0] for label, keep in zip(self.changes.labels, chosen, strict=True) if keep]
        return np.array([1.0 / series.count(name) for name in series])

    def _estimate(self, name: str, draws: FloatArray | None) -> dict[str, float | None]:
        if draws is None:
            return {name: None, f"{name}_low": None, f"{name}_high": None}
        low = high = np.nan
        if len(draws) > 1 and self.changes.dialogues > 1:
            low, high = percentile_interval(draws[1:], self.confidence)
        return {name: null(float(draws[0])), f"{name}_low": null(low), f"{name}_high": null(high)}


def _weighted_mean(values: FloatArray, weights: FloatArray, axis: int) -> FloatArray:
    """The mean of what is known; NaN where nothing is."""
    known = ~np.isnan(values)
    total = (known * weights).sum(axis=axis)
    summed = (np.where(known, values, 0.0) * weights).sum(axis=axis)
    return np.asarray(np.divide(summed, total, out=np.full_like(summed, np.nan), where=total > 0))


def worst_failures(
    changes: Changes, directions: Mapping[str, str], expected: Mapping[str, str], margin: float, count: int
) -> pl.DataFrame:
    """The variants that each metric got most wrong, at most one per series, with both scores.

    A degrading variant is wrong by how far its score did not fall, a preserving one by how far the score moved beyond
    the margin; both in units. A metric without direction has no failures.
    """
    parts = []
    effect = pl.col("perturbation").replace_strict(expected, default=None, return_dtype=pl.String)
    for metric in changes.metrics:
        if directions.get(metric, "none") == "none":
            continue
        change = pl.col(f"{metric}:change")
        wrong = (
            pl.when(effect.str.starts_with("degrades"))
            .then(pl.when(change >= 0).then(change))
            .when(effect == "preserves")
            .then(pl.when(change.abs() > margin).then(change.abs()))
        )
        parts.append(
            changes.rows.select(
                pl.lit(metric).alias("metric"),
                *KEY,
                "perturbation",
                effect.alias("expected"),
                pl.col(f"{metric}:original").alias("original_score"),
                pl.col(metric).alias("variant_score"),
                change.alias("change"),
                wrong.alias("wrong"),
                pl.col("perturbation").map_elements(lambda one: dose_of(one)[0], return_dtype=pl.String).alias("of"),
            )
            .drop_nulls("wrong")
            .drop_nans("wrong")
            .sort("wrong", *KEY, descending=[True, *(False for _ in KEY)])
            .unique("of", keep="first", maintain_order=True)
            .head(count)
            .with_row_index("rank", offset=1)
        )
    if not parts:
        return pl.DataFrame(schema=FAILURES)
    return pl.concat(parts).select(pl.col(name).cast(dtype) for name, dtype in FAILURES.items())
