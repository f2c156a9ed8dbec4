"""``dialgauge init``: write a study file to start from."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from dialgauge.cli._output import Json, console, note, print_json
from dialgauge.errors import InputError


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("init")(init)


def init(
    path: Annotated[Path, typer.Argument(help="The study file to write.")] = Path("study.toml"),
    corpus: Annotated[
        str, typer.Option(help="Corpus to evaluate, relative to the study file; [bold]embedded[/] for a demo.")
    ] = "embedded",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    json: Json = False,
) -> None:
    """Write a commented study file, ready to run.

    [bold]dialgauge init study.toml --corpus calls.jsonl[/]
    """
    from dialgauge.corpus import source_folder
    from dialgauge.files import write_text
    from dialgauge.study import study_template

    if path.exists() and not force:
        raise InputError(f"{path} already exists; use --force to overwrite it")
    home = path.resolve().parent
    named = corpus == "embedded" or corpus.startswith("dataset:")
    lies = None if named else source_folder(corpus, home)
    outside = lies is not None and not lies.resolve().is_relative_to(home)
    references = named or lies is None or not lies.exists() or _has_references(str(lies))
    write_text(path, study_template(path.name, corpus, outside=outside, references=references))
    if json:
        print_json({"study": str(path), "corpus": corpus})
    else:
        name = escape(str(path))
        console.print(f"wrote {name}; next: [bold]dialgauge run {name}[/]", highlight=False, soft_wrap=True)


def _has_references(source: str) -> bool:
    """Whether metrics can compare with references. A corpus that cannot be read yet is one to map or mend first."""
    from dialgauge.corpus import open_corpus
    from dialgauge.errors import DialgaugeError

    try:
        found = open_corpus(source)
    except DialgaugeError as error:
        note(f"note: the corpus cannot be read yet: {error}")
        return True
    if found.references.is_empty():
        note("note: the corpus has no references, so metrics compare with the dialogue")
    if found.ratings.is_empty():
        note("note: the corpus has no ratings, which a verdict on metrics needs; 'dialgauge annotate' collects them")
    return not found.references.is_empty()
