"""The corpus argument of all commands."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._completion import complete_corpus
from dialgauge.cli._output import note, progress_bar
from dialgauge.cli._pipes import from_pipe
from dialgauge.errors import InputError, LeftOutError, counted

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus, Problem, ReadingSettings

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
AllowLeftOut = Annotated[
    str | None,
    typer.Option(
        "--allow-left-out",
        help="Share of the rows and of the judgements that may be left out: 20%, or all (default: 5%).",
        show_default=False,
    ),
]
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
    allow_left_out: str | None = None,
) -> "Corpus":
    """Load the corpus of this name or path; assumptions and skipped rows are reported on stderr.

    If more would be left out than is allowed, that is an error with status 1.
    """
    from dialgauge.corpus import count_by_reason, open_corpus, parse_mapping, parse_share

    mapping = parse_mapping(map or [])
    share = None if allow_left_out is None else parse_share(allow_left_out)
    with progress_bar(f"reading {source}"):
        corpus = open_corpus(source, format=format, mapping=mapping, strict=strict)
    if share is not None:
        corpus = replace(corpus, accounts=tuple(replace(account, allowed=share) for account in corpus.accounts))
    report_input(corpus.notes, count_by_reason(corpus.problems), corpus.problems)
    too_much = [f"{account.file}: {text}" for account in corpus.accounts for text in account.too_much()]
    if too_much:
        raise LeftOutError(
            f"{'; '.join(too_much)}. Mend the file, map its columns ('dialgauge inspect {source}'), or allow it: "
            f"dialgauge convert {source} corpus --allow-left-out all"
        )
    return corpus


def allowed(corpus: "Corpus", reading: "ReadingSettings") -> "tuple[Corpus, list[str]]":
    """The corpus with the share that may be left out in its accounts, and why more than that was left out."""
    from dialgauge.corpus import parse_share

    share = parse_share(reading.allow_left_out)
    accounts = tuple(replace(account, allowed=share) for account in corpus.accounts)
    too_much = [f"{account.file}: {text}" for account in accounts for text in account.too_much()]
    return replace(corpus, accounts=accounts), too_much


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
