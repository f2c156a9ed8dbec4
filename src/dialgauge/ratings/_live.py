"""Agreement and outliers of ratings that somebody keeps as arrays, for a page that shows them while people rate.

The values are those of :func:`agreement` and :func:`outliers`. Cohen's κ of more than ten annotators is computed from
sums over pairs of them, as products of matrices, and has no interval: resampling thousands of pairs takes seconds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray
from dialgauge.corpus import KEY
from dialgauge.ratings._agreement import _choice_for, _estimate
from dialgauge.ratings._frame import UnitRatings
from dialgauge.ratings._kappa import commonest_size
from dialgauge.ratings._measures import Measured, setting_of, verdict, why_undefined
from dialgauge.ratings._outliers import profiles
from dialgauge.ratings._pairs import PairMeasure, least_shared
from dialgauge.ratings._scales import ScaleKind
from dialgauge.ratings._settings import AgreementSettings, OutlierSettings, Weights
from dialgauge.ratings._values import Statistic, sparse

#: Up to so many annotators Cohen's κ has an interval.
_PANEL = 10
#: Matrices of units × annotators with more cells than this stay sparse.
_MOST_CELLS = 20_000_000


def live_agreement(
    ratings: UnitRatings, kind: ScaleKind, settings: AgreementSettings, *, panel: int = _PANEL
) -> list[dict[str, Any]]:
    """The rows that :func:`agreement` has for one dimension, whose scale is of this kind.

    Up to ``panel`` annotators Cohen's κ has an interval.
    """
    chosen = _choice_for(kind, settings.level, settings.weights)
    clusters = ratings.clusters(KEY if settings.resample == "summary" else ("dialogue_id",))
    rows = []
    for measure in settings.measures:
        crowd = measure == "cohen-kappa" and chosen.weights != "linear" and len(ratings.annotators) > panel
        rows.append(
            _crowd_kappa(ratings, chosen.weights, settings.minimum_shared)
            if crowd
            else _estimate(ratings, measure, chosen, clusters, commonest_size(ratings), (), settings)
        )
    empty = dict.fromkeys(("value", "low", "high", "verdict", "note"))
    return [{**empty, **row} for row in rows]


def live_outliers(ratings: UnitRatings, settings: OutlierSettings) -> list[dict[str, Any]]:
    """The rows that :func:`outliers` has for one dimension."""
    empty = dict.fromkeys(("alpha_without", "rise", "low", "high", "note"))
    return [{**empty, **row} for row in profiles(ratings, settings)]


@dataclass(frozen=True, slots=True)
class _PairSums:
    """Sums over the units that two annotators share, as matrices of annotators × annotators."""

    shared: FloatArray
    disagreement: FloatArray
    expected: FloatArray


def _crowd_kappa(ratings: UnitRatings, weights: Weights, minimum: int) -> dict[str, Any]:
    """The mean of Cohen's κ over pairs, weighted by shared units."""
    given = _matrix(ratings, np.ones(len(ratings.value)))
    sums = _nominal_sums(ratings, given) if weights == "none" else _quadratic_sums(ratings, given)
    upper = np.triu(np.ones(sums.shared.shape, dtype=bool), 1)
    least = least_shared(ratings, minimum)
    counted = upper & (sums.shared >= least)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(sums.expected > 1e-9, 1 - sums.shared * sums.disagreement / sums.expected, np.nan)
    each, weight = kappa[counted], sums.shared[counted]
    defined = ~np.isnan(each)
    used = _units_with(given, counted | counted.T, ratings)
    # Only for the words that go with a measure of pairs: there is no statistic to resample.
    pairs = PairMeasure(_nothing(len(used)), each, int((upper & (sums.shared > 0)).sum()), len(each), least)
    measured = Measured.of_pairs(pairs, used)
    row: dict[str, Any] = {
        "measure": "cohen-kappa",
        "setting": setting_of("cohen-kappa", "interval", weights),
        "annotators": len(np.unique(ratings.annotator)),
        "units": int(used.sum()),
        "ratings": int(used[ratings.unit].sum()),
        "units_left_out": int((~used).sum()),
    }
    if measured.obstacle or not defined.any():
        return {**row, "note": why_undefined(ratings, measured)}
    value = float((each[defined] * weight[defined]).sum() / weight[defined].sum())
    return {**row, "value": value, "verdict": verdict("cohen-kappa", value), "note": measured.note}


def _nothing(units: int) -> Statistic:
    return Statistic(sparse(np.empty(0), np.empty(0, int), np.empty(0, int), (units, 1)), lambda sums: sums[:, 0])


def _matrix(ratings: UnitRatings, values: FloatArray) -> Any:
    shape = (len(ratings.sizes), len(ratings.annotators))
    found = sparse(values, ratings.unit, ratings.annotator, shape)
    return found.toarray() if shape[0] * shape[1] <= _MOST_CELLS else found


def _product(first: Any, second: Any) -> FloatArray:
    found = first.T @ second
    return np.asarray(found if isinstance(found, np.ndarray) else found.toarray())


def _quadratic_sums(ratings: UnitRatings, given: Any) -> _PairSums:
    centred = ratings.value - ratings.value.mean() if len(ratings.value) else ratings.value
    x, squares = _matrix(ratings, centred), _matrix(ratings, centred**2)
    n, first, second, both = (
        _product(given, given), _product(x, given), _product(squares, given), _product(x, x)
    )  # fmt: skip
    return _PairSums(n, second + second.T - 2 * both, n * (second + second.T) - 2 * first * first.T)


def _nominal_sums(ratings: UnitRatings, given: Any) -> _PairSums:
    n = _product(given, given)
    agreeing, by_chance = np.zeros_like(n), np.zeros_like(n)
    for value in np.unique(ratings.value):
        chosen = _matrix(ratings, (ratings.value == value).astype(np.float64))
        margin = _product(chosen, given)
        agreeing += _product(chosen, chosen)
        by_chance += margin * margin.T
    return _PairSums(n, n - agreeing, n**2 - by_chance)


def _units_with(given: Any, counted: BoolArray, ratings: UnitRatings) -> BoolArray:
    """The units that two annotators of a counted pair share."""
    partners = given @ counted.astype(np.float64)
    met = np.asarray(partners)[ratings.unit, ratings.annotator] > 0.5
    return np.bincount(ratings.unit, met, minlength=len(ratings.sizes)) > 0
