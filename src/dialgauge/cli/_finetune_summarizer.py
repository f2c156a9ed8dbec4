"""``dialgauge finetune-summarizer``: teach a summarizer on all pairs, on the affective ones, and on as many."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._options import Device, refuse_file
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar, show
from dialgauge.errors import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dialgauge.corpus import Corpus
    from dialgauge.models import TrainingPlan
    from dialgauge.summarize import AffectTable, Finetuned, FinetuneSettings, SetsResult, Splits, TrainingSet

Model = Annotated[
    str,
    typer.Option(
        help="A sequence-to-sequence model (hub id or folder:/path), or [bold]scratch:6+6[/]: a new one of so many "
        "encoder and decoder layers ([bold]scratch:6+6x512[/]: 512 wide)."
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for checkpoints, summaries and the table.")]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--sets",
        help="[bold]full[/], [bold]filtered[/] (an affective word in dialogue and reference), [bold]subsampled[/] "
        "(as many as filtered, at random) or [bold]all[/]; repeat for several. Default: full.",
    ),
]
Dev = Annotated[str | None, typer.Option(help="Corpus that chooses the best epoch. Default: the corpus's split dev.")]
Test = Annotated[str | None, typer.Option(help="Corpus for the table at the end. Default: the corpus's split test.")]
Tagger = Annotated[str, typer.Option(help="Whose words are affective: vader, token-dict, lexicon:FILE …")]
BestBy = Annotated[str, typer.Option(help="What makes an epoch the best on dev: rouge, psentscore or loss.")]
LearningRate = Annotated[
    float, typer.Option(help="The highest; it rises, then falls to zero. From scratch, about 5e-4.")
]
BatchTokens = Annotated[int, typer.Option(min=1, help="Tokens of a micro-batch, padding included.")]
Patience = Annotated[int | None, typer.Option(min=1, help="Stop after so many epochs without a better one on dev.")]
Smoothing = Annotated[float, typer.Option(help="Share of certainty taken from the right token.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the order, the sub-sample and a scratch model's weights.")]
RoleReading = Annotated[
    str,
    typer.Option(
        "--roles",
        help="With --role: turns (those of the role alone are read) or mark (all are, led by the role in brackets).",
    ),
]
Vocabulary = Annotated[int, typer.Option(help="Pieces of words that a scratch model knows, at most.")]

#: Where the measures of affect begin in the table.
_AFFECT = 5
#: Below this, the weights of a new model hardly move.
_SLOW_FROM_SCRATCH = 1e-4


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("finetune-summarizer")(finetune_summarizer)


def finetune_summarizer(
    corpus: Source,
    model: Model,
    output: Output,
    sets: Sets = None,
    dev: Dev = None,
    test: Test = None,
    tagger: Tagger = "vader",
    best_by: BestBy = "rouge",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the data.")] = 3,
    learning_rate: LearningRate = 5e-5,
    batch_tokens: BatchTokens = 4096,
    accumulate: Annotated[int, typer.Option(min=1, help="Micro-batches that make one step.")] = 1,
    source_length: Annotated[int, typer.Option(help="Tokens of a dialogue that are read in training.")] = 1024,
    target_length: Annotated[int, typer.Option(help="Tokens of a reference that are learnt.")] = 128,
    label_smoothing: Smoothing = 0.1,
    patience: Patience = None,
    precision: Annotated[str, typer.Option(help="fp32, or bf16 (quicker on a card).")] = "fp32",
    device: Device = "auto",
    seed: Seed = 0,
    role: Annotated[str, typer.Option(help="The role whose references are learnt.")] = "overall",
    roles: RoleReading = "turns",
    prefix: Annotated[str, typer.Option(help='What leads a dialogue, as in "summarize: " for T5.')] = "",
    beams: Annotated[int, typer.Option(min=1, help="Beams for the summaries of the test split.")] = 4,
    vocabulary: Vocabulary = 8000,
    bertscore: Annotated[str, typer.Option(help="Encoder of BERTScore in the table.")] = "embedded:minilm",
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Fine-tune a summarizer on the references of a corpus, once or for several training sets, and compare.

    [bold]dialgauge finetune-summarizer dataset:dialogsum --model facebook/bart-base --sets all -o runs/affect[/]

    Each set has a folder below the output folder: checkpoint (load it as folder:PATH) and summaries.jsonl (what it
    writes for the test split). table.md compares ROUGE, BERTScore and PSentScore (Spearman / CCC / MAE of the share of
    affective words in dialogue and summary). Run it again to go on with a run that was stopped.
    """
    from dialgauge.affect import tagger as make_tagger
    from dialgauge.summarize import FinetuneSettings, GenerationSettings, Reading, SetsSettings, finetune_sets

    refuse_file(output)
    splits = _splits(load_corpus(corpus, format, map, strict), dev, test)
    training = FinetuneSettings(
        _plan(epochs, learning_rate, accumulate, precision, seed, device, patience),
        batch_tokens,
        source_length,
        target_length,
        label_smoothing,
        best_by,  # type: ignore[arg-type]  # checked by the settings
        Reading(prefix=prefix, roles=roles),
    )
    settings = SetsSettings(_sets(sets), role, GenerationSettings(beams=beams), bertscore, vocabulary)
    _say_what_is_absent(splits, training)
    _say_what_will_disappoint(splits, model, learning_rate)
    try:
        with progress_bar("fine-tuning") as progress:
            result = finetune_sets(
                splits,
                model,
                output,
                training,
                settings,
                tagger=make_tagger(tagger),
                chosen=lambda made: _say_what_is_in_the_sets(made, splits.train),
                progress=progress,
            )
    except KeyboardInterrupt:
        if output.exists():
            note(f"stopped: finished epochs and trainings are kept in {output}; the same command goes on from there")
        raise
    if json:
        print_json(result.as_dict())
    else:
        _print(result, training, settings.role, output)


def _plan(
    epochs: int,
    learning_rate: float,
    accumulate: int,
    precision: str,
    seed: int,
    device: str,
    patience: int | None,
) -> "TrainingPlan":
    from dialgauge.models import TrainingPlan

    return TrainingPlan(
        epochs=epochs,
        learning_rate=learning_rate,
        accumulate=accumulate,
        precision=precision,  # type: ignore[arg-type]  # checked by the plan, with a message that names what is allowed
        seed=seed,
        device=device,
        patience=patience,
    )


def _sets(given: list[str] | None) -> tuple[str, ...]:
    from dialgauge.summarize import SETS

    wanted = given or ["full"]
    return SETS if "all" in wanted else tuple(wanted)


def _splits(corpus: "Corpus", dev: str | None, test: str | None) -> "Splits":
    from dialgauge.summarize import Splits, split_corpus

    cut = split_corpus(corpus)
    return Splits(
        cut.train,
        cut.dev if dev is None else load_corpus(dev),
        cut.test if test is None else load_corpus(test),
    )


def _say_what_is_absent(splits: "Splits", training: "FinetuneSettings") -> None:
    if splits.dev is None:
        note(f"no --dev and no split dev: the last of {training.plan.epochs} epochs is kept, whatever it is like")
    if splits.test is None:
        note("no --test and no split test: there will be no table")


def _say_what_will_disappoint(splits: "Splits", model: str, learning_rate: float) -> None:
    from dialgauge.summarize import is_scratch

    if is_scratch(model) and learning_rate < _SLOW_FROM_SCRATCH:
        note(f"a model from scratch learns little at a learning rate of {learning_rate:g}: try --learning-rate 5e-4")
    known = {dialogue.text for dialogue in splits.train.iter_dialogues()}
    for name, part in (("dev", splits.dev), ("test", splits.test)):
        seen = 0 if part is None else sum(dialogue.text in known for dialogue in part.iter_dialogues())
        if part is not None and seen:
            note(f"{name}: {seen:,} of {part.dialogues.height:,} dialogues are trained on, too: it will flatter")


def _say_what_is_in_the_sets(sets: "Mapping[str, TrainingSet]", train: "Corpus") -> None:
    some = next(iter(sets.values()))
    role = some.pairs[0].role
    absent = train.references.filter(role=role).height - some.out_of
    if absent:
        note(f"left out, as the dialogue or the reference is empty: {absent:,} of {absent + some.out_of:,} references")
    whole = [name for name, made in sets.items() if name != "full" and len(made.pairs) == made.out_of]
    if whole:
        note(
            f"every pair has an affective word in dialogue and reference: {' and '.join(whole)} "
            f"{'holds' if len(whole) == 1 else 'hold'} all pairs, as full does, and "
            f"{'teaches' if len(whole) == 1 else 'teach'} the same"
        )


def _print(result: "SetsResult", training: "FinetuneSettings", role: str, output: Path) -> None:
    heads = ("set", "pairs", "of all", "cut", "loss", "kept epoch", "seconds")
    rows = [_row(name, trained, result.sets[name].share) for name, trained in result.trained.items()]
    for name, trained in result.trained.items():
        _say_how_it_went(name, trained)
    print_table("training", heads, rows, numeric=heads[1:])
    if result.table is not None:
        _print_test(result.table)
    for trained in result.trained.values():
        note(f"wrote {trained.folder}")
    if result.table is not None:
        note(f"wrote {output / 'table.md'} and {output / 'table.json'}")
    name, trained = next(iter(result.trained.items()))
    note(f"to use one: dialgauge summarize CORPUS -s {_system(name, trained, training)}{_asked(role)} -o OUTPUT")


def _system(name: str, trained: "Finetuned", training: "FinetuneSettings") -> str:
    """The specification of a system that reads as it was taught to, quoted for a shell where need be."""
    import shlex

    from dialgauge.models import load
    from dialgauge.registry import quoted

    given: dict[str, Any] = {"model": trained.model}
    if training.reading.prefix:
        given["prefix"] = training.reading.prefix
    if training.reading.roles != "turns":
        given["roles"] = training.reading.roles
    if training.source_length < load("seq2seq", trained.model, training.plan.device).max_length:
        given["window"] = training.source_length
    return shlex.quote(f"{name}=seq2seq:{','.join(f'{key}={quoted(str(value))}' for key, value in given.items())}")


def _asked(role: str) -> str:
    return "" if role == "overall" else f" --role {role}"


def _row(name: str, trained: "Finetuned", share: float) -> tuple[str, ...]:
    epochs, best = trained.record.epochs, trained.record.epochs[trained.record.best_epoch]
    return (
        name,
        f"{trained.pairs:,}",
        f"{share:.1%}",
        f"{trained.cut_dialogues:,}",
        f"{epochs[0].loss:.3f} → {epochs[-1].loss:.3f}",
        f"{best.epoch + 1} of {len(epochs)}",
        f"{trained.seconds:,.0f}",
    )


def _say_how_it_went(name: str, trained: "Finetuned") -> None:
    if trained.reused:
        note(f"{name}: was trained already, nothing was done")
    elif trained.record.resumed_from:
        note(f"{name}: went on after epoch {trained.record.resumed_from}")
    if trained.cut_dialogues or trained.cut_references:
        note(
            f"{name}: longer than what is read, cut at the end: {counted(trained.cut_dialogues, 'dialogue')}, "
            f"{counted(trained.cut_references, 'reference')} (see --source-length and --target-length)"
        )


def _print_test(found: "AffectTable") -> None:
    """The layout of the paper's table, or, where the screen is too narrow, overlap and affect apart."""
    from dialgauge.tables import fits_width

    title = f"test split: {counted(found.dialogues, 'dialogue')}, {counted(found.references, 'reference')}"
    whole = found.table(title)
    parts = [whole]
    if not fits_width(whole, console.width):
        parts = [
            found.overlap_table(f"{title}: overlap with the references"),
            found.affect_table(f"{title}: affect that is kept, Spearman / CCC / MAE"),
        ]
    for table in parts:
        show(table)
    for text in found.remarks():
        note(text)
