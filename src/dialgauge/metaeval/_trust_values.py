"""The numbers that stand beside a verdict: the coefficient that is shown, its parts, and their intervals."""

from dataclasses import dataclass

import numpy as np

from dialgauge.metaeval._cells import Plan
from dialgauge.metaeval._decide import SYSTEMS_NEED, cell_sides, matching_ties
from dialgauge.metaeval._draws import Weights, bootstrap_weights, jackknife_weights
from dialgauge.metaeval._matrix import ScoreMatrix
from dialgauge.metaeval._names import BASE, FloatArray
from dialgauge.metaeval._settings import CorrelationSettings, TrustSettings
from dialgauge.metaeval._standardised import cell_part, pair_signs
from dialgauge.metaeval._weighted import mean_of, resampled_correlations

ACCURACY = "pairwise_accuracy"


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Metrics × dimensions: values with the bounds of their intervals, NaN where there is none."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class TrustValues:
    """Metrics × dimensions: the numbers of :class:`Verdict`, and the coefficient without each of the systems."""

    r: Estimate
    cells: Estimate
    r_system: FloatArray
    r_global: Estimate
    accuracy: Estimate
    p_accuracy: FloatArray
    without_system: FloatArray


def trust_values(matrix: ScoreMatrix, asked: TrustSettings, covariates: FloatArray | None) -> TrustValues:
    """Everything that is shown of each metric and dimension."""
    m, n = len(matrix.systems), len(matrix.dialogues)
    few = m < SYSTEMS_NEED
    resample = "inputs" if few else asked.resample
    # Ties are calibrated on other dialogues: chosen on the same ones, they flatter every metric.
    how = asked.subset(CorrelationSettings, levels=("summary",), resample=resample, epsilon="held-out")
    plan = Plan(matrix, how)
    draws = bootstrap_weights(m, n, asked.resamples, "inputs", asked.seed) if asked.resamples else None
    at_global = asked.model_copy(update={"level": "global", "resamples": asked.resamples if few else 0})
    accuracy, p_accuracy = _accuracy(matrix, draws, asked)
    coefficient = "pearson" if asked.coefficient == ACCURACY else asked.coefficient
    headline = _planned(plan, asked, coefficient)
    if asked.coefficient == ACCURACY:
        headline = accuracy if asked.level == "summary" else _planned(plan, asked, ACCURACY)
    return TrustValues(
        headline,
        _cells(matrix, draws, asked, covariates if few else None),
        plan.values("system", coefficient, "point").values[0],
        _planned(plan, at_global, coefficient),
        accuracy,
        p_accuracy,
        _without_system(matrix, asked, coefficient),
    )


def _planned(plan: Plan, asked: TrustSettings, coefficient: str) -> Estimate:
    value = plan.values(asked.level, coefficient, "point").values[0]  # type: ignore[arg-type]
    if not asked.resamples:
        return Estimate(value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    drawn = plan.values(asked.level, coefficient, "draws").values  # type: ignore[arg-type]
    return _estimate(value, drawn, asked.confidence)


def _estimate(value: FloatArray, drawn: FloatArray, confidence: float) -> Estimate:
    """Percentile intervals, where at least half of the resamples have a value."""
    known = (~np.isnan(drawn)).mean(axis=0) > 0.5 if len(drawn) else np.zeros(value.shape, dtype=bool)
    bounds = np.full((2, *value.shape), np.nan)
    tail = (1 - confidence) / 2
    if known.any():
        bounds[:, known] = np.nanquantile(drawn[:, known], [tail, 1 - tail], axis=0)
    return Estimate(value, bounds[0], bounds[1])


def _cells(matrix: ScoreMatrix, draws: Weights | None, asked: TrustSettings, covariates: FloatArray | None) -> Estimate:
    value = np.zeros((len(matrix.metrics), len(matrix.dimensions)))
    drawn = np.zeros((len(draws) if draws else 0, *value.shape))
    for x, z, weight in cell_sides(matrix.scores, matrix.ratings, asked):
        left, right = (cell_part(side, covariates).values for side in (x, z))
        products = np.einsum("kij,dij->kdj", left, right)
        value += weight * products.sum(axis=2)
        if draws:
            counts = draws.dialogues
            norms = np.sqrt(
                (counts @ (left**2).sum(axis=1).T)[:, :, None] * (counts @ (right**2).sum(axis=1).T)[:, None, :]
            )
            sums = (counts @ products.reshape(-1, products.shape[2]).T).reshape(drawn.shape)
            drawn += weight * np.divide(sums, norms, out=np.full_like(sums, np.nan), where=norms > 0)
    constant = [np.nanmax(np.abs(cell_part(side).values), axis=(1, 2)) == 0 for side in (matrix.scores, matrix.ratings)]
    value[constant[0][:, None] | constant[1][None]] = np.nan
    return _estimate(value, drawn, asked.confidence)


def _accuracy(matrix: ScoreMatrix, draws: Weights | None, asked: TrustSettings) -> tuple[Estimate, FloatArray]:
    """The share of pairs ordered alike, its interval over dialogues, and the exact sign test over dialogues."""
    from scipy.special import bdtrc

    parts, p_values = [], []
    for ratings in matrix.ratings:
        rated = pair_signs(ratings[None], "summary")
        scored = pair_signs(matrix.scores, "summary", matching_ties(matrix.scores, ratings, "summary"))
        both = scored.present & rated.present
        alike = ((scored.signs == rated.signs) & both).sum(axis=1)
        pairs = both.sum(axis=1)
        share = np.divide(alike, pairs, out=np.full(alike.shape, np.nan), where=pairs > 0)
        parts.append(_mean_share(share, draws, asked.confidence))
        balance = np.sign((scored.signs * rated.signs * both).sum(axis=1))
        wins, losses = (balance > 0).sum(axis=1), (balance < 0).sum(axis=1)
        p_values.append(np.where(wins > 0, bdtrc(np.maximum(wins - 1, 0), np.maximum(wins + losses, 1), 0.5), 1.0))
    stacked = (np.stack([getattr(part, name) for part in parts], axis=1) for name in ("value", "low", "high"))
    return Estimate(*stacked), np.stack(p_values, axis=1)


def _mean_share(share: FloatArray, draws: Weights | None, confidence: float) -> Estimate:
    known = ~np.isnan(share)
    filled, count = np.where(known, share, 0.0), known.sum(axis=1)
    value = np.divide(filled.sum(axis=1), count, out=np.full(len(share), np.nan), where=count > 0)
    if draws is None:
        return _estimate(value, np.zeros((0, len(share))), confidence)
    total = draws.dialogues @ known.T.astype(np.float64)
    drawn = np.divide(draws.dialogues @ filled.T, total, out=np.full(total.shape, np.nan), where=total > 0)
    return _estimate(value, drawn, confidence)


def _without_system(matrix: ScoreMatrix, asked: TrustSettings, coefficient: str) -> FloatArray:
    """Systems × metrics × dimensions: the coefficient without each of the systems."""
    weights = jackknife_weights(len(matrix.systems), len(matrix.dialogues), "systems")
    bases = BASE if coefficient == "mean" else (coefficient,)
    found = [resampled_correlations(matrix.scores, matrix.ratings, asked.level, base, weights) for base in bases]  # type: ignore[arg-type]
    return (mean_of(found) if len(found) > 1 else found[0]).values
