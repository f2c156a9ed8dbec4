"""``dialgauge affect train`` and ``affect evaluate``: train and evaluate sentiment taggers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dialgauge.affect import TaggerTraining
from dialgauge.cli._corpus_input import given_by, load_corpus
from dialgauge.cli._options import output_option, refuse_file
from dialgauge.cli._output import Json, console, print_json, print_table, progress_bar
from dialgauge.cli._settings import with_options
from dialgauge.tables import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dialgauge.affect import LabelledSentence, Skill, TrainedTaggers

Data = Annotated[
    Path,
    typer.Option(
        "--data", help="Folder with train, dev and test: SST3 lines (.jsonl) or trees (.txt).", show_default=False
    ),
]
Output = Annotated[Path, output_option("Folder to write the taggers to.", show_default=False)]
_ADAPT = "Adaptation (DS-SST3)"
Adapt = Annotated[
    str | None,
    typer.Option("--adapt", help="Corpus whose dialogues are used for a first training stage.", rich_help_panel=_ADAPT),
]
AdaptTagger = Annotated[
    str | None,
    typer.Option(
        "--adapt-tagger",
        help="Tagger that labels these dialogues (default: vader; with --as-paper token-dict, whose lexicon is "
        "downloaded).",
        rich_help_panel=_ADAPT,
    ),
]
AdaptDialogues = Annotated[
    int | None,
    typer.Option("--adapt-dialogues", min=1, help="Use only the first N dialogues.", rich_help_panel=_ADAPT),
]


def add_to(app: typer.Typer) -> None:
    """Register the commands with the group ``affect``."""
    app.command("train")(train)
    app.command("evaluate")(evaluate)


@with_options
def train(
    data: Data,
    output: Output,
    settings: TaggerTraining,
    adapt: Adapt = None,
    adapt_tagger: AdaptTagger = None,
    adapt_dialogues: AdaptDialogues = None,
    json: Json = False,
) -> None:
    """Train an encoder to find the affective words of a text, from labelled words such as SST3.

    [bold]dialgauge affect train --data sst3 --seed 0 --seed 1 --seed 2 -o taggers[/]

    Writes three taggers: FOLDER/lookup (a table of the training words), FOLDER/sst3 (the encoder; ds-sst3 after an
    adaptation) and FOLDER/combined (the table, and for unknown words a small network that uses spelling,
    lexicon and embeddings). Rerun the same command to resume an interrupted training.
    """
    from dialgauge.affect import read_treebank, train_tagger

    refuse_file(output)
    with given_by("--data"):
        treebank = read_treebank(data)
    lexicon = adapt_tagger or ("token-dict" if settings.as_paper else "vader")
    tagged = _tagged(adapt, lexicon, adapt_dialogues) if adapt else []
    with progress_bar("training") as progress:
        trained = train_tagger(treebank, output, settings, adapt=tagged, progress=progress)
    if json:
        print_json(_trained_as_json(trained))
    else:
        _print_trained(trained)


def evaluate(
    taggers: Annotated[list[str], typer.Argument(help="Taggers: vader, token-dict, sst3:FOLDER …", show_default=False)],
    sst3: Annotated[Path, typer.Option("--sst3", help="Folder with train, dev and test of SST3.", show_default=False)],
    json: Json = False,
) -> None:
    """Evaluate taggers on the test part of SST3, compared with a look-up table of its training words.

    [bold]dialgauge affect evaluate vader sst3:taggers/sst3 combined:taggers/combined --sst3 sst3[/]

    Because no word of SST3 has two labels, a table scores well without any context. The benefit of context shows on
    words that are not in the training part, under negation, and in the agreement with the labels of sentences.
    """
    from dialgauge.affect import compare_skill, read_treebank, tagger

    with given_by("--sst3"):
        treebank = read_treebank(sst3)
    chosen = [tagger(spec) for spec in taggers]
    with progress_bar("tagging") as progress:
        found = compare_skill(chosen, treebank, progress)
    named = list(zip(["lookup (training words)", *taggers], found, strict=True))
    if json:
        rows = [
            {"tagger": name, **{k: v for k, v in skill.as_dict().items() if k != "tagger"}} for name, skill in named
        ]
        print_json({"taggers": rows})
    else:
        _print_skill(named)


def _tagged(source: str, spec: str, most: int | None) -> "list[LabelledSentence]":
    from itertools import islice

    from dialgauge.affect import tagged_sentences

    with given_by("--adapt"):
        corpus = load_corpus(source)
    return tagged_sentences(islice(corpus.iter_dialogues(), most), spec)


def _trained_as_json(trained: "TrainedTaggers") -> dict[str, Any]:
    def spread(which: Any) -> dict[str, Any]:
        return {name: {"mean": mean, "sd": sd} for name, (mean, sd) in trained.spread(which).items()}

    return {
        "folder": str(trained.folder),
        "taggers": ["lookup", *([trained.name] if trained.name else []), "combined"],
        "lookup": trained.lookup.as_dict(),
        **({trained.name: spread("test")} if trained.name else {}),
        "combined": spread("combined_test"),
        "seeds": [result.as_dict() for result in trained.seeds],
    }


def _print_trained(trained: "TrainedTaggers") -> None:
    heads = ("accuracy", "precision", "recall", "f1")
    rows = [("lookup", *(number(getattr(trained.lookup, name), scale=100) for name in heads))]
    named = [("combined", trained.spread("combined_test"))]
    if trained.name:
        named.insert(0, (trained.name, trained.spread("test")))
    rows += [(name, *(_with_deviation(*spread[head]) for head in heads)) for name, spread in named]
    count = len(trained.seeds)
    title = f"test part, in % ({'one seed' if count == 1 else f'mean ± sd of {count} seeds'}; macro averages)"
    print_table(title, ("tagger", *heads), rows, numeric=heads)
    for name, _ in named:
        kind = "combined" if name == "combined" else "sst3"
        console.print(f"{kind}:{trained.folder / name}", style="dim", markup=False, highlight=False, soft_wrap=True)


def _with_deviation(mean: float, deviation: float | None) -> str:
    return number(mean, scale=100) + ("" if deviation is None else f" ± {number(deviation, scale=100)}")


def _print_skill(named: "Sequence[tuple[str, Skill]]") -> None:
    heads = ("acc", "P", "R", "F1", "new acc", "new F1", "roots", "roots neg", "negation")
    rows = []
    for name, skill in named:
        words, new = skill.words, skill.unseen
        shares = (words.accuracy, words.precision, words.recall, words.f1)
        new_shares = (None, None) if new is None else (new.accuracy, new.f1)
        rows.append(
            (
                name,
                *(number(share, scale=100) for share in (*shares, *new_shares)),
                *(number(value, 3) for value in (skill.sentences, skill.negated_sentences)),
                number(skill.negation, 1, scale=100),
            )
        )
    print_table("test part of SST3", ("tagger", *heads), rows, numeric=heads, compact=False)
    first = named[0][1]
    console.print(
        f"acc, P, R, F1: all {first.words.words:,} words, in % (P, R, F1 macro). new: the "
        f"{0 if first.unseen is None else first.unseen.words:,} words that are not in the training part.\n"
        "roots: Spearman of (positive − negative) / words with the labels of sentences; roots neg: of the "
        f"{first.negated_count} with a negated polar word.\n"
        "negation: % of polar words of 'It is W.' whose label changes after not, never, hardly or n't (our phrases).",
        style="dim",
        markup=False,
        highlight=False,
    )
