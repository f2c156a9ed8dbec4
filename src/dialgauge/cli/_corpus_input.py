"""The corpus argument of all commands."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_corpus
from dialgauge.cli._output import note, progress_bar
from dialgauge.cli._pipes import from_pipe
from dialgauge.cli._settings import Only
from dialgauge.corpus import ReadingSettings
from dialgauge.errors import InputError, LeftOutError, counted

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus, Problem

#: The argument of every command that reads a corpus.
Source = Annotated[
    str,
    typer.Argument(
        help="A corpus file or folder, [bold]embedded[/], [bold]dataset:NAME[/], or [bold]-[/] for standard input.",
        show_default=False,
        callback=from_pipe,
        autocompletion=complete_corpus,
    ),
]
Format = Annotated[str | None, typer.Option("--format", help="File format, if the file name does not show it.")]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", help="Map a column: [bold]--map summary=hyp[/] reads the column hyp as summary."),
]
Reading = Annotated[ReadingSettings, Only("allow_left_out")]
Strict = Annotated[bool, typer.Option("--strict", help="Fail on invalid rows instead of skipping them.")]

#: What to do if a corpus has no ratings, or a file only ratings.
HOW_TO_ADD = "to add ratings from a separate file: dialgauge convert SUMMARIES corpus --ratings FILE"

#: Number of invalid rows that are shown one by one.
FIRST = 10


@contextmanager
def given_by(option: str) -> Iterator[None]:
    """Name the option in errors about the file or folder given with it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{option} {error}") from error


def load_corpus(
    source: str,
    format: str | None = None,
    map: list[str] | None = None,
    strict: bool = False,
    reading: ReadingSettings | None = None,
) -> "Corpus":
    """Load the corpus of this name or path; assumptions and skipped rows are reported on stderr.

    If more would be left out than is allowed, that is an error with status 1.
    """
    from dialgauge.corpus import (
        count_by_reason,
        open_corpus,
        parse_mapping,
        too_much_left_out,
        what_to_do,
        with_allowance,
    )

    mapping = parse_mapping(map or [])
    with progress_bar(f"reading {source}"):
        corpus = open_corpus(source, format=format, mapping=mapping, strict=strict)
    corpus = with_allowance(corpus, reading or ReadingSettings())
    report_input(corpus.notes, count_by_reason(corpus.problems), corpus.problems)
    if too_much := too_much_left_out(corpus):
        advice = what_to_do(
            corpus,
            inspect=f"'dialgauge inspect {source}'",
            allow=f"dialgauge convert {source} corpus --allow-left-out all",
            repeats=f"dialgauge convert {source} corpus --repeats first",
        )
        raise LeftOutError(f"{'; '.join(too_much)}. {advice}")
    return corpus


def report_input(notes: Sequence[str], reasons: Mapping[str, int], problems: Sequence[object]) -> None:
    """Report assumptions and the number of skipped rows by reason on stderr, with the first of them."""
    for text in notes:
        note(f"note: {text}")
    for reason, count in reasons.items():
        note(f"skipped {counted(count, 'row')}: {reason}")
    for problem in problems[:FIRST]:
        note(f"  {problem}")
    if len(problems) > FIRST:
        note(f"  … and {len(problems) - FIRST:,} more ('dialgauge inspect FILE --json' lists all)")


def problems_as_json(problems: "Sequence[Problem]") -> list[dict[str, str | int | None]]:
    """All skipped rows, for ``--json``."""
    return [{"file": p.file, "line": p.line, "key": p.key, "reason": p.reason, "given": p.given} for p in problems]
