"""Log-probabilities of target texts under a BART model, with every source encoded once for all its targets.

The published program feeds each (source, target) pair through the whole model, padded. Here the tokens of all targets
of a batch are in one array without padding; only attention separates them by target (among themselves) and by source
(to the encoder's states, whose keys and values are computed once per source).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ModelError
from dialgauge.metrics._encoding import padded
from dialgauge.metrics._likelihood import chances_of
from dialgauge.models import Model, ModelRef, default_budget, run_batched

if TYPE_CHECKING:
    import torch

IdArray = NDArray[np.int64]


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
    results = run_batched(parts, lengths, lambda batch: _score(model, batch), budget)
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


class _Layout:
    """The row and column of each token of a flat array in a padded one."""

    def __init__(self, lengths: Sequence[int], device: str) -> None:
        import torch

        counts = np.array(lengths, dtype=np.int64)
        starts = np.cumsum(counts) - counts
        rows = np.repeat(np.arange(len(counts)), counts)
        columns = np.arange(int(counts.sum())) - np.repeat(starts, counts)
        self.shape = len(counts), int(counts.max())
        self.columns = torch.from_numpy(columns).to(device)
        self._cells = torch.from_numpy(rows * self.shape[1] + columns).to(device)

    def spread(self, flat: "torch.Tensor", heads: int) -> "torch.Tensor":
        """Tokens × width to rows × heads × columns × width of a head."""
        grid = flat.new_zeros(self.shape[0] * self.shape[1], flat.shape[1])
        grid[self._cells] = flat
        return grid.view(*self.shape, heads, -1).transpose(1, 2)

    def collect(self, grid: "torch.Tensor") -> "torch.Tensor":
        """The inverse of :meth:`spread`."""
        return grid.transpose(1, 2).reshape(self.shape[0] * self.shape[1], -1)[self._cells]


def _score(model: Model, batch: list[SourceTargets]) -> list[list[float]]:
    import torch

    ids, mask = padded(model, [part.source for part in batch])
    states = model.module.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
    targets = [target for part in batch for target in part.targets]
    by_target = _Layout([len(target) for target in targets], model.device)
    by_source = _Layout([sum(map(len, part.targets)) for part in batch], model.device)
    start = int(model.config.decoder_start_token_id)
    read = torch.tensor([token for target in targets for token in (start, *target[:-1])], device=model.device)
    written = torch.tensor([token for target in targets for token in target], device=model.device)
    hidden = _decode(model.module.get_decoder(), read, states, mask, by_target, by_source)
    head, bias = model.module.get_output_embeddings(), model.module.final_logits_bias
    chances = chances_of(written, hidden, head.weight, bias[0]).cpu().numpy().astype(np.float64)
    ends = np.cumsum([len(target) for target in targets])
    means = iter([float(some.mean()) for some in np.split(chances, ends[:-1])])
    return [[next(means) for _ in part.targets] for part in batch]


def _decode(
    decoder: Any,
    read: "torch.Tensor",
    states: "torch.Tensor",
    mask: "torch.Tensor",
    by_target: _Layout,
    by_source: _Layout,
) -> "torch.Tensor":
    """The decoder's last states of all target tokens, flat."""
    from torch.nn.functional import scaled_dot_product_attention as attend

    positions = decoder.embed_positions.weight[by_target.columns + decoder.embed_positions.offset]
    x: torch.Tensor = decoder.layernorm_embedding(decoder.embed_tokens(read) + positions)
    seen = mask.bool()[:, None, None, :]
    for layer in decoder.layers:
        own = layer.self_attn
        heads = own.num_heads
        query, key, value = (by_target.spread(project(x), heads) for project in (own.q_proj, own.k_proj, own.v_proj))
        # Only padding follows the end of a target, so the causal mask is enough.
        mixed = attend(query, key, value, is_causal=True)
        x = layer.self_attn_layer_norm(x + own.out_proj(by_target.collect(mixed)))
        cross = layer.encoder_attn
        keys, values = (
            project(states).view(*states.shape[:2], heads, -1).transpose(1, 2)
            for project in (cross.k_proj, cross.v_proj)
        )
        mixed = attend(by_source.spread(cross.q_proj(x), heads), keys, values, attn_mask=seen)
        x = layer.encoder_attn_layer_norm(x + cross.out_proj(by_source.collect(mixed)))
        x = layer.final_layer_norm(x + layer.fc2(layer.activation_fn(layer.fc1(x))))
    return x
