"""Do intervals of correlations "as they would be without the noise of ratings" hold the truth?

``python -m benchmarks.true_correlations`` draws studies in which a metric follows the true quality to a known degree
and raters give it with noise, severity and a liking for systems. r over what a perfect metric reaches is compared with
the r of the metric and the true quality: with the interval that dialgauge gives (both parts as if independent) and with
percentiles of the ratio over joint draws of systems and dialogues.
"""

import sys

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.metaeval._coefficients import resampled_values
from dialgauge.metaeval._draws import Weights, bootstrap_weights, no_resampling
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._names import Level
from dialgauge.metaeval._perfect import disattenuated, reachable_against_mean

#: Systems, dialogues and raters of the studies.
DESIGNS = ((6, 40, 3), (14, 40, 3), (14, 100, 3), (30, 40, 3))
LEVELS: tuple[Level, ...] = ("summary", "system")
_RESAMPLES = 300


def draw(systems: int, dialogues: int, raters: int, seed: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """True quality and a metric (systems × dialogues), and ratings from 1 to 5 (raters × systems × dialogues)."""
    normal = np.random.default_rng(seed).standard_normal
    quality = 0.7 * normal((systems, 1)) + 0.4 * normal((1, dialogues)) + 0.6 * normal((systems, dialogues))
    liking, severity = 0.3 * normal((raters, systems, 1)), 0.3 * normal((raters, 1, 1))
    felt = 3.3 + quality + liking - severity + 0.7 * normal((raters, systems, dialogues))
    metric = quality + 0.6 * normal((systems, 1)) + 0.8 * normal((systems, dialogues))
    return quality, metric, np.clip(np.round(felt), 1, 5)


def pearson(x: FloatArray, y: FloatArray, level: Level, weights: Weights) -> FloatArray:
    """Of two matrices, under each of the weights."""
    return resampled_values(x[None], y[None], level, "pearson", weights).values[:, 0, 0]


def with_interval(value: FloatArray, drawn: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The value and the ends of its 95 % interval."""
    low, high = percentile_interval(drawn, 0.95)
    return value, np.array([low]), np.array([high])


def coverage(design: tuple[int, int, int], level: Level, studies: int) -> dict[str, float]:
    """The share of intervals that hold the mean r with the true quality, and their mean width."""
    truth, intervals = [], []
    for seed in range(studies):
        quality, metric, cube = draw(*design, seed)
        mean, m, n = cube.mean(axis=0), design[0], design[1]
        once, draws = no_resampling(m, n), bootstrap_weights(m, n, _RESAMPLES, "both", seed)
        truth.append(pearson(metric, quality, level, once)[0])
        drawn = pearson(metric, mean, level, draws)
        perfect = reachable_against_mean(cube, design[2], level, draws).perfect
        r = with_interval(pearson(metric, mean, level, once), drawn)
        reached = with_interval(reachable_against_mean(cube, design[2], level, once).perfect, perfect)
        apart = disattenuated(r, reached)
        # Raters who share nothing in a draw leave the ratio without bound.
        ratio = np.where(np.isnan(perfect), np.sign(drawn), drawn / perfect)
        joint = np.clip(np.quantile(ratio[~np.isnan(ratio)], [0.025, 0.975]), -1, 1)
        intervals.append((apart.low[0], apart.high[0], *joint))
    ends, true = np.array(intervals), float(np.mean(truth))
    found = {"r": true}
    for name, low, high in (("as if independent", *ends.T[:2]), ("joint draws", *ends.T[2:])):
        known = ~np.isnan(low)
        found[f"{name}: holds"] = float(((low <= true) & (true <= high))[known].mean())
        found[f"{name}: width"] = float((high - low)[known].mean())
    return found


if __name__ == "__main__":
    for each in DESIGNS:
        for at in LEVELS:
            said = coverage(each, at, int(sys.argv[1]) if len(sys.argv) > 1 else 300)
            print(each, at, "  ".join(f"{name} {value:.3f}" for name, value in said.items()), flush=True)
