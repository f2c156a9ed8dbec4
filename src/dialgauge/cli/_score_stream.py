"""``dialgauge score --stream``: score files larger than memory."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dialgauge.cli._not_scored import print_failures, report_broken, report_skipped
from dialgauge.cli._output import note, print_json, progress_bar
from dialgauge.cli._score_shown import check_pairs, print_means, print_pairs, written
from dialgauge.corpus import ReadingSettings
from dialgauge.engine import EngineSettings
from dialgauge.errors import InputError, ParameterError, counted
from dialgauge.metaeval import SystemComparisonSettings
from dialgauge.metrics import StreamSettings

if TYPE_CHECKING:
    import polars as pl

    from dialgauge.engine import Engine
    from dialgauge.metaeval import PartComparison
    from dialgauge.metrics import StreamReport


def stream_folder(output: str | None, unused: Mapping[str, object]) -> str:
    """The folder of the parts, once all that a stream cannot do is refused."""
    if output is None:
        raise InputError("--stream needs a folder for the parts: -o FOLDER")
    for option, given in unused.items():
        if given:
            raise ParameterError("score", option, "omitted with --stream", True)
    return output


def score_parts(
    corpus: str,
    metrics: list[str],
    output: str,
    map: list[str] | None,
    pairs: SystemComparisonSettings | None,
    place: EngineSettings,
    settings: StreamSettings,
    reading: ReadingSettings,
    json: bool,
) -> "tuple[pl.DataFrame, bool]":
    """The means, and whether a part is missing, a metric failed on every summary or too many rows were left out."""
    from dialgauge.corpus import parse_mapping
    from dialgauge.engine import engine as make_engine
    from dialgauge.metrics import score_stream, stream_systems

    mapping = parse_mapping(map or [])
    if pairs is not None:
        check_pairs(stream_systems(corpus, mapping, include_references=settings.include_references), pairs)
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
    size = written(report.rows, len(report.signatures))
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
        print_means(corpus, report.means)
        if compared is not None:
            print_pairs(compared)
        print_failures(lost)
    report_skipped(report.left_out)
    for part, reason in report.failed.items():
        note(f"{part} could not be made: {reason}")
    if report.failed and pairs is not None:
        note("systems are not compared while parts are missing")
    if report.failed:
        every = report.parts + len(report.failed)
        note(f"{report.parts} of {counted(every, 'part')} are there; rerun the same command to make the others alone")
    too_much = _left_out(corpus, report, reading)
    for reason in too_much:
        note(f"error: {reason}. Correct the files, map their columns, or allow it: --allow-left-out all")
    return report.means, report_broken(report.means, lost) or bool(report.failed) or bool(too_much)


def _left_out(corpus: str, report: "StreamReport", reading: ReadingSettings) -> list[str]:
    """Why more rows were left out than is allowed; empty where they were not."""
    from dialgauge.corpus import Account

    skipped = sum(report.problems.values())
    account = Account(corpus, rows=report.rows + skipped, rows_left_out=skipped, allowed=reading.allowed())
    return account.too_much()


def _compared_parts(output: str, pairs: SystemComparisonSettings | None, engine: "Engine") -> "PartComparison | None":
    """Every two systems by each metric, from the parts of the stream."""
    if pairs is None:
        return None
    from dialgauge.metaeval import compare_parts
    from dialgauge.metrics import part_directions, part_files

    files, _ = part_files(output)
    return compare_parts(files, pairs, directions=part_directions(output), run=engine.run)
