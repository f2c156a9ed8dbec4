"""The measures of agreement by name: how each is computed, when it has no value, and what its value means in words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dialgauge.arrays import BoolArray
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.ratings._alpha import alpha_statistic
from dialgauge.ratings._frame import UnitRatings, ratings_of_matrix
from dialgauge.ratings._gwet import AcWeights, gwet_statistic
from dialgauge.ratings._icc import ICC_FORMS, IccForm, icc_statistic, icc_units
from dialgauge.ratings._kappa import fleiss_statistic, fleiss_units, percent_statistic
from dialgauge.ratings._pairs import PairMeasure, pair_measure
from dialgauge.ratings._settings import MEASURES, Level, Weights
from dialgauge.ratings._values import Statistic

#: Scales with more points than these are sliders.
_MOST_POINTS = 101
_LANDIS_KOCH = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"), (1.0, "almost perfect"))

_KOO_LI = ((0.5, "poor"), (0.75, "moderate"), (0.9, "good"))


def verdict(measure: str, value: float | None) -> str | None:
    """What a value means in words, where the field has a convention for it.

    κ after Landis and Koch (1977): below 0 poor, up to .20 slight, .40 fair, .60 moderate, .80 substantial, above
    almost perfect; Gwet's AC after the same. α after Krippendorff (2004): from .80 reliable, from .667 for tentative
    conclusions only, below that not reliable. Intraclass correlations after Koo and Li (2016): below .50 poor, to .75
    moderate, to .90 good, above excellent. Shares and correlations have no such convention.
    """
    if measure not in MEASURES:
        raise UnknownNameError("measure of agreement", measure, MEASURES)
    if value is None:
        return None
    if measure == "krippendorff-alpha":
        if value >= 0.8:
            return "reliable"
        return "tentative" if value >= 0.667 else "not reliable"
    if measure in ICC_FORMS:
        return next((word for bound, word in _KOO_LI if value < bound), "excellent")
    if measure in ("cohen-kappa", "fleiss-kappa", "gwet-ac1", "gwet-ac2"):
        # The published bands are .21–.40, .41–.60 …: they are made for two decimals.
        return "poor" if value < 0 else next(word for bound, word in _LANDIS_KOCH if round(value, 2) <= bound)
    return None


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure on some ratings: its statistic, the units that take part, why it has no value, what it leaves out."""

    statistic: Statistic
    used: BoolArray
    obstacle: str | None = None
    note: str | None = None

    @classmethod
    def of_pairs(cls, pairs: PairMeasure, used: BoolArray) -> "Measured":
        """A measure of pairs of annotators."""
        return cls(pairs.statistic, used, _too_few(pairs), _left_out(pairs))


def measure_on(
    ratings: UnitRatings,
    measure: str,
    level: Level = "interval",
    weights: AcWeights = "none",
    *,
    minimum_shared: int = 1,
    fleiss_size: int | None = None,
    points: Sequence[float] = (),
) -> Measured:
    """A measure by its name.

    Of measures of pairs of annotators, a pair counts from ``minimum_shared`` shared units on. ``fleiss_size`` is the
    number of ratings that a unit must have for Fleiss' κ, by default the commonest; ``points`` are those of the scale,
    for Gwet's AC.
    """
    paired = ratings.sizes >= 2
    match measure:
        case "krippendorff-alpha":
            return Measured(alpha_statistic(ratings, level), paired)
        case "fleiss-kappa":
            return Measured(fleiss_statistic(ratings, fleiss_size), fleiss_units(ratings, fleiss_size))
        case "percent-agreement":
            return Measured(percent_statistic(ratings), paired)
        case "cohen-kappa" | "pearson" | "spearman":
            if weights == "ordinal":
                raise ParameterError(measure, "weights", "none, linear or quadratic", weights)
            pairs = pair_measure(ratings, measure, weights, minimum_shared)
            return Measured.of_pairs(pairs, np.diff(pairs.statistic.rows.indptr) > 0)
        case "gwet-ac1" | "gwet-ac2":
            every = np.union1d(np.asarray(points, dtype=np.float64), ratings.value)
            kind: AcWeights = "none" if measure == "gwet-ac1" else weights
            obstacle = "Gwet's AC needs a scale with points, not a slider" if len(every) > _MOST_POINTS else None
            return Measured(gwet_statistic(ratings, every.tolist(), kind), paired, obstacle)
        case _ if measure in ICC_FORMS:
            used = icc_units(ratings, measure)
            obstacle = None if used.any() else "no unit was rated by all annotators; icc-1 needs no such units"
            return Measured(icc_statistic(ratings, measure), used, obstacle)
        case _:
            raise UnknownNameError("measure of agreement", measure, MEASURES)


def _too_few(pairs: PairMeasure) -> str | None:
    if not pairs.too_few:
        return None
    verb = "shares" if pairs.counted == 1 else "share"
    return (
        f"only {pairs.counted} of {pairs.met} pairs of annotators {verb} {pairs.minimum} units or more; "
        "Krippendorff's α uses all ratings"
    )


def _left_out(pairs: PairMeasure) -> str | None:
    """Pairs of annotators that are not in the mean over pairs, and why."""
    undefined, few = int(np.isnan(pairs.each).sum()), pairs.met - pairs.counted
    parts = []
    if few:
        parts.append(f"{few} of {pairs.met} pairs of annotators share fewer than {pairs.minimum} units")
    if undefined:
        parts.append(f"{undefined} of {pairs.met} pairs of annotators have no value")
    return f"{' and '.join(parts)} and are left out" if parts else None


def setting_of(measure: str, level: Level, weights: Weights) -> str | None:
    """What changes the number of this measure: the level of α, the weights of Cohen's κ and AC2."""
    weighted = "unweighted" if weights == "none" else weights
    return {"krippendorff-alpha": level, "cohen-kappa": weighted, "gwet-ac2": weighted}.get(measure)


def needs_order(measure: str) -> bool:
    """Whether a measure compares values by their order or distance, whatever the level: names have neither."""
    return measure in ("pearson", "spearman") or measure.startswith("icc")


def why_undefined(ratings: UnitRatings, measured: Measured) -> str:
    """Why a measure has no value on these ratings."""
    if not len(ratings.unit):
        return "there are no ratings"
    if len(np.unique(ratings.annotator)) < 2:
        return "there is only one annotator"
    if not (ratings.sizes >= 2).any():
        return "no two annotators rated the same unit"
    if measured.obstacle:
        return measured.obstacle
    if len(np.unique(ratings.value[measured.used[ratings.unit]])) <= 1:
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
    """Cohen's κ of a matrix of units × annotators (of more than two: the weighted mean over pairs)."""
    return _evaluate(matrix, "cohen-kappa", weights=weights)


def fleiss_kappa(matrix: ArrayLike) -> Coefficient:
    """Fleiss' κ of a matrix of units × annotators, over the units with the commonest number of ratings."""
    return _evaluate(matrix, "fleiss-kappa")


def percent_agreement(matrix: ArrayLike) -> Coefficient:
    """The share of equal pairs among all pairs of ratings of the same unit (0 to 1)."""
    return _evaluate(matrix, "percent-agreement")


def intraclass_correlation(matrix: ArrayLike, form: IccForm = "icc-a1") -> Coefficient:
    """An intraclass correlation of a matrix of units × annotators: one of six forms.

    ``icc-1`` (raters differ from unit to unit), ``icc-a1`` (the same raters; severity counts as disagreement) and
    ``icc-c1`` (the same raters; severity does not count) are of one rater, ``icc-1k``, ``icc-ak`` and ``icc-ck`` of the
    mean of all k. McGraw and Wong write ICC(A,1) for ``icc-a1``.
    """
    return _evaluate(matrix, form)


def gwet_ac1(matrix: ArrayLike, points: Sequence[float] = ()) -> Coefficient:
    """Gwet's AC1 of a matrix of units × annotators; ``points`` of the scale that nobody gave count, too."""
    return _evaluate(matrix, "gwet-ac1", points=points)


def gwet_ac2(matrix: ArrayLike, points: Sequence[float] = (), weights: AcWeights = "quadratic") -> Coefficient:
    """Gwet's AC2, with quadratic, linear or ordinal weights of the points' places."""
    return _evaluate(matrix, "gwet-ac2", weights=weights, points=points)


def _evaluate(
    matrix: ArrayLike,
    measure: str,
    level: Level = "interval",
    weights: AcWeights = "none",
    points: Sequence[float] = (),
) -> Coefficient:
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or np.isinf(values).any():
        raise InputError(f"{measure}: expected a matrix of units × annotators with finite values; NaN marks a gap")
    ratings = ratings_of_matrix(values)
    measured = measure_on(ratings, measure, level, weights, points=points)
    value = measured.statistic.value
    return Coefficient(None, why_undefined(ratings, measured)) if np.isnan(value) else Coefficient(value)
