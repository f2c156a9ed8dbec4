"""What every command prints: tables and progress bars for people, JSON for machines, errors on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

#: The ``--json`` option, the same on every command.
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]

#: Control characters, but for tabs and line breaks: in a terminal they would do more than show.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}

console = Console()
errors = Console(stderr=True)


def print_json(data: Any) -> None:
    """JSON on stdout: sorted by nothing, one document, non-ASCII kept, NaN never."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numeric: Iterable[str] = (),
    compact: bool = False,
) -> None:
    """A table for people; texts are shown as they are (no markup is read from data). ``compact`` saves on spacing.

    Where the screen is too narrow, texts are folded and numbers are not: rather the table is wider than the screen.
    """
    console.print(title, style="bold", markup=False, highlight=False)
    console.print(_table(columns, rows, set(numeric), compact), crop=False)


def print_numbers(
    title: str, corner: tuple[str, str], rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[str]]
) -> None:
    """A table of numbers only, with a name for each row and column; ``corner`` says what the two kinds of names are.

    Where the screen is too narrow it is turned, or split into several tables, whatever gives fewer.
    """
    turned = list(zip(*cells, strict=True)) if cells else [()] * len(columns)
    ways = [(corner[0], rows, columns, cells), (corner[1], columns, rows, turned)]
    parts, (kind, names, heads, numbers) = min(((_parts(*way), way) for way in ways), key=lambda found: len(found[0]))
    for count, part in enumerate(parts, start=1):
        shown = [heads[i] for i in part]
        body = [(name, *(line[i] for i in part)) for name, line in zip(names, numbers, strict=True)]
        named = title if len(parts) == 1 else f"{title} ({count} of {len(parts)})"
        print_table(named, (kind, *shown), body, numeric=shown)


def _parts(kind: str, names: Sequence[str], heads: Sequence[str], numbers: Sequence[Sequence[str]]) -> list[list[int]]:
    """Which columns go into which table, so that each table fits the screen."""
    edges, gap = 2, 3
    room = console.width - edges - max(map(cell_len, (kind, *names)))
    parts: list[list[int]] = [[]]
    left = room
    for i, head in enumerate(heads):
        width = gap + max(map(cell_len, (head, *(line[i] for line in numbers))))
        if parts[-1] and width > left:
            parts.append([])
            left = room
        parts[-1].append(i)
        left -= width
    return parts


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]], right: set[str], compact: bool) -> Table:
    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0) if compact else (0, 1),
    )
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    for i, column in enumerate(columns):
        least = max((cell_len(row[i]) for row in texts), default=0) if column in right else None
        table.add_column(column, justify="right" if column in right else "left", overflow="fold", min_width=least)
    for row in texts:
        table.add_row(*map(escape, row))
    return table


def number(value: float | None, digits: int) -> str:
    """A number for the cell of a table, with so many decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def note(message: str) -> None:
    """A line for people on stderr, so that stdout stays clean for pipes. In a file or pipe a line stays a line."""
    errors.print(
        message.translate(_CONTROL), style="dim", markup=False, highlight=False, soft_wrap=not errors.is_terminal
    )


def write_file(path: Path, text: str) -> None:
    """Write a file that an option asked for, and say so on stderr."""
    from dialgauge.files import write_text

    write_text(path, text)
    note(f"wrote {path}")


def fail(message: str, code: int = 2) -> NoReturn:
    """Say what is wrong on stderr and leave with this exit code."""
    shown = escape(message.translate(_CONTROL))
    errors.print("[bold red]error:[/]", shown, highlight=False, soft_wrap=not errors.is_terminal)
    sys.exit(code)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on stderr that vanishes when done; silent where stderr is no terminal.

    Gives a function of (what is being done, how many are done, how many there are).
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(description, total=None)

        def update(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{description}: {escape(what)}", completed=done, total=total)

        yield update
