"""Tables as CSV, for programs and for spreadsheets."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dialgauge.tables._model import Cell, Table
from dialgauge.tables._texts import NOTHING

if TYPE_CHECKING:
    import polars as pl

#: What spreadsheets read as the beginning of a formula, or skip before one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")


def csv_text(rows: Iterable[Sequence[object]], *, escape_formulas: bool = True) -> str:
    """Rows as CSV; None is an empty cell.

    Texts that a spreadsheet would read as a formula get an apostrophe in front, unless they are numbers.
    """
    lines = []
    for row in rows:
        texts = ["" if cell is None else str(cell) for cell in row]
        line = ",".join(_quoted(_escape(text) if escape_formulas else text) for text in texts)
        lines.append((line or '""') + "\n")  # an empty line would be read as a row without cells
    return "".join(lines)


def _quoted(text: str) -> str:
    # The writer of the standard library leaves a single carriage return bare, and readers end the row there.
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def _escape(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


_BEGINS = f"[{re.escape(''.join(_FORMULA))}]"


def escape_formulas_in(frame: "pl.DataFrame") -> "pl.DataFrame":
    """A frame whose texts no spreadsheet reads as formulas, as in :func:`csv_text`.

    What begins with apostrophes before a formula gets one more, so that :func:`unescape_formulas_in` can take it away.
    """
    import polars as pl

    text = pl.col(pl.String)
    formula = text.str.contains(f"^{_BEGINS}") & ~text.str.contains(f"^({_NUMBER.pattern})$")
    escaped = text.str.contains(f"^'+{_BEGINS}")
    return frame.with_columns(pl.when(formula | escaped).then(pl.lit("'") + text).otherwise(text).name.keep())


def unescape_formulas_in(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The frame of a CSV file without the apostrophes that :func:`escape_formulas_in` put before formulas."""
    import polars as pl

    text = pl.col(pl.String)
    escaped = text.str.contains(f"^'+{_BEGINS}")
    return frame.with_columns(pl.when(escaped).then(text.str.slice(1)).otherwise(text).name.keep())


def table_csv(table: Table, *, escape_formulas: bool = True) -> str:
    """One row per row of the table, with the names of groups in each; numbers as programs read them."""
    before = ["group" if not table.grouping else table.grouping] * table.grouped
    before += [] if table.corner is None else [table.corner or "row"]
    heads = before + [f"{column.group} {column.name}".strip() for column in table.columns]
    body = ([*table.row_names(row), *map(_csv_cell, row.cells)] for row in table.rows)
    return csv_text([heads, *body], escape_formulas=escape_formulas)


def _csv_cell(cell: Cell) -> str:
    """Empty if there is no value; a hyphen for the minus sign of a number."""
    texts = ["" if part.text == NOTHING else _plain(part.text) + part.stars for part in cell.parts]
    return cell.separator.join(texts) if any(texts) else ""


def _plain(text: str) -> str:
    return re.sub(r"−(?=[\d.])", "-", text)
