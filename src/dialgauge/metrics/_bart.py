"""Log-probabilities of target texts under a BART model, with every source encoded once for all its targets.

The published program feeds each (source, target) pair through the whole model, padded. Here the tokens of all targets
of a batch are in one array without padding (``models._packed``); only attention separates them by target (among
themselves) and by source (to the encoder's states, whose keys and values are computed once per source).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dialgauge.errors import ModelError
from dialgauge.metrics._likelihood import chances_of
from dialgauge.models import Model, ModelRef, PackedBart, Spans, default_budget, run_batched, to_device

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class SourceTargets:
    """The tokens of a source and of the targets to be scored given that source."""

    source: list[int]
    targets: list[list[int]]


def check_bart(ref: ModelRef, model_type: str | None) -> None:
    """Reject other architectures."""
    if model_type != "bart":
        raise ModelError(f"model '{ref}' is of type {model_type!r}; BARTScore needs a model of type 'bart'")


def mean_log_likelihoods(model: Model, groups: Sequence[SourceTargets]) -> list[list[float]]:
    """For each target of each group the mean log-probability of its tokens, special tokens included."""
    check_bart(model.ref, model.config.model_type)
    budget = default_budget(model.device)
    parts, owners = _parts(groups, budget)
    lengths = [max(len(part.source), sum(map(len, part.targets))) for part in parts]
    packed = PackedBart(model)
    results = run_batched(parts, lengths, lambda batch: _score(model, packed, batch), budget)
    found: list[list[float]] = [[] for _ in groups]
    for owner, values in zip(owners, results, strict=True):
        found[owner] += values
    return found


def _parts(groups: Sequence[SourceTargets], budget: int) -> tuple[list[SourceTargets], list[int]]:
    """Split groups with more targets than fit into a batch; also return the group of each part."""
    parts: list[SourceTargets] = []
    owners: list[int] = []
    for owner, group in enumerate(groups):
        some: list[list[int]] = []
        for target in group.targets:
            if some and sum(map(len, some)) + len(target) > budget:
                parts.append(SourceTargets(group.source, some))
                owners.append(owner)
                some = []
            some.append(target)
        parts.append(SourceTargets(group.source, some))
        owners.append(owner)
    return parts, owners


def _score(model: Model, packed: PackedBart, batch: list[SourceTargets]) -> list[list[float]]:
    device = model.device
    sources = Spans([len(part.source) for part in batch], device)
    states = packed.encode(_flat((part.source for part in batch), device), sources)
    targets = [target for part in batch for target in part.targets]
    by_target = Spans([len(target) for target in targets], device)
    by_source = Spans([sum(map(len, part.targets)) for part in batch], device)
    start = int(model.config.decoder_start_token_id)
    read = _flat(((start, *target[:-1]) for target in targets), device)
    hidden = packed.decode(read, by_target, by_source, states, sources).states
    head, bias = model.module.get_output_embeddings(), model.module.final_logits_bias
    split = model.dtype == "bf16x3"
    chances = chances_of(_flat(targets, device), hidden, head.weight, bias[0], split=split).cpu().numpy()
    ends = np.cumsum(by_target.lengths)
    means = iter([float(some.mean()) for some in np.split(chances.astype(np.float64), ends[:-1])])
    return [[next(means) for _ in part.targets] for part in batch]


def _flat(rows: Iterable[Sequence[int]], device: str) -> "torch.Tensor":
    """All tokens of all rows, one after the other."""
    return to_device(np.fromiter((token for row in rows for token in row), dtype=np.int64), device)
