"""``dialgauge finetune-metric``: a neural metric that learns from your ratings, under the conditions of Table 7."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, load_corpus
from dialgauge.cli._options import Scale, refuse_file
from dialgauge.cli._output import Json, note, print_json, print_table, progress_bar, show
from dialgauge.cli._variant_options import VARIANTS, Most, Perturbations, Priors, separate, variant_options
from dialgauge.tables import estimate

if TYPE_CHECKING:
    from dialgauge.learn import Conditions, FineTuning
    from dialgauge.models import TrainingPlan

Output = Annotated[Path, typer.Option("--output", "-o", help="The folder for the trained metrics and the table.")]
Metric = Annotated[
    str,
    typer.Option(
        "--metric",
        "-m",
        help="[bold]bartscore[/] (or bartscore-hyp-ref …), [bold]unieval[/] (or unieval-relevance …) or "
        "[bold]encoder-head[/].",
    ),
]
Model = Annotated[str, typer.Option(help="Where the weights start: a hub id, folder:/path or embedded:NAME.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The rated dimension to learn.")]
ConditionNames = Annotated[
    str,
    typer.Option(
        help="What to train on: [bold]all[/], or some of out-of-the-box, original, original+baseline and "
        "original+domain, separated by commas."
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same split and weights.")]

_TRAINING = "Training"
Loss = Annotated[
    str | None,
    typer.Option(
        help="bartscore: ranking, regression or likelihood; unieval: graded, boolean or regression. "
        "Default: the first.",
        rich_help_panel=_TRAINING,
    ),
]
Epochs = Annotated[int | None, typer.Option(help="Default: 2; encoder-head: 8.", rich_help_panel=_TRAINING)]
LearningRate = Annotated[
    float | None, typer.Option(help="Default: 5e-5; encoder-head: 1e-3.", rich_help_panel=_TRAINING)
]
Batch = Annotated[
    int | None,
    typer.Option(help="Summaries per micro-batch. Default: 4; encoder-head: 16.", rich_help_panel=_TRAINING),
]
Accumulate = Annotated[int, typer.Option(help="Micro-batches per step.", rich_help_panel=_TRAINING)]
Patience = Annotated[
    int | None, typer.Option(help="Stop after so many epochs that did no better on dev.", rich_help_panel=_TRAINING)
]
Limit = Annotated[int | None, typer.Option(help="Tokens of a text that are read.", rich_help_panel=_TRAINING)]
Full = Annotated[
    bool,
    typer.Option("--full", help="encoder-head: train the encoder too, not the head alone.", rich_help_panel=_TRAINING),
]
Precision = Annotated[str, typer.Option(help="fp32, bf16, or auto: bf16 on a GPU.", rich_help_panel=_TRAINING)]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.", rich_help_panel=_TRAINING)]
Dev = Annotated[
    float, typer.Option(help="Share of the training dialogues that choose the epoch.", rich_help_panel=_TRAINING)
]
Test = Annotated[float, typer.Option(help="Share of the dialogues that test.", rich_help_panel=_TRAINING)]

Rounding = Annotated[
    str, typer.Option(help="From a mean to a class: half-up, half-even or none.", rich_help_panel=VARIANTS)
]
Annotations = Annotated[
    int | None,
    typer.Option(help="Look at so many ratings of each kind only, as the paper did with 25.", rich_help_panel=VARIANTS),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("finetune-metric")(finetune_metric)


def finetune_metric(
    corpus: Source,
    output: Output,
    metric: Metric = "encoder-head",
    model: Model = "embedded:minilm",
    target: Target = "consistency",
    conditions: ConditionNames = "original",
    loss: Loss = None,
    epochs: Epochs = None,
    learning_rate: LearningRate = None,
    batch: Batch = None,
    accumulate: Accumulate = 1,
    patience: Patience = None,
    limit: Limit = None,
    full: Full = False,
    precision: Precision = "auto",
    device: Device = "auto",
    dev: Dev = 0.15,
    test: Test = 0.25,
    seed: Seed = 0,
    perturbation: Perturbations = None,
    priors: Priors = False,
    rounding: Rounding = "half-up",
    annotated: Annotations = None,
    most: Most = None,
    scale: Scale = None,
    format: Format = None,
    map: Map = None,
    json: Json = False,
) -> None:
    """Train BARTScore, UniEval or a small encoder head on your ratings, and test it on dialogues it has not seen.

    [bold]dialgauge finetune-metric embedded -m encoder-head -t consistency --conditions all --priors -o tuned[/]

    Every trained metric is a folder that [bold]dialgauge score[/] takes: as learned:folder=PATH, and a checkpoint also
    as bartscore-…:model=folder:PATH. Run the same command again to go on with a training that was stopped.
    """
    from dialgauge.learn import FineTuning, fine_tunable, run_conditions, usual_settings

    name = fine_tunable(metric, target)
    usual = usual_settings(name, not full)
    plan = _plan(usual, epochs, learning_rate, accumulate, patience, precision, device, seed)
    batch = usual[2] if batch is None else batch
    settings = FineTuning(name, model, target, loss, batch, limit=limit, frozen=not full, plan=plan)
    variants = variant_options(perturbation, priors, rounding, annotated, most)
    refuse_file(output)
    loaded = load_corpus(corpus, format, map)
    with progress_bar("finetune-metric") as progress:
        result = run_conditions(
            loaded,
            settings,
            output,
            conditions=_conditions(conditions),
            variants=variants,
            dev=dev,
            test=test,
            scale=scale,
            progress=progress,
        )
    if json:
        print_json(result.as_dict())
    else:
        _print(result, settings, output)


def _plan(
    usual: tuple[int, float, int, float],
    epochs: int | None,
    learning_rate: float | None,
    accumulate: int,
    patience: int | None,
    precision: str,
    device: str,
    seed: int,
) -> "TrainingPlan":
    """What the options say, and what is usual for the metric where they say nothing."""
    from dialgauge.models import TrainingPlan

    return TrainingPlan(
        epochs=usual[0] if epochs is None else epochs,
        learning_rate=usual[1] if learning_rate is None else learning_rate,
        weight_decay=usual[3],
        accumulate=accumulate,
        precision=_precision(precision, device),  # type: ignore[arg-type]  # the plan checks it
        seed=seed,
        device=device,
        patience=patience,
    )


def _precision(given: str, device: str) -> str:
    if given != "auto":
        return given
    from dialgauge.models import choose_device

    return "bf16" if choose_device(device).startswith("cuda") else "fp32"


def _conditions(given: str) -> tuple[str, ...]:
    from dialgauge.learn import CONDITIONS

    return tuple(CONDITIONS) if given == "all" else separate(given)


def _print(result: "Conditions", settings: "FineTuning", output: Path) -> None:
    _print_estimates(result, settings)
    if result.specs:
        print_table("trained metrics", ("trained on", "use it as"), list(result.specs.items()))
    _print_notes(result)
    note(f"wrote {output / 'conditions.json'}")


def _print_estimates(result: "Conditions", settings: "FineTuning") -> None:
    from dialgauge.tables import matrix, number_cell

    cells = {(row["condition"], row["set"]): row for row in result.frame.iter_rows(named=True)}
    conditions = list(dict.fromkeys(result.frame["condition"]))
    sets = [name for name in dict.fromkeys(result.frame["set"]) if cells[conditions[0], name]["summaries"]]
    title = f"{settings.metric}: mean correlation with {settings.target} on unseen dialogues"
    shown = [[_estimate(cells[condition, name]) for name in sets] for condition in conditions]
    show(matrix(title, ("trained on", "tested on"), conditions, sets, shown))
    orders = [[number_cell(cells[condition, name]["order"], ".1%") for name in sets] for condition in conditions]
    title = "pairs of summaries of a dialogue in the order of their ratings"
    show(matrix(title, ("trained on", "tested on"), conditions, sets, orders))


def _print_notes(result: "Conditions") -> None:
    counts = result.settings["dialogues"]
    note(
        f"mean of Pearson, Spearman and Kendall [jackknife interval over dialogues]; {counts['train']} dialogues to "
        f"train, {counts['dev']} to choose the epoch, {counts['test']} to test; no dialogue is in two of them"
    )
    if result.settings["ratings_origin"] == "constructed":
        note("the ratings of the originals were constructed by a program, not given by people")
    assigned = result.frame.filter(result.frame["ratings"].str.contains("priors|extrapolated"))
    if assigned.height:
        note(
            "ratings of variants that nobody rated are the mean of their kind, rounded "
            f"({result.settings['variants']['rounding']}): within a kind they do not differ"
        )


def _estimate(row: Mapping[str, Any]) -> str:
    """Without the zero before the point, so that four estimates fit beside each other."""
    return estimate(row["value"], row["low"], row["high"], 3, ends=2, short=True)
