"""``dialgauge compare-runs``: compare two runs, and fail a release if quality drops."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar, show, write_file
from dialgauge.cli._settings import with_options
from dialgauge.errors import InputError
from dialgauge.study import RunComparisonSettings

if TYPE_CHECKING:
    from dialgauge.study import Checked, RunComparison

#: Maximum number of names shown in a list; --json has all.
_MOST = 12

FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        help="Exit with status 1 if this condition holds (repeatable): [bold]NAME drops|rises|changes|worsens|improves "
        "\\[by NUMBER] \\[at all] \\[for SYSTEM][/]. NAME is a metric, a dimension, [bold]any metric[/], "
        "[bold]any dimension[/] or [bold]anything[/]; without [bold]at all[/] the change must be significant. Or "
        "[bold]verdict for DIMENSION weakens[/].",
    ),
]
NewNames = Annotated[
    list[str] | None,
    typer.Option("--map", help="System or metric that was renamed: [bold]NEW=OLD[/] (repeatable)."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("compare-runs")(compare_runs)


@with_options
def compare_runs(
    first: Annotated[Path, typer.Argument(help="Folder of the first run: the previous release.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Folder of the second run: the new release.", show_default=False)],
    settings: RunComparisonSettings,
    fail_if: FailIf = None,
    map: NewNames = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML for a CI server to this file.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Also print annotations for GitHub Actions.")] = False,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write Markdown for a pull request to this file.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare two runs: did a new summarizer or a new metric version change the results? Also for CI.

    [bold]dialgauge compare-runs runs/v1 runs/v2 --fail-if "consistency drops" --junit gate.xml[/]

    Scores and ratings are paired by dialogue, system, variant and role, and nothing is scored again.
    Exit status: 0 no condition holds, 1 a condition holds, 2 something cannot be compared.
    (To compare an original study with its reproduction, use [bold]dialgauge compare[/].)
    """
    from dialgauge.study import FinishedRun, check_conditions, compare_runs as compare, parse_condition, parse_names

    if json and github:
        raise InputError(
            "--json and --github both print to standard output; use one of them, and --junit for the other"
        )
    runs = (FinishedRun.open(first), FinishedRun.open(second))
    conditions = [parse_condition(text) for text in fail_if or ()]
    with progress_bar("comparing") as progress:
        found = compare(*runs, settings, names=parse_names(map or [], *runs), progress=progress)
    checked = check_conditions(found, conditions)
    _write(found, checked, junit, markdown)
    _show(found, checked, json, github)
    if any(one.met for one in checked):
        raise typer.Exit(1)


def _write(found: "RunComparison", checked: list["Checked"], junit: Path | None, markdown: Path | None) -> None:
    from dialgauge.study import comparison_markdown, junit_xml

    if junit is not None:
        write_file(junit, junit_xml(found, checked))
    if markdown is not None:
        write_file(markdown, comparison_markdown(found, checked))


def _show(found: "RunComparison", checked: list["Checked"], json: bool, github: bool) -> None:
    from dialgauge.study import comparison_json, condition_table, github_annotations

    if json:
        print_json(comparison_json(found, checked))
    else:
        _print_comparison(found)
        if checked:
            show(condition_table(checked))
    if github:
        for line in github_annotations(found, checked):
            typer.echo(line)


def _print_comparison(found: "RunComparison") -> None:
    from dialgauge.study import comparison_tables, method_line

    _print_overlap(found)
    for table in comparison_tables(found, most=_MOST):
        show(table)
    for text in found.notes:
        console.print(f"note: {text}", markup=False, highlight=False)
    note(method_line(found))


def _print_overlap(found: "RunComparison") -> None:
    overlap = found.overlap
    sides = (("first", found.first, overlap.only_first), ("second", found.second, overlap.only_second))
    rows = [
        (
            side,
            str(run.folder),
            run.name,
            run.version,
            ", ".join(f"{len(names)} {kind}" for kind, names in only.items() if names) or "nothing",
        )
        for side, run, only in sides
    ]
    print_table("runs", ("", "folder", "study", "dialgauge", "only here"), rows)
    console.print(
        f"in both: {overlap.common['summaries']} summaries of {overlap.common['dialogues']} dialogues by "
        f"{overlap.common['systems']} systems; {overlap.texts_changed} of them with a different text",
        highlight=False,
    )
    for side, _, only in sides:
        for kind, names in only.items():
            if names:
                shown = ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
                console.print(f"{kind} in the {side} only: {shown}", markup=False, highlight=False)
    console.print()
