"""``dialgauge report``: rebuild the report of a finished run from its folder."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, console, print_json


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("report")(report)


def report(
    run: Annotated[Path, typer.Argument(help="Run folder, written by 'dialgauge run'.")],
    output: Annotated[
        Path | None, output_option("File to write (default: report.html in the run folder).", pipe=".html")
    ] = None,
    with_times: Annotated[
        bool,
        typer.Option("--with-times", help="Add the run time of each metric and the machine; needs --output."),
    ] = False,
    json: Json = False,
) -> None:
    """Rebuild report.html of a finished run from its tables, without computing anything.

    [bold]dialgauge report runs/demo -o page.html[/]

    The page is byte-identical to the one the run wrote. [bold]--with-times[/] adds the seconds per 1,000
    summaries of each metric, which vary from run to run.
    """
    from dialgauge.errors import InputError
    from dialgauge.files import write_text
    from dialgauge.study import report_of_run

    if with_times and output is None:
        raise InputError(
            "--with-times needs --output: report.html in the run folder is reproducible, and times are not"
        )
    page = report_of_run(run, with_times=with_times)
    path = output or run / "report.html"
    write_text(path, page)
    size = len(page.encode())
    if json:
        print_json({"report": str(path), "bytes": size})
        return
    console.print(f"report: {path} ({size / 1e6:.2f} MB)", highlight=False, soft_wrap=True, markup=False)
