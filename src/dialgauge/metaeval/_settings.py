"""The settings of meta-evaluation: levels, coefficients, what is compared, and how uncertainty is measured."""

from collections.abc import Sequence
from typing import Literal

from dialgauge.errors import InputError
from dialgauge.resampling import Intervals, Resampling
from dialgauge.settings import Settings, Several, setting

#: system: the systems' means; summary: within each dialogue, then averaged; global: all summaries at once.
Level = Literal["system", "summary", "global"]
#: ``mean`` is the mean of the first three. The last two are accuracies in [0, 1], not correlations.
Coefficient = Literal["pearson", "spearman", "kendall", "mean", "pairwise_accuracy", "soft_pairwise_accuracy"]
Interval = Literal["percentile", "bca", "fisher"]
#: ``auto``: Williams for Pearson at system level, the bootstrap where swapping is not possible, else swapped systems.
Test = Literal[
    "auto",
    "permutation-systems",
    "permutation-inputs",
    "permutation-both",
    "permutation-cells",
    "williams",
    "bootstrap",
]

#: What a perturbation does to a dimension of quality.
Effect = Literal["preserves", "degrades-mildly", "degrades"]
#: What the change of a metric is measured in: the spread of systems or of single summaries.
Spread = Literal["auto", "systems", "summaries"]

_PANEL = "References and signs"


class SummaryChoice(Settings):
    """Which summaries are analysed: of which role, and whether references count as systems."""

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


class PairedSettings(SummaryChoice, Resampling):
    """Which scores and ratings are paired, and how intervals are drawn."""


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
    interval: Interval = setting("percentile", "Type of the bootstrap interval.")
    epsilon: float | Literal["calibrated", "held-out"] = setting(
        "calibrated", "Difference up to which two summaries count as tied, for pairwise accuracy.", option=False
    )


class ComparisonSettings(PairedSettings):
    """How two metrics are compared: by which test of the difference of their correlations."""

    level: Level = setting("system", "Level of the correlation.")
    coefficient: Coefficient = setting("pearson", "Correlation coefficient.")
    test: Test = setting("auto", "Test of the difference.")
    metrics: Several[str] | None = setting(None, "Metric of the scores to compare (default: all).", flag="--metric")


class TrustSettings(PairedSettings):
    """How it is decided which metrics can be trusted: what is correlated, at which confidence, how it is checked."""

    level: Level = setting("summary", "Level of the correlation that is shown and tested.")
    coefficient: Literal["pearson", "spearman", "kendall", "mean", "pairwise_accuracy"] = setting(
        "pearson", "Coefficient that is shown and tested."
    )
    metrics: Several[str] | None = setting(
        None, "Metric to judge (default: all that say which summary is better).", flag="--metric", short="-m"
    )
    null_runs: int = setting(
        200, "Number of times the decision is repeated on shuffled ratings; 0 for none.", ge=0, le=100_000
    )
    controls: bool = setting(True, "Compare with controls such as the length, or not.", flag="--controls/--no-controls")


class LabelSettings(Intervals):
    """How metrics are judged by labels and preferences: which, and how thresholds are chosen on other dialogues."""

    metrics: Several[str] | None = setting(
        None, "Metric of the scores to use (default: all).", flag="--metric", short="-m"
    )
    folds: int = setting(5, "Number of parts of the dialogues; a threshold is chosen on all but one.", ge=2, le=100)


class SystemComparisonSettings(SummaryChoice, Intervals):
    """How systems are compared with each other: which, by what, and how p-values are corrected."""

    resamples: int = setting(
        2000,
        "Number of random swaps of the paired test; all ways are tried where there are fewer.",
        ge=20,
        le=1_000_000,
    )
    systems: Several[str] | None = setting(None, "System to compare (default: all).", flag="--system", short="-s")
    baseline: str | None = setting(None, "Compare each system with this one only (default: every two).")
    metrics: Several[str] | None = setting(
        None, "Metric of the scores to use (default: all).", flag="--metric", short="-m"
    )
    correction: Literal["holm", "benjamini-hochberg", "none"] = setting(
        "holm", "Correction of p-values over the pairs of systems of each metric or dimension."
    )


def _parse_effects(given: Sequence[str]) -> dict[str, dict[str, str]]:
    effects: dict[str, dict[str, str]] = {}
    for text in given:
        target, equals, value = text.rpartition("=")
        label, colon, dimension = target.rpartition(":")
        if not (equals and colon and label and dimension):
            raise InputError(
                f"--effect: write LABEL:DIMENSION=EFFECT, as in my_label:consistency=degrades; got {text!r}"
            )
        effects.setdefault(label, {})[dimension] = value
    return effects


class RobustnessSettings(Intervals):
    """How the reaction of metrics to perturbed summaries is judged."""

    dimensions: Several[str] | None = setting(
        None, "Dimension whose expected effects count (default: all together).", flag="--dimension", short="-d"
    )
    margin: float = setting(
        0.25, "What counts as no change, in standard deviations between systems.", gt=0, allow_inf_nan=False
    )
    spread: Spread = setting("auto", "What changes are measured in: the spread of systems or of summaries.")
    effects: dict[str, dict[str, Effect]] = setting(
        {},
        "Expected effect of your own variants, as in shout:fluency=degrades.",
        flag="--effect",
        parse=_parse_effects,
    )
    priors: bool = setting(
        False, "Use published mean ratings for perturbed summaries that nobody rated, in the table of correlations."
    )
    failures: int = setting(3, "Number of worst failures to list for each metric.", ge=0)
