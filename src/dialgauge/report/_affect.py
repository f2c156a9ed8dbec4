"""The section on affect: whether the sentiment of the dialogues survives in the summaries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.affect import Spread, affective
from dialgauge.report._affect_figures import paper_box_plot, scatter_plots, system_box_plot
from dialgauge.report._panel import Panel
from dialgauge.tables import Cell, Table, estimate_cell, listing, number_cell
from dialgauge.web import Figure, rounded, slug

#: What the kinds of rows are called on the page.
_KINDS = {"system": "system", "reference": "written by people", "control": "control"}
_MEASURES = ("spearman", "ccc", "mae", "adjusted")
_HEADS = ("Spearman", "CCC", "MAE", "adjusted", "positive words, Spearman", "negative words, Spearman")
_WHOLE = "whole dialogue"
_SPREAD = ("name", "count", "mean", "low", "first quartile", "median", "third quartile", "high", "outside")
#: Most pairs of a system in the data of its scatter plot, as in the plot.
_PAIRS = 1500
#: For the appendix.
_FORMULAS: tuple[tuple[str, str, str], ...] = (
    ("PSent", "Affective words of a text / its words, by the tagger named above.", "Zhou et al. 2024"),
    (
        "PSentScore",
        "Spearman's correlation, over dialogues whose PSent is above zero, of PSent of the dialogue and of its "
        "summary. CCC: 2 · cov(x, y) / (var x + var y + (x̄ − ȳ)²). MAE: mean of |x − y|. Bootstrap over dialogues.",
        "Zhou et al. 2024; Lin 1989",
    ),
    (
        "adjusted",
        "Partial Spearman correlation of PSent of the dialogue with the summary's affective words that nobody said in "
        "the dialogue, per word, given the lengths of both. 0 where no summary has such a word: it copies.",
        "",
    ),
)


@dataclass(frozen=True, slots=True)
class AffectData:
    """PSentScores as :func:`dialgauge.affect.psent_score` gives them, with a column ``side`` (the role, or the whole),
    the shares of each dialogue and summary (:func:`dialgauge.affect.shares_frame`), and what made the numbers."""

    scores: pl.DataFrame
    shares: pl.DataFrame
    signature: str


@dataclass(frozen=True, slots=True)
class AffectSide:
    """The scores of one side of the dialogues, and what to make of them."""

    name: str
    verdict: str
    table: Table


def affect_panel(data: AffectData) -> Panel:
    """The section on affect."""
    sides = data.scores["side"].unique(maintain_order=True).to_list()
    sides_shown = [_side(data.scores.filter(side=side), side or _WHOLE) for side in sides]
    figures = _figures(data.shares)
    shown = {"affect": sides_shown, "affect_figures": figures, "signature": data.signature}
    return Panel((("affect", "Affect"),), "affect.html", 60, shown, figures, formulas=_FORMULAS)


def _figures(shares: pl.DataFrame) -> list[Figure]:
    """Box plots of the shares, then dialogue and summary for each system."""
    if shares.is_empty():
        return []
    parts = {"full": shares, "filtered": affective(shares)}
    both = [
        (f"{side}, {name}", part[f"{side}_all"]) for name, part in parts.items() for side in ("dialogue", "summary")
    ]
    one_each = shares.unique(["dialogue_id", "role"], maintain_order=True)["dialogue_all"]
    groups = {str(name): part for (name,), part in shares.group_by(["system"], maintain_order=True)}
    each = [("dialogues", one_each), *((name, part["summary_all"]) for name, part in groups.items())]
    whole, systems = paper_box_plot(shares), system_box_plot(shares)
    all_pairs = "All pairs, and those with affective words on both sides"
    figures = [
        Figure("affect-shares", all_pairs, whole, _SPREAD, _spreads(both), kind="boxes"),
        Figure(
            "affect-systems",
            "Dialogues and the summaries of each system",
            systems,
            _SPREAD,
            _spreads(each),
            kind="boxes",
        ),
    ]
    columns = ("dialogue_id", "role", "dialogue_all", "summary_all")
    for name, svg in scatter_plots(shares).items():
        pairs = groups[name].select(columns)
        rows = pairs.gather_every(max(1, math.ceil(pairs.height / _PAIRS))).iter_rows()
        data = [(dialogue, role, rounded(one), rounded(other)) for dialogue, role, one, other in rows]
        figures.append(Figure(f"affect-scatter-{slug(name)}", name, svg, columns, data, kind="scatter"))
    return figures


def _spreads(series: Sequence[tuple[str, pl.Series]]) -> list[tuple[object, ...]]:
    found = ((name, Spread.of(values)) for name, values in series)
    return [
        (name, one.count, *map(rounded, (one.mean, one.low, one.first, one.median, one.third, one.high)), one.outside)
        for name, one in found
        if one is not None
    ]


def _side(frame: pl.DataFrame, side: str) -> AffectSide:
    by_part: dict[object, dict[str, Any]] = {
        part: {row["name"]: row for row in rows.iter_rows(named=True)} for (part,), rows in frame.group_by("part")
    }
    rows = [_row(name, by_part) for name in frame["name"].unique(maintain_order=True)]
    table = listing(f"PSentScore, {side}", ("summaries", "kind", *_HEADS), rows, numeric=_HEADS)
    return AffectSide(side, _verdict(frame.filter(part="all")), table)


def _row(name: str, by_part: Mapping[object, Mapping[str, Mapping[str, Any]]]) -> list[object]:
    """A system, the references or a control, with its numbers."""
    whole = by_part["all"][name]
    cells = [_cell(whole, measure) for measure in _MEASURES]
    cells += [_cell(by_part[part][name], "spearman") for part in ("positive", "negative")]
    return [name.removesuffix(" (control)"), _KINDS[whole["kind"]], *cells]


def _cell(row: Mapping[str, Any], measure: str) -> Cell:
    if measure == "mae":
        return number_cell(row["mae"], 3)
    return estimate_cell(row[measure], row[f"{measure}_low"], row[f"{measure}_high"], between=", ")


def _verdict(rows: pl.DataFrame) -> str:
    """Which system preserves the sentiment best, how certain that is, and how controls compare with it."""
    scored = rows.filter(pl.col("kind") == "system", pl.col("spearman").is_not_null())
    systems = scored.sort("spearman", descending=True, maintain_order=True).to_dicts()
    if not systems:
        return "No system has a PSentScore: too few dialogues have affective words."
    sentences = [_closest(systems)]
    own = [row for row in systems if not _copies(row)]
    if own and own[0] is not systems[0]:
        sentences.append(f"Among systems that do not only copy, {_closest(own)}")
    beside = (own or systems)[0]
    controls = rows.filter(pl.col("kind") == "control", pl.col("spearman") >= beside["spearman"])["name"].to_list()
    if controls:
        names = ", ".join(name.removesuffix(" (control)") for name in controls)
        sentences.append(f"Controls score as high ({names}): a high score alone does not show a good summary")
    adjusted = [row for row in systems if row["adjusted"] is not None]
    if adjusted:
        sentences.append(_adjusted(sorted(adjusted, key=lambda row: -row["adjusted"])))
    return ". ".join(sentences) + "."


def _copies(row: Mapping[str, Any]) -> bool:
    """Whether the system has no affective word of its own: only then is the adjusted value 0 in every resample."""
    return all(row[name] == 0 for name in ("adjusted", "adjusted_low", "adjusted_high"))


def _closest(systems: Sequence[Mapping[str, Any]]) -> str:
    """The first of these sorted systems; if its interval includes zero, also the best one whose interval does not."""
    best, others = systems[0], systems[1:]
    shown = f"{_named(best)} follows the dialogues most closely (Spearman {_cell(best, 'spearman').text})"
    low = best["spearman_low"]
    if low is not None and low <= 0:
        sure = next((row for row in others if (row["spearman_low"] or 0) > 0), None)
        known = "no system is significantly above zero"
        if sure:
            known = f"the best significantly above zero is {_named(sure).rstrip(',')} ({_cell(sure, 'spearman').text})"
        return f"{shown}, but its interval includes zero; {known}"
    near = sum(low is not None and (row["spearman_high"] or 0) >= low for row in others)
    return f"{shown}; the intervals of {near} of {len(others)} others overlap with it" if near else shown


def _named(row: Mapping[str, Any]) -> str:
    return f"{row['name']}, which only copies," if _copies(row) else str(row["name"])


def _adjusted(systems: Sequence[Mapping[str, Any]]) -> str:
    """What remains after adjusting for copying and length; ``systems`` from the highest down."""
    sure = next((row for row in systems if row["adjusted_low"] is None or row["adjusted_low"] > 0), None)
    first = systems[0] if sure is None else sure
    shown = f"{first['name']} {_cell(first, 'adjusted').text}"
    if sure is None:
        return f"Adjusted for copying and length, no system is significantly above zero (highest: {shown})"
    rank = "highest" if sure is systems[0] else "highest with an interval above zero"
    return f"Adjusted for copying and length, {rank}: {shown}"
