"""A table as text in every format."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace

from dialgauge.errors import UnknownNameError
from dialgauge.tables._console import console_text
from dialgauge.tables._csv import table_csv
from dialgauge.tables._html import html_table
from dialgauge.tables._latex import latex_table
from dialgauge.tables._markdown import markdown_table
from dialgauge.tables._model import Cell, Table

#: The formats that a table is written in, by name.
FORMATS: dict[str, Callable[[Table], str]] = {
    "latex": latex_table,
    "markdown": markdown_table,
    "csv": table_csv,
    "html": lambda table: html_table(table) + "\n",
    "json": lambda table: json.dumps(asdict(table), ensure_ascii=False, indent=2, allow_nan=False) + "\n",
    "text": console_text,
}


def render_table(
    table: Table,
    format: str,
    *,
    stars: bool | None = None,
    split: int | None = None,
    escape_formulas: bool = True,
) -> str:
    """A table as ``latex``, ``markdown``, ``csv``, ``html``, ``json`` or ``text`` (as on the console).

    Stars and bold numbers are for readers: a CSV has stars only where ``stars`` is true, and is never split.
    ``escape_formulas`` puts an apostrophe before cells of a CSV that a spreadsheet would read as a formula.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if stars is False or (stars is None and format == "csv"):
        table = _without_stars(table)
    if split is not None:
        table = replace(table, split=split)
    if format == "csv":
        return table_csv(table, escape_formulas=escape_formulas)
    return FORMATS[format](table)


def _without_stars(table: Table) -> Table:
    rows = tuple(replace(row, cells=tuple(_plain_cell(cell) for cell in row.cells)) for row in table.rows)
    return replace(table, rows=rows, notes=tuple(text for text in table.notes if not text.startswith("Stars:")))


def _plain_cell(cell: Cell) -> Cell:
    return replace(cell, parts=tuple(replace(part, stars="") for part in cell.parts))
