"""What can be told of a summary without its dialogue: the control that a metric must beat to have read it."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from dialgauge.checks._check import PARSER, VECTORS
from dialgauge.checks._claims import read_claims
from dialgauge.checks._negation import WORDS as NEGATIONS
from dialgauge.checks._people import Speakers
from dialgauge.checks._values import values_of
from dialgauge.checks._words import lexicon

_PARTS = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "PRON", "NUM")
#: What the control knows: length, negations, values, parts of speech, rarity of words.
CONTROL_FEATURES = ("words", "sentences", "negations", "values", *_PARTS, "mean rarity", "highest rarity")


def control_features(summary: str, *, parser: str = PARSER, vectors: str = VECTORS) -> NDArray[np.float64]:
    """The features of a summary that need no dialogue, in the order of ``CONTROL_FEATURES``."""
    claims, words = read_claims(summary, Speakers((), {}), parser), lexicon(vectors)
    tokens = [token for token in claims.tokens if token.text[:1].isalnum()]
    count = max(len(tokens), 1)
    parts = Counter(token.pos for token in tokens)
    rarity = [words.word(token.text).rarity for token in tokens] or [0.0]
    negations = sum(token.text.lower() in NEGATIONS for token in claims.tokens)
    return np.array(
        [
            np.log(count),
            len(claims.sentences),
            negations,
            len(values_of(summary)),
            *(parts[part] / count for part in _PARTS),
            float(np.mean(rarity)),
            max(rarity),
        ]
    )
