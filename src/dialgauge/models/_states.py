"""What many summaries share: the encoder's states of a text, cached while they are needed."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ParameterError

State = TypeVar("State")
IdArray = NDArray[np.int64]


class EncoderStates(Generic[State]):
    """States by text id. Missing ones are computed in one call; the least recently used ones are dropped.

    ``encode`` gets the missing ids and gives a state each, in their order. At most ``capacity`` states are kept beyond
    those of the present request, so memory does not grow with the corpus.
    """

    def __init__(self, encode: Callable[[list[int]], Sequence[State]], capacity: int = 256) -> None:
        if capacity < 0:
            raise ParameterError("EncoderStates", "capacity", "at least 0", capacity)
        self._encode = encode
        self._capacity = capacity
        self._states: OrderedDict[int, State] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    def get(self, ids: Iterable[int]) -> dict[int, State]:
        """The states of these texts."""
        wanted = list(dict.fromkeys(int(text_id) for text_id in ids))
        missing = [text_id for text_id in wanted if text_id not in self._states]
        if missing:
            made = self._encode(missing)
            if len(made) != len(missing):
                raise ValueError(f"{len(missing)} texts but {len(made)} states")
            self._states.update(zip(missing, made, strict=True))
        for text_id in wanted:
            self._states.move_to_end(text_id)
        result = {text_id: self._states[text_id] for text_id in wanted}
        while len(self._states) > max(self._capacity, 0):
            self._states.popitem(last=False)
        return result


def windows(hypothesis_ids: IdArray, target_ids: IdArray, texts: int = 512) -> Iterator[IdArray]:
    """Cut pairs into windows of at most about ``texts`` distinct texts, all pairs of a target in one or next windows.

    Gives the positions of the pairs of each window, ordered by target: encode the texts of a window, match its pairs,
    forget them, and a target's states are made once for all its summaries.
    """
    if texts < 2:
        raise ParameterError("windows", "texts", "at least 2", texts)
    order = np.lexsort((hypothesis_ids, target_ids))
    start = 0
    seen: set[int] = set()
    pairs = zip(hypothesis_ids[order].tolist(), target_ids[order].tolist(), strict=True)
    for place, both in enumerate(pairs):
        seen.update(both)
        if len(seen) > texts:
            yield order[start:place]
            start, seen = place, set(both)
    if start < len(order):
        yield order[start:]
