"""A summary beside its dialogue: how far each statement covers each word, and which turns each sentence is about."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialgauge.checks._claims import PLACEHOLDER, Claims, read_claims
from dialgauge.checks._source import Source
from dialgauge.checks._values import Value, same, values_of
from dialgauge.checks._words import Floats, lexicon, likeness, stem_of

#: How much the turns beside a turn, and equal values in it, count for the choice of the turn.
_BESIDE, _VALUES = 0.5, 0.3
#: Another turn is evidence too if it covers nearly as much.
_NEARLY = 0.8


@dataclass(frozen=True, slots=True)
class Aligned:
    """The turns that a sentence is about, the best first, and how far the best covers its words."""

    turns: tuple[int, ...]
    covered: float

    def window(self, count: int) -> list[int]:
        """These turns and those beside them."""
        return sorted({k for turn in self.turns for k in range(max(turn - 1, 0), min(turn + 2, count))})


@dataclass(frozen=True, slots=True)
class NearestTurn:
    """The statement of a turn that comes nearest to some words of a summary; ``turn`` counts from 0."""

    turn: int
    span: tuple[int, int]
    text: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """A summary and a dialogue. ``row`` is the row of ``cover`` (words × statements) of each content token."""

    claims: Claims
    source: Source
    row: dict[int, int]
    rarity: Floats
    cover: Floats
    values: tuple[Value, ...]

    def matches(self, words: Sequence[int]) -> Floats:
        """How far each statement covers these content words, the rarer the more."""
        rows = [self.row[i] for i in words if i in self.row]
        total = float(self.rarity[rows].sum()) if rows else 0.0
        if not total:
            return np.zeros(self.cover.shape[1], dtype=np.float32)
        result: Floats = (self.rarity[rows] @ self.cover[rows]) / np.float32(total)
        return result

    def nearest(self, span: tuple[int, int]) -> NearestTurn | None:
        """The statement nearest to the clause around some words, or else to their sentence."""
        around = [c for c in self.claims.clauses if c.words and c.span[0] <= span[0] and span[1] <= c.span[1]]
        inner = min(around, key=lambda clause: clause.span[1] - clause.span[0], default=None)
        sentence = sum(start <= span[0] for start, _ in self.claims.sentences) - 1
        for words in ([] if inner is None else inner.words, self.claims.content(max(sentence, 0))):
            matches = self.matches(words)
            if len(matches) and matches.max() > 0:
                statement = self.source.statements[int(matches.argmax())]
                said = self.source.turns[statement.turn].text[slice(*statement.span)]
                return NearestTurn(statement.turn, statement.span, said.strip())
        return None

    def align(self, sentence: int) -> Aligned:
        """The turns that a sentence is about; none if no turn has any of its words or values."""
        source, turns = self.source, len(self.source.turns)
        rows = [self.row[i] for i in self.claims.content(sentence) if i in self.row]
        scores = np.zeros(turns)
        covered = np.zeros(turns)
        if rows and len(source.turn_starts):
            present = source.turn_of[source.turn_starts]
            by_turn = np.zeros((len(rows), turns), dtype=np.float32)
            by_turn[:, present] = np.maximum.reduceat(self.cover[rows], source.turn_starts, axis=1)
            weights = self.rarity[rows] / self.rarity[rows].sum()
            beside = by_turn.copy()
            beside[:, 1:] = np.maximum(beside[:, 1:], by_turn[:, :-1])
            beside[:, :-1] = np.maximum(beside[:, :-1], by_turn[:, 1:])
            covered = weights @ by_turn
            scores = covered + _BESIDE * (weights @ beside)
        start, end = self.claims.sentences[sentence]
        for value in self.values:
            if start <= value.start < end:
                scores += [_VALUES * any(same(value, other) for other in several) for several in source.values]
        if not turns or scores.max() <= 0:
            return Aligned((), 0.0)
        best = int(scores.argmax())
        near = [int(k) for k in np.argsort(-scores, kind="stable")[1:3] if scores[k] >= _NEARLY * scores[best]]
        return Aligned((best, *near), float(covered[best]))


def compare(text: str, source: Source, parser: str, vectors: str) -> Comparison:
    """Parse a summary and look its words up in the dialogue."""
    claims, words = read_claims(text, source.speakers, parser), lexicon(vectors)
    row: dict[int, int] = {}
    stems: list[str] = []
    rows: list[Floats] = []
    rarity: list[float] = []
    wanted = {i for s in range(len(claims.sentences)) for i in claims.content(s)}
    for i in sorted(wanted | {i for clause in claims.clauses for i in clause.words}):
        token = claims.tokens[i]
        word = words.word(token.text)
        if word.stop or not token.text[0].isalnum():
            continue
        row[i] = len(rows)
        lemma = stem_of(token.lemma)
        stems.append(word.stem if word.stem in source.known_stems or token.pos == "PROPN" else lemma)
        rows.append(word.vector)
        rarity.append(word.rarity)
    if rows and len(source.starts):
        likely = likeness(stems, np.stack(rows), source.stems, source.vectors)
        cover = np.maximum.reduceat(likely[:, source.flat], source.starts, axis=1)
    else:
        cover = np.zeros((len(rows), len(source.statements)), dtype=np.float32)
    return Comparison(claims, source, row, np.array(rarity, dtype=np.float32), cover, _values(claims))


def _values(claims: Claims) -> tuple[Value, ...]:
    """The values of a summary without what is in a speaker's name: the 1 of ``#Person 1#``."""
    named = [claims.tokens[i] for i in claims.mentions]
    hidden = [match.span() for match in PLACEHOLDER.finditer(claims.text)]
    taken = [*((token.start, token.end) for token in named), *hidden]
    return tuple(v for v in values_of(claims.text) if not any(start < v.end and v.start < end for start, end in taken))
