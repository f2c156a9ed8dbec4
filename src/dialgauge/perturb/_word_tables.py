"""Lists of words, and substitutes for words: our own choice first, then those of WordNet."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

Table = Literal["antonyms", "synonyms", "hyponyms"]


@cache
def substitutes(table: Table) -> Mapping[str, tuple[str, ...]]:
    """Lemma -> its substitutes, the best first. A lemma that our own list names without any is never replaced."""
    found: dict[str, tuple[str, ...]] = {}
    for folder in ("wordnet", "words"):
        text = (files("dialgauge.perturb") / folder / f"{table}.txt").read_text(encoding="ascii")
        for line in text.splitlines():
            word, *others = line.split()
            found[word] = tuple(others)
    return found


@cache
def word_set(name: str, folder: Literal["words", "wordnet"] = "words") -> frozenset[str]:
    """One of our own lists of words, or of those derived from WordNet."""
    return frozenset((files("dialgauge.perturb") / folder / f"{name}.txt").read_text(encoding="ascii").split())
