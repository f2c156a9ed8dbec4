"""``dialgauge explore``: browse a finished run in the browser."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._output import Json, console, note, print_json
from dialgauge.cli._settings import with_options
from dialgauge.explore import ExploreSettings

_OWN = frozenset({"127.0.0.1", "localhost", "::1"})


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("explore")(explore)


@with_options
def explore(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run, written by 'dialgauge run'.")],
    settings: ExploreSettings,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = False,
    json: Json = False,
) -> None:
    """Explore a run in the browser: search it and find where metrics fail.

    [bold]dialgauge explore runs/demo --open[/]

    Shows every dialogue with its summaries, ratings, scores and variants. Read-only.

    Every page has a URL to share, and [bold]?format=json[/] returns it as JSON.
    """
    from dialgauge.explore import RunData, serve

    data = RunData.open(run)
    if settings.host not in _OWN:
        note(f"warning: there is no login: anyone who can reach {settings.host} can read this run")

    def announce(address: str) -> None:
        if json:
            print_json({"address": address})
            sys.stdout.flush()  # who reads this waits for it, and we go on serving
        else:
            console.print(f"Exploring {data.name} at {address} until Ctrl-C.", highlight=False, markup=False)
        if open_browser:
            import webbrowser

            webbrowser.open(address)

    serve(data, settings, announce=announce)
