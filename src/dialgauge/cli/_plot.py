"""``dialgauge plot``: the figures of a run as charts."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, note, print_json, print_table


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("plot")(plot)


def plot(
    run: Annotated[Path, typer.Argument(help="Run folder, written by 'dialgauge run'.", show_default=False)],
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Charts to write, or beginnings of their names (default: all).", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        output_option("Folder to write charts to, or one file: .svg, .png, .html or .json.", pipe=".json"),
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="Format in a folder: svg, png, html or json.")] = "svg",
    json: Json = False,
) -> None:
    """Write the figures of a run's report as charts (Vega-Lite), for papers, slides and notebooks.

    [bold]dialgauge plot runs/demo ranking -o figures --format png[/]

    Without --output, the charts are listed. Needs the extra [bold]plots[/].
    """
    from dialgauge.errors import InputError
    from dialgauge.plots import FORMATS, chart_names, charts, save_chart, save_charts

    if output is None:
        found = [name for name in chart_names(run) if not names or name.startswith(tuple(names))]
        if json:
            print_json({"run": str(run), "charts": found})
        else:
            print_table(f"Charts of {run}", ["chart"], [(name,) for name in found])
            note(f"write them with: dialgauge plot {run} -o FOLDER")
        return
    if output.suffix.removeprefix(".") in FORMATS:
        made = charts(run, names or ())
        if len(made) > 1:
            raise InputError(f"{output}: {len(made)} charts do not fit in one file; name one of: {', '.join(made)}")
        written = [save_chart(one, output) for one in made.values()]
    else:
        written = save_charts(run, output, names or (), format=format)
    if json:
        print_json({"run": str(run), "files": [str(path) for path in written]})
    else:
        note(f"wrote {len(written)} charts to {output}" if len(written) > 1 else f"wrote {output}")
