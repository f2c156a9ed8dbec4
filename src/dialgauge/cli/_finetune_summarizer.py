"""``dialgauge finetune-summarizer``: teach a summarizer on all pairs, on the affective ones, and on as many."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._output import Json, note, print_json, print_numbers, print_table, progress_bar

if TYPE_CHECKING:
    from dialgauge.corpus import Corpus
    from dialgauge.summarize import FinetuneSettings, SetsResult, Splits


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("finetune-summarizer")(finetune_summarizer)


def finetune_summarizer(
    corpus: Source,
    model: Annotated[
        str,
        typer.Option(
            help="A sequence-to-sequence model (hub id or folder:/path), or [bold]scratch:6+6[/]: a new one of so many "
            "encoder and decoder layers ([bold]scratch:6+6x512[/]: 512 wide)."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for checkpoints, summaries and the table.")],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            "--sets",
            help="[bold]full[/], [bold]filtered[/] (an affective word in dialogue and reference), [bold]subsampled[/] "
            "(as many as filtered, at random) or [bold]all[/]; repeat for several. Default: full.",
        ),
    ] = None,
    dev: Annotated[
        str | None, typer.Option(help="Corpus that chooses the best epoch. Default: the corpus's split dev.")
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="Corpus for the table at the end. Default: the corpus's split test.")
    ] = None,
    tagger: Annotated[str, typer.Option(help="Whose words are affective: vader, token-dict, lexicon:FILE …")] = "vader",
    best_by: Annotated[
        str, typer.Option(help="What makes an epoch the best on dev: rouge, psentscore or loss.")
    ] = "rouge",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the data.")] = 3,
    learning_rate: Annotated[
        float, typer.Option(help="The highest; it rises, then falls to zero. From scratch, about 5e-4.")
    ] = 5e-5,
    batch_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a micro-batch, padding included.")] = 4096,
    accumulate: Annotated[int, typer.Option(min=1, help="Micro-batches that make one step.")] = 1,
    source_length: Annotated[int, typer.Option(help="Tokens of a dialogue that are read in training.")] = 1024,
    target_length: Annotated[int, typer.Option(help="Tokens of a reference that are learnt.")] = 128,
    label_smoothing: Annotated[float, typer.Option(help="Share of certainty taken from the right token.")] = 0.1,
    patience: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many epochs without a better one on dev.")
    ] = None,
    precision: Annotated[str, typer.Option(help="fp32, or bf16 (quicker on a card).")] = "fp32",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Of the order, the sub-sample and a scratch model's weights.")] = 0,
    role: Annotated[str, typer.Option(help="The role whose references are learnt.")] = "overall",
    prefix: Annotated[str, typer.Option(help='What leads a dialogue, as in "summarize: " for T5.')] = "",
    beams: Annotated[int, typer.Option(min=1, help="Beams for the summaries of the test split.")] = 4,
    vocabulary: Annotated[int, typer.Option(help="Pieces of words that a scratch model knows, at most.")] = 8000,
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
    from dialgauge.models import TrainingPlan
    from dialgauge.summarize import (
        SETS,
        FinetuneSettings,
        GenerationSettings,
        Reading,
        SetsSettings,
        finetune_sets,
    )

    splits = _splits(load_corpus(corpus, format, map, strict), dev, test)
    plan = TrainingPlan(
        epochs=epochs,
        learning_rate=learning_rate,
        accumulate=accumulate,
        precision=precision,  # type: ignore[arg-type]  # checked by the plan, with a message that names what is allowed
        seed=seed,
        device=device,
        patience=patience,
    )
    training = FinetuneSettings(
        plan=plan,
        batch_tokens=batch_tokens,
        source_length=source_length,
        target_length=target_length,
        label_smoothing=label_smoothing,
        best_by=best_by,  # type: ignore[arg-type]  # checked by the settings
        reading=Reading(prefix=prefix),
    )
    wanted = sets or ["full"]
    settings = SetsSettings(
        sets=SETS if "all" in wanted else tuple(wanted),
        role=role,
        writing=GenerationSettings(beams=beams),
        bertscore=bertscore,
        vocabulary=vocabulary,
    )
    _say_what_is_absent(splits, training)
    with progress_bar("fine-tuning") as progress:
        result = finetune_sets(splits, model, output, training, settings, tagger=make_tagger(tagger), progress=progress)
    if json:
        print_json(result.as_dict())
    else:
        _print(result, output)


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


def _print(result: "SetsResult", output: Path) -> None:
    rows = []
    for name, trained in result.trained.items():
        made, record = result.sets[name], trained.record
        best, last = record.epochs[record.best_epoch], record.epochs[-1]
        rows.append(
            (
                name,
                f"{trained.pairs:,}",
                f"{made.share:.1%}",
                f"{trained.cut_dialogues:,}",
                f"{record.epochs[0].loss:.3f} → {last.loss:.3f}",
                f"{best.epoch + 1} of {len(record.epochs)}",
                f"{trained.seconds:,.0f}",
            )
        )
        if trained.reused:
            note(f"{name}: was trained already, nothing was done")
        elif record.resumed_from:
            note(f"{name}: went on after epoch {record.resumed_from}")
        if trained.cut_dialogues or trained.cut_references:
            note(
                f"{name}: longer than what is read, cut at the end: {trained.cut_dialogues:,} dialogues, "
                f"{trained.cut_references:,} references"
            )
    heads = ("set", "pairs", "of all", "cut", "loss", "best epoch", "seconds")
    print_table("training", heads, rows, numeric=heads[1:])
    if result.table is not None:
        cells = result.table.cells()
        print_numbers(
            f"test split: {result.table.dialogues:,} dialogues, {result.table.references:,} references",
            ("system", "measure"),
            [row[0] for row in cells],
            result.table.heads[1:],
            [row[1:] for row in cells],
        )
        for text in result.table.remarks():
            note(text)
    for trained in result.trained.values():
        note(f"wrote {trained.folder}")
    if result.table is not None:
        note(f"wrote {output / 'table.md'} and {output / 'table.json'}")
