"""Whether two studies order the systems alike: correlations, and pairs of systems whose order changes."""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl

from dialgauge.metaeval import correlation
from dialgauge.reproduce._intervals import spearman_range
from dialgauge.reproduce._sampling import SampledCells, percentiles, row_correlations
from dialgauge.reproduce._shared import SharedCells

CORRELATIONS = pl.Schema(
    {
        "study": pl.String,
        "other": pl.String,
        "dimension": pl.String,
        "role": pl.String,
        "systems": pl.Int64,
        "pearson": pl.Float64,
        "pearson_low": pl.Float64,
        "pearson_high": pl.Float64,
        "spearman": pl.Float64,
        "spearman_low": pl.Float64,
        "spearman_high": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "open": pl.Boolean,
        "sign_open": pl.Boolean,
        "kept": pl.Int64,
        "reversed": pl.Int64,
        "tied": pl.Int64,
        "differing": pl.Int64,
        "note": pl.String,
    }
)


def all_correlations(table: SharedCells, sampled: SampledCells | None) -> Iterator[dict[str, object]]:
    """Every pair of studies over the systems of each dimension and role; pairs with the original come first."""
    pairs = sorted(combinations(range(len(table.studies)), 2), key=lambda pair: (pair[0] > 0, pair))
    for other, i in pairs:
        for dimension, role, cells in table.blocks():
            values = [table.values(cell, (other, i)) for cell in cells]
            first, second = [pair[0] for pair in values], [pair[1] for pair in values]
            widths = table.half_widths(cells[0], (other, i))
            yield {
                "study": table.studies[i].name,
                "other": table.studies[other].name,
                "dimension": dimension,
                "role": role,
                "systems": len(cells),
                **_correlate(first, second, (widths[0] > 0, widths[1] > 0)),
                **_sampled(sampled, cells, other, i),
                **_order(first, second),
            }


def _sampled(
    sampled: SampledCells | None, cells: list[tuple[str, str, str]], first: int, second: int
) -> dict[str, object]:
    """Intervals of the correlations over drawn dialogues."""
    if sampled is None or len(cells) < 3:
        return {}
    one, other = sampled.values(cells, first), sampled.values(cells, second)
    found: dict[str, object] = {}
    for name in ("pearson", "spearman"):
        low, high = percentiles(row_correlations(one, other, ranks=name == "spearman"), sampled.confidence)
        found |= {f"{name}_low": low, f"{name}_high": high}
    return found


def _correlate(first: list[float], second: list[float], rounded: tuple[bool, bool]) -> dict[str, object]:
    if len(first) < 3:
        systems = "one system" if len(first) == 1 else "two systems"
        return {"note": f"{systems}: a correlation needs three"}
    columns = [[value] for value in first], [[value] for value in second]
    pearson, spearman = (correlation(*columns, "system", name) for name in ("pearson", "spearman"))
    span = spearman_range(first, second, rounded)
    note = "" if math.isfinite(spearman) else "all systems are equal in one study"
    if not math.isfinite(span.low):
        return {"note": note}
    return {
        "pearson": pearson if math.isfinite(pearson) else None,
        "spearman": spearman if math.isfinite(spearman) else None,
        "low": span.low,
        "high": span.high,
        "open": not span.is_point(),
        "sign_open": not span.has_one_sign(),
        "note": note,
    }


def _order(first: list[float], second: list[float]) -> dict[str, int]:
    """Whether each pair of systems keeps its order; a pair that is equal in either study is tied.

    ``differing`` counts the pairs that differ in the first study: the findings that the second could confirm.
    """
    signs = [
        np.sign(first[a] - first[b]) * np.sign(second[a] - second[b])
        for a in range(len(first))
        for b in range(a + 1, len(first))
    ]
    apart = sum(first[a] != first[b] for a, b in combinations(range(len(first)), 2))
    return {"kept": signs.count(1), "reversed": signs.count(-1), "tied": signs.count(0), "differing": apart}
