"""Quantified reproducibility assessment (Belz, Popović and Mille, 2022; Belz, 2025): one line per type of result."""

from dataclasses import dataclass
from statistics import fmean

import polars as pl

from dialgauge.errors import counted
from dialgauge.reproduce._compare import Comparison
from dialgauge.reproduce._conclusions import Conclusions
from dialgauge.tables import interval, number


@dataclass(frozen=True, slots=True)
class QraLine:
    """One type of result: I single numbers, II sets of numbers, III labels of items, IV conclusions.

    ``value`` is None where it cannot be computed; ``text`` then says why, and else explains the value.
    """

    type: str
    what: str
    measure: str
    value: float | None
    text: str


def show_span(low: float | None, high: float | None, places: int = 2) -> str:
    """The range of a number before rounding; empty where the ends are the same or unknown."""
    if low is None or high is None or high - low < 1e-9:
        return ""
    return interval(low, high, places)


def show_p_value(value: float | None) -> str:
    """A p-value for people: three decimals, never 0."""
    return "< .001" if value is not None and value < 0.001 else number(value, 3)


def qra_view(comparison: Comparison, conclusions: Conclusions | None = None) -> tuple[QraLine, ...]:
    """How well the studies agree, from their single numbers to their conclusions."""
    return (
        _numbers(comparison),
        *_sets(comparison.correlations, ""),
        *(_sets(comparison.all_pairs, ", all pairs of studies") if len(comparison.studies) > 2 else ()),
        _labels(comparison),
        _orders(comparison) if conclusions is None else _conclusions(conclusions),
    )


def _numbers(comparison: Comparison) -> QraLine:
    what, measure = "single numbers", "mean CV*"
    group = comparison.groups[0]
    rows = comparison.spread.filter((pl.col("studies") == group) & pl.col("dimension").is_null())
    if rows.is_empty():
        return QraLine("I", what, measure, None, "every cell is at the lowest point of its scale")
    row = rows.row(0, named=True)
    text = f"median {row['median']:.2f}, largest {row['largest']:.2f} over {row['cells']} cells; 0 would be identical"
    return QraLine("I", what, measure, row["mean"], text)


def _sets(rows: pl.DataFrame, which: str) -> list[QraLine]:
    lines = []
    for name in ("pearson", "spearman"):
        known = rows[name].drop_nulls().to_list()
        measure = f"mean {'Pearson r' if name == 'pearson' else 'Spearman ρ'}{which}"
        if not known:
            lines.append(
                QraLine("II", "sets of numbers", measure, None, rows["note"][0] or "no correlation is defined")
            )
            continue
        text = f"{number(min(known))} to {number(max(known))} over {len(known)} of {counted(rows.height, 'block')}"
        if name == "spearman" and rows["open"].any():
            text += f"; rounding leaves {rows['open'].sum()} open, {rows['sign_open'].sum()} even in sign"
        lines.append(QraLine("II", "sets of numbers", measure, fmean(known), text))
    return lines


def _labels(comparison: Comparison) -> QraLine:
    what, measure = "labels of items", "mean Krippendorff α over studies"
    rows = comparison.concordance
    known = rows["alpha"].drop_nulls().to_list()
    if not known:
        return QraLine("III", what, measure, None, rows["alpha_note"][0])
    items = rows["items"].drop_nulls().to_list()
    shared = f"{min(items)} to {max(items)}" if min(items) < max(items) else f"{items[0]}"
    text = f"{counted(len(known), 'block')} of {shared} shared summaries, {number(min(known))} to {number(max(known))}"
    return QraLine("III", what, measure, fmean(known), text)


def _orders(comparison: Comparison) -> QraLine:
    """Without declared claims, every order of two systems in the original is a finding to be confirmed."""
    rows = comparison.correlations
    what, measure = "conclusions", "share of orders confirmed"
    found, kept = int(rows["differing"].sum()), int(rows["kept"].sum())
    if not found:
        return QraLine("IV", what, measure, None, f"{comparison.names[0]} has the same result for all systems")
    text = f"{kept} of {found} orders of two systems in {comparison.names[0]} are kept; --claims checks its conclusions"
    return QraLine("IV", what, measure, kept / found, text)


def _conclusions(conclusions: Conclusions) -> QraLine:
    what, measure = "conclusions", "share confirmed"
    verdicts = [conclusions.overall(claim.id) for claim in conclusions.claims]
    text = ", ".join(
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in ("confirmed", "partly", "not confirmed")
        if verdicts.count(verdict)
    )
    return QraLine("IV", what, measure, conclusions.confirmed / len(verdicts), text)
