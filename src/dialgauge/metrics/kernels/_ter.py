"""The edits behind translation edit rate, for many pairs of texts."""

import math
from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np

from dialgauge.metrics.kernels._arrays import IdArray, Tokens
from dialgauge.metrics.kernels._native import call, kernel_name

_BEAM = 25  # cells to each side of the diagonal
_MAX_MOVED = 10  # words in a block that moves
_MAX_DISTANCE = 50  # how far apart the block may be in the hypothesis and in the reference
_MAX_CANDIDATES = 1000  # moves tried for one pair before the search gives up
_UNREACHABLE = 1 << 29


def ter_edits(tokens: Tokens, hypotheses: IdArray, references: IdArray) -> IdArray:
    """How many words to insert, delete, replace, or move as a block turn each hypothesis into its reference.

    The search for moves is greedy and keeps to the limits of sacrebleu, which are those of tercom.
    """
    edits = np.zeros(len(hypotheses), dtype=np.int64)
    if kernel_name() == "python":
        for pair, (hypothesis, reference) in enumerate(zip(hypotheses.tolist(), references.tolist(), strict=True)):
            edits[pair] = _count_edits(tokens.of(hypothesis), tokens.of(reference))
    else:
        call(
            "dg_ter",
            tokens.ids,
            tokens.starts,
            tokens.lengths,
            np.ascontiguousarray(hypotheses),
            np.ascontiguousarray(references),
            len(hypotheses),
            edits,
        )
    return edits


class _Move(NamedTuple):
    """A move of a block, in the order of preference: the greatest is the best."""

    gain: int
    length: int
    minus_start: int
    minus_target: int


def _count_edits(words: list[int], reference: list[int]) -> int:
    if not words or not reference:
        return len(words) + len(reference)
    matrix = _Matrix(words, reference)
    moves = tried = 0
    while True:
        best, tried = _best_move(matrix, tried)
        if tried >= _MAX_CANDIDATES or best.gain <= 0:
            return moves + matrix.distance
        words, first, _ = _moved(matrix.words, best.length, -best.minus_start, -best.minus_target)
        matrix.set_words(words, first)
        moves += 1


def _best_move(matrix: "_Matrix", tried: int) -> tuple[_Move, int]:
    """The move that brings the hypothesis nearest to the reference (gain 0: none does), and moves tried so far."""
    words, reference = matrix.words, matrix.reference
    aligned, wrong_words, wrong_references = matrix.trace()
    best = _Move(0, _MAX_MOVED + 1, 0, 0)
    for start, word in enumerate(words):
        if not any(wrong_words[start : start + _MAX_MOVED]):
            continue
        places = matrix.places.get(word, ())
        first = bisect_left(places, start - _MAX_DISTANCE)
        for at in places[first : bisect_right(places, start + _MAX_DISTANCE)]:
            longest = min(_MAX_MOVED, len(words) - start, len(reference) - at)
            for length in range(1, longest + 1):
                if words[start + length - 1] != reference[at + length - 1]:
                    break
                right = not any(wrong_words[start : start + length]) or not any(wrong_references[at : at + length])
                if right or start <= aligned[at] < start + length:
                    continue
                previous = -1
                for position in range(at - 1, at + length):
                    target = 0 if position < 0 else aligned[position] + 1
                    if target == previous:
                        continue
                    previous = target
                    gain = matrix.gain_of(*_moved(words, length, start, target), wanted=max(1, best.gain))
                    best = max(best, _Move(gain, length, -start, -target))
                    tried += 1
                if tried >= _MAX_CANDIDATES:
                    return best, tried
    return best, tried


def _moved(words: list[int], length: int, start: int, target: int) -> tuple[list[int], int, int]:
    """The words with a block moved, and between which positions they differ from what they were."""
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    if target > start + length:  # but a target inside the block moves it by as many words
        target -= length
    return rest[:target] + block + rest[target:], min(start, target), min(len(words), max(start, target) + length)


class _Matrix:
    """The edit distance of a hypothesis from a reference, within a beam: other cells count as unreachable."""

    def __init__(self, words: list[int], reference: list[int]) -> None:
        self.words = words
        self.reference = reference
        self.places: dict[int, list[int]] = {}  # where the reference has a word
        for j, word in enumerate(reference):
            self.places.setdefault(word, []).append(j)
        columns = len(reference) + 1
        ratio = len(reference) / len(words)
        beam = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
        diagonals = [math.floor(i * ratio) for i in range(len(words) + 1)]
        self._low = [max(0, diagonal - beam) for diagonal in diagonals]
        self._high = [min(columns, diagonal + beam) for diagonal in diagonals]
        self._low[0], self._high[0], self._high[-1] = 0, columns, columns
        self._rows = [list(range(columns))]
        self.set_words(words, 0)

    def set_words(self, words: list[int], first: int) -> None:
        """Put the words into another order, which differs from a position on."""
        self.words = words
        del self._rows[first + 1 :]
        for i in range(first + 1, len(words) + 1):
            self._rows.append(self._row(i, words[i - 1], self._rows[-1]))
        self.distance = self._rows[-1][-1]

    def gain_of(self, words: list[int], first: int, end: int, wanted: int) -> int:
        """How much another order of the words lowers the distance; 0 as soon as that is sure to be less than wanted.

        Once the words are the same again, no row can gain more than the row above it.
        """
        row = self._rows[first]
        for i in range(first + 1, len(words) + 1):
            row = self._row(i, words[i - 1], row)
            if i >= end:
                gains = [present - new for present, new in zip(self._rows[i], row, strict=True)]
                if max(gains) < wanted:
                    return 0
                if max(gains) == min(gains):
                    return gains[0]
        return self.distance - row[-1]

    def trace(self) -> tuple[list[int], list[bool], list[bool]]:
        """For each reference word the hypothesis word that it is aligned with or follows; which of both are wrong.

        Replacing is preferred to deleting, and that to inserting.
        """
        i, j = len(self.words), len(self.reference)
        aligned = [-1] * j
        wrong_words, wrong_references = [False] * i, [False] * j
        while i > 0 or j > 0:
            differ = i > 0 and j > 0 and self.words[i - 1] != self.reference[j - 1]
            if i > 0 and j > 0 and self._cell(i - 1, j - 1) + differ == self._cell(i, j):
                aligned[j - 1] = i - 1
                wrong_words[i - 1] = wrong_references[j - 1] = differ
                i, j = i - 1, j - 1
            elif i > 0 and (j == 0 or self._cell(i - 1, j) + 1 == self._cell(i, j)):
                wrong_words[i - 1] = True
                i -= 1
            else:
                aligned[j - 1] = i - 1
                wrong_references[j - 1] = True
                j -= 1
        return aligned, wrong_words, wrong_references

    def _row(self, i: int, word: int, above: list[int]) -> list[int]:
        low, high, above_low, above_high = self._low[i], self._high[i], self._low[i - 1], self._high[i - 1]
        row = []
        left = _UNREACHABLE
        for j in range(low, high):
            if j == 0:
                left = above[0] + 1
            else:
                corner = above[j - 1 - above_low] if above_low < j <= above_high else _UNREACHABLE
                up = above[j - above_low] if j < above_high else _UNREACHABLE
                left = min(corner + (word != self.reference[j - 1]), up + 1, left + 1)
            row.append(left)
        return row

    def _cell(self, i: int, j: int) -> int:
        return self._rows[i][j - self._low[i]] if self._low[i] <= j < self._high[i] else _UNREACHABLE
