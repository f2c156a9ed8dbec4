"""The engine of all rater models: what an item is, given its ratings and a table of what each rater says of what.

An item is one of a few *states* (points of a grid of qualities, or labels). A model is a table with a row per rater and
point of the scale and a column per state: the log probability that this rater gives this point to such an item. What
an item is likely to be is then a product of a sparse matrix with that table, and the models learn from the *expected
counts*, which have the size of the table. So the time is linear in the number of ratings, and the memory is that of the
ratings: items are worked through in blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.ratings._values import sparse

#: How many items are worked on at a time: their probabilities then stay in the processor's cache.
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class CodedRatings:
    """Ratings as numbers: of the item, of the rater, of the point among ``points``. Sorted by item, then rater."""

    item: IntArray
    rater: IntArray
    code: IntArray
    points: FloatArray
    items: int
    raters: int

    @property
    def width(self) -> int:
        """The number of rows of a model's table."""
        return self.raters * len(self.points)

    @property
    def row(self) -> IntArray:
        """The row of a model's table that each rating belongs to."""
        return np.asarray(self.rater * len(self.points) + self.code)

    def every(self, step: int) -> "CodedRatings":
        """The ratings of every so manieth item."""
        kept = self.item % step == 0
        items = -(-self.items // step)
        return CodedRatings(self.item[kept] // step, self.rater[kept], self.code[kept], self.points, items, self.raters)


@dataclass(frozen=True, slots=True)
class _Block:
    """Some items: the first, the first rating of theirs and the one after their last, and the ratings as a matrix."""

    first: int
    ratings: slice
    given: Any
    turned: Any


class ItemBlocks:
    """The items of some ratings in blocks, and what is computed of all of them under a model."""

    def __init__(self, coded: CodedRatings) -> None:
        self.coded = coded
        self._blocks = []
        row = coded.row
        for first in range(0, coded.items, _BLOCK):
            last = min(first + _BLOCK, coded.items)
            start, end = np.searchsorted(coded.item, [first, last])
            shape = (last - first, coded.width)
            given = sparse(np.ones(end - start), coded.item[start:end] - first, row[start:end], shape)
            self._blocks.append(_Block(first, slice(int(start), int(end)), given, given.T.tocsr()))

    def states(self, table: FloatArray, prior: FloatArray) -> Iterator[tuple[slice, slice, FloatArray, FloatArray]]:
        """For each block its items, its ratings, P(state | ratings) and the log likelihood of each item's ratings."""
        for block in self._blocks:
            chances = np.asarray(block.given @ table)
            chances += prior
            highest = chances.max(axis=1, keepdims=True)
            chances -= highest
            np.exp(chances, out=chances)
            total = chances.sum(axis=1, keepdims=True)
            chances /= total
            items = slice(block.first, block.first + len(chances))
            yield items, block.ratings, chances, (highest + np.log(total))[:, 0]

    def counts(self, table: FloatArray, prior: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Expected counts of rater, point and state (the table's shape); of each state; the log likelihood of all."""
        found, states, likelihood = np.zeros(table.shape), np.zeros(len(prior)), 0.0
        for block, (_, _, chances, each) in zip(self._blocks, self.states(table, prior), strict=True):
            found += block.turned @ chances
            states += chances.sum(axis=0)
            likelihood += float(each.sum())
        return found, states, likelihood

    def start(self, shares: FloatArray) -> FloatArray:
        """Expected counts where the probabilities of each item's states are given (items × states)."""
        found = np.zeros((self.coded.width, shares.shape[1]))
        for block in self._blocks:
            found += block.turned @ shares[block.first : block.first + block.given.shape[0]]
        return found

    def counts_by_others(self, table: FloatArray, prior: FloatArray) -> FloatArray:
        """Expected counts as in :meth:`counts`, where only the *other* ratings of an item say what it is.

        With few raters per item, a rating agrees with what it has itself decided.
        """
        found = np.zeros(table.shape)
        row = self.coded.row
        for items, ratings, chances, _ in self.states(table, prior):
            rows = row[ratings]
            without = chances[self.coded.item[ratings] - items.start] * np.exp(-table[rows])
            without /= without.sum(axis=1, keepdims=True)
            for state in range(table.shape[1]):
                found[:, state] += np.bincount(rows, without[:, state], minlength=len(table))
        return found

    def means(self, table: FloatArray, prior: FloatArray, of: list[FloatArray]) -> FloatArray:
        """For each rating (rows) the mean over its item's states of what each of these tables has for it (columns)."""
        result = np.empty((len(self.coded.item), len(of)))
        row = self.coded.row
        for items, ratings, chances, _ in self.states(table, prior):
            here = chances[self.coded.item[ratings] - items.start]
            for place, each in enumerate(of):
                result[ratings, place] = np.einsum("ij,ij->i", here, each[row[ratings]])
        return result
