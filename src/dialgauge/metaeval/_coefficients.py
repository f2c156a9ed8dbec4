"""Any coefficient at any level under many weightings: correlations, their mean, and pairwise accuracies."""

import numpy as np

from dialgauge.metaeval._accuracy import pairwise_accuracy, soft_pairwise_accuracy
from dialgauge.metaeval._draws import Weights
from dialgauge.metaeval._names import BASE, Coefficient, FloatArray, Level
from dialgauge.metaeval._weighted import Resampled, enough, resampled_correlations


def resampled_values(
    scores: FloatArray,
    ratings: FloatArray,
    level: Level,
    coefficient: Coefficient,
    weights: Weights,
    epsilon: float | str = "calibrated",
    seed: int = 0,
) -> Resampled:
    """The coefficient of every metric with every dimension, for each weighting of systems and dialogues.

    Soft pairwise accuracy compares systems: NaN at global level.
    """
    if coefficient in BASE or coefficient == "mean":
        return resampled_correlations(scores, ratings, level, coefficient, weights)
    values = np.full((len(weights), len(scores), len(ratings)), np.nan)
    soft = coefficient == "soft_pairwise_accuracy"
    for p, x in enumerate(() if soft and level == "global" else scores):
        for d, z in enumerate(ratings):
            if level != "summary" and not enough(~(np.isnan(x) | np.isnan(z)), level).any():
                continue
            if soft:
                values[:, p, d] = soft_pairwise_accuracy(x, z, seed, weights=weights)
            else:
                values[:, p, d] = pairwise_accuracy(x, z, level, epsilon, seed, weights)
    return Resampled(values, np.zeros_like(values))
