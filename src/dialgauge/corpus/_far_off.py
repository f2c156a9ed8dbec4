"""Single values far off all others of a dimension: slips of the hand (44 among 1 to 5), and codes for no answer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dialgauge.corpus._dimensions import speaks_of_faults
from dialgauge.corpus._names import is_dimension, normalised

#: The points of most scales are no higher than this.
_HIGHEST = 10
_FEWEST_CELLS, _FEWEST_POINTS = 8, 3
#: So much of the whole numbers between the lowest and the highest point must have been given.
_COMPLETE = 0.6
#: How many times as high as the highest point a value must be.
_TWICE, _MUCH = 2, 5
#: Slips are no more cells and no more different values than this.
_MOST_SLIPS, _SHARE_OF_SLIPS = 2, 0.05
#: Codes for no answer repeat one digit, and are no more of the cells than this.
_CODE, _SHARE_OF_CODES = re.compile(r"-1|-?(?:7+|8+|9+)"), 0.5
#: Below this no scale begins that has a middle of 0; and a scale that goes as high as this has no -1.
_BELOW_ALL, _OF_SLIDERS = -9, 20


@dataclass(frozen=True, slots=True)
class FarOff:
    """The texts of values that are far off the others, and the lowest and the highest of these."""

    texts: frozenset[str]
    low: float
    high: float

    @property
    def reason(self) -> str:
        """Why such a value is left out."""
        return f"far off all other values ({self.low:g} to {self.high:g})"

    def note(self, name: str, numbers: Iterable[float]) -> str:
        """What to type where this is not what was meant."""
        given = sorted(numbers)
        shown = " and ".join(f"{number:g}" for number in given)
        return (
            f"{name}: {shown} {'is' if len(given) == 1 else 'are'} {self.reason} and left out; if this says that "
            f"nothing was given: --not-given {given[0]:g}; if it is right: --map "
            f"scale=={min(self.low, given[0]):g}-{max(self.high, given[-1]):g}"
        )


def far_off(name: str, values: Mapping[str, float], counts: Mapping[str, int]) -> FarOff | None:
    """The values of a dimension that nobody gave who used the scale of all others; None where there are none.

    Where faults are counted, one summary may well have many more than others.
    """
    cells: dict[float, int] = {}
    for text, number in values.items():
        cells[number] = cells.get(number, 0) + counts[text]
    below = [number for number in cells if number < 0]
    bulk = [number for number in cells if 0 <= number <= _HIGHEST]
    beyond = [number for number in cells if number > _HIGHEST]
    if len(below) == 1 and len(cells) > _FEWEST_POINTS and _is_no_point(below[0], [n for n in cells if n >= 0]):
        others = {number: n for number, n in cells.items() if number >= 0}
        if _are_few(below, cells):
            return _found(below, values, others)
    if not beyond or below or speaks_of_faults(name) or not _is_scale(bulk, cells):
        return None
    # What begins with 0 and has no name of a scale may be counted, and one summary have more than others.
    counted = min(bulk) == 0 and not is_dimension(normalised(name))
    if all(number > (_MUCH if counted else _TWICE) * max(bulk) for number in beyond) and _are_few(beyond, cells):
        return _found(beyond, values, {number: cells[number] for number in bulk})
    return None


def _found(off: list[float], values: Mapping[str, float], others: Mapping[float, int]) -> FarOff:
    texts = frozenset(text for text, number in values.items() if number in off)
    return FarOff(texts, min(others), max(others))


def _is_no_point(number: float, others: list[float]) -> bool:
    """Whether a number below zero is no point of the scale that others show: it has no zero, or is far below it."""
    return number <= _BELOW_ALL or min(others) > 0 or max(others) >= _OF_SLIDERS


def _is_scale(bulk: list[float], cells: Mapping[float, int]) -> bool:
    """Whether these are nearly all points of a scale of few whole or half numbers, each given by somebody."""
    if len(bulk) < _FEWEST_POINTS or sum(cells[number] for number in bulk) < _FEWEST_CELLS:
        return False
    whole = [number for number in bulk if number.is_integer()]
    halves = all((2 * number).is_integer() for number in bulk)
    return halves and bool(whole) and len(whole) >= _COMPLETE * (max(bulk) - min(bulk) + 1)


def _are_few(off: list[float], cells: Mapping[float, int]) -> bool:
    given, every = sum(cells[number] for number in off), sum(cells.values())
    if len(off) == 1 and _CODE.fullmatch(f"{off[0]:g}"):
        return given < _SHARE_OF_CODES * every
    return len(off) <= _MOST_SLIPS and given <= max(_MOST_SLIPS, _SHARE_OF_SLIPS * every)
