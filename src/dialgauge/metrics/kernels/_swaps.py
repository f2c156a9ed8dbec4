"""The swap test of every two systems: how many swaps within dialogues leave them at least as far apart as they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dialgauge.metrics.kernels._native import call, has_kernel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

#: Dialogues whose signed sums are looked up together, as in swaps.c.
_GROUP = 4
#: Sums that Python compares at once: few calls for all swaps, and a pair of rows stays in the cache.
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class Swaps:
    """Ways to swap the values of two systems: ``masks`` (ways × dialogues) says in which dialogues."""

    masks: BoolArray

    def __len__(self) -> int:
        return len(self.masks)

    @cached_property
    def patterns(self) -> NDArray[np.uint8]:
        """Ways × groups of four dialogues, a bit per dialogue."""
        patterns = np.zeros((len(self.masks), -(-self.masks.shape[1] // _GROUP)), dtype=np.uint8)
        for bit in range(_GROUP):
            part = self.masks[:, bit::_GROUP]
            patterns[:, : part.shape[1]] |= part.view(np.uint8) << bit
        return patterns


def swaps_reached(values: FloatArray, swaps: Swaps, distances: FloatArray) -> IntArray:
    """For every two systems, how many of the swaps leave them at least as far apart as ``distances`` says.

    ``values`` are systems × dialogues, and systems are as far apart as the sums of their values, in which those of
    swapped dialogues change sign. Pairs are in the order of ``np.triu_indices(len(values), 1)``.
    """
    reached = np.zeros(len(distances), dtype=np.int64)
    if has_kernel("dg_swaps_reached"):
        by_dialogue = np.ascontiguousarray(values.T, dtype=np.float64)
        call("dg_swaps_reached", by_dialogue, *by_dialogue.shape, swaps.patterns, len(swaps), distances, reached)
        return reached
    whole = values.sum(axis=1, keepdims=True)
    for start in range(0, len(swaps), _BLOCK):
        moved = values @ swaps.masks[start : start + _BLOCK].T.astype(np.float64)
        _count(whole - 2 * moved, distances, reached)
    return reached


def _count(sums: FloatArray, distances: FloatArray, reached: IntArray) -> None:
    """Add to ``reached``, for each pair of rows, in how many columns they are at least this far apart."""
    least, most = sums.min(axis=1), sums.max(axis=1)
    first, second = np.triu_indices(len(sums), 1)
    # Pairs so far apart that no swap of this block can reach their difference need no look.
    near = np.flatnonzero(np.maximum(most[first] - least[second], most[second] - least[first]) >= distances)
    apart = np.empty(sums.shape[1])
    for pair, i, j in zip(near.tolist(), first[near].tolist(), second[near].tolist(), strict=True):
        np.subtract(sums[i], sums[j], out=apart)
        np.abs(apart, out=apart)
        reached[pair] += np.count_nonzero(apart >= distances[pair])
