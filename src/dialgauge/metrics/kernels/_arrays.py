"""What the kernels read: texts as flat arrays of token ids, and sets of target texts."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

IdArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Tokens:
    """The tokens of many texts in one array: text ``t`` has ``ids[starts[t] : starts[t] + lengths[t]]``.

    A text that was not tokenised has length -1. ``breaks`` is 1 at each token that begins a text or, under tokenisers
    that separate lines, a line. Ids are below ``size``.
    """

    ids: NDArray[np.int32]
    breaks: NDArray[np.uint8]
    starts: IdArray
    lengths: IdArray
    size: int

    def of(self, text: int) -> list[int]:
        """The token ids of one text."""
        start = int(self.starts[text])
        ids: list[int] = self.ids[start : start + int(self.lengths[text])].tolist()
        return ids

    def lines(self, text: int) -> list[list[int]]:
        """The token ids of each line of a text that has a token."""
        start, ids = int(self.starts[text]), self.of(text)
        cuts = [*np.flatnonzero(self.breaks[start : start + len(ids)]).tolist(), len(ids)]
        return [ids[begin:end] for begin, end in pairwise(cuts)]

    def line_counts(self) -> IdArray:
        """How many lines with a token each text has; 0 for texts that were not tokenised."""
        before: IdArray = np.concatenate([[0], np.cumsum(self.breaks, dtype=np.int64)])
        counts: IdArray = before[self.starts + np.maximum(self.lengths, 0)] - before[self.starts]
        return counts


@dataclass(frozen=True, eq=False, slots=True)
class TargetSets:
    """Sets of target texts: item ``i`` is compared with ``texts[offsets[s] : offsets[s + 1]]``, ``s = of_item[i]``."""

    of_item: IdArray
    offsets: IdArray
    texts: IdArray

    @classmethod
    def single(cls, targets: IdArray, size: int) -> "TargetSets":
        """One target text for each item; text ids lie below ``size``."""
        return cls(targets, np.arange(size + 1, dtype=np.int64), np.arange(size, dtype=np.int64))

    @classmethod
    def several(cls, targets: IdArray, offsets: IdArray) -> "TargetSets":
        """Item ``i`` has the targets ``targets[offsets[i] : offsets[i + 1]]``; equal ones become one set."""
        flat, cuts = targets.tolist(), offsets.tolist()
        numbers: dict[tuple[int, ...], int] = {}
        of_item = [numbers.setdefault(tuple(flat[begin:end]), len(numbers)) for begin, end in pairwise(cuts)]
        sizes = np.array([len(texts) for texts in numbers], dtype=np.int64)
        return cls(
            np.array(of_item, dtype=np.int64),
            np.concatenate([[0], np.cumsum(sizes)]),
            np.array([text for texts in numbers for text in texts], dtype=np.int64),
        )
