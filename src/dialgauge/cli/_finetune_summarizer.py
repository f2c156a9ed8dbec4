"""``dialgauge finetune-summarizer``: fine-tune on all pairs, on affective pairs, or on a random subset."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.affect import TaggerSettings
from dialgauge.cli._corpus_input import Format, Map, Source, Strict, load_corpus
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, console, note, print_json, print_table, progress_bar, show
from dialgauge.cli._settings import Only, with_options
from dialgauge.errors import counted
from dialgauge.summarize import FinetuneSettings, GenerationSettings, Reading, SetsSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dialgauge.corpus import Corpus
    from dialgauge.summarize import AffectTable, Finetuned, SetsResult, Splits, TrainingSet

Model = Annotated[
    str,
    typer.Option(
        help="Sequence-to-sequence model (hub ID or folder:/path), or [bold]scratch:6+6[/]: a new model with 6 "
        "encoder and 6 decoder layers ([bold]scratch:6+6x512[/]: hidden size 512)."
    ),
]
Output = Annotated[Path, output_option("Folder for checkpoints, summaries and the table.")]
Dev = Annotated[
    str | None,
    typer.Option(
        help="Data for selecting the best epoch: a corpus, or a share of the training dialogues such as 0.1 (default: "
        "the "
        "dev split)."
    ),
]
Test = Annotated[str | None, typer.Option(help="Corpus for the final table (default: the test split).")]

#: Index of the first affect measure in the table.
_AFFECT = 5
#: With a lower learning rate, a new model hardly learns.
_SLOW_FROM_SCRATCH = 1e-4


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("finetune-summarizer")(finetune_summarizer)


@with_options
def finetune_summarizer(
    corpus: Source,
    model: Model,
    output: Output,
    settings: SetsSettings,
    training: FinetuneSettings,
    reading: Annotated[Reading, Only("prefix", "roles")],
    writing: Annotated[GenerationSettings, Only("beams")],
    affect: Annotated[TaggerSettings, Only("tagger")],
    dev: Dev = None,
    test: Test = None,
    format: Format = None,
    map: Map = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Fine-tune a summarizer on the references of a corpus, on one or several training sets, and compare them.

    [bold]dialgauge finetune-summarizer dataset:dialogsum --model facebook/bart-base --sets all -o runs/affect[/]

    Each set has a subfolder of the output folder with checkpoint (load it as folder:PATH) and summaries.jsonl (its
    summaries of the test split). table.md compares ROUGE, BERTScore and PSentScore (Spearman / CCC / MAE of the share
    of affective words in dialogue and summary). Rerun to resume an interrupted run.
    """
    from dialgauge.affect import tagger as make_tagger
    from dialgauge.summarize import finetune_sets

    refuse_file(output)
    splits = _splits(load_corpus(corpus, format, map, strict), dev, test, training.seed)
    training = training.model_copy(update={"reading": reading})
    settings = settings.model_copy(update={"writing": writing})
    _note_missing_splits(splits, training)
    _warn_about_settings(splits, model, training.learning_rate)
    try:
        with progress_bar("fine-tuning") as progress:
            result = finetune_sets(
                splits,
                model,
                output,
                training,
                settings,
                tagger=make_tagger(affect.tagger),
                chosen=lambda made: _note_training_sets(made, splits.train),
                progress=progress,
            )
    except KeyboardInterrupt:
        if output.exists():
            note(f"interrupted: finished epochs and models are saved in {output}; rerun the command to resume")
        raise
    if json:
        print_json(result.as_dict())
    else:
        _print(result, training, settings.role, output)


def _splits(corpus: "Corpus", dev: str | None, test: str | None, seed: int) -> "Splits":
    from dialgauge.summarize import Splits, hold_out, split_corpus

    cut = split_corpus(corpus)
    held_out = None if test is None else load_corpus(test)
    try:
        share = None if dev is None else float(dev)
    except ValueError:
        share = None
    if share is not None:
        train, chosen = hold_out(cut.train, share, seed)
        return Splits(train, chosen, held_out or cut.test)
    return Splits(cut.train, cut.dev if dev is None else load_corpus(dev), held_out or cut.test)


def _note_missing_splits(splits: "Splits", training: FinetuneSettings) -> None:
    if splits.dev is None:
        note(f"no --dev and no dev split: the last of {training.epochs} epochs is kept without validation")
    if splits.test is None:
        note("no --test and no test split: no table is written")


def _warn_about_settings(splits: "Splits", model: str, learning_rate: float) -> None:
    from dialgauge.summarize import is_scratch

    if is_scratch(model) and learning_rate < _SLOW_FROM_SCRATCH:
        note(f"a model from scratch learns little at a learning rate of {learning_rate:g}: try --learning-rate 5e-4")
    known = {dialogue.text for dialogue in splits.train.iter_dialogues()}
    for name, part in (("dev", splits.dev), ("test", splits.test)):
        seen = 0 if part is None else sum(dialogue.text in known for dialogue in part.iter_dialogues())
        if part is not None and seen:
            note(
                f"{name}: {seen:,} of {part.dialogues.height:,} dialogues are also training data; results are too "
                "optimistic"
            )


def _note_training_sets(sets: "Mapping[str, TrainingSet]", train: "Corpus") -> None:
    some = next(iter(sets.values()))
    role = some.pairs[0].role
    absent = train.references.filter(role=role).height - some.out_of
    if absent:
        note(
            f"skipped because the dialogue or the reference is empty: {absent:,} of {absent + some.out_of:,} references"
        )
    same = [name for name, made in sets.items() if name != "full" and len(made.pairs) == made.out_of]
    if same:
        note(
            f"every pair has an affective word in dialogue and reference: {' and '.join(same)} "
            f"{'is' if len(same) == 1 else 'are'} identical to full, and "
            f"{'trains' if len(same) == 1 else 'train'} the same model"
        )


def _print(result: "SetsResult", training: FinetuneSettings, role: str, output: Path) -> None:
    heads = ("set", "pairs", "of all", "cut", "loss", "kept epoch", "seconds")
    rows = [_row(name, trained, result.sets[name].share) for name, trained in result.trained.items()]
    for name, trained in result.trained.items():
        _note_training(name, trained)
    print_table("training", heads, rows, numeric=heads[1:])
    if result.table is not None:
        _print_test(result.table)
    for trained in result.trained.values():
        note(f"wrote {trained.folder}")
    if result.table is not None:
        note(f"wrote {output / 'table.md'} and {output / 'table.json'}")
    name, trained = next(iter(result.trained.items()))
    note(f"use it: dialgauge summarize CORPUS -s {_system(name, trained, training)}{_role_option(role)} -o OUTPUT")


def _system(name: str, trained: "Finetuned", training: FinetuneSettings) -> str:
    """The specification of a system with the input settings of its training, quoted for a shell if needed."""
    import shlex

    from dialgauge.models import load
    from dialgauge.registry import quoted

    given: dict[str, Any] = {"model": trained.model}
    if training.reading.prefix:
        given["prefix"] = training.reading.prefix
    if training.reading.roles != "turns":
        given["roles"] = training.reading.roles
    if training.source_length < load("seq2seq", trained.model, training.device).max_length:
        given["window"] = training.source_length
    return shlex.quote(f"{name}=seq2seq:{','.join(f'{key}={quoted(str(value))}' for key, value in given.items())}")


def _role_option(role: str) -> str:
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


def _note_training(name: str, trained: "Finetuned") -> None:
    if trained.reused:
        note(f"{name}: already trained, skipped")
    elif trained.record.resumed_from:
        note(f"{name}: resumed after epoch {trained.record.resumed_from}")
    if trained.cut_dialogues or trained.cut_references:
        note(
            f"{name}: truncated: {counted(trained.cut_dialogues, 'dialogue')}, "
            f"{counted(trained.cut_references, 'reference')} (see --source-length and --target-length)"
        )


def _print_test(found: "AffectTable") -> None:
    """Print the table as in the paper, or overlap and affect separately if the screen is too narrow."""
    from dialgauge.tables import fits_width

    title = f"test split: {counted(found.dialogues, 'dialogue')}, {counted(found.references, 'reference')}"
    whole = found.table(title)
    parts = [whole]
    if not fits_width(whole, console.width):
        parts = [
            found.overlap_table(f"{title}: overlap with the references"),
            found.affect_table(f"{title}: preserved affect, Spearman / CCC / MAE"),
        ]
    for table in parts:
        show(table)
    for text in found.remarks():
        note(text)
