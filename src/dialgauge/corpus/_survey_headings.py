"""Tables of a survey tool with two further rows of headings: the questions in words, and the tool's own ids."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
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
    titles = dict(zip(frame.columns, frame.row(0), strict=True))
    again = _statements_again(titles)
    names = [again.get(column) or _heading(column, title) for column, title in titles.items()]
    rows = [row for row, record in enumerate(frame.iter_rows(named=True)) if row >= _ROWS and not is_preview(record)]
    below, place = frame[rows], table.place
    below.columns = distinct_names(names)
    tried = frame.height - _ROWS - len(rows)
    notes = [*table.notes, *([f"{counted(tried, 'preview')} of the survey left out"] if tried else [])]
    notes += doubts(titles, [frame.row(row, named=True) for row in rows])
    return replace(
        table, frame=below, notes=tuple(notes), place=lambda row: place(rows[row] if row < len(rows) else row)
    )


def is_preview(record: Mapping[str, object]) -> bool:
    """Whether answers are those of whoever tried the survey out."""
    status, channel = (str(record.get(name)).strip().lower() for name in ("Status", "DistributionChannel"))
    return status in ("survey preview", "survey test") or channel == "preview"


def doubts(titles: Mapping[str, object], answers: Sequence[Mapping[str, object]]) -> list[str]:
    """What may speak against some of the answers: people who did not finish, or failed a test of their attention."""
    unfinished = sum(str(record.get("Finished")).strip().lower() in ("false", "0") for record in answers)
    found = (
        [f"{counted(unfinished, 'answer')} of people who did not finish (Finished) among these"] if unfinished else []
    )
    for column, title in titles.items():
        asked = _ATTENTION.search(f"{column} {title}")
        wanted = _QUOTED.search(str(title)) if asked else None
        given = [record[column] for record in answers if record.get(column) is not None]
        if wanted and (failed := sum(str(one).strip() != wanted[1].strip() for one in given)):
            found.append(
                f"{column}: {failed} of {len(given)} did not answer {wanted[1]!r}, as it asks; they are among these"
            )
    return found


#: A question that tests whether people read it, and the answer that it asks for.
_ATTENTION = re.compile(r"(?i)att(?:n|ention)?[ _]?(?:check|chk|test)|attention")
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»]+)[\"“”»]")


def _statements_again(titles: Mapping[str, object]) -> dict[str, str]:
    """What columns are called in which the same statements are judged of several things: ``D1A - Accuracy``.

    The tool numbers the statements of a question, so that each number stands for one of them.
    """
    parts = {
        column: (column.rpartition("_")[0], column.rpartition("_")[2], title.rpartition(_JOINT)[2].strip())
        for column, title in titles.items()
        if isinstance(title, str) and _JOINT in title
        if _NUMBERED.fullmatch(column) and not _ASKED_AGAIN.fullmatch(column)
    }
    questions = {question for question, _, _ in parts.values()}
    numbers, said = {number for _, number, _ in parts.values()}, {(number, text) for _, number, text in parts.values()}
    once = len({text for _, text in said}) == len(said) == len(numbers) > 1
    if not once or len(questions) < 2 or len(parts) != len(questions) * len(numbers):
        return {}
    return {
        column: f"{question}{_JOINT}{text}" for column, (question, _, text) in parts.items() if len(text) <= _LONGEST
    }


#: A statement of a question, whatever whoever made the survey called it: "D1A_3".
_NUMBERED = re.compile(r"\w+_\d{1,2}")


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
