"""The layers of a language model as a processor runs them fastest, for summaries side by side after their dialogue.

A mask over the whole sequence makes a processor compute what it then hides: every summary with every other
(``_attention.py`` does not). In bf16 the matrices of layers that stay as they are are packed once, and what follows a
product (a residual, a gate) is added to it before it is rounded. A card is faster with the mask.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dialgauge.checker._attention import attended
from dialgauge.checker._layout import Packed

if TYPE_CHECKING:
    import torch

#: Matrices are packed for about this many tokens; any number gives the same values.
_USUAL_TOKENS = 1024


def runs_by_itself(module: Any) -> bool:
    """Whether these layers are those of a Llama, the only ones that :class:`Layers` computes."""
    config = module.config
    plain = not (getattr(config, "attention_bias", False) or getattr(config, "mlp_bias", False))
    return plain and config.model_type == "llama" and config.hidden_act == "silu"


class Layers:
    """The layers of a Llama whose weights stay as they are."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._layers = [_Fixed(layer) for layer in module.model.layers]

    def last_states(self, packed: Packed) -> "torch.Tensor":
        """The last states of a sequence, as the model's own code computes them."""
        return _last_states(self._module, packed, self._layers)


def learning_states(module: Any, packed: Packed) -> "torch.Tensor":
    """The last states of a sequence by layers that may learn, more than twice as fast as with a mask on a processor."""
    return _last_states(module, packed, [_Learning(layer) for layer in module.model.layers])


def _last_states(module: Any, packed: Packed, layers: "Sequence[_Fixed | _Learning]") -> "torch.Tensor":
    """What all layers have in common: norms, turned heads, attention, and what is added to the states."""
    import torch
    from torch.nn.functional import rms_norm

    model, config = module.model, module.config
    x = model.embed_tokens.weight[torch.tensor(packed.tokens)]
    tokens, width = x.shape
    cos, sin = (some[0] for some in model.rotary_emb(x[None], torch.tensor([packed.positions])))
    trees = packed.bounds()

    def heads(states: "torch.Tensor") -> "torch.Tensor":
        return states.view(tokens, -1, cos.shape[-1]).transpose(0, 1)

    for layer in layers:
        read = rms_norm(x, (width,), layer.first_norm, config.rms_norm_eps)
        query_key, value = layer.asked(read)
        turned = _turned(heads(query_key), cos, sin)
        query, key = turned[: config.num_attention_heads], turned[config.num_attention_heads :]
        seen = attended(query, key, heads(value), trees)
        x = layer.with_seen(x, seen.transpose(0, 1).reshape(tokens, -1))
        x = layer.with_gated(x, rms_norm(x, (width,), layer.second_norm, config.rms_norm_eps))
    return rms_norm(x, (width,), model.norm.weight, config.rms_norm_eps)


class _Fixed:
    """The products of a layer that stays as it is."""

    def __init__(self, layer: Any) -> None:
        import torch

        own, mlp = layer.self_attn, layer.mlp
        self.first_norm, self.second_norm = layer.input_layernorm.weight, layer.post_attention_layernorm.weight
        self._query_key = _Matrix(torch.cat([own.q_proj.weight * own.scaling, own.k_proj.weight]).detach())
        self._value, self._out, self._gate, self._up, self._down = (
            _Matrix(one.weight.detach()) for one in (own.v_proj, own.o_proj, mlp.gate_proj, mlp.up_proj, mlp.down_proj)
        )

    def asked(self, read: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
        """Queries beside keys, and values."""
        return self._query_key(read), self._value(read)

    def with_seen(self, x: "torch.Tensor", seen: "torch.Tensor") -> "torch.Tensor":
        return self._out.plus(seen, x)

    def with_gated(self, x: "torch.Tensor", read: "torch.Tensor") -> "torch.Tensor":
        return self._down.plus(self._up.times(read, self._gate.swish(read)), x)


class _Learning:
    """The same products by the modules themselves, which may learn."""

    def __init__(self, layer: Any) -> None:
        self._own, self._mlp = layer.self_attn, layer.mlp
        self.first_norm, self.second_norm = layer.input_layernorm.weight, layer.post_attention_layernorm.weight

    def asked(self, read: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
        """Queries beside keys, and values."""
        import torch

        own = self._own
        return torch.cat([own.q_proj(read) * own.scaling, own.k_proj(read)], dim=-1), own.v_proj(read)

    def with_seen(self, x: "torch.Tensor", seen: "torch.Tensor") -> "torch.Tensor":
        return x + self._own.o_proj(seen)  # type: ignore[no-any-return]

    def with_gated(self, x: "torch.Tensor", read: "torch.Tensor") -> "torch.Tensor":
        from torch.nn.functional import silu

        mlp = self._mlp
        return x + mlp.down_proj(silu(mlp.gate_proj(read)) * mlp.up_proj(read))  # type: ignore[no-any-return]


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
