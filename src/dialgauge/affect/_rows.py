"""The data that PSentScore compares: the shares of dialogues, and of each summary (or control) of one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dialgauge.affect._association import FloatArray
from dialgauge.affect._controls import Entry
from dialgauge.affect._psent import (
    IntArray,
    check_settings,
    count_parts,
    own_counts,
    parts_of,
    tag_texts,
)
from dialgauge.affect._settings import Denominator, Tags
from dialgauge.affect._tagger import Tagger
from dialgauge.affect._words import split_words
from dialgauge.corpus import Dialogue

REFERENCES = "references"


@dataclass(frozen=True, eq=False)
class Rows:
    """Texts beside dialogues: the dialogue of each, its shares (rows, parts), those of its own words, its length.

    ``own`` has affective words that do not occur in the dialogue, as a share of all words. Texts without words are
    not among the rows; ``empty`` says how many there were.
    """

    dialogues: IntArray
    shares: FloatArray
    own: FloatArray
    words: FloatArray
    empty: int

    def means(self) -> "Rows":
        """One row per dialogue: the mean over its texts."""
        numbers, where = np.unique(self.dialogues, return_inverse=True)
        sizes = np.bincount(where, minlength=len(numbers)).astype(np.float64)
        columns = np.column_stack([self.shares, self.own, self.words])
        sums = np.zeros((len(numbers), columns.shape[1]))
        np.add.at(sums, where, columns)
        shares, own, words = np.split(
            sums / sizes[:, None], np.cumsum([self.shares.shape[1], self.own.shape[1]]), axis=1
        )
        return Rows(numbers, shares, own, words[:, 0], self.empty)


@dataclass(frozen=True, eq=False)
class Ground:
    """The dialogues as they were counted, and how.

    ``said`` holds all words of each whole dialogue in lower case, the names of those who speak among them: Grace is no
    grace.

    The share of a dialogue without words is 0, so that it is left out with those that have no affective word.
    """

    tagger: Tagger
    parts: tuple[str, ...]
    denominator: Denominator
    tags: Tags
    shares: FloatArray
    words: FloatArray
    said: tuple[frozenset[str], ...]

    @classmethod
    def of(
        cls,
        dialogues: Sequence[Dialogue],
        whole: Sequence[Dialogue],
        tagger: Tagger,
        denominator: Denominator,
        tags: Tags,
    ) -> "Ground":
        """Tag and count the dialogues, which may be one side of those that are given as ``whole``."""
        check_settings(denominator, tags)
        parts = parts_of(tagger)
        tagged = tag_texts([dialogue.text for dialogue in dialogues], tagger, speakers=True)
        counted = count_parts(tagged, parts, denominator, tags)
        shares = np.stack([counted.share(part) for part in parts], axis=1)
        words = count_parts(tagged, parts).total.astype(np.float64)
        said = tuple(map(_said, whole))
        return cls(tagger, parts, denominator, tags, np.nan_to_num(shares), words, said)

    def rows(self, texts: Sequence[Entry]) -> Rows:
        """Tag and count texts, each beside its dialogue."""
        tagged = tag_texts([text for _, text in texts], self.tagger)
        counted = count_parts(tagged, self.parts, self.denominator, self.tags)
        words = count_parts(tagged, self.parts).total.astype(np.float64)
        shares = np.stack([counted.share(part) for part in self.parts], axis=1)
        own = np.zeros((len(texts), len(self.parts)))
        for row, ((dialogue, _), text) in enumerate(zip(texts, tagged, strict=True)):
            own[row] = own_counts(text, self.said[dialogue], self.parts)
        kept = words > 0
        numbers = np.array([dialogue for dialogue, _ in texts], dtype=np.int64)[kept]
        empty = int(np.count_nonzero(~kept))
        return Rows(numbers, shares[kept], own[kept] / words[kept, None], words[kept], empty)

    def constant(self) -> Rows:
        """The median share of the affective dialogues as the guess for each."""
        numbers = np.arange(len(self.words))
        affective = [self.shares[self.shares[:, part] > 0, part] for part in range(len(self.parts))]
        middle = np.array([np.median(shares) if len(shares) else 0.0 for shares in affective])
        size = (len(numbers), len(self.parts))
        return Rows(numbers, np.broadcast_to(middle, size), np.zeros(size), np.ones(len(numbers)), 0)


def _said(dialogue: Dialogue) -> frozenset[str]:
    named = {turn.speaker for turn in dialogue.turns} | {turn.role or "" for turn in dialogue.turns}
    lines = "\n".join([*(turn.text for turn in dialogue.turns), *named])
    return frozenset(word.lower() for word in split_words(lines).words)


def entries_of(summaries: pl.DataFrame, place: Mapping[str, int]) -> dict[tuple[str, str], list[Entry]]:
    """The texts of each system by kind and name, then those of all references together."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for dialogue_id, system, kind, text in summaries.select("dialogue_id", "system", "kind", "text").iter_rows():
        key = (kind, REFERENCES) if kind == "reference" else (kind, system)
        found.setdefault(key, []).append((place[dialogue_id], text))
    return dict(sorted(found.items(), key=lambda entry: (entry[0][0] == "reference", entry[0][1])))
