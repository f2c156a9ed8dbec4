"""``dialgauge cache``: the values of metrics that are kept between runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._output import Json, note, print_json, print_table
from dialgauge.errors import DialgaugeError, UnknownNameError, counted

if TYPE_CHECKING:
    from dialgauge.engine import ResultCache

_group = typer.Typer(
    help="Kept values of metrics that take long: how many there are, whether they are sound, and away with them.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Register the group of commands."""
    app.add_typer(_group, name="cache")


@_group.command("stats")
def stats(json: Json = False) -> None:
    """Say what is kept, for which metrics, and how much room it takes.

    [bold]dialgauge cache stats[/]

    Values are kept under a digest of the texts, the metric's signature, its model's files and the code. The folder is
    [bold]results[/] in the cache folder, or DIALGAUGE_RESULTS ([bold]off[/] keeps none); at most DIALGAUGE_RESULTS_MIB
    MiB are kept (1,024 by default), and what nobody has read for longest goes first.
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
        print_table("Kept values", ("metric", "values"), _with_commas(found.labels), numeric=["values"])
    note(
        f"{found.path}: {counted(found.entries, 'value')}, {_mib(found.bytes_used)} of at most "
        f"{_mib(found.bytes_limit)} ({_mib(found.bytes_on_disk)} on disk)"
    )
    for path in found.set_aside:
        note(f"set aside as damaged: {path}; 'dialgauge cache clear' removes it")


@_group.command("verify")
def verify(json: Json = False) -> None:
    """Read every kept value, compare its checksum, and drop what is damaged. Leaves with 1 if anything was.

    [bold]dialgauge cache verify[/]
    """
    found = _cache().verify()
    if json:
        aside = None if found.set_aside is None else str(found.set_aside)
        print_json({"sound": found.sound, "dropped": found.dropped, "set_aside": aside})
    elif found.set_aside is not None:
        note(f"the file is damaged as a whole and set aside as {found.set_aside}; a new one begins with the next run")
    else:
        note(f"sound: {counted(found.sound, 'value')}; damaged and dropped: {found.dropped:,}")
    if found.dropped or found.set_aside is not None:
        raise typer.Exit(1)


@_group.command("clear")
def clear(
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="Only the values of this column, as 'stats' shows it.")
    ] = None,
    json: Json = False,
) -> None:
    """Drop the kept values, all or those of one metric. They are computed anew when next asked for.

    [bold]dialgauge cache clear[/]
    """
    cache = _cache()
    if metric is not None and metric not in (kept := cache.stats().labels):
        raise UnknownNameError("metric in the cache", metric, kept)
    dropped = cache.clear(metric)
    if json:
        print_json({"dropped": dropped})
    else:
        note(f"{counted(dropped, 'value')} dropped")


def _cache() -> "ResultCache":
    from dialgauge.engine import results_cache

    found = results_cache()
    if found is None:
        raise DialgaugeError("DIALGAUGE_RESULTS is off: no values are kept")
    return found


def _with_commas(labels: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(label, f"{count:,}") for label, count in labels.items()]


def _mib(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB"
