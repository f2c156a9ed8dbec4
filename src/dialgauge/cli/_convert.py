"""``dialgauge convert``: a corpus from one format into another, with an account of what was read."""

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

#: What a mapping says of ratings alone.
_OF_RATINGS = ("annotator", "dimension", "value", "sentence", "scale", "comment", "time")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("convert")(convert)


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A corpus file or folder, [bold]embedded[/], or [bold]dataset:NAME[/].")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="What to write; a name without a suffix is a dialgauge folder.")
    ],
    map: Map = None,
    ratings: Annotated[
        Path | None, typer.Option(help="A file with further ratings of these summaries, to be added.")
    ] = None,
    map_ratings: Annotated[
        list[str] | None,
        typer.Option(
            "--map-ratings",
            help="The same as --map for the file of --ratings; [bold]scale==1-5[/] gives all of them one scale.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            help="Language of the dialogues that do not declare one, as in [bold]fr[/].",
            autocompletion=complete_language,
        ),
    ] = None,
    strict: Strict = False,
    from_format: Annotated[str | None, typer.Option(help="The format of IN, if its name does not tell it.")] = None,
    to_format: Annotated[str | None, typer.Option(help="The format of OUT, if its name does not tell it.")] = None,
    json: Json = False,
) -> None:
    """Read a corpus and write it in another format.

    [bold]dialgauge convert results.csv corpus --map summary=hyp[/]

    Says what was read, and counts the rows that had to be left out by reason. Ratings in a file of their own:

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
        raise InputError("--map-ratings names the columns of a file of ratings; give it with --ratings FILE")
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
        ["what", "how many"],
        [*((what, f"{number:,}") for what, number in counts), ("ratings", f"{corpus.ratings.height:,}")],
        numeric=["how many"],
    )
    for text in corpus.notes:
        note(f"note: {text}")
    if reasons:
        print_table(
            "Left out",
            ["reason", "rows"],
            [(reason, f"{number:,}") for reason, number in reasons.items()],
            numeric=["rows"],
        )
        for problem in corpus.problems[:FIRST]:
            console.print(harmless(f"  {problem}"), highlight=False, markup=False, soft_wrap=True)
        if len(corpus.problems) > FIRST:
            console.print(f"  … and {len(corpus.problems) - FIRST:,} more (all with --json)", highlight=False)


@contextmanager
def _columns_of(option: str, hint: str) -> Iterator[None]:
    """Name the option in errors about a column that its file does not have."""
    try:
        yield
    except UnknownNameError as error:
        if error.kind != "column in the mapping":
            raise
        raise UnknownNameError(f"column in {option}", error.name, error.known, hint) from error


def _refuse_unused(mapping: Mapping[str, tuple[str, ...]], corpus: "Corpus") -> None:
    """Stop where --map says of ratings what can only be meant for the file of --ratings."""
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
