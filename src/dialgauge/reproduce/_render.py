"""A recomputed paper as JSON, CSV and a web page. Nothing is computed here."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dialgauge.reproduce._printed import Cell, Layout, PaperCheck, TableCheck
from dialgauge.tables import csv_text
from dialgauge.web import PAGE_SCRIPT, environment, figure_data, page

CSV_COLUMNS = (
    "table", "row", "column", "printed", "recomputed", "low", "high", "shown", "matches", "corrected", "note",
)  # fmt: skip


def paper_json(check: PaperCheck) -> dict[str, Any]:
    """Plain data: counts of every table, the cells that differ, the values of corrected tables, the defects."""
    return {
        "paper": check.paper,
        "title": check.title,
        "tables": {table.name: table_json(table) for table in check.tables},
        "defects": [asdict(defect) | {"keys": list(defect.keys)} for defect in check.defects],
        **({"layouts": {layout.name: layout_json(layout) for layout in check.layouts}} if check.layouts else {}),
        **check.facts,
    }


def layout_json(layout: Layout) -> dict[str, Any]:
    """A table in the paper's layout as plain data: values by row and column, and whether the paper printed them."""
    return {
        "title": layout.title,
        "text": layout.text,
        "rows": [
            {"row": row.name, "printed": row.printed, "values": dict(zip(layout.columns, row.values, strict=True))}
            for row in layout.rows
        ],
    }


def table_json(table: TableCheck, *, cells: bool = False) -> dict[str, Any]:
    """One table as plain data; ``cells`` adds all its cells."""
    data: dict[str, Any] = {"matched": table.matched, "total": table.total, "verdict": table.verdict}
    if table.text:
        data["text"] = table.text
    if table.corrected:
        values: dict[str, dict[str, float | None]] = {}
        for cell in table.cells:
            values.setdefault(cell.row, {})[cell.column] = cell.recomputed
        data["values"] = values
        intervals: dict[str, dict[str, list[float]]] = {}
        for cell in table.cells:
            if cell.interval is not None:
                intervals.setdefault(cell.row, {})[cell.column] = list(cell.interval)
        if intervals:
            data["intervals"] = intervals
    else:
        data["mismatches"] = [_cell_json(cell) for cell in table.mismatches]
    if cells:
        data["cells"] = [_cell_json(cell) for cell in table.cells]
    return data


def _cell_json(cell: Cell) -> dict[str, Any]:
    data: dict[str, Any] = {
        "row": cell.row,
        "column": cell.column,
        "printed": cell.printed,
        "value": cell.value,
        "recomputed": cell.recomputed,
        "matches": cell.matches,
    }
    if cell.interval is not None:
        data["interval"] = list(cell.interval)
    if cell.original is not None:
        data["original"] = cell.original
    if cell.note:
        data["note"] = cell.note
    return data


def paper_csv(check: PaperCheck, *, escape_formulas: bool = True) -> str:
    """A row per cell of every table and layout, with full precision; cells of a layout are not compared with another.

    ``escape_formulas`` puts an apostrophe before texts that a spreadsheet would read as a formula.
    """
    rows: list[Sequence[object]] = [CSV_COLUMNS]
    for table in check.tables:
        for cell in table.cells:
            low, high = cell.interval or ("", "")
            recomputed = "" if cell.recomputed is None else repr(cell.recomputed)
            flags = [str(flag).lower() for flag in (cell.matches, table.corrected)]
            values = (cell.row, cell.column, cell.printed, recomputed, low, high, cell.shown)
            rows.append((table.name, *values, *flags, cell.note))
    for layout in check.layouts:
        for line in layout.rows:
            for column, value, shown in zip(layout.columns, line.values, line.texts, strict=True):
                if value is not None:
                    pair = (shown, "") if line.printed else ("", repr(value))
                    rows.append((layout.name, line.name, column, *pair, "", "", shown, "", "", ""))
    return csv_text(rows, escape_formulas=escape_formulas)


def paper_html(check: PaperCheck) -> str:
    """One self-contained page: the summary, the defects, then every table as a grid with its differences marked."""
    differing = [(table, cell) for table in check.tables if not table.corrected for cell in table.mismatches]
    grids = [_grid(table) for table in check.tables]
    layouts = [
        (layout, *_heads(layout.columns), "layout-" + "".join(c if c.isalnum() else "-" for c in layout.name))
        for layout in check.layouts
    ]
    shown = {"check": check, "grids": grids, "differing": differing, "layouts": layouts}
    engine = environment(("dialgauge.reproduce", "templates"))
    return page(
        engine,
        "paper.html",
        shown,
        scripts=[PAGE_SCRIPT],
        data={"figures": dict(figure_data(check.figures)), "texts": {"columns": [], "rows": []}},
    )


def _heads(columns: Sequence[str]) -> tuple[list[tuple[str, int]], list[str]]:
    """Columns named ``top/below`` get a heading of two lines: the groups with their widths, and the names below."""
    parts = [tuple(column.split("/", 1)) if "/" in column else ("", column) for column in columns]
    if len({below for _, below in parts}) == 1:
        parts = [("", top or below) for top, below in parts]
    groups: list[list[Any]] = []
    for top, _ in parts:
        if groups and groups[-1][0] == top:
            groups[-1][1] += 1
        else:
            groups.append([top, 1])
    return [(top, width) for top, width in groups] if any(top for top, _ in parts) else [], [b for _, b in parts]


def _grid(table: TableCheck) -> dict[str, Any]:
    """The cells as rows and columns, with their headings."""
    columns = list(dict.fromkeys(cell.column for cell in table.cells))
    rows: dict[str, dict[str, Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, {})[cell.column] = cell
    groups, below = _heads(columns)
    return {
        "table": table,
        "groups": groups,
        "columns": below,
        "rows": [(row, [cells.get(column) for column in columns]) for row, cells in rows.items()],
        "id": "table-" + "".join(c if c.isalnum() else "-" for c in table.name),
    }
