"""``dialgauge finetune-metric``: fine-tune a neural metric on your ratings, under the conditions of Table 7."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar, show
from dialgauge.cli._settings import Without, with_options
from dialgauge.learn import ConditionSettings
from dialgauge.ratings import RatingPolicy
from dialgauge.tables import estimate

if TYPE_CHECKING:
    from dialgauge.learn import Conditions

Output = Annotated[Path, output_option("Folder for the trained metrics and the table.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("finetune-metric")(finetune_metric)


@with_options
def finetune_metric(
    corpus: Source,
    output: Output,
    settings: ConditionSettings,
    policy: Annotated[RatingPolicy, Without("dimensions")],
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Fine-tune BARTScore, UniEval or a small encoder head on your ratings and test it on held-out dialogues.

    [bold]dialgauge finetune-metric embedded -m encoder-head -t consistency --condition all --priors -o tuned[/]

    Every trained metric is a folder for [bold]dialgauge score[/]: use it as learned:folder=PATH, and a checkpoint also
    as bartscore-…:model=folder:PATH. Rerun to resume an interrupted training.
    """
    from dialgauge.learn import run_conditions

    refuse_file(output)
    loaded = load_corpus(corpus, format, map)
    with progress_bar("finetune-metric") as progress:
        result = run_conditions(loaded, output, settings, policy, progress=progress)
    if json:
        print_json(result.as_dict())
    else:
        _print(result, settings, output)


def _print(result: "Conditions", settings: ConditionSettings, output: Path) -> None:
    _print_estimates(result, settings)
    if result.specs:
        print_table("trained metrics", ("trained on", "use it as"), list(result.specs.items()))
    _print_notes(result)
    note(f"wrote {output / 'conditions.json'}")


def _print_estimates(result: "Conditions", settings: ConditionSettings) -> None:
    from dialgauge.tables import matrix, number_cell

    cells = {(row["condition"], row["set"]): row for row in result.frame.iter_rows(named=True)}
    conditions = list(dict.fromkeys(result.frame["condition"]))
    sets = [name for name in dict.fromkeys(result.frame["set"]) if cells[conditions[0], name]["summaries"]]
    title = f"{settings.metric}: mean correlation with {settings.target} on held-out dialogues"
    shown = [[_estimate(cells[condition, name]) for name in sets] for condition in conditions]
    show(matrix(title, ("trained on", "tested on"), conditions, sets, shown))
    orders = [[number_cell(cells[condition, name]["order"], ".1%") for name in sets] for condition in conditions]
    title = "pairs of summaries of a dialogue ranked as by their ratings"
    show(matrix(title, ("trained on", "tested on"), conditions, sets, orders))


def _print_notes(result: "Conditions") -> None:
    counts = result.settings["dialogues"]
    note(
        f"mean of Pearson, Spearman and Kendall [jackknife interval over dialogues]; {counts['train']} dialogues to "
        f"train, {counts['dev']} to select the epoch, {counts['test']} to test, without overlap"
    )
    if result.settings["ratings_origin"] == "constructed":
        note("the ratings of the originals were constructed by a program, not given by people")
    assigned = result.frame.filter(result.frame["ratings"].str.contains("priors|extrapolated"))
    if assigned.height:
        note(
            "unrated variants get the mean rating of their kind, rounded "
            f"({result.settings['variants']['rounding']}): ratings within a kind are equal"
        )


def _estimate(row: Mapping[str, Any]) -> str:
    """Without the leading zero, so that four estimates fit side by side."""
    return estimate(row["value"], row["low"], row["high"], 3, ends=2, short=True)
