"""Random choices. Each purpose has its own stream, derived from the seed, so that no choice depends on another.

All metrics and dimensions of one analysis share the same draws: differences between metrics are paired, and a metric's
interval does not change when another metric is added.
"""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._names import BoolArray, FloatArray, Resample

_STREAMS = {"systems": 1, "inputs": 2, "swap-systems": 3, "swap-inputs": 4, "swap-cells": 5, "signs": 6, "halves": 7}
_STREAMS |= {"shuffle-systems": 8, "shuffle-inputs": 9, "null": 10, "best": 11, "verdict": 12}

#: Resamples that are drawn at once: small arrays are reused by the allocator, large ones cost a page fault per page.
_BLOCK = 128


def stream(seed: int, purpose: str) -> np.random.Generator:
    """The generator of one purpose."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, _STREAMS[purpose]])))


@dataclass(frozen=True, slots=True)
class Weights:
    """Resamples as counts: how often each one contains a system (resamples × systems) and a dialogue.

    Drawing rows and columns of a matrix with replacement is the same as weighting them with these counts, and sums
    under weights are matrix products: that is where the speed of this room comes from.
    """

    systems: FloatArray
    dialogues: FloatArray

    def __len__(self) -> int:
        return len(self.systems)

    def part(self, start: int, stop: int) -> "Weights":
        """Some of the resamples."""
        return Weights(self.systems[start:stop], self.dialogues[start:stop])


def count_draws(draws: np.ndarray, size: int) -> FloatArray:
    """Indices drawn (resamples × draws) as counts (resamples × size)."""
    counts = np.empty((len(draws), size))
    for start in range(0, len(draws), _BLOCK):
        _count_into(counts[start : start + _BLOCK], draws[start : start + _BLOCK])
    return counts


def _count_into(counts: FloatArray, draws: np.ndarray) -> None:
    rows, size = counts.shape
    cells = np.arange(0, rows * size, size)[:, None] + draws
    counts[:] = np.bincount(cells.ravel(), minlength=rows * size).reshape(rows, size)


def no_resampling(m: int, n: int) -> Weights:
    """The data as they are, as the one resample that contains everything once."""
    return Weights(np.ones((1, m)), np.ones((1, n)))


def bootstrap_weights(m: int, n: int, resamples: int, resample: Resample, seed: int) -> Weights:
    """Systems, inputs, or both, drawn with replacement."""

    def draw(purpose: str, size: int, wanted: bool) -> FloatArray:
        if not wanted:
            return np.ones((resamples, size))
        generator, counts = stream(seed, purpose), np.empty((resamples, size))
        narrow = np.uint16 if size <= 1 << 16 else np.int64
        for start in range(0, resamples, _BLOCK):
            block = counts[start : start + _BLOCK]
            _count_into(block, generator.integers(0, size, size=block.shape, dtype=narrow))
        return counts

    return Weights(draw("systems", m, resample != "inputs"), draw("inputs", n, resample != "systems"))


def jackknife_weights(m: int, n: int, resample: Resample) -> Weights:
    """Each system (or each input) left out once."""
    if resample == "systems":
        return Weights(1.0 - np.eye(m), np.ones((m, n)))
    return Weights(np.ones((n, m)), 1.0 - np.eye(n))


def swap_masks(purpose: str, resamples: int, *shape: int, seed: int) -> BoolArray:
    """Fair coins: what a permutation test swaps."""
    return stream(seed, purpose).integers(0, 2, size=(resamples, *shape), dtype=np.int8).astype(bool)
