"""The rule: which metrics follow the ratings of which dimension, at one error for all of them together.

The unit of evidence is the system. If a metric has nothing to do with the ratings, it is as likely that the ratings of
one system stand beside the scores of another; so the p-value of a statistic is the share of orders of the systems in
which it is as large. Two families of statistics share one level: the coefficient that is shown (``order``), and the
``cells``: what is left of scores and ratings without the means of systems and dialogues. Four systems have too few
orders for two families (24), and only the cells are tested. Two and three have too few for any, and the dialogues
change places instead: that says nothing about other systems.
"""

from dataclasses import dataclass
from math import factorial

import numpy as np

from dialgauge.metaeval._names import BASE, BoolArray, FloatArray, IntArray, Level
from dialgauge.metaeval._score_side import ScoreSide, cell_values, standardised_ranks
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._shuffles import (
    ENUMERATED,
    Shuffled,
    over_dialogues,
    over_systems,
    pairs_over_systems,
    shuffle_dialogues,
    shuffle_systems,
    within_dialogues,
)
from dialgauge.metaeval._standardised import (
    cell_part,
    pair_distances,
    pair_signs,
    ranked,
    slope_basis,
    standardised,
)
from dialgauge.metaeval._stepdown import Family, decide_families

#: With fewer systems than these, their order cannot be tested; with fewer than the second, the cells cannot either.
ORDER_NEEDS, SYSTEMS_NEED = 5, 4


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Metrics × dimensions: corrected p-values of both families, what their statistics had to reach, and the values.

    ``order`` and ``cells`` are the coefficients, ``expected`` is what ``order`` would be by chance. NaN where a family
    was not tested, and for the bar where ranks were tested in its place. ``critical`` are the standardised statistics
    that had to be reached. ``floor`` is the smallest p-value that this number of systems permits, ``shuffles`` how many
    there were, of ``systems`` or of ``dialogues``.
    """

    p_order: FloatArray
    p_cells: FloatArray
    order: FloatArray
    cells: FloatArray
    expected: FloatArray
    order_bar: FloatArray
    cells_bar: FloatArray
    critical: dict[str, float]
    floor: float
    shuffles: int
    shuffled: str
    enumerated: bool

    def shown(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Which hypotheses are shown by the order of systems, and which by the cells."""
        limit = alpha + 1e-10
        return self.p_order <= limit, self.p_cells <= limit


def decide(
    scores: FloatArray | ScoreSide, ratings: FloatArray, asked: TrustSettings, covariates: FloatArray | None = None
) -> Decision:
    """Apply the rule to scores (metrics × systems × dialogues) and ratings, both oriented so that larger is better.

    ``covariates`` (each a value per dialogue) are taken out where dialogues are shuffled.
    """
    side = scores if isinstance(scores, ScoreSide) else ScoreSide(scores)
    shape = (len(side.scores), len(ratings))
    m, n = ratings.shape[1:]
    alpha = 1 - asked.confidence
    if m < 2:
        empty = np.full(shape, np.nan)
        return Decision(empty, empty, empty, empty, empty, empty, empty, {}, 1.0, 1, "systems", True)
    if m < SYSTEMS_NEED:
        orders = shuffle_dialogues(n, asked.resamples)
        families = {"cells": _cells_by_dialogue(side.scores, ratings, asked, orders, covariates)}
    else:
        orders = shuffle_systems(m, asked.resamples, asked.seed)
        families = {"cells": _cells(side, ratings, asked, orders)}
        if m >= ORDER_NEEDS:
            families["order"] = order_family(side, ratings, asked, orders)
    decided = dict(zip(families, decide_families(list(families.values()), alpha), strict=True))
    possible = factorial(min(n if m < SYSTEMS_NEED else m, 12))
    return Decision(
        _shaped(decided, "order", "p_values", shape),
        _shaped(decided, "cells", "p_values", shape),
        _observed(families, "order", shape),
        _observed(families, "cells", shape),
        _shaped(decided, "order", "expected", shape),
        np.full(shape, np.nan) if tested_by_ranks(asked) else _shaped(decided, "order", "bars", shape),
        _shaped(decided, "cells", "bars", shape),
        {name: family.critical for name, family in decided.items()},
        1 / min(len(orders), possible),
        len(orders),
        "dialogues" if m < SYSTEMS_NEED else "systems",
        m >= SYSTEMS_NEED and (m <= ENUMERATED or factorial(m) <= asked.resamples),
    )


def _shaped(decided: dict[str, Family], name: str, what: str, shape: tuple[int, int]) -> FloatArray:
    return np.asarray(getattr(decided[name], what)).reshape(shape) if name in decided else np.full(shape, np.nan)


def _observed(families: dict[str, Shuffled], name: str, shape: tuple[int, int]) -> FloatArray:
    return families[name].values[0].reshape(shape) if name in families else np.full(shape, np.nan)


def tested_by_ranks(asked: TrustSettings) -> bool:
    """Whether ranks stand for the coefficient in the test, whose bar is then not one of the coefficient.

    All pairs of summaries would be too many to shuffle.
    """
    return asked.level == "global" and asked.coefficient in ("kendall", "mean", "pairwise_accuracy")


def order_family(side: ScoreSide, ratings: FloatArray, asked: TrustSettings, orders: IntArray) -> Shuffled:
    """The coefficient that is shown, after each shuffle of the systems."""
    level = asked.level
    if asked.coefficient == "mean":
        return _weighted([(_order(side, ratings, level, base, orders), 1 / 3) for base in BASE])
    return _order(side, ratings, level, asked.coefficient, orders)


def _order(side: ScoreSide, ratings: FloatArray, level: Level, coefficient: str, orders: IntArray) -> Shuffled:
    if coefficient == "pearson":
        return over_systems(side.values(level), standardised(ratings, level), orders)
    by_ranks = over_systems(side.ranks(level), standardised_ranks(ratings, level), orders)
    if coefficient == "spearman" or level == "global":
        return by_ranks
    m = orders.shape[1]
    variance = by_ranks.variance * 2 * (2 * m + 5) / (9 * m)
    if coefficient == "kendall":
        return pairs_over_systems(side.signs(level), pair_signs(ratings, level), orders, variance, accuracy=False)
    return _accuracy(side.scores, ratings, level, orders, variance)


def _accuracy(
    scores: FloatArray, ratings: FloatArray, level: Level, orders: IntArray, variance: FloatArray
) -> Shuffled:
    """The share of pairs ordered alike, each metric having as many ties as the ratings."""
    parts = []
    for d in range(len(ratings)):
        rated = pair_signs(ratings[d : d + 1], level)
        scored = pair_signs(scores, level, matching_ties(scores, ratings[d], level))
        own = variance.reshape(len(scores), len(ratings))[:, d]
        parts.append(pairs_over_systems(scored, rated, orders, own, accuracy=True))
    return Shuffled(
        np.stack([part.values for part in parts], axis=2).reshape(len(orders), -1),
        np.stack([part.expected for part in parts], axis=1).ravel(),
        np.stack([part.variance for part in parts], axis=1).ravel(),
    )


def matching_ties(scores: FloatArray, ratings: FloatArray, level: Level) -> FloatArray:
    """For each metric the difference up to which a pair counts as tied, so that it has as many ties as the ratings.

    It does not depend on which ratings stand beside which scores, so it flatters no metric.
    """
    rated = pair_signs(ratings[None], level)
    share = float(np.mean(rated.signs[rated.present] == 0)) if rated.present.any() else 0.0
    limits = np.zeros(len(scores))
    if share == 0:
        return limits
    for k, scored in enumerate(scores):
        distances = pair_distances(scored, level)
        if len(distances):
            limits[k] = np.quantile(distances, share, method="lower")
    return limits


def _cells(side: ScoreSide, ratings: FloatArray, asked: TrustSettings, orders: IntArray) -> Shuffled:
    return _weighted(
        [
            (over_systems(side.cells(by_ranks), cell_values(ratings, by_ranks), orders, noise=True), weight)
            for by_ranks, weight in _cell_weights(asked)
        ]
    )


def _cells_by_dialogue(
    scores: FloatArray,
    ratings: FloatArray,
    asked: TrustSettings,
    orders: IntArray,
    covariates: FloatArray | None,
) -> Shuffled:
    """Among the dialogues that have all systems, scored and rated: the same ones for both sides of a hypothesis."""
    shape = (len(orders), len(scores), len(ratings))
    values, expected, variance = np.zeros(shape), np.zeros(shape[1:]), np.ones(shape[1:])
    for ks, scored in _alike_gaps(scores):
        for ds, rated in _alike_gaps(ratings):
            used = scored & rated
            if not used.any():
                continue  # a metric that has no value here, such as one of whole systems
            known = None if covariates is None else covariates[:, used]
            basis = slope_basis(int(used.sum()), known)
            if len(basis) <= basis.shape[1] + 1:
                continue
            sides = cell_sides(scores[ks][:, :, used], ratings[ds][:, :, used], asked)
            kept = within_dialogues(orders, used)
            found = _weighted(
                [(over_dialogues(cell_part(x, known), cell_part(z, known), kept, basis), w) for x, z, w in sides]
            )
            at = np.ix_(ks, ds)
            values[:, at[0], at[1]] = found.values.reshape(-1, len(ks), len(ds))
            variance[at] = found.variance.reshape(len(ks), len(ds))
    return Shuffled(values.reshape(len(orders), -1), expected.ravel(), variance.ravel())


def _alike_gaps(cube: FloatArray) -> list[tuple[IntArray, BoolArray]]:
    """Matrices by the dialogues in which they have every system, with these dialogues."""
    complete = ~np.isnan(cube).any(axis=1)
    kinds, group = np.unique(complete, axis=0, return_inverse=True)
    return [(np.flatnonzero(group.ravel() == number), kind) for number, kind in enumerate(kinds)]


def cell_sides(
    scores: FloatArray, ratings: FloatArray, asked: TrustSettings
) -> list[tuple[FloatArray, FloatArray, float]]:
    """The values, or their ranks within dialogues for coefficients of ranks; for ``mean`` as often as it uses each."""
    return [
        (ranked(scores, "summary"), ranked(ratings, "summary"), weight) if by_ranks else (scores, ratings, weight)
        for by_ranks, weight in _cell_weights(asked)
    ]


def _cell_weights(asked: TrustSettings) -> list[tuple[bool, float]]:
    """Whether ranks are taken, and how much that counts."""
    share = {"pearson": 0.0, "mean": 2 / 3}.get(asked.coefficient, 1.0)
    return [(by_ranks, weight) for by_ranks, weight in ((False, 1 - share), (True, share)) if weight > 0]


def _weighted(parts: list[tuple[Shuffled, float]]) -> Shuffled:
    if len(parts) == 1:
        return parts[0][0]
    deviation = sum(np.sqrt(part.variance) * weight for part, weight in parts)
    return Shuffled(
        np.asarray(sum(part.values * weight for part, weight in parts)),
        np.asarray(sum(part.expected * weight for part, weight in parts)),
        np.asarray(deviation) ** 2,
    )
