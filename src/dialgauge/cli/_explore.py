"""``dialgauge explore``: a finished run in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._output import Json, console, note, print_json

_OWN = frozenset({"127.0.0.1", "localhost", "::1"})


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("explore")(explore)


def explore(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run, as 'dialgauge run' writes it.")],
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 opens it to the network, where there is no login.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8600,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = False,
    json: Json = False,
) -> None:
    """Look at a run in the browser: search it, and ask where metrics go wrong.

    [bold]dialgauge explore runs/demo --open[/]

    Every dialogue with its summaries, ratings, scores and variants. Nothing can be changed.

    Every page is an address to pass on, and [bold]?format=json[/] gives it to programs.
    """
    from dialgauge.explore import RunData, serve

    data = RunData.open(run)
    if host not in _OWN:
        note(f"warning: there is no login: everybody who reaches {host} can read this run")

    def announce(address: str) -> None:
        if json:
            print_json({"address": address})
            sys.stdout.flush()  # who reads this waits for it, and we go on serving
        else:
            console.print(f"Exploring {data.name} at {address} until Ctrl-C.", highlight=False, markup=False)
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    serve(data, host=host, port=port, announce=announce)
