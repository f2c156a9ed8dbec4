"""What is asked of metrics and ratings: levels, coefficients, who takes part, and how uncertainty is measured."""

from typing import Literal

from dialgauge.resampling import Resampling
from dialgauge.settings import Several, setting

#: system: the systems' means; summary: within each dialogue, then averaged; global: all summaries at once.
Level = Literal["system", "summary", "global"]
#: ``mean`` is the mean of the first three. The last two are accuracies in [0, 1], not correlations.
Coefficient = Literal["pearson", "spearman", "kendall", "mean", "pairwise_accuracy", "soft_pairwise_accuracy"]
Interval = Literal["percentile", "bca", "fisher"]
Test = Literal[
    "permutation-systems", "permutation-inputs", "permutation-both", "permutation-cells", "williams", "bootstrap"
]

_PANEL = "References and signs"


class PairedSettings(Resampling):
    """Which scores and ratings are paired: of which role, and whether references count as systems."""

    role: str | None = setting(
        None, "Role whose summaries are analysed (default: the only one that was scored and rated, or overall)."
    )
    with_references: bool = setting(
        False,
        "Count references as systems, or leave them out.",
        flag="--with-references/--without-references",
        panel=_PANEL,
    )
    variant: str = setting("original", "Variant of the summaries that is analysed.", option=False)


class CorrelationSettings(PairedSettings):
    """How metrics are correlated with ratings: levels, coefficients, signs, and how uncertainty is measured."""

    levels: Several[Level] = setting(
        ("system", "summary"), "Level of the correlation.", flag="--level", short="-l", min_length=1
    )
    coefficients: Several[Coefficient] = setting(
        ("pearson", "spearman", "kendall"), "Correlation coefficient.", flag="--coefficient", short="-c", min_length=1
    )
    metrics: Several[str] | None = setting(
        None, "Metric of the scores to use (default: all).", flag="--metric", short="-m"
    )
    oriented: bool = setting(
        True,
        "Flip the sign of lower-is-better metrics (so that larger is better everywhere), or keep it.",
        flag="--oriented/--raw-sign",
        panel=_PANEL,
    )
    interval: Interval = setting("percentile", "Kind of the bootstrap interval.")
    epsilon: float | Literal["calibrated", "held-out"] = setting(
        "calibrated", "Difference up to which two summaries count as tied, for pairwise accuracy.", option=False
    )


class ComparisonSettings(PairedSettings):
    """How two metrics are compared: by which test of the difference of their correlations."""

    level: Level = setting("system", "Level of the correlation.")
    coefficient: Coefficient = setting("pearson", "Correlation coefficient.")
    test: Test = setting("permutation-systems", "Test of the difference.")
    metrics: Several[str] | None = setting(None, "Metric of the scores to compare (default: all).", flag="--metric")
