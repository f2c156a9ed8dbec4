"""Shared code of BLANC and ESTIME: word pieces, and the predictions of a masked language model for them."""

import unicodedata
from collections.abc import Sequence

from dialgauge.errors import ModelError
from dialgauge.metrics._encoding import padded
from dialgauge.metrics._readings import budget
from dialgauge.models import Model, run_batched

CONTINUATION = "##"


def clean(text: str) -> str:
    """The text in compatibility decomposition, as the published programs read it."""
    return unicodedata.normalize("NFKD", text)


def check_word_pieces(model: Model, metric: str) -> None:
    """Reject a tokenizer that does not mark continuations of words: the rules of these metrics are about words."""
    if not any(token.startswith(CONTINUATION) for token in model.tokenizer.get_vocab()):
        raise ModelError(
            f"{metric} masks whole words and needs word pieces ('play', '##ing'); the tokenizer of "
            f"'{model.ref}' has none: use a model of the BERT family"
        )


def word_pieces(model: Model, text: str) -> list[str]:
    """The word pieces of a text, however long it is."""
    pieces: list[str] = model.tokenizer.tokenize(text, verbose=False)
    return pieces


def piece_ids(model: Model, pieces: Sequence[str]) -> list[int]:
    """The ids of word pieces."""
    ids: list[int] = model.tokenizer.convert_tokens_to_ids(list(pieces))
    return ids


def framed(model: Model, ids: Sequence[int]) -> list[int]:
    """Ids between the two special tokens that every input has."""
    return [model.tokenizer.cls_token_id, *ids, model.tokenizer.sep_token_id]


def guesses(model: Model, inputs: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each input the ids that the model finds most likely at its masked places."""
    import torch

    def call(batch: list[int]) -> list[list[int]]:
        ids, mask = padded(model, [list(inputs[i]) for i in batch])
        best = model.module(input_ids=ids, attention_mask=mask).logits.argmax(dim=-1).cpu()
        return [best[row, torch.tensor(places[i])].tolist() for row, i in enumerate(batch)]

    return run_batched(range(len(inputs)), [len(row) for row in inputs], call, budget(model))
