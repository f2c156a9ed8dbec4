"""Figures of the ratings: the share of a system's ratings at each point of the scale."""

import polars as pl
from markupsafe import Markup

from dialgauge.corpus import ORIGINAL, OVERALL
from dialgauge.report._content import Estimate, ReportData
from dialgauge.tables import number
from dialgauge.web import Figure, box, drawing, rounded, short, slug, text

_LABELS, _PLOT, _VALUES = 120, 260, 44
_WIDTH = _LABELS + _PLOT + _VALUES
_ROW, _TOP = 20, 24
#: A scale with more points than this is cut into _CUTS equal parts.
_POINTS, _CUTS = 7, 5


def rating_figures(data: ReportData) -> list[Figure]:
    """A figure per dimension: systems from the best rated to the worst, stacked bars from the low end to the high."""
    counted = data.counted.frame if data.counted else data.corpus.ratings
    known = counted.filter(pl.col("variant") == ORIGINAL, pl.col("value").is_not_null())
    # The shares of classes are a table: they have no low end, no high end and no mean.
    ordered = set(data.corpus.dimensions) - set(data.corpus.dimensions_of("nominal"))
    wanted = set(data.correlations["dimension"]) if data.correlations is not None else ordered
    return [
        _figure(dimension, known.filter(pl.col("dimension") == dimension), data.ratings)
        for dimension in data.corpus.dimensions
        if dimension in wanted and not known.filter(pl.col("dimension") == dimension).is_empty()
    ]


def _figure(dimension: str, ratings: pl.DataFrame, summaries: pl.DataFrame | None) -> Figure:
    """``summaries`` have one rating each, whose mean is shown: it is the number of the other tables."""
    names, points = _points(ratings["value"])
    who = pl.when(role=OVERALL).then("system").otherwise(pl.format("{} / {}", "system", "role")).alias("system")
    counted = ratings.with_columns(points.alias("point"), who)
    means = counted.group_by("system").agg(pl.col("value").mean().alias("mean"), pl.len().alias("count"))
    if summaries is not None and dimension in summaries.columns:
        rated = summaries.filter(pl.col("variant") == ORIGINAL).with_columns(who)
        given = rated.group_by("system").agg(pl.col(dimension).mean().alias("mean"))
        means = means.drop("mean").join(given.drop_nulls(), on="system").select("system", "mean", "count")
    ranked = means.sort("mean", "system", descending=[True, False])
    cells = {(system, point): count for system, point, count in counted.group_by("system", "point").len().iter_rows()}
    rows, parts = [], _legend(names)
    for i, (system, mean, count) in enumerate(ranked.iter_rows()):
        y, at = _TOP + _ROW * i + _ROW / 2, float(_LABELS)
        shares = [cells.get((system, point), 0) / count for point in range(len(names))]
        parts.append(text(_LABELS - 8, y + 4, short(system, 17), anchor="end"))
        for point, share in enumerate(shares):
            if share:
                title = f"{system}: {share:.0%} of {count} ratings are {names[point]}"
                kind, style = _shade(point, len(names))
                parts.append(box(at, y - 7, _PLOT * share, 14, kind, title, style))
                at += _PLOT * share
        parts.append(text(_WIDTH, y + 4, number(mean), "number", "end"))
        rows.append((system, count, rounded(mean), *(rounded(share) for share in shares)))
    height = _TOP + _ROW * len(rows) + 6
    label = f"{dimension}: share of the ratings of each system at each point of the scale, and their mean"
    columns = ("system", "ratings", "mean", *(f"share of {name}" for name in names))
    svg = drawing("plot", _WIDTH, height, label, parts)
    return Figure(f"ratings-{slug(dimension)}", dimension, svg, columns, rows, kind="shares")


def _points(values: pl.Series) -> tuple[list[str], pl.Series]:
    """The names of the points of the scale that were used, low to high, and the number of the point of each rating."""
    distinct = values.unique().sort().to_list()
    if len(distinct) <= _POINTS:
        numbers = {value: i for i, value in enumerate(distinct)}
        return [f"{value:g}" for value in distinct], values.replace_strict(numbers, return_dtype=pl.Int64)
    low, high = distinct[0], distinct[-1]
    width = (high - low) / _CUTS
    names = [f"{low + width * i:.3g}–{low + width * (i + 1):.3g}" for i in range(_CUTS)]
    return names, ((values - low) / width).floor().cast(pl.Int64).clip(0, _CUTS - 1)


def _legend(names: list[str]) -> list[Markup]:
    parts, step = [], _PLOT / len(names)
    for i, name in enumerate(names):
        kind, style = _shade(i, len(names))
        parts.append(box(_LABELS + step * i, 4, 10, 10, kind, style=style))
        parts.append(text(_LABELS + step * i + 14, 13, name, "tick"))
    parts.append(text(_WIDTH, 13, "mean", "tick", "end"))
    return parts


def _shade(point: int, points: int) -> tuple[str, str]:
    """Class and style of a point: one colour for the low end, another for the high, paler towards the middle."""
    at = 2 * point / max(1, points - 1) - 1
    return f"point {'low' if at < 0 else 'high'}", f"--strength: {abs(at) * 100:.0f}%"


def cleaning_rows(data: ReportData) -> list[tuple[str, Estimate, Estimate, int, int]]:
    """Effect of cleaning: dimension, α as rated, α afterwards, number of ratings and number of removed ratings."""
    if data.cleaning is None or data.agreement is None:
        return []
    before = {
        row["dimension"]: Estimate("α", row["value"], row["low"], row["high"])
        for row in data.agreement.filter(pl.col("measure") == "krippendorff-alpha").iter_rows(named=True)
    }
    return [
        (
            row["dimension"],
            before.get(row["dimension"], Estimate("α", None, None, None)),
            Estimate("α", row["value"], row["low"], row["high"]),
            row["ratings"],
            row["removed"],
        )
        for row in data.cleaning.iter_rows(named=True)
    ]
