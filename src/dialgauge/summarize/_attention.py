"""Where a summarizer looks: cross-attention from the words of a summary to the words of its dialogue."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect import Words, split_words
from dialgauge.errors import InputError, ModelError, ParameterError
from dialgauge.models import Model
from dialgauge.summarize._finetune_batches import check_trainable
from dialgauge.summarize._generate import GenerationSettings, generate

_NOWHERE = -1
Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention of one layer and head of the decoder over a dialogue, word by word.

    ``weights[i, j]`` is how much of its attention the decoder spent on dialogue word ``j`` while it wrote summary word
    ``i``: the sum over the pieces of ``j``, the mean over the pieces of ``i``. A row sums to one less what went to the
    special tokens at the ends of the dialogue and to white space (``elsewhere``). The last ``unread`` words of the
    dialogue were beyond what the model can read.
    """

    model: str
    layer: int
    head: int
    layers: int
    heads: int
    dialogue: Words
    summary: Words
    weights: Weights
    unread: int

    @property
    def total(self) -> Weights:
        """The mean over the words of the summary: how much attention each word of the dialogue got."""
        written = self.weights.sum(axis=1) > 0
        total: Weights = self.weights[written].mean(axis=0)
        return total

    @property
    def elsewhere(self) -> float:
        """The share of the attention that went to no word."""
        return float(1 - self.total.sum())


def attention_map(
    model: Model,
    dialogue: str,
    summary: str | None = None,
    *,
    layer: int | None = None,
    head: int | None = None,
    settings: GenerationSettings | None = None,
) -> AttentionMap:
    """Read the dialogue, write (or follow) the summary, and record where one layer and head of the decoder looks.

    ``layer`` and ``head`` count from 1; by default the last layer and its last head, as in Zhou, Ringeval and Portet
    (2024). Without ``summary`` the model writes one with ``settings``.
    """
    check_trainable(model)
    if not dialogue.strip():
        raise InputError("attention: the dialogue is empty")
    if summary is None:
        [summary] = generate(model, [dialogue], settings or GenerationSettings())
    if not summary.strip():
        raise InputError(f"attention: the summary by '{model.ref}' is empty: there is nothing to map")
    source = _tokens(model, dialogue, target=False)
    target = _tokens(model, summary, target=True)
    layers = _cross_attention(model, source.ids, target.ids)
    chosen_layer = _number("layer", layer, len(layers))
    heads = layers[chosen_layer - 1].shape[0]
    chosen_head = _number("head", head, heads)
    pieces = layers[chosen_layer - 1][chosen_head - 1]
    weights = _by_word(target.shares.T @ pieces @ source.shares, target.shares.sum(axis=0))
    return AttentionMap(
        str(model.ref),
        chosen_layer,
        chosen_head,
        len(layers),
        heads,
        source.text,
        target.text,
        weights,
        _unread(source),
    )


@dataclass(frozen=True, eq=False)
class _Tokens:
    """The pieces of a text as the model reads it, and which share of each piece belongs to which word."""

    text: Words
    ids: list[int]
    shares: Weights


def _tokens(model: Model, text: str, *, target: bool) -> _Tokens:
    tokenizer = model.tokenizer
    if not tokenizer.is_fast:
        raise ModelError(f"model '{model.ref}': its tokenizer cannot say which characters a token stands for")
    name = "text_target" if target else "text"
    encoded = tokenizer(
        **{name: text}, truncation=True, max_length=model.max_length, return_offsets_mapping=True, verbose=False
    )
    words = split_words(text, speakers=not target)
    of_character = np.full(len(text), _NOWHERE, dtype=np.int64)
    for number, (begin, end) in enumerate(words.spans.tolist()):
        of_character[begin:end] = number
    shares = np.zeros((len(encoded["input_ids"]), len(words)))
    for row, (begin, end) in zip(shares, encoded["offset_mapping"], strict=True):
        # A piece often begins with the space before its word, and may hold several marks, which are words of their own.
        covered = of_character[begin:end]
        inside = covered[covered != _NOWHERE]
        np.add.at(row, inside, 1 / max(1, len(inside)))
    return _Tokens(words, list(encoded["input_ids"]), shares)


def _by_word(summed: Weights, pieces: Weights) -> Weights:
    """Sums over the pieces of each summary word as means; a word that the model cannot write has none."""
    means: Weights = summed / np.where(pieces > 0, pieces, 1)[:, None]
    return means


def _unread(source: _Tokens) -> int:
    read = np.flatnonzero(source.shares.any(axis=0))
    return len(source.text) - 1 - int(read.max(initial=_NOWHERE))


def _cross_attention(model: Model, source: Sequence[int], target: Sequence[int]) -> list[Weights]:
    """For each layer of the decoder an array (heads, target pieces, source pieces)."""
    import torch

    module = model.module
    ids, labels = (torch.tensor([list(given)], device=model.device) for given in (source, target))
    with torch.inference_mode(), _plain_attention(module):
        output = module(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            decoder_input_ids=module.prepare_decoder_input_ids_from_labels(labels=labels),
            output_attentions=True,
            use_cache=False,
        )
    layers = output.cross_attentions
    if not layers or layers[0] is None:
        raise ModelError(f"model '{model.ref}' ({model.config.model_type}) does not show its cross-attention")
    return [layer[0].double().cpu().numpy() for layer in layers]


@contextmanager
def _plain_attention(module: Any) -> Iterator[None]:
    """Within the block, attention is computed step by step: the fused kernels keep no weights."""
    before = module.config._attn_implementation
    module.set_attn_implementation("eager")
    try:
        yield
    finally:
        module.set_attn_implementation(before)


def _number(name: str, given: int | None, most: int) -> int:
    if given is None:
        return most
    if not 1 <= given <= most:
        raise ParameterError("attention", name, f"from 1 to {most}", given)
    return given
