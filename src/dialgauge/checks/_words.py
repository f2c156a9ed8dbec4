"""Words of a text: stems, rarity and likeness, each looked up once per word."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log

import numpy as np
from numpy.typing import NDArray

from dialgauge.language import find_language, porter_stem
from dialgauge.models import load_vectors

Floats = NDArray[np.float32]

#: Names that stand for speakers or hidden details (``#Person1#``, ``<NAME>``), words with inner apostrophes, numbers.
WORD = re.compile(r"#\s?[^\W_]\w*\s?#|<[A-Z][A-Z_]*\d*>|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[^\W_]+")
_PAST = (
    "be was were been am is are;begin began begun;break broke broken;bring brought;build built;buy bought;catch caught;"
    "choose chose chosen;come came;do did done does;draw drew drawn;drink drank drunk;drive drove driven;eat ate eaten;"
    "fall fell fallen;feel felt;fight fought;find found;fly flew flown;forget forgot forgotten;get got gotten gonna;"
    "give gave given;go went gone goes;grow grew grown;have has had;hear heard;hold held;keep kept;know knew known;"
    "lead led;learn learnt;leave left;lend lent;lose lost;make made;mean meant;meet met;pay paid;read read;ride rode "
    "ridden;ring rang rung;rise rose risen;run ran;say said;see saw seen;sell sold;send sent;shoot shot;show shown;"
    "sing sang sung;sit sat;sleep slept;speak spoke spoken;spend spent;stand stood;steal stole stolen;stick stuck;"
    "swim swam swum;take took taken;teach taught;tell told;think thought;throw threw thrown;understand understood;"
    "wake woke woken;wear wore worn;win won;write wrote written;child children;man men;woman women;person people;"
    "foot feet;tooth teeth;wife wives;life lives;good better best;bad worse worst"
)
_BASE = {form: entry.split()[0] for entry in _PAST.split(";") for form in entry.split()[1:]}
#: Ranks of words by frequency become rarities from .05 (the commonest) to 1.
_COMMON, _RANGE, _LEAST = 4.0, 5.5, 0.05
#: Words whose vectors are as close as this begin to count as the same; none counts more than ``_ALIKE``.
_CLOSE, _ALIKE = 0.5, 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A word as checks compare it."""

    stem: str
    rarity: float
    stop: bool
    vector: Floats


class Lexicon:
    """The words that were seen so far."""

    def __init__(self, vectors: str) -> None:
        self._vectors = load_vectors(vectors)
        self._stops = find_language("en").stop_words
        self._known: dict[str, Word] = {}

    def word(self, text: str) -> Word:
        """What is known of a word; case does not count."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._look_up(text)
        return found

    def _look_up(self, text: str) -> Word:
        lower = text.lower().replace("’", "'").removesuffix("'s")
        row = self._vectors.rows.get(lower)
        if row is None:
            vector: Floats = np.zeros(self._vectors.dimensions, dtype=np.float32)
            rarity = 1.0
        else:
            vector = np.asarray(self._vectors.matrix[row], dtype=np.float32)
            vector = vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
            rarity = min(max((log(row + 1) - _COMMON) / _RANGE, _LEAST), 1.0)
        return Word(stem_of(lower), rarity, "'" in lower or lower in self._stops or len(lower) < 2, vector)


@cache
def lexicon(vectors: str) -> Lexicon:
    """The lexicon on these word vectors, one per process."""
    return Lexicon(vectors)


@lru_cache(maxsize=65536)
def stem_of(word: str) -> str:
    """The stem of a lower-case word, irregular forms included: bought, buys and buy have one."""
    return porter_stem(_BASE.get(word, word))


def likeness(stems: list[str], vectors: Floats, other_stems: list[str], other_vectors: Floats) -> Floats:
    """How far each word of one text (rows) is a word of another (columns): 1 for one stem, less for close vectors."""
    cosines = vectors @ other_vectors.T
    result: Floats = np.clip((cosines - _CLOSE) / (1 - _CLOSE), 0, 1) * np.float32(_ALIKE)
    places: dict[str, list[int]] = {}
    for place, stem in enumerate(other_stems):
        places.setdefault(stem, []).append(place)
    for row, stem in enumerate(stems):
        if stem in places:
            result[row, places[stem]] = 1
    return result


@cache
def person_nouns() -> frozenset[str]:
    """Common nouns for persons in WordNet (mother, client …), which are no names where they begin a sentence."""
    return frozenset(files("dialgauge").joinpath("perturb", "wordnet", "persons.txt").read_text("ascii").split())


@cache
def antonyms() -> dict[str, frozenset[str]]:
    """Word -> its opposites in WordNet. The perturbations keep the table; rooms share the file, not code."""
    text = files("dialgauge").joinpath("perturb", "wordnet", "antonyms.txt").read_text("ascii")
    rows = (line.split() for line in text.splitlines())
    return {word: frozenset(others) for word, *others in rows}
