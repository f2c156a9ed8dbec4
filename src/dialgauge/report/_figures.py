"""Figures as plain SVG: they need no script, take the colours of the page, and print."""

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from dialgauge.report._content import Estimate, Ranking, decimals

_ROW, _TOP, _BOTTOM = 19, 26, 30
_LABELS, _PLOT, _VALUES = 128, 250, 44
_WIDTH = _LABELS + _PLOT + _VALUES


_MOST = 12


def lowest(rankings: Sequence[Ranking]) -> float:
    """Where the axis starts, so that figures side by side share it."""
    shown = [entry for ranking in rankings for entry in _shown(ranking)]
    values = [entry.low if entry.low is not None else entry.value or 0.0 for entry in shown]
    return max(-1.0, math.floor(min([0.0, *values]) * 4) / 4)


def forest_plot(ranking: Ranking, low: float) -> Markup:
    """Metrics from best to worst, a dot with its interval each; a dashed line where one rater stands."""
    shown = _shown(ranking)
    height = _TOP + _ROW * len(shown) + _BOTTOM

    def x(value: float) -> float:
        return _LABELS + _PLOT * (min(1.0, max(low, value)) - low) / (1.0 - low)

    parts = [
        Markup('<svg class="forest" viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
            _WIDTH, height, f"{ranking.dimension}: {ranking.coefficient} correlation of each metric with the ratings"
        ),
        *_axis(x, low, height),
    ]
    if ranking.ceiling is not None:
        at = x(ranking.ceiling)
        parts.append(
            Markup('<line class="ceiling" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>').format(
                at, _TOP - 6, height - _BOTTOM
            )
            + Markup(
                '<text class="ceiling-label" x="{:.1f}" y="12" text-anchor="middle">one rater {:.2f}</text>'
            ).format(min(at, _WIDTH - 36), ranking.ceiling)
        )
    for i, entry in enumerate(shown):
        parts.append(_row(entry, _TOP + _ROW * i + _ROW / 2, x, entry.metric in ranking.leaders))
    return Markup("").join(parts) + Markup("</svg>")


def _shown(ranking: Ranking) -> list[Estimate]:
    return [entry for entry in ranking.estimates if entry.value is not None][:_MOST]


def _axis(x: Callable[[float], float], low: float, height: int) -> list[Markup]:
    ticks = [tick / 4 for tick in range(-4, 5) if tick / 4 >= low - 1e-9]
    return [
        Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>').format(
            "zero" if tick == 0 else "grid", x(tick), x(tick), _TOP - 4, height - _BOTTOM
        )
        + Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{:g}</text>').format(
            x(tick), height - _BOTTOM + 16, tick
        )
        for tick in ticks
    ]


def _row(entry: Estimate, y: float, x: Callable[[float], float], leading: bool) -> Markup:
    assert entry.value is not None
    kind = "leading" if leading else "trailing"
    label = Markup('<text class="name" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
        _LABELS - 8, y + 4, _short(entry.metric)
    )
    bar = Markup("")
    if entry.low is not None and entry.high is not None:
        bar = Markup('<line class="interval {}" x1="{:.1f}" x2="{:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>').format(
            kind, x(entry.low), x(entry.high), y=y
        )
    dot = Markup('<circle class="dot {}" cx="{:.1f}" cy="{:.1f}" r="4.2"><title>{}</title></circle>').format(
        kind, x(entry.value), y, f"{entry.metric}: {entry}"
    )
    number = Markup('<text class="number" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
        _WIDTH, y + 4, decimals(entry.value)
    )
    return label + bar + dot + number


def _short(name: str, most: int = 19) -> Markup:
    return escape(name if len(name) <= most else name[: most - 1] + "…")
