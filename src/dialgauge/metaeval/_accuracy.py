"""Pairwise accuracies over systems: with calibrated ties (acc_eq), and soft, by the certainty of each side's order."""

from dataclasses import dataclass

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metaeval._draws import Weights, no_resampling, stream
from dialgauge.metaeval._names import BoolArray, FloatArray, Level
from dialgauge.metaeval._weighted import average, incidence, pair_indices, pair_rounding

#: At global level, ε is chosen on the pairs of at most so many summaries, evenly spread over the study.
_CALIBRATED_ON = 2000
#: Cells of a block of pairs of summaries, to bound memory.
_CELLS = 1 << 22
#: Pairs of a dialogue with missing cells weigh more than those of a complete one; whole numbers keep sums exact.
_UNIT = 1 << 40


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The ε below which two metric scores count as tied, and the accuracy it gives on the data that chose it."""

    epsilon: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Differences over pairs of systems (pairs × groups) of metric and rating, and which pairs exist.

    A group is a dialogue at summary level; at system level there is one, the means.
    """

    scored: FloatArray
    rated: FloatArray
    present: BoolArray


def _pairs(metric: FloatArray, ratings: FloatArray, level: Level) -> _Pairs:
    mask = ~(np.isnan(metric) | np.isnan(ratings))
    first, second = pair_indices(len(metric))
    if level == "summary":
        x, z = np.where(mask, metric, 0.0), np.where(mask, ratings, 0.0)
        return _Pairs(x[first] - x[second], z[first] - z[second], mask[first] & mask[second])
    scored, rated, present = _mean_differences(metric, ratings, no_resampling(*metric.shape))
    return _Pairs(scored.T, rated.T, present.T)


def _mean_differences(
    metric: FloatArray, ratings: FloatArray, weights: Weights
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Resamples × pairs: differences of the systems' means, and whether both systems have any cell."""
    mask = ~(np.isnan(metric) | np.isnan(ratings))
    counts = weights.dialogues @ mask.T.astype(np.float64)
    total = np.where(counts > 0, counts, 1.0)
    result = []
    for matrix in (np.where(mask, metric, 0.0), np.where(mask, ratings, 0.0)):
        differences = ((weights.dialogues @ matrix.T) / total) @ incidence(len(metric))
        result.append(np.where(np.abs(differences) <= pair_rounding(matrix), 0.0, differences))
    first, second = pair_indices(len(metric))
    return result[0], result[1], (counts[:, first] > 0) & (counts[:, second] > 0)


def calibrate_ties(metric: FloatArray, ratings: FloatArray, level: Level = "summary") -> TieCalibration:
    """The ε that makes the accuracy largest (Deutsch, Foster & Freitag 2023), the smallest where several do.

    Going through the sorted |differences| of the metric, a pair that people rate as tied becomes right, and a pair in
    the right order becomes wrong; counts are integers, so rounding errors do not accumulate.
    """
    if level == "global":
        known = np.flatnonzero(~np.isnan(metric + ratings))
        chosen = known[:: max(1, -(-len(known) // _CALIBRATED_ON))]
        return calibrate_ties(metric.ravel()[chosen, None], ratings.ravel()[chosen, None], "summary")
    pairs = _pairs(metric, ratings, level)
    per_group = pairs.present.sum(axis=0)
    used = per_group > 0
    if not used.any():
        return TieCalibration(0.0, float("nan"))
    sizes = np.unique(per_group[used])
    unit = 1 if len(sizes) == 1 else _UNIT
    weight = np.where(used, unit * (1 if unit == 1 else 1 / np.maximum(per_group, 1)), 0).astype(np.int64)
    scale = float(sizes[0] * used.sum()) if unit == 1 else float(_UNIT) * float(used.sum())
    tied = pairs.present & (pairs.rated == 0)
    right = pairs.present & (pairs.rated != 0) & (np.sign(pairs.scored) == np.sign(pairs.rated))
    gain = ((tied.astype(np.int64) - right) * weight)[pairs.present]
    size = np.abs(pairs.scored)[pairs.present]
    order = np.argsort(size, kind="stable")
    size, walked = size[order], np.cumsum(gain[order])
    last = np.flatnonzero(np.append(np.diff(size) > 0, True))  # ties enter together
    start = int((right * weight).sum())
    candidates = np.concatenate([[0], size[last]]) if size[0] > 0 else size[last]
    correct = np.concatenate([[0], walked[last]]) if size[0] > 0 else walked[last]
    best = int(np.argmax(correct))
    return TieCalibration(float(candidates[best]), (start + int(correct[best])) / scale)


def pairwise_accuracy(
    metric: FloatArray,
    ratings: FloatArray,
    level: Level = "summary",
    epsilon: float | str = "calibrated",
    seed: int = 0,
    weights: Weights | None = None,
) -> FloatArray:
    """acc_eq: the share of pairs of systems that metric and people order alike, ties of both included.

    At global level these are all pairs of summaries, of one dialogue or of two.

    ``epsilon`` is a number, ``"calibrated"`` (chosen on the same data, so a little too good) or ``"held-out"`` (chosen
    on a random half of the dialogues, used on the other, both ways). One value per weighting, or one for the data as
    they are. The ε of the data serves every resample, and a system drawn twice is not compared with itself.
    """
    weights = weights or no_resampling(*metric.shape)
    if epsilon == "held-out":
        half = np.zeros(metric.shape[1], dtype=bool)
        half[stream(seed, "halves").permutation(metric.shape[1])[: metric.shape[1] // 2]] = True
        folds = [
            _accuracy(
                metric,
                ratings,
                level,
                calibrate_ties(metric[:, chosen], ratings[:, chosen], level).epsilon,
                Weights(weights.systems, weights.dialogues * ~chosen),
            )
            for chosen in (half, ~half)
        ]
        return np.asarray((folds[0] + folds[1]) / 2)
    if epsilon == "calibrated":
        return _accuracy(metric, ratings, level, calibrate_ties(metric, ratings, level).epsilon, weights)
    if isinstance(epsilon, str) or not epsilon >= 0:
        raise ParameterError("pairwise_accuracy", "epsilon", "'calibrated', 'held-out' or a number ≥ 0", epsilon)
    return _accuracy(metric, ratings, level, epsilon, weights)


def _accuracy(metric: FloatArray, ratings: FloatArray, level: Level, epsilon: float, weights: Weights) -> FloatArray:
    if level == "global":
        return _global_accuracy(metric, ratings, epsilon, weights)
    first, second = pair_indices(len(metric))
    pair_weights = weights.systems[:, first] * weights.systems[:, second]
    if level == "summary":
        pairs = _pairs(metric, ratings, level)
        alike = _alike(pairs.scored, pairs.rated, epsilon) & pairs.present
        right, count = pair_weights @ alike.astype(np.float64), pair_weights @ pairs.present.astype(np.float64)
        by_dialogue = np.divide(right, count, out=np.full_like(right, np.nan), where=count > 0)
        return average(by_dialogue, weights.dialogues)[0]
    scored, rated, present = _mean_differences(metric, ratings, weights)
    pair_weights = pair_weights * present
    right = (pair_weights * _alike(scored, rated, epsilon)).sum(axis=1)
    count = pair_weights.sum(axis=1)
    return np.asarray(np.divide(right, count, out=np.full_like(right, np.nan), where=count > 0))


def _global_accuracy(metric: FloatArray, ratings: FloatArray, epsilon: float, weights: Weights) -> FloatArray:
    """Over all pairs of summaries, a block of them at a time; a summary drawn twice is not compared with itself."""
    present = ~np.isnan(metric + ratings)
    x, z = metric[present], ratings[present]
    drawn = (weights.systems[:, :, None] * weights.dialogues[:, None, :])[:, present]
    right = np.zeros(len(drawn))
    step = max(1, _CELLS // max(1, len(x)))
    for start in range(0, len(x), step):
        block = slice(start, start + step)
        alike = _alike(x[:, None] - x[None, block], z[:, None] - z[None, block], epsilon)
        alike[np.arange(len(x))[block], np.arange(alike.shape[1])] = False
        right += ((drawn @ alike.astype(np.float64)) * drawn[:, block]).sum(axis=1)
    count = drawn.sum(axis=1) ** 2 - (drawn**2).sum(axis=1)
    return np.asarray(np.divide(right, count, out=np.full_like(right, np.nan), where=count > 0))


def _alike(scored: FloatArray, rated: FloatArray, epsilon: float) -> BoolArray:
    decided = np.where(np.abs(scored) <= epsilon, 0.0, np.sign(scored))
    return np.asarray(decided == np.sign(rated))


def order_certainty(matrix: FloatArray, mask: BoolArray, seed: int = 0, permutations: int = 1000) -> FloatArray:
    """For each pair of systems the one-sided paired permutation p-value that the first is the better one by chance.

    One matrix of random signs (permutations × dialogues) serves every pair of every metric and dimension.
    """
    first, second = pair_indices(len(matrix))
    values = np.where(mask, matrix, 0.0)
    differences = (values[first] - values[second]) * (mask[first] & mask[second])
    signs = stream(seed, "signs").integers(0, 2, size=(permutations, matrix.shape[1])).astype(np.float64) * 2 - 1
    observed = differences.sum(axis=1)
    reached = (signs @ differences.T >= observed - pair_rounding(values) * matrix.shape[1]).sum(axis=0)
    return np.asarray((reached + 1.0) / (permutations + 1.0))


def soft_pairwise_accuracy(
    metric: FloatArray, ratings: FloatArray, seed: int = 0, permutations: int = 1000, weights: Weights | None = None
) -> FloatArray:
    """SPA (Thompson et al. 2024), system level: 1 − the mean over pairs of ``|p of ratings − p of metric|``.

    A metric that is as certain as people are, pair by pair, reaches 1. Weightings of systems are supported; those of
    dialogues would need new p-values for each resample, so they are refused.
    """
    weights = weights or no_resampling(*metric.shape)
    if (weights.dialogues != 1).any():
        raise ParameterError("soft_pairwise_accuracy", "weights", "of systems only", "weights of dialogues")
    mask = ~(np.isnan(metric) | np.isnan(ratings))
    apart = np.abs(
        order_certainty(metric, mask, seed, permutations) - order_certainty(ratings, mask, seed, permutations)
    )
    first, second = pair_indices(len(metric))
    known = (mask[first] & mask[second]).any(axis=1)
    pair_weights = weights.systems[:, first] * weights.systems[:, second] * known
    count = pair_weights.sum(axis=1)
    missed = np.divide(pair_weights @ apart, count, out=np.full(len(count), np.nan), where=count > 0)
    return np.asarray(1 - missed)
