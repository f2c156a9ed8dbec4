"""A sheet with a block for each call, one below the other: its title, its transcript line by line, then a small table.

The headings of that table come again in every block, and what is above them says which call its rows are about.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.corpus._headings import Cells, distinct_names
from dialgauge.corpus._values import is_answer

#: A table has more columns than a line of a transcript.
_FEWEST_COLUMNS, _FEWEST_TURNS = 3, 2
_MOST_IN_TURN = 2
_SPOKEN = re.compile(r"[^:\n]{1,40}:\s+\S")
_TOLD = ("dialogue_id", "title", "dialogue")


@dataclass(frozen=True, slots=True)
class Blocks:
    """The tables of all blocks as one: its headings, its rows, and the place of each in the sheet, from 0."""

    names: list[str]
    rows: list[list[str | None]]
    places: list[int]


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    title: str
    turns: tuple[str, ...]


def may_have_blocks(first: Sequence[Cells]) -> bool:
    """Whether a wide sheet begins with rows of one or two cells, as a title and a transcript are."""
    sizes = [size for row in first if (size := len(_given(row)))]
    narrow = sum(size <= _MOST_IN_TURN for size in sizes)
    return bool(first) and len(first[0]) >= _FEWEST_COLUMNS and narrow * 2 > len(sizes)


def read_blocks(rows: Sequence[Cells]) -> Blocks | None:
    """The tables of the blocks with their calls; None where a row is in no block, or says something else."""
    headings = _headings(rows)
    starts = [place for place, row in enumerate(rows) if _given(row) == headings] if headings else []
    calls: list[_Call] = []
    made: list[list[str | None]] = []
    places: list[int] = []
    end = 0
    for start in starts:
        call = _call(rows[end:start], first=not calls)
        if call is None:
            return None
        end = start + 1
        while end < len(rows) and len(_given(rows[end])) > _MOST_IN_TURN:
            made.append([*rows[end], call.name, call.title or None, "\n".join(call.turns)])
            places.append(end)
            end += 1
        calls.append(call)
    if any(_given(row) for row in rows[end:]) or len({call.name for call in calls}) < max(len(calls), 2):
        return None
    names = distinct_names([*rows[starts[0]], *_TOLD])
    return Blocks(names, made, places) if names[-len(_TOLD) :] == list(_TOLD) else None


def _given(row: Cells) -> list[str]:
    return [cell.strip() for cell in row if cell and cell.strip()]


def _headings(rows: Sequence[Cells]) -> list[str] | None:
    """The widest row that stands there several times and has no answers in it."""
    times = Counter(tuple(_given(row)) for row in rows)
    again = [
        row
        for row, count in times.items()
        if count > 1 and len(set(row)) == len(row) >= _FEWEST_COLUMNS and not any(map(is_answer, row))
    ]
    widest = max(again, key=len, default=())
    return list(widest) or None


def _call(above: Sequence[Cells], first: bool) -> _Call | None:
    """What the rows above a table say, back to an empty one; above those of the ``first`` block there may be notes."""
    given = [_given(row) for row in above]
    begin = max((place + 1 for place, cells in enumerate(given) if not cells), default=0)
    title, *told = given[begin:] or [[]]
    while told and not _is_spoken(told[0]):  # "Transcript"
        if len(told[0]) > 1:
            return None
        told = told[1:]
    alone = first or not any(given[:begin])
    if not alone or not title or len(told) < _FEWEST_TURNS or not all(map(_is_spoken, told)):
        return None
    return _Call(title[0], " ".join(title[1:]), tuple(": ".join(turn) for turn in told))


def _is_spoken(cells: Sequence[str]) -> bool:
    return len(cells) == _MOST_IN_TURN or (len(cells) == 1 and _SPOKEN.match(cells[0]) is not None)
