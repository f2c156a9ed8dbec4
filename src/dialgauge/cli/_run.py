"""``dialgauge run``: run a study."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._corpus_input import report_input
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, console, print_json, print_table, progress_bar, show


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("run")(run)


def run(
    study: Annotated[Path, typer.Argument(help="Study file; create one with 'dialgauge init'.")],
    output: Annotated[Path | None, output_option("Output folder (default: from the study file).")] = None,
    json: Json = False,
) -> None:
    """Run a study: score, correlate with the ratings, write tables, manifest and report.html.

    [bold]dialgauge run study.toml[/]

    Stages unchanged since the last run are skipped, and an interrupted run resumes. Rows of the
    corpus that were skipped are counted on stderr and listed in the report. With --json, the seconds
    of an unchanged stage are those of the run that computed it.
    """
    from dialgauge.report import answer_table
    from dialgauge.study import FinishedRun, judged_in, run_study, told_in
    from dialgauge.tables import number_cell

    refuse_file(output)
    with progress_bar("study") as progress:
        result = run_study(study, output=output, progress=progress)
    report_input(result.notes, result.left_out, result.problems)
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
                "verdict": None if result.verdicts is None else result.verdicts.to_dict(),
            }
        )
        return
    rows = [
        # An unchanged stage took its time in an earlier run.
        (name, state, number_cell(result.seconds[name] if state == "done" else None))
        for name, state in result.stages.items()
    ]
    print_table(f"study in {result.folder}", ("stage", "state", "seconds"), rows, numeric=["seconds"])
    finished = FinishedRun.open(result.folder)
    if result.verdicts is not None:
        show(answer_table(result.verdicts, told_in(finished), with_reasons=False))
        console.print(f"reasons: dialgauge verdict {result.folder}", highlight=False, soft_wrap=True, markup=False)
    said = judged_in(finished, of_classes=result.verdicts is not None)
    if result.verdicts is None and (why := finished.stage("verdict").get("no_verdict")):
        said.append(f"no verdict on metrics for comparing systems: {why}")
    for sentence in said:
        console.print(sentence, highlight=False, markup=False)
    console.print(f"report: {result.report}", highlight=False, soft_wrap=True, markup=False)
