"""The layers of a language model as a processor runs them fastest, for summaries side by side after their dialogue.

A mask over the whole sequence makes a processor compute what it then hides: every summary with every other. Here the
dialogue attends to itself, piece by piece, and each summary to the dialogue and itself, with all queries that share
keys in one product. In bf16 the matrices are packed once, and what follows a product (a residual, a gate) is added to
it before it is rounded. A card is faster with the mask. :func:`learning_states` does the same for layers that learn.
"""

from typing import TYPE_CHECKING, Any

from dialgauge.checker._layout import Packed

if TYPE_CHECKING:
    import torch

#: Matrices are packed for about this many tokens; any number gives the same values.
_USUAL_TOKENS = 1024
#: So many tokens of a dialogue attend at a time: what comes later need not be computed.
_PIECE = 128


def runs_by_itself(module: Any) -> bool:
    """Whether these layers are those of a Llama, the only ones that :class:`Layers` computes."""
    config = module.config
    plain = not (getattr(config, "attention_bias", False) or getattr(config, "mlp_bias", False))
    return plain and config.model_type == "llama" and config.hidden_act == "silu"


class Layers:
    """The layers of a Llama whose weights stay as they are."""

    def __init__(self, module: Any) -> None:
        import torch

        self._model, self._config = module.model, module.config
        self._layers = []
        for layer in module.model.layers:
            own, mlp = layer.self_attn, layer.mlp
            turned = torch.cat([own.q_proj.weight * own.scaling, own.k_proj.weight])
            matrices = (turned, *(one.weight for one in (own.v_proj, own.o_proj)))
            matrices += tuple(one.weight for one in (mlp.gate_proj, mlp.up_proj, mlp.down_proj))
            norms = (layer.input_layernorm.weight, layer.post_attention_layernorm.weight)
            self._layers.append((norms, tuple(_Matrix(one.detach()) for one in matrices)))

    def last_states(self, packed: Packed) -> "torch.Tensor":
        """The last states of a sequence, as the model's own code computes them."""
        import torch
        from torch.nn.functional import rms_norm

        config = self._config
        x = self._model.embed_tokens.weight[torch.tensor(packed.tokens)]
        tokens, width = x.shape
        cos, sin = (some[0] for some in self._model.rotary_emb(x[None], torch.tensor([packed.positions])))
        trees = packed.bounds()

        def normed(states: "torch.Tensor", weight: "torch.Tensor") -> "torch.Tensor":
            return rms_norm(states, (width,), weight, config.rms_norm_eps)

        def heads(states: "torch.Tensor") -> "torch.Tensor":
            return states.view(tokens, -1, cos.shape[-1]).transpose(0, 1)

        for (first, second), (query_key, value, out, gate, up, down) in self._layers:
            read = normed(x, first)
            turned = _turned(heads(query_key(read)), cos, sin)
            query, key = turned[: config.num_attention_heads], turned[config.num_attention_heads :]
            seen = _attended(query, key, heads(value(read)), trees)
            x = out.plus(seen.transpose(0, 1).reshape(tokens, -1), x)
            read = normed(x, second)
            x = down.plus(up.times(read, gate.swish(read)), x)
        return normed(x, self._model.norm.weight)


def learning_states(module: Any, packed: Packed) -> "torch.Tensor":
    """The last states of a sequence by layers that may learn, twice as fast as with a mask on a processor."""
    import torch
    from torch.nn.functional import rms_norm, silu

    model, config = module.model, module.config
    x = model.embed_tokens.weight[torch.tensor(packed.tokens)]
    tokens, width = x.shape
    cos, sin = (some[0] for some in model.rotary_emb(x[None], torch.tensor([packed.positions])))
    trees = packed.bounds()

    def heads(states: "torch.Tensor") -> "torch.Tensor":
        return states.view(tokens, -1, cos.shape[-1]).transpose(0, 1)

    for layer in model.layers:
        own, mlp = layer.self_attn, layer.mlp
        read = rms_norm(x, (width,), layer.input_layernorm.weight, config.rms_norm_eps)
        query, key = (_turned(heads(project(read)), cos, sin) for project in (own.q_proj, own.k_proj))
        seen = _attended(query * own.scaling, key, heads(own.v_proj(read)), trees)
        x = x + own.o_proj(seen.transpose(0, 1).reshape(tokens, -1))
        read = rms_norm(x, (width,), layer.post_attention_layernorm.weight, config.rms_norm_eps)
        x = x + mlp.down_proj(silu(mlp.gate_proj(read)) * mlp.up_proj(read))
    return rms_norm(x, (width,), model.norm.weight, config.rms_norm_eps)


class _Matrix:
    """A matrix of weights, packed where torch can multiply with it so: in bf16, on processors that compute with it."""

    def __init__(self, weight: "torch.Tensor") -> None:
        import torch

        self._packed = weight.dtype == torch.bfloat16 and _can_pack()
        self._weight: torch.Tensor = (
            torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), _USUAL_TOKENS) if self._packed else weight
        )

    def __call__(self, x: "torch.Tensor") -> "torch.Tensor":
        return self._alone(x, "none")

    def swish(self, x: "torch.Tensor") -> "torch.Tensor":
        from torch.nn.functional import silu

        return self._alone(x, "swish") if self._packed else silu(self(x), inplace=True)

    def plus(self, x: "torch.Tensor", other: "torch.Tensor") -> "torch.Tensor":
        return self._with(x, other, "add") if self._packed else other + self(x)

    def times(self, x: "torch.Tensor", other: "torch.Tensor") -> "torch.Tensor":
        return self._with(x, other, "mul") if self._packed else other * self(x)

    def _alone(self, x: "torch.Tensor", after: str) -> "torch.Tensor":
        import torch

        if not self._packed:
            return torch.nn.functional.linear(x, self._weight)
        found: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, self._weight, None, after, [], "")
        return found

    def _with(self, x: "torch.Tensor", other: "torch.Tensor", how: str) -> "torch.Tensor":
        import torch

        found: torch.Tensor = torch.ops.mkldnn._linear_pointwise.binary(x, other, self._weight, None, how)
        return found


def _can_pack() -> bool:
    import torch

    ops = torch.ops.mkldnn
    named = ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported")
    return all(hasattr(ops, name) for name in named) and bool(ops._is_mkldnn_bf16_supported())


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
    longest = max(end - start for tree in trees for start, end in tree)
    later = torch.full((longest, longest), float("-inf"), dtype=query.dtype).triu_(1)
    found: list[torch.Tensor] = []  # in the order of the tokens

    def attend(start: int, end: int, keys: "torch.Tensor", values: "torch.Tensor") -> None:
        size = end - start
        scores = torch.bmm(query[:, :, start:end].reshape(shared, -1, width), keys.transpose(1, 2))
        scores.view(shared, -1, size, keys.shape[1])[..., -size:] += later[:size, :size]
        found.append(torch.bmm(torch.softmax(scores, dim=-1), values).view(shared, -1, size, width))

    for (first, last), *branches in trees:
        for start in range(first, last, _PIECE):
            end = min(start + _PIECE, last)
            attend(start, end, key[:, first:end], value[:, first:end])
        for start, end in branches:
            keys, values = (torch.cat([some[:, first:last], some[:, start:end]], dim=1) for some in (key, value))
            attend(start, end, keys, values)
    return torch.cat(found, dim=2).flatten(0, 1)
