"""TextRank: pieces of the dialogue recommend each other by their common words, and PageRank finds the central ones."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.errors import ModelError
from dialgauge.language import find_language
from dialgauge.metrics import Parameter, language_parameter, split_words
from dialgauge.summarize._extractive import ORDER, PIECES, SPEAKERS, UNITS, UNTIL, Piece, by_ranking
from dialgauge.summarize._registry import register
from dialgauge.summarize._system import Summarizer

_TOLERANCE = 1e-10
_MOST_STEPS = 1000


def similarities(pieces: Sequence[Sequence[str]]) -> FloatArray:
    """How many distinct words two pieces share, over the sum of the logarithms of their lengths; 0 with itself.

    Two pieces of one word each have a sum of 0, for which the paper has no value: they get 0 as well.
    """
    numbers: dict[str, int] = {}
    for words in pieces:
        for word in words:
            numbers.setdefault(word, len(numbers))
    present = np.zeros((len(pieces), len(numbers)))
    for i, words in enumerate(pieces):
        present[i, [numbers[word] for word in words]] = 1
    logs = np.array([math.log(len(words)) if words else 0.0 for words in pieces])
    shared = present @ present.T
    np.fill_diagonal(shared, 0)
    sums = logs[:, None] + logs[None, :]
    found: FloatArray = np.divide(shared, sums, out=np.zeros_like(shared), where=sums > 0)
    return found


def pagerank(weights: FloatArray, damping: float) -> FloatArray:
    """The weighted PageRank of each node of an undirected graph, by power iteration; the ranks sum to 1.

    A node without edges spreads its rank over all nodes.
    """
    count = len(weights)
    totals = weights.sum(axis=1)
    lonely = totals == 0
    steps = weights / np.where(lonely, 1.0, totals)[:, None]
    ranks = np.full(count, 1 / count)
    for _ in range(_MOST_STEPS):
        spread = ranks[lonely].sum() / count
        following: FloatArray = damping * (ranks @ steps + spread) + (1 - damping) / count
        if np.abs(following - ranks).sum() < _TOLERANCE * count:
            return following
        ranks = following
    raise ModelError(f"textrank: no convergence in {_MOST_STEPS} steps with damping={damping}; use a smaller value")


def _compared(text: str, lang: str) -> list[str]:
    """What two pieces can share: their words, or the stems of those that are no stop words of the language."""
    words = split_words(text, "words", "lower", lang)
    if not lang:
        return words
    language = find_language(lang)
    return [language.stem(word) if language.stem else word for word in words if word not in language.stop_words]


def _ranked(pieces: Sequence[Piece], parameters: Mapping[str, str]) -> list[int]:
    words = [_compared(piece.text, parameters["lang"]) for piece in pieces]
    # Ten digits, so that pieces whose ranks differ by rounding alone keep the order of the dialogue.
    ranks = pagerank(similarities(words), float(parameters["damping"])).round(10)
    return sorted(range(len(pieces)), key=lambda i: (-ranks[i], i))


register(
    Summarizer(
        name="textrank",
        description="the turns that share the most words with the others, by PageRank",
        citation="Mihalcea and Tarau 2004, TextRank: Bringing Order into Texts, EMNLP",
        compute=by_ranking(_ranked),
        parameters={
            "n": PIECES,
            "units": UNITS,
            "damping": Parameter("0.85", (), "damping factor of PageRank", r"0(\.\d+)?", "a number from 0 to below 1"),
            "order": ORDER,
            "speakers": SPEAKERS,
            "until": UNTIL,
            "lang": language_parameter(
                "", "the language whose stems, without stop words, are compared; none: all words"
            ),
        },
    )
)
