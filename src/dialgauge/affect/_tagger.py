"""The interface of taggers: from words to the probabilities of negative, neutral and positive."""

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

NEGATIVE, NEUTRAL, POSITIVE = 0, 1, 2
#: The names of the labels, in their order.
LABELS = ("negative", "neutral", "positive")
Probabilities = NDArray[np.float32]
#: What a label depends on: the word alone, or the sentence that it stands in.
Reads = Literal["word", "sentence"]

#: Row ``label`` is the certainty of that label.
CERTAIN: Probabilities = np.eye(3, dtype=np.float32)


@runtime_checkable
class Tagger(Protocol):
    """Labels words. ``signature`` names everything that changes a result: tables and weights by their fingerprint."""

    @property
    def name(self) -> str:
        """The display name."""

    @property
    def signature(self) -> str:
        """The name with all that changes the result."""

    @property
    def reads(self) -> Reads:
        """Whether a label depends on the word alone or on the sentence it stands in."""

    def tag(self, texts: Sequence[Sequence[str]]) -> list[Probabilities]:
        """For each text, a list of words (punctuation marks among them), an array (words, 3) of probabilities."""


def labels_of(probabilities: Probabilities) -> NDArray[np.int8]:
    """The most probable label of each word; where two are equally likely, the neutral one, else the first."""
    best = probabilities.argmax(axis=1)
    neutral = probabilities[:, NEUTRAL] >= probabilities.max(axis=1, initial=0.0)
    return np.where(neutral, NEUTRAL, best).astype(np.int8)
