"""How metrics relate to each other: which are redundant, and which are significantly better than others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from dialgauge.report._content import ReportData, listed
from dialgauge.tables import NOTHING, number
from dialgauge.web import Figure, box, drawing, line, rounded, short, text, tick_text

_LABELS, _CELL = 132, 17
#: A cell with its number, if there is room.
_WIDE, _NUMBERED = 26, 40
#: The maximum width in pixels, and by how much a small figure is enlarged at most.
_SCREEN, _LARGER = 1240, 1.25
#: From one colour of the legend to the next.
_STEP = 48


@dataclass(frozen=True, slots=True)
class Pair:
    """Row metric compared with column metric: ``kind`` is better, worse, open (not significant) or none."""

    kind: str
    said: str
    title: str
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """The pairs of the leading metrics of one dimension, in the order of their rank."""

    dimension: str
    metrics: tuple[str, ...]
    rows: tuple[tuple[Pair, ...], ...]
    verdict: str


def between_figure(data: ReportData) -> Figure | None:
    """The ordered heat map of metrics with metrics; lines separate the clusters."""
    frame = data.between
    if frame is None or frame.height < 2:
        return None
    names = frame["name"].to_list()
    values = [[frame[name][i] for name in names] for i in range(len(names))]
    if all(value is None for line_ in values for value in line_):
        return None
    clusters = frame["cluster"].to_list()
    size = _WIDE if len(names) <= _NUMBERED else _CELL
    top, side = _LABELS - 20, size * len(names)
    parts: list[Markup] = []
    numbers: list[Markup] = []
    for i, name in enumerate(names):
        y = top + size * i
        parts.append(text(_LABELS - 6, y + size / 2 + 4, short(name, 19), anchor="end"))
        turned = Markup('<text class="name" transform="translate({:.1f} {:.1f}) rotate(-60)">{}</text>')
        parts.append(turned.format(_LABELS + size * i + size / 2 + 4, top - 6, short(name, 17)))
        for j, value in enumerate(values[i]):
            title = f"{name} with {names[j]}: {'undefined' if value is None else number(value)}"
            x = _LABELS + size * j
            strength = "" if value is None else f"--strength: {min(1.0, abs(value)) * 100:.0f}%"
            kind = "tile none" if value is None else f"tile {'positive' if value >= 0 else 'negative'}"
            parts.append(box(x, y, size - 1, size - 1, kind, title, strength))
            if value is not None and size == _WIDE:
                in_cell = Markup('<text x="{:g}" y="{:g}">{}</text>')
                numbers.append(in_cell.format(x + size / 2 - 0.5, y + size / 2 + 3.5, _hundredths(value)))
    parts.append(Markup('<g class="in-cell" text-anchor="middle">{}</g>').format(Markup("").join(numbers)))
    for i in range(1, len(names)):
        if clusters[i] != clusters[i - 1]:
            parts.append(line(_LABELS, top + size * i - 0.5, _LABELS + side, top + size * i - 0.5, "cut"))
            parts.append(line(_LABELS + size * i - 0.5, top, _LABELS + size * i - 0.5, top + side, "cut"))
    label = f"Correlations between {len(names)} metrics, ordered by similarity"
    rows = [(name, cluster, *map(rounded, line_)) for name, cluster, line_ in zip(names, clusters, values, strict=True)]
    width = _LABELS + max(side, 5 * _STEP) + 60
    pixels = width * min(_LARGER, max(1.0, _SCREEN / width))
    svg = drawing("between", width, top + side + 38, label, parts + _scale(top + side + 14), pixels)
    columns = ("metric", "cluster", *names)
    return Figure(
        "metrics-with-metrics", "Metrics with metrics", svg, columns, rows, _signs(data, names), kind="matrix"
    )


def _scale(y: float) -> list[Markup]:
    """The legend of the colours."""
    parts = []
    for i, value in enumerate((-1.0, -0.5, 0.0, 0.5, 1.0)):
        kind = f"tile key {'positive' if value >= 0 else 'negative'}"
        parts.append(box(_LABELS + _STEP * i, y, 14, 14, kind, style=f"--strength: {abs(value) * 100:.0f}%"))
        parts.append(text(_LABELS + _STEP * i + 18, y + 11, tick_text(value), "tick"))
    return parts


def _signs(data: ReportData, names: Sequence[str]) -> str:
    """Which metrics correlate negatively with related ones only because lower is better."""
    lower = [name for name in names if data.scores.directions.get(name) == "lower"]
    said = "Below zero, one metric falls when the other rises."
    if lower:
        said += f" Signs are as the metrics give them: of {listed(lower)}, lower is better."
    return said


def _hundredths(value: float) -> str:
    """Two decimals without the zero before the point, for narrow cells."""
    shown = number(value, short=True)
    return shown[:-1] if shown.endswith("1.00") else shown


def cluster_sentences(data: ReportData) -> list[str]:
    """The groups of redundant metrics."""
    if data.between is None:
        return []
    groups = data.between.group_by("cluster", maintain_order=True).agg("name")
    return [", ".join(names) for _, names in groups.iter_rows() if len(names) > 1]


def significance(data: ReportData) -> list[Matrix]:
    """A matrix per dimension; empty if nothing was tested."""
    if data.comparisons is None:
        return []
    found = []
    for (dimension,), part in data.comparisons.group_by("dimension", maintain_order=True):
        values: dict[str, float] = {}
        pairs: dict[tuple[str, str], Mapping[str, Any]] = {}
        for row in part.iter_rows(named=True):
            pairs[row["metric"], row["other"]] = row
            for name, value in ((row["metric"], row["value"]), (row["other"], row["other_value"])):
                if value is not None:
                    values[name] = value
        ranked = sorted(values, key=lambda name: (-values[name], name))
        alpha = 1 - data.confidence
        rows = tuple(tuple(_pair(one, other, pairs, alpha) for other in ranked) for one in ranked)
        certain = (part["p_corrected"].drop_nulls() <= alpha).sum()
        said = f"{certain} of {part.height} pairs differ significantly at {100 * alpha:.3g} %, corrected for all pairs."
        never = part["reason"].drop_nulls().unique(maintain_order=True).to_list()
        if len(never) == 1 and part["reason"].null_count() == 0:
            said += f" {never[0][0].upper()}{never[0][1:]}."
        found.append(Matrix(str(dimension), tuple(ranked), rows, said))
    return found


def _pair(one: str, other: str, pairs: Mapping[tuple[str, str], Mapping[str, Any]], alpha: float) -> Pair:
    if one == other:
        return Pair("none", "", "")
    row, sign = (pairs[one, other], 1) if (one, other) in pairs else (pairs[other, one], -1)
    if row["difference"] is None or row["p_corrected"] is None:
        return Pair("none", NOTHING, row["reason"] or "not tested")
    difference, p_value = sign * row["difference"], row["p_corrected"]
    kind = "open" if p_value > alpha else "better" if difference > 0 else "worse"
    mark = {"open": "·", "better": "▲", "worse": "▽"}[kind]
    title = f"{one} − {other}: {number(difference)}, p = {p_value:.3f} corrected"
    return Pair(kind, f"{mark} {number(difference)}", title, difference)
