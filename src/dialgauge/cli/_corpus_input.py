"""How every command takes a corpus from the command line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._output import note, progress_bar
from dialgauge.errors import InputError, counted

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus, Problem

#: The argument of every command that reads a corpus.
Source = Annotated[
    str,
    typer.Argument(help="A corpus file or folder, [bold]embedded[/], or [bold]dataset:NAME[/].", show_default=False),
]
Format = Annotated[str | None, typer.Option("--format", help="The file's format, where its ending does not say it.")]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", help="Name a column: [bold]--map summary=hyp[/] reads the column hyp as summary."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at bad rows instead of leaving them out and counting.")]

#: The way out where a corpus has no ratings, or a file nothing but ratings.
HOW_TO_ADD = "ratings in a file of their own are added with: dialgauge convert SUMMARIES corpus --ratings FILE"

#: So many bad rows are shown one by one.
FIRST = 10


@contextmanager
def given_by(option: str) -> Iterator[None]:
    """Name the option in errors about a file or folder that it gave."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{option} {error}") from error


def load_corpus(source: str, format: str | None = None, map: list[str] | None = None, strict: bool = False) -> "Corpus":
    """The corpus of this name or path; what had to be assumed and what had to be left out is said on stderr."""
    from dialgauge.corpus import count_by_reason, open_corpus, parse_mapping

    mapping = parse_mapping(map or [])
    with progress_bar(f"reading {source}"):
        corpus = open_corpus(source, format=format, mapping=mapping, strict=strict)
    say_what_was_read(corpus.notes, count_by_reason(corpus.problems), corpus.problems)
    return corpus


def say_what_was_read(notes: Sequence[str], reasons: Mapping[str, int], problems: Sequence[object]) -> None:
    """On stderr: what had to be assumed, how many rows were left out for which reason, and the first of them."""
    for text in notes:
        note(f"note: {text}")
    for reason, count in reasons.items():
        note(f"left out {counted(count, 'row')}: {reason}")
    for problem in problems[:FIRST]:
        note(f"  {problem}")
    if len(problems) > FIRST:
        note(f"  … and {len(problems) - FIRST:,} more ('dialgauge inspect FILE --json' has them all)")


def problems_as_json(problems: "Sequence[Problem]") -> list[dict[str, str | int | None]]:
    """Every row that was left out, for ``--json``."""
    return [{"file": p.file, "line": p.line, "key": p.key, "reason": p.reason, "given": p.given} for p in problems]
