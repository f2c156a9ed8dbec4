"""The measures of agreement by name: how each is computed, when it has no value, and what its value means in words."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings._alpha import Statistic, alpha_statistic
from dialgauge.ratings._frame import Matrix
from dialgauge.ratings._kappa import (
    cohen_statistic,
    correlation_statistic,
    fleiss_statistic,
    fleiss_units,
    percent_statistic,
)
from dialgauge.ratings._settings import MEASURES, Level, Weights

_LANDIS_KOCH = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"), (1.0, "almost perfect"))


def verdict(measure: str, value: float | None) -> str | None:
    """What a value means in words, where the field has a convention for it.

    κ after Landis and Koch (1977): below 0 poor, up to .20 slight, .40 fair, .60 moderate, .80 substantial, above
    almost perfect. α after Krippendorff (2004): from .80 reliable, from .667 for tentative conclusions only,
    below that not reliable. Shares and correlations have no such convention.
    """
    if measure not in MEASURES:
        raise UnknownNameError("measure of agreement", measure, MEASURES)
    if value is None:
        return None
    if measure == "krippendorff-alpha":
        if value >= 0.8:
            return "reliable"
        return "tentative" if value >= 0.667 else "not reliable"
    if measure in ("cohen-kappa", "fleiss-kappa"):
        # The published bands are .21–.40, .41–.60 …: they are made for two decimals.
        return "poor" if value < 0 else next(word for bound, word in _LANDIS_KOCH if round(value, 2) <= bound)
    return None


def make_statistic(matrix: Matrix, measure: str, level: Level, weights: Weights) -> Statistic:
    """The statistic of a measure on this matrix."""
    match measure:
        case "krippendorff-alpha":
            return alpha_statistic(matrix, level)
        case "cohen-kappa":
            return cohen_statistic(matrix, weights)
        case "fleiss-kappa":
            return fleiss_statistic(matrix)
        case "percent-agreement":
            return percent_statistic(matrix)
        case "pearson" | "spearman":
            return correlation_statistic(matrix, ranks=measure == "spearman")
        case _:
            raise UnknownNameError("measure of agreement", measure, MEASURES)


def setting_of(measure: str, level: Level, weights: Weights) -> str | None:
    """What changes the number of this measure: the level of α, the weights of Cohen's κ."""
    return {"krippendorff-alpha": level, "cohen-kappa": "unweighted" if weights == "none" else weights}.get(measure)


def usable_units(matrix: Matrix, measure: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The units that take part: those with two ratings, for Fleiss' κ those with the same number of them."""
    if measure == "fleiss-kappa":
        return fleiss_units(matrix)
    return np.asarray((~np.isnan(matrix)).sum(axis=1) >= 2)


def why_undefined(matrix: Matrix, measure: str) -> str:
    """Why a measure has no value on this matrix."""
    given = ~np.isnan(matrix)
    if not given.any():
        return "there are no ratings"
    if given.any(axis=0).sum() < 2:
        return "there is only one annotator"
    used = usable_units(matrix, measure)
    if not used.any():
        return "no two annotators rated the same unit"
    if len(np.unique(matrix[used][given[used]])) == 1:
        return "all ratings are equal, so agreement cannot be distinguished from chance"
    return "in every pair, one annotator gave the same value to all units"


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A value, or the reason why there is none."""

    value: float | None
    reason: str | None = None


def krippendorff_alpha(matrix: ArrayLike, level: Level = "interval") -> Coefficient:
    """Krippendorff's α of a matrix of units × annotators; NaN marks a missing rating."""
    return _evaluate(matrix, "krippendorff-alpha", level=level)


def cohen_kappa(matrix: ArrayLike, weights: Weights = "none") -> Coefficient:
    """Cohen's κ of a matrix of units × annotators (the mean over pairs where there are more than two)."""
    return _evaluate(matrix, "cohen-kappa", weights=weights)


def fleiss_kappa(matrix: ArrayLike) -> Coefficient:
    """Fleiss' κ of a matrix of units × annotators, over the units with the commonest number of ratings."""
    return _evaluate(matrix, "fleiss-kappa")


def percent_agreement(matrix: ArrayLike) -> Coefficient:
    """The share of equal pairs among all pairs of ratings of the same unit (0 to 1)."""
    return _evaluate(matrix, "percent-agreement")


def _evaluate(matrix: ArrayLike, measure: str, level: Level = "interval", weights: Weights = "none") -> Coefficient:
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or np.isinf(values).any():
        raise InputError(f"{measure}: expected a matrix of units × annotators with finite values; NaN marks a gap")
    value = make_statistic(values, measure, level, weights)(np.ones((1, len(values))))[0]
    return Coefficient(None, why_undefined(values, measure)) if np.isnan(value) else Coefficient(float(value))
