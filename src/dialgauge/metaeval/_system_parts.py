"""What each system adds to a metric's coefficient."""

import numpy as np

from dialgauge.metaeval._decide import matching_ties
from dialgauge.metaeval._names import BASE, FloatArray, Level
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._standardised import pair_signs, ranked, standardised
from dialgauge.metaeval._weighted import incidence


def parts_by_system(scores: FloatArray, ratings: FloatArray, asked: TrustSettings) -> FloatArray:
    """Metrics × dimensions × systems: parts that sum to the coefficient."""
    if asked.coefficient == "mean":
        return np.asarray(np.mean([_parts(scores, ratings, asked.level, base) for base in BASE], axis=0))
    return _parts(scores, ratings, asked.level, asked.coefficient)


def _parts(scores: FloatArray, ratings: FloatArray, level: Level, coefficient: str) -> FloatArray:
    if coefficient == "pearson":
        x, z = standardised(scores, level).values, standardised(ratings, level).values
        return np.asarray(np.einsum("kij,dij->kdi", x, z))
    if coefficient == "spearman" or level == "global":
        within: Level = "global" if level == "global" else "summary"
        x, z = (standardised(ranked(cube, level), within).values for cube in (scores, ratings))
        return np.asarray(np.einsum("kij,dij->kdi", x, z))
    # Half of what a pair adds belongs to each of its systems.
    member = np.abs(incidence(scores.shape[1])) / 2
    parts = np.empty((len(scores), len(ratings), scores.shape[1]))
    for d, rating in enumerate(ratings):
        z_signs = pair_signs(rating[None], level)
        ties = matching_ties(scores, rating, level) if coefficient == "pairwise_accuracy" else None
        x_signs = pair_signs(scores, level, ties)
        if coefficient == "pairwise_accuracy":
            both = x_signs.present & z_signs.present
            agree = ((x_signs.signs == z_signs.signs) & both) / np.maximum(both.sum(axis=1, keepdims=True), 1)
        else:
            untied = [np.maximum((side.signs**2).sum(axis=1, keepdims=True), 1) for side in (x_signs, z_signs)]
            agree = x_signs.signs * z_signs.signs / np.sqrt(untied[0] * untied[1])
        parts[:, d] = agree.mean(axis=2) @ member.T
    return parts
