"""One vector per text: the mean of an encoder's states over all its tokens, however long the text is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dialgauge.learn._finetune_measures import FloatArray
from dialgauge.metrics import padded, readable, special_ids
from dialgauge.models import Model, default_budget, run_batched

if TYPE_CHECKING:
    import torch


def token_windows(model: Model, text: str) -> list[list[int]]:
    """The tokens of a text in windows of the encoder's maximum length, each between special tokens."""
    before, after = special_ids(model.tokenizer)
    tokens = model.tokenizer(readable(text), add_special_tokens=False, verbose=False)["input_ids"]
    room = model.max_length - len(before) - len(after)
    return [[*before, *tokens[i : i + room], *after] for i in range(0, max(1, len(tokens)), room)]


def encode_texts(model: Model, texts: Iterable[str]) -> dict[str, FloatArray]:
    """The vector of each distinct text, without gradients, in batches of similar length."""
    wanted = list(dict.fromkeys(texts))
    windows = [token_windows(model, text) for text in wanted]
    rows = [row for several in windows for row in several]

    def call(batch: list[list[int]]) -> list[FloatArray]:
        return list(_sums(model, batch).double().cpu().numpy())

    sums = iter(run_batched(rows, [len(row) for row in rows], call, default_budget(model.device)))
    return {
        text: np.sum([next(sums) for _ in several], axis=0) / sum(map(len, several))
        for text, several in zip(wanted, windows, strict=True)
    }


def pooled(model: Model, windows: Sequence[list[list[int]]]) -> "list[torch.Tensor]":
    """The same vectors in one batch, with gradients."""
    sums = iter(_sums(model, [row for several in windows for row in several]))
    return [sum([next(sums) for _ in several], start=0.0) / sum(map(len, several)) for several in windows]  # type: ignore[misc]


def _sums(model: Model, rows: list[list[int]]) -> "torch.Tensor":
    ids, mask = padded(model, rows)
    states = model.module(input_ids=ids, attention_mask=mask).last_hidden_state.float()
    total: torch.Tensor = (states * mask[:, :, None]).sum(1)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """Mean and standard deviation of each number that a head reads, over the summaries it was trained on."""

    centre: "torch.Tensor"
    spread: "torch.Tensor"

    def apply(self, features: "torch.Tensor") -> "torch.Tensor":
        """The features, standardised."""
        return (features - self.centre.to(features.device)) / self.spread.to(features.device)

    def tensors(self) -> "dict[str, torch.Tensor]":
        """For the file of the head."""
        return {"feature_centre": self.centre.contiguous(), "feature_spread": self.spread.contiguous()}

    @classmethod
    def taken(cls, tensors: "dict[str, torch.Tensor]") -> "Standard":
        """From the file of the head; what is left are the weights."""
        return cls(tensors.pop("feature_centre"), tensors.pop("feature_spread"))


def combined(
    summary: "torch.Tensor", source: "torch.Tensor", reference: "torch.Tensor | None" = None
) -> "torch.Tensor":
    """[s; r; c; |s − r|; s ∘ r; |s − c|; s ∘ c] of unit vectors, row by row.

    Without a reference the parts that have s and c only.
    """
    import torch
    from torch.nn.functional import normalize

    s, c = normalize(summary), normalize(source)
    if reference is None:
        return torch.cat([s, c, (s - c).abs(), s * c], dim=1)
    r = normalize(reference)
    return torch.cat([s, r, c, (s - r).abs(), s * r, (s - c).abs(), s * c], dim=1)
