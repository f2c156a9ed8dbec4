"""Tables of a survey tool with two further rows of headings: the questions in words, and the tool's own ids."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from dialgauge.corpus._headings import distinct_names
from dialgauge.corpus._table import Table
from dialgauge.errors import counted

#: What stands in every cell of the last row of headings.
_OWN_ID = "ImportId"
#: A question that is asked again about each of several things: the number of the thing, then that of the question.
_ASKED_AGAIN = re.compile(r"(\d{1,3})_Q\w+")
#: What stands between a question and the statement that is judged.
_JOINT = " - "
#: A statement of a question: "Q3_2".
_OF_QUESTION = re.compile(r"Q\w*_\d{1,2}")
#: What is longer is no statement but the text that is judged.
_LONGEST = 120
_ROWS = 2


def with_questions(table: Table) -> Table:
    """The table without these rows; a question that is asked of several things is called after thing and statement."""
    frame = table.frame
    if table.records is not None or frame.height <= _ROWS or not _are_ids_of_tool(frame.row(1)):
        return table
    names = [_heading(column, title) for column, title in zip(frame.columns, frame.row(0), strict=True)]
    rows = [row for row, record in enumerate(frame.iter_rows(named=True)) if row >= _ROWS and not is_preview(record)]
    below, place = frame[rows], table.place
    below.columns = distinct_names(names)
    tried = frame.height - _ROWS - len(rows)
    notes = (*table.notes, f"{counted(tried, 'preview')} of the survey left out") if tried else table.notes
    return replace(table, frame=below, notes=notes, place=lambda row: place(rows[row] if row < len(rows) else row))


def is_preview(record: Mapping[str, object]) -> bool:
    """Whether answers are those of whoever tried the survey out."""
    status, channel = (str(record.get(name)).strip().lower() for name in ("Status", "DistributionChannel"))
    return status in ("survey preview", "survey test") or channel == "preview"


def _are_ids_of_tool(cells: tuple[object, ...]) -> bool:
    filled = [str(cell) for cell in cells if cell is not None]
    return bool(filled) and all(_OWN_ID in cell for cell in filled)


def statements(titles: Mapping[str, object]) -> dict[str, str]:
    """What each column is called in which a statement of a question is judged: as the statement says, if it is alone.

    ``titles`` has the text of each column, which is the question and, behind it, the statement.
    """
    parts = {
        column: (column.rpartition("_")[0], title.rpartition(_JOINT)[2].strip())
        for column, title in titles.items()
        if isinstance(title, str) and _JOINT in title and _OF_QUESTION.fullmatch(column)
    }
    asked = Counter(question for question, _ in parts.values())
    named = Counter(statement for _, statement in parts.values())
    found = {column: said for column, (question, said) in parts.items() if asked[question] > 1 and named[said] == 1}
    again = {column: _heading(column, titles[column]) for column in titles if _ASKED_AGAIN.fullmatch(column)}
    return {
        column: name
        for column, name in {**found, **again}.items()
        if name and name not in titles and len(name) <= _LONGEST
    }


def _heading(column: str, title: object) -> str:
    again = _ASKED_AGAIN.fullmatch(column)
    if again is None or not isinstance(title, str) or len(title) > 2 * _LONGEST:
        return column
    return f"{again[1]}{_JOINT}{title.rpartition(_JOINT)[2].strip()}"
