"""Tokens of a text by kind: words, punctuation, and what nobody said (speaker tags, markup)."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from dialgauge.language import UNSPACED

#: What a token is. Only words are counted; a tag or markup is neutral by construction.
WORD, MARK, TAG = 0, 1, 2

_TAGS = r"\#\w{1,30}\#|<[/\w][^<>\n]{0,40}>|\[\w[\w ]{0,30}\](?!\()"
#: Up to five words before a colon at the start of a line, as :func:`dialgauge.corpus.parse_turns` reads a speaker.
_SPEAKER = r"(?<![^\n])(?:[^\s:：|]++[ \t]){0,4}(?=\d*[^\s:：|\d])[^\s:：|]++[:：](?=\s|$)"
_EMOTICON = r"(?<![^\s.,!?])(?:[:;=][-o^']?[()\[\]DPpO/|*3]+|[(\[][-o^']?[:;=]|<3+)(?![\w/])"
_SYMBOLS = "\u2600-\u27bf\U0001f300-\U0001faff"
_ENDS = frozenset({".", "...", "!", "?", "…", "。", "！", "？"})
_MOST_REMEMBERED = 1_000_000


@dataclass(frozen=True, eq=False)
class Words:
    """The tokens of a text in their order: words, punctuation marks and tags, distinguished by ``kinds``."""

    text: str
    tokens: list[str]
    kinds: NDArray[np.int8]
    speakers: bool = False

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def words(self) -> list[str]:
        """The words alone."""
        return [token for token, kind in zip(self.tokens, self.kinds.tolist(), strict=True) if kind == WORD]

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """Where each token begins and ends in the text, as an array (tokens, 2)."""
        found = [match.span() for match in _token_pattern(self.speakers).finditer(self.text)]
        return np.array(found, dtype=np.int64).reshape(-1, 2)


def split_words(text: str, *, speakers: bool = False) -> Words:
    """The tokens of a text.

    A word is a run of letters and digits, apostrophes, hyphens and points between digits included; an emoticon or an
    emoji is a word; in scripts written without spaces every character is one. ``#Person1#``, ``<name>`` and ``[phone]``
    are tags. In a transcript (``speakers``) so is what stands before the colon at the start of a line, colon included,
    if it has up to five words: the speaker.
    """
    tokens: list[str] = _token_pattern(speakers).findall(text)
    return Words(text, tokens, np.fromiter(map(_kinds().__getitem__, tokens), np.int8, len(tokens)), speakers)


def sentence_ends(words: Words) -> list[int]:
    """Where sentences end, as positions in the tokens: after ``. ! ? …`` and at the end of a line."""
    tokens = words.tokens
    ends = [i + 1 for i, token in enumerate(tokens) if token in _ENDS]
    if "\n" in words.text:
        breaks = [match.start() for match in re.finditer("\n", words.text)]
        ends += np.searchsorted(words.spans[:, 0], breaks).tolist()
    return sorted({*ends, len(tokens)} - {0})


def sentences(words: Words) -> list[Sequence[str]]:
    """The tokens of each sentence; line breaks and the marks ``. ! ? …`` end one."""
    ends = sentence_ends(words)
    return [words.tokens[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


class _Kinds(dict[str, int]):
    """The kind of each token that was ever asked for."""

    def __missing__(self, token: str) -> int:
        named = any(character.isalnum() for character in token)
        if _tag_pattern().fullmatch(token) or (named and token[-1] in ":："):
            kind = TAG
        else:
            kind = WORD if named or _word_like().fullmatch(token) else MARK
        if len(self) > _MOST_REMEMBERED:
            self.clear()
        self[token] = kind
        return kind


@cache
def _kinds() -> _Kinds:
    return _Kinds()


@cache
def _tag_pattern() -> re.Pattern[str]:
    return re.compile(_TAGS)


@cache
def _word_like() -> re.Pattern[str]:
    return re.compile(rf"{_EMOTICON}|[{_SYMBOLS}]")


@cache
def _token_pattern(speakers: bool) -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
    letter = rf"[^\W_{UNSPACED}]"
    run = rf"{letter}+(?:[{marks}]+{letter}*)*"
    word = rf"{run}(?:(?:['’\-]|(?<=\d)[.,:](?=\d)){run})*"
    head = f"{_SPEAKER}|" if speakers else ""
    plain = (
        r"[A-Za-z]+(?=[ \n.,!?])"  # most words are like this, and what follows would find the same in twice the time
    )
    return re.compile(rf"{head}{plain}|{word}|{_TAGS}|{_EMOTICON}|[{UNSPACED}][{marks}]*|\.{{2,}}|\S", re.MULTILINE)
