"""Significance groups: metrics, best first, split where one is significantly worse than the best of its group."""

from dataclasses import dataclass
from typing import Literal

import polars as pl

from dialgauge.errors import InputError, ParameterError
from dialgauge.metaeval._compare import Comparisons

GROUPS = pl.Schema(
    {
        "dimension": pl.String,
        "level": pl.String,
        "coefficient": pl.String,
        "group": pl.Int64,
        "metric": pl.String,
        "value": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class SignificanceGroups:
    """``frame`` has a row per dimension and metric, best first, with the number of its ``group`` (1 is the best).

    ``untested`` names metrics that are in no group because they have no value.
    """

    frame: pl.DataFrame
    untested: tuple[str, ...]
    alpha: float
    correction: str

    def describe(self, dimension: str) -> list[str]:
        """A sentence per group."""
        sentences = []
        for (number,), part in self.frame.filter(pl.col("dimension") == dimension).group_by(
            "group", maintain_order=True
        ):
            best, *others = part["metric"]
            rest = f"; not distinguishable from it: {', '.join(others)}" if others else ""
            sentences.append(f"group {number}: {best}{rest}")
        return sentences


def significance_groups(
    comparisons: Comparisons,
    *,
    alpha: float = 0.05,
    correction: Literal["holm", "benjamini-hochberg", "none"] = "benjamini-hochberg",
) -> SignificanceGroups:
    """Group metrics that are not significantly different, from comparisons of all pairs.

    Going down from the best, a metric opens a new group when it is significantly worse than the best of the current
    one. "Not distinguishable" does not prove equality: with few systems, hardly any difference is significant.
    """
    columns = {"holm": "p_holm", "benjamini-hochberg": "p_benjamini_hochberg", "none": "p_value"}
    if correction not in columns:
        raise ParameterError("significance_groups", "correction", " or ".join(columns), correction)
    if not 0 < alpha < 1:
        raise ParameterError("significance_groups", "alpha", "between 0 and 1", alpha)
    rows: list[tuple[str, str, str, int, str, float]] = []
    untested: dict[str, None] = {}
    for key, part in comparisons.frame.group_by("dimension", "level", "coefficient", maintain_order=True):
        dimension, level, coefficient = (str(each) for each in key)
        values: dict[str, float | None] = {}
        p_values: dict[frozenset[str], float | None] = {}
        for row in part.iter_rows(named=True):
            values[row["metric"]], values[row["other"]] = row["value"], row["other_value"]
            p_values[frozenset((row["metric"], row["other"]))] = row[columns[correction]]
        known = {name: value for name, value in values.items() if value is not None}
        untested |= dict.fromkeys(name for name in values if name not in known)
        ranked = sorted(known, key=lambda name: -known[name])
        group, best = 0, ""
        for name in ranked:
            if group and frozenset((name, best)) not in p_values:
                raise InputError(f"significance groups need all pairs compared; {best!r} with {name!r} is missing")
            p_value = p_values.get(frozenset((name, best)))
            if not group or (p_value is not None and p_value <= alpha):
                group, best = group + 1, name
            rows.append((dimension, level, coefficient, group, name, known[name]))
    frame = pl.DataFrame(rows, schema=GROUPS, orient="row")
    return SignificanceGroups(frame, tuple(untested), alpha, correction)
