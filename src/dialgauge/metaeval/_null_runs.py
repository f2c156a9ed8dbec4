"""A study's own check: the ratings shuffled over systems and dialogues, and everything decided again."""

import numpy as np

from dialgauge.metaeval._decide import Decision, decide
from dialgauge.metaeval._draws import no_resampling, stream
from dialgauge.metaeval._names import BoolArray, FloatArray
from dialgauge.metaeval._score_side import ScoreSide
from dialgauge.metaeval._settings import TrustSettings
from dialgauge.metaeval._trust_values import ACCURACY
from dialgauge.metaeval._weighted import resampled_correlations
from dialgauge.progress import Progress


def count_named(
    scores: FloatArray,
    ratings: FloatArray,
    asked: TrustSettings,
    covariates: FloatArray | None,
    usable: BoolArray,
    progress: Progress | None = None,
) -> int:
    """In how many of ``null_runs`` shuffled studies some metric comes out as ``use`` or ``care``.

    Whole systems and dialogues of the ratings change places, so that scores and ratings have nothing to do with each
    other and both keep their structure. ``usable`` are the dimensions whose ratings may decide anything.
    """
    generator = stream(asked.seed, "null")
    m, n = ratings.shape[1:]
    named, side = 0, ScoreSide(scores)
    for run in range(asked.null_runs):
        if progress and run % 20 == 0:
            progress("decisions on shuffled ratings", run, asked.null_runs)
        rows, columns = generator.permutation(m), generator.permutation(n)
        moved = ratings[:, rows][:, :, columns]
        found = decide(side, moved, asked, covariates)
        named += bool((accepted(scores, moved, asked, found) & usable).any())
    return named


def accepted(scores: FloatArray, ratings: FloatArray, asked: TrustSettings, found: Decision) -> BoolArray:
    """Metrics × dimensions that were shown to follow the ratings and do not order the systems the wrong way round."""
    by_order, by_cells = found.shown(1 - asked.confidence)
    only_cells = by_cells & ~by_order
    if not only_cells.any():
        return by_order
    return np.asarray(by_order | (only_cells & ~wrong_order(scores, ratings, asked, found)))


def wrong_order(scores: FloatArray, ratings: FloatArray, asked: TrustSettings, found: Decision) -> BoolArray:
    """Where the coefficient is not above what chance would give."""
    if not np.isnan(found.order).all():
        return np.asarray(found.order <= found.expected)
    if ratings.shape[1] < 3:
        return np.zeros(found.cells.shape, dtype=bool)
    coefficient = "kendall" if asked.coefficient in (ACCURACY, "mean") else asked.coefficient
    plain = no_resampling(*ratings.shape[1:])
    values = resampled_correlations(scores, ratings, asked.level, coefficient, plain).values[0]
    return np.asarray(values <= 0)
