"""WordNet's synonyms for METEOR, from a table that tools/build_wordnet_table.py derives from WordNet 3.0.

The table is read on first use, which costs some ten milliseconds.
"""

import struct
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"DGWORDS1"
_SECTIONS = 7
_PARTS = "nvar"  # noun, verb, adjective, adverb: the order of the columns of the table

# WordNet's rules of inflection (morphy), by the last letter of the form: (part, ending, what the lemma has instead).
_INFLECTIONS: Mapping[str, tuple[tuple[int, str, str], ...]] = {
    "s": (
        (0, "s", ""),
        (0, "ses", "s"),
        (0, "ves", "f"),
        (0, "xes", "x"),
        (0, "zes", "z"),
        (0, "ches", "ch"),
        (0, "shes", "sh"),
        (0, "ies", "y"),
        (1, "s", ""),
        (1, "ies", "y"),
        (1, "es", "e"),
        (1, "es", ""),
    ),
    "n": ((0, "men", "man"),),
    "d": ((1, "ed", "e"), (1, "ed", "")),
    "g": ((1, "ing", "e"), (1, "ing", "")),
    "r": ((2, "er", ""), (2, "er", "e")),
    "t": ((2, "est", ""), (2, "est", "e")),
}


class _Lemmas:
    """Lemmas and, for each part of speech, the places of their names in the list of single words."""

    def __init__(self, sections: Iterable[bytes], relative: bool) -> None:
        words, counts, codes = map(zlib.decompress, sections)
        self.words = words.decode("ascii").split("\n")
        self.places = dict(zip(self.words, range(len(self.words)), strict=True))
        self._ends = np.concatenate([[0], np.cumsum(np.frombuffer(counts, dtype=np.uint8), dtype=np.int64)])
        low, middle, high = np.frombuffer(codes, dtype=np.uint8).reshape(3, -1).astype(np.int32)
        zigzag = low | middle << 8 | high << 16
        self._names: NDArray[np.int32] = (zigzag >> 1) ^ -(zigzag & 1)
        if relative:
            self._names += np.repeat(np.arange(len(self.words), dtype=np.int32), np.diff(self._ends[::4]))

    def names(self, place: int, part: int | None = None) -> list[int]:
        """The names of the lemma at this place as one part of speech, or as any."""
        first, last = (4 * place, 4 * place + 4) if part is None else (4 * place + part, 4 * place + part + 1)
        found: list[int] = self._names[self._ends[first] : self._ends[last]].tolist()
        return found


class Synonyms:
    """The synonyms of a word in WordNet, whatever its part of speech, as METEOR uses them."""

    def __init__(self, data: bytes) -> None:
        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("not a synonym table")
        lengths = struct.unpack_from(f"<{_SECTIONS}I", data, len(_MAGIC))
        ends = np.cumsum((len(_MAGIC) + 4 * _SECTIONS, *lengths)).tolist()
        self._packed = [data[start:end] for start, end in pairwise(ends)]
        self._single = _Lemmas(self._packed[:3], relative=True)
        irregular = zlib.decompress(self._packed[6]).decode("ascii")
        self._irregular = dict(line.split(" ", 1) for line in irregular.split("\n"))
        self._compound_lemmas: _Lemmas | None = None

    @property
    def words(self) -> list[str]:
        """Every single-word lemma that has a name in lower case."""
        return self._single.words

    def of(self, word: str) -> set[str]:
        """The single-word lower-case names in all synsets of a lower-case word or its lemmas, and the word itself."""
        words = self._single.words
        found = {words[name] for name in self._places(word)}
        found.add(word)
        return found

    def base_of(self, form: str) -> str | None:
        """The lemma of an irregular form, or the form itself where it only looks inflected; None for other words.

        Of several parts of speech the last counts (noun, verb, adjective, adverb), as in the tables of ROUGE-1.5.5.
        """
        if form not in self._irregular:
            return None
        return self._irregular[form].split(":")[-1].split(",")[0] or form

    def _places(self, word: str) -> Iterable[int]:
        places = self._names(word, None)
        irregular: tuple[int, ...] = ()
        if word in self._irregular:
            entries = [entry.split(":") for entry in self._irregular[word].split(" ")]
            irregular = tuple(_PARTS.index(part) for part, _ in entries)
            for (_, lemmas), part in zip(entries, irregular, strict=True):
                for lemma in filter(None, lemmas.split(",")):
                    places += self._names(lemma, part)
        for part, ending, instead in _INFLECTIONS.get(word[-1:], ()):
            if word.endswith(ending) and part not in irregular:
                places += self._names(word[: -len(ending)] + instead, part)
        return places

    def _names(self, lemma: str, part: int | None) -> list[int]:
        lemmas = self._compounds if "_" in lemma else self._single
        place = lemmas.places.get(lemma)
        return [] if place is None else lemmas.names(place, part)

    @property
    def _compounds(self) -> _Lemmas:
        """Lemmas with an underscore, which words of a text hardly ever have: not read before one does."""
        if self._compound_lemmas is None:
            self._compound_lemmas = _Lemmas(self._packed[3:6], relative=False)
        return self._compound_lemmas


@cache
def synonyms() -> Synonyms:
    """The table that comes with the package."""
    return Synonyms((files("dialgauge.metrics") / "wordnet" / "table.bin").read_bytes())
