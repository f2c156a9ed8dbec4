"""Sums of scores over resampled dialogues, which add up to the same bits however a table is cut into parts.

How often a resample has a dialogue is a Poisson number that depends on the seed, the name of the dialogue and the
number of the resample alone: no part needs to know of another, and a further dialogue changes no other's draws.
Values are counted in whole units, so that sums are whole numbers: neither the order nor the size of parts shows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import exp, factorial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dialgauge.arrays import FloatArray
from dialgauge.errors import InputError

Counts = NDArray[np.int64]
#: What a value is counted in; larger values than this cannot be counted.
_UNIT, _LARGEST = 2.0**-30, 2.0**22
#: A sum has a high and a low part, of this many bits.
_BITS = 26
#: Products of doubles are whole numbers up to here.
_EXACT = 2.0**53
#: Dialogues whose weights are made at once.
_BLOCK = 2048
_LANES = 4
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _poisson_table() -> NDArray[np.uint8]:
    """The Poisson number (of mean 1) at each of 65,536 equal steps of probability."""
    reached = np.cumsum([exp(-1.0) / factorial(k) for k in range(20)])
    return np.searchsorted(reached, (np.arange(1 << 16) + 0.5) / (1 << 16)).astype(np.uint8)


_POISSON = _poisson_table()
_MOST = int(_POISSON.max())


def dialogue_weights(names: Sequence[str], resamples: int, seed: int) -> NDArray[np.uint8]:
    """Resamples × dialogues: how often each resample has a dialogue."""
    digests = (blake2b(name.encode(), digest_size=8).digest() for name in names)
    keys = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
    blocks = -(-resamples // _LANES)
    start = _mixed(np.array([seed], dtype=np.uint64) + _GOLDEN)
    counters = _mixed(start + np.arange(1, blocks + 1, dtype=np.uint64) * _GOLDEN)
    drawn = _mixed(_mixed(keys)[None, :] ^ counters[:, None])
    lanes = drawn.astype("<u8", copy=False).view("<u2").reshape(blocks, len(keys), _LANES)
    return np.asarray(_POISSON[lanes].transpose(0, 2, 1).reshape(-1, len(keys))[:resamples])


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the result depends on all."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ (numbers >> np.uint64(31)))


@dataclass(frozen=True, slots=True, eq=False)
class PartSums:
    """Sums of each system and metric (samples × systems × metrics): the data as they are, then the resamples.

    ``high`` and ``low`` are the two parts of sums in units, ``count`` is the number of values.
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    high: Counts
    low: Counts
    count: Counts

    @classmethod
    def of(cls, frame: pl.DataFrame, metrics: Sequence[str], resamples: int, seed: int) -> "PartSums":
        """The sums of some rows with ``dialogue_id``, ``system`` and a column per metric."""
        systems = tuple(frame["system"].unique().sort())
        values, dialogues = _matrix(frame, systems, metrics)
        shape = (resamples + 1, len(systems) * len(metrics))
        high, low, count = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for start in range(0, len(dialogues), _BLOCK):
            names, rows = dialogues[start : start + _BLOCK], values[start : start + _BLOCK]
            weights = np.ones((resamples + 1, len(names)))
            weights[1:] = dialogue_weights(names, resamples, seed)
            known = ~np.isnan(rows)
            for total, more in zip((high, low), _weighted(weights, np.where(known, rows, 0.0)), strict=True):
                total += more
            count += _counted(weights, known)
        cells = (resamples + 1, len(systems), len(metrics))
        return cls(systems, tuple(metrics), *(part.reshape(cells) for part in (*_carried(high, low), count)))

    def merged(self, other: "PartSums") -> "PartSums":
        """The sums of both."""
        systems = tuple(sorted({*self.systems, *other.systems}))
        totals = []
        for own, more in ((self.high, other.high), (self.low, other.low), (self.count, other.count)):
            total = np.zeros((len(own), len(systems), len(self.metrics)), dtype=np.int64)
            for part, names in ((own, self.systems), (more, other.systems)):
                total[:, [systems.index(name) for name in names]] += part
            totals.append(total)
        high, low, count = totals
        return PartSums(systems, self.metrics, *_carried(high, low), count)

    @property
    def means(self) -> FloatArray:
        """Samples × systems × metrics; NaN where a sample has no value."""
        total = (self.high.astype(np.float64) * 2.0**_BITS + self.low) * _UNIT
        return np.asarray(np.divide(total, self.count, out=np.full(total.shape, np.nan), where=self.count > 0))


def merged_sums(parts: Iterable[PartSums]) -> PartSums | None:
    """The sums of all parts."""
    whole: PartSums | None = None
    for part in parts:
        whole = part if whole is None else whole.merged(part)
    return whole


def _matrix(frame: pl.DataFrame, systems: Sequence[str], metrics: Sequence[str]) -> tuple[FloatArray, list[str]]:
    """Dialogues × (systems · metrics) in units; NaN where there is no finite value."""
    dialogues = frame["dialogue_id"].unique().sort().to_list()
    row = (frame["dialogue_id"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    place = (frame["system"].rank("dense").cast(pl.Int64) - 1).to_numpy()
    values = np.full((len(dialogues), len(systems), len(metrics)), np.nan)
    for i, name in enumerate(metrics):
        column = frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        finite = np.isfinite(column)
        largest = np.abs(column[finite]).max(initial=0.0)
        if largest >= _LARGEST:
            raise InputError(
                f"metric {name!r}: {largest:g} is too large for sums of parts, which count up to {_LARGEST:,.0f}; "
                "leave the metric out"
            )
        values[row[finite], place[finite], i] = np.rint(column[finite] / _UNIT)
    return values.reshape(len(dialogues), len(systems) * len(metrics)), dialogues


def _weighted(weights: FloatArray, units: FloatArray) -> tuple[Counts, Counts]:
    """Weighted sums of whole numbers, exactly: in two parts where one would lose bits."""
    if np.abs(units).max(initial=0.0) * _MOST * max(len(units), 1) < _EXACT:
        return np.zeros((len(weights), units.shape[1]), dtype=np.int64), (weights @ units).astype(np.int64)
    high = np.floor(units / 2.0**_BITS)
    return (weights @ high).astype(np.int64), (weights @ (units - high * 2.0**_BITS)).astype(np.int64)


def _carried(high: Counts, low: Counts) -> tuple[Counts, Counts]:
    """The one way to write a sum: a low part from 0 to below 2 to the power of its bits."""
    return high + (low >> _BITS), low & ((1 << _BITS) - 1)


def _counted(weights: FloatArray, known: NDArray[np.bool_]) -> Counts:
    """How many values each sample has; columns that miss the same values are counted once."""
    masks = [mask.tobytes() for mask in np.packbits(known, axis=0).T]
    first = {mask: i for i, mask in reversed(list(enumerate(masks)))}
    place = {mask: k for k, mask in enumerate(first)}
    counted = (weights @ known[:, list(first.values())].astype(np.float64)).astype(np.int64)
    return np.asarray(counted[:, [place[mask] for mask in masks]])
