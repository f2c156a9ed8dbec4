"""Report of what could not be scored, or only with a note: every reason once, with all metrics concerned."""

import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dialgauge.cli._output import errors, note, print_table
from dialgauge.errors import counted

if TYPE_CHECKING:
    import polars as pl

#: Longer reasons explain how to get a model: they are shortened, and the explanation is given once for all.
_LONG = 160


def report_skipped(left_out: Mapping[str, str]) -> None:
    """Report the metrics that could not run at all, on stderr.

    Call it after the results: a run of all metrics fills more than a screen, and earlier lines scroll away.
    """
    if not left_out:
        return
    groups: dict[str, list[str]] = {}
    for metric, reason in left_out.items():
        groups.setdefault(_without_name(metric, reason), []).append(metric)
    note(f"skipped: {counted(len(left_out), 'metric')} that cannot run here")
    for reason, metrics in groups.items():
        _say(", ".join(metrics), 2)
        _say(_shortened(reason), 6)
    if any("dialgauge models get" in reason for reason in groups):
        _say("get a model with 'dialgauge models get NAME', or use a folder: METRIC:model=folder:/path", 0)
    if any(_shortened(reason) != reason for reason in groups):
        _say("--json shows the full reasons", 0)


def report_broken(means: "pl.DataFrame", failures: Iterable[tuple[str, str, int]]) -> bool:
    """Report the metrics that failed on every summary by a fault of their own, on stderr; whether there are any."""
    from dialgauge.engine import FAULT_BEGINS

    faults: dict[str, str] = {}
    for metric, reason, _ in failures:
        if reason.startswith(FAULT_BEGINS):
            faults.setdefault(metric, reason)
    broken = [name for name in faults if name in means.columns and means[name].null_count() == means.height]
    for metric in broken:
        note(f"{metric} failed on every summary: {faults[metric]}")
    return bool(broken)


def print_failures(failures: Iterable[tuple[str, str, int]]) -> None:
    """Print the summaries that metrics could not score, given as (metric, reason, count): a row per reason."""
    _print_grouped("not scored", "reason", failures)


def print_notes(notes: Iterable[tuple[str, str, int]]) -> None:
    """Print the scored summaries that have a note, such as a truncated text, given as (metric, note, count)."""
    _print_grouped("scored with a note", "note", notes)


def _print_grouped(title: str, head: str, counts: Iterable[tuple[str, str, int]]) -> None:
    groups: dict[tuple[str, int], list[str]] = {}
    for metric, text, count in counts:
        groups.setdefault((text, count), []).append(metric)
    if not groups:
        return
    rows = [(count, text, ", ".join(metrics)) for (text, count), metrics in groups.items()]
    print_table(title, ("summaries", head, "metrics"), rows, numeric=["summaries"])


def _without_name(metric: str, reason: str) -> str:
    """The reason without the metric's name, so that it can stand for several metrics."""
    named = f"metric {metric!r}"
    if reason.startswith(f"{named}: "):
        return reason.removeprefix(f"{named}: ")
    return f"the metric{reason.removeprefix(named)}" if reason.startswith(named) else reason


def _shortened(reason: str) -> str:
    return reason.partition(": ")[0] if len(reason) > _LONG else reason


def _say(text: str, indent: int) -> None:
    """Print a line, wrapped with its indent if it is wider than the screen."""
    space = " " * indent
    width = errors.width if errors.is_terminal else max(1, indent + len(text))
    lines = textwrap.wrap(text, width, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)
    for line in lines:
        note(line)
