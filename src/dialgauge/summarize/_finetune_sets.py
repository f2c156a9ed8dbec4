"""Three trainings in one command: full, filtered and sub-sampled, each applied to the test set and compared."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dialgauge.affect import Tagger
from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.files import write_text
from dialgauge.models import load, watching
from dialgauge.progress import Progress
from dialgauge.summarize._finetune import Finetuned, finetune, named_progress
from dialgauge.summarize._finetune_quality import written_texts
from dialgauge.summarize._finetune_table import AffectTable, affect_table
from dialgauge.summarize._scratch import ScratchModel, build_scratch, is_scratch
from dialgauge.summarize._settings import SETS, FinetuneSettings, SetsSettings
from dialgauge.summarize._training_sets import Pair, Splits, TrainingSet, reference_pairs, training_sets

#: What is written below the output folder.
_START, _CHECKPOINT, _OUTPUTS, _TABLE = "start", "checkpoint", "summaries.jsonl", "table"


@dataclass(frozen=True, slots=True)
class SetsResult:
    """What each set became, how it was chosen, and the table where there was a test set."""

    sets: Mapping[str, TrainingSet]
    trained: Mapping[str, Finetuned]
    writing_seconds: Mapping[str, float]
    table: AffectTable | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: counts and times, no texts."""
        return {
            "sets": {
                name: {
                    "pairs": len(made.pairs),
                    "out_of": made.out_of,
                    "without_dialogue_affect": made.without_dialogue_affect,
                    "without_summary_affect": made.without_summary_affect,
                    "writing_seconds": self.writing_seconds.get(name),
                    **self.trained[name].as_dict(),
                }
                for name, made in self.sets.items()
            },
            "table": None if self.table is None else self.table.as_dict(),
        }


def finetune_sets(
    splits: Splits,
    model: str,
    folder: Path,
    training: FinetuneSettings | None = None,
    settings: SetsSettings | None = None,
    *,
    tagger: Tagger | None = None,
    chosen: Callable[[Mapping[str, TrainingSet]], None] | None = None,
    progress: Progress | None = None,
) -> SetsResult:
    """Train ``model`` once for each training set from the same start, and compare the results on the test split.

    ``model`` is a sequence-to-sequence model, or ``scratch:6+6`` for one that is made here, with a tokenizer learnt
    from all pairs, so that every set starts alike. Below ``folder`` each set has a folder with its ``checkpoint`` and
    what it wrote for the test split (``summaries.jsonl``); ``table.json`` and ``table.md`` compare them. A training
    that is there already from a run with the same settings is not done again; the summaries are written again.
    ``chosen`` is called with the sets once they are made, before hours are spent on them.
    """
    training, settings = training or FinetuneSettings(), settings or SetsSettings()
    sets = training_sets(
        splits.train, settings.sets, tagger, role=settings.role, reading=training.reading, seed=training.seed
    )
    if splits.test is not None:
        if tagger is None:
            raise InputError("the table of the test split needs a sentiment tagger")
        reference_pairs(splits.test, settings.role)
    if chosen is not None:
        chosen(dict(sets.items()))
    start = _start(model, splits.train, folder, training, settings)
    trained: dict[str, Finetuned] = {}
    outputs: dict[str, dict[str, str]] = {}
    seconds: dict[str, float] = {}
    for name, made in sets.items():
        place = folder / name
        trained[name] = finetune(
            start,
            made,
            place / _CHECKPOINT,
            training,
            dev=splits.dev,
            tagger=tagger,
            resumable=settings.resumable,
            writing_tokens=settings.writing_tokens,
            progress=named_progress(progress, name),
        )
        if splits.test is not None:
            begun = time.perf_counter()
            outputs[name] = write_summaries(
                trained[name],
                splits.test,
                settings,
                place / _OUTPUTS,
                training,
                named_progress(progress, f"{name}: test"),
            )
            seconds[name] = round(time.perf_counter() - begun, 1)
    table = None
    if splits.test is not None and tagger is not None:
        told = named_progress(progress, "table")
        with watching(None if told is None else lambda done, of: told("comparing texts", done, of)):
            table = affect_table(splits.test, outputs, tagger, bertscore=settings.bertscore, role=settings.role)
        save_table(table, folder)
    return SetsResult(dict(sets.items()), trained, seconds, table)


def save_table(table: AffectTable, folder: Path) -> None:
    """Write the table for machines and for people."""
    document = json.dumps(table.as_dict(), ensure_ascii=False, indent=2, allow_nan=False)
    write_text(folder / f"{_TABLE}.json", document + "\n")
    write_text(folder / f"{_TABLE}.md", table.to_markdown())


def write_summaries(
    trained: Finetuned,
    test: Corpus,
    settings: SetsSettings,
    path: Path,
    training: FinetuneSettings,
    progress: Progress | None = None,
) -> dict[str, str]:
    """Summarize the test split with a trained model; the texts by dialogue, and as JSON lines in ``path``."""
    model = load("seq2seq", trained.model, training.device)
    pairs = reference_pairs(test, settings.role, training.reading)
    reading = training.reading.model_copy(update={"window": training.source_length})
    texts = written_texts(model, test, pairs, reading, settings.writing, settings.writing_tokens, progress)
    rows = [
        {"dialogue_id": dialogue_id, "system": trained.set, "role": settings.role, "summary": text}
        for dialogue_id, text in texts.items()
    ]
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return texts


def read_summaries(folder: Path, names: Iterable[str] = SETS) -> dict[str, dict[str, str]]:
    """What :func:`finetune_sets` wrote for the test split, by set and dialogue."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        path = folder / name / _OUTPUTS
        if path.is_file():
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            found[name] = {row["dialogue_id"]: row["summary"] for row in rows}
    if not found:
        raise InputError(f"{folder}: it has no {_OUTPUTS} of any of the sets {', '.join(names)}")
    return found


def _start(model: str, corpus: Corpus, folder: Path, training: FinetuneSettings, settings: SetsSettings) -> str:
    if not is_scratch(model):
        return model
    shape = ScratchModel.parse(model, settings.vocabulary, settings.window)
    texts = _texts(reference_pairs(corpus, settings.role, training.reading))
    return f"folder:{build_scratch(shape, texts, folder / _START, training.seed)}"


def _texts(pairs: Sequence[Pair]) -> list[str]:
    return [*dict.fromkeys(pair.source for pair in pairs), *(pair.target for pair in pairs)]
