"""``dialgauge verdict``: which metric can be trusted, from a finished run."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._output import Json, console, note, print_json, show
from dialgauge.errors import UnknownNameError


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("verdict")(verdict)


def verdict(
    run: Annotated[Path, typer.Argument(help="Run folder.", show_default=False)],
    all_metrics: Annotated[bool, typer.Option("--all", help="Show every metric of every dimension.")] = False,
    format: Annotated[
        str, typer.Option("--format", "-f", help="Format: text, latex, markdown, csv, html or json.")
    ] = "text",
    json: Json = False,
) -> None:
    """Which metric can be trusted for which dimension? The verdict of a finished run, with reasons.

    [bold]dialgauge verdict runs/demo[/]

    ● use, ◐ use with care, ○ do not use. Nothing is computed: the run decided it, at one error for all metrics
    and dimensions together.
    """
    from dialgauge.report import answer_sentences, answer_table, null_sentence, verdict_table
    from dialgauge.study import FinishedRun, judged_in, needed_verdicts, told_in, verdicts_of
    from dialgauge.tables import FORMATS, render_table

    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    finished = FinishedRun.open(run)
    judged = judged_in(finished)
    if judged and format == "text" and not json and verdicts_of(finished) is None:
        for sentence in judged:
            console.print(sentence, highlight=False, markup=False)
        note(
            f"no verdict on metrics for comparing systems: {finished.stage('verdict').get('no_verdict', 'no ratings')}"
        )
        return
    found = needed_verdicts(finished)
    if json:
        print_json(found.to_dict())
        return
    if format != "text":
        made = verdict_table(found) if all_metrics else answer_table(found, told_in(finished))
        typer.echo(render_table(made, format), nl=False)
        return
    show(verdict_table(found, signs=True) if all_metrics else answer_table(found, with_reasons=False))
    for sentence in (*answer_sentences(found, told_in(finished)), *judged_in(finished, of_classes=True)):
        console.print(sentence, highlight=False, markup=False)
    for text in (*found.notes, null_sentence(found)):
        if text:
            note(text)
