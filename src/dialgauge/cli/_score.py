"""``dialgauge score``: score a corpus with metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_metric
from dialgauge.cli._corpus_input import AllowLeftOut, Format, Map, Source, Strict, load_corpus, problems_as_json
from dialgauge.cli._limits import Limits, system_names
from dialgauge.cli._not_scored import print_failures, print_notes, report_broken, report_skipped
from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, note, print_json, progress_bar, show
from dialgauge.cli._scores_input import load_scores
from dialgauge.cli._settings import Only, with_options
from dialgauge.engine import EngineSettings
from dialgauge.errors import InputError, ParameterError, UnknownNameError, counted
from dialgauge.metaeval import SystemComparisonSettings
from dialgauge.metrics import ScoringSettings, StreamSettings

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.corpus import Corpus
    from dialgauge.engine import Engine
    from dialgauge.metaeval import PartComparison, SystemComparison
    from dialgauge.metrics import Scores, StreamReport


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
    allow_left_out: AllowLeftOut = None,
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
    from dialgauge.metrics import parse_requests

    if not metrics:
        raise InputError(
            f"no metric was given; try: dialgauge score {corpus} -m rouge ('dialgauge metrics' lists all of them)"
        )
    limits = Limits.parse(fail_under or (), fail_over or ())
    limits.check([request.column for request in parse_requests(metrics)])
    pairs = comparing if paired or comparing.baseline else None
    if stream:
        folder = _stream_folder(output, {"--format": format, "--strict": strict, "--known": known})
        means, failed = _score_stream(corpus, metrics, folder, map, pairs, place, settings, json)
    else:
        loaded = load_corpus(corpus, format, map, strict, allow_left_out)
        _check_pairs(loaded.systems, pairs)
        before = None if known is None else load_scores(known, "--known", loaded.summaries)
        means, failed = _score_corpus(corpus, loaded, metrics, output, pairs, place, settings, before, json)
    broken = limits.broken(means)
    for sentence in broken:
        note(sentence)
    if broken or failed:
        raise typer.Exit(1)


def _stream_folder(output: str | None, unused: Mapping[str, object]) -> str:
    """The folder of the parts, once all that a stream cannot do is refused."""
    if output is None:
        raise InputError("--stream needs a folder for the parts: -o FOLDER")
    for option, given in unused.items():
        if given:
            raise ParameterError("score", option, "omitted with --stream", True)
    return output


def _check_pairs(systems: Sequence[str], pairs: SystemComparisonSettings | None) -> None:
    """Before anything is scored: are there two systems, and is the baseline one of them?"""
    if pairs is None:
        return
    if pairs.baseline is not None and pairs.baseline not in systems:
        raise UnknownNameError("system", pairs.baseline, systems)
    if len(systems) < 2:
        raise InputError(f"--paired needs two systems; found: {', '.join(systems) or 'none'}")


def _compared(corpus: "Corpus", scores: "Scores", pairs: SystemComparisonSettings | None) -> "SystemComparison | None":
    """Every two systems by each metric. Ratings are left aside."""
    if pairs is None:
        return None
    from dialgauge.metaeval import compare_systems

    return compare_systems(replace(corpus, ratings=corpus.ratings.clear(), declared=()), scores, pairs)


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
    from dialgauge.metrics import score as score_corpus, suitable_engine

    wanted = loaded.summaries if settings.include_references else loaded.summaries.filter(kind="system")
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
        scores.save(Path(output))
        note(f"wrote {_size(scores.frame.height, len(scores.metrics))} to {output}")
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
        _print_means(loaded.info.name, means)
        if compared is not None:
            _print_pairs(compared)
        print_failures(row for row in lost.iter_rows() if row[0] not in scores.left_out)
        print_notes(noted.iter_rows())
    report_skipped(scores.left_out)
    return means, report_broken(means, lost.iter_rows())


def _print_pairs(compared: "SystemComparison | PartComparison") -> None:
    from dialgauge.report import pair_tables

    made = pair_tables(compared.frame, compared.settings)
    for one in made:
        show(one)
    for text in dict.fromkeys(text for one in made for text in one.notes):
        note(text)


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


def _score_stream(
    corpus: str,
    metrics: list[str],
    output: str,
    map: list[str] | None,
    pairs: SystemComparisonSettings | None,
    place: EngineSettings,
    settings: StreamSettings,
    json: bool,
) -> "tuple[pl.DataFrame, bool]":
    """The means, and whether a part could not be made or a metric failed on every summary."""
    from dialgauge.corpus import parse_mapping
    from dialgauge.engine import engine as make_engine
    from dialgauge.metrics import score_stream, stream_systems

    mapping = parse_mapping(map or [])
    if pairs is not None:
        _check_pairs(stream_systems(corpus, mapping, include_references=settings.include_references), pairs)
    chosen = make_engine("processes" if place.name == "auto" else place.name, place)
    with progress_bar("scoring") as progress:
        report: StreamReport = score_stream(
            corpus,
            metrics,
            output,
            settings,
            mapping=mapping,
            engine=chosen,
            progress=progress,
        )
    for reason, count in report.problems.items():
        note(f"skipped {counted(count, 'row')}: {reason}")
    already = f" ({report.resumed} of them existed already)" if report.resumed else ""
    size = _size(report.rows, len(report.signatures))
    note(f"wrote {size} to {output}: {counted(report.parts, 'part')}{already}")
    lost = [(metric, reason, count) for (metric, reason), count in report.failures.items()]
    compared = None if report.failed else _compared_parts(output, pairs, chosen)
    if json:
        print_json(
            {
                "output": report.output,
                "summaries": report.rows,
                "parts": report.parts,
                "resumed": report.resumed,
                "systems": report.means.to_dicts(),
                **({} if compared is None else {"comparisons": compared.frame.to_dicts()}),
                "signatures": dict(report.signatures),
                "failures": [dict(zip(("metric", "reason", "count"), row, strict=True)) for row in lost],
                "left_out_rows": dict(report.problems),
                "left_out_metrics": dict(report.left_out),
                "failed_parts": dict(report.failed),
            }
        )
    else:
        _print_means(corpus, report.means)
        if compared is not None:
            _print_pairs(compared)
        print_failures(lost)
    report_skipped(report.left_out)
    for part, reason in report.failed.items():
        note(f"{part} could not be made: {reason}")
    if report.failed:
        every = report.parts + len(report.failed)
        note(f"{report.parts} of {counted(every, 'part')} are there; rerun the same command to make the others alone")
    return report.means, report_broken(report.means, lost) or bool(report.failed)


def _compared_parts(output: str, pairs: SystemComparisonSettings | None, engine: "Engine") -> "PartComparison | None":
    """Every two systems by each metric, from the parts of the stream."""
    if pairs is None:
        return None
    from dialgauge.metaeval import compare_parts
    from dialgauge.metrics import part_directions, part_files

    files, _ = part_files(output)
    return compare_parts(files, pairs, directions=part_directions(output), run=engine.run)


def _size(rows: int, metrics: int) -> str:
    return f"{counted(rows, 'row')} × {counted(metrics, 'metric')}"


def _print_means(name: str, means: "pl.DataFrame") -> None:
    from dialgauge.metrics import SYSTEM_KEY
    from dialgauge.tables import matrix, number_cell

    names = system_names(means)
    columns = [column for column in means.columns if column not in SYSTEM_KEY]
    cells = [[number_cell(value, ".4g") for value in means[column]] for column in columns]
    show(matrix(f"{name}: mean of each system", ("metric", "system"), columns, names, cells))
