"""From words to the pieces of a model's tokenizer and back: the first piece of a word stands for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ModelError


@dataclass(frozen=True, slots=True, eq=False)
class EncodedWords:
    """A run of words as a model reads it: its pieces (special ones included), and where its words begin.

    ``text`` is the number of the text that it comes from. ``words`` holds the number of each of its words, counted from
    the start of that text, ``positions`` the position of the word's first piece.
    """

    text: int
    input_ids: list[int]
    words: NDArray[np.int64]
    positions: NDArray[np.int64]


def encode_words(tokenizer: Any, texts: Sequence[Sequence[str]], max_length: int) -> list[EncodedWords]:
    """The pieces of texts that are split into words already; a text too long for the model becomes several runs.

    Runs are cut between words and do not overlap. A single word of more pieces than the model reads is cut. Words of
    which the tokenizer leaves nothing (control characters) have no position.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError("tagging words needs a 'fast' tokenizer, which keeps track of words")
    full = [(i, words) for i, words in enumerate(texts) if words]
    if not full:
        return []
    encoded = tokenizer(
        [list(map(_encodable, words)) for _, words in full],
        is_split_into_words=True,
        return_attention_mask=False,
        verbose=False,
    )
    runs = []
    for row, (text, _) in enumerate(full):
        owners = encoded.word_ids(row)
        inner = [i for i, owner in enumerate(owners) if owner is not None]
        if not inner:
            continue
        head, tail = inner[0], inner[-1] + 1  # special pieces stand before and after
        ids = encoded["input_ids"][row]
        inside = np.array(owners[head:tail], dtype=np.int64)
        firsts = np.flatnonzero(np.diff(inside, prepend=-1))
        room = max(1, max_length - (len(ids) - len(inside)))
        for begin, end in _cuts(firsts, len(inside), room):
            mine = firsts[(firsts >= begin) & (firsts < end)]
            pieces = [*ids[:head], *ids[head + begin : head + end], *ids[tail:]]
            runs.append(EncodedWords(text, pieces, inside[mine], mine - begin + head))
    return runs


def _encodable(word: str) -> str:
    """The word with a question mark for each half of a character, which no tokenizer takes."""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")


def _cuts(firsts: NDArray[np.int64], size: int, room: int) -> list[tuple[int, int]]:
    """Runs of at most ``room`` pieces that begin with a word."""
    cuts, begin = [], 0
    while begin < size:
        end = min(begin + room, size)
        if end < size:
            last = int(firsts[np.searchsorted(firsts, end, side="right") - 1])
            end = last if last > begin else end
        cuts.append((begin, end))
        # Pieces of a word that did not fit stand for nothing: the next run begins with the next word.
        following = int(np.searchsorted(firsts, end))
        begin = int(firsts[following]) if following < len(firsts) else size
    return cuts
