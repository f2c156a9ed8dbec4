"""``dialgauge convert``: convert a corpus to another format and report what was read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._completion import complete_language
from dialgauge.cli._corpus_input import FIRST, Map, Strict, given_by, problems_as_json
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.tables import harmless

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus

#: Uses of a mapping that concern ratings only.
_OF_RATINGS = ("annotator", "dimension", "value", "sentence", "scale", "comment", "time")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("convert")(convert)


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A corpus file or folder, [bold]embedded[/], or [bold]dataset:NAME[/].")
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="File or folder to write; a name without a suffix is a dialgauge folder."),
    ],
    map: Map = None,
    ratings: Annotated[Path | None, typer.Option(help="File with additional ratings of these summaries.")] = None,
    map_ratings: Annotated[
        list[str] | None,
        typer.Option(
            "--map-ratings",
            help="Like --map, for the file of --ratings; [bold]scale==1-5[/] sets one scale for all of them.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            help="Language of dialogues that do not declare one, such as [bold]fr[/].",
            autocompletion=complete_language,
        ),
    ] = None,
    strict: Strict = False,
    from_format: Annotated[str | None, typer.Option(help="Format of IN, if its name does not show it.")] = None,
    to_format: Annotated[str | None, typer.Option(help="Format of OUT, if its name does not show it.")] = None,
    json: Json = False,
) -> None:
    """Convert a corpus to another format.

    [bold]dialgauge convert results.csv corpus --map summary=hyp[/]

    Reports what was read and counts the skipped rows by reason. Ratings in a separate file:

    [bold]dialgauge convert results.csv corpus --ratings ratings.csv --map-ratings scale==1-5[/]
    """
    from dialgauge.corpus import (
        add_ratings,
        check_target,
        count_by_reason,
        open_corpus,
        parse_mapping,
        raise_if_any,
        write_corpus,
    )

    mapping, mapping_ratings = parse_mapping(map or []), parse_mapping(map_ratings or [])
    if ratings is None and map_ratings:
        raise InputError("--map-ratings needs --ratings FILE: it names the columns of that file")
    check_target(target, format=to_format)
    with (
        progress_bar(f"reading {source}"),
        _columns_of("--map", "" if ratings is None else "columns of the file of --ratings: --map-ratings"),
    ):
        corpus = open_corpus(source, format=from_format, mapping=mapping, language=language)
    if ratings is not None:
        _refuse_unused(mapping, corpus)
        with given_by("--ratings"), _columns_of("--map-ratings", "columns of IN: --map"):
            corpus = add_ratings(corpus, ratings, mapping=mapping_ratings)
    if strict:  # only now, so that the bad rows of both files are listed
        raise_if_any(corpus.problems, source if ratings is None else f"{source} and {ratings}", limit=None)
    with progress_bar(f"writing {target}"):
        write_corpus(corpus, target, format=to_format)
    reasons = count_by_reason(corpus.problems)
    if json:
        print_json(_as_json(corpus, target, reasons))
        return
    counts = ("dialogues", corpus.dialogues.height), ("summaries", corpus.summaries.height)
    print_table(
        f"Written to {target}",
        ["content", "count"],
        [*((what, f"{number:,}") for what, number in counts), ("ratings", f"{corpus.ratings.height:,}")],
        numeric=["count"],
    )
    for text in corpus.notes:
        note(f"note: {text}")
    if reasons:
        print_table(
            "Skipped rows",
            ["reason", "rows"],
            [(reason, f"{number:,}") for reason, number in reasons.items()],
            numeric=["rows"],
        )
        for problem in corpus.problems[:FIRST]:
            console.print(harmless(f"  {problem}"), highlight=False, markup=False, soft_wrap=True)
        if len(corpus.problems) > FIRST:
            console.print(f"  … and {len(corpus.problems) - FIRST:,} more (--json lists all)", highlight=False)


@contextmanager
def _columns_of(option: str, hint: str) -> Iterator[None]:
    """Name the option in errors about a missing column."""
    try:
        yield
    except UnknownNameError as error:
        if error.kind != "column in the mapping":
            raise
        raise UnknownNameError(f"column in {option}", error.name, error.known, hint) from error


def _refuse_unused(mapping: Mapping[str, tuple[str, ...]], corpus: "Corpus") -> None:
    """Reject --map entries about ratings that can only be meant for the file of --ratings."""
    from dialgauge.corpus import CONSTANT

    for use, (given, *_) in mapping.items():
        if use in _OF_RATINGS and given.startswith(CONSTANT) and corpus.ratings.is_empty():
            pair = f"{use}={given}"
            raise InputError(f"--map {pair} is for IN, which has no ratings; for --ratings: --map-ratings {pair}")


def _as_json(corpus: Any, target: Path, reasons: dict[str, int]) -> dict[str, Any]:
    return {
        "written": str(target),
        "dialogues": corpus.dialogues.height,
        "summaries": corpus.summaries.height,
        "ratings": corpus.ratings.height,
        "systems": corpus.systems,
        "language": corpus.language,
        "notes": list(corpus.notes),
        "reasons": reasons,
        "problems": problems_as_json(corpus.problems),
    }
