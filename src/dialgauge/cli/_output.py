"""What every command prints: tables and progress bars for people, JSON for machines, errors on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

#: The ``--json`` option, the same on every command.
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]

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
    """A table for people; texts are shown as they are (no markup is read from data). ``compact`` saves on spacing."""
    right = set(numeric)
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0) if compact else (0, 1),
    )
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    console.print(table)


def note(message: str) -> None:
    """A line for people on stderr, so that stdout stays clean for pipes."""
    errors.print(message, style="dim", markup=False, highlight=False)


def fail(message: str, code: int = 2) -> NoReturn:
    """Say what is wrong on stderr and leave with this exit code."""
    errors.print("[bold red]error:[/]", escape(message), highlight=False)
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
