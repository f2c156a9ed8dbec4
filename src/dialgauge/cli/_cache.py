"""``dialgauge cache``: the metric results that are cached between runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._output import Json, note, print_json, print_table
from dialgauge.errors import DialgaugeError, UnknownNameError, counted

if TYPE_CHECKING:
    from dialgauge.engine import ResultCache

_group = typer.Typer(
    help="Show, verify or clear cached metric results.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Register the group of commands."""
    app.add_typer(_group, name="cache")


@_group.command("stats")
def stats(json: Json = False) -> None:
    """Show the cached values: their number per metric and their size.

    [bold]dialgauge cache stats[/]

    The key of a value is a digest of the texts, the metric's signature, its model's files and the code. The folder is
    [bold]results[/] in the cache folder, or DIALGAUGE_RESULTS ([bold]off[/] disables it); at most DIALGAUGE_RESULTS_MIB
    MiB are kept (1,024 by default); the least recently read values are removed first.
    """
    found = _cache().stats()
    if json:
        print_json(
            {
                "path": str(found.path),
                "entries": found.entries,
                "bytes_used": found.bytes_used,
                "bytes_limit": found.bytes_limit,
                "bytes_on_disk": found.bytes_on_disk,
                "metrics": dict(found.labels),
                "set_aside": [str(path) for path in found.set_aside],
            }
        )
        return
    if found.labels:
        print_table("Cached values", ("metric", "values"), _with_commas(found.labels), numeric=["values"])
    note(
        f"{found.path}: {counted(found.entries, 'value')}, {_mib(found.bytes_used)} of at most "
        f"{_mib(found.bytes_limit)} ({_mib(found.bytes_on_disk)} on disk)"
    )
    for path in found.set_aside:
        note(f"set aside as damaged: {path}; 'dialgauge cache clear' removes it")


@_group.command("verify")
def verify(json: Json = False) -> None:
    """Verify the checksum of every cached value and remove damaged ones. Exits with status 1 if any was damaged.

    [bold]dialgauge cache verify[/]
    """
    found = _cache().verify()
    if json:
        aside = None if found.set_aside is None else str(found.set_aside)
        print_json({"sound": found.sound, "dropped": found.dropped, "set_aside": aside})
    elif found.set_aside is not None:
        note(f"the cache file is damaged and was renamed to {found.set_aside}; the next run starts a new one")
    else:
        note(f"valid: {counted(found.sound, 'value')}; damaged and removed: {found.dropped:,}")
    if found.dropped or found.set_aside is not None:
        raise typer.Exit(1)


@_group.command("clear")
def clear(
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="Clear only the values of this metric, named as in 'stats'.")
    ] = None,
    json: Json = False,
) -> None:
    """Clear the cached values of all metrics or of one. They are recomputed when needed.

    [bold]dialgauge cache clear[/]
    """
    cache = _cache()
    if metric is not None and metric not in (kept := cache.stats().labels):
        raise UnknownNameError("metric in the cache", metric, kept)
    dropped = cache.clear(metric)
    if json:
        print_json({"dropped": dropped})
    else:
        note(f"{counted(dropped, 'value')} removed")


def _cache() -> "ResultCache":
    from dialgauge.engine import results_cache

    found = results_cache()
    if found is None:
        raise DialgaugeError("DIALGAUGE_RESULTS is off: no values are cached")
    return found


def _with_commas(labels: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(label, f"{count:,}") for label, count in labels.items()]


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"
