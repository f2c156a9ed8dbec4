"""Small parts of which figures are made: plain SVG that takes the colours of the page and needs no script."""

import math
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

#: What a figure shows, for people who want the numbers: the rows under the names of its columns.
Rows = Sequence[Sequence[object]]
#: From a value to its place.
Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with the data behind it. ``name`` is unique on a page: downloads are named after it.

    ``kind`` says what is drawn, so that a chart can be made from the data: ``boxes``, ``changes``, ``curves``,
    ``forest``, ``histogram``, ``bars``, ``matrix``, ``points``, ``ranks``, ``scatter``, ``series``, ``shares``.

    ``texts`` says that the first column of ``rows`` numbers the texts of the page, and that there is a row for each
    point of the path with the class ``points``, in the same order.
    """

    name: str
    title: str
    svg: Markup
    columns: tuple[str, ...] = ()
    rows: Rows = field(default_factory=tuple)
    note: str = ""
    texts: bool = False
    kind: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """What the script of the page needs of it."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows], "texts": self.texts}


def drawing(
    kind: str, width: float, height: float, label: str, parts: Iterable[Markup], pixels: float | None = None
) -> Markup:
    """An SVG of this size; ``label`` describes it for screen readers.

    It takes the width that it gets, or always ``pixels``, where it may scroll.
    """
    fixed = Markup("") if pixels is None else Markup(' style="width: {:.0f}px"').format(pixels)
    start = Markup('<svg class="{}" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}"{}>')
    return start.format(kind, width, height, label, fixed) + Markup("").join(parts) + Markup("</svg>")


def text(x: float, y: float, said: object, kind: str = "name", anchor: str = "start") -> Markup:
    """A line of text."""
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(kind, x, y, anchor, said)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(kind, x1, y1, x2, y2)


def box(x: float, y: float, width: float, height: float, kind: str, title: str = "", style: str = "") -> Markup:
    """A rectangle; ``title`` is its tooltip."""
    styled = Markup(' style="{}"').format(style) if style else Markup("")
    start = Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"{}').format(
        kind, x, y, max(width, 0.0), height, styled
    )
    return start + (Markup("><title>{}</title></rect>").format(title) if title else Markup("/>"))


def dot(x: float, y: float, radius: float, kind: str, title: str = "") -> Markup:
    """A circle."""
    start = Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:g}"').format(kind, x, y, radius)
    return start + (Markup("><title>{}</title></circle>").format(title) if title else Markup("/>"))


def group(kind: str, title: str, parts: Iterable[Markup]) -> Markup:
    """Parts that belong together, with a tooltip."""
    return Markup('<g class="{}"><title>{}</title>{}</g>').format(kind, title, Markup("").join(parts))


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """A scale from values to places; an empty range is put in the middle."""
    if high <= low:
        return lambda value: (start + end) / 2
    return lambda value: start + (end - start) * (min(high, max(low, value)) - low) / (high - low)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from ``low`` to ``high``, at most ``most`` (and at least two if there is a range)."""
    if high <= low:
        return [low]
    raw = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    found = [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]
    return found if len(found) > 1 else [low, high]


def tick_text(value: float) -> str:
    """A number on an axis: short, with a real minus sign."""
    return f"{value:.4g}".replace("-", "−")


def vertical_grid(
    x: Scale, values: Iterable[float], top: float, bottom: float, said: Callable[[float], str] = tick_text
) -> list[Markup]:
    """A line at each value with its number below, that of zero stronger."""
    parts = []
    for value in values:
        parts.append(line(x(value), top, x(value), bottom, _grid(value)))
        parts.append(text(x(value), bottom + 16, said(value), "tick", "middle"))
    return parts


def horizontal_grid(
    y: Scale, values: Iterable[float], left: float, right: float, said: Callable[[float], str] = tick_text
) -> list[Markup]:
    """A line at each value with its number to the left, that of zero stronger."""
    parts = []
    for value in values:
        parts.append(line(left, y(value), right, y(value), _grid(value)))
        parts.append(text(left - 5, y(value) + 4, said(value), "tick", "end"))
    return parts


def _grid(value: float) -> str:
    return "zero" if abs(value) < 1e-9 else "grid"


def _letters(character: str) -> float:
    """How wide a character is, in letters of an average name, in the widest of the usual fonts."""
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.8
    if character in "mwMW@%&<>=+~":
        return 1.6
    return 0.6 if character in "iljft.,:;'|!-()[]/ " else 1.25 if character.isupper() else 1.08


def short(name: str, most: int = 18) -> Markup:
    """A name cut to the width of ``most`` letters; capitals and East Asian characters count as more than one."""
    room, kept = float(most), 0
    for character in name:
        room -= _letters(character)
        kept += room >= 1.6  # the width of the ellipsis
    return escape(name if room >= 0 else name[:kept] + "…")


def rounded(value: float | None, digits: int = 4) -> float | None:
    """A number for the data of a figure: rounded, null if it is missing."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")


def figure_data(figures: Iterable[Figure]) -> Mapping[str, Any]:
    """The data of all figures that have any, by name."""
    return {figure.name: figure.data for figure in figures if figure.columns}


def slug(name: str) -> str:
    """A form of the name for file names and ids. If it loses anything of the name, a checksum keeps it unique."""
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())
    plain = "-".join(part for part in kept.split("-") if part)
    return plain if plain == name else f"{plain or 'x'}-{zlib.crc32(name.encode()):08x}"
