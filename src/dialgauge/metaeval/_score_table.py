"""What this room needs of scores, which are of a room that it does not import."""

from collections.abc import Mapping
from typing import Protocol

import polars as pl


class ScoreTable(Protocol):
    """What is needed of :class:`dialgauge.metrics.Scores`: a value per summary, per system, and which way is better."""

    @property
    def frame(self) -> pl.DataFrame:
        """The key columns and a column per metric."""

    @property
    def systems(self) -> pl.DataFrame:
        """Metrics with one value per system."""

    @property
    def directions(self) -> Mapping[str, str]:
        """Of each metric: higher, lower or none."""

    @property
    def judging(self) -> list[str]:
        """The metrics that say which summary is better."""
