"""``dialgauge table``: tables for papers from a finished run."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._completion import complete_metric
from dialgauge.cli._options import RawCsv
from dialgauge.cli._output import Json, write_file
from dialgauge.errors import InputError, UnknownNameError


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("table")(table)


def table(
    run: Annotated[Path, typer.Argument(help="The folder of a run.", show_default=False)],
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            help="correlations, systems, agreement, robustness, perturbations, perturbed-correlations, affect, "
            "learned or reproduction.",
        ),
    ] = "correlations",
    format: Annotated[
        str, typer.Option("--format", "-f", help="latex (booktabs), markdown, csv, html, json or text.")
    ] = "latex",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", help="Only this metric; repeat, in the order wanted.", autocompletion=complete_metric
        ),
    ] = None,
    coefficient: Annotated[
        str | None, typer.Option(help="Of correlations: pearson (the default), spearman or kendall.")
    ] = None,
    level: Annotated[str | None, typer.Option(help="Of learned metrics: summary (the default) or system.")] = None,
    role: Annotated[str | None, typer.Option(help="Of affect: whose feelings; default: the whole dialogue.")] = None,
    digits: Annotated[int | None, typer.Option(help="Decimals; default: as in the papers, 2 or 3.")] = None,
    best: Annotated[int | None, typer.Option(help="How many of a column are bold; 0 for none.")] = None,
    stars: Annotated[
        bool | None, typer.Option("--stars/--no-stars", help="Mark significance; default: but in CSV.")
    ] = None,
    columns: Annotated[int | None, typer.Option(help="Wrap the table after N columns.", min=1)] = None,
    caption: Annotated[str | None, typer.Option(help="Your own caption.")] = None,
    raw_csv: RawCsv = False,
    json: Json = False,
) -> None:
    """Write a table of a run for a paper, in the layout of the papers that this project continues.

    [bold]dialgauge table runs/demo --kind correlations --format latex -o table1.tex[/]

    It shows what the run saved; nothing is computed again.
    """
    from dialgauge.study import TableOptions, publication_table
    from dialgauge.tables import FORMATS, render_table

    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if json and output is not None:
        raise InputError("--json prints to standard output; leave --output out")
    options = TableOptions(tuple(metric or ()), coefficient, level, role, best, digits)
    made = publication_table(run, kind, options)
    if caption is not None:
        made = replace(made, caption=caption, notes=())
    text = render_table(made, "json" if json else format, stars=stars, split=columns, escape_formulas=not raw_csv)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_file(output, text)
