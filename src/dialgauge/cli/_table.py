"""``dialgauge table``: tables for papers from a finished run."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._completion import complete_metric
from dialgauge.cli._options import RawCsv, output_option
from dialgauge.cli._output import Json, write_file
from dialgauge.errors import InputError, UnknownNameError


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("table")(table)


def table(
    run: Annotated[Path, typer.Argument(help="Run folder.", show_default=False)],
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            help="Table: verdict, correlations, systems, paired-systems, agreement, robustness, perturbations, "
            "perturbed-correlations, affect, learned, reproduction, labels, label-thresholds, preferences, "
            "preference-accuracy, best-worst, spans, span-labels or span-systems.",
        ),
    ] = "correlations",
    format: Annotated[
        str, typer.Option("--format", "-f", help="Format: latex (booktabs), markdown, csv, html, json or text.")
    ] = "latex",
    output: Annotated[Path | None, output_option("Write the table to this file.", pipe=".txt")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", help="Metric to include (repeatable; sets the order).", autocompletion=complete_metric
        ),
    ] = None,
    coefficient: Annotated[
        str | None,
        typer.Option(
            help="Coefficient of correlations: one that the study computed (default: pearson, or else its first)."
        ),
    ] = None,
    level: Annotated[str | None, typer.Option(help="Level for learned metrics: summary (default) or system.")] = None,
    role: Annotated[str | None, typer.Option(help="Role for affect (default: the whole dialogue).")] = None,
    digits: Annotated[int | None, typer.Option(help="Number of decimals (default: 2 or 3, as in the papers).")] = None,
    best: Annotated[int | None, typer.Option(help="Number of bold values per column; 0 for none.")] = None,
    stars: Annotated[
        bool | None, typer.Option("--stars/--no-stars", help="Mark significance (default: yes, except in CSV).")
    ] = None,
    columns: Annotated[int | None, typer.Option(help="Wrap the table after N columns.", min=1)] = None,
    caption: Annotated[str | None, typer.Option(help="Your own caption.")] = None,
    raw_csv: RawCsv = False,
    json: Json = False,
) -> None:
    """Write a table of a run for a paper, in the layout of the original papers.

    [bold]dialgauge table runs/demo --kind correlations --format latex -o table1.tex[/]

    The numbers are those saved by the run; nothing is recomputed.
    """
    from dialgauge.study import TableOptions, publication_table
    from dialgauge.tables import FORMATS, render_table

    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if json and output is not None:
        raise InputError("--json prints to standard output; do not combine it with --output")
    options = TableOptions(tuple(metric or ()), coefficient, level, role, best, digits)
    made = publication_table(run, kind, options)
    if caption is not None:
        made = replace(made, caption=caption, notes=())
    text = render_table(made, "json" if json else format, stars=stars, split=columns, escape_formulas=not raw_csv)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_file(output, text)
