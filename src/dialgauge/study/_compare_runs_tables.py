"""A comparison of runs as tables, for the console and for pull requests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.study._compare_runs import ALL_SYSTEMS, RunComparison
from dialgauge.study._compare_runs_conditions import Checked
from dialgauge.tables import NOTHING, Table, estimate, listing, matrix, number, number_cell

_CHANGED = ("better", "worse", "higher", "lower")
_NUMBERS = ("first", "second", "difference", "corrected p")


def comparison_tables(comparison: RunComparison, most: int) -> list[Table]:
    """The results of a comparison, the most general first; lists show at most ``most`` rows."""
    tables = (
        change_table(comparison),
        difference_table(comparison) if len(comparison.systems) > 1 else None,
        None if comparison.signatures.is_empty() else signature_table(comparison),
        moved_scores_table(comparison),
        rank_table(comparison),
        verdict_change_table(comparison),
        correlation_change_table(comparison, most),
    )
    return [table for table in tables if table is not None]


def change_table(comparison: RunComparison) -> Table:
    """The change of each metric and dimension over all systems."""
    systems = comparison.systems
    title = f"changes of {systems[0]}" if len(systems) == 1 else "changes, all systems together"
    rows = map(_change_cells, comparison.together.iter_rows(named=True))
    return listing(title, ("", *_NUMBERS, "verdict"), rows, numeric=_NUMBERS)


def changed_systems_table(comparison: RunComparison) -> Table | None:
    """The significant changes of single systems; None where there are none or one system only."""
    told = comparison.changes.filter(pl.col("system") != ALL_SYSTEMS, pl.col("verdict").is_in(_CHANGED))
    if len(comparison.systems) < 2 or told.is_empty():
        return None
    rows = ((row["system"], *_change_cells(row)) for row in told.iter_rows(named=True))
    columns = ("system", "", *_NUMBERS, "verdict")
    return listing("single systems that changed", columns, rows, numeric=_NUMBERS)


def difference_table(comparison: RunComparison) -> Table:
    """Differences of single systems, a star where one is significant."""
    cells = {(row["name"], row["kind"], row["system"]): row for row in comparison.changes.iter_rows(named=True)}
    names = list(dict.fromkeys((name, kind) for name, kind, _ in cells))
    body = [[_short_change(cells.get((*name, system))) for system in comparison.systems] for name in names]
    title = "difference by system (* significant after correction)"
    return matrix(title, ("", "system"), [name for name, _ in names], comparison.systems, body)


def signature_table(comparison: RunComparison) -> Table:
    """The metrics whose signature differs."""
    rows = comparison.signatures.rows()
    return listing("metrics with a different version", ("metric", "first", "second"), rows)


def moved_scores_table(comparison: RunComparison) -> Table | None:
    """The largest change of a single score of each metric.

    None where texts changed: then everything moves, and single scores say nothing of the metric.
    """
    moved = comparison.largest.filter(pl.col("changed") > 0)
    if comparison.overlap.texts_changed or moved.is_empty():
        return None
    rows = (
        (
            row["metric"],
            f"{row['changed']} of {row['summaries']}",
            f"{row['dialogue_id']} / {row['system']}",
            number_cell(row["first"], ".4g"),
            number_cell(row["second"], ".4g"),
            number_cell(row["change"], "+.3g"),
        )
        for row in moved.iter_rows(named=True)
    )
    heads = ("metric", "changed", "largest change at", "first", "second", "change")
    return listing("single scores", heads, rows, numeric=heads[3:])


def rank_table(comparison: RunComparison) -> Table | None:
    """The systems whose rank changed, by metric and dimension; None if no rank changed."""
    ranks = comparison.ranks.filter(pl.col("first") != pl.col("second"))
    if ranks.is_empty():
        return None
    places = (
        (name, ", ".join(f"{row['system']} {row['first']}→{row['second']}" for row in part.iter_rows(named=True)))
        for (name,), part in ranks.group_by("name", maintain_order=True)
    )
    return listing("changed ranks of systems", ("by", "system: rank before → now"), places)


def correlation_change_table(comparison: RunComparison, most: int) -> Table | None:
    """The largest changes of correlations with the ratings, at most ``most``; None if none changed."""
    moved = comparison.correlations.filter(pl.col("difference").abs() > 1e-9)
    if moved.is_empty():
        return None
    tested = moved.filter(pl.col("p_value").is_not_null())
    chosen = moved if tested.is_empty() else tested
    largest = chosen.sort(pl.col("difference").abs(), descending=True).head(most)
    rows = (
        (
            row["metric"],
            row["dimension"],
            f"{row['level']} {row['coefficient']}",
            number_cell(row["first"], 3),
            number_cell(row["second"], 3),
            number_cell(row["difference"], "+.3f"),
            *([] if tested.is_empty() else [number_cell(row["p_corrected"], ".2g")]),
        )
        for row in largest.iter_rows(named=True)
    )
    more = chosen.height > largest.height
    title = "correlation with the ratings"
    title += f" (the largest {largest.height} of {chosen.height} changes)" if more else ""
    heads = ["metric", "dimension", "coefficient", "first", "second", "difference"]
    if tested.is_empty():
        title += "; not tested, because texts or ratings differ"
    else:
        heads.append("corrected p")
    return listing(title, heads, rows, numeric=heads[3:])


def verdict_change_table(comparison: RunComparison) -> Table | None:
    """The verdicts that changed, with both p-values; None where none did."""
    moved = comparison.verdicts.filter(pl.col("change") != "same")
    if moved.is_empty():
        return None
    rows = (
        (
            row["metric"],
            row["dimension"],
            row["first"],
            row["second"],
            number_cell(row["p_first"], ".2g"),
            number_cell(row["p_second"], ".2g"),
        )
        for row in moved.iter_rows(named=True)
    )
    heads = ("metric", "dimension", "first", "second", "p first", "p second")
    title = "verdicts that changed (changed is not significantly changed: compare both p-values)"
    return listing(title, heads, rows, numeric=heads[4:])


def condition_table(checked: Sequence[Checked], *, brief: bool = False) -> Table:
    """Each condition, whether it holds, and what was found; ``brief`` is for cells that hold one line."""
    said, between = (("not met", "met"), "; ") if brief else (("does not hold", "HOLDS"), "\n")
    rows = ((one.condition.text, said[one.met], between.join(one.sentences)) for one in checked)
    return listing("conditions", ("fail if", "", "what was found"), rows)


def overlap_table(comparison: RunComparison, most: int) -> Table | None:
    """What only one run has, with at most ``most`` names of each kind; None if both have the same."""
    overlap = comparison.overlap
    rows: Iterable[Sequence[object]] = [
        (kind, side, len(names), ", ".join(names[:most]) + (" …" if len(names) > most else ""))
        for side, only in (("first", overlap.only_first), ("second", overlap.only_second))
        for kind, names in only.items()
        if names
    ]
    return listing("in one run only", ("", "run", "number", "names"), rows, numeric=["number"]) if rows else None


def _change_cells(row: Mapping[str, Any]) -> tuple[object, ...]:
    return (
        row["name"],
        number_cell(row["first"], ".4g"),
        number_cell(row["second"], ".4g"),
        _difference(row),
        None if row["p_corrected"] is None else number_cell(row["p_corrected"], ".2g"),
        row["verdict"],
    )


def _difference(row: Mapping[str, Any]) -> str:
    if row["verdict"] == "same":
        return "0"
    return estimate(row["difference"], row["low"], row["high"], "+.3g", between=", ")


def _short_change(row: Mapping[str, Any] | None) -> str:
    if row is None or row["difference"] is None:
        return NOTHING
    if row["verdict"] == "same":
        return "="
    return number(row["difference"], "+.3g") + ("*" if row["verdict"] in _CHANGED else " ")
