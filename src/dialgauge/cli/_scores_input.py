"""How every command takes the scores of a corpus from the command line."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._corpus_input import given_by

if TYPE_CHECKING:
    from dialgauge.metrics import Scores

#: The argument of every command that needs scores beside a corpus.
ScoresFile = Annotated[
    Path, typer.Argument(help="Scores of its summaries, as [bold]dialgauge score -o[/] writes them, or a CSV.")
]


def load_scores(path: Path, option: str = "SCORES") -> "Scores":
    """The scores in this file, which the argument or option of this name gave."""
    from dialgauge.metrics import Scores

    with given_by(option):
        return Scores.load(path)
