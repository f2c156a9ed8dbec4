"""The layers of a language model as a processor runs them fastest, for summaries side by side after their dialogue.

A mask over the whole sequence makes a processor compute what it then hides: every summary with every other. Here the
dialogue attends to itself, and each summary to the dialogue and itself, with all queries that share keys in one
product. A card is faster with the mask.
"""

from typing import TYPE_CHECKING, Any

from dialgauge.checker._layout import Packed

if TYPE_CHECKING:
    import torch


def runs_by_itself(module: Any) -> bool:
    """Whether these layers are those of a Llama, the only ones that :func:`last_states` computes."""
    config = module.config
    plain = not (getattr(config, "attention_bias", False) or getattr(config, "mlp_bias", False))
    return plain and config.model_type == "llama" and config.hidden_act == "silu"


def last_states(module: Any, packed: Packed) -> "torch.Tensor":
    """The last states of a sequence, as ``module.model`` computes them."""
    import torch
    from torch.nn.functional import linear, rms_norm, silu

    model, config = module.model, module.config
    x = model.embed_tokens.weight[torch.tensor(packed.tokens)]
    tokens, width = x.shape
    cos, sin = (some[0] for some in model.rotary_emb(x[None], torch.tensor([packed.positions])))
    trees = packed.bounds()

    def normed(states: "torch.Tensor", norm: Any) -> "torch.Tensor":
        return rms_norm(states, (width,), norm.weight, config.rms_norm_eps)

    def heads(states: "torch.Tensor", weight: "torch.Tensor") -> "torch.Tensor":
        return linear(states, weight).view(tokens, -1, cos.shape[-1]).transpose(0, 1)

    for layer in model.layers:
        own, mlp = layer.self_attn, layer.mlp
        read = normed(x, layer.input_layernorm)
        query, key, value = (heads(read, one.weight) for one in (own.q_proj, own.k_proj, own.v_proj))
        query, key = _turned(query, cos, sin), _turned(key, cos, sin)
        seen = _attended(query * own.scaling, key, value, trees)
        x = x + linear(seen.transpose(0, 1).reshape(tokens, -1), own.o_proj.weight)
        read = normed(x, layer.post_attention_layernorm)
        gate = silu(linear(read, mlp.gate_proj.weight), inplace=True).mul_(linear(read, mlp.up_proj.weight))
        x = x + linear(gate, mlp.down_proj.weight)
    return normed(x, model.norm)


def _turned(states: "torch.Tensor", cos: "torch.Tensor", sin: "torch.Tensor") -> "torch.Tensor":
    """Queries or keys (heads × tokens × width) turned by their positions."""
    import torch

    first, second = states.chunk(2, dim=-1)
    return states * cos + torch.cat([-second, first], dim=-1) * sin


def _attended(
    query: "torch.Tensor", key: "torch.Tensor", value: "torch.Tensor", trees: list[list[tuple[int, int]]]
) -> "torch.Tensor":
    """What each token takes from those it sees: heads × tokens × width."""
    import torch

    shared, width = key.shape[0], query.shape[-1]
    query = query.reshape(shared, -1, *query.shape[1:])
    found = torch.empty_like(query)
    longest = max(end - start for tree in trees for start, end in tree)
    later = torch.full((longest, longest), float("-inf"), dtype=query.dtype).triu_(1)
    for context, *branches in trees:
        for start, end in (context, *branches):
            size = end - start
            pieces = [slice(*context)] if (start, end) == context else [slice(*context), slice(start, end)]
            keys, values = (torch.cat([some[:, piece] for piece in pieces], dim=1) for some in (key, value))
            scores = torch.bmm(query[:, :, start:end].reshape(shared, -1, width), keys.transpose(1, 2))
            scores.view(shared, -1, size, keys.shape[1])[..., -size:] += later[:size, :size]
            taken = torch.bmm(torch.softmax(scores, dim=-1), values)
            found[:, :, start:end] = taken.view(shared, -1, size, width)
    return found.flatten(0, 1)
