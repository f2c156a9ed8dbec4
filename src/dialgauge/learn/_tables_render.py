"""The tables of an augmentation experiment in the layout of the paper."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.corpus import ORIGINAL
from dialgauge.learn._tables import TABLE_OF, AugmentationTables
from dialgauge.tables import Cell, Column, Part, Row, Table, estimate, number, render_table


def shown_tables(result: AugmentationTables, *, intervals: bool = True) -> list[Table]:
    """A table per condition: accuracy in per cent on each set, and the differences to the originals in points."""
    sets = list(dict.fromkeys(result.frame["set"]))
    families = [name for name in sets if name != ORIGINAL]
    columns = tuple(Column(name, digits=1) for name in (*sets, *(f"{name} − {ORIGINAL}" for name in families)))
    tables = []
    for condition in dict.fromkeys(result.frame["condition"]):
        title = f"{TABLE_OF.get(condition, 'Beside Tables 5 and 6')}: accuracy in %, trained on {condition}"
        rows = _rows(result.frame.filter(condition=condition), sets, families, intervals)
        kind = f"trained-on-{condition}"
        tables.append(Table(kind, "classifier", columns, rows, title=title, grouping="dimension"))
    return tables


def _rows(frame: pl.DataFrame, sets: list[str], families: list[str], intervals: bool) -> tuple[Row, ...]:
    found = {(cell["dimension"], cell["classifier"], cell["set"]): cell for cell in frame.iter_rows(named=True)}
    return tuple(
        Row(
            classifier,
            (
                *(_accuracy(found[dimension, classifier, name]) for name in sets),
                *(_change(found[dimension, classifier, name], intervals) for name in families),
            ),
            dimension,
        )
        for dimension, classifier in dict.fromkeys((dimension, classifier) for dimension, classifier, _ in found)
    )


def _accuracy(cell: Mapping[str, Any]) -> Cell:
    return Cell((Part(number(cell["accuracy"], 1, scale=100), value=cell["accuracy"]),))


def _change(cell: Mapping[str, Any], intervals: bool) -> Cell:
    value, low, high = (
        None if cell[name] is None else 100 * cell[name] for name in ("difference", "difference_low", "difference_high")
    )
    text = estimate(value, low, high, "+.1f") if intervals else number(value, "+.1f")
    return Cell((Part(text, value=cell["difference"]),))


def tables_markdown(result: AugmentationTables) -> str:
    """All tables with remarks."""
    parts = [render_table(table, "markdown") for table in shown_tables(result)]
    return "\n".join([*parts, *(f"- {text}" for text in result.notes)]) + "\n"


def tables_latex(result: AugmentationTables) -> str:
    """All tables for a paper that loads the package booktabs, with remarks in the captions."""
    noted = (replace(table, notes=tuple(result.notes)) for table in shown_tables(result))
    return "\n".join(render_table(table, "latex") for table in noted)
