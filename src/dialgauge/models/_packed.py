"""Transformer layers over the tokens of many texts in one array, without padding.

Only attention knows where a text ends. Queries, keys and values are one product, and what lies between two products is
one kernel (``_fused``): on a card, the time goes into the products.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.models._fused import add_and_norm, parts_of, parts_product
from dialgauge.models._load import Model

if TYPE_CHECKING:
    import torch

#: Encoders whose layers are BERT's, by the model type of their configuration.
_LIKE_BERT = frozenset(("bert", "roberta", "xlm-roberta", "camembert"))
#: Of these, positions begin behind the id of the padding.
_POSITIONS_AFTER_PAD = frozenset(("roberta", "xlm-roberta", "camembert"))
#: The attention of cards takes heads of a multiple of this width.
_HEAD_MULTIPLE = 8


def to_device(numbers: "NDArray[Any]", device: "str | torch.device") -> "torch.Tensor":
    """An array on a device. A card copies while the host goes on."""
    import torch

    tensor = torch.from_numpy(numbers)
    return tensor if str(device) == "cpu" else tensor.pin_memory().to(device, non_blocking=True)


class Spans:
    """Where each text begins and ends in a flat array of tokens."""

    def __init__(self, lengths: Sequence[int], device: str) -> None:
        self.lengths = np.array(lengths, dtype=np.int64)
        self.longest = int(self.lengths.max())
        self._device = device

    @cached_property
    def offsets(self) -> "torch.Tensor":
        """Where the texts begin, and the end of the last."""
        return to_device(np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int32), self._device)

    @cached_property
    def places(self) -> "NDArray[np.int64]":
        """The place of each token in its text."""
        starts = np.cumsum(self.lengths) - self.lengths
        places: NDArray[np.int64] = np.arange(int(self.lengths.sum())) - np.repeat(starts, self.lengths)
        return places


@dataclass(frozen=True, slots=True)
class Packed:
    """States of tokens (tokens × width), and what the next product reads of them."""

    states: "torch.Tensor"
    readable: "torch.Tensor"


class _Product:
    """Linear layers that read the same numbers, as one product."""

    def __init__(self, *layers: Any) -> None:
        import torch

        def joined(several: list[Any], side: int) -> Any:
            return several[0] if len(several) == 1 else torch.cat(several, side)

        self.bias = joined([layer.bias for layer in layers], 0)
        self.split = hasattr(layers[0], "parts")
        if self.split:
            self.weight = joined([layer.parts for layer in layers], 1)
        else:
            self.weight = joined([layer.weight for layer in layers], 0)

    def __call__(self, readable: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor | None]":
        """The product, and the bias where it is still to be added."""
        from torch.nn.functional import linear

        if self.split:
            return parts_product(readable, self.weight), self.bias
        return linear(readable, self.weight, self.bias), None

    def with_bias(self, readable: "torch.Tensor") -> "torch.Tensor":
        """The product with its bias."""
        product, bias = self(readable)
        return product if bias is None else product.add_(bias)

    def reads(self, states: "torch.Tensor") -> "torch.Tensor":
        """What the product reads of these states."""
        return parts_of(states) if self.split else states


class _Attention:
    """Attention of texts to themselves or to others, the states they had added, and the norm of the sum."""

    def __init__(self, projections: Sequence[Any], out: Any, norm: Any, heads: int) -> None:
        self._own = _Product(*projections)
        self._out, self._norm, self._heads = _Product(out), norm, heads

    def to_itself(self, x: Packed, spans: Spans, causal: bool) -> Packed:
        query, key, value = self._cut(self._own.with_bias(x.readable), 3)
        return self._finish(x, _attend(query, key, value, spans, spans, causal))

    def _cut(self, product: "torch.Tensor", parts: int) -> "tuple[torch.Tensor, ...]":
        return product.view(len(product), parts, self._heads, -1).unbind(1)

    def _finish(self, x: Packed, mixed: "torch.Tensor") -> Packed:
        product, bias = self._out(self._out.reads(mixed.reshape(len(mixed), -1)))
        return Packed(*add_and_norm(product, bias, x.states, self._norm, self._out.split))


class _CrossAttention(_Attention):
    """Attention to the states of other texts."""

    def __init__(self, query: Any, projections: Sequence[Any], out: Any, norm: Any, heads: int) -> None:
        super().__init__([query], out, norm, heads)
        self._keys = _Product(*projections)

    def to_others(self, x: Packed, spans: Spans, others: Packed, other_spans: Spans) -> Packed:
        (query,) = self._cut(self._own.with_bias(x.readable), 1)
        key, value = self._cut(self._keys.with_bias(others.readable), 2)
        return self._finish(x, _attend(query, key, value, spans, other_spans, causal=False))


class _Inner:
    """The two inner layers with their activation between them, the states added, and the norm of the sum."""

    def __init__(self, first: Any, second: Any, norm: Any, activation: Any) -> None:
        self._first, self._second, self._norm = _Product(first), _Product(second), norm
        self._activation = activation
        self._fused = self._first.split and type(activation).__name__ == "GELUActivation"

    def __call__(self, x: Packed) -> Packed:
        if self._fused:
            active = parts_of(*self._first(x.readable), gelu=True)
        else:
            active = self._second.reads(self._activation(self._first.with_bias(x.readable)))
        product, bias = self._second(active)
        return Packed(*add_and_norm(product, bias, x.states, self._norm, self._second.split))


class PackedEncoder:
    """The lower layers of an encoder like BERT; :func:`packed_encoder` makes it."""

    def __init__(self, model: Model, layers: int) -> None:
        self._model = model
        self._attention, self._inner = [], []
        for layer in model.module.encoder.layer[:layers]:
            own, out = layer.attention.self, layer.attention.output
            projections = (own.query, own.key, own.value)
            self._attention.append(_Attention(projections, out.dense, out.LayerNorm, own.num_attention_heads))
            first, last = layer.intermediate, layer.output
            self._inner.append(_Inner(first.dense, last.dense, last.LayerNorm, first.intermediate_act_fn))

    def __call__(self, rows: Sequence[Sequence[int]]) -> "torch.Tensor":
        """The states after the last of the layers of all tokens of these texts, one after the other, in fp32."""
        device = self._model.device
        spans = Spans([len(row) for row in rows], device)
        ids = np.fromiter((token for row in rows for token in row), dtype=np.int64, count=int(spans.lengths.sum()))
        places = _counted_places(ids, spans, self._model) if self._after_pad else spans.places
        given = to_device(ids, device)[None]
        states = self._model.module.embeddings(
            input_ids=given, position_ids=to_device(places, device)[None], token_type_ids=given.new_zeros(given.shape)
        )[0]
        x = begin(states, self._model)
        for attention, inner in zip(self._attention, self._inner, strict=True):
            x = inner(attention.to_itself(x, spans, causal=False))
        return x.states.float()

    @property
    def _after_pad(self) -> bool:
        return self._model.config.model_type in _POSITIONS_AFTER_PAD


def _counted_places(ids: "NDArray[np.int64]", spans: Spans, model: Model) -> "NDArray[np.int64]":
    """RoBERTa's positions: tokens are counted from behind the id of the padding, which itself does not count."""
    pad = int(model.config.pad_token_id)
    real = (ids != pad).astype(np.int64)
    counted = np.cumsum(real)
    before = np.concatenate([[0], counted])[np.cumsum(spans.lengths) - spans.lengths]
    places: NDArray[np.int64] = (counted - np.repeat(before, spans.lengths)) * real + pad
    return places


def packed_encoder(model: Model, layers: int) -> PackedEncoder | None:
    """The encoder without padding; None if the model is of another kind, or on the CPU, where it gains nothing."""
    if model.device == "cpu" or model.config.model_type not in _LIKE_BERT or model.config.is_decoder:
        return None
    return PackedEncoder(model, layers)


def begin(states: "torch.Tensor", model: Model) -> Packed:
    """Embedded tokens as what the first layer reads."""
    return Packed(states, parts_of(states) if model.dtype == "bf16x3" else states)


class PackedBart:
    """Encoder and decoder of BART."""

    def __init__(self, model: Model) -> None:
        self._model = model
        encoder, decoder = model.module.get_encoder(), model.module.get_decoder()
        self._encoder = [(_bart_attention(layer), _bart_inner(layer)) for layer in encoder.layers]
        self._decoder = [(_bart_attention(layer), _bart_cross(layer), _bart_inner(layer)) for layer in decoder.layers]

    def encode(self, ids: "torch.Tensor", spans: Spans) -> Packed:
        """The states of the sources' tokens."""
        x = self._embed(self._model.module.get_encoder(), ids, spans)
        for attention, inner in self._encoder:
            x = inner(attention.to_itself(x, spans, causal=False))
        return x

    def decode(self, ids: "torch.Tensor", spans: Spans, groups: Spans, sources: Packed, source_spans: Spans) -> Packed:
        """The states of the targets' tokens; a group is all targets of a source, in the order of the sources."""
        x = self._embed(self._model.module.get_decoder(), ids, spans)
        for attention, cross, inner in self._decoder:
            x = attention.to_itself(x, spans, causal=True)
            x = inner(cross.to_others(x, groups, sources, source_spans))
        return x

    def _embed(self, side: Any, ids: "torch.Tensor", spans: Spans) -> Packed:
        places = to_device(spans.places + side.embed_positions.offset, self._model.device)
        return begin(
            side.layernorm_embedding(side.embed_tokens(ids) + side.embed_positions.weight[places]), self._model
        )


def _bart_attention(layer: Any) -> _Attention:
    own = layer.self_attn
    return _Attention(
        (own.q_proj, own.k_proj, own.v_proj), own.out_proj, layer.self_attn_layer_norm, int(own.num_heads)
    )


def _bart_cross(layer: Any) -> _CrossAttention:
    cross = layer.encoder_attn
    return _CrossAttention(
        cross.q_proj, (cross.k_proj, cross.v_proj), cross.out_proj, layer.encoder_attn_layer_norm, int(cross.num_heads)
    )


def _bart_inner(layer: Any) -> _Inner:
    return _Inner(layer.fc1, layer.fc2, layer.final_layer_norm, layer.activation_fn)


def _attend(
    query: "torch.Tensor", key: "torch.Tensor", value: "torch.Tensor", rows: Spans, columns: Spans, causal: bool
) -> "torch.Tensor":
    """Attention within texts (tokens × heads × width of a head), each row's text to the column's of the same number."""
    import torch

    if not query.is_cuda or query.shape[-1] % _HEAD_MULTIPLE:
        return _attend_one_by_one(query, key, value, rows, columns, causal)
    widths = rows.offsets, columns.offsets, rows.longest, columns.longest
    if query.dtype == torch.bfloat16:
        flash = torch.ops.aten._flash_attention_forward(query, key, value, *widths, 0.0, causal, False)
        return flash[0]  # type: ignore[no-any-return]
    exact = torch.ops.aten._efficient_attention_forward(
        query[None], key[None], value[None], None, *widths, 0.0, int(causal)
    )
    return exact[0][0]  # type: ignore[no-any-return]


def _attend_one_by_one(
    query: "torch.Tensor", key: "torch.Tensor", value: "torch.Tensor", rows: Spans, columns: Spans, causal: bool
) -> "torch.Tensor":
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attend

    pieces = [
        torch.split(tokens, spans.lengths.tolist())
        for tokens, spans in ((query, rows), (key, columns), (value, columns))
    ]
    mixed = []
    for several in zip(*pieces, strict=True):
        one, its_keys, its_values = (side.transpose(0, 1)[None] for side in several)
        mixed.append(attend(one, its_keys, its_values, is_causal=causal)[0].transpose(0, 1))
    return torch.cat(mixed)
