"""Checks for the validators of the domain family: numbers, names, negations, overlap, support by the transcript."""

import difflib
import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise

from dialgauge.corpus import Dialogue
from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._lexicon import root, word_list
from dialgauge.perturb._parse import Parsed

CITATION = "Patel, Agrawal, Kumar 2024, Tweak to Trust"
NAMED = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "EVENT", "WORK_OF_ART"})

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|[a-z]+(?:-[a-z]+)?")
_CALENDAR = re.compile(
    r"\b(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?s?\b|\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?"
    r"|Apr(?:il)?|June?|July?|Aug(?:ust)?|Sep(?:t|tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b|(?<!^)\bMay\b"
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|cannot|without|neither|nor|unable)\b|n['’]t\b", re.IGNORECASE
)
_PIECE = re.compile(r"\s+|[^\W_]+|.", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
FUNCTION_WORDS = word_list("function")


@lru_cache(maxsize=2048)
def numbers(text: str) -> frozenset[str]:
    """The numbers in a text: digits without separators of thousands, number words as digits; and days and months."""
    found = {match.group()[:3].lower() for match in _CALENDAR.finditer(text)}
    for match in _NUMBER.finditer(text.lower()):
        word = match.group()
        if word[0].isdigit():
            found.add(re.sub(r",(?=\d{3}(?:\D|$))", "", word).strip(".,:"))
        elif (value := _value(word)) is not None:
            found.add(str(value))
    return frozenset(found)


def _value(word: str) -> int | None:
    tens, _, unit = word.partition("-")
    if not unit:
        # "one" and "no one" are pronouns more often than numbers.
        return NUMBER_WORDS.get(word) if word != "one" else None
    if NUMBER_WORDS.get(tens, 0) >= 20 and 1 <= NUMBER_WORDS.get(unit, 0) < 10:
        return NUMBER_WORDS[tens] + NUMBER_WORDS[unit]
    return None


def names(parsed: Parsed) -> frozenset[str]:
    """The words that named entities consist of, in lower case, without titles and articles."""
    found: set[str] = set()
    for entity in parsed.entities:
        if entity.label in NAMED:
            words = re.findall(r"[^\W_]+", parsed.text[entity.start : entity.end])
            found |= {word.lower() for word in words if word[0].isupper() and word not in ("The", "Mr", "Mrs", "Ms")}
    return frozenset(found)


def negations(text: str) -> int:
    """The number of negations in a text."""
    return len(_NEGATION.findall(text))


def lost_facts(original: str, result: str, parsed: Parsed) -> str | None:
    """A complaint if a number or a name of the original is missing in the result."""
    if missing := numbers(original) - numbers(result):
        return f"the number {min(missing)} is lost"
    present = set(re.findall(r"[^\W_]+", result.lower()))
    if gone := names(parsed) - present:
        return f"the name {min(gone)!r} is lost"
    return None


def new_facts(original: str, result: str) -> str | None:
    """A complaint if the result has a number that the original does not have."""
    if added := numbers(result) - numbers(original):
        return f"the number {min(added)} is new"
    return None


def word_count(text: str) -> int:
    """Number of words."""
    return len(_WORD.findall(text))


def content_roots(text: str) -> list[str]:
    """The roots of the words that carry content, in order."""
    return [root(match.group()) for match in _WORD.finditer(text) if match.group().lower() not in FUNCTION_WORDS]


@lru_cache(maxsize=1024)  # many sentences are compared with one transcript
def _distinct_roots(text: str) -> frozenset[str]:
    return frozenset(content_roots(text))


def support(text: str, source: str) -> float:
    """Which share of the content words of ``text`` the source holds; 1 where there are none."""
    wanted = content_roots(text)
    known = _distinct_roots(source)
    return sum(word in known for word in wanted) / len(wanted) if wanted else 1.0


def source_of(original: str, dialogue: Dialogue | None) -> str:
    """Everything that counts as known: the summary itself and the transcript."""
    return f"{original}\n{dialogue.text}" if dialogue else original


def overlap(first: str, second: str) -> float:
    """Dice coefficient of the pairs of neighbouring words, in lower case: 1 for equal texts."""
    a, b = _bigrams(first), _bigrams(second)
    return 2 * sum((a & b).values()) / total if (total := sum(a.values()) + sum(b.values())) else 1.0


def _bigrams(text: str) -> Counter[tuple[str, str]]:
    words = ["", *(match.group().lower() for match in _WORD.finditer(text))]
    return Counter(pairwise(words))


def edits_between(original: str, result: str) -> list[Edit]:
    """Edits that turn one text into the other: whole words and marks, neighbouring ones together."""
    a, b = _PIECE.findall(original), _PIECE.findall(result)
    offsets = [0]
    for piece in a:
        offsets.append(offsets[-1] + len(piece))
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [
        Edit(offsets[i1], offsets[i2], "".join(b[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def tells_past(parsed: Parsed) -> bool:
    """Whether a summary is told in the past: by its finite verbs; one that only has *will* and *can* is not."""
    return sum(t.tag == "VBD" for t in parsed.tokens) > sum(t.tag in ("VBZ", "VBP") for t in parsed.tokens)
