"""``dialgauge inspect``: the format and columns of a file, and how they would be read."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, report_input
from dialgauge.cli._output import Json, console, print_json, print_table, progress_bar
from dialgauge.cli._pipes import from_pipe
from dialgauge.cli._settings import Only, with_options
from dialgauge.corpus import ReadingSettings
from dialgauge.errors import InputError, counted
from dialgauge.tables import NOTHING

_ONE = {
    "dialogues": "dialogue",
    "summaries": "summary",
    "ratings": "rating",
    "preferences": "preference",
    "choices": "choice",
    "spans": "span",
    "annotators": "annotator",
}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("inspect")(inspect)


@with_options
def inspect(
    file: Annotated[
        Path,
        typer.Argument(
            help="A file or folder with dialogues, summaries or ratings ([bold]-[/]: standard input).",
            callback=from_pipe,
        ),
    ],
    reading: Annotated[ReadingSettings, Only("scale_words", "not_given")],
    map: Map = None,
    format: Format = None,
    rows: Annotated[int, typer.Option(min=0, help="Number of rows to show.")] = 2,
    json: Json = False,
) -> None:
    """Inspect a file before using it: its format, encoding and columns, how each is read, and why.

    [bold]dialgauge inspect results.csv --map summary=hyp[/]

    Correct a wrong guess with --map; the other commands have the same option.
    """
    from dialgauge.corpus import EMBEDDED, count_by_reason, inspect_file, parse_mapping

    if not file.exists() and (str(file) == EMBEDDED or str(file).startswith("dataset:")):
        raise InputError(
            f"{file}: this is a corpus, not a file; 'dialgauge convert {file} FOLDER' writes it to a folder"
        )
    with progress_bar(f"reading {file}"):
        found = inspect_file(file, format=format, mapping=parse_mapping(map or []), first=rows, reading=reading)
    if json:
        print_json(_as_json(found))
        return
    encoding = f", {found.encoding}" if found.encoding else ""
    language = f", language {found.language}" if found.language else ""
    console.print(
        f"{found.path}: {found.format} ({found.why}){encoding}, {counted(found.rows, 'row')}{language}",
        highlight=False,
        markup=False,
    )
    print_table(
        "Columns",
        ["column", "type", "filled", "read as", "because"],
        [(c.name, c.type, f"{c.filled:,}", c.use or NOTHING, c.why) for c in found.columns],
        numeric=["filled"],
    )
    for number, row in enumerate(found.first_rows.iter_rows(named=True), start=1):
        cells = [(name, _clip(value)) for name, value in row.items() if value is not None]
        print_table(f"Row {number}", ["column", "value"], cells)
    counts = ", ".join(counted(number, _ONE[what], what) for what, number in found.found.items()) or "nothing"
    console.print(f"Read this way: {counts}; skipped: {counted(len(found.problems), 'row')}.", highlight=False)
    if found.account is not None and found.account.cells:
        console.print(found.account.sentence() + ".", highlight=False, markup=False)
    report_input(found.notes, count_by_reason(found.problems), found.problems)
    console.print(_what_to_copy(found.readable, found.map_is_whole), highlight=False, markup=False)
    target = "corpus" if file.name != "corpus" else "converted"
    command = " ".join(["dialgauge convert", shlex.quote(found.path), target, *found.map_options])
    console.print(f"  {command}", highlight=False, markup=False, soft_wrap=True)


def _what_to_copy(readable: bool, whole: bool) -> str:
    if not readable:
        return "Nothing can be read this way; a start, to copy and change:"
    if whole:
        return "The same reading, to copy and change:"
    return "The same reading, to copy; --map cannot say all that was found out about these columns:"


def _clip(value: object, width: int = 160) -> str:
    text = " ⏎ ".join(str(value).splitlines())
    return text if len(text) <= width else text[: width - 1] + "…"


def _as_json(found: Any) -> dict[str, Any]:
    return {
        "path": found.path,
        "format": found.format,
        "why": found.why,
        "encoding": found.encoding,
        "rows": found.rows,
        "language": found.language,
        "columns": [
            {"name": c.name, "type": c.type, "filled": c.filled, "use": c.use, "why": c.why} for c in found.columns
        ],
        "first_rows": [
            {name: None if value is None else str(value) for name, value in row.items()}
            for row in found.first_rows.iter_rows(named=True)
        ],
        "found": dict(found.found),
        "layout": found.layout,
        "account": None if found.account is None else found.account.as_json(),
        "map": list(found.map_options),
        "map_is_whole": found.map_is_whole,
        "readable": found.readable,
        "notes": list(found.notes),
        "problems": [str(problem) for problem in found.problems],
    }
