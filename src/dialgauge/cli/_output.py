"""What every command prints: tables and progress bars for people, JSON for machines, errors on stderr."""

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from dialgauge import tables
from dialgauge.tables import harmless

if TYPE_CHECKING:
    from dialgauge.tables import Table

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
    numeric: Collection[str] = (),
    compact: bool = False,
) -> None:
    """Print a table of texts and numbers that is shown nowhere else."""
    show(tables.listing(title, columns, rows, numeric=numeric), compact=compact)


def show(table: "Table", *, compact: bool = False) -> None:
    """Print a table on the console, folded, turned or split where it is too narrow."""
    tables.print_table(table, console, compact=compact)


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
