"""``dialgauge finetune-table``: Table 7 of Tweak to Trust in one command."""

from pathlib import Path
from typing import Annotated

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, note, print_json, progress_bar, show
from dialgauge.cli._settings import Without, with_options
from dialgauge.learn import ConditionSettings, TuningGrid
from dialgauge.ratings import RatingPolicy

Output = Annotated[Path, output_option("Folder for the trained metrics and the table.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("finetune-table")(finetune_table)


@with_options
def finetune_table(
    corpus: Source,
    output: Output,
    grid: TuningGrid,
    settings: Annotated[ConditionSettings, Without("metric", "target", "model")],
    policy: Annotated[RatingPolicy, Without("dimensions")],
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Fine-tune several metrics for several dimensions under all conditions, and show one table.

    [bold]dialgauge finetune-table calls.jsonl --as-paper -o table7[/]

    Repeats Table 7 of Tweak to Trust (Patel, Agrawal and Kumar 2024): UniEval and BARTScore × consistency and
    relevance × out of the box, originals, with baseline variants, with domain variants. All are tested on the same
    held-out dialogues. Rerun to resume an interrupted run: finished trainings are kept.
    """
    from dialgauge.learn import run_tuning_table

    refuse_file(output)
    loaded = load_corpus(corpus, format, map)
    with progress_bar("finetune-table") as progress:
        result = run_tuning_table(loaded, output, grid, settings, policy, progress=progress)
    if json:
        print_json(result.as_dict())
        return
    show(result.table())
    counts = next(iter(result.parts.values())).settings["dialogues"]
    note(f"{counts['train']} dialogues to train, {counts['dev']} to select the epoch, {counts['test']} to test")
    if loaded.info.ratings_origin == "constructed":
        note("the ratings of the originals were constructed by a program, not given by people")
    note(f"wrote {output / 'table.md'} and {output / 'table.json'}; results by test set are in the latter")
