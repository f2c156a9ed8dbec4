"""ROUGE as the numbers of the PSentScore paper were computed: with the package py-rouge 1.1, not with rouge-score.

The settings (stems, the first 100 words, alpha 0.5, the mean over references) are those of the DialogSum challenge.
Words are stemmed by Porter's rules of 1980, irregular forms by WordNet. One of the settings, a weight of 1.2 that
ROUGE-W alone should have, reaches ROUGE-L too: its precision and recall are raised to the power of 1 / 1.2, which lifts
every value (by about six points for these summaries). ``plain_l`` is ROUGE-L without it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics import synonyms
from dialgauge.metrics.kernels import TargetSets, Tokens, lcs_length, ngram_match

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
WEIGHT = 1.2
#: Words beyond this are cut off.
_LIMIT = 100
_WORD = re.compile("[a-z0-9]+")
_SHORTEST = 4
#: Words that NLTK's tokeniser, which py-rouge uses, splits in two.
_PARTED = {"gonna": "gon na", "gotta": "got ta", "wanna": "wan na", "gimme": "gim me", "lemme": "lem me"}
#: Stems of py-rouge's own. It has more of them; in DialogSum only these make otherwise different words equal.
_OWN = {"might": "may", "environmental": "environ", "revolutionize": "revolut", "revolutionized": "revolut"}


def rouge_by_py_rouge(pairs: Sequence[tuple[str, str]]) -> Mapping[str, FloatArray]:
    """F1 of each pair (summary, reference), between 0 and 1: ``R1``, ``R2``, ``RL`` as published, and ``plain_l``."""
    place = {text: i for i, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
    tokens = _tokens(place)
    first = np.array([place[a] for a, _ in pairs], dtype=np.int64)
    second = np.array([place[b] for _, b in pairs], dtype=np.int64)
    matches = ngram_match(tokens, first, TargetSets.single(second, len(tokens.lengths)), 2)
    common = lcs_length(tokens, first, second)
    sizes = tokens.lengths[first], tokens.lengths[second]
    return {
        "R1": _f1(matches[:, 0], *sizes),
        "R2": _f1(matches[:, 1], sizes[0] - 1, sizes[1] - 1),
        "RL": _f1(common, *sizes, WEIGHT),
        "plain_l": _f1(common, *sizes),
    }


def _f1(common: IntArray, of_summary: IntArray, of_reference: IntArray, weight: float = 1.0) -> FloatArray:
    precision, recall = ((common / np.maximum(size, 1)) ** (1 / weight) for size in (of_summary, of_reference))
    total = precision + recall
    result: FloatArray = np.divide(2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0)
    return result


def _tokens(texts: Iterable[str]) -> Tokens:
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in words_of(text)] for text in texts]
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    ids = np.array([number for row in rows for number in row], dtype=np.int32)
    starts = np.cumsum(lengths) - lengths
    breaks = np.zeros(len(ids), dtype=np.uint8)
    breaks[starts[lengths > 0]] = 1
    return Tokens(ids, breaks, starts, lengths, len(numbers))


def words_of(text: str) -> list[str]:
    """The words that are compared: the first hundred, in lower case, those of four letters and more by their stem."""
    words = _WORD.findall(" ".join(text.split()[:_LIMIT]).lower())
    parts = [part for word in words for part in _PARTED.get(word, word).split()]
    return [_base(part) if len(part) >= _SHORTEST else part for part in parts]


@cache
def _base(word: str) -> str:
    return _OWN.get(word) or synonyms().base_of(word) or stem_1980(word)


_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
)  # fmt: skip


def stem_1980(word: str) -> str:
    """Porter's stem of a word in lower case, by the rules as first published (Program 14(3), 1980).

    The stemmer of our own ROUGE follows NLTK's changes to these rules instead: *says* becomes *say* there, *sai* here.
    """
    word = _replaced(word, {"sses": "ss", "ies": "i", "ss": "ss", "s": ""}, least=-1)
    word = _without_past(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    ending = max((e for e in _STEP_4 if word.endswith(e)), key=len, default="")
    rest = word.removesuffix(ending)
    if ending and _measure(rest) > 1 and (ending != "ion" or rest.endswith(("s", "t"))):
        word = rest
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _replaced(word: str, endings: Mapping[str, str], least: int = 0) -> str:
    """The longest of the endings that the word has, replaced if what stands before it is long enough."""
    ending = max((e for e in endings if word.endswith(e)), key=len, default=None)
    if ending is None:
        return word
    rest = word.removesuffix(ending)
    return rest + endings[ending] if _measure(rest) > least else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = "ed" if word.endswith("ed") else "ing" if word.endswith("ing") else ""
    rest = word.removesuffix(ending)
    shape = _shape(rest)
    if not ending or "v" not in shape:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and shape[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _ends_short(word: str) -> bool:
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    return _shape(word).count("vc")


def _shape(word: str) -> str:
    """A ``v`` per vowel and a ``c`` per consonant; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape
