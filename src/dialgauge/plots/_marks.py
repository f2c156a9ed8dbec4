"""A chart for each kind of figure. Columns are renamed first: Vega reads signs in names of metrics as a language."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dialgauge.errors import DialgaugeError
from dialgauge.web import Figure

if TYPE_CHECKING:
    import altair as alt

#: Colours that people with any colour vision can tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#767676"
_OF_VERDICT = {"use": BLUE, "care": GREEN, "do-not-use": ORANGE, "control": GREY}
_SERIES = [BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", "#E69F00", "#767676"]
_ROW = 22
_SIDE = 300
#: The width of a label such as 102–118 below a bar.
_LABEL = 44

Rows = list[dict[str, Any]]


def chart_of(figure: Figure) -> "alt.Chart | alt.LayerChart":
    """The chart of a figure, from the data behind it."""
    library = _altair()
    builder = _BUILDERS.get(figure.kind)
    if builder is None:
        raise DialgaugeError(f"the figure {figure.name!r} is of a kind that has no chart: {figure.kind!r}")
    note = figure.note.split(". ") if figure.note else []
    title = library.TitleParams(text=figure.title, anchor="start", subtitle=note)
    name = "".join(letter if letter.isalnum() else "_" for letter in figure.name)
    made: alt.Chart | alt.LayerChart = builder(library, figure).properties(title=title, name=name)
    return made


def _altair() -> Any:
    try:
        import altair
    except ModuleNotFoundError as error:
        from dialgauge.errors import MissingExtraError

        raise MissingExtraError("charts", "plots") from error
    return altair


def _data(alt: Any, figure: Figure, **columns: str) -> Any:
    """The rows with only these columns, under the names that the chart uses."""
    places = {name: figure.columns.index(column) for name, column in columns.items()}
    return _inline(alt, [{name: row[place] for name, place in places.items()} for row in figure.rows])


def _inline(alt: Any, rows: Sequence[Mapping[str, Any]]) -> Any:
    return alt.Data(values=[dict(row) for row in rows])


def _number(alt: Any, channel: str, name: str, title: str | None, **more: Any) -> Any:
    return getattr(alt, channel)(field=name, type="quantitative", title=title, **more)


def _name(alt: Any, channel: str, name: str, title: str | None = None, **more: Any) -> Any:
    return getattr(alt, channel)(field=name, type="nominal", title=title, **more)


def _tips(alt: Any, *names: str) -> list[Any]:
    return [alt.Tooltip(field=name) for name in names]


def _forest(alt: Any, figure: Figure) -> Any:
    """Metrics from best to worst with intervals; dashes: what had to be reached, one rater, a perfect metric."""
    wanted = {"name": "metric", "value": "agreement", "needed": "needed", "verdict": "verdict"}
    data = _data(alt, figure, low="low", high="high", rater="one rater", perfect="perfect metric", **wanted)
    base = alt.Chart(data).encode(y=_name(alt, "Y", "name", None, sort=None))
    said = "agreement with the ratings"
    levels = list(dict.fromkeys(str(row[figure.columns.index("verdict")]) for row in figure.rows))
    colours = [_OF_VERDICT.get(level, GREEN) for level in levels]
    values = base.mark_point(filled=True, size=60).encode(
        x=_number(alt, "X", "value", said),
        color=_name(alt, "Color", "verdict", "verdict", scale=alt.Scale(domain=levels, range=colours)),
        tooltip=_tips(alt, "name", "value", "low", "high", "needed", "verdict"),
    )
    spans = base.mark_rule(color=GREY).encode(x=_number(alt, "X", "low", said), x2=alt.X2(field="high"))
    needed = base.mark_tick(color="black", thickness=1, size=12).encode(x=_number(alt, "X", "needed", said))
    layers = [spans, needed, values]
    for name, dash in (("rater", [6, 3]), ("perfect", [2, 2])):
        rule = alt.Chart(data).mark_rule(strokeDash=dash, color=GREEN)
        layers.append(rule.encode(x=alt.X(field=name, type="quantitative", aggregate="max", title=said)))
    return alt.layer(*layers).properties(width=_SIDE, height=_ROW * max(2, len(figure.rows)))


def _points(alt: Any, figure: Figure) -> Any:
    """Values with intervals, one below the other: name, value, low, high; groups in colours where a fifth column is."""
    name, value, low, high, *group = figure.columns[:5]
    more = {"group": group[0]} if group else {}
    data = _data(alt, figure, name=name, value=value, low=low, high=high, **more)
    offset = {"yOffset": _name(alt, "YOffset", "group")} if group else {}
    base = alt.Chart(data).encode(y=_name(alt, "Y", "name", None, sort=None), **offset)
    colour = _name(alt, "Color", "group", group[0], scale=alt.Scale(range=_SERIES)) if group else alt.value(BLUE)
    spans = base.mark_rule().encode(x=_number(alt, "X", "low", value), x2=alt.X2(field="high"), color=colour)
    dots = base.mark_point(filled=True, size=60).encode(
        x=_number(alt, "X", "value", value), color=colour, tooltip=_tips(alt, "name", "value", "low", "high")
    )
    names = len({row[0] for row in figure.rows})
    lines = len(figure.rows) if group else names
    return alt.layer(spans, dots).properties(width=_SIDE, height=max(2 * _ROW, 14 * lines if group else _ROW * lines))


def _scatter(alt: Any, figure: Figure) -> Any:
    """A point for each row: the last two columns are x and y."""
    x, y = (column.replace("_", " ") for column in figure.columns[-2:])
    data = _inline(alt, [{"x": row[-2], "y": row[-1], "item": str(row[0])} for row in figure.rows])
    axes = {
        "x": _number(alt, "X", "x", x, scale=alt.Scale(zero=False)),
        "y": _number(alt, "Y", "y", y, scale=alt.Scale(zero=False)),
    }
    points = alt.Chart(data).mark_circle(opacity=0.45, color=BLUE).encode(**axes, tooltip=_tips(alt, "item", "x", "y"))
    trend = alt.Chart(data).transform_regression("x", "y").mark_line(color=ORANGE).encode(**axes)
    return alt.layer(points, trend).properties(width=_SIDE, height=240)


def _boxes(alt: Any, figure: Figure) -> Any:
    """Quartiles and ends of each row; the first column that is no ``kind`` names it."""
    name = next(column for column in figure.columns if column != "kind")
    wanted = {"low": "low", "first": "first quartile", "median": "median", "third": "third quartile", "high": "high"}
    base = alt.Chart(_data(alt, figure, name=name, **wanted)).encode(y=_name(alt, "Y", "name", None, sort=None))
    ends = base.mark_rule(color=GREY).encode(x=_number(alt, "X", "low", figure.title), x2=alt.X2(field="high"))
    halves = base.mark_bar(size=12, color=BLUE).encode(
        x=_number(alt, "X", "first", figure.title), x2=alt.X2(field="third"), tooltip=_tips(alt, "name", *wanted)
    )
    medians = base.mark_tick(color="white", thickness=2, size=12).encode(x=_number(alt, "X", "median", figure.title))
    return alt.layer(ends, halves, medians).properties(width=_SIDE, height=_ROW * max(2, len(figure.rows)))


def _bars(alt: Any, figure: Figure) -> Any:
    name, value = figure.columns
    chart = alt.Chart(_data(alt, figure, name=name, value=value)).mark_bar(color=BLUE)
    chart = chart.encode(
        y=_name(alt, "Y", "name", None, sort=None),
        x=_number(alt, "X", "value", value),
        tooltip=_tips(alt, "name", "value"),
    )
    return chart.properties(width=_SIDE, height=_ROW * max(2, len(figure.rows)))


def _histogram(alt: Any, figure: Figure) -> Any:
    value = figure.columns[2]
    rows = [{"name": str(a) if a == b else f"{a}–{b}", "value": n} for a, b, n in figure.rows]
    chart = alt.Chart(_inline(alt, rows)).mark_bar(color=BLUE)
    return chart.encode(
        x=_name(alt, "X", "name", figure.title, sort=None, axis=alt.Axis(labelAngle=0)),
        y=_number(alt, "Y", "value", value),
        tooltip=_tips(alt, "name", "value"),
    ).properties(width=max(_SIDE, _LABEL * len(rows)), height=200)


def _shares(alt: Any, figure: Figure) -> Any:
    """Stacked shares of each row: columns that begin with ``share of``."""
    points = [column for column in figure.columns if column.startswith("share of ")]
    places = [figure.columns.index(column) for column in points]
    names = [column.removeprefix("share of ") for column in points]
    rows = [
        {"name": row[0], "point": name, "share": row[place], "order": order}
        for row in figure.rows
        for order, (name, place) in enumerate(zip(names, places, strict=True))
    ]
    chart = alt.Chart(_inline(alt, rows)).mark_bar()
    scale = alt.Scale(domain=names, scheme="blueorange", reverse=True)
    return chart.encode(
        y=_name(alt, "Y", "name", None, sort=None),
        x=_number(alt, "X", "share", "share of the ratings", stack="normalize", axis=alt.Axis(format="%")),
        color=_name(alt, "Color", "point", "rating", scale=scale, sort=names),
        order=alt.Order(field="order", type="quantitative"),
        tooltip=_tips(alt, "name", "point", "share"),
    ).properties(width=_SIDE, height=_ROW * max(2, len(figure.rows)))


def _series(alt: Any, figure: Figure) -> Any:
    """Bars side by side: the first column is the place, the others are series."""
    names = figure.columns[1:]
    rows = [
        {"place": str(row[0]), "series": n, "value": v}
        for row in figure.rows
        for n, v in zip(names, row[1:], strict=True)
    ]
    chart = alt.Chart(_inline(alt, rows)).mark_bar()
    return chart.encode(
        x=_name(alt, "X", "place", figure.columns[0], sort=None, axis=alt.Axis(labelAngle=0)),
        xOffset=_name(alt, "XOffset", "series", sort=None),
        y=_number(alt, "Y", "value", "share", axis=alt.Axis(format="%")),
        color=_name(alt, "Color", "series", None, sort=None, scale=alt.Scale(range=_SERIES)),
        tooltip=_tips(alt, "place", "series", "value"),
    ).properties(width=_SIDE, height=200)


def _matrix(alt: Any, figure: Figure) -> Any:
    """A heat map from −1 to 1: the first column names the row; further columns are cells, but for ``cluster``."""
    cells = [(place, name) for place, name in enumerate(figure.columns) if place and name != "cluster"]
    rows: Rows = [{"row": row[0], "column": name, "value": row[place]} for row in figure.rows for place, name in cells]
    base = alt.Chart(_inline(alt, rows)).encode(
        x=_name(alt, "X", "column", None, sort=None), y=_name(alt, "Y", "row", None, sort=None)
    )
    largest = max((abs(one["value"]) for one in rows if one["value"] is not None), default=1.0)
    scale = alt.Scale(scheme="blueorange", domain=[-max(1.0, largest), max(1.0, largest)], reverse=True)
    tiles = base.mark_rect().encode(
        color=_number(alt, "Color", "value", None, scale=scale), tooltip=_tips(alt, "row", "column", "value")
    )
    strong = f"abs(datum.value) > {0.6 * max(1.0, largest)}"
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text(field="value", type="quantitative", format=".2f"),
        color=alt.condition(strong, alt.value("white"), alt.value("black")),
    )
    layers = [tiles, numbers] if len(cells) <= 14 else [tiles]
    return alt.layer(*layers).properties(width=34 * len(cells), height=_ROW * max(2, len(figure.rows)))


def _curves(alt: Any, figure: Figure) -> Any:
    data = _data(alt, figure, name="metric", level="level", change="change", low="low", high="high")
    base = alt.Chart(data).encode(
        x=_number(
            alt, "X", "level", f"level of {figure.title}", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(zero=False)
        ),
        color=_name(alt, "Color", "name", "metric"),
        tooltip=_tips(alt, "name", "level", "change", "low", "high"),
    )
    lines = base.mark_line(point=True).encode(y=_number(alt, "Y", "change", "mean change"))
    spans = base.mark_rule(opacity=0.4).encode(y=_number(alt, "Y", "low", "mean change"), y2=alt.Y2(field="high"))
    return alt.layer(spans, lines).properties(width=_SIDE, height=240)


def _changes(alt: Any, figure: Figure) -> Any:
    """From the second column to the third, a line for each row."""
    name, before, after = figure.columns[:3]
    data = _data(alt, figure, name=name, before=before, after=after)
    base = alt.Chart(data).encode(y=_name(alt, "Y", "name", None, sort=None))
    said, scale = f"{before} (hollow), {after} (filled)", alt.Scale(zero=False)
    spans = base.mark_rule(color=GREY).encode(
        x=_number(alt, "X", "before", said, scale=scale), x2=alt.X2(field="after")
    )
    tips = _tips(alt, "name", "before", "after")
    first = base.mark_point(color=BLUE, size=55).encode(x=_number(alt, "X", "before", said), tooltip=tips)
    second = base.mark_point(color=BLUE, size=55, filled=True).encode(x=_number(alt, "X", "after", said), tooltip=tips)
    return alt.layer(spans, first, second).properties(width=_SIDE, height=_ROW * max(2, len(figure.rows)))


def _ranks(alt: Any, figure: Figure) -> Any:
    """The rank of each row in each further column."""
    columns = figure.columns[1:]
    rows = [
        {"name": row[0], "column": c, "rank": r} for row in figure.rows for c, r in zip(columns, row[1:], strict=True)
    ]
    chart = alt.Chart(_inline(alt, rows)).mark_line(point=True)
    return chart.encode(
        x=_name(alt, "X", "column", None, sort=None, axis=alt.Axis(labelAngle=0)),
        y=_number(alt, "Y", "rank", "rank", scale=alt.Scale(reverse=True, zero=False)),
        color=_name(alt, "Color", "name", None, sort=None),
        tooltip=_tips(alt, "name", "column", "rank"),
    ).properties(width=_SIDE, height=_ROW * max(4, len(figure.rows)))


_BUILDERS: Mapping[str, Callable[[Any, Figure], Any]] = {
    "bars": _bars,
    "boxes": _boxes,
    "changes": _changes,
    "curves": _curves,
    "forest": _forest,
    "histogram": _histogram,
    "matrix": _matrix,
    "points": _points,
    "ranks": _ranks,
    "scatter": _scatter,
    "series": _series,
    "shares": _shares,
}
