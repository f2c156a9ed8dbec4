"""Lists of words, substitutes for words, what WordNet says of nouns, and negative prefixes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Folder = Literal["words", "wordnet"]
Position = Literal["any", "before a noun", "after a verb", "said of a person", "after an article", "with a complement"]
_POSITIONS: Mapping[str, Position] = {
    "a": "before a noun",
    "p": "after a verb",
    "h": "said of a person",
    "d": "after an article",
    "c": "with a complement",
}


@dataclass(frozen=True, slots=True)
class Substitute:
    """A word that can stand for another: in which position, and (if any are named) before nouns of which supersense."""

    word: str
    position: Position = "any"
    supersenses: frozenset[int] = frozenset()


def takes_ending(lemma: str) -> bool:
    """Short adjectives compare with -er and -est: one syllable, or two that end in -y (but not participles)."""
    groups = sum(letter in "aeiouy" and (i == 0 or lemma[i - 1] not in "aeiouy") for i, letter in enumerate(lemma))
    syllables = groups - (lemma.endswith("e") and groups > 1 and not lemma.endswith("le"))
    if lemma.endswith(("ed", "ing")):
        return False
    return (
        syllables == 1 or (syllables == 2 and lemma.endswith("y")) or lemma in ("simple", "quiet", "narrow", "clever")
    )


def negates(first: str, second: str) -> bool:
    """Whether one of two words is the other with a negative prefix (*interested*, *uninterested*)."""
    return any(first == prefix + second or second == prefix + first for prefix in ("un", "in", "im", "dis", "ir", "il"))


@cache
def substitutes(table: Literal["antonyms", "synonyms", "hyponyms"]) -> Mapping[str, tuple[Substitute, ...]]:
    """Lemma -> its substitutes, the best first. Our own list counts before WordNet's (antonyms only), and two opposites
    of WordNet only where each is the first of the other and one is plain (has a negative prefix, or an ending for
    degrees): *private* and *public* are a pair for some nouns alone.

    A lemma that our list names without any substitute is never replaced. ``hard/p`` is for after a verb (``free/h``:
    said of a person), ``simple/a4,10`` for before nouns of the supersenses 4 and 10, ``whole/d`` for right after an
    article, ``glad/c`` after a verb with what it is about.
    """
    found: dict[str, tuple[Substitute, ...]] = {}
    folders: tuple[Folder, ...] = ("wordnet", "words") if table == "antonyms" else ("words",)
    for folder in folders:
        for line in _read(folder, table).splitlines():
            word, *others = line.split()
            found[word] = tuple(map(_substitute, others))
    if table == "antonyms":
        own = {line.split()[0] for line in _read("words", table).splitlines()}
        found = {word: others for word, others in found.items() if word in own or _is_plain(found, word)}
    return found


def _is_plain(found: Mapping[str, tuple[Substitute, ...]], word: str) -> bool:
    """Whether a word and its opposite are one another's, and one has a negative prefix or an ending for degrees."""
    opposite = found[word][0].word
    back = found.get(opposite, ())
    plain = negates(word, opposite) or takes_ending(word) or takes_ending(opposite)
    return plain and bool(back) and back[0].word == word


def _substitute(entry: str) -> Substitute:
    word, _, where = entry.partition("/")
    if not where:
        return Substitute(word)
    return Substitute(word, _POSITIONS[where[0]], frozenset(map(int, filter(None, where[1:].split(",")))))


@cache
def published_pairs(name: Literal["synonyms", "antonyms", "nouns", "verbs"]) -> Mapping[str, str]:
    """Word -> what WordNet has for it, whether it fits or not: of adjectives, or a narrower noun or verb."""
    pairs = map(str.split, _read("wordnet", f"evaleval_{name}").splitlines())
    return {word: other for word, other, *_ in pairs}


@cache
def word_set(name: str, folder: Folder = "words") -> frozenset[str]:
    """One of our own lists of words, or of those derived from WordNet."""
    return frozenset(_read(folder, name).split())


@cache
def word_map(name: str) -> Mapping[str, frozenset[str]]:
    """A list of our own whose lines give words for the first word of the line."""
    lines = (line.split() for line in _read("words", name).splitlines())
    return {first: frozenset(rest) for first, *rest in lines}


@cache
def _supersenses() -> Mapping[str, int]:
    return {word: int(number) for word, number in map(str.split, _read("wordnet", "supersenses").splitlines())}


def supersense(noun: str) -> int | None:
    """The number of WordNet's supersense of a noun's first sense (6 artifact, 18 person …), or None if unknown."""
    return _supersenses().get(noun)


@cache
def _terms() -> frozenset[str]:
    return frozenset(_read("wordnet", "terms").splitlines()) | frozenset(_read("words", "terms").splitlines())


def is_term(first: str, second: str) -> bool:
    """Whether an adjective and a noun are a fixed term (current account): by WordNet, or by how often they occur."""
    return f"{first} {second}" in _terms()


def _read(folder: Folder, name: str) -> str:
    return (files("dialgauge.perturb") / folder / f"{name}.txt").read_text(encoding="ascii")
