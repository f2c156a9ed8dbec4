"""The vocabulary of this room: level × coefficient × what is resampled."""

from collections.abc import Mapping
from typing import TypeVar, get_args

from dialgauge.arrays import BoolArray, FloatArray, IntArray
from dialgauge.errors import ParameterError, UnknownNameError
from dialgauge.metaeval._settings import Coefficient, Interval, Level
from dialgauge.resampling import Resample

__all__ = [
    "BASE",
    "COEFFICIENTS",
    "COEFFICIENT_NAMES",
    "INTERVALS",
    "LEVELS",
    "RESAMPLES",
    "BoolArray",
    "Coefficient",
    "FloatArray",
    "IntArray",
    "Interval",
    "Level",
    "Resample",
    "check_name",
    "check_resampling",
]


LEVELS: tuple[Level, ...] = get_args(Level)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
#: What a coefficient is called where its bare name would not say it.
COEFFICIENT_NAMES: Mapping[str, str] = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "mean": "mean of Pearson, Spearman and Kendall",
    "pairwise_accuracy": "pairwise accuracy",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
}
#: Those that the resampling engine computes directly.
BASE: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
RESAMPLES: tuple[Resample, ...] = get_args(Resample)
INTERVALS: tuple[Interval, ...] = get_args(Interval)

T = TypeVar("T", bound=str)


def check_name(kind: str, name: str, known: tuple[T, ...]) -> T:
    """The name, if it is known; otherwise an error that suggests the closest."""
    for one in known:
        if one == name:
            return one
    raise UnknownNameError(kind, name, known)


def check_resampling(owner: str, resamples: int, confidence: float, seed: int) -> None:
    """Refuse settings that would give meaningless results rather than an error later."""
    if resamples < 0 or (0 < resamples < 20):
        raise ParameterError(owner, "resamples", "0 (no interval) or at least 20", resamples)
    if not 0 < confidence < 1:
        raise ParameterError(owner, "confidence", "between 0 and 1", confidence)
    if seed < 0:
        raise ParameterError(owner, "seed", "0 or more", seed)
