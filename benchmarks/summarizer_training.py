"""What the choice of training pairs does to the affect of summaries, on DialogSum, with a model trained from scratch.

    python benchmarks/summarizer_training.py --data DIALOGSUM --out runs/summarizers

trains a model of 6 + 6 layers three times from the same random start: on all pairs, on those with an affective word in
dialogue and reference, and on as many drawn at random; writes summaries of the test part with each; and prints the
table of Zhou, Ringeval and Portet (2024, Table 5) as Markdown and JSON. ``--smoke`` does all of it on a few dialogues
in under a minute. A set that is done is not done again. ``--evaluate-only`` reads what an earlier run wrote and makes
the table anew, for a machine with the encoder of BERTScore.

It needs dialgauge, torch, transformers and polars, one GPU for the whole, and no network.
"""

import argparse
import json
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from dialgauge.affect import tagger
from dialgauge.corpus import Corpus, read_dataset
from dialgauge.summarize import (
    SETS,
    FinetuneSettings,
    GenerationSettings,
    SetsSettings,
    Splits,
    affect_table,
    finetune_sets,
    read_summaries,
    save_table,
)

#: How many dialogues of each part ``--smoke`` takes.
_SMOKE = {"train": 48, "dev": 6, "test": 6}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="folder with the files of DialogSum")
    parser.add_argument("--out", required=True, type=Path, help="folder for checkpoints, summaries and the table")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--tagger", default="vader", help="whose words are affective, as in token-dict:folder=DIR")
    parser.add_argument("--model", default="scratch:6+6x512", help="scratch:6+6xWIDTH, or a model to fine-tune")
    parser.add_argument("--vocabulary", type=int, default=12_000)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--batch-tokens", type=int, default=8192)
    parser.add_argument("--source-length", type=int, default=768)
    parser.add_argument("--patience", type=int, default=None, help="stop after so many epochs without a better one")
    parser.add_argument("--best-by", default="loss", choices=("rouge", "psentscore", "loss"))
    parser.add_argument("--beams", type=int, default=4)
    parser.add_argument("--no-repeat", type=int, default=0, help="no run of so many tokens comes twice in a summary")
    parser.add_argument("--writing-tokens", type=int, default=1_000_000, help="tokens of a batch when it writes")
    parser.add_argument("--resumable", action="store_true", help="keep the state of a training after each epoch")
    parser.add_argument("--precision", default="bf16", choices=("fp32", "bf16"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="a few dialogues, a tiny model, one epoch")
    parser.add_argument("--evaluate-only", action="store_true", help="only make the table of what is in --out")
    return parser.parse_args()


def _part(name: str, arguments: argparse.Namespace) -> Corpus:
    corpus = read_dataset(f"dialogsum:{name}", arguments.data)
    if not arguments.smoke:
        return corpus
    return corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(_SMOKE[name]))


def _say(text: str) -> None:
    print(f"[{datetime.now(UTC):%H:%M:%S}] {text}", file=sys.stderr, flush=True)


class _Told:
    """A line on stderr for every epoch that is over, not for every batch."""

    def __init__(self) -> None:
        self.last = ""
        self.begun = time.perf_counter()

    def __call__(self, what: str, done: int, total: int) -> None:
        name = what.partition(",")[0]
        if self.last and name != self.last.partition(",")[0]:
            _say(f"{self.last} ({time.perf_counter() - self.begun:.0f} s)")
        self.last = what


def main() -> None:
    """Run the experiment and print its table."""
    arguments = _arguments()
    if arguments.smoke:
        arguments.model, arguments.vocabulary, arguments.epochs = "scratch:1+1x64", 600, 1
        arguments.batch_tokens = min(arguments.batch_tokens, 4096)
        arguments.writing_tokens = min(arguments.writing_tokens, 8192)
    chosen = tagger(arguments.tagger)
    test = _part("test", arguments)
    if arguments.evaluate_only:
        table = affect_table(test, read_summaries(arguments.out, arguments.sets), chosen)
        save_table(table, arguments.out)
        print(table.to_markdown())
        return
    training = FinetuneSettings(
        epochs=arguments.epochs,
        learning_rate=arguments.learning_rate,
        precision=arguments.precision,
        seed=arguments.seed,
        device=arguments.device,
        patience=arguments.patience,
        batch_tokens=arguments.batch_tokens,
        source_length=arguments.source_length,
        best_by=arguments.best_by,
        generation=GenerationSettings(beams=1, longest=64),
    )
    settings = SetsSettings(
        sets=tuple(arguments.sets),
        writing=GenerationSettings(beams=arguments.beams, no_repeat=arguments.no_repeat),
        vocabulary=arguments.vocabulary,
        writing_tokens=arguments.writing_tokens,
        resumable=arguments.resumable,
    )
    begun = time.perf_counter()
    result = finetune_sets(
        Splits(_part("train", arguments), _part("dev", arguments), test),
        arguments.model,
        arguments.out,
        training,
        settings,
        tagger=chosen,
        progress=_Told(),
    )
    report = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": _machine(),
        "arguments": {name: str(value) for name, value in vars(arguments).items() if name not in ("data", "out")},
        "seconds": round(time.perf_counter() - begun, 1),
        **result.as_dict(),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report))
    for name, trained in result.trained.items():
        last, best = trained.record.epochs[-1], trained.record.epochs[trained.record.best_epoch]
        print(
            f"{name}: {trained.pairs:,} pairs, {len(trained.record.epochs)} epochs in {trained.seconds:.0f} s, writing "
            f"{result.writing_seconds[name]:.0f} s, last loss {last.loss:.3f}, best epoch {best.epoch + 1} "
            f"({best.value}), {trained.cut_dialogues} dialogues cut"
        )
    if result.table is not None:
        print(result.table.to_markdown())


def _machine() -> str:
    import torch

    name = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return f"{name}, torch {torch.__version__}"


if __name__ == "__main__":
    main()
