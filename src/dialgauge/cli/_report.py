"""``dialgauge report``: the page of a finished run, made again from its folder."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._output import Json, console, print_json


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("report")(report)


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run, as 'dialgauge run' leaves it.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; default: report.html in the folder.")
    ] = None,
    with_times: Annotated[
        bool,
        typer.Option("--with-times", help="Add what each metric cost, and on which machine; needs an --output."),
    ] = False,
    json: Json = False,
) -> None:
    """Make report.html of a finished run again, from its tables; nothing is computed.

    [bold]dialgauge report runs/demo -o page.html[/]

    The page is the same, byte for byte, as the run wrote it. With [bold]--with-times[/] it has seconds per 1,000
    summaries for each metric, which differ from run to run.
    """
    from dialgauge.errors import InputError
    from dialgauge.files import write_text
    from dialgauge.study import report_of_run

    if with_times and output is None:
        raise InputError(
            "--with-times needs --output: the report.html of a run is the same each time, and times are not"
        )
    page = report_of_run(run, with_times=with_times)
    path = output or run / "report.html"
    write_text(path, page)
    size = len(page.encode())
    if json:
        print_json({"report": str(path), "bytes": size})
        return
    console.print(f"report: {path} ({size / 1e6:.2f} MB)", highlight=False, soft_wrap=True)
