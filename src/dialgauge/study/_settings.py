"""How two finished runs are compared."""

from typing import Literal

from dialgauge.resampling import Intervals
from dialgauge.settings import setting


class RunComparisonSettings(Intervals):
    """How changes between two runs are tested."""

    resamples: int = setting(
        10_000,
        "Number of resamples for intervals and tests; with many tests, more are used.",
        ge=20,
        le=1_000_000,
    )
    alpha: float = setting(0.05, "Largest corrected p-value that is significant.", gt=0, lt=1)
    correction: Literal["holm", "benjamini-hochberg"] = setting(
        "holm", "Correction for multiple tests: family-wise error rate (holm), or false discovery rate."
    )
