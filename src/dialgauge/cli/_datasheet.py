"""``dialgauge datasheet``: draft the datasheet of a human evaluation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._corpus_input import given_by, load_corpus
from dialgauge.cli._options import output_option
from dialgauge.cli._output import Json, console, note, print_json
from dialgauge.errors import InputError, counted

if TYPE_CHECKING:
    from dialgauge.reproduce import Datasheet


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("datasheet")(datasheet)


def datasheet(
    corpus: Annotated[str, typer.Argument(help="A corpus with ratings, or [bold]embedded[/].", show_default=False)],
    output: Annotated[Path | None, output_option("File to write: .json (HEDS form) or .md.", pipe=".json")] = None,
    answers: Annotated[
        Path | None,
        typer.Option(help="Your answers: a TOML file with a text for each key of the sheet.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Draft the Human Evaluation Datasheet (HEDS 3.0) of a study and list the open questions.

    [bold]dialgauge datasheet ratings.jsonl --answers answers.toml -o heds.json[/]
    """
    from dialgauge.reproduce import draft_datasheet, read_answers

    given = None
    if answers is not None:
        with given_by("--answers"):
            given = read_answers(answers)
    sheet = draft_datasheet(load_corpus(corpus), answers=given)
    if output is not None:
        _write(sheet, output)
    if json:
        questions = [{"key": q.key, "criterion": criterion, "question": q.text} for q, criterion in sheet.open]
        print_json({"sheet": sheet.to_json(), "open": questions})
    elif output is None:
        console.print(sheet.to_markdown(), markup=False, highlight=False, soft_wrap=True)


def _write(sheet: "Datasheet", path: Path) -> None:
    from json import dumps

    from dialgauge.files import write_text

    if path.suffix == ".json":
        text = dumps(sheet.to_json(), ensure_ascii=False, indent=2) + "\n"
    elif path.suffix == ".md":
        text = sheet.to_markdown()
    else:
        raise InputError(f"--output {path}: unknown format; use .json or .md")
    write_text(path, text)
    note(f"wrote {path}: {counted(len(sheet.answers), 'answer')}, {counted(len(sheet.open), 'open question')}")
