"""How every command takes a corpus from the command line."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._output import note
from dialgauge.corpus import Corpus, count_by_reason, embedded_corpus, read_corpus
from dialgauge.errors import InputError

Format = Annotated[str | None, typer.Option("--format", help="The file's format, where its ending does not say it.")]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", help="Name a column: [bold]--map summary=hyp[/] reads the column hyp as summary."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at bad rows instead of leaving them out and counting.")]


def load_corpus(source: str, format: str | None = None, map: list[str] | None = None, strict: bool = False) -> Corpus:
    """The embedded corpus, or the one at this path; what had to be left out is said on stderr."""
    if source == "embedded" and not Path(source).exists():
        corpus = embedded_corpus()
    else:
        corpus = read_corpus(source, format=format, mapping=parse_map(map), strict=strict)
    for reason, count in count_by_reason(corpus.problems).items():
        note(f"left out {count} {'row' if count == 1 else 'rows'}: {reason}")
    return corpus


def parse_map(pairs: list[str] | None) -> dict[str, str] | None:
    """``["summary=hyp"]`` as a mapping from our name to the column's."""
    if not pairs:
        return None
    mapping = {}
    for pair in pairs:
        ours, equals, theirs = pair.partition("=")
        if not equals or not ours or not theirs:
            raise InputError(f"--map {pair!r}: write it as NAME=COLUMN, for instance --map summary=hyp")
        mapping[ours] = theirs
    return mapping
