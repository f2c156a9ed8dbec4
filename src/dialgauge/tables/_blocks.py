"""Tables in blocks of columns, for pages and screens that are too narrow for all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dialgauge.tables._model import Cell, Row, Table


def blocks(table: Table) -> Iterator[Table]:
    """The table in blocks of ``table.split`` columns; one block where it is not split."""
    size = table.split or max(len(table.columns), 1)
    for start in range(0, max(len(table.columns), 1), size):
        yield with_columns(table, range(start, min(start + size, len(table.columns))))


def with_columns(table: Table, chosen: Sequence[int]) -> Table:
    """The table with these columns only."""
    rows = tuple(replace(row, cells=tuple(row.cells[i] for i in chosen)) for row in table.rows)
    return replace(table, columns=tuple(table.columns[i] for i in chosen), rows=rows)


def turned(table: Table) -> Table:
    """Rows as columns and columns as rows."""
    columns = tuple(replace(table.columns[0], name=row.name) for row in table.rows) if table.columns else ()
    cells: list[tuple[Cell, ...]] = [tuple(row.cells[i] for row in table.rows) for i in range(len(table.columns))]
    rows = tuple(Row(column.name, line) for column, line in zip(table.columns, cells, strict=True))
    return replace(table, corner=table.across or "", across=table.corner, columns=columns, rows=rows)


def names_once(table: Table) -> Iterator[tuple[Row, list[str]]]:
    """Each row with its names; the name of a group stands before its first row only."""
    last: str | None = None
    for row in table.rows:
        names = table.row_names(row)
        if table.grouped and row.group == last:
            names[0] = ""
        last = row.group
        yield row, names
