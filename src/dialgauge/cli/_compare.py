"""``dialgauge compare``: an original study and its reproductions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._corpus_input import given_by, load_corpus
from dialgauge.cli._options import Html
from dialgauge.cli._output import Json, console, note, print_json, progress_bar, show, write_file
from dialgauge.cli._settings import Only, with_options
from dialgauge.errors import InputError
from dialgauge.ratings import RatingPolicy
from dialgauge.reproduce import ComparisonSettings

if TYPE_CHECKING:
    from dialgauge.reproduce import ComparisonReport, StudyResults, SystemComparison

Studies = Annotated[
    list[str],
    typer.Argument(
        help="The original, then its reproductions: CSV tables of results (system, dimension, value and optionally "
        "role, n, scale) or corpora with ratings. [bold]NAME=PATH[/] names a study.",
        show_default=False,
    ),
]
Scales = Annotated[
    list[str] | None,
    typer.Option("--scale", help="Scale of results that declare none, such as [bold]1-5[/] or [bold]STUDY=1-5[/]."),
]
Settings = Annotated[
    bool,
    typer.Option(
        "--settings", help="Aggregate the reproductions' shared items in every way: each annotator, mean, median."
    ),
]
Agreements = Annotated[
    list[str] | None, typer.Option("--agreement", help="Agreement reported by a study: [bold]STUDY=0.48[/].")
]
Claims = Annotated[Path | None, typer.Option(help="TOML file of claims to check in every study.", show_default=False)]
Tests = Annotated[
    list[str] | None,
    typer.Option(
        "--test",
        help="Test systems within studies that have ratings: [bold]A,B[/] (A compared with B) or [bold]all[/].",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("compare")(compare)


@with_options
def compare(
    studies: Studies,
    policy: Annotated[RatingPolicy, Only("aggregate", "ties", "on_invalid")],
    conventions: ComparisonSettings,
    scale: Scales = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="Bring all results to 0–1 by their scales.")] = False,
    settings: Settings = False,
    agreement: Agreements = None,
    claims: Claims = None,
    test: Tests = None,
    html: Html = None,
    json: Json = False,
) -> None:
    """Does the reproduction confirm the original? CV*, correlation, rank changes, agreement, conclusions.

    [bold]dialgauge compare original.csv reproduction.csv --scale 1-5 --html comparison.html[/]

    CV* is the spread of a result over studies in per cent of its mean: 0 means identical results.
    Scales that do not begin at 0 are shifted to 0 first, and the uncertainty due to rounding of
    printed numbers is shown as a range.
    """
    from dialgauge.reproduce import (
        ComparisonReport,
        check_claims,
        compare as compare_studies,
        comparison_html,
        comparison_json,
        read_claims,
    )

    results = _load(studies, _by_study(scale, "--scale"), normalise, policy, settings)
    results = _with_agreement(results, agreement)
    tested = _tested(results, test)
    comparison = compare_studies(results, conventions)
    conclusions = None
    if claims is not None:
        with given_by("--claims"):
            conclusions = check_claims(read_claims(claims), results)
    report = ComparisonReport(comparison, conclusions, tested)
    if html is not None:
        write_file(html, comparison_html(report))
    if json:
        print_json(comparison_json(report))
    else:
        _print(report)


def _print(report: "ComparisonReport") -> None:
    """Print every table, with remarks after the first one."""
    from dialgauge.reproduce import comparison_json, comparison_remarks, comparison_tables

    remarks = comparison_remarks(comparison_json(report), " (--scale changes it)")
    for count, table in enumerate(comparison_tables(report)):
        show(table)
        for text in table.notes:
            console.print(text, style="dim", markup=False, highlight=False)
        for text in remarks if not count else ():
            console.print(text, style="yellow", markup=False, highlight=False)


def _tested(results: list["StudyResults"], tests: list[str] | None) -> list["SystemComparison"]:
    """The requested significance tests between systems, for the studies that have ratings."""
    from dialgauge.reproduce import compare_systems, system_pairs

    with given_by("--test"):
        pairs = system_pairs(tests or ())
    rated = [study for study in results if study.summaries is not None] if tests else []
    if tests and not rated:
        raise InputError("--test needs a study with ratings; these have printed results only")
    with progress_bar("testing systems") as progress:
        return [compare_systems(study, pairs, progress=progress) for study in rated]


def _by_study(options: list[str] | None, flag: str) -> dict[str | None, str]:
    """``STUDY=VALUE`` by study; a bare value applies to all studies (None)."""
    found: dict[str | None, str] = {}
    for option in options or ():
        study, equals, value = option.rpartition("=")
        if not value or (equals and not study):
            raise InputError(f"{flag} {option!r}: write it as VALUE or STUDY=VALUE")
        found[study if equals else None] = value
    return found


def _load(
    sources: list[str], scales: dict[str | None, str], normalise: bool, policy: RatingPolicy, settings: bool
) -> list["StudyResults"]:
    from dialgauge.reproduce import is_printed_table, read_printed

    named = [_named(source) for source in sources]
    for study in scales:
        if study is not None:
            _refuse_unknown("--scale", study, [name for name, _ in named])
    results: list[StudyResults] = []
    for position, (name, path) in enumerate(named):
        scale = scales.get(name, scales.get(None))
        if is_printed_table(path):
            results.append(read_printed(path, name=name, scale=scale, normalised=normalise))
        else:
            # The original stays as published; a study given alone is compared with itself.
            sweep = settings and (position > 0 or len(named) == 1)
            results += _rated(name, path, scale, normalise, policy, sweep)
    return results


def _refuse_unknown(flag: str, study: str, names: list[str]) -> None:
    if study not in names:
        raise InputError(f"{flag} {study}=…: unknown study; the studies are {', '.join(names)}")


def _named(source: str) -> tuple[str, Path]:
    """Name and path of a study; an existing path may contain an equals sign."""
    given, equals, place = source.partition("=")
    has_name = bool(equals) and not Path(source).exists()
    return (given, Path(place)) if has_name else (Path(source).stem, Path(source))


def _rated(
    name: str, path: Path, scale: str | None, normalise: bool, policy: RatingPolicy, settings: bool
) -> list["StudyResults"]:
    from dialgauge.ratings import with_default_scale
    from dialgauge.reproduce import comparable_ratings, rated_results, shared_annotators, sweep_settings

    corpus = load_corpus(str(path))
    if corpus.info.ratings_origin == "constructed":
        note(f"{name}: the ratings of this corpus were constructed by a program, not given by people")
    found = comparable_ratings(corpus, name, policy)
    ratings = with_default_scale(found.ratings, scale)
    if settings and shared_annotators(ratings):
        results = sweep_settings(ratings, name, normalised=normalise)
    else:
        results = (rated_results(ratings, name, policy, normalised=normalise),)
    return [found.add_to(one) for one in results]


def _with_agreement(results: list["StudyResults"], options: list[str] | None) -> list["StudyResults"]:
    reported: dict[str, float] = {}
    for study, text in _by_study(options, "--agreement").items():
        if study is None:
            raise InputError(f"--agreement {text}: the study is missing; write {results[0].name}={text}")
        _refuse_unknown("--agreement", study, [result.name for result in results])
        try:
            reported[study] = float(text)
        except ValueError as error:
            raise InputError(f"--agreement {study}={text}: not a number") from error
    return [r.with_agreement(reported[r.name]) if r.name in reported else r for r in results]
