"""CV*: the spread of the results of repeated studies in per cent of their mean (Belz, Popović and Mille, 2022)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.errors import InputError


@dataclass(frozen=True, slots=True)
class Variation:
    """The spread of ``n`` results of the same thing.

    ``cv_star`` is the coefficient of variation for few values, in per cent: 0 where all results are equal. ``sd`` is
    the unbiased standard deviation (the usual one over c4), ``sd_interval`` its 95 % confidence interval from
    Student's t; the lower end can fall below 0 where n is small. All are computed from the values minus ``shift``, so
    that the scale starts at 0; ``mean`` is the mean of these.
    """

    n: int
    mean: float
    sd: float
    sd_interval: tuple[float, float]
    cv_star: float
    shift: float


def c4(n: int) -> float:
    """The factor by which s (ddof 1) of ``n`` normal values underestimates σ: √(2/(n−1))·Γ(n/2)/Γ((n−1)/2)."""
    if n < 2:
        raise InputError(f"c4 needs at least two values; got {n}")
    return math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))


def small_sample_factor(n: int, over_correction: bool = True) -> float:
    """1 + 1/(4n), or 1 without the over-correction: c4 alone already makes s unbiased for normal values."""
    return 1 + 1 / (4 * n) if over_correction else 1.0


def cv_star(values: Sequence[float], *, lowest: float = 0.0, over_correction: bool = True) -> Variation:
    """CV* = 100·(1 + 1/(4n))·(s/c4)/mean of results on a scale that begins at ``lowest``.

    The factor 1 + 1/(4n) corrects for few values a second time, after c4; it is what was published in 2022. Without
    ``over_correction`` it is left out, as in the QRA tables of later shared tasks.

    A coefficient of variation is meaningful only if 0 is the end of the scale: 4.1 and 4.3 on a scale from 1 to 5 are
    3.1 and 3.3 above its end. So ``lowest`` is subtracted from every value first (1 for a scale from 1 to 5, −100 for
    one from −100 to 100). A value below it, a mean of 0 and fewer than two values are refused.
    """
    n = len(values)
    if n < 2:
        raise InputError(f"CV* compares two or more results of the same thing; got {n}")
    if not all(math.isfinite(value) for value in values):
        raise InputError(f"CV* needs finite numbers; got {', '.join(f'{value:g}' for value in values)}")
    shifted = [value - lowest for value in values]
    if min(shifted) < 0:
        raise InputError(
            f"{min(values):g} is below {lowest:g}, the given start of the scale; CV* needs its true lower end"
        )
    mean = math.fsum(shifted) / n
    if mean == 0:
        raise InputError(f"all results are {lowest:g}, the lowest point of the scale: CV* would divide by a mean of 0")
    variance = math.fsum((value - mean) ** 2 for value in shifted) / (n - 1)
    sd = math.sqrt(variance) / c4(n)
    percent = 100 * small_sample_factor(n, over_correction) * sd / mean
    return Variation(n, mean, sd, _sd_interval(n, variance, sd), percent, lowest)


def _sd_interval(n: int, variance: float, sd: float) -> tuple[float, float]:
    """As in the authors' notebook: the standard error of s², carried over to s by the delta method, times t."""
    if variance == 0:
        return 0.0, 0.0
    from scipy.special import stdtrit

    error = variance * math.sqrt(2 / (n - 1)) / (2 * sd)
    reach = float(stdtrit(n - 1, 0.975)) * error
    return sd - reach, sd + reach
