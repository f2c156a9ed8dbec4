"""``dialgauge score``: metrics over a corpus."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus, problems_as_json
from dialgauge.cli._output import Json, note, print_json, print_numbers, print_table, progress_bar


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("score")(score)


def score(
    corpus: Source,
    metrics: Annotated[
        list[str], typer.Option("--metric", "-m", help="A metric, a family or [bold]all[/]; repeat for several.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the scores: .parquet, .csv or .jsonl.")
    ] = None,
    include_references: Annotated[
        bool, typer.Option("--include-references", help="Score the references like systems.")
    ] = False,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Score every summary with every metric.

    [bold]dialgauge score calls.jsonl -m rouge -m chrf@source -o scores.parquet[/]

    Prints the mean of each system; the file holds a row per summary, keyed by dialogue, system, variant and role. A
    summary that a metric cannot score has no value, and the reason is kept with the scores.
    """
    from dialgauge.errors import InputError
    from dialgauge.metrics import SYSTEM_KEY
    from dialgauge.metrics import score as score_corpus

    loaded = load_corpus(corpus, format, map, strict)
    wanted = loaded.summaries if include_references else loaded.summaries.filter(kind="system")
    if wanted.is_empty():
        raise InputError(
            f"{corpus}: no summary to score; found: {loaded.dialogues.height:,} dialogues, "
            f"{loaded.references.height:,} references, {loaded.ratings.height:,} ratings. "
            "Name the column with --map summary=COLUMN, or score the references with --include-references"
        )
    with progress_bar("scoring") as progress:
        scores = score_corpus(loaded, metrics, include_references=include_references, progress=progress)
    for column, reason in scores.left_out.items():
        note(f"left out: {column}: {reason}")
    if output is not None:
        scores.save(output)
        note(f"wrote {scores.frame.height} rows × {len(scores.metrics)} metrics to {output}")
    means = scores.means()
    lost = scores.failures.group_by("metric", "reason").len("count").sort("count", "metric", descending=[True, False])
    if json:
        print_json(
            {
                "corpus": loaded.info.name,
                "summaries": scores.frame.height,
                "systems": means.to_dicts(),
                "signatures": dict(scores.signatures),
                "seconds": dict(scores.seconds),
                "failures": lost.to_dicts(),
                "notes": list(loaded.notes),
                "problems": problems_as_json(loaded.problems),
            }
        )
        return
    names = [
        " / ".join(dict.fromkeys(part for part in row if part not in ("original", "overall")))
        for row in means.select(SYSTEM_KEY).iter_rows()
    ]
    columns = [column for column in means.columns if column not in SYSTEM_KEY]
    cells = [["–" if value is None else f"{value:.4g}" for value in means[column]] for column in columns]
    print_numbers(f"{loaded.info.name}: mean of each system", ("metric", "system"), columns, names, cells)
    if not lost.is_empty():
        print_table("not scored", ("metric", "reason", "count"), lost.iter_rows(), numeric=["count"])
