"""Attention of summaries side by side after their dialogue, piece by piece.

A mask over the whole sequence makes a processor compute what it then hides: every summary with every other. Here the
dialogue attends to itself, and each summary to the dialogue and itself. A card is faster with the mask.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

ATTENTION = "dialgauge-branches"


def use_branches(module: Any) -> None:
    """Make a model attend piece by piece; its ``trees`` then come with every call."""
    from transformers import AttentionInterface

    AttentionInterface.register(ATTENTION, _attend)
    module.set_attn_implementation(ATTENTION)


def _attend(
    module: Any,
    query: "torch.Tensor",
    key: "torch.Tensor",
    value: "torch.Tensor",
    attention_mask: "torch.Tensor | None",
    scaling: float,
    trees: list[list[tuple[int, int]]],
    **_: Any,
) -> "tuple[torch.Tensor, None]":
    """The new states of all tokens: heads × tokens in, tokens × heads out, as the model's layers expect."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    groups = query.shape[1] // key.shape[1]
    key, value = (some.repeat_interleave(groups, dim=1) for some in (key, value))
    found = []
    for (start, end), *branches in trees:
        before_key, before_value = key[:, :, start:end], value[:, :, start:end]
        found.append(
            scaled_dot_product_attention(
                query[:, :, start:end], before_key, before_value, is_causal=True, scale=scaling
            )
        )
        for first, last in branches:
            own = torch.ones(last - first, last - first, dtype=torch.bool, device=query.device).tril_()
            seen = torch.cat([own.new_ones(last - first, end - start), own], dim=1)
            found.append(
                scaled_dot_product_attention(
                    query[:, :, first:last],
                    torch.cat([before_key, key[:, :, first:last]], dim=2),
                    torch.cat([before_value, value[:, :, first:last]], dim=2),
                    attn_mask=seen,
                    scale=scaling,
                )
            )
    return torch.cat(found, dim=2).transpose(1, 2).contiguous(), None
