"""``dialgauge compare-runs``: two runs of studies side by side, and the gate for releases."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._options import Confidence, Seed
from dialgauge.cli._output import Json, console, note, print_json, print_numbers, print_table, progress_bar, write_file
from dialgauge.errors import InputError

if TYPE_CHECKING:
    from dialgauge.study import Checked, RunComparison

#: How many rows of a list are shown; all of them are in --json.
_MOST = 12

FailIf = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        help="Exit with 1 if this holds; repeat for several: [bold]NAME drops|rises|changes|worsens|improves "
        "\\[by NUMBER] \\[at all] \\[for SYSTEM][/]. NAME is a metric, a dimension, [bold]any metric[/], "
        "[bold]any dimension[/] or [bold]anything[/]; without [bold]at all[/] the change must be significant.",
    ),
]
NewNames = Annotated[
    list[str] | None,
    typer.Option("--map", help="A system or metric that has another name now: [bold]NEW=OLD[/]; repeat."),
]
Resamples = Annotated[int, typer.Option(help="Of the intervals and tests; tests take more where there are many.")]
Correction = Annotated[
    str, typer.Option(help="For many tests: holm (any false alarm) or benjamini-hochberg (their share).")
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("compare-runs")(compare_runs)


def compare_runs(
    first: Annotated[Path, typer.Argument(help="The folder of a run: the release before.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="The folder of the other run: the new one.", show_default=False)],
    fail_if: FailIf = None,
    map: NewNames = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML for a CI server.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Print annotations for GitHub Actions, too.")] = False,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write a page for a pull request.")] = None,
    resamples: Resamples = 10_000,
    confidence: Confidence = 0.95,
    alpha: Annotated[float, typer.Option(help="A corrected p up to this is significant.")] = 0.05,
    correction: Correction = "holm",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare two runs: is the new summarizer, or the new version of a metric, any different? For CI, too.

    [bold]dialgauge compare-runs runs/v1 runs/v2 --fail-if "consistency drops" --junit gate.xml[/]

    Scores and ratings are paired by dialogue, system, variant and role, and nothing is scored again.
    Exit status: 0 no condition holds, 1 one does, 2 something cannot be compared.
    (Two studies of human ratings, an original and its reproduction: [bold]dialgauge compare[/].)
    """
    from dialgauge.study import FinishedRun, check_conditions, compare_runs as compare, parse_condition, parse_names

    if json and github:
        raise InputError("--json and --github both print to standard output; choose one, or use --junit for the other")
    runs = (FinishedRun.open(first), FinishedRun.open(second))
    conditions = [parse_condition(text) for text in fail_if or ()]
    with progress_bar("comparing") as progress:
        found = compare(
            *runs,
            names=parse_names(map or [], *runs),
            resamples=resamples,
            confidence=confidence,
            alpha=alpha,
            correction=correction,
            seed=seed,
            progress=progress,
        )
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
    from dialgauge.study import comparison_json, github_annotations

    if json:
        print_json(comparison_json(found, checked))
    else:
        _print_comparison(found)
        _print_conditions(checked)
    if github:
        for line in github_annotations(found, checked):
            typer.echo(line)


def _print_comparison(found: "RunComparison") -> None:
    from dialgauge.study import method_line

    _print_overlap(found)
    _print_together(found)
    _print_systems(found)
    _print_versions(found)
    _print_ranks(found)
    _print_correlations(found)
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
    print_table("runs", ("", "folder", "study", "dialgauge", "has alone"), rows)
    console.print(
        f"in both: {overlap.common['summaries']} summaries of {overlap.common['dialogues']} dialogues by "
        f"{overlap.common['systems']} systems; {overlap.texts_changed} of them with another text",
        highlight=False,
    )
    for side, _, only in sides:
        for kind, names in only.items():
            if names:
                shown = ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
                console.print(f"{kind} in the {side} only: {shown}", markup=False, highlight=False)
    console.print()


def _print_together(found: "RunComparison") -> None:
    from dialgauge.study import change_cells

    systems = found.systems
    rows = [change_cells(row) for row in found.together.iter_rows(named=True)]
    title = f"changes of {systems[0]}" if len(systems) == 1 else "changes, all systems together"
    heads = ("", "first", "second", "difference", "p", "verdict")
    print_table(title, heads, rows, numeric=heads[1:5])


def _print_systems(found: "RunComparison") -> None:
    """Differences of single systems, a star where one is significant."""
    systems = found.systems
    if len(systems) < 2:
        return
    cells = {(row["name"], row["kind"], row["system"]): row for row in found.changes.iter_rows(named=True)}
    names = list(dict.fromkeys((name, kind) for name, kind, _ in cells))
    body = [[_cell(cells.get((*name, system))) for system in systems] for name in names]
    title = "difference by system (* significant after correction)"
    print_numbers(title, ("", "system"), [name for name, _ in names], systems, body)


def _cell(row: dict[str, Any] | None) -> str:
    if row is None or row["difference"] is None:
        return "–"
    if row["verdict"] == "same":
        return "="
    star = "*" if row["verdict"] in ("better", "worse", "higher", "lower") else " "
    return f"{row['difference']:+.3g}{star}"


def _print_versions(found: "RunComparison") -> None:
    import polars as pl

    if not found.signatures.is_empty():
        print_table("metrics made by something else", ("metric", "first", "second"), found.signatures.rows())
    moved = found.largest.filter(pl.col("changed") > 0)
    # Where texts changed everything moves: single scores say something where only the metric is another.
    if not found.overlap.texts_changed and not moved.is_empty():
        rows = [
            (
                row["metric"],
                f"{row['changed']} of {row['summaries']}",
                f"{row['dialogue_id']} / {row['system']}",
                f"{row['first']:.4g}",
                f"{row['second']:.4g}",
                f"{row['change']:+.3g}",
            )
            for row in moved.iter_rows(named=True)
        ]
        heads = ("metric", "changed", "largest change at", "first", "second", "change")
        print_table("single scores", heads, rows, numeric=heads[3:])


def _print_ranks(found: "RunComparison") -> None:
    import polars as pl

    ranks = found.ranks.filter(pl.col("first") != pl.col("second"))
    if not ranks.is_empty():
        places = [
            (name, ", ".join(f"{row['system']} {row['first']}→{row['second']}" for row in part.iter_rows(named=True)))
            for (name,), part in ranks.group_by("name", maintain_order=True)
        ]
        print_table("places of systems that changed", ("by", "system: place before → now"), places)


def _print_correlations(found: "RunComparison") -> None:
    import polars as pl

    moved = found.correlations.filter(pl.col("difference").abs() > 1e-9)
    if moved.is_empty():
        return
    tested = moved.filter(pl.col("p_value").is_not_null())
    chosen = tested if not tested.is_empty() else moved
    largest = chosen.sort(pl.col("difference").abs(), descending=True).head(_MOST)
    rows = [
        (
            row["metric"],
            row["dimension"],
            f"{row['level']} {row['coefficient']}",
            f"{row['first']:.3f}",
            f"{row['second']:.3f}",
            f"{row['difference']:+.3f}",
            *([] if tested.is_empty() else [f"{row['p_corrected']:.2g}"]),
        )
        for row in largest.iter_rows(named=True)
    ]
    more = chosen.height - largest.height
    title = "correlation with the ratings" + (f" (the largest {len(rows)} of {chosen.height} changes)" if more else "")
    heads = ["metric", "dimension", "coefficient", "first", "second", "difference"]
    if tested.is_empty():
        title += "; not tested, as texts or ratings differ"
    else:
        heads.append("corrected p")
    print_table(title, heads, rows, numeric=heads[3:])


def _print_conditions(checked: list["Checked"]) -> None:
    if not checked:
        return
    rows = [(one.condition.text, "HOLDS" if one.met else "does not hold", "\n".join(one.sentences)) for one in checked]
    print_table("conditions", ("fail if", "", "what was found"), rows)
