"""Dose response: whether a metric falls further the stronger the perturbation."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from dialgauge.metaeval._cells import null
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._names import FloatArray
from dialgauge.metaeval._robustness_matrix import Changes, dose_of

#: One row of :attr:`Robustness.doses`.
DOSES = pl.Schema(
    {
        "metric": pl.String,
        "series": pl.String,
        "levels": pl.String,
        "expected": pl.String,
        "slope": pl.Float64,
        "slope_low": pl.Float64,
        "slope_high": pl.Float64,
        "monotone": pl.Float64,
        "monotone_low": pl.Float64,
        "monotone_high": pl.Float64,
        "items": pl.Int64,
        "reason": pl.String,
    }
)


def dose_response(
    changes: Changes, directions: Mapping[str, str], expected: Mapping[str, str], draws: FloatArray, confidence: float
) -> pl.DataFrame:
    """A row per metric with a direction and series with two levels or more.

    Both numbers compare levels *within* a summary: a long summary can lose six sentences and a short one cannot, so
    the means of the levels are means of different summaries. ``slope`` is the least-squares change per level,
    ``monotone`` the share of pairs of levels of which the higher scores lower (ties count half; 0.5 is chance).
    """
    series: dict[str, list[tuple[int, int]]] = {}
    for position, label in enumerate(changes.labels):
        name, level = dose_of(label)
        series.setdefault(name, []).append((level, position))
    rows = []
    for name, members in series.items():
        members.sort()
        if len(members) < 2:
            continue
        levels = np.array([level for level, _ in members], dtype=np.float64)
        for m, metric in enumerate(changes.metrics):
            if directions.get(metric, "none") == "none":
                continue
            values = changes.values[m, [position for _, position in members]]
            row: dict[str, Any] = {
                "metric": metric,
                "series": name,
                "levels": ", ".join(str(level) for level, _ in members),
                "expected": expected.get(changes.labels[members[0][1]]),
                "items": int((np.sum(~np.isnan(values), axis=0) >= 2).sum()),
            }
            row["reason"] = changes.reasons.get(metric) or (None if row["items"] else "no summary has two levels")
            for kind, numbers in (
                ("slope", _slopes(changes, values, levels, draws)),
                ("monotone", _concordance(changes, values, draws)),
            ):
                low = high = np.nan
                if len(numbers) > 1 and changes.dialogues > 1:
                    low, high = percentile_interval(numbers[1:], confidence)
                row |= {kind: null(float(numbers[0])), f"{kind}_low": null(low), f"{kind}_high": null(high)}
            rows.append(row)
    order = {metric: i for i, metric in enumerate(changes.metrics)}
    frame = pl.DataFrame(rows, schema=DOSES)
    return frame.sort(pl.col("metric").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)


def _slopes(changes: Changes, values: FloatArray, levels: FloatArray, draws: FloatArray) -> FloatArray:
    """Σ (x − x̄)(y − ȳ) / Σ (x − x̄)², centred within each summary, under each weighting of the dialogues."""
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=0), 1)
    x = np.where(known, levels[:, None], 0.0)
    y = np.where(known, values, 0.0)
    x = np.where(known, x - x.sum(axis=0) / count, 0.0)
    y = np.where(known, y - y.sum(axis=0) / count, 0.0)
    above = draws @ changes.by_dialogue((x * y).sum(axis=0))
    below = draws @ changes.by_dialogue((x * x).sum(axis=0))
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _concordance(changes: Changes, values: FloatArray, draws: FloatArray) -> FloatArray:
    """The share of pairs of levels that the metric orders as they should be, under each weighting."""
    first, second = np.triu_indices(len(values), 1)
    known = ~np.isnan(values[first]) & ~np.isnan(values[second])
    right = np.where(known, (values[second] < values[first]) + 0.5 * (values[second] == values[first]), 0.0)
    above = draws @ changes.by_dialogue(right.sum(axis=0))
    below = draws @ changes.by_dialogue(known.sum(axis=0).astype(np.float64))
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
