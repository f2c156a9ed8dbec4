"""Figures as plain SVG: they need no script, take the colours of the page, and print."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dialgauge.report._content import Estimate, Ranking
from dialgauge.tables import number
from dialgauge.web import Figure, Scale, dot, drawing, line, linear, rounded, short, slug, text, vertical_grid

_ROW, _TOP, _BOTTOM = 19, 26, 30


@dataclass(frozen=True, slots=True)
class Shape:
    """How wide the parts of a forest plot are, how many metrics it shows, and how long their names may be."""

    labels: int
    plot: int
    values: int
    most: int
    letters: int

    @property
    def width(self) -> int:
        """The width of all of it."""
        return self.labels + self.plot + self.values


FULL = Shape(labels=128, plot=250, values=44, most=12, letters=18)
SMALL = Shape(labels=126, plot=118, values=40, most=5, letters=18)


def lowest(rankings: Sequence[Ranking], shape: Shape = FULL) -> float:
    """Where the axis starts, so that figures side by side share it."""
    shown = [entry for ranking in rankings for entry in _shown(ranking, shape)]
    values = [entry.low if entry.low is not None else entry.value or 0.0 for entry in shown]
    return max(-1.0, math.floor(min([0.0, *values]) * 4) / 4)


def forest_figure(ranking: Ranking, low: float, shape: Shape = FULL) -> Figure:
    """The forest plot of one dimension, with its numbers (all metrics, not only those that are drawn)."""
    columns = ("metric", ranking.coefficient, "low", "high", "leading", "one rater")
    rows = [
        (
            entry.metric,
            rounded(entry.value),
            rounded(entry.low),
            rounded(entry.high),
            "yes" if entry.metric in ranking.leaders else "no",
            rounded(ranking.ceiling),
        )
        for entry in ranking.estimates
    ]
    name = f"{'ranking' if shape is FULL else 'verdict'}-{slug(ranking.dimension)}"
    return Figure(name, ranking.dimension, forest_plot(ranking, low, shape), columns, rows)


def forest_plot(ranking: Ranking, low: float, shape: Shape = FULL) -> Markup:
    """Metrics from best to worst, a dot with its interval each; a dashed line at the value of one rater."""
    shown = _shown(ranking, shape)
    height = _TOP + _ROW * len(shown) + _BOTTOM
    x = linear(low, 1.0, shape.labels, shape.labels + shape.plot)
    parts = _axis(x, low, height, shape)
    if ranking.ceiling is not None:
        at = x(ranking.ceiling)
        parts.append(line(at, _TOP - 6, at, height - _BOTTOM, "ceiling"))
        parts.append(
            text(min(at, shape.width - 46), 12, f"one rater {number(ranking.ceiling)}", "ceiling-label", "middle")
        )
    for i, entry in enumerate(shown):
        parts.append(_row(entry, _TOP + _ROW * i + _ROW / 2, x, entry.metric in ranking.leaders, shape))
    label = f"{ranking.dimension}: {ranking.coefficient} correlation of the leading metrics with the ratings"
    return drawing("forest", shape.width, height, label, parts)


def _shown(ranking: Ranking, shape: Shape) -> list[Estimate]:
    return [entry for entry in ranking.estimates if entry.value is not None][: shape.most]


def _axis(x: Scale, low: float, height: int, shape: Shape) -> list[Markup]:
    step = 1 if shape is FULL and low >= -0.25 else 2  # so that the numbers have room
    values = [tick / 4 for tick in range(-4, 5, step) if tick / 4 >= low - 1e-9]
    return vertical_grid(x, values, _TOP - 4, height - _BOTTOM)


def _row(entry: Estimate, y: float, x: Scale, leading: bool, shape: Shape) -> Markup:
    assert entry.value is not None
    kind = "leading" if leading else "trailing"
    parts = [text(shape.labels - 8, y + 4, short(entry.metric, shape.letters), anchor="end")]
    if entry.low is not None and entry.high is not None:
        parts.append(line(x(entry.low), y, x(entry.high), y, f"interval {kind}"))
    parts.append(dot(x(entry.value), y, 4.2, f"dot {kind}", f"{entry.metric}: {entry}"))
    parts.append(text(shape.width, y + 4, number(entry.value), "number", "end"))
    return Markup("").join(parts)
