"""Fine-tuning: any sequence-to-sequence checkpoint, taught on pairs of dialogue and reference."""

import copy
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dialgauge.affect import Tagger
from dialgauge.corpus import Corpus
from dialgauge.errors import InputError
from dialgauge.files import atomic_folder
from dialgauge.models import (
    Model,
    TrainingRecord,
    digest_of,
    load,
    quiet_loading,
    settle,
    train,
)
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes
from dialgauge.summarize._finetune_batches import (
    EncodedPairs,
    batch_loss,
    check_trainable,
    encode_pairs,
    epoch_batches,
)
from dialgauge.summarize._finetune_quality import affect_quality, rouge_quality, written_texts
from dialgauge.summarize._settings import FinetuneSettings
from dialgauge.summarize._training_sets import Pair, TrainingSet, reference_pairs

#: Beside the weights: how they were made.
_CARD = "training.json"


@dataclass(frozen=True, slots=True)
class Finetuned:
    """A fine-tuned summarizer: the folder of its checkpoint, the training record, and what was truncated.

    ``reused`` is true if the folder already had this training, so that nothing had to be done.
    """

    folder: Path
    set: str
    pairs: int
    cut_dialogues: int
    cut_references: int
    record: TrainingRecord
    seconds: float
    reused: bool = False

    @property
    def model(self) -> str:
        """The name under which it is loaded."""
        return f"folder:{self.folder}"

    def as_dict(self) -> dict[str, Any]:
        """For a card or for machines."""
        return {**asdict(self), "folder": str(self.folder), "record": self.record.as_dict()}


@with_bar
@takes(FinetuneSettings)
def finetune(
    model: str,
    training: TrainingSet,
    folder: Path,
    settings: FinetuneSettings | None = None,
    *,
    dev: Corpus | None = None,
    tagger: Tagger | None = None,
    resumable: bool = True,
    writing_tokens: int | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Finetuned:
    """Fine-tune a sequence-to-sequence model on the references of a training set; save it as a checkpoint folder.

    The folder is loaded again as ``folder:PATH``, here and by transformers. With ``dev`` the epoch that is best there
    is kept, without it the last. An interrupted training resumes after its last complete epoch when called again with
    the same arguments; a finished one is not done again. ``resumable=False`` keeps no state on the way, which saves
    time and room on the disk. ``writing_tokens`` bounds the batches in which the model writes for ``dev``.
    """
    settings = settle(FinetuneSettings.chosen(settings, changes, "finetune"))
    if settings.best_by == "psentscore" and dev is not None and tagger is None:
        raise InputError("fine-tuning: best_by 'psentscore' needs a sentiment tagger")
    start = load("seq2seq", model, settings.device)
    check_trainable(start)
    held_out = reference_pairs(dev, training.pairs[0].role, settings.reading) if dev is not None else ()
    identity = _identity(start, training.pairs, held_out, settings, tagger)
    if (done := _finished(folder, identity)) is not None:
        return done
    begun = time.perf_counter()
    learner = replace(start, module=copy.deepcopy(start.module).requires_grad_(True))
    encoded = encode_pairs(learner, training.pairs, settings.source_length, settings.target_length)
    lengths = encoded.lengths
    record = train(
        learner.module,
        lambda epoch: epoch_batches(lengths, settings.batch_tokens, settings.seed, epoch),
        lambda module, batch: batch_loss(module, encoded, batch, settings.label_smoothing),
        settings,
        evaluate=None
        if dev is None
        else _evaluation(learner, dev, held_out, settings, tagger, writing_tokens, named_progress(progress, "dev")),
        # As long as the summaries show no affect that could be compared, all epochs are equally bad.
        ties="later" if settings.best_by == "psentscore" else "earlier",
        folder=_kept(folder) if resumable else None,
        identity=identity,
        progress=progress,
    )
    seconds = round(time.perf_counter() - begun, 1)
    result = Finetuned(folder, training.name, len(encoded), encoded.cut_sources, encoded.cut_targets, record, seconds)
    _save(learner, result, _card(start, training, settings, identity, tagger))
    shutil.rmtree(_kept(folder), ignore_errors=True)
    return result


def named_progress(progress: Progress | None, name: str) -> Progress | None:
    """The same progress, reported under a name."""
    if progress is None:
        return None
    return lambda what, done, total: progress(f"{name}: {what}", done, total)


def _kept(folder: Path) -> Path:
    """Where the state of a running training is kept: beside the folder of its result."""
    return folder.parent / f".{folder.name}.training"


def _evaluation(
    learner: Model,
    dev: Corpus,
    held_out: Sequence[Pair],
    settings: FinetuneSettings,
    tagger: Tagger | None,
    writing_tokens: int | None,
    progress: Progress | None,
) -> Callable[[Any], float]:
    """The validation value of a module after an epoch; lower is better, so the sign of quality measures is flipped."""
    if settings.best_by == "loss":
        encoded = encode_pairs(learner, held_out, settings.source_length, settings.target_length)
        return lambda module: _mean_loss(module, encoded, settings.batch_tokens)

    def evaluate(module: Any) -> float:
        reading = settings.reading.model_copy(update={"window": settings.source_length})
        model = replace(learner, module=module)
        written = written_texts(model, dev, held_out, reading, settings.generation, writing_tokens, progress)
        if settings.best_by == "psentscore":
            assert tagger is not None
            return -affect_quality(dev, written, tagger, held_out[0].role)
        return -rouge_quality(held_out, written)

    return evaluate


def _mean_loss(module: Any, encoded: EncodedPairs, budget: int) -> float:
    """The loss per token over all pairs; unlike the training loss it is not smoothed."""
    total = tokens = 0.0
    for positions in epoch_batches(encoded.lengths, budget, 0, 0):
        count = sum(len(encoded.targets[i]) for i in positions.tolist())
        total += float(batch_loss(module, encoded, positions, 0.0)) * count
        tokens += count
    return total / tokens


def _identity(
    start: Model,
    pairs: Sequence[Pair],
    held_out: Sequence[Pair],
    settings: FinetuneSettings,
    tagger: Tagger | None,
) -> str:
    # The device is not part of the identity: a training may resume on another device.
    named = settings.model_copy(update={"device": "auto"}).as_dict()
    chosen_by = tagger.signature if tagger is not None and settings.best_by == "psentscore" else ""
    texts = (text for pair in (*pairs, *held_out) for text in (pair.source, pair.target))
    return digest_of([start.fingerprint, json.dumps(named, sort_keys=True), chosen_by, str(len(pairs)), *texts])


def _finished(folder: Path, identity: str) -> Finetuned | None:
    """The result of this training if the folder has it; that of another training raises an error."""
    if not folder.exists():
        return None
    try:
        card = json.loads((folder / _CARD).read_text("utf-8"))
        if card["identity"] == identity:
            return _restored(folder, card["result"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InputError(
        f"{folder}: contains something other than this training; choose another folder, or remove this one"
    )


def _restored(folder: Path, result: Mapping[str, Any]) -> Finetuned:
    from dialgauge.models import EpochRecord

    kept = dict(result["record"])
    record = TrainingRecord(**{**kept, "epochs": tuple(EpochRecord(**entry) for entry in kept["epochs"])})
    return Finetuned(**{**result, "folder": folder, "record": record, "reused": True})


def _card(
    start: Model, training: TrainingSet, settings: FinetuneSettings, identity: str, tagger: Tagger | None
) -> dict[str, Any]:
    return {
        "identity": identity,
        "started_from": start.signature,
        "set": {
            "name": training.name,
            "pairs": len(training.pairs),
            "out_of": training.out_of,
            "without_dialogue_affect": training.without_dialogue_affect,
            "without_summary_affect": training.without_summary_affect,
        },
        "tagger": tagger.signature if tagger is not None else None,
        "settings": settings.as_dict(),
    }


def _save(learner: Model, result: Finetuned, card: Mapping[str, Any]) -> None:
    with atomic_folder(result.folder) as temporary, quiet_loading():
        learner.module.save_pretrained(str(temporary))
        learner.tokenizer.save_pretrained(str(temporary))
        document = {**card, "result": result.as_dict()}
        (temporary / _CARD).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
