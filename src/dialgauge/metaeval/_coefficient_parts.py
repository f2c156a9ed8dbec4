"""What each system, or each dialogue, adds to a metric's coefficient."""

from typing import Literal

import numpy as np

from dialgauge.metaeval._decide import matching_ties
from dialgauge.metaeval._names import BASE, FloatArray, Level
from dialgauge.metaeval._standardised import PairSigns, pair_signs, ranked, standardised
from dialgauge.metaeval._weighted import incidence

#: What is independent of each other: systems, or dialogues where the summaries of a dialogue have no common author.
Unit = Literal["systems", "dialogues"]


def coefficient_parts(
    scores: FloatArray, ratings: FloatArray, level: Level, coefficient: str, unit: Unit = "systems"
) -> tuple[FloatArray, ...]:
    """Metrics × dimensions × units: parts that sum to the coefficient.

    All summaries at once differ by system and by dialogue: at global level there is a view by systems and one by
    dialogues, each of which sums to the coefficient.
    """
    units: tuple[Unit, ...] = ("systems", "dialogues") if (level, unit) == ("global", "systems") else (unit,)
    bases = BASE if coefficient == "mean" else (coefficient,)
    return tuple(
        np.asarray(np.mean([_parts(scores, ratings, level, base, each) for base in bases], axis=0)) for each in units
    )


def _parts(scores: FloatArray, ratings: FloatArray, level: Level, coefficient: str, unit: Unit) -> FloatArray:
    by_unit = "kij,dij->kdi" if unit == "systems" else "kij,dij->kdj"
    if coefficient == "pearson":
        x, z = standardised(scores, level).values, standardised(ratings, level).values
        return np.asarray(np.einsum(by_unit, x, z))
    if coefficient == "spearman" or level == "global":
        # Of all pairs of summaries there are too many: at global level, ranks stand for them.
        within: Level = "global" if level == "global" else "summary"
        x, z = (standardised(ranked(cube, level), within).values for cube in (scores, ratings))
        return np.asarray(np.einsum(by_unit, x, z))
    agreements = [_agreement(scores, rating, level, coefficient) for rating in ratings]
    if unit == "dialogues":
        return np.stack([agree.sum(axis=1) / agree.shape[2] for agree in agreements], axis=1)
    return np.stack([_of_pairs(agree.mean(axis=2), scores.shape[1]) for agree in agreements], axis=1)


def _of_pairs(added: FloatArray, m: int) -> FloatArray:
    """What each system adds to a sum over pairs: its jackknife pseudo-value.

    Half of each pair would sum to the coefficient too, but two systems share every pair, so that the spread of such
    halves is half of what it should be.
    """
    half = added @ np.abs(incidence(m)).T / 2
    return np.asarray((2 * (m - 1) * half - added.sum(axis=1, keepdims=True)) / max(m - 2, 1))


def _agreement(scores: FloatArray, rating: FloatArray, level: Level, coefficient: str) -> FloatArray:
    """Metrics × pairs × dialogues: what each pair of systems adds to the coefficient of its dialogue."""
    rated = pair_signs(rating[None], level)
    if coefficient == "pairwise_accuracy":
        scored = pair_signs(scores, level, matching_ties(scores, rating, level))
        both = scored.present & rated.present
        return np.asarray(((scored.signs == rated.signs) & both) / np.maximum(both.sum(axis=1, keepdims=True), 1))
    scored = pair_signs(scores, level)
    return np.asarray(scored.signs * rated.signs / np.sqrt(_untied(scored) * _untied(rated)))


def _untied(side: PairSigns) -> FloatArray:
    return np.asarray(np.maximum((side.signs**2).sum(axis=1, keepdims=True), 1))
