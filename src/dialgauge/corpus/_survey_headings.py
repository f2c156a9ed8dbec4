"""Tables of a survey tool with two further rows of headings: the questions in words, and the tool's own ids."""

import re
from dataclasses import replace

from dialgauge.corpus._headings import distinct_names
from dialgauge.corpus._table import Table

#: What stands in every cell of the last row of headings.
_OWN_ID = "ImportId"
#: A question that is asked again about each of several things: the number of the thing, then that of the question.
_ASKED_AGAIN = re.compile(r"(\d{1,3})_Q\w+")
#: What stands between a question and the statement that is judged.
_JOINT = " - "
_ROWS = 2


def with_questions(table: Table) -> Table:
    """The table without these rows; a question that is asked of several things is called after thing and statement."""
    frame = table.frame
    if table.records is not None or frame.height <= _ROWS or not _are_ids_of_tool(frame.row(1)):
        return table
    names = [_heading(column, title) for column, title in zip(frame.columns, frame.row(0), strict=True)]
    below, place = frame[_ROWS:], table.place
    below.columns = distinct_names(names)
    return replace(table, frame=below, place=lambda row: place(row + _ROWS))


def _are_ids_of_tool(cells: tuple[object, ...]) -> bool:
    filled = [str(cell) for cell in cells if cell is not None]
    return bool(filled) and all(_OWN_ID in cell for cell in filled)


def _heading(column: str, title: object) -> str:
    again = _ASKED_AGAIN.fullmatch(column)
    if again is None or not isinstance(title, str) or _JOINT not in title:
        return column
    return f"{again[1]}{_JOINT}{title.rpartition(_JOINT)[2].strip()}"
