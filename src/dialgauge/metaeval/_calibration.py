"""Scores as probabilities: fitted on other dialogues, then judged by Brier's score and the calibration error."""

from dataclasses import dataclass

import numpy as np

from dialgauge.arrays import BoolArray, FloatArray, IntArray
from dialgauge.metaeval._roc import Labelled

#: From this many items on, the shape of the curve is fitted freely (isotonic); below it is a logistic curve.
_FREE = 1000
_BINS = 10
_FLOOR_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Calibration:
    """Brier's score and the expected calibration error, with its ``floor``: what a perfect forecaster would have."""

    brier: float
    error: float
    floor: float


def calibration(items: Labelled, folds: IntArray, seed: int) -> Calibration:
    """Calibration of scores that are turned into probabilities on the other folds.

    Metrics are no probabilities, so a curve is fitted first. The error of ten bins is above 0 even for perfect
    probabilities, the more the fewer items there are: the floor is its mean when labels follow the probabilities.
    """
    probability = np.empty(len(items.score))
    for fold in np.unique(folds):
        here = folds == fold
        fit = _isotonic if len(items.score) >= _FREE else _logistic
        probability[here] = fit(items.score[~here], items.good[~here], items.score[here])
    generator = np.random.default_rng(seed)
    drawn = generator.random((_FLOOR_DRAWS, len(probability))) < probability
    floor = np.mean([calibration_error(probability, labels) for labels in drawn])
    brier = float(((probability - items.good) ** 2).mean())
    return Calibration(brier, calibration_error(probability, items.good), float(floor))


def calibration_error(probability: FloatArray, good: BoolArray) -> float:
    """The mean distance of predicted and observed share over ten bins with equally many items."""
    order = np.argsort(probability, kind="stable")
    parts = np.array_split(order, min(_BINS, len(order)))
    gaps = [abs(float(probability[part].mean()) - float(good[part].mean())) * len(part) for part in parts]
    return float(sum(gaps) / len(order))


def _logistic(score: FloatArray, good: BoolArray, asked: FloatArray) -> FloatArray:
    """Logistic regression on the standardised score, by Newton's method with a small ridge."""
    spread = score.std() or 1.0
    x = np.stack([np.ones(len(score)), (score - score.mean()) / spread], axis=1)
    beta = np.zeros(2)
    for _ in range(25):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        step = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(2), x.T @ (good - p) - 1e-3 * beta)
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(1 / (1 + np.exp(-np.clip(beta[0] + beta[1] * (asked - score.mean()) / spread, -30, 30))))


def _isotonic(score: FloatArray, good: BoolArray, asked: FloatArray) -> FloatArray:
    from scipy.optimize import isotonic_regression

    values, places = np.unique(score, return_inverse=True)
    counts = np.bincount(places)
    shares = np.bincount(places, good) / counts
    return np.asarray(np.interp(asked, values, isotonic_regression(shares, weights=counts).x))
