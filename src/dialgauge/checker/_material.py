"""What edits of a summary are made with: the dialogue's speakers and words, other dialogues, and word tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dialgauge.language import nltk_sentences
from dialgauge.models import load_vectors

_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
#: A word is near enough to stand in another's place, and far enough not to mean the same, between these cosines.
NEAR = (0.5, 0.8)
#: Rarer words have unreliable vectors.
_FREQUENT = 30_000
_NEIGHBOURS = 40


@dataclass(frozen=True)
class Source:
    """A dialogue (speaker and text of each turn) with its right summary."""

    key: str
    turns: tuple[tuple[str, str], ...]
    summary: str

    @cached_property
    def text(self) -> str:
        """The dialogue as the checker reads it."""
        return "\n".join(f"{speaker}: {said}" for speaker, said in self.turns)

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """The speakers in the order of their first turns."""
        return tuple(dict.fromkeys(speaker for speaker, _ in self.turns))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, in lower case."""
        return frozenset(word.lower() for word in _WORD.findall(self.text))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the summary."""
        return tuple(nltk_sentences(self.summary))

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The speakers that the summary mentions, as it mentions them (a first name counts)."""
        found = []
        for speaker in self.speakers:
            for form in dict.fromkeys((speaker, speaker.split()[0] if speaker.split() else speaker)):
                if len(form) > 1 and mention(form).search(self.summary):
                    found.append(form)
                    break
        return tuple(dict.fromkeys(found))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Forms to call all speakers by: as the summary does, else as the dialogue does."""
        forms = {speaker: speaker for speaker in self.speakers}
        for form in self.named:
            for speaker in self.speakers:
                if speaker == form or speaker.split()[:1] == [form]:
                    forms[speaker] = form
        return tuple(dict.fromkeys(forms.values()))

    @cached_property
    def capitals(self) -> tuple[str, ...]:
        """Capitalised words inside sentences of the turns: mostly names of people, places and things."""
        return tuple(dict.fromkeys(word for _, said in self.turns for word in _CAPITAL.findall(said)))


def mention(name: str) -> re.Pattern[str]:
    """A name as a word of its own."""
    return re.compile(rf"(?<![\w#]){re.escape(name)}(?![\w#])")


@dataclass(frozen=True)
class Material:
    """The dialogues, to take foreign clauses from, and the nearest words of each word."""

    sources: Sequence[Source]
    vectors: str = "embedded:glove-50d"
    _near: dict[str, tuple[tuple[str, float], ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def _table(self) -> tuple[list[str], Mapping[str, int], np.ndarray]:
        vectors = load_vectors(self.vectors)
        words = [word for word, _ in zip(vectors.rows, range(_FREQUENT), strict=False)]
        matrix = vectors.of(words).astype(np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-9
        return words, {word: row for row, word in enumerate(words)}, matrix

    def rank(self, word: str) -> int:
        """The place of a word by frequency (the table is in that order); one beyond the table for others."""
        return self._table[1].get(word, _FREQUENT)

    def cosine(self, first: str, second: str) -> float | None:
        """How near two words are; None where one has no vector."""
        _, rows, matrix = self._table
        a, b = rows.get(first), rows.get(second)
        return None if a is None or b is None else float(matrix[a] @ matrix[b])

    def near(self, word: str) -> tuple[tuple[str, float], ...]:
        """The nearest words with their cosines, the nearest first."""
        if word not in self._near:
            words, rows, matrix = self._table
            row = rows.get(word)
            if row is None:
                self._near[word] = ()
            else:
                cosines = matrix @ matrix[row]
                best = np.argpartition(-cosines, _NEIGHBOURS)[:_NEIGHBOURS]
                best = best[np.lexsort((best, -cosines[best]))]
                self._near[word] = tuple((words[i], float(cosines[i])) for i in best.tolist() if i != row)
        return self._near[word]
