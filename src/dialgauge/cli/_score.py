"""``dialgauge score``: metrics over a corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._completion import complete_metric
from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus, problems_as_json
from dialgauge.cli._limits import Limits, system_names
from dialgauge.cli._not_scored import print_failures, print_notes, say_left_out
from dialgauge.cli._output import Json, note, print_json, progress_bar, show
from dialgauge.errors import counted

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.metrics import StreamReport

_CHUNK_SIZE = 10_000


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("score")(score)


def score(
    corpus: Source,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="A metric, a family or [bold]all[/], at least one; repeat for several.",
            autocompletion=complete_metric,
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the scores: .parquet, .csv or .jsonl; with --stream, a folder."),
    ] = None,
    include_references: Annotated[
        bool, typer.Option("--include-references", help="Score the references like systems.")
    ] = False,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="Where the work is done: [bold]serial[/], [bold]processes[/], [bold]ray[/], or [bold]auto[/]: "
            "processes where the work is long enough.",
        ),
    ] = "auto",
    workers: Annotated[
        int | None, typer.Option("--workers", help="How many at a time; all cores if not given.", show_default=False)
    ] = None,
    ray_address: Annotated[
        str | None, typer.Option("--ray-address", help="A running Ray cluster: HOST:PORT or [bold]auto[/].")
    ] = None,
    gpus: Annotated[float, typer.Option("--gpus", help="The share of a GPU that each worker on Ray gets.")] = 0.0,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Score Parquet larger than memory, in chunks; run again, it goes on."),
    ] = False,
    chunk_size: Annotated[
        int, typer.Option("--chunk-size", help="How many rows a worker holds at a time with --stream.")
    ] = _CHUNK_SIZE,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Keep the values of models for later runs.")] = True,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", help="Seconds that a metric has for 1,024 summaries; what hangs gets no value."),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", help="METRIC=NUMBER: exit with 1 if the mean of a system is below it; repeat."),
    ] = None,
    fail_over: Annotated[
        list[str] | None,
        typer.Option("--fail-over", help="METRIC=NUMBER: exit with 1 if the mean of a system is above it; repeat."),
    ] = None,
    json: Json = False,
) -> None:
    """Score every summary with every metric.

    [bold]dialgauge score calls.jsonl -m rouge -m chrf@source -o scores.parquet[/]

    Prints the mean of each system; the file holds a row per summary, keyed by dialogue, system, variant and role. A
    summary that a metric cannot score has no value, and the reason is kept with the scores. In continuous integration,
    [bold]--fail-under rouge-l=0.3[/] ends with the status 1 when a system does not reach that.
    """
    from dialgauge.errors import InputError, ParameterError

    shared: dict[str, Any] = {"include_references": include_references, "cache": cache, "time_limit": time_limit}
    place: dict[str, Any] = {"workers": workers, "ray_address": ray_address, "gpus": gpus}
    if not metrics:
        raise InputError(
            f"no metric was named; try: dialgauge score {corpus} -m rouge ('dialgauge metrics' lists all of them)"
        )
    limits = Limits.parse(fail_under or (), fail_over or ())
    if stream:
        if output is None:
            raise InputError("--stream needs a folder for the parts: -o FOLDER")
        if format is not None or strict:
            raise ParameterError("score", "--format" if format else "--strict", "left out with --stream", True)
        means = _score_stream(corpus, metrics, output, map, chunk_size, engine, place, shared, json)
    else:
        means = _score_corpus(corpus, metrics, output, (format, map, strict), engine, place, shared, json)
    broken = limits.broken(means)
    for sentence in broken:
        note(sentence)
    if broken:
        raise typer.Exit(1)


def _score_corpus(
    corpus: str,
    metrics: list[str],
    output: str | None,
    reading: tuple[str | None, list[str] | None, bool],
    engine: str,
    place: Mapping[str, Any],
    shared: Mapping[str, Any],
    json: bool,
) -> "pl.DataFrame":
    from dialgauge.errors import InputError
    from dialgauge.metrics import score as score_corpus, suitable_engine

    loaded = load_corpus(corpus, *reading)
    wanted = loaded.summaries if shared["include_references"] else loaded.summaries.filter(kind="system")
    if wanted.is_empty():
        raise InputError(
            f"{corpus}: no summary to score; found: {counted(loaded.dialogues.height, 'dialogue')}, "
            f"{counted(loaded.references.height, 'reference')}, {counted(loaded.ratings.height, 'rating')}. "
            "Name the column with --map summary=COLUMN, or score the references with --include-references"
        )
    chosen = suitable_engine(engine, wanted.height, metrics, **place)
    with progress_bar("scoring") as progress:
        scores = score_corpus(loaded, metrics, progress=progress, engine=chosen, **shared)
    if output is not None:
        scores.save(Path(output))
        note(f"wrote {_size(scores.frame.height, len(scores.metrics))} to {output}")
    means = scores.means()
    lost, noted = _counts(scores.failures, "reason"), _counts(scores.notes, "note")
    if json:
        print_json(
            {
                "corpus": loaded.info.name,
                "summaries": scores.frame.height,
                "systems": means.to_dicts(),
                "signatures": dict(scores.signatures),
                "seconds": dict(scores.seconds),
                "failures": lost.to_dicts(),
                "score_notes": noted.to_dicts(),
                "notes": list(loaded.notes),
                "problems": problems_as_json(loaded.problems),
            }
        )
    else:
        _print_means(loaded.info.name, means)
        print_failures(row for row in lost.iter_rows() if row[0] not in scores.left_out)
        print_notes(noted.iter_rows())
    say_left_out(scores.left_out)
    return means


def _counts(frame: "pl.DataFrame", text: str) -> "pl.DataFrame":
    """How many summaries each metric has each text for, the most first."""
    counts = frame.group_by("metric", text).len("count")
    return counts.sort("count", "metric", text, descending=[True, False, False])


def _score_stream(
    corpus: str,
    metrics: list[str],
    output: str,
    map: list[str] | None,
    chunk_size: int,
    engine: str,
    place: Mapping[str, Any],
    shared: Mapping[str, Any],
    json: bool,
) -> "pl.DataFrame":
    from dialgauge.corpus import parse_mapping
    from dialgauge.engine import engine as make_engine
    from dialgauge.metrics import score_stream

    chosen = make_engine("processes" if engine == "auto" else engine, **place)
    with progress_bar("scoring") as progress:
        report: StreamReport = score_stream(
            corpus,
            metrics,
            output,
            chunk_size=chunk_size,
            mapping=parse_mapping(map or []),
            engine=chosen,
            progress=progress,
            **shared,
        )
    for reason, count in report.problems.items():
        note(f"left out {counted(count, 'row')}: {reason}")
    already = f" ({report.resumed} of them were there already)" if report.resumed else ""
    size = _size(report.rows, len(report.signatures))
    note(f"wrote {size} to {output}: {counted(report.parts, 'part')}{already}")
    lost = [(metric, reason, count) for (metric, reason), count in report.failures.items()]
    if json:
        print_json(
            {
                "output": report.output,
                "summaries": report.rows,
                "parts": report.parts,
                "resumed": report.resumed,
                "systems": report.means.to_dicts(),
                "signatures": dict(report.signatures),
                "failures": [dict(zip(("metric", "reason", "count"), row, strict=True)) for row in lost],
                "left_out_rows": dict(report.problems),
                "left_out_metrics": dict(report.left_out),
            }
        )
    else:
        _print_means(corpus, report.means)
        print_failures(lost)
    say_left_out(report.left_out)
    return report.means


def _size(rows: int, metrics: int) -> str:
    return f"{counted(rows, 'row')} × {counted(metrics, 'metric')}"


def _print_means(name: str, means: "pl.DataFrame") -> None:
    from dialgauge.metrics import SYSTEM_KEY
    from dialgauge.tables import matrix, number_cell

    names = system_names(means)
    columns = [column for column in means.columns if column not in SYSTEM_KEY]
    cells = [[number_cell(value, ".4g") for value in means[column]] for column in columns]
    show(matrix(f"{name}: mean of each system", ("metric", "system"), columns, names, cells))
