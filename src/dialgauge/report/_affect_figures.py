"""Figures of affect: box plots and scatter plots of the shares of affective words in dialogues and summaries."""

import math
from collections.abc import Callable, Mapping, Sequence

import polars as pl
from markupsafe import Markup

from dialgauge.affect import SERIES, Spread, affective
from dialgauge.report._svg import short

_ROW, _TOP, _BOTTOM = 24, 8, 34
_LABELS, _PLOT, _RIGHT = 140, 238, 44
_WIDTH = _LABELS + _PLOT + _RIGHT
_HEIGHT = 9
_SIDE, _MARGIN, _EDGE = 250, 54, 20
#: More dots than this say no more; every n-th pair is drawn.
_DOTS = 1500

Rows = Sequence[tuple[str, str, Spread | None]]


def paper_box_plot(shares: pl.DataFrame, part: str = "all") -> Markup:
    """PSentDial beside PSentSumm, for all pairs and for those with feeling on both sides: the paper's Figure 1."""
    rows = [
        (f"{name}, {which}", series, Spread.of(chosen[f"{series}_{part}"]))
        for which, chosen in (("full", shares), ("filtered", affective(shares)))
        for series, name in SERIES.items()
    ]
    return box_plot(rows, f"{_called(part)} in dialogues and summaries, full and filtered")


def system_box_plot(shares: pl.DataFrame, part: str = "all") -> Markup:
    """The dialogues, then the summaries of each system and the references."""
    one_each = shares.unique(["dialogue_id", "role"], maintain_order=True)
    rows = [("dialogues", "dialogue", Spread.of(one_each[f"dialogue_{part}"]))]
    for (name,), group in shares.group_by(["system"], maintain_order=True):
        rows.append((str(name), "summary", Spread.of(group[f"summary_{part}"])))
    return box_plot(rows, f"{_called(part)} in dialogues and in the summaries of each system")


def box_plot(rows: Rows, label: str) -> Markup:
    """A box from the first to the third quartile, a line at the median, whiskers, and the median as a number."""
    highest = _ceiling([spread.high for _, _, spread in rows if spread is not None])
    height = _TOP + _ROW * len(rows) + _BOTTOM

    def x(value: float) -> float:
        return _LABELS + _PLOT * value / highest

    parts = [
        Markup('<svg class="affect-boxes" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
            _WIDTH, height, label
        ),
        *_ticks(x, highest, height),
    ]
    for i, (name, kind, spread) in enumerate(rows):
        parts.append(_box(name, kind, spread, _TOP + _ROW * i + _ROW / 2, x))
    return Markup("").join(parts) + Markup("</svg>")


def scatter_plot(shares: pl.DataFrame, label: str, highest: float, part: str = "all") -> Markup:
    """Each pair a dot, dialogue to the right and summary up; on the dashed line both shares are equal."""
    pairs = shares.select(f"dialogue_{part}", f"summary_{part}").drop_nulls()
    step = max(1, math.ceil(pairs.height / _DOTS))
    size = _MARGIN + _SIDE + _EDGE

    def at(value: float) -> float:
        return _SIDE * min(value, highest) / highest

    parts = [
        Markup('<svg class="affect-scatter" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
            size, _SIDE + 52, f"{label}: {_called(part)}, dialogue against summary, {pairs.height} pairs"
        )
    ]
    for tick in (0.0, highest / 2, highest):
        x, y = _MARGIN + at(tick), 10 + _SIDE - at(tick)
        parts.append(
            Markup(
                '<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="10" y2="{bottom}"/>'
                '<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
                '<text class="tick" x="{x:.1f}" y="{below}" text-anchor="middle">{shown}</text>'
                '<text class="tick" x="{before}" y="{middle:.1f}" text-anchor="end">{shown}</text>'
            ).format(
                x=x, y=y, bottom=10 + _SIDE, left=_MARGIN, right=_MARGIN + _SIDE, below=_SIDE + 25, middle=y + 4,
                before=_MARGIN - 5, shown=_percent(tick),
            )
        )  # fmt: skip
    parts.append(
        Markup('<line class="equal" x1="{}" y1="{}" x2="{}" y2="10"/>').format(_MARGIN, 10 + _SIDE, _MARGIN + _SIDE)
    )
    parts += [
        Markup('<circle class="pair" cx="{:.1f}" cy="{:.1f}" r="3"/>').format(_MARGIN + at(x), 10 + _SIDE - at(y))
        for x, y in pairs.gather_every(step).iter_rows()
    ]
    parts.append(
        Markup(
            '<text class="tick" x="{}" y="{}" text-anchor="middle">dialogue{}</text>'
            '<text class="tick" x="12" y="{}" text-anchor="middle" transform="rotate(-90 12 {})">summary</text>'
        ).format(
            _MARGIN + _SIDE / 2,
            _SIDE + 43,
            "" if step == 1 else f" (every {_ordinal(step)} pair drawn)",
            10 + _SIDE / 2,
            10 + _SIDE / 2,
        )
    )
    return Markup("").join(parts) + Markup("</svg>")


def scatter_plots(shares: pl.DataFrame, part: str = "all") -> Mapping[str, Markup]:
    """A scatter plot for each system and for the references, with the same axes."""
    values = pl.concat([shares[f"{series}_{part}"] for series in SERIES]).drop_nulls()
    high = float(values.quantile(0.995) or 0.0) if len(values) else 0.0
    highest = _ceiling([high])
    groups = {str(name): group for (name,), group in shares.group_by(["system"], maintain_order=True)}
    return {name: scatter_plot(group, name, highest, part) for name, group in groups.items()}


def _called(part: str) -> str:
    return "share of affective words" if part == "all" else f"share of {part} words"


def _ceiling(values: Sequence[float]) -> float:
    """Where the axis ends: the next step of a twentieth above the largest value."""
    return max(0.05, math.ceil(max(values, default=0.0) * 20 - 1e-9) / 20)


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 <= number % 100 <= 20 else endings.get(number % 10, 'th')}"


def _ticks(x: Callable[[float], float], highest: float, height: int) -> list[Markup]:
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if highest / s <= 6)
    return [
        Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>').format(
            "zero" if tick == 0 else "grid", x(tick * step), x(tick * step), _TOP - 4, height - _BOTTOM
        )
        + Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            x(tick * step), height - _BOTTOM + 16, _percent(tick * step)
        )
        for tick in range(int(highest / step + 1e-9) + 1)
    ]


def _box(name: str, kind: str, spread: Spread | None, y: float, x: Callable[[float], float]) -> Markup:
    label = Markup('<text class="name" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
        _LABELS - 8, y + 4, short(name, 20)
    )
    if spread is None:
        nothing = Markup('<text class="tick" x="{}" y="{:.1f}">no pair</text>').format(_LABELS + 4, y + 4)
        return label + nothing
    title = (
        f"{name}: median {_percent(spread.median)}, quartiles {_percent(spread.first)} and {_percent(spread.third)}, "
        f"whiskers {_percent(spread.low)} and {_percent(spread.high)}, {spread.outside} of {spread.count} beyond them"
    )
    drawn = Markup(
        '<g class="{kind}"><title>{title}</title>'
        '<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        '<rect class="box" x="{first:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height}"/>'
        '<line class="median" x1="{median:.1f}" x2="{median:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/></g>'
    ).format(
        kind=kind, title=title, low=x(spread.low), high=x(spread.high), y=y, first=x(spread.first), top=y - _HEIGHT,
        width=max(1.0, x(spread.third) - x(spread.first)), height=2 * _HEIGHT, median=x(spread.median),
        bottom=y + _HEIGHT,
    )  # fmt: skip
    number = Markup('<text class="number" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
        _WIDTH, y + 4, f"{100 * spread.median:.1f} %"
    )
    return label + drawn + number
