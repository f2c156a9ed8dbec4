"""Tables as HTML for a page: everything is escaped, and each header cell has a scope."""

import re
from html import escape
from itertools import groupby

from dialgauge.tables._model import Cell, Column, Row, Table

#: A cell that is not of numbers.
_OF_WORDS = re.compile(r'<(td|th)\b((?:(?! class="number")[^>])*)>')


def html_table(table: Table) -> str:
    """A ``table`` element. Numbers have the class ``number``, and value and interval in ``data-value``."""
    lines = [f"<table{_attribute('data-name', table.title or table.kind)}>"]
    if table.legend:
        lines.append(f"<caption>{escape(table.legend)}</caption>")
    lines += ["<thead>", *_head(table), "</thead>"]
    for group, rows in groupby(table.rows, key=lambda row: row.group):
        members = list(rows)
        lines += [
            "<tbody>",
            *(_row(table, row, group, len(members), i == 0) for i, row in enumerate(members)),
            "</tbody>",
        ]
    return "\n".join([*lines, "</table>"])


def notebook_html(table: Table) -> str:
    """A ``table`` element whose words are on the left; notebooks put everything on the right."""
    return _OF_WORDS.sub(r'<\1\2 style="text-align: left">', html_table(table))


def _head(table: Table) -> list[str]:
    lines = []
    before = table.row_heads()
    if any(column.group for column in table.columns):
        groups = [_group(name, len(list(columns))) for name, columns in groupby(table.columns, key=_group_of)]
        lines.append(f"<tr>{'<td></td>' * len(before)}{''.join(groups)}</tr>")
    heads = [f'<th scope="col">{escape(name)}</th>' if name else "<td></td>" for name in before]
    heads += [f'<th scope="col"{_number_class(column)}>{escape(column.name)}</th>' for column in table.columns]
    return [*lines, f"<tr>{''.join(heads)}</tr>"]


def _group_of(column: Column) -> str:
    return column.group


def _group(name: str, width: int) -> str:
    return f'<th scope="colgroup" colspan="{width}">{escape(name)}</th>' if name else f'<td colspan="{width}"></td>'


def _row(table: Table, row: Row, group: str, size: int, first: bool) -> str:
    names = []
    if table.grouped and first:
        names.append(f'<th scope="rowgroup" rowspan="{size}">{escape(group)}</th>')
    if table.corner is not None:
        names.append(f'<th scope="row">{escape(row.name)}</th>')
    cells = [_cell(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)]
    return f"<tr>{''.join((*names, *cells))}</tr>"


def _cell(cell: Cell, column: Column) -> str:
    values = (value for part in cell.parts for value in (part.value, *(part.interval or ())))
    known = " ".join(f"{value + 0.0:.5g}" for value in values if value is not None)
    shown = escape(cell.separator).join(
        (f"<b>{escape(part.text)}</b>" if part.bold else escape(part.text))
        + (f"<sup>{escape(part.stars)}</sup>" if part.stars else "")
        for part in cell.parts
    )
    attributes = _number_class(column) + _attribute("data-value", known) + _attribute("title", cell.reason)
    return f"<td{attributes}>{shown}</td>"


def _number_class(column: Column) -> str:
    return ' class="number"' if column.numeric else ""


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value else ""
