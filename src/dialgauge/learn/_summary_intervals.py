"""Intervals of single summaries: how far a prediction may be from the mean rating, for a new system like these."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.learn._procedure import Data

#: One row of :attr:`SummaryIntervals.systems`.
SYSTEMS = pl.Schema({"system": pl.String, "summaries": pl.Int64, "half_width": pl.Float64, "coverage": pl.Float64})


@dataclass(frozen=True, slots=True, eq=False)
class SummaryIntervals:
    """Prediction ± ``half_width`` holds the mean rating of a summary in ``level`` of cases, each system weighing alike.

    ``coverage`` was measured: of each of the ``systems`` with the width that the others give. It is an average over
    systems; ``worst`` names the one with the least. ``guaranteed`` is the half width that holds on average for a new
    system whatever the systems are like (infinite where they are too few).
    """

    level: float
    half_width: float
    coverage: float
    worst: str
    worst_coverage: float
    guaranteed: float
    systems: pl.DataFrame

    def as_dict(self) -> dict[str, Any]:
        """Without the systems, for a card."""
        kept = {name: value for name, value in asdict(self).items() if name != "systems"}
        return kept | {"guaranteed": None if np.isinf(self.guaranteed) else self.guaranteed}


def summary_intervals(data: Data, predicted: FloatArray, level: float) -> SummaryIntervals | None:
    """From the errors of held-out predictions, by system (conformal); None for fewer than three systems.

    Summaries of one system are alike and those of another differ, so that pooled errors would promise too much.
    """
    known = ~np.isnan(predicted)
    systems = data.keys["system"].to_numpy()
    errors = {name: np.abs(data.y - predicted)[known & (systems == name)] for name in np.unique(systems[known])}
    if len(errors) < 3:
        return None
    rows = []
    for name, own in errors.items():
        others = [part for other, part in errors.items() if other != name]
        width = _quantile(others, level)
        rows.append((str(name), len(own), width, float(np.mean(own <= width + 1e-9))))
    frame = pl.DataFrame(rows, schema=SYSTEMS, orient="row")
    worst = frame.sort("coverage", "system").row(0, named=True)
    everyone = list(errors.values())
    # A new system counts as one more, whose errors are taken to be beyond all bounds.
    share = level * (len(everyone) + 1) / len(everyone)
    return SummaryIntervals(
        level,
        _quantile(everyone, level),
        float(np.mean([row[3] for row in rows])),
        worst["system"],
        worst["coverage"],
        _quantile(everyone, share) if share <= 1 else float("inf"),
        frame,
    )


def _quantile(parts: list[FloatArray], level: float) -> float:
    """The quantile of errors, every system weighing alike."""
    errors = np.concatenate(parts)
    weights = np.concatenate([np.full(len(part), 1 / (len(parts) * len(part))) for part in parts])
    order = np.argsort(errors, kind="stable")
    reached = int(np.searchsorted(np.cumsum(weights[order]), level - 1e-12))
    return float(errors[order][min(reached, len(errors) - 1)])
