"""One stage of training an encoder on word labels: from sentences to batches to the shared training loop."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dialgauge.affect._pieces import encode_words
from dialgauge.affect._sst import LabelledSentence
from dialgauge.models import Model, TrainingPlan, TrainingRecord, train
from dialgauge.progress import Progress

_IGNORED = -100
#: Batches are cut from so many shuffled batches' worth of sentences, sorted by length, so that little is padding.
_POOL = 50
_JUDGED = 64


@dataclass(frozen=True, slots=True)
class FittingStage:
    """What a stage learns from, what it is judged by, and how."""

    learn: Sequence[LabelledSentence]
    judge: Sequence[LabelledSentence]
    batch: int
    plan: TrainingPlan


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Pieces of a run of words, with the label of a word at its first piece."""

    input_ids: list[int]
    labels: list[int]


def fit(
    module: Any, base: Model, stage: FittingStage, pieces: int, work: Path, identity: str, progress: Progress | None
) -> TrainingRecord:
    longest = min(pieces, base.max_length)
    runs, held = _encode(base, stage.learn, longest), _encode(base, stage.judge, longest)
    held.sort(key=lambda run: len(run.input_ids))
    fixed = [_batch(held[k : k + _JUDGED], base.pad_id) for k in range(0, len(held), _JUDGED)]

    def batches(epoch: int) -> Sequence[Any]:
        parts = _cut(runs, stage.batch, np.random.default_rng((stage.plan.seed, epoch)))
        return [_batch([runs[i] for i in part], base.pad_id) for part in parts]

    def evaluate(judged: Any) -> float:
        sums = [_loss(judged, batch, "sum") for batch in fixed]
        return float(sum(map(float, sums)) / sum(int((batch[2] != _IGNORED).sum()) for batch in fixed))

    def loss(trained: Any, batch: Any) -> Any:
        return _loss(trained, batch, "mean")

    return train(
        module,
        batches,
        loss,
        stage.plan,
        evaluate=evaluate,
        folder=work,
        identity=f"{identity} {stage.batch}",
        progress=progress,
    )


def _encode(base: Model, sentences: Sequence[LabelledSentence], pieces: int) -> list[_Run]:
    found = []
    for run in encode_words(base.tokenizer, [sentence.words for sentence in sentences], pieces):
        labels = [_IGNORED] * len(run.input_ids)
        for word, position in zip(run.words.tolist(), run.positions.tolist(), strict=True):
            labels[position] = sentences[run.text].labels[word]
        found.append(_Run(run.input_ids, labels))
    return found


def _cut(runs: Sequence[_Run], size: int, random: np.random.Generator) -> list[list[int]]:
    """Batches of similar length in random order."""
    order = random.permutation(len(runs)).tolist()
    parts = []
    for begin in range(0, len(order), size * _POOL):
        pool = sorted(order[begin : begin + size * _POOL], key=lambda i: len(runs[i].input_ids))
        parts += [pool[k : k + size] for k in range(0, len(pool), size)]
    return [parts[i] for i in random.permutation(len(parts)).tolist()]


def _batch(runs: Sequence[_Run], pad_id: int) -> Any:
    import torch

    longest = max(len(run.input_ids) for run in runs)

    def filled(rows: Sequence[Sequence[int]], filler: int, dtype: Any) -> Any:
        return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows], dtype=dtype)

    return (
        filled([run.input_ids for run in runs], pad_id, torch.long),
        filled([[1] * len(run.input_ids) for run in runs], 0, torch.long),
        filled([run.labels for run in runs], _IGNORED, torch.long),
    )


def _loss(module: Any, batch: Any, reduction: str) -> Any:
    """The cross-entropy of the first pieces of words."""
    import torch

    ids, mask, labels = (tensor.to(module.device) for tensor in batch)
    logits = module(input_ids=ids, attention_mask=mask).logits.float()
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=_IGNORED, reduction=reduction
    )
