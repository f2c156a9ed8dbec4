"""Figures of the corpus: how long the summaries of each system are, how long the dialogues, and where they are from."""

import math

import polars as pl
from markupsafe import Markup

from dialgauge.corpus import ORIGINAL, Corpus
from dialgauge.errors import counted
from dialgauge.web import Figure, box, drawing, line, linear, short, text, ticks, vertical_grid

_LABELS, _PLOT, _VALUES = 120, 220, 44
_WIDTH = _LABELS + _PLOT + _VALUES
_ROW, _BOTTOM = 20, 24
_BINS = 12
_BAR = 120
#: The width of a letter of a tick, and then some.
_LETTER = 8.5
#: More rows than this make no picture; the data has all of them.
_MOST = 30


def corpus_figures(corpus: Corpus) -> list[Figure]:
    """The figures of a corpus; domains only where there are several."""
    figures = [_lengths(corpus), _turns(corpus)]
    if corpus.dialogues["domain"].drop_nulls().n_unique() > 1:
        figures.append(_domains(corpus))
    return figures


def _lengths(corpus: Corpus) -> Figure:
    """Words per summary: quartiles and range for each system, the references first."""
    words = corpus.summaries.filter(pl.col("variant") == ORIGINAL).with_columns(
        pl.col("text").str.extract_all(r"\S+").list.len().alias("words")
    )
    spread = (
        words.group_by("kind", "system")
        .agg(
            pl.len().alias("summaries"),
            pl.col("words").min().alias("low"),
            pl.col("words").quantile(0.25, "linear").alias("first quartile"),
            pl.col("words").median().alias("median"),
            pl.col("words").quantile(0.75, "linear").alias("third quartile"),
            pl.col("words").max().alias("high"),
        )
        .sort("kind", "system")
    )
    high = float(spread["high"].max() or 1)  # type: ignore[arg-type]  # a count
    shown = list(spread.head(_MOST).iter_rows(named=True))
    height = _ROW * len(shown) + _BOTTOM + 4
    x = linear(0.0, high, _LABELS, _LABELS + _PLOT)
    parts = _axis(high, height)
    for i, row in enumerate(shown):
        y = _ROW * i + _ROW / 2 + 2
        kind = "series-b" if row["kind"] == "reference" else "series-a"
        title = f"{row['system']}: {row['low']} to {row['high']} words, median {row['median']:g}"
        first, third = x(row["first quartile"]), x(row["third quartile"])
        parts += [
            text(_LABELS - 8, y + 4, short(row["system"], 17), anchor="end"),
            line(x(row["low"]), y, x(row["high"]), y, "whisker"),
            box(first, y - 6, max(1.0, third - first), 12, kind, title),
            line(x(row["median"]), y - 6, x(row["median"]), y + 6, "median"),
            text(_WIDTH, y + 4, f"{row['median']:g}", "number", "end"),
        ]
    label = "Words per summary of each system: quartiles and range"
    return Figure(
        "corpus-lengths",
        "Words per summary",
        drawing("plot", _WIDTH, height, label, parts),
        tuple(spread.columns),
        list(spread.iter_rows()),
        "Box: the middle half; line: the median (also as a number); thin line: all. References are written by people."
        if corpus.references.height
        else "Box: the middle half; line: the median (also as a number); thin line: all.",
        kind="boxes",
    )


def _turns(corpus: Corpus) -> Figure:
    """Turns per dialogue, as a histogram."""
    counts = corpus.dialogues["turns"].list.len().cast(pl.Int64).to_list()
    low, high = min(counts), max(counts)
    width = max(1, -(-(high - low + 1) // _BINS))
    bins = [(start, start + width - 1) for start in range(low, high + 1, width)]
    rows = [(first, last, sum(first <= count <= last for count in counts)) for first, last in bins]
    most = max(count for *_, count in rows)
    step, base = (_LABELS + _PLOT) / len(rows), _BAR + 18
    names = [f"{first}" if first == last else f"{first}–{last}" for first, last in bins]
    apart = math.ceil(max(map(len, names)) * _LETTER / step)  # so that the names of bars do not run into each other
    parts: list[Markup] = []
    for i, (named, (*_, count)) in enumerate(zip(names, rows, strict=True)):
        tall = _BAR * count / most
        parts += [
            box(20 + step * i, base - tall, step - 2, tall, "series-a", f"{named} turns: {counted(count, 'dialogue')}"),
            text(20 + step * i + step / 2, base - tall - 4, count, "tick", "middle") if count else Markup(""),
            Markup("") if i % apart else text(20 + step * i + step / 2, base + 14, named, "tick", "middle"),
        ]
    parts.append(line(20, base, 20 + step * len(rows), base, "zero"))
    svg = drawing("plot", _WIDTH, base + 24, "Turns per dialogue: how many dialogues have how many", parts)
    return Figure("corpus-turns", "Turns per dialogue", svg, ("from", "to", "dialogues"), rows, kind="histogram")


def _domains(corpus: Corpus) -> Figure:
    counts = (
        corpus.dialogues["domain"]
        .fill_null("none given")
        .value_counts()
        .sort("count", "domain", descending=[True, False])
    )
    rows = list(counts.iter_rows())
    shown = rows[:_MOST]
    high = float(rows[0][1])
    height = _ROW * len(shown) + _BOTTOM + 4
    x = linear(0.0, high, _LABELS, _LABELS + _PLOT)
    parts = _axis(high, height)
    for i, (name, count) in enumerate(shown):
        y = _ROW * i + _ROW / 2 + 2
        parts += [
            text(_LABELS - 8, y + 4, short(name, 17), anchor="end"),
            box(_LABELS, y - 6, x(count) - _LABELS, 12, "series-a", f"{name}: {counted(count, 'dialogue')}"),
            text(_WIDTH, y + 4, count, "number", "end"),
        ]
    svg = drawing("plot", _WIDTH, height, "Dialogues of each domain", parts)
    return Figure("corpus-domains", "Dialogues of each domain", svg, ("domain", "dialogues"), rows, kind="bars")


def _axis(high: float, height: float) -> list[Markup]:
    x = linear(0.0, high, _LABELS, _LABELS + _PLOT)
    return vertical_grid(x, ticks(0.0, high), 2, height - _BOTTOM)
