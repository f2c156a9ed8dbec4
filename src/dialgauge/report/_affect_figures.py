"""Figures of affect: box plots and scatter plots of the shares of affective words in dialogues and summaries."""

import math
from collections.abc import Mapping, Sequence

import polars as pl
from markupsafe import Markup

from dialgauge.affect import SERIES, Spread, affective
from dialgauge.web import (
    Scale,
    box,
    dot,
    drawing,
    group,
    horizontal_grid,
    line,
    linear,
    short,
    text,
    vertical_grid,
)

_ROW, _TOP, _BOTTOM = 24, 8, 34
_LABELS, _PLOT, _RIGHT = 140, 238, 44
_WIDTH = _LABELS + _PLOT + _RIGHT
_HEIGHT = 9
_SIDE, _MARGIN, _EDGE = 250, 54, 20
#: With more pairs than this, every n-th pair is drawn.
_DOTS = 1500

Rows = Sequence[tuple[str, str, Spread | None]]


def paper_box_plot(shares: pl.DataFrame, part: str = "all") -> Markup:
    """PSentDial and PSentSumm, for all pairs and for those with affective words on both sides: the paper's Figure 1."""
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
    for (name,), written in shares.group_by(["system"], maintain_order=True):
        rows.append((str(name), "summary", Spread.of(written[f"summary_{part}"])))
    return box_plot(rows, f"{_called(part)} in dialogues and in the summaries of each system")


def box_plot(rows: Rows, label: str) -> Markup:
    """A box from the first to the third quartile, a line at the median, whiskers, and the median as a number."""
    highest = _ceiling([spread.high for _, _, spread in rows if spread is not None])
    height = _TOP + _ROW * len(rows) + _BOTTOM
    x = linear(0.0, highest, _LABELS, _LABELS + _PLOT)
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if highest / s <= 6)
    values = [tick * step for tick in range(int(highest / step + 1e-9) + 1)]
    parts = vertical_grid(x, values, _TOP - 4, height - _BOTTOM, _percent)
    for i, (name, kind, spread) in enumerate(rows):
        parts.append(_box(name, kind, spread, _TOP + _ROW * i + _ROW / 2, x))
    return drawing("affect-boxes", _WIDTH, height, label, parts)


def scatter_plot(shares: pl.DataFrame, label: str, highest: float, part: str = "all") -> Markup:
    """Each pair a dot, dialogue to the right and summary up; on the dashed line both shares are equal."""
    pairs = shares.select(f"dialogue_{part}", f"summary_{part}").drop_nulls()
    step = max(1, math.ceil(pairs.height / _DOTS))
    right, bottom = _MARGIN + _SIDE, 10 + _SIDE
    x, y = linear(0.0, highest, _MARGIN, right), linear(0.0, highest, bottom, 10)
    values = (0.0, highest / 2, highest)
    parts = vertical_grid(x, values, 10, bottom, _percent) + horizontal_grid(y, values, _MARGIN, right, _percent)
    parts.append(line(_MARGIN, bottom, right, 10, "equal"))
    parts += [dot(x(a), y(b), 3, "pair") for a, b in pairs.gather_every(step).iter_rows()]
    every = "" if step == 1 else f" (every {_ordinal(step)} pair drawn)"
    parts.append(text(_MARGIN + _SIDE / 2, bottom + 33, f"dialogue{every}", "tick", "middle"))
    upright = Markup(
        '<text class="tick" text-anchor="middle" transform="translate(12 {:.0f}) rotate(-90)">summary</text>'
    )
    parts.append(upright.format(10 + _SIDE / 2))
    said = f"{label}: {_called(part)}, dialogue and summary, {pairs.height} pairs"
    return drawing("affect-scatter", right + _EDGE, _SIDE + 52, said, parts)


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
    """The end of the axis: the next multiple of 0.05 above the largest value."""
    return max(0.05, math.ceil(max(values, default=0.0) * 20 - 1e-9) / 20)


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 <= number % 100 <= 20 else endings.get(number % 10, 'th')}"


def _box(name: str, kind: str, spread: Spread | None, y: float, x: Scale) -> Markup:
    label = text(_LABELS - 8, y + 4, short(name, 20), anchor="end")
    if spread is None:
        return label + text(_LABELS + 4, y + 4, "no pair", "tick")
    title = (
        f"{name}: median {_percent(spread.median)}, quartiles {_percent(spread.first)} and {_percent(spread.third)}, "
        f"whiskers {_percent(spread.low)} and {_percent(spread.high)}, {spread.outside} of {spread.count} beyond them"
    )
    first, third, median = x(spread.first), x(spread.third), x(spread.median)
    drawn = [
        line(x(spread.low), y, x(spread.high), y, "whisker"),
        box(first, y - _HEIGHT, max(1.0, third - first), 2 * _HEIGHT, "box"),
        line(median, y - _HEIGHT, median, y + _HEIGHT, "median"),
    ]
    number = text(_WIDTH, y + 4, f"{100 * spread.median:.1f} %", "number", "end")
    return label + group(kind, title, drawn) + number
