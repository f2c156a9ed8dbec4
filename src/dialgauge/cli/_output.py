"""Output of all commands: tables and progress bars for people, JSON for programs, errors on stderr."""

import json
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from dialgauge import tables
from dialgauge.errors import InputError
from dialgauge.tables import harmless

if TYPE_CHECKING:
    from dialgauge.tables import Table

#: The ``--json`` option, the same on every command.
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]

#: Folders of what goes through a pipe begin so; messages name the pipe instead.
PIPES = "dialgauge-pipe-"
_PIPE = re.compile(rf"\S*/{PIPES}\w+/(in|out)put\.\w+")

console = Console()
errors = Console(stderr=True)


def print_json(data: Any) -> None:
    """Print one JSON document on stdout: keys unsorted, non-ASCII characters kept, no NaN."""
    if console.stderr:
        raise InputError("--json and a file called - would both be on standard output; give the file a name")
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numeric: Collection[str] = (),
    compact: bool = False,
) -> None:
    """Print a table of texts and numbers that only this command shows."""
    show(tables.listing(_said(title), columns, rows, numeric=numeric), compact=compact)


def show(table: "Table", *, compact: bool = False) -> None:
    """Print a table on the console, wrapped, transposed or split if the console is too narrow."""
    tables.print_table(table, console, compact=compact)


def note(message: str) -> None:
    """Print a line for people on stderr, so that stdout stays clean for pipes. In a file or pipe it is not wrapped."""
    errors.print(_said(message), style="dim", markup=False, highlight=False, soft_wrap=not errors.is_terminal)


def _said(message: str) -> str:
    return _PIPE.sub(r"standard \1put", harmless(message))


def write_file(path: Path, text: str) -> None:
    """Write a requested file and report it on stderr."""
    from dialgauge.files import write_text

    write_text(path, text)
    note(f"wrote {path}")


def fail(message: str, code: int = 2) -> NoReturn:
    """Print an error on stderr and exit with this code."""
    errors.print("[bold red]error:[/]", escape(_said(message)), highlight=False, soft_wrap=not errors.is_terminal)
    sys.exit(code)


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar on stderr that disappears when done; nothing if stderr is not a terminal.

    Yields a function of (current step, number done, total).
    """
    if not errors.is_terminal:
        yield lambda what, done, total: None
        return
    from dialgauge.cli._progress import bar_on

    with bar_on(errors, description) as update:
        yield update
