"""Do 95 % intervals of Krippendorff's α hold the truth? Simulated studies in which systems share dialogues.

``python -m benchmarks.alpha_intervals`` prints the share of studies whose interval holds α of a very large study: by
percentiles, by Student's t around −log(1 − α) for these raters, and with the jackknife for other raters, too.
"""

import sys
from dataclasses import dataclass

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._alpha import alpha_parts, statistic_of
from dialgauge.ratings._bootstrap import alpha_interval, bootstrap_interval
from dialgauge.ratings._frame import ratings_of_matrix
from dialgauge.ratings._leave_out import LeaveOneOut
from dialgauge.resampling import Intervals


@dataclass(frozen=True, slots=True)
class Study:
    """The size of a study, and the standard deviation of raters' severity and of how they see systems."""

    dialogues: int
    systems: int = 6
    raters: int = 3
    severity: float = 0.0
    liking: float = 0.0


CASES = (Study(20), Study(100), Study(20, severity=0.4), Study(50, raters=5, severity=0.3, liking=0.2))


@dataclass(frozen=True, slots=True)
class People:
    """What stays the same from study to study: the systems and, where raters are fixed, the raters."""

    systems: FloatArray
    severity: FloatArray
    liking: FloatArray


def people(study: Study, raters: int, seed: int) -> People:
    """Systems as always, and raters drawn from this seed."""
    generator = np.random.default_rng(seed)
    means = np.linspace(-0.8, 0.8, study.systems)
    severity = study.severity * generator.standard_normal(raters)
    return People(means, severity, study.liking * generator.standard_normal((study.systems, raters)))


def draw(who: People, dialogues: int, seed: int) -> FloatArray:
    """Ratings from 1 to 5 of dialogues × systems (rows, dialogue by dialogue) by raters."""
    generator = np.random.default_rng(seed)
    systems, raters = who.liking.shape
    value = 3.4 + 0.4 * generator.standard_normal((dialogues, 1, 1)) + who.systems[None, :, None]
    value = value + 0.6 * generator.standard_normal((dialogues, systems, 1)) + who.liking[None] - who.severity
    value = value + 0.7 * generator.standard_normal((dialogues, systems, raters))
    return np.asarray(np.clip(np.round(value), 1, 5).reshape(-1, raters))


def truth(study: Study, raters: int, seed: int) -> float:
    """α of a very large study."""
    large = ratings_of_matrix(draw(people(study, raters, seed), 40_000 // raters, 99))
    return statistic_of(alpha_parts(large, "interval")).value


def coverage(study: Study, rounds: int, resamples: int = 400) -> dict[str, float]:
    """The share of intervals that hold the truth."""
    how = Intervals(resamples=resamples)
    fixed, general = truth(study, study.raters, 5), truth(study, 100, 6)
    held = {"percentiles": 0, "these raters": 0, "other raters": 0}
    clusters = np.repeat(np.arange(study.dialogues), study.systems)
    for number in range(rounds):
        for claim, seed, target in (("these raters", 5, fixed), ("other raters", 1000 + number, general)):
            ratings = ratings_of_matrix(draw(people(study, study.raters, seed), study.dialogues, number))
            parts = alpha_parts(ratings, "interval")
            statistic = statistic_of(parts)
            without = LeaveOneOut(parts, study.raters).values if claim == "other raters" else None
            found = {claim: alpha_interval(statistic, statistic.value, clusters, how, without)}
            if claim == "these raters":
                found["percentiles"] = bootstrap_interval(statistic, clusters, how)
            for name, interval in found.items():
                held[name] += interval.low is not None and interval.low <= target <= (interval.high or 0.0)
    return {name: count / rounds for name, count in held.items()}


if __name__ == "__main__":
    for case in CASES:
        print(case, coverage(case, int(sys.argv[1]) if len(sys.argv) > 1 else 400), flush=True)
