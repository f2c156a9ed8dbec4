"""``dialgauge datasets``: the catalogue of public data sets, and how to get them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dialgauge.cli._options import From, refuse_file
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar

Name = Annotated[str, typer.Argument(help="A data set of the catalogue.")]

_group = typer.Typer(help="List, show and download public data sets.", invoke_without_command=True)


def add_to(app: typer.Typer) -> None:
    """Register the group of commands."""
    app.add_typer(_group, name="datasets")


@_group.callback()
def catalogue(context: typer.Context, json: Json = False) -> None:
    """List the data sets that dialgauge can read.

    [bold]dialgauge datasets[/]
    """
    if context.invoked_subcommand is not None:
        return
    from dialgauge.corpus import DATASETS
    from dialgauge.files import cache_folder

    if json:
        print_json([_as_json(entry) for entry in DATASETS.values()])
        return
    print_table(
        "Public data sets",
        ["name", "what", "size", "licence", "ratings", "here"],
        [
            (e.name, e.what, e.size, e.licence, "yes" if e.ratings else "no", "yes" if _present(e) else "no")
            for e in DATASETS.values()
        ],
    )
    note(f"more: dialgauge datasets show NAME · get one: dialgauge datasets get NAME · stored in {cache_folder()}")


@_group.command("show")
def show(name: Name, json: Json = False) -> None:
    """Show all information about a data set, including what could not be verified.

    [bold]dialgauge datasets show dialsummeval[/]
    """
    from dialgauge.corpus import get_dataset

    entry = get_dataset(name)
    if json:
        print_json(_as_json(entry))
        return
    rows = [
        ("what", entry.what),
        ("size", entry.size),
        ("language", entry.language),
        ("licence", entry.licence),
        ("human ratings", "yes" if entry.ratings else "no"),
        ("published at", entry.home),
        ("paper", entry.paper),
        ("how to get it", entry.how),
        *(("file", f"{file.url} ({_pin(file)})") for file in entry.files),
        ("parts", ", ".join(f"{entry.name}:{part}" for part in entry.parts) or "one"),
        (
            "read by",
            f'read_dataset("{entry.name}", FOLDER)' if entry.read else "no reader: it does not contain dialogues",
        ),
        ("not verified", entry.unverified),
        ("here", str(entry.folder) if _present(entry) else "no"),
    ]
    print_table(entry.title, ["", ""], rows)


@_group.command("get")
def get(
    name: Name,
    source: From = None,
    target: Annotated[Path | None, typer.Option("--to", help="Download into this folder instead of the cache.")] = None,
    json: Json = False,
) -> None:
    """Download a data set into the cache. Rerun to resume an interrupted download.

    [bold]dialgauge datasets get dialsummeval[/]
    """
    from dialgauge.corpus import fetch_dataset, get_dataset

    entry = get_dataset(name)
    refuse_file(target, "--to")
    with progress_bar(entry.name) as progress:
        folder = fetch_dataset(entry, source=source, target=target, progress=progress)
    if json:
        print_json({"name": entry.name, "folder": str(folder), "licence": entry.licence})
        return
    console.print(f"{entry.name} is in {folder}", highlight=False, markup=False)
    note(f"licence: {entry.licence}")
    if not entry.is_in(folder):
        note(f"one manual step remains: {entry.how}")


def _present(entry: Any) -> bool:
    return bool(entry.is_in(entry.folder))


def _pin(file: Any) -> str:
    if file.sha256:
        return f"SHA-256 {file.sha256[:12]}…"
    if file.git_blob:
        return f"git hash {file.git_blob}"
    return "no checksum known"


def _as_json(entry: Any) -> dict[str, Any]:
    return {
        **{key: getattr(entry, key) for key in ("name", "title", "what", "size", "language", "licence", "ratings")},
        **{key: getattr(entry, key) for key in ("home", "paper", "how", "unverified")},
        "parts": list(entry.parts),
        "files": [{"url": f.url, "name": f.name, "sha256": f.sha256, "git_blob": f.git_blob} for f in entry.files],
        "readable": entry.read is not None,
        "folder": str(entry.folder) if _present(entry) else None,
    }
