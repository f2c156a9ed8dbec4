"""A job: the items that one metric has to score, as ids of the text table."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np

from dialgauge.metrics._metric import FloatArray, Target
from dialgauge.metrics._texts import IdArray, TextTable

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Job:
    """Items to score: a hypothesis each, with one target or several (references), or none.

    Item ``i`` has the targets ``target_ids[offsets[i]:offsets[i + 1]]``, at least one unless ``target`` is ``"none"``.
    With ``"both"`` the first is the source and the others are references.
    ``groups`` numbers the system of each item without gaps, for metrics of the system level. Metrics of one scoring run
    that have the same target share one job, so ``memo`` serves every metric of a family.
    """

    texts: TextTable
    target: Target
    hypothesis_ids: IdArray
    target_ids: IdArray
    offsets: IdArray
    groups: IdArray
    _shared: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.hypothesis_ids)

    @property
    def pair_items(self) -> IdArray:
        """The item that each (hypothesis, target) pair belongs to."""
        if len(self.target_ids) == len(self) and self.target != "none":  # each has one target: there is no item without
            return np.arange(len(self))
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def pair_hypothesis_ids(self) -> IdArray:
        """The hypothesis of each pair; ``target_ids`` holds its target."""
        if len(self.target_ids) == len(self) and self.target != "none":
            return self.hypothesis_ids
        return self.hypothesis_ids[self.pair_items]

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Share an intermediate result between the metrics that run on this job."""
        if key not in self._shared:
            self._shared[key] = make()
        result: T = self._shared[key]
        return result

    def over_targets(self, per_pair: FloatArray, how: Literal["best", "mean"]) -> FloatArray:
        """One number per item from one per pair: the largest, or the mean over the item's targets."""
        if len(self) == 0:
            return np.zeros(0)
        if how == "best":
            return np.maximum.reduceat(per_pair, self.offsets[:-1])
        return np.add.reduceat(per_pair, self.offsets[:-1]) / np.diff(self.offsets)
