"""``dialgauge bench``: benchmarks against other packages."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import dialgauge
from dialgauge.cli._bench_consistency import print_consistency
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar
from dialgauge.errors import DialgaugeError
from dialgauge.tables import number


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("bench")(bench)


def bench(
    suite: Annotated[str | None, typer.Argument(help="Suite to run; without it, the suites are listed.")] = None,
    device: Annotated[
        str, typer.Option("--device", help="Device for [bold]bench models[/]: cpu, cuda or auto.")
    ] = "cpu",
    corpora: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="For [bold]bench consistency[/]: a corpus with ratings (repeatable)."),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="For [bold]bench consistency[/]: a metric (repeatable)."),
    ] = None,
    dimension: Annotated[
        str,
        typer.Option("--dimension", "-d", help="For [bold]bench consistency[/]: the rating that says what is right."),
    ] = "consistency",
    right_from: Annotated[
        float | None,
        typer.Option("--right-from", help="For [bold]bench consistency[/]: lowest rating of a right summary."),
    ] = None,
    json: Json = False,
) -> None:
    """Benchmark against other packages, on this machine (needs a clone of the repository).

    [bold]dialgauge bench ngram[/] (needs the extra [bold]bench[/])

    [bold]dialgauge bench consistency --corpus calls -m checks -m rouge-1@source[/] measures how well metrics tell right
    from wrong summaries of your own, beside a control that does not see the dialogue.

    Both packages run alternately in one process, with empty caches, and are compared by CPU time: a ratio of 10 means
    that the other package takes ten times as long. The values are compared as well; if they differ, no result is shown.
    """
    _find_benchmarks()
    from benchmarks import SUITES, machine, now, run_suite

    if suite is None:
        _list_suites(json)
        return
    if suite == "consistency":
        print_consistency(corpora, metrics, dimension, right_from, json)
        return
    with progress_bar(f"bench {suite}") as progress:
        results = run_suite(suite, progress, device)
    described = machine(SUITES[suite].peers)
    if json:
        print_json({"results": [result.as_dict() for result in results], "machine": described, "date": now()})
        return
    rows = [
        (
            result.name,
            result.peer,
            number(result.ratio, f",.{SUITES[suite].digits}f", unit=SUITES[suite].unit),
            number(result.seconds, ",.3f", unit=" s"),
            number(result.peer_seconds, ",.3f", unit=" s"),
            _about(result.detail),
        )
        for result in results
    ]
    columns = ["benchmark", "beside", "ratio", "ours", "theirs", "about"]
    print_table(f"Benchmark {suite}", columns, rows, numeric=["ratio", "ours", "theirs"])
    for texts in dict.fromkeys(result.detail["texts"] for result in results if "texts" in result.detail):
        note(f"texts: {texts}")
    packages = ", ".join(f"{name} {version}" for name, version in described["packages"].items())
    note(
        f"{now()}, {described['processor']}, Python {described['python']}, kernels: {described['kernels']}\n{packages}"
    )


def _find_benchmarks() -> None:
    """Make the package ``benchmarks`` importable: a folder of the clone that this dialgauge is installed from."""
    clone = Path(dialgauge.__file__).resolve().parents[2]
    if not (clone / "benchmarks" / "__init__.py").is_file():
        raise DialgaugeError(
            "benchmarks are not part of the installed package: clone the repository and run "
            "pip install --editable '.[bench]' in the clone"
        )
    if str(clone) not in sys.path:
        sys.path.insert(0, str(clone))


def _list_suites(json: bool) -> None:
    from benchmarks import SUITES

    if json:
        print_json(
            {
                "suites": [
                    {"name": name, "description": suite.description, "peers": list(suite.peers)}
                    for name, suite in SUITES.items()
                ]
            }
        )
        return
    rows = [(name, suite.description, ", ".join(suite.peers)) for name, suite in SUITES.items()]
    print_table("Benchmarks: dialgauge bench SUITE", ["suite", "what is timed", "compared with"], rows)


def _about(detail: Mapping[str, Any]) -> str:
    """Details of a result: why it was skipped, or the number of pairs and the ratio of each variant."""
    if "skipped" in detail:
        return f"skipped: {detail['skipped']}"
    parts = [f"{detail['pairs']:,} pairs"] if "pairs" in detail else []
    parts += [detail["workload"]] if "workload" in detail else []
    parts += [f"{name} {ratio:,.1f}×" for name, ratio in detail.get("variants", {}).items()]
    return "; ".join(parts)
