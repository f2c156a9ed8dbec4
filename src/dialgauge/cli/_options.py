"""Options that several commands share, with the same names and help texts.

Those of the corpus are in ``_corpus_input``, those of scores in ``_scores_input``, ``--json`` is in ``_output``.
"""

from pathlib import Path
from typing import Annotated

import typer

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


def refuse_file(folder: Path | None, option: str = "--output") -> None:
    """Fail early if the output folder cannot be created because a file has its name."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"{option} {folder}: is a file, not a folder")
