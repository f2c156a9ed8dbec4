"""Cross-attention of a summarizer from the words of a summary to the words of its dialogue."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.affect import Words, split_words
from dialgauge.errors import InputError, ModelError, ParameterError
from dialgauge.models import Model
from dialgauge.settings import takes
from dialgauge.summarize._finetune_batches import check_trainable
from dialgauge.summarize._generate import generate, parts_of, window_of
from dialgauge.summarize._roles import join_pieces
from dialgauge.summarize._settings import AttentionSettings, GenerationSettings

_NOWHERE = -1
Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention of one layer and head of the decoder over a dialogue, word by word.

    ``weights[i, j]`` is how much of its attention the decoder spent on dialogue word ``j`` while it wrote summary word
    ``i``: the sum over the pieces of ``j``, the mean over the pieces of ``i``. A row sums to one less what went to the
    special tokens at the ends of the dialogue, to white space and to what leads the dialogue (``elsewhere``).

    A dialogue longer than the window is read in ``parts``, each with a summary of its own, whose words attend to that
    part only. A given summary cannot be split: then the last ``unread`` words of the dialogue exceed what the
    model can read.
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
    parts: int = 1

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


@takes(AttentionSettings)
def attention_map(
    model: Model,
    dialogue: str,
    summary: str | None = None,
    settings: AttentionSettings | None = None,
    *,
    generation: GenerationSettings | None = None,
    **changes: Any,
) -> AttentionMap:
    """Read the dialogue, generate (or follow) the summary, and record the attention of one decoder layer and head.

    ``layer`` and ``head`` count from 1; by default the last layer and its last head, as in Zhou, Ringeval and Portet
    (2024). Without ``summary`` the model writes one as ``generation`` says, of a dialogue longer than its window in
    parts.
    ``prefix`` is what leads the dialogue, as in ``"summarize: "`` for T5; its words are none of the dialogue's.
    ``window`` is how many tokens the model reads at a time, by default as many as it can.
    """
    asked = AttentionSettings.chosen(settings, changes, "attention_map")
    check_trainable(model)
    if not dialogue.strip():
        raise InputError("attention: the dialogue is empty")
    room = window_of(model, asked.window)
    read, written = [dialogue], [summary or ""]
    if summary is None:
        read = list(parts_of(model, dialogue, room, asked.prefix).texts)
        written = generate(model, [asked.prefix + part for part in read], generation, window=asked.window)
        summary = join_pieces(written)
    if not summary.strip():
        raise InputError(f"attention: the summary by '{model.ref}' is empty; give a summary to follow")
    source, target = _Numbered(dialogue, target=False), _Numbered(summary, target=True)
    summed, pieces = np.zeros((len(target.words), len(source.words))), np.zeros(len(target.words))
    reached = _NOWHERE
    for part, text in zip(read, written, strict=True):
        reads, writes = source.tokens(model, part, room, asked.prefix), target.tokens(model, text, model.max_length)
        layers = _cross_attention(model, reads.ids, writes.ids)
        chosen_layer = _number(model, "layer", asked.layer, len(layers))
        heads = layers[chosen_layer - 1].shape[0]
        chosen_head = _number(model, "head", asked.head, heads)
        summed += writes.shares.T @ layers[chosen_layer - 1][chosen_head - 1] @ reads.shares
        pieces += writes.shares.sum(axis=0)
        reached = max(reached, int(np.flatnonzero(reads.shares.any(axis=0)).max(initial=_NOWHERE)))
    return AttentionMap(
        str(model.ref),
        chosen_layer,
        chosen_head,
        len(layers),
        heads,
        source.words,
        target.words,
        _by_word(summed, pieces),
        len(source.words) - 1 - reached,
        len(read),
    )


@dataclass(frozen=True, eq=False)
class _Tokens:
    """The pieces of a text as the model reads it, and which share of each piece belongs to which word."""

    ids: list[int]
    shares: Weights


class _Numbered:
    """The words of a text and the number of the word that each of its characters is of, to be read part by part."""

    def __init__(self, text: str, *, target: bool) -> None:
        self.words = split_words(text, speakers=not target)
        self._target = target
        self._of_character = np.full(len(text), _NOWHERE, dtype=np.int64)
        for number, (begin, end) in enumerate(self.words.spans.tolist()):
            self._of_character[begin:end] = number
        self._done = 0

    def tokens(self, model: Model, part: str, most: int, head: str = "") -> _Tokens:
        """The pieces of the next part, at most ``most``, optionally after a head that is not part of the text."""
        of_character = np.full(len(head) + len(part), _NOWHERE, dtype=np.int64)
        for i, character in enumerate(part, start=len(head)):
            place = self.words.text.find(character, self._done)
            # Where parts meet there can be other white space than in the whole.
            if character.isspace() and place != self._done:
                continue
            of_character[i] = self._of_character[place]
            self._done = place + 1
        ids, offsets = _encoded(model, head + part, most, target=self._target)
        return _Tokens(ids, _shares(offsets, of_character, len(self.words)))


def _encoded(model: Model, text: str, most: int, *, target: bool) -> tuple[list[int], list[tuple[int, int]]]:
    """The pieces of a text, and where each begins and ends in it."""
    tokenizer = model.tokenizer
    if not tokenizer.is_fast:
        raise ModelError(f"model '{model.ref}': its tokenizer does not give the characters of a token")
    name = "text_target" if target else "text"
    encoded = tokenizer(**{name: text}, truncation=True, max_length=most, return_offsets_mapping=True, verbose=False)
    return list(encoded["input_ids"]), list(encoded["offset_mapping"])


def _shares(offsets: Sequence[tuple[int, int]], of_character: NDArray[np.int64], count: int) -> Weights:
    """Which share of each piece belongs to which of ``count`` words."""
    shares = np.zeros((len(offsets), count))
    for row, (begin, end) in zip(shares, offsets, strict=True):
        # A piece often begins with the space before its word, and may hold several marks, which are words of their own.
        covered = of_character[begin:end]
        inside = covered[covered != _NOWHERE]
        np.add.at(row, inside, 1 / max(1, len(inside)))
    return shares


def _by_word(summed: Weights, pieces: Weights) -> Weights:
    """Sums over the pieces of each summary word as means; a word that the model cannot write has none."""
    means: Weights = summed / np.where(pieces > 0, pieces, 1)[:, None]
    return means


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


def _number(model: Model, name: str, given: int | None, most: int) -> int:
    if given is None:
        return most
    if not 1 <= given <= most:
        raise ParameterError(f"attention of '{model.ref}'", name, f"from 1 to {most}", given)
    return given
