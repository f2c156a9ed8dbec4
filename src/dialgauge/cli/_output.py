"""What every command prints: tables and progress bars for people, JSON for machines, errors on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

#: The ``--json`` option, the same on every command.
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]

#: Control characters, but for tabs and line breaks.
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}

#: Between the columns of a table, unless it is compact; words up to this width are not broken.
_GAP, _LONGEST_WORD = 3, 16

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

    Where the screen is too narrow, texts are folded between words, and where that does not do, spacing is saved.
    Numbers are never folded: rather the table is wider than the screen.
    """
    console.print(harmless(title), style="bold", markup=False, highlight=False)
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
    edges = 2
    room = console.width - edges - max(map(cell_len, (kind, *names)))
    parts: list[list[int]] = [[]]
    left = room
    for i, head in enumerate(heads):
        width = _GAP + max(map(cell_len, (head, *(line[i] for line in numbers))))
        if parts[-1] and width > left:
            parts.append([])
            left = room
        parts[-1].append(i)
        left -= width
    return parts


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]], right: set[str], compact: bool) -> Table:
    texts = [["" if cell is None else harmless(str(cell)) for cell in row] for row in rows]
    heads = [harmless(column) for column in columns]
    cells = [[row[i] for row in texts] for i in range(len(columns))]
    least = [
        max(_widest_word([head]), _widest(body) if column in right else _widest_word(body))
        for head, column, body in zip(heads, columns, cells, strict=True)
    ]
    whole = [
        max(width, _widest(head.splitlines())) if column in right else width
        for head, column, width in zip(heads, columns, least, strict=True)
    ]
    tight = compact or sum(whole) + _GAP * len(whole) > console.width
    fits = sum(least) + (1 if tight else _GAP) * len(least) < console.width
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0) if tight else (0, 1))
    for head, column, width, body in zip(heads, columns, least, cells, strict=True):
        side: Literal["left", "right"] = "right" if column in right else "left"
        # So that others give way; where there is no room at all, rich would leave such a column out.
        fixed = fits and width >= _widest([*head.splitlines(), *body])
        table.add_column(escape(head), justify=side, overflow="fold", min_width=width, no_wrap=fixed)
    for row in texts:
        table.add_row(*map(escape, row))
    return table


def _widest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _widest_word(texts: Iterable[str]) -> int:
    """How wide a column must be so that no word is broken, but for very long ones."""
    return min(_LONGEST_WORD, _widest(word for text in texts for word in text.split()))


def harmless(text: str) -> str:
    """A text as a terminal may have it: control characters, which would do more than show, are written out."""
    return text.translate(_CONTROL)


def number(value: float | None, digits: int) -> str:
    """A number for the cell of a table, with so many decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def note(message: str) -> None:
    """A line for people on stderr, so that stdout stays clean for pipes. In a file or pipe a line stays a line."""
    errors.print(harmless(message), style="dim", markup=False, highlight=False, soft_wrap=not errors.is_terminal)


def write_file(path: Path, text: str) -> None:
    """Write a file that an option asked for, and say so on stderr."""
    from dialgauge.files import write_text

    write_text(path, text)
    note(f"wrote {path}")


def fail(message: str, code: int = 2) -> NoReturn:
    """Say what is wrong on stderr and leave with this exit code."""
    errors.print("[bold red]error:[/]", escape(harmless(message)), highlight=False, soft_wrap=not errors.is_terminal)
    sys.exit(code)


class _Count(MofNCompleteColumn):
    """How many are done of how many; nothing as long as nobody knows."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on stderr that vanishes when done; silent where stderr is no terminal.

    Gives a function of (what is being done, how many are done, how many there are).
    """
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(escape(description), total=None)

        def update(what: str, done: int, total: int) -> None:
            bar.update(task, description=escape(f"{description}: {what}"), completed=done, total=total)

        yield update
