"""Forest plots of the verdict as plain SVG: they need no script, take the colours of the page, and print."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from dialgauge.metaeval import Verdicts
from dialgauge.report._content import Estimate
from dialgauge.report._verdict import LEVELS, by_cells, shown_bar, shown_number
from dialgauge.tables import number
from dialgauge.web import Figure, Scale, dot, drawing, line, linear, rounded, short, slug, text, vertical_grid

_ROW, _TOP, _BOTTOM = 19, 26, 30


@dataclass(frozen=True, slots=True)
class Shape:
    """How wide the parts of a forest plot are, how many metrics and controls it shows, and how long names may be."""

    labels: int
    plot: int
    values: int
    most: int
    controls: int
    letters: int

    @property
    def width(self) -> int:
        """The width of all of it."""
        return self.labels + self.plot + self.values


FULL = Shape(labels=128, plot=250, values=44, most=12, controls=5, letters=18)
SMALL = Shape(labels=126, plot=118, values=40, most=4, controls=2, letters=18)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a forest: a metric (``named``: shown to follow the ratings; ``open``: not shown) or a ``control``.

    ``bar`` is the value that it had to reach.
    """

    estimate: Estimate
    bar: float | None
    kind: str
    level: str


@dataclass(frozen=True, slots=True)
class Forest:
    """The lines of one dimension, best first, controls last, and what one rater and a perfect metric reach."""

    dimension: str
    metrics: tuple[Entry, ...]
    controls: tuple[Entry, ...]
    ceiling: float | None
    perfect: float | None = None

    def shown(self, shape: Shape) -> list[Entry]:
        """Those that are drawn."""
        return [*self.metrics[: shape.most], *self.controls[: shape.controls]]


def forests(verdicts: Verdicts) -> list[Forest]:
    """One per dimension that has a number to draw."""
    cells = by_cells(verdicts)
    found = []
    for summed in verdicts.dimensions.iter_rows(named=True):
        name = summed["dimension"]
        metrics = [
            Entry(shown_number(row), shown_bar(row), "named" if row.named else "open", row.verdict)
            for row in verdicts.of(name)
            if shown_number(row).value is not None
        ]
        controls = [
            Entry(_control(row, cells), None, "control", "")
            for row in verdicts.controls.filter(dimension=name).iter_rows(named=True)
            if _control(row, cells).value is not None
        ]
        if metrics:
            one_rater, perfect = (None if cells else summed[each] for each in ("ceiling", "perfect"))
            found.append(Forest(name, tuple(metrics), tuple(controls), one_rater, perfect))
    return found


def _control(row: Mapping[str, Any], cells: bool) -> Estimate:
    """A control has no interval of what is left without systems and dialogues."""
    if cells:
        return Estimate(row["control"], row["c"], None, None)
    return Estimate(row["control"], row["r"], row["low"], row["high"])


def lowest(drawn: Sequence[Forest], shape: Shape = FULL) -> float:
    """Where the axis starts, so that figures side by side share it."""
    entries = [entry.estimate for forest in drawn for entry in forest.shown(shape)]
    values = [one.low if one.low is not None else one.value or 0.0 for one in entries]
    return max(-1.0, math.floor(min([0.0, *values]) * 4) / 4)


def forest_figure(forest: Forest, low: float, shape: Shape = FULL) -> Figure:
    """The forest plot of one dimension, with its numbers (all metrics, not only those that are drawn)."""
    columns = ("metric", "agreement", "low", "high", "needed", "verdict", "one rater", "perfect metric")
    rows = [
        (
            entry.estimate.metric,
            rounded(entry.estimate.value),
            rounded(entry.estimate.low),
            rounded(entry.estimate.high),
            rounded(entry.bar),
            entry.level or entry.kind,
            rounded(forest.ceiling),
            rounded(forest.perfect),
        )
        for entry in (*forest.metrics, *forest.controls)
    ]
    name = f"{'ranking' if shape is FULL else 'verdict'}-{slug(forest.dimension)}"
    return Figure(name, forest.dimension, forest_plot(forest, low, shape), columns, rows, kind="forest")


def forest_plot(forest: Forest, low: float, shape: Shape = FULL) -> Markup:
    """Metrics from best to worst, a dot with its interval and the bar to reach; lines: one rater, a perfect metric."""
    shown = forest.shown(shape)
    height = _TOP + _ROW * len(shown) + _BOTTOM
    x = linear(low, 1.0, shape.labels, shape.labels + shape.plot)
    parts = _axis(x, low, height, shape)
    if forest.ceiling is not None:
        at = x(forest.ceiling)
        parts.append(line(at, _TOP - 6, at, height - _BOTTOM, "ceiling"))
        parts.append(
            text(min(at, shape.width - 46), 12, f"one rater {number(forest.ceiling)}", "ceiling-label", "middle")
        )
    if forest.perfect is not None:
        parts.append(line(x(forest.perfect), _TOP - 6, x(forest.perfect), height - _BOTTOM, "perfect"))
    for i, entry in enumerate(shown):
        parts.append(_row(entry, _TOP + _ROW * i + _ROW / 2, x, shape))
    return drawing("forest", shape.width, height, f"{forest.dimension}: agreement of metrics with the ratings", parts)


def _axis(x: Scale, low: float, height: int, shape: Shape) -> list[Markup]:
    step = 1 if shape is FULL and low >= -0.25 else 2  # so that the numbers have room
    values = [tick / 4 for tick in range(-4, 5, step) if tick / 4 >= low - 1e-9]
    return vertical_grid(x, values, _TOP - 4, height - _BOTTOM)


def _row(entry: Entry, y: float, x: Scale, shape: Shape) -> Markup:
    shown = entry.estimate
    assert shown.value is not None
    kind = {"named": "leading", "open": "trailing", "control": "control"}[entry.kind]
    label = "name control" if entry.kind == "control" else "name"
    parts = [text(shape.labels - 8, y + 4, short(shown.metric, shape.letters), label, "end")]
    if shown.low is not None and shown.high is not None:
        parts.append(line(x(shown.low), y, x(shown.high), y, f"interval {kind}"))
    if entry.bar is not None and entry.bar <= 1:
        parts.append(line(x(entry.bar), y - 6, x(entry.bar), y + 6, "needed"))
    parts.append(dot(x(shown.value), y, 4.2, f"dot {kind}", _title(entry)))
    parts.append(text(shape.width, y + 4, number(shown.value), "number", "end"))
    return Markup("").join(parts)


def _title(entry: Entry) -> str:
    said = f"{entry.estimate.metric}: {entry.estimate}"
    if entry.kind == "control":
        return f"{said}, a control"
    needed = "" if entry.bar is None else f", {number(entry.bar)} needed"
    return f"{said}{needed}: {next(words for level, (_, words, _) in LEVELS.items() if level == entry.level).lower()}"
