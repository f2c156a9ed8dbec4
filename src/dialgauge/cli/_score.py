"""``dialgauge score``: score a corpus with metrics."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_metric
from dialgauge.cli._corpus_input import Format, Map, Reading, Source, Strict, load_corpus, problems_as_json
from dialgauge.cli._limits import Limits
from dialgauge.cli._not_scored import print_failures, print_notes, report_broken, report_skipped
from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, note, print_json, progress_bar
from dialgauge.cli._score_shown import check_pairs, print_means, print_pairs, written
from dialgauge.cli._score_stream import score_parts, stream_folder
from dialgauge.cli._scores_input import load_scores
from dialgauge.cli._settings import Only, with_options
from dialgauge.engine import EngineSettings, disk_errors, memory_errors
from dialgauge.errors import InputError, counted
from dialgauge.metaeval import SystemComparisonSettings
from dialgauge.metrics import ScoringSettings, StreamSettings

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.corpus import Corpus
    from dialgauge.metaeval import SystemComparison
    from dialgauge.metrics import Scores


_EVIDENCE = "reasons were found; they are kept with the scores, and 'dialgauge check' shows them beside the dialogue"


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("score")(score)


@with_options
def score(
    corpus: Source,
    settings: StreamSettings,
    place: EngineSettings,
    comparing: Annotated[SystemComparisonSettings, Only("resamples", "confidence", "seed", "baseline")],
    reading: Reading,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="Metric, family or [bold]all[/]; at least one (repeatable).",
            autocompletion=complete_metric,
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str | None,
        output_option(
            "Write the scores: .parquet, .csv, .jsonl, or - for CSV on standard output; with --stream, a folder.",
            pipe=".csv",
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            "--known",
            help="Values scored before (file, or folder of a stream): those with the same signature are not computed "
            "again.",
            show_default=False,
        ),
    ] = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Score Parquet files larger than memory in chunks; rerun to resume."),
    ] = False,
    paired: Annotated[
        bool,
        typer.Option("--paired", help="Test which systems differ: paired over dialogues, corrected for the pairs."),
    ] = False,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under", help="METRIC=VALUE: exit with status 1 if any system's mean is below VALUE (repeatable)."
        ),
    ] = None,
    fail_over: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-over", help="METRIC=VALUE: exit with status 1 if any system's mean is above VALUE (repeatable)."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Score every summary with every metric.

    [bold]dialgauge score calls.jsonl -m rouge -m chrf@source -o scores.parquet[/]

    Prints the mean of each system; the file has a row per summary, keyed by dialogue, system, variant and role. A
    summary that a metric cannot score has no value, and the reason is stored with the scores. In continuous
    integration, [bold]--fail-under rouge-l=0.3[/] exits with status 1 if the mean of any system is below 0.3.
    [bold]--paired[/] says which systems differ: difference, interval and p-value of every two.
    """
    from dialgauge.metrics import parse_requests, scored_items

    if not metrics:
        raise InputError(
            f"no metric was given; try: dialgauge score {corpus} -m rouge ('dialgauge metrics' lists all of them)"
        )
    limits = Limits.parse(fail_under or (), fail_over or ())
    limits.check([request.column for request in parse_requests(metrics)])
    # What is scored like a system is compared like one.
    compared = comparing.subset(SystemComparisonSettings, with_references=settings.include_references)
    pairs = compared if paired or comparing.baseline else None
    with memory_errors():
        if stream:
            folder = stream_folder(output, {"--format": format, "--strict": strict, "--known": known})
            means, failed = score_parts(corpus, metrics, folder, map, pairs, place, settings, reading, json)
        else:
            loaded = load_corpus(corpus, format, map, strict, reading)
            check_pairs(sorted(scored_items(loaded, settings.include_references)["system"].unique()), pairs)
            before = None if known is None else load_scores(known, "--known", loaded.summaries)
            means, failed = _score_corpus(corpus, loaded, metrics, output, pairs, place, settings, before, json)
    broken = limits.broken(means)
    for sentence in broken:
        note(sentence)
    if broken or failed:
        raise typer.Exit(1)


def _compared(corpus: "Corpus", scores: "Scores", pairs: SystemComparisonSettings | None) -> "SystemComparison | None":
    """Every two systems by each metric. Judgements are left aside."""
    if pairs is None:
        return None
    from dialgauge.metaeval import compare_systems

    empty = {name: getattr(corpus, name).clear() for name in ("ratings", "preferences", "choices", "spans")}
    return compare_systems(replace(corpus, declared=(), **empty), scores, pairs)


def _score_corpus(
    corpus: str,
    loaded: "Corpus",
    metrics: list[str],
    output: str | None,
    pairs: SystemComparisonSettings | None,
    place: EngineSettings,
    settings: ScoringSettings,
    known: "Scores | None",
    json: bool,
) -> "tuple[pl.DataFrame, bool]":
    """The means, and whether a metric failed on every summary."""
    from dialgauge.metrics import score as score_corpus, scored_items, suitable_engine

    wanted = scored_items(loaded, settings.include_references)
    if wanted.is_empty():
        raise InputError(
            f"{corpus}: no summaries to score; found: {counted(loaded.dialogues.height, 'dialogue')}, "
            f"{counted(loaded.references.height, 'reference')}, {counted(loaded.ratings.height, 'rating')}. "
            "Name the column with --map summary=COLUMN, or score the references with --include-references"
        )
    chosen = suitable_engine(wanted.height, metrics, place)
    with progress_bar("scoring") as progress:
        scores = score_corpus(
            loaded, metrics, settings.subset(ScoringSettings), progress=progress, engine=chosen, known=known
        )
    if output is not None:
        with disk_errors(lambda: int(scores.frame.estimated_size())):
            scores.save(Path(output))
        note(f"wrote {written(scores.frame.height, len(scores.metrics))} to {output}")
    means = scores.means()
    compared = _compared(loaded, scores, pairs)
    lost, noted = _counts(scores.failures, "reason"), _counts(scores.notes, "note")
    if json:
        print_json(
            {
                "corpus": loaded.info.name,
                "summaries": scores.frame.height,
                "systems": means.to_dicts(),
                **({} if compared is None else {"comparisons": compared.frame.to_dicts()}),
                "signatures": dict(scores.signatures),
                "seconds": dict(scores.seconds),
                "failures": lost.to_dicts(),
                "score_notes": noted.to_dicts(),
                "notes": list(loaded.notes),
                "problems": problems_as_json(loaded.problems),
            }
        )
    else:
        print_means(loaded.info.name, means)
        if compared is not None:
            print_pairs(compared)
        print_failures(row for row in lost.iter_rows() if row[0] not in scores.left_out)
        print_notes(noted.iter_rows())
    report_skipped(scores.left_out)
    return means, report_broken(means, lost.iter_rows())


def _counts(frame: "pl.DataFrame", text: str) -> "pl.DataFrame":
    """Number of summaries per metric and text, the most frequent first. Evidence in JSON counts as one text."""
    import polars as pl

    if (
        frame.is_empty()
    ):  # as a rule; and the checks, which know what evidence looks like, take longer to load than ROUGE
        return pl.DataFrame(schema={"metric": pl.String, text: pl.String, "count": pl.UInt32})
    from dialgauge.metrics import EVIDENCE_BEGINS

    said = pl.when(pl.col(text).str.starts_with(EVIDENCE_BEGINS)).then(pl.lit(_EVIDENCE)).otherwise(pl.col(text))
    counts = frame.with_columns(said.alias(text)).group_by("metric", text).len("count")
    return counts.sort("count", "metric", text, descending=[True, False, False])
