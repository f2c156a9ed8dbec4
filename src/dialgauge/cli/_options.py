"""Options that several commands share, with the same names and help texts.

Those of the corpus are in ``_corpus_input``, those of scores in ``_scores_input``, ``--json`` is in ``_output``.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from dialgauge.cli._pipes import to_pipe
from dialgauge.errors import InputError

Device = Annotated[str, typer.Option("--device", help="Device for models: auto, cpu, cuda or cuda:N.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write a self-contained HTML page to this file.")]
From = Annotated[Path | None, typer.Option("--from", help="Copy from this folder instead of downloading.")]
RawCsv = Annotated[
    bool,
    typer.Option(
        "--raw-csv", help="Write CSV cells unchanged; by default, cells that look like formulas get an apostrophe."
    ),
]


def output_option(help: str, pipe: str = "", **more: Any) -> Any:
    """``--output``, ``-o``: a file or folder to write. Its folder is created, but not the one around that.

    Two folders that are missing are a typing error rather than a wish. ``pipe`` is the suffix of the format that goes
    to standard output for ``-o -``; empty where a folder is written.
    """

    def place(context: typer.Context, value: Any) -> Any:
        return _with_a_place(to_pipe(context, value, pipe))

    return typer.Option("--output", "-o", help=help, callback=place, **more)


def _with_a_place(path: Path | str | None) -> Path | str | None:
    if path is not None and "://" not in str(path):
        folder = Path(path).absolute().parent.parent
        if not folder.is_dir():
            raise InputError(f"--output {path}: the folder {folder} does not exist; create it first")
    return path


def refuse_file(folder: Path | None, option: str = "--output") -> None:
    """Fail early if the output folder cannot be created because a file has its name."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"{option} {folder}: is a file, not a folder")
