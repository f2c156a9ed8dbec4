"""How every command takes a corpus from the command line."""

from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._output import note

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus

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


def load_corpus(source: str, format: str | None = None, map: list[str] | None = None, strict: bool = False) -> "Corpus":
    """The corpus of this name or path; what had to be left out is said on stderr."""
    from dialgauge.corpus import count_by_reason, open_corpus, parse_mapping

    corpus = open_corpus(source, format=format, mapping=parse_mapping(map or []), strict=strict)
    for reason, count in count_by_reason(corpus.problems).items():
        note(f"left out {count} {'row' if count == 1 else 'rows'}: {reason}")
    return corpus
