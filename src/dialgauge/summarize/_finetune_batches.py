"""Pairs of texts as numbers: tokenised once, batched by a budget of tokens, and the loss of a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ModelError
from dialgauge.models import Model, batches
from dialgauge.summarize._training_sets import Pair

#: What the loss passes over.
_IGNORED = -100
#: Pairs within this percentage count as equally long, so that no two epochs have the same batches.
_JITTER = 0.1

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """Dialogues and references as token ids, cut to what the model reads and writes, and how many had to be cut."""

    sources: tuple[Ids, ...]
    targets: tuple[Ids, ...]
    cut_sources: int
    cut_targets: int
    pad_id: int

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each pair, both sides."""
        sides = zip(self.sources, self.targets, strict=True)
        return np.array([len(source) + len(target) for source, target in sides], dtype=np.int64)


def encode_pairs(model: Model, pairs: Sequence[Pair], source_length: int, target_length: int) -> EncodedPairs:
    """Tokenise every pair once.

    A dialogue of more than ``source_length`` tokens (or more than the model can read) is cut at its end, and counted;
    so is a reference of more than ``target_length``.
    """
    most = min(source_length, model.max_length)
    sources, cut_sources = _encode(model, [pair.source for pair in pairs], most, target=False)
    targets, cut_targets = _encode(
        model, [pair.target for pair in pairs], min(target_length, model.max_length), target=True
    )
    return EncodedPairs(sources, targets, cut_sources, cut_targets, model.pad_id)


def _encode(model: Model, texts: Sequence[str], most: int, *, target: bool) -> tuple[tuple[Ids, ...], int]:
    name = "text_target" if target else "text"
    ids = model.tokenizer(**{name: list(texts)}, verbose=False)["input_ids"]
    long = [i for i, row in enumerate(ids) if len(row) > most]
    if long:
        short = model.tokenizer(**{name: [texts[i] for i in long]}, truncation=True, max_length=most)["input_ids"]
        for i, row in zip(long, short, strict=True):
            ids[i] = row
    return tuple(np.array(row, dtype=np.int64) for row in ids), len(long)


def epoch_batches(lengths: NDArray[np.int64], budget: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """Positions of pairs, batch by batch: of similar length, within the budget, in another order every epoch."""
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    # The longest of similar ones may come anywhere among them: they are rounded up, never down, to keep the budget.
    rough = np.ceil(lengths[order] * random.uniform(1, 1 + _JITTER, len(lengths))).astype(np.int64)
    made = [order[positions] for positions in batches(rough, budget)]
    return [made[i] for i in random.permutation(len(made))]


def padded(rows: Sequence[Ids], filler: int) -> NDArray[np.int64]:
    """Rows of unequal length as one array."""
    whole = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int64)
    for i, row in enumerate(rows):
        whole[i, : len(row)] = row
    return whole


def batch_loss(module: Any, encoded: EncodedPairs, positions: NDArray[np.int64], smoothing: float) -> Any:
    """The cross-entropy of the references, token by token, with smoothed labels."""
    import torch

    chosen = positions.tolist()
    sources = [encoded.sources[i] for i in chosen]
    ids = _sent(padded(sources, encoded.pad_id), module.device)
    sizes = _sent(np.array([len(row) for row in sources]), module.device)
    mask = (torch.arange(ids.shape[1], device=module.device) < sizes[:, None]).long()
    labels = _sent(padded([encoded.targets[i] for i in chosen], _IGNORED), module.device)
    starts = module.prepare_decoder_input_ids_from_labels(labels=labels)
    logits = module(input_ids=ids, attention_mask=mask, decoder_input_ids=starts, use_cache=False).logits
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=_IGNORED, label_smoothing=smoothing
    )


def _sent(values: NDArray[np.int64], device: Any) -> Any:
    """The values where the module is. From pinned memory a card takes them without waiting for its work to end."""
    import torch

    made = torch.from_numpy(values)
    return made.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else made.to(device)


def check_trainable(model: Model) -> None:
    """Reject a model that cannot be trained on pairs of texts."""
    if not hasattr(model.module, "prepare_decoder_input_ids_from_labels"):
        raise ModelError(
            f"model '{model.ref}' ({model.config.model_type}) cannot be trained on summaries: its configuration does "
            "not say "
            "how its decoder starts; use a model such as BART, T5, Pegasus or LED"
        )
