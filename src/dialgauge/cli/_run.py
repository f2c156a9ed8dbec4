"""``dialgauge run``: a whole study."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._corpus_input import say_what_was_read
from dialgauge.cli._options import refuse_file
from dialgauge.cli._output import Json, console, print_json, print_table, progress_bar


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("run")(run)


def run(
    study: Annotated[Path, typer.Argument(help="The study file; 'dialgauge init' writes one.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The results folder; default: as the study file says.")
    ] = None,
    json: Json = False,
) -> None:
    """Run a study: score, correlate with the ratings, write tables, manifest and report.html.

    [bold]dialgauge run study.toml[/]

    What is unchanged since the last run is not done again, and a run that was stopped goes on where it was. Rows of the
    corpus that had to be left out are counted on stderr each time, and listed in the report. With --json, the seconds
    of a stage that is unchanged are those of the run that did it.
    """
    from dialgauge.study import run_study
    from dialgauge.tables import number_cell

    refuse_file(output)
    with progress_bar("study") as progress:
        result = run_study(study, output=output, progress=progress)
    say_what_was_read(result.notes, result.left_out, result.problems)
    if json:
        print_json(
            {
                "folder": str(result.folder),
                "report": str(result.report),
                "stages": dict(result.stages),
                "seconds": dict(result.seconds),
                "notes": list(result.notes),
                "left_out": dict(result.left_out),
                "problems": list(result.problems),
            }
        )
        return
    rows = [
        # An unchanged stage took its time in an earlier run, not in this one.
        (name, state, number_cell(result.seconds[name] if state == "done" else None))
        for name, state in result.stages.items()
    ]
    print_table(f"study in {result.folder}", ("stage", "state", "seconds"), rows, numeric=["seconds"])
    console.print(f"report: {result.report}", highlight=False, soft_wrap=True)
