"""Figures of a recomputed paper: how values are distributed, how ranks change, and what moved by how much."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from markupsafe import Markup

from dialgauge.web import (
    Figure,
    Scale,
    box,
    dot,
    drawing,
    group,
    horizontal_grid,
    line,
    linear,
    rounded,
    short,
    slug,
    text,
    ticks,
    vertical_grid,
)

_WIDTH = 560.0
_ROW = 19.0
#: The room for names beside a drawing: as much as the longest needs, within these bounds.
_LEAST_NAMES, _MOST_NAMES, _LETTER = 90.0, 230.0, 7.0


def shares_figure(title: str, points: Sequence[float], shares: Mapping[str, Sequence[float]], note: str = "") -> Figure:
    """How often each value was given, for two sets of values side by side; ``shares`` are those of each point."""
    left, right, top, bottom = 44.0, _WIDTH - 10, 26.0, 190.0
    highest = max((share for values in shares.values() for share in values), default=0.0) or 1.0
    y = linear(0, highest, bottom, top)
    parts = horizontal_grid(y, ticks(0, highest, 4), left, right, lambda value: f"{100 * value:.0f}%")
    step = (right - left) / len(points)
    wide = min(34.0, 0.8 * step / max(1, len(shares)))
    for place, point in enumerate(points):
        middle = left + (place + 0.5) * step
        for series, (name, values) in enumerate(shares.items()):
            x = middle + (series - len(shares) / 2) * wide
            said = f"{name}, {point:g}: {100 * values[place]:.1f}%"
            parts.append(box(x + 1, y(values[place]), wide - 2, bottom - y(values[place]), _series(series), said))
        parts.append(text(middle, bottom + 16, f"{point:g}", "tick", "middle"))
    parts += _legend(list(shares), left)
    label = f"{title}: {'; '.join(f'{name} {_listed(points, values)}' for name, values in shares.items())}"
    columns = ("point", *shares)
    rows = [(point, *(rounded(values[i]) for values in shares.values())) for i, point in enumerate(points)]
    svg = drawing("plot", _WIDTH, bottom + 28, label, parts)
    return Figure(slug(title), title, svg, columns, rows, note, kind="series")


def _series(number: int) -> str:
    return "series-a" if number == 0 else "series-b"


def _legend(names: Sequence[str], left: float) -> list[Markup]:
    parts, x = [], left
    for number, name in enumerate(names):
        parts += [box(x, 4, 12, 12, _series(number)), text(x + 17, 14, short(name, 24))]
        x += 30 + 8.0 * len(name)
    return parts


def _listed(points: Sequence[float], values: Sequence[float]) -> str:
    return ", ".join(f"{point:g} {100 * value:.0f}%" for point, value in zip(points, values, strict=True))


def ranks_figure(title: str, columns: Sequence[str], values: Mapping[str, Sequence[float]], note: str = "") -> Figure:
    """The rank of each item (a row) in each column, highest value first; a line leads from rank to rank.

    Lines that end better than they began are blue, those that end worse orange.
    """
    ranks = {name: [_rank(values, column, name) for column in range(len(columns))] for name in values}
    room = _room((f"{name} {place:g}" for name, places in ranks.items() for place in places), _WIDTH / 3)
    left, right, top = room, _WIDTH - room, 30.0
    bottom = top + _ROW * max(1, len(values) - 1)
    y = linear(1, max(2, len(values)), top, bottom)
    x = linear(0, max(1, len(columns) - 1), left, right)
    parts = [text(x(i), 14, short(name, 22), "tick", "middle") for i, name in enumerate(columns)]
    for name, places in ranks.items():
        said = f"{name}: {', '.join(f'{column} {place:g}' for column, place in zip(columns, places, strict=True))}"
        way = "up" if places[-1] < places[0] else "down" if places[-1] > places[0] else "same"
        drawn = [line(x(i), y(places[i]), x(i + 1), y(places[i + 1]), f"change {way}") for i in range(len(places) - 1)]
        last = len(places) - 1
        drawn += [dot(x(i), y(place), 3.2, "second" if i == last else "first") for i, place in enumerate(places)]
        parts.append(group("ranks", said, drawn))
    parts += _names_beside(ranks, 0, left - 8, y, "end") + _names_beside(ranks, -1, right + 8, y, "start")
    label = f"{title}: ranks in {', '.join(columns)}; the table beside this figure has the values"
    rows = [(name, *places) for name, places in ranks.items()]
    svg = drawing("plot", _WIDTH, bottom + 14, label, parts)
    return Figure(slug(title), title, svg, ("name", *columns), rows, note, kind="ranks")


def _rank(values: Mapping[str, Sequence[float]], column: int, name: str) -> float:
    """The rank from 1; equal values share the mean of theirs."""
    mine = values[name][column]
    above = sum(other[column] > mine for other in values.values())
    same = sum(other[column] == mine for other in values.values())
    return above + (same + 1) / 2


def _room(names: Iterable[str], most: float = _MOST_NAMES) -> float:
    """The width that names need, and a little air."""
    return min(most, max(_LEAST_NAMES, 12 + _LETTER * max(map(len, names), default=0)))


def _names_beside(ranks: Mapping[str, Sequence[float]], column: int, x: float, y: Scale, anchor: str) -> list[Markup]:
    """Names with their ranks; those that share a rank stand around their common point, each on a line of its own."""
    shared: dict[float, list[str]] = {}
    for name, places in sorted(ranks.items(), key=lambda one: one[1][0] if column else one[1][-1]):
        shared.setdefault(places[column], []).append(name)
    parts = []
    for rank, names in shared.items():
        first = rank - (len(names) - 1) / 2
        for place, name in enumerate(names):
            said = short(name, 27)
            shown = f"{rank:g} {said}" if anchor == "start" else f"{said} {rank:g}"
            parts.append(text(x, y(first + place) + 4, shown, "name", anchor))
    return parts


def change_figure(
    title: str, ends: tuple[str, str], values: Mapping[str, tuple[float, float]], note: str = ""
) -> Figure:
    """Where each item was (hollow) and where it is now (filled); blue lines lead up, orange ones down."""
    low = min((min(pair) for pair in values.values()), default=0.0)
    high = max((max(pair) for pair in values.values()), default=1.0)
    left, right, top = _room(values), _WIDTH - 14, 26.0
    bottom = top + _ROW * len(values)
    x = linear(low, high, left, right)
    parts = vertical_grid(x, ticks(low, high), top - 4, bottom)
    parts += [dot(left, 10, 4, "first"), text(left + 8, 14, ends[0]), dot(left + 150, 10, 4, "second")]
    parts.append(text(left + 158, 14, ends[1]))
    for place, (name, (before, after)) in enumerate(values.items()):
        middle = top + (place + 0.5) * _ROW
        way = "up" if after > before else "down"
        marks = [line(x(before), middle, x(after), middle, f"change {way}"), dot(x(before), middle, 4, "first")]
        parts.append(group("pair-of", f"{name}: {before:g} → {after:g}", [*marks, dot(x(after), middle, 4, "second")]))
        parts.append(text(left - 10, middle + 4, short(name, 36), "name", "end"))
    said = "; ".join(f"{name} {before:g} → {after:g}" for name, (before, after) in values.items())
    rows = [(name, rounded(before), rounded(after)) for name, (before, after) in values.items()]
    svg = drawing("plot", _WIDTH, bottom + 24, f"{title}: {said}", parts)
    return Figure(slug(title), title, svg, ("name", *ends), rows, note, kind="changes")


@dataclass(frozen=True, slots=True)
class Box:
    """Five numbers of a distribution: the ends of its whiskers, its quartiles and its median."""

    name: str
    kind: str
    low: float
    first: float
    median: float
    third: float
    high: float

    def __str__(self) -> str:
        return f"{self.name}: median {self.median:.3f}, quartiles {self.first:.3f} and {self.third:.3f}"

    @classmethod
    def of(cls, name: str, kind: str, values: Sequence[float]) -> "Box":
        """Whiskers end at the last value within one and a half times the distance of the quartiles, as usual."""
        first, median, third = quantiles(values, n=4, method="inclusive")
        reach = 1.5 * (third - first)
        inside = [value for value in values if first - reach <= value <= third + reach]
        return cls(name, kind, min(inside), first, median, third, max(inside))


def boxes_figure(title: str, boxes: Sequence[Box], note: str = "") -> Figure:
    """Box plots below each other; ``kind`` is the class of a box (dialogue or summary)."""
    high = max(one.high for one in boxes)
    left, right, top = _room(one.name for one in boxes), _WIDTH - 14, 8.0
    bottom = top + 34 * len(boxes)
    x = linear(0, high, left, right)
    parts = vertical_grid(x, ticks(0, high), top, bottom)
    for place, one in enumerate(boxes):
        middle = top + 34 * (place + 0.5)
        drawn = [
            line(x(one.low), middle, x(one.high), middle, "whisker"),
            box(x(one.first), middle - 9, x(one.third) - x(one.first), 18, "box"),
            line(x(one.median), middle - 9, x(one.median), middle + 9, "median"),
        ]
        parts.append(group(one.kind, str(one), drawn))
        parts.append(text(left - 10, middle + 4, short(one.name, 36), "name", "end"))
    said = "; ".join(map(str, boxes))
    rows = [(b.name, *(rounded(v) for v in (b.low, b.first, b.median, b.third, b.high))) for b in boxes]
    columns = ("name", "low", "first quartile", "median", "third quartile", "high")
    svg = drawing("plot", _WIDTH, bottom + 24, f"{title}: {said}", parts)
    return Figure(slug(title), title, svg, columns, rows, note, kind="boxes")
