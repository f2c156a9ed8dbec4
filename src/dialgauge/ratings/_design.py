"""What a design of a study can tell: the standard error of a difference of two systems, and the power to find it.

The tests are those of ``compare-systems``. For *these raters*: a paired t test over dialogues. For *new raters*, who
may prefer other systems: a variance over dialogues plus one over raters, with a quantile of Student's t that weighs the
degrees of freedom of both. The distribution of that test is drawn from the mean squares it is made of.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.ratings._settings import LARGEST, Claim, Sharing

#: How often the mean squares of a test are drawn.
_DRAWS = 20_000
#: With more degrees of freedom than these, Student's t is taken as normal: its noncentral form loses its digits.
_NORMAL = 300


@dataclass(frozen=True, slots=True)
class Design:
    """The numbers of dialogues, of raters per summary, and of raters who share the work, for two systems."""

    dialogues: int
    raters: int
    pool: int
    sharing: Sharing = "dialogue"

    @property
    def crossed(self) -> bool:
        """Whether every rater rates everything."""
        return self.pool <= self.raters


@dataclass(frozen=True, slots=True)
class Precision:
    """The half-width of the interval of a difference, and the power to find one."""

    half_width: float
    power: float


def precision(
    variances: Mapping[str, float], design: Design, difference: float, claim: Claim, confidence: float
) -> Precision | None:
    """Of a design with these variance components; None where the claim cannot be made (one rater for new raters)."""
    if claim == "new-raters":
        return None if design.pool < 2 else _for_new_raters(variances, design, difference, confidence)
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    degrees = design.dialogues - 1
    error = np.sqrt(these_raters_variance(variances, design))
    tail = (1 - confidence) / 2
    far = float(-stdtrit(degrees, tail))
    away = difference / error if error > 0 else np.inf
    if not np.isfinite(away):
        power = 1.0
    elif degrees > _NORMAL:
        far = float(-ndtri(tail)) if degrees > LARGEST else far
        power = float(ndtr(away - far) + ndtr(-away - far))
    else:
        # Of the tail on the wrong side SciPy gives NaN where it is below 1e-16.
        wrong = np.nan_to_num(nctdtr(degrees, min(away, 37.0), -far))
        power = float(1 - nctdtr(degrees, min(away, 37.0), far) + wrong)
    return Precision(float(far * error), power)


def these_raters_variance(v: Mapping[str, float], design: Design) -> float:
    """The variance of the difference of two systems' means, for the raters of the pool."""
    n, k = design.dialogues, design.raters
    left_out = 0.0 if design.crossed else 1 - k / design.pool
    single = v["e"] / k + v["sr"] * left_out / k
    if design.sharing == "summary":
        single += (v["r"] + v["dr"]) * left_out / k
    return 2 * (v["sd"] + single) / n


def new_raters_variance(v: Mapping[str, float], design: Design) -> float:
    """The same for other raters like them: what raters differ in beyond noise does not shrink with dialogues."""
    return these_raters_variance(v, design) + 2 * v["sr"] / max(design.pool, design.raters)


@cache
def _standard_draws(degrees: tuple[int, ...]) -> tuple[FloatArray, ...]:
    """Draws of a standard normal value and of mean squares (with mean 1) with these degrees of freedom."""
    generator = np.random.default_rng(0)
    normal = generator.standard_normal(_DRAWS)
    return (normal, *(generator.chisquare(each, _DRAWS) / each for each in degrees))


def _for_new_raters(v: Mapping[str, float], design: Design, difference: float, confidence: float) -> Precision:
    n, k, pool = design.dialogues, design.raters, max(design.pool, design.raters)
    of_dialogues, of_raters = n - 1, pool - 1
    if design.crossed:
        normal, first, second, third = _standard_draws((of_dialogues, of_raters, of_dialogues * of_raters))
        by_dialogue = 2 * (v["sd"] + v["e"] / k) / n * first
        by_rater = 2 * (v["sr"] / k + v["e"] / (n * k)) * second
        noise = 2 * v["e"] / (n * k) * third
        error = np.sqrt(np.maximum(np.maximum(by_dialogue, by_rater), by_dialogue + by_rater - noise))
    else:
        normal, first, second = _standard_draws((of_dialogues, of_raters))
        by_dialogue = (these_raters_variance(v, design)) * first
        left_out = 1 - k / pool
        apart = (v["d"] + v["r"] + v["dr"]) * left_out if design.sharing == "summary" else 0.0
        by_rater = 2 * (v["sr"] / pool + (v["sd"] + v["e"] + apart) / (n * k)) * second
        error = np.sqrt(by_dialogue + by_rater)
    found = difference + np.sqrt(new_raters_variance(v, design)) * normal
    far = _quantile(by_dialogue, by_rater, of_dialogues, of_raters, (1 - confidence) / 2)
    return Precision(float((far * error).mean()), float((np.abs(found) > far * error).mean()))


def _quantile(
    by_dialogue: FloatArray, by_rater: FloatArray, of_dialogues: int, of_raters: int, tail: float
) -> FloatArray:
    """The quantiles of Student's t for dialogues and for raters, weighted by their variances (Cochran)."""
    from scipy.special import stdtrit

    total = np.maximum(by_dialogue + by_rater, 1e-300)
    weighted = by_dialogue * stdtrit(of_dialogues, tail) + by_rater * stdtrit(of_raters, tail)
    return np.asarray(-weighted / total)


def dialogues_needed(
    variances: Mapping[str, float],
    raters: int,
    pool: int,
    sharing: Sharing,
    *,
    difference: float,
    power: float,
    claim: Claim,
    confidence: float,
) -> int | None:
    """The smallest number of dialogues with this power; None where no number up to 100,000 has it."""

    def enough(dialogues: int) -> bool:
        found = precision(variances, Design(dialogues, raters, pool, sharing), difference, claim, confidence)
        return found is not None and found.power >= power

    high = 2
    while not enough(high):
        if high >= LARGEST:
            return None
        high = min(LARGEST, 2 * high)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
