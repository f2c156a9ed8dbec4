"""``Table``: the contents of a file before the meaning of its columns is known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from dialgauge.corpus._problems import Problem
from dialgauge.corpus._types import Dimension
from dialgauge.errors import InputError

#: No corpus has more columns, and each costs time in every step.
MOST_COLUMNS = 2_000


def refuse_width(columns: int, file: str) -> None:
    """Refuse a table that is too wide for a corpus, before it costs memory and time."""
    if columns > MOST_COLUMNS:
        raise InputError(f"{file}: {columns:,} columns are too many; a corpus has at most {MOST_COLUMNS:,}")


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A sheet of a workbook or a file of a folder: its name, its rows, and where each of them is."""

    name: str
    frame: pl.DataFrame
    place: Callable[[int], tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file, and where each of them is.

    ``place`` gives the file and the line (or the row, where a format has no lines) of a row by its number from 0.
    ``problems`` are rows that could not even be read. ``records`` are the JSON objects of a file that has them, each
    with its line; the frame is then made of them.

    What a layout that is known by sight adds: its name, the uses of columns that it is sure about (``known``), columns
    that are no part of the data and why (``ignored``), judgements of other kinds (``further``: preferences, choices,
    spans with the row that each comes from), groups of annotators, and what it says about dimensions. ``dropped``
    counts the cells with judgements that the layout itself leaves out, by reason.

    ``unread`` says, by their names, which parts of the file look like judgements or texts and were left out.
    ``summed`` counts rows that sum up others, repeat the headings or only remark something, and are no data.
    ``ticked`` are columns of which one cell holds several judgements, or an empty one holds some.
    ``settled`` are columns of the file whose use is known, though they are not in the frame under their own names.
    ``parts`` are the sheets, files or tables that the rows were put together from, those that were left out among them.
    ``left`` are parts that were left out without a question.
    ``mapped`` are the columns of mapped uses that the file has under other names, in what is nested.
    ``raw`` is the table as it was in the file, and ``again`` understands another one in the same way.
    """

    frame: pl.DataFrame
    place: Callable[[int], tuple[str, int | None]]
    encoding: str | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    records: tuple[tuple[int, dict[str, Any]], ...] | None = None
    separator: str = ""
    layout: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    declared: tuple[Dimension, ...] = ()
    annotators: pl.DataFrame | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    summed: int = 0
    ticked: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()
    parts: tuple[Sheet, ...] = ()
    left: tuple[Sheet, ...] = ()
    mapped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    raw: "Table | None" = None
    again: "Callable[[Table], Table] | None" = None


def place_in(file: str, lines: Sequence[int]) -> Callable[[int], tuple[str, int | None]]:
    """The place of each row in a file whose rows start at these lines."""
    return lambda row: (file, lines[row] if row < len(lines) else None)


def stack(parts: Iterable[tuple[pl.DataFrame, str]]) -> Table:
    """One table from several frames, each with the file that it came from; rows are counted from 1 in each file."""
    frames, starts, total = [], [], 0
    for frame, file in parts:
        if frame.is_empty():
            continue
        frames.append(frame)
        starts.append((total, file))
        total += frame.height

    def place(row: int) -> tuple[str, int | None]:
        start, file = max((part for part in starts if part[0] <= row), key=lambda part: part[0])
        return file, row - start + 1

    return Table(pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame(), place)
