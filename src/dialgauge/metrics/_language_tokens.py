"""Texts as tokens by the rules of a language, which are functions: what has no kernel in C."""

from collections.abc import Callable, Sequence

import numpy as np

from dialgauge.language import Language
from dialgauge.metrics.kernels._split import Split

#: Marks that end a sentence in languages without other sentence boundaries.
SENTENCE_ENDS = frozenset("。！？")


def split_by(words: Callable[[str], list[str]], language: Language, texts: Sequence[str]) -> Split:
    """The tokens of all texts, of which ``words`` gives those of a line.

    A sentence of ROUGE-Lsum ends with its line, and in a language without spaces after 。！？ too.
    """
    ends = frozenset[str]() if language.spaced else SENTENCE_ENDS
    numbers: dict[str, int] = {}
    tokens: list[int] = []
    breaks: list[int] = []
    offsets = [0]
    for text in texts:
        for line in text.split("\n"):
            begins = 1
            for token in words(line):
                tokens.append(numbers.setdefault(token, len(numbers)))
                breaks.append(begins)
                begins = 1 if token in ends else 0
        offsets.append(len(tokens))
    return (
        np.array(tokens, dtype=np.int32),
        np.array(breaks, dtype=np.uint8),
        np.array(offsets, dtype=np.int64),
        list(numbers),
    )
