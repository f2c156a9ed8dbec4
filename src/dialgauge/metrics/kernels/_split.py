"""Splitting many texts into tokens at once, and numbering the distinct words."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics.kernels._arrays import IdArray
from dialgauge.metrics.kernels._native import call, kernel_name, library

#: ``alphanumeric``: runs of a–z and 0–9, lines separated. ``whitespace``: between white space. ``13a``: the rules of
#: mteval-v13a after its normalisation. ``chrf-words``: between white space, one punctuation mark cut off.
SplitRule = Literal["alphanumeric", "whitespace", "13a", "chrf-words"]
_CODES: Mapping[SplitRule, int] = {"alphanumeric": 0, "whitespace": 1, "13a": 2, "chrf-words": 3}

Split = tuple[NDArray[np.int32], NDArray[np.uint8], IdArray, Sequence[str]]


class FoundWords(Sequence[str]):
    """The distinct words of texts, cut out of them when they are asked for: numbers are all that most metrics need."""

    def __init__(self, joined: str | bytes, starts: IdArray, lengths: IdArray) -> None:
        self._joined, self._starts, self._lengths = joined, starts, lengths

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return list(self)[index]

    def __iter__(self) -> Iterator[str]:
        ends = self._starts + self._lengths
        joined = self._joined if isinstance(self._joined, str) else self._joined.lower().decode("ascii")
        return iter([joined[start:end] for start, end in zip(self._starts.tolist(), ends.tolist(), strict=True)])


def split_texts(texts: Sequence[str], rule: SplitRule, *, lower: bool = False) -> Split:
    """The tokens of all texts as word numbers, where lines begin, where each text begins (and ends), the words.

    ``lower`` puts the texts in lower case first.
    """
    compiled = library()
    if compiled is None:
        return _split_in_python(texts, rule, lower)
    if rule == "alphanumeric" and hasattr(compiled, "dg_split_ascii"):  # one built from older sources may lack it
        return _split_ascii(texts, lower)
    if lower:  # the letters of other scripts here, since one may become two; ASCII below, all at once
        texts = [text if text.isascii() else text.lower() for text in texts]
    joined, codes, offsets = _code_points(texts, lower)
    return _split_in_c("dg_split", joined, (codes, offsets, len(texts), _CODES[rule]), len(texts), len(codes))


def split_characters(texts: Sequence[str]) -> tuple[NDArray[np.int32], IdArray]:
    """The code points of all texts less white space, and where each text begins (one more than texts)."""
    _, codes, text_offsets = _code_points(texts)
    if kernel_name() == "python":
        kept = ~_SPACES[np.minimum(codes, len(_SPACES) - 1)]
        before = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
        return codes[kept].astype(np.int32), before[text_offsets]
    characters, offsets = np.empty(len(codes), dtype=np.int32), np.empty(len(texts) + 1, dtype=np.int64)
    call("dg_characters", codes, text_offsets, len(texts), characters, offsets)
    return characters[: offsets[-1]], offsets


def _code_points(texts: Sequence[str], lower: bool = False) -> tuple[str, NDArray[np.uint32], IdArray]:
    """The texts joined, as a string and as code points, and where each begins (one more than texts)."""
    joined = "".join(texts).lower() if lower else "".join(texts)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)
    return joined, codes, _offsets(texts)


def _offsets(texts: Sequence[str]) -> IdArray:
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=offsets[1:])
    return offsets


def _split_ascii(texts: Sequence[str], lower: bool) -> Split:
    """Alphanumeric words. Whatever is not ASCII separates them, and a byte a character is read in half the time."""
    texts = [text if text.isascii() else _with_marks(text, lower) for text in texts]
    joined = "\0".join([*texts, ""])
    if joined.count("\0") > len(texts):
        joined = "\0".join([*(text.replace("\0", " ") for text in texts), ""])
    codes = joined.encode("ascii")
    # There is a mark after each word.
    return _split_in_c("dg_split_ascii", codes, (codes, len(texts), int(lower)), len(texts), len(codes) // 2)


def _with_marks(text: str, lower: bool) -> str:
    """The text with a mark for each character that is not ASCII."""
    return (text.lower() if lower else text).encode("ascii", "replace").decode("ascii")


def _split_in_c(
    kernel: str, joined: str | bytes, given: tuple[NDArray[Any] | bytes | int, ...], texts: int, room: int
) -> Split:
    """What a kernel makes of what it is given; ``room`` is for how many tokens."""
    tokens = np.empty(room, dtype=np.int32)
    breaks = np.empty(room, dtype=np.uint8)
    offsets = np.empty(texts + 1, dtype=np.int64)
    starts, lengths = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    found = np.zeros(1, dtype=np.int64)
    call(kernel, *given, tokens, breaks, offsets, starts, lengths, found)
    words, count = int(found[0]), int(offsets[-1])
    # Copies, so that the buffers, which have room for a word per character, can go.
    found_words = FoundWords(joined, starts[:words].copy(), lengths[:words].copy())
    return tokens[:count], breaks[:count], offsets, found_words


def _split_in_python(texts: Sequence[str], rule: SplitRule, lower: bool) -> Split:
    split = _RULES[rule]
    numbers: dict[str, int] = {}
    tokens: list[int] = []
    breaks: list[int] = []
    offsets = [0]
    for text in map(str.lower, texts) if lower else texts:
        for line in text.split("\n") if rule == "alphanumeric" else [text]:
            words = split(line)
            tokens.extend(numbers.setdefault(word, len(numbers)) for word in words)
            breaks.extend([1, *[0] * (len(words) - 1)] if words else [])
        offsets.append(len(tokens))
    return (
        np.array(tokens, dtype=np.int32),
        np.array(breaks, dtype=np.uint8),
        np.array(offsets, dtype=np.int64),
        list(numbers),
    )


#: Which code points are white space; none beyond these is.
_SPACES = np.array([chr(code).isspace() for code in range(0x3002)])
_SYMBOL = re.compile(r"[ -&(-+/:-@\[-`{-~]")
_STOP_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
_HYPHEN_AFTER_DIGIT = re.compile(r"([0-9])-")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _split_13a(text: str) -> list[str]:
    text = _SYMBOL.sub(r" \g<0> ", f" {text} ")
    text = _STOP_AFTER_OTHER.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_OTHER.sub(r" \1 \2", text)
    return _HYPHEN_AFTER_DIGIT.sub(r"\1 - ", text).split()


def _split_chrf_words(text: str) -> list[str]:
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


_RULES: Mapping[SplitRule, Callable[[str], list[str]]] = {
    "alphanumeric": re.compile("[a-z0-9]+").findall,
    "whitespace": str.split,
    "13a": _split_13a,
    "chrf-words": _split_chrf_words,
}
