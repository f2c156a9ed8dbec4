"""What a table shows: names of rows and columns, values with stars and bold, a caption and notes."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Part:
    """A value as it is shown: ``text`` for readers, ``value`` and its ``interval`` with all digits for programs."""

    text: str
    bold: bool = False
    stars: str = ""
    value: float | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One value, or several in one cell separated by slashes; ``reason`` says why there is none."""

    parts: tuple[Part, ...]
    separator: str = "/"
    reason: str = ""

    @property
    def text(self) -> str:
        """The whole cell, with its stars."""
        return self.separator.join(part.text + part.stars for part in self.parts)


@dataclass(frozen=True, slots=True)
class Column:
    """A column. Columns with one ``group`` stand under a common head; numbers are aligned to the right.

    ``direction`` says which values are better: higher, lower, or none.
    """

    name: str
    group: str = ""
    numeric: bool = True
    digits: int = 2
    direction: str = "none"


@dataclass(frozen=True, slots=True)
class Row:
    """A row. Rows with one ``group`` stand together, with the name of the group before the first."""

    name: str
    cells: tuple[Cell, ...]
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A whole table.

    ``kind`` is what it is called in a label, ``corner`` what the names of the rows are (None where rows have no
    names), ``grouping`` what the groups of rows are. ``split`` is the number of columns after which the table wraps
    into a further block. ``across`` is what the names of the columns are: a table of numbers that has it may be
    transposed or split if the screen is too narrow.
    """

    kind: str
    corner: str | None
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    split: int | None = None
    title: str = ""
    grouping: str = ""
    across: str | None = None

    @cached_property  # asked for at every row
    def grouped(self) -> bool:
        """Whether the names of groups stand in a column before the names of the rows."""
        return any(row.group for row in self.rows)

    @property
    def legend(self) -> str:
        """The caption and the notes."""
        return " ".join((self.caption.strip(), *self.notes)).strip()

    def row_heads(self) -> list[str]:
        """The names of the columns that hold the names of rows and groups."""
        return [self.grouping] * self.grouped + ([] if self.corner is None else [self.corner])

    def row_names(self, row: Row) -> list[str]:
        """The name of the group of a row and its own."""
        return [row.group] * self.grouped + ([] if self.corner is None else [row.name])

    def html(self) -> str:
        """A ``table`` element for a page that has our style sheet."""
        from dialgauge.tables._html import html_table

        return html_table(self)

    def _repr_html_(self) -> str:
        from dialgauge.tables._html import notebook_html

        return notebook_html(self)


def text_cell(text: str) -> Cell:
    """A cell that is neither bold nor starred."""
    return Cell((Part(text),))


def listing(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numeric: Collection[str] = (),
    kind: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A table from rows of texts, numbers and cells; None is an empty cell.

    The first column names the rows, unless it is one of the ``numeric`` ones.
    """
    named = columns[0] not in numeric
    shown = columns[1:] if named else columns
    made = []
    for row in rows:
        cells = tuple(map(_cell, row))
        made.append(Row(cells[0].text, cells[1:]) if named else Row("", cells))
    return Table(
        kind,
        columns[0] if named else None,
        tuple(Column(name, numeric=name in numeric) for name in shown),
        tuple(made),
        notes=tuple(notes),
        title=title,
    )


def matrix(
    title: str,
    corner: tuple[str, str],
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[object]],
    *,
    kind: str = "",
) -> Table:
    """A table of numbers with a name for each row and column; ``corner`` says what the two kinds of names are."""
    made = tuple(Row(name, tuple(map(_cell, line))) for name, line in zip(rows, cells, strict=True))
    return Table(kind, corner[0], tuple(map(Column, columns)), made, title=title, across=corner[1])


def _cell(value: object) -> Cell:
    if isinstance(value, Cell):
        return value
    known = float(value) if isinstance(value, int | float) else None
    return Cell((Part("" if value is None else str(value), value=known),))
