"""``dialgauge train-checker``: train a checker of summaries on the references of a corpus."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dialgauge.checker import CheckerSettings
from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar
from dialgauge.cli._settings import with_options

Output = Annotated[Path, output_option("Folder for the checker.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("train-checker")(train_checker)


@with_options
def train_checker(
    corpus: Source,
    output: Output,
    settings: CheckerSettings,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Train a checker on your references: it learns to mark words that the dialogue does not support.

    [bold]dialgauge train-checker calls.jsonl -o checker[/]

    Wrong summaries are made from the references by rules; no ratings are needed. Where summaries are rated, the ratings
    decide how much the parts count. Score with consistency:folder=checker. Rerun to resume an interrupted training.
    The exit status is 1 if the checker is not clearly better than a control that never sees the dialogue.
    """
    from dialgauge.checker import train_checker as train

    refuse_file(output)
    loaded = load_corpus(corpus, format, map)
    with progress_bar("train-checker") as progress:
        result = train(loaded, output, settings, progress=progress)
    if json:
        print_json(result.as_dict())
    else:
        rows = [("all", f"{result.auc:.3f}"), ("all, without the dialogue", f"{result.shortcut:.3f}")]
        rows += [(kind, f"{value:.3f}") for kind, value in result.kinds.items()]
        print_table("right against wrong summaries of held-out dialogues", ("kind of error", "area"), rows)
        if result.ratings:
            note(_about_ratings(result.ratings))
        note(f"wrote {output}: use it as consistency:folder={output}")
    if not result.good:
        note("not clearly better than what can be seen without the dialogue: do not trust this checker")
        raise typer.Exit(1)


def _about_ratings(found: Mapping[str, Any]) -> str:
    rated = f"ratings of {found['dimension']} ({found['summaries']} summaries of {found['systems']} systems)"
    if "r" not in found:
        return f"{rated}: too few in held-out dialogues, or all the same; the usual weights of the parts stay"
    used = "are used" if found["used"] else "are not used"
    both = f"r {found['r']:.2f} with systems held out, usual weights {found['r_usual']:.2f}"
    return f"{rated}: weights fitted to them {used}; {both}"
