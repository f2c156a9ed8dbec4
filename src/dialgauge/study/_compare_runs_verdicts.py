"""The verdicts of two runs side by side. A verdict that changed has not changed significantly: nothing tests that."""

from typing import Any

import polars as pl

from dialgauge.metaeval import TRUST, Verdict
from dialgauge.study._finished import FinishedRun
from dialgauge.study._verdicts import verdicts_of

#: One row of :attr:`RunComparison.verdicts`.
VERDICT_CHANGES = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "first": pl.String,
        "second": pl.String,
        "change": pl.String,
        "p_first": pl.Float64,
        "p_second": pl.Float64,
        "r_first": pl.Float64,
        "r_second": pl.Float64,
        "reasons_first": pl.String,
        "reasons_second": pl.String,
    }
)
#: What stands in ``metric`` of the row about the best verdict of a dimension.
BEST = "the best metric"


def verdict_changes(first: FinishedRun, second: FinishedRun, names: dict[str, str]) -> pl.DataFrame:
    """A row per metric and dimension of both runs, and one for the best verdict of each dimension.

    ``change`` is ``same``, ``weakens`` or ``improves``; the p-values are those by which each run decided.
    """
    old, new = verdicts_of(first), verdicts_of(second)
    if old is None or new is None:
        return pl.DataFrame(schema=VERDICT_CHANGES)
    rows: list[dict[str, Any]] = []
    shared = [name for name in old.dimensions["dimension"] if name in set(new.dimensions["dimension"])]
    for dimension in shared:
        before = {row.metric: row for row in old.of(dimension)}
        after = {names.get(row.metric, row.metric): row for row in new.of(dimension)}
        rows.append({"metric": BEST, "dimension": dimension} | _change(old.of(dimension)[0], new.of(dimension)[0]))
        rows += [
            {"metric": metric, "dimension": dimension} | _change(before[metric], after[metric])
            for metric in before
            if metric in after
        ]
    return pl.DataFrame(rows, schema=VERDICT_CHANGES)


def _change(old: Verdict, new: Verdict) -> dict[str, Any]:
    moved = TRUST.index(new.verdict) - TRUST.index(old.verdict)
    return {
        "first": old.verdict,
        "second": new.verdict,
        "change": "same" if not moved else "weakens" if moved > 0 else "improves",
        "p_first": _p_value(old),
        "p_second": _p_value(new),
        "r_first": old.r if old.r is not None else old.c,
        "r_second": new.r if new.r is not None else new.c,
        "reasons_first": ", ".join(reason.code for reason in old.reasons),
        "reasons_second": ", ".join(reason.code for reason in new.reasons),
    }


def _p_value(row: Verdict) -> float | None:
    return min((p for p in (row.p_order, row.p_cells) if p is not None), default=None)
