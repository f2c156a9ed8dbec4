"""Scatter plots of metric and rating: a point per summary, a larger one per system. The texts are on the page once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.metaeval import COEFFICIENT_NAMES
from dialgauge.report._content import Ranking, ReportData
from dialgauge.tables import number
from dialgauge.web import Figure, dot, drawing, horizontal_grid, linear, rounded, slug, text, ticks, vertical_grid

#: Most points; with more, whole dialogues are left out, evenly, so that every system keeps its summaries.
_POINTS = 1500
#: A longer text is cut: the run folder has it in full.
_LETTERS = 400
_METRICS = 3
#: Columns beside those of metrics and ratings, under names that no metric has.
_TEXT, _ITEM = " text", " item"
_LEFT, _SIDE, _HIGH = 46, 220, 180
_TOP, _BOTTOM = 10, 36


@dataclass(frozen=True, slots=True)
class Texts:
    """The summaries that points stand for, each once: the key's parts that differ, and the text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def scatter_plots(data: ReportData, rankings: Sequence[Ranking]) -> tuple[list[Figure], Texts, str]:
    """Plots of the leading metrics of each dimension, the texts behind the points, and what was left out."""
    if data.ratings is None or not rankings:
        return [], Texts((), ()), ""
    items, left_out = _items(data)
    figures = []
    for ranking in rankings:
        scored = [entry.metric for entry in ranking.estimates if entry.value is not None]
        for metric in [name for name in scored if name in data.scores.metrics][:_METRICS]:
            figures.append(_plot(items, metric, ranking, data.scores.directions.get(metric) == "lower"))
    known = [name for name in KEY if name in ("dialogue_id", "system") or items[name].n_unique() > 1]
    whole = pl.col(_TEXT).str.len_chars() <= _LETTERS
    cut = pl.when(whole).then(_TEXT).otherwise(pl.col(_TEXT).str.head(_LETTERS) + "…")
    texts = items.filter(pl.col(_ITEM).is_not_null()).select(*known, cut.fill_null("").alias("text"))
    return figures, Texts(tuple(texts.columns), tuple(texts.iter_rows())), left_out


def _items(data: ReportData) -> tuple[pl.DataFrame, str]:
    """The rated summaries with scores, ratings and text; evenly fewer dialogues where they are too many."""
    assert data.ratings is not None
    ratings = data.ratings.rename({name: f"rating of {name}" for name in data.ratings.columns if name not in KEY})
    texts = data.corpus.summaries.select(*KEY, pl.col("text").alias(_TEXT))
    items = (
        data.scores.frame.filter(pl.col("variant") == ORIGINAL)
        .join(ratings, on=list(KEY), how="inner", maintain_order="left")
        .join(texts, on=list(KEY), how="left", maintain_order="left")
    )
    dialogues = items["dialogue_id"].unique(maintain_order=True)
    step = max(1, math.ceil(items.height / _POINTS))
    kept = dialogues.gather_every(step)
    drawn = pl.col("dialogue_id").is_in(kept.to_list())
    numbered = items.with_columns(pl.when(drawn).then(drawn.cast(pl.Int64).cum_sum() - 1).alias(_ITEM))
    if step == 1:
        return numbered, ""
    said = f"Points of {len(kept)} of {len(dialogues)} dialogues are drawn, evenly chosen; the means use all."
    return numbered, said


def _plot(items: pl.DataFrame, metric: str, ranking: Ranking, lower: bool) -> Figure:
    column = f"rating of {ranking.dimension}"
    numbered = items.filter(pl.col(metric).is_not_null(), pl.col(column).is_not_null())
    means = numbered.group_by("system").agg(pl.col(metric).mean(), pl.col(column).mean()).sort("system")
    x_low, x_high = _range(numbered[column])
    y_low, y_high, beyond = _core(numbered[metric])
    pad = (x_high - x_low) * 0.04
    x = linear(x_low - pad, x_high + pad, _LEFT, _LEFT + _SIDE)
    y = linear(y_low, y_high, _TOP + _HIGH, _TOP)
    parts = vertical_grid(x, ticks(x_low, x_high), _TOP, _TOP + _HIGH)
    parts += horizontal_grid(y, ticks(y_low, y_high), _LEFT, _LEFT + _SIDE)
    points = numbered.filter(pl.col(_ITEM).is_not_null()).select(_ITEM, column, metric).rows()
    # Ratings are few round numbers: points go a little to the side, so that one does not hide the next.
    places = [f"M{x(rating) + ((item * 7) % 25 - 12) * 0.45:.1f} {y(value):.1f}h0" for item, rating, value in points]
    parts.append(Markup('<path class="points" d="{}"/>').format("".join(places)))
    for system, value, rating in means.iter_rows():
        title = f"{system}: mean {metric} {value:.4g}, mean rating {number(rating)}"
        parts.append(dot(x(rating), y(value), 4.5, "system", title))
    parts.append(text(_LEFT + _SIDE / 2, _TOP + _HIGH + 32, f"rating of {ranking.dimension}", "tick", "middle"))
    estimate = next(entry for entry in ranking.estimates if entry.metric == metric)
    called = COEFFICIENT_NAMES[ranking.coefficient]
    notes = [f"{called[0].upper()}{called[1:]}: {estimate}" + (", sign flipped: lower is better." if lower else ".")]
    if beyond:
        notes.append(f"{beyond} values far outside are drawn at the edge.")
    label = f"{metric} and the ratings of {ranking.dimension}, {len(points)} summaries and {means.height} systems"
    svg = drawing("scatter", _LEFT + _SIDE + 8, _TOP + _HIGH + _BOTTOM, label, parts)
    return Figure(
        f"scatter-{slug(ranking.dimension)}-{slug(metric)}",
        f"{metric}, {ranking.dimension}",
        svg,
        ("text", f"rating of {ranking.dimension}", metric),
        [(item, rounded(rating), rounded(value)) for item, rating, value in points],
        " ".join(notes),
        texts=True,
        kind="scatter",
    )


def _range(values: pl.Series) -> tuple[float, float]:
    low, high = values.min(), values.max()
    return (float(low), float(high)) if low is not None and high is not None else (0.0, 1.0)  # type: ignore[arg-type]


def _core(values: pl.Series) -> tuple[float, float, int]:
    """The range that is drawn, and how many values are outside: a few outliers must not flatten the rest."""
    low, high = _range(values)
    inner = values.quantile(0.005), values.quantile(0.995)
    if inner[0] is None or inner[1] is None or high - low <= 2 * (inner[1] - inner[0]) or inner[0] == inner[1]:
        return low, high, 0
    beyond = ((values < inner[0]) | (values > inner[1])).sum()
    return float(inner[0]), float(inner[1]), int(beyond)


def texts_data(texts: Texts) -> Mapping[str, object]:
    """For the script of the page."""
    return {"columns": list(texts.columns), "rows": [list(row) for row in texts.rows]}
