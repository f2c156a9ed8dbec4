"""Options that several commands share, so that they are called and explained alike.

Those of the corpus are in ``_corpus_input``, those of scores in ``_scores_input``, ``--json`` is in ``_output``.
"""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.errors import InputError

Device = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or cuda:N.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write a self-contained web page.")]
From = Annotated[Path | None, typer.Option("--from", help="Copy it from this folder instead of downloading it.")]
Aggregate = Annotated[
    str,
    typer.Option(
        "--aggregate",
        help="How several annotators become one value: mean, median, majority, majority-or-mean, annotator:NAME.",
    ),
]
Scale = Annotated[str | None, typer.Option("--scale", help="The scale of ratings that name none, as in 1-5.")]
RawCsv = Annotated[
    bool,
    typer.Option(
        "--raw-csv", help="Write CSV cells as they are; by default those that look like formulas get an apostrophe."
    ),
]

#: What makes numbers uncertain, and how they come out the same again.
Resamples = Annotated[int, typer.Option("--resamples", help="Bootstrap resamples; 0 for no intervals.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Of the intervals.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same numbers.")]


def refuse_file(folder: Path | None, option: str = "--output") -> None:
    """Stop before the work where the folder for its results cannot be made, because a file is there."""
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"{option} {folder}: is a file, not a folder")
