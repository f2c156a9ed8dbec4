"""The effect of rounding: a printed 0.69 may be anything from 0.685 to 0.695.

Every function here takes the printed values and half the width of their rounding step, and returns the range of what
the unrounded numbers could have given. A value that is known exactly has the half width 0.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from dialgauge.metaeval import correlation
from dialgauge.reproduce._cv import cv_star, small_sample_factor


@dataclass(frozen=True, slots=True)
class Range:
    """The lowest and the highest value that the unrounded numbers allow."""

    low: float
    high: float

    def is_point(self, tolerance: float = 1e-9) -> bool:
        """Whether rounding makes no difference."""
        return self.high - self.low <= tolerance

    def has_one_sign(self) -> bool:
        """Whether all of the range is positive, all negative, or all 0."""
        return self.is_point() or self.low > 0 or self.high < 0


def half_step(places: int) -> float:
    """Half the width of the interval of a number printed with ``places`` decimals."""
    return float(Decimal(5).scaleb(-places - 1))


def cv_star_range(
    values: Sequence[float], half_widths: Sequence[float], *, lowest: float = 0.0, over_correction: bool = True
) -> Range:
    """The smallest and the largest CV* within the rounding of the values.

    Exact: s/mean is quasi-convex where the mean is positive, so its maximum lies at a corner of the box of intervals;
    its minimum is reached by values that are as near as they can be to one common point.
    """
    bounds = [(max(lowest, v - h), v + h) for v, h in zip(values, half_widths, strict=True)]
    high = max(cv_star(corner, lowest=lowest).cv_star for corner in _corners(bounds) if max(corner) > lowest)
    # The factor is the same for all values.
    factor = small_sample_factor(len(values), over_correction) / small_sample_factor(len(values))
    return Range(factor * _smallest_cv_star(bounds, lowest), factor * high)


def _corners(bounds: Sequence[tuple[float, float]]) -> Iterator[list[float]]:
    """The corners of the box among which the largest spread is found.

    Of two intervals of the same width, the upper one is at its low end and the lower one at its high end in no corner
    that matters: the other way round their sum is the same and they are further apart.
    """
    by_width: dict[float, list[int]] = {}
    for i, (low, high) in enumerate(bounds):
        by_width.setdefault(round(high - low, 12), []).append(i)
    ordered = [sorted(members, key=lambda i: -bounds[i][0]) for members in by_width.values()]
    for counts in itertools.product(*(range(len(members) + 1) for members in ordered)):
        raised = {i for members, count in zip(ordered, counts, strict=True) for i in members[:count]}
        yield [high if i in raised else low for i, (low, high) in enumerate(bounds)]


def _smallest_cv_star(bounds: Sequence[tuple[float, float]], lowest: float) -> float:
    ends = sorted({end - lowest for pair in bounds for end in pair})
    best = math.inf
    for left, right in zip(ends, ends[1:] or ends, strict=False):
        middle = (left + right) / 2
        # Below or above this range a value stays at its end; the others meet at one point t within it.
        fixed = [
            high if high < middle else low for low, high in _shift(bounds, lowest) if high < middle or low > middle
        ]
        total = math.fsum(fixed)
        point = math.fsum(value * value for value in fixed) / total if total else middle
        t = min(max(point, left), right)
        clipped = [min(max(t, low), high) for low, high in _shift(bounds, lowest)]
        if max(clipped) > 0:
            best = min(best, cv_star(clipped).cv_star)
    return best


def _shift(bounds: Sequence[tuple[float, float]], lowest: float) -> list[tuple[float, float]]:
    return [(low - lowest, high - lowest) for low, high in bounds]


def spearman_range(first: Sequence[float], second: Sequence[float], rounded: tuple[bool, bool]) -> Range:
    """The range of Spearman's ρ when ties that may come from rounding are broken in every way.

    ``rounded`` says of each series whether its equal values may be unequal before rounding; values known exactly keep
    their ties. Numbers of one series are printed with the same number of decimals, so different ones keep their order.
    The extremes need no search: ρ is largest where each tie is broken in the order of the other series and smallest
    where it is broken against it. Ties that stay get average ranks; a series that is constant and exact gives NaN.
    """
    values = [_spearman(*_break_ties(first, second, rounded, with_other=with_other)) for with_other in (True, False)]
    return Range(min(values), max(values))


def _break_ties(
    first: Sequence[float], second: Sequence[float], rounded: tuple[bool, bool], *, with_other: bool
) -> tuple[list[float], list[float]]:
    sign = 1 if with_other else -1
    series = []
    for turn, (own, other, may_break) in enumerate(((first, second, rounded[0]), (second, first, rounded[1]))):
        if not may_break:
            series.append(list(own))
            continue
        # What ties in both series is broken alike in both, or in opposite ways, by its position.
        last = sign if turn else 1
        order = sorted(range(len(own)), key=lambda i: (own[i], sign * other[i], last * i))
        ranks = [0.0] * len(own)
        for rank, position in enumerate(order, start=1):
            ranks[position] = float(rank)
        series.append(ranks)
    return series[0], series[1]


def _spearman(first: Sequence[float], second: Sequence[float]) -> float:
    return correlation([[value] for value in first], [[value] for value in second], "system", "spearman")
