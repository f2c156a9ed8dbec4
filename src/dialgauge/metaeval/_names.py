"""The vocabulary of this room: level × coefficient × what is resampled."""

from collections.abc import Iterable
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from dialgauge.errors import ParameterError, UnknownNameError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

#: system: the systems' means; summary: within each dialogue, then averaged; global: all summaries at once.
Level = Literal["system", "summary", "global"]
#: ``mean`` is the mean of the first three. The last two are accuracies in [0, 1], not correlations.
Coefficient = Literal["pearson", "spearman", "kendall", "mean", "pairwise_accuracy", "soft_pairwise_accuracy"]
#: What a new study would draw anew: other systems, other inputs (dialogues), or both.
Resample = Literal["systems", "inputs", "both"]
Interval = Literal["percentile", "bca", "fisher"]

LEVELS: tuple[Level, ...] = get_args(Level)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
#: Those that the resampling engine computes directly.
BASE: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
RESAMPLES: tuple[Resample, ...] = get_args(Resample)
INTERVALS: tuple[Interval, ...] = get_args(Interval)

T = TypeVar("T", bound=str)


def check_name(kind: str, name: str, known: tuple[T, ...]) -> T:
    """The name, if it is one of those known; else an error that offers the nearest."""
    for one in known:
        if one == name:
            return one
    raise UnknownNameError(kind, name, known)


def check_names(kind: str, names: str | Iterable[str], known: tuple[T, ...]) -> tuple[T, ...]:
    """Several names, in the order given and without repeats; a bare string stands for itself."""
    wanted = (names,) if isinstance(names, str) else tuple(names)
    if not wanted:
        raise ParameterError("metaeval", kind, f"at least one of {', '.join(known)}", "none")
    return tuple(dict.fromkeys(check_name(kind, name, known) for name in wanted))


def check_resampling(owner: str, resamples: int, confidence: float, seed: int) -> None:
    """Refuse settings that would give nonsense rather than an error further down."""
    if resamples < 0 or (0 < resamples < 20):
        raise ParameterError(owner, "resamples", "0 (no interval) or at least 20", resamples)
    if not 0 < confidence < 1:
        raise ParameterError(owner, "confidence", "between 0 and 1", confidence)
    if seed < 0:
        raise ParameterError(owner, "seed", "0 or more", seed)
