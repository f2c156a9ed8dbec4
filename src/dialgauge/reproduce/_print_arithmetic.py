"""What printed numbers can come from: shares of a number of cases, means of whole votes, and their deviations.

A paper that prints its numbers of cases can be checked against its shares and means; one that does not gives them
away. Rounded numbers and numbers cut off are both allowed.
"""

import math
from collections.abc import Sequence

#: Numbers of cases are looked for up to here; one counts as found if chance gives one so small less often than this.
_MOST_CASES, _CHANCE = 1000, 0.01
_DUST = 1e-9


def can_come_from(n: int, printed: float, step: float, *, cut: bool = True) -> bool:
    """Whether k / n for a whole k is printed so, rounded to a multiple of ``step`` or (``cut``) cut off to one."""
    low, high = printed - step / 2 - _DUST, printed + (step - _DUST if cut else step / 2 + _DUST)
    return any(low <= k / n < high for k in (int(printed * n), int(printed * n) + 1))


def common_cases(shares: Sequence[float], step: float) -> tuple[int, int] | None:
    """The number of cases that most of these shares can come from, and how many; None if chance may have found it.

    Several shares of one test set give away its size, even where a few were mistyped. The smallest number is given:
    its multiples fit as well.
    """
    values = sorted(set(shares))
    for n in range(1, _MOST_CASES):
        fits = sum(can_come_from(n, value, step) for value in values)
        if fits > len(values) / 2 and n * _chance(fits, len(values), 1.5 * step * n) < _CHANCE:
            return n, sum(can_come_from(n, share, step) for share in shares)
    return None


def _chance(fits: int, of: int, one: float) -> float:
    """The probability that at least ``fits`` of these fit, where each fits with the probability ``one``."""
    one = min(1.0, one)
    return sum(math.comb(of, k) * one**k * (1 - one) ** (of - k) for k in range(fits, of + 1))


def least_deviation(mean: float, step: float = 0.0) -> float:
    """The smallest standard deviation of whole votes with this mean, which is rounded to a multiple of ``step``.

    Votes next to a mean with the fraction f are f of the one and 1 - f of the other: none deviate less.
    """
    low, high = mean - step / 2, mean + step / 2
    if math.floor(low) != math.floor(high) or low == math.floor(low):
        return 0.0
    return min(math.sqrt((end % 1) * (1 - end % 1)) for end in (low, high))
