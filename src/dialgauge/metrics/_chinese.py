"""Chinese text as tokens: its characters, or its words by jieba. Sentences end after 。！？ and at a new line."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module

import numpy as np

from dialgauge.errors import MissingExtraError
from dialgauge.metrics.kernels._split import Split

#: After these a sentence is over.
SENTENCE_ENDS = frozenset("。！？")


def chinese_characters(texts: Sequence[str]) -> Split:
    """Every character but white space is a token, punctuation and single letters of Latin words too."""
    return _split(texts, iter)


def chinese_words(texts: Sequence[str]) -> Split:
    """Every word that jieba finds is a token, punctuation too; white space is none."""
    return _split(texts, _word_splitter())


def _split(texts: Sequence[str], cut: Callable[[str], Iterable[str]]) -> Split:
    numbers: dict[str, int] = {}
    tokens: list[int] = []
    breaks: list[int] = []
    offsets = [0]
    for text in texts:
        begins = 1
        for token in cut(text):
            if token.isspace():
                begins = 1 if "\n" in token else begins
                continue
            tokens.append(numbers.setdefault(token, len(numbers)))
            breaks.append(begins)
            begins = 1 if token in SENTENCE_ENDS else 0
        offsets.append(len(tokens))
    return (
        np.array(tokens, dtype=np.int32),
        np.array(breaks, dtype=np.uint8),
        np.array(offsets, dtype=np.int64),
        list(numbers),
    )


@cache
def _word_splitter() -> Callable[[str], Iterable[str]]:
    try:
        jieba = import_module("jieba")
    except ImportError as error:
        raise MissingExtraError("tok=word (words of Chinese text)", "zh") from error
    # Its notes on loading the dictionary are not for our users.
    jieba.setLogLevel("WARNING")
    cut: Callable[[str], Iterable[str]] = jieba.cut
    return cut
