"""Inverse document frequencies of tokens, over references or summaries."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.metrics._metric import FloatArray, Parameter

IDF = Parameter(
    "no",
    ("no", "distinct", "pairs"),
    "no: equal weights; distinct: ln((N+1)/(df+1)) over the N distinct texts that are scored together; "
    "pairs: a text counts once for each pair it is in, as in the published programs",
)


@dataclass(frozen=True, slots=True)
class Idf:
    """The weight of each token id; ``unseen`` is that of the others."""

    weights: dict[int, float]
    unseen: float

    @classmethod
    def over(cls, documents: Iterable[Sequence[int]]) -> "Idf":
        """ln((N + 1) / (df + 1)) over N documents; a token that occurs in none weighs ln(N + 1)."""
        frequency: Counter[int] = Counter()
        count = 0
        for tokens in documents:
            count += 1
            frequency.update(set(tokens))
        return cls({token: math.log((count + 1) / (df + 1)) for token, df in frequency.items()}, math.log(count + 1))

    @classmethod
    def none(cls, without: Iterable[int] = ()) -> "Idf":
        """Weight 1 for every token but these, which get 0."""
        return cls(dict.fromkeys(without, 0.0), 1.0)

    def of(self, tokens: Sequence[int]) -> FloatArray:
        """The weights of these tokens."""
        known, unseen = self.weights, self.unseen
        return np.array([known.get(token, unseen) for token in tokens], dtype=np.float64)
