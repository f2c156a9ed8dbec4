"""What errors, rewritings and changes of whole dialogues have in common: which words can be edited, and into what."""

import random
import re
from typing import Literal

from dialgauge.checker._example import Example
from dialgauge.checker._material import NEAR, Material, Source
from dialgauge.language import porter_stem
from dialgauge.metrics import synonyms
from dialgauge.perturb import people, substitutes, word_set

WORD = re.compile(r"(?<![\w#'’-])[A-Za-z]{3,}(?![\w#'’-])")
AUXILIARY = re.compile(
    r"\b(is|are|was|were|will|can|could|would|should|must|might|may|has|have|had|does|do|did)\b(?! not|n['’]t)", re.I
)
NEGATED = re.compile(
    r"\b(won['’]t|can['’]t|cannot|(?:is|are|was|were|could|would|should|must|has|have|had|does|do|did)n['’]t)\b"
    r"|\b(not|never)\b",
    re.I,
)
#: Words that can change places are at least this near; others would give the error away by their grammar.
RELATED = 0.4
_SHORT = {"will": "won't", "can": "can't", "may": "may not", "might": "might not"}
_LONG = {"won't": "will", "can't": "can", "cannot": "can", "doesn't": "does", "don't": "do", "didn't": "did"}
#: The words between a speaker and what is quoted: no claim.
_KEPT = frozenset({"says", "said"})


def invented_names() -> tuple[str, ...]:
    """Names of people that most dialogues do not have."""
    found = people()
    return (*found.feminine, *found.masculine)


def content_words(example: Example) -> list[re.Match[str]]:
    """The words that carry meaning; names and what is already wrong are left out."""
    inner = [
        m
        for m in WORD.finditer(example.text)
        if m[0].islower() and m[0] not in _KEPT and m[0] not in word_set("stopwords")
    ]
    return [m for m in inner if not touches(example, m.start(), m.end())]


def touches(example: Example, start: int, end: int) -> bool:
    """Whether a place is already wrong."""
    return any(a < end and start < b for a, b in example.wrong)


def same_meaning(first: str, second: str) -> bool:
    """Whether two words have a stem or a synonym in common."""
    if porter_stem(first) == porter_stem(second):
        return True
    table = synonyms()
    return bool(table.of(first) & table.of(second))


def same_ending(first: str, second: str) -> bool:
    """Whether two words look like the same form: both with -ing, -ed, -s, -ly or without."""
    endings = ("ing", "ed", "ly", "s")
    return [first.endswith(e) for e in endings] == [second.endswith(e) for e in endings]


def related_words(word: str, source: Source, material: Material) -> list[str]:
    """The nearest words that do not mean the same, look like the same form, and are not in the dialogue."""
    found = [
        other
        for other, cosine in material.near(word)
        if NEAR[0] <= cosine <= NEAR[1]
        and other.isalpha()
        and len(other) > 2
        and other not in source.words
        and other not in word_set("stopwords")
        and same_ending(other, word)
        and not same_meaning(other, word)
    ]
    return found[:8]


def plain_substitute(table: Literal["antonyms", "synonyms"], word: str) -> str | None:
    """The best substitute that fits everywhere; the grammar of the text is not known here."""
    known = substitutes(table).get(word, ())
    return next((one.word for one in known if one.position == "any" and not one.supersenses), None)


def denied(auxiliary: str, draw: random.Random) -> str:
    """An auxiliary verb with its negation, in the long or the short form."""
    if draw.random() < 0.6 or not auxiliary.islower():
        return f"{auxiliary} not"
    return _SHORT.get(auxiliary, f"{auxiliary}n't")


def undenied(negated: str) -> str:
    """What is left of a negated verb without its negation; of a bare "not" or "never" nothing."""
    word = negated.lower().replace("’", "'")
    return "" if word in ("not", "never") else _LONG.get(word, word.removesuffix("n't"))
