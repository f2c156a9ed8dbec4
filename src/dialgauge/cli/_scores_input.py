"""The scores argument of all commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._corpus_input import given_by
from dialgauge.cli._pipes import from_pipe

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.metrics import Scores

#: The argument of every command that needs the scores of a corpus.
ScoresFile = Annotated[
    Path,
    typer.Argument(
        help="Scores of its summaries, written by [bold]dialgauge score -o[/] (file, or folder of a stream), or a "
        "CSV file; [bold]-[/] reads standard input.",
        callback=from_pipe,
    ),
]


def load_scores(path: Path, option: str = "SCORES", only: "pl.DataFrame | None" = None) -> "Scores":
    """Load the scores of a file or of a stream, of these keys only; errors name this argument or option."""
    from dialgauge.metrics import Scores

    with given_by(option):
        return Scores.load(path, only)
