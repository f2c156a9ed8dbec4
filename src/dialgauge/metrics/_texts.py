"""The text table: every distinct string once, and what was computed from it."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

IdArray = NDArray[np.int64]
T = TypeVar("T")


class TextTable:
    """Interns strings: equal texts share an id, so whatever is made from a text is made once.

    ``feature`` computes a value per text for the ids that are asked for and have none yet; ``memo`` keeps anything else
    that several metrics share (an overlap count serves ROUGE-1 to ROUGE-4).
    """

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._ids: dict[str, int] = {}
        self._features: dict[Hashable, dict[int, Any]] = {}
        self._memo: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.strings)

    def intern(self, texts: Iterable[str]) -> IdArray:
        """The id of each text."""
        several = list(texts)
        if not self._ids:
            alone = dict(zip(several, range(len(several)), strict=True))
            if len(alone) == len(several):  # no text comes twice, and none has to be looked up
                self._ids, self.strings = alone, several
                return np.arange(len(several))
        ids = self._ids
        number = ids.setdefault
        result = np.array([number(text, len(ids)) for text in several], dtype=np.int64)
        if len(ids) > len(self.strings):
            self.strings = list(ids)
        return result

    def feature(self, name: Hashable, ids: IdArray, make: Callable[[str], T]) -> dict[int, T]:
        """``make(text)`` for each of these ids, computed at most once per text and name; keyed by text id."""
        known = self._features.setdefault(name, {})
        for text_id in np.unique(ids).tolist():
            if text_id not in known:
                known[text_id] = make(self.strings[text_id])
        return known

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """``make()`` the first time, the same object afterwards. The key must name everything that it depends on."""
        if key not in self._memo:
            self._memo[key] = make()
        result: T = self._memo[key]
        return result
