"""Tables on a screen of any width. Rich is imported when something is printed."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Literal

from dialgauge.tables._blocks import names_once, turned, with_columns
from dialgauge.tables._model import Cell, Column, Table
from dialgauge.tables._texts import harmless

if TYPE_CHECKING:
    import rich.table
    from rich.console import Console

#: Between the columns of a table, unless it is compact; words up to this width are not broken.
_GAP, _LONGEST_WORD = 3, 16
#: What the frame of a table takes from the width of a screen.
_EDGES = 2


def print_table(table: Table, console: "Console", *, compact: bool = False) -> None:
    """Print a table for people; texts are shown as they are (no markup is read from data). ``compact`` saves spacing.

    If the screen is too narrow, texts are wrapped between words; if that is not enough, spacing is reduced. Numbers
    are never wrapped: the table is then wider than the screen. A table of numbers that says what its columns are is
    transposed, or split into several tables, whichever gives fewer.
    """
    for part in _fitting(table, console.width):
        if part.title:
            console.print(harmless(part.title), style="bold", markup=False, highlight=False)
        console.print(_rich_table(part, console.width, compact), crop=False)


def console_text(table: Table) -> str:
    """A table as it is printed on this terminal (of 100 columns where there is none), with caption and notes below."""
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=stream, width=get_terminal_size((100, 24)).columns)
    print_table(table, console)
    for line in filter(None, (table.caption, *table.notes)):
        console.print(harmless(line), markup=False, highlight=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def fits_width(table: Table, width: int) -> bool:
    """Whether all columns of a table of numbers fit a screen side by side."""
    return len(_parts(table, width)) == 1


def room_beside(columns: Iterable[Iterable[str]], width: int) -> int:
    """How much of a screen's width is left for one more column beside these, given by the texts in them."""
    return width - _EDGES - sum(_GAP + _widest(texts) for texts in columns)


def _fitting(table: Table, width: int) -> list[Table]:
    """The tables that fit the screen: the table itself, or parts of it or of the transposed one."""
    if table.across is None:
        return [table]
    ways = (table, turned(table))
    parts, shown = min(((_parts(way, width), way) for way in ways), key=lambda found: len(found[0]))
    if len(parts) == 1:
        return [shown]
    titles = [f"{table.title} ({count} of {len(parts)})" for count in range(1, len(parts) + 1)]
    return [replace(with_columns(shown, part), title=title) for part, title in zip(parts, titles, strict=True)]


def _parts(table: Table, width: int) -> list[list[int]]:
    """Which columns go into which table, so that each table fits the screen."""
    room = width - _EDGES - _widest([table.corner or "", *(row.name for row in table.rows)])
    parts: list[list[int]] = [[]]
    left = room
    for i, column in enumerate(table.columns):
        needed = _GAP + _widest([column.name, *(row.cells[i].text for row in table.rows)])
        if parts[-1] and needed > left:
            parts.append([])
            left = room
        parts[-1].append(i)
        left -= needed
    return parts


def _rich_table(table: Table, width: int, compact: bool) -> "rich.table.Table":
    import rich.table
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape

    columns = _columns(table)
    rows = [[*names, *(cell.text for cell in row.cells)] for row, names in names_once(table)]
    texts = [[harmless(text) for text in row] for row in rows]
    heads = [harmless(f"{column.group}\n{column.name}".strip()) for column in columns]
    cells = [[row[i] for row in texts] for i in range(len(columns))]
    least = [
        max(_widest_word([head]), _widest(body) if column.numeric else _widest_word(body))
        for head, column, body in zip(heads, columns, cells, strict=True)
    ]
    whole = [
        max(needed, _widest(head.splitlines())) if column.numeric else needed
        for head, column, needed in zip(heads, columns, least, strict=True)
    ]
    tight = compact or sum(whole) + _GAP * len(whole) > width
    fits = sum(least) + (1 if tight else _GAP) * len(least) < width
    made = rich.table.Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0) if tight else (0, 1))
    for head, column, needed, body in zip(heads, columns, least, cells, strict=True):
        side: Literal["left", "right"] = "right" if column.numeric else "left"
        # So that the other columns shrink; if there is no space at all, rich would leave such a column out.
        fixed = fits and needed >= _widest([*head.splitlines(), *body])
        made.add_column(escape(head), justify=side, overflow="fold", min_width=needed, no_wrap=fixed)
    for row, line in zip(table.rows, texts, strict=True):
        before = len(line) - len(row.cells)
        made.add_row(*map(escape, line[:before]), *(_markup(cell) for cell in row.cells))
    return made


def _columns(table: Table) -> list[Column]:
    """All columns, those of the names of rows and groups first."""
    return [*(Column(name, numeric=False) for name in table.row_heads()), *table.columns]


def _markup(cell: Cell) -> str:
    from rich.markup import escape

    def shown() -> Iterator[str]:
        for part in cell.parts:
            text = escape(harmless(part.text + part.stars))
            yield f"[bold]{text}[/bold]" if part.bold else text

    return escape(cell.separator).join(shown())


def _widest(texts: Iterable[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, texts), default=0)


def _widest_word(texts: Iterable[str]) -> int:
    """How wide a column must be so that no word is broken, except very long ones."""
    return min(_LONGEST_WORD, _widest(word for text in texts for word in text.split()))
