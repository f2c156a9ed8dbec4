"""Dose response as curves: the mean change of each metric at each level of a perturbation."""

import polars as pl
from markupsafe import Markup

from dialgauge.report._robustness import RobustnessData, metrics_shown
from dialgauge.tables import number
from dialgauge.web import Figure, dot, drawing, horizontal_grid, linear, rounded, short, slug, text, ticks

#: Most metrics that are drawn, those that notice most; more colours cannot be distinguished.
_LINES = 6
_LEFT, _SIDE, _HIGH, _NAMES = 44, 270, 190, 128
_TOP, _BOTTOM = 12, 38
_GAP = 13


def dose_figures(data: RobustnessData) -> list[Figure]:
    """A figure for each perturbation that has several levels."""
    frame = data.tables["changes"].filter(pl.col("change").is_not_null())
    if frame.is_empty():
        return []
    several = frame.group_by("series").agg(pl.col("level").n_unique()).filter(pl.col("level") > 1)["series"]
    shown = metrics_shown(data)
    figures = []
    for series in frame["series"].unique(maintain_order=True):
        if series in several:
            part = frame.filter(pl.col("series") == series, pl.col("metric").is_in(shown)).sort("level")
            if not part.is_empty():
                figures.append(_figure(str(series), part, shown[:_LINES]))
    return figures


def _figure(series: str, part: pl.DataFrame, metrics: list[str]) -> Figure:
    drawn = part.filter(pl.col("metric").is_in(metrics))
    levels = part["level"].unique().sort().to_list()
    values = [*drawn["change"].to_list(), 0.0]
    low, high = min(values), max(values)
    pad = (high - low) * 0.06 or 1.0
    x = linear(levels[0], levels[-1], _LEFT + 8, _LEFT + _SIDE - 8)
    y = linear(low - pad, high + pad, _TOP + _HIGH, _TOP)
    parts = horizontal_grid(y, ticks(low - pad, high + pad), _LEFT, _LEFT + _SIDE)
    parts += [text(x(level), _TOP + _HIGH + 16, level, "tick", "middle") for level in levels]
    parts.append(text(_LEFT + _SIDE / 2, _TOP + _HIGH + 32, f"level of {series}", "tick", "middle"))
    ends = []
    for curve_number, metric in enumerate(name for name in metrics if name in set(drawn["metric"])):
        curve = drawn.filter(pl.col("metric") == metric)
        places = [(x(level), y(change)) for level, change in curve.select("level", "change").iter_rows()]
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
        parts.append(Markup('<path class="curve line-{}" d="{}"/>').format(curve_number, path))
        for (a, b), change, level in zip(places, curve["change"], curve["level"], strict=True):
            title = f"{metric}, level {level}: {number(change)}"
            parts.append(dot(a, b, 3.2, f"mark line-{curve_number}", title))
        ends.append((places[-1][1], metric, curve_number))
    parts += _names(ends)
    label = f"Mean change of metrics at each level of {series}"
    height = _TOP + _HIGH + _BOTTOM
    svg = drawing("doses", _LEFT + _SIDE + _NAMES, height, label, parts)
    rows = [
        (row["metric"], row["level"], rounded(row["change"]), rounded(row["low"]), rounded(row["high"]), row["items"])
        for row in part.iter_rows(named=True)
    ]
    columns = ("metric", "level", "change", "low", "high", "summaries")
    return Figure(f"dose-{slug(series)}", series, svg, columns, rows, kind="curves")


def _names(ends: list[tuple[float, str, int]]) -> list[Markup]:
    """The name of each curve at its end, moved apart where ends are close."""
    parts, at = [], float("-inf")
    for y, metric, curve_number in sorted(ends):
        at = max(y, at + _GAP)
        parts.append(text(_LEFT + _SIDE, at + 4, short(metric, 18), f"curve-name line-{curve_number}"))
    return parts
