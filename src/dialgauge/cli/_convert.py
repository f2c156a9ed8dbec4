"""``dialgauge convert``: convert a corpus to another format and report what was read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._completion import complete_corpus, complete_language
from dialgauge.cli._corpus_input import FIRST, Map, Strict, given_by, problems_as_json
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar
from dialgauge.cli._pipes import from_pipe, to_pipe
from dialgauge.cli._settings import with_options
from dialgauge.corpus import ReadingSettings
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.tables import harmless

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus

#: Uses of a mapping that concern ratings only.
_OF_RATINGS = ("annotator", "dimension", "value", "sentence", "scale", "comment", "time")


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("convert")(convert)


@with_options
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="A corpus file or folder, [bold]embedded[/], [bold]dataset:NAME[/], or [bold]-[/] for standard input.",
            callback=from_pipe,
            autocompletion=complete_corpus,
        ),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File or folder to write; a name without a suffix is a dialgauge folder, [bold]-[/] JSONL on standard "
            "output.",
            callback=lambda context, value: to_pipe(context, value, ".jsonl"),
        ),
    ],
    reading: ReadingSettings,
    map: Map = None,
    ratings: Annotated[
        list[Path] | None, typer.Option(help="File with additional ratings of these summaries (may be repeated).")
    ] = None,
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
    from_format: Annotated[
        str | None, typer.Option(help="Format or layout of IN, if its name and keys do not show it.")
    ] = None,
    to_format: Annotated[str | None, typer.Option(help="Format of OUT, if its name does not show it.")] = None,
    json: Json = False,
) -> None:
    """Convert a corpus to another format.

    [bold]dialgauge convert results.csv corpus --map summary=hyp[/]

    Reports what became of every judgement, and counts the skipped rows by reason. If more than 5 % would be left out,
    nothing is written and the exit status is 1, unless --allow-left-out says otherwise. Ratings in a separate file:

    [bold]dialgauge convert results.csv corpus --ratings ratings.csv --map-ratings scale==1-5[/]
    """
    from dialgauge.corpus import check_target, raise_if_any, with_allowance

    if ratings is None and map_ratings:
        raise InputError("--map-ratings needs --ratings FILE: it names the columns of that file")
    check_target(target, format=to_format)
    given = _Given(source, from_format, map or [], ratings or [], map_ratings or [], language, reading)
    corpus = given.read()
    if strict:  # only now, so that the bad rows of both files are listed
        raise_if_any(corpus.problems, " and ".join([source, *(str(file) for file in given.ratings)]), limit=None)
    corpus = with_allowance(corpus, reading)
    for account in corpus.accounts:
        if account.unread:
            raise InputError(f"{account.file}: {account.unread}")
    _finish(corpus, target, to_format, as_json=json)


@dataclass(frozen=True, slots=True)
class _Given:
    """The files that were named, and how each is to be read."""

    source: str
    format: str | None
    map: list[str]
    ratings: list[Path]
    map_ratings: list[str]
    language: str | None
    reading: ReadingSettings

    def read(self) -> "Corpus":
        """The corpus with the ratings of all files; errors about columns name the option that says otherwise."""
        from dialgauge.corpus import add_ratings, open_corpus, parse_mapping

        mapping, mapping_ratings = parse_mapping(self.map), parse_mapping(self.map_ratings)
        hint = "columns of the file of --ratings: --map-ratings" if self.ratings else ""
        with progress_bar(f"reading {self.source}"), _columns_of("--map", hint):
            corpus = open_corpus(
                self.source, format=self.format, mapping=mapping, language=self.language, reading=self.reading
            )
        for file in self.ratings:
            _refuse_unused(mapping, corpus)
            with given_by("--ratings"), _columns_of("--map-ratings", "columns of IN: --map"):
                corpus = add_ratings(corpus, file, mapping=mapping_ratings, reading=self.reading)
        return corpus


def _finish(corpus: "Corpus", target: Path, to_format: str | None, *, as_json: bool) -> None:
    """Write the corpus and say what was read; where too much would be left out, nothing is written."""
    from dialgauge.corpus import count_by_reason, too_much_left_out, what_to_do, write_corpus

    too_much = too_much_left_out(corpus)
    if not too_much:
        with progress_bar(f"writing {target}"):
            write_corpus(corpus, target, format=to_format)
    reasons = count_by_reason(corpus.problems)
    if as_json:
        print_json(_as_json(corpus, target, reasons, too_much))
    else:
        _print(corpus, target, reasons, too_much)
    if too_much:
        for text in too_much:
            note(f"error: {text}")
        advice = what_to_do(
            corpus,
            inspect="'dialgauge inspect FILE'",
            allow="--allow-left-out all",
            repeats="--repeats first (or last, mean, keep)",
        )
        note(f"nothing was written to {target}. {advice}")
        raise typer.Exit(1)


def _print(corpus: "Corpus", target: Path, reasons: Mapping[str, int], too_much: list[str]) -> None:
    tables = ("dialogues", "summaries", "ratings", "preferences", "choices", "spans")
    found = {name: getattr(corpus, name).height for name in tables}
    print_table(
        f"Not written to {target}" if too_much else f"Written to {target}",
        ["content", "count"],
        [(name, f"{number:,}") for name, number in found.items() if number or name in tables[:3]],
        numeric=["count"],
    )
    for account in corpus.accounts:
        if account.cells:
            console.print(harmless(f"{account.file}: {account.sentence()}"), highlight=False, markup=False)
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


def _as_json(corpus: "Corpus", target: Path, reasons: dict[str, int], too_much: list[str]) -> dict[str, Any]:
    return {
        "written": None if too_much else str(target),
        "dialogues": corpus.dialogues.height,
        "summaries": corpus.summaries.height,
        "ratings": corpus.ratings.height,
        "preferences": corpus.preferences.height,
        "choices": corpus.choices.height,
        "spans": corpus.spans.height,
        "systems": corpus.systems,
        "language": corpus.language,
        "dimensions": _dimensions(corpus),
        "mapping": {name: dict(about) for account in corpus.accounts for name, about in account.mapping.items()},
        "account": [account.as_json() for account in corpus.accounts],
        "too_much": too_much,
        "notes": list(corpus.notes),
        "reasons": reasons,
        "problems": problems_as_json(corpus.problems),
    }


def _dimensions(corpus: "Corpus") -> dict[str, Any]:
    """Each dimension with its kind, scale and direction, and how many judgements it has."""
    found = {}
    for name in corpus.dimensions_of():
        one = corpus.dimension(name)
        judged = sum(
            getattr(corpus, table).filter(dimension=name).height
            for table in ("ratings", "preferences", "choices", "spans")
        )
        found[name] = {
            "kind": one.kind,
            "scale": one.scale,
            "labels": list(one.labels),
            "direction": one.direction,
            "said_by": one.said_by,
            "judgements": judged,
        }
    return found
