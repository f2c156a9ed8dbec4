"""What the report says of affect: whether the feelings of the dialogues survive in the summaries."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.affect import Spread, affective
from dialgauge.report._affect_figures import paper_box_plot, scatter_plots, system_box_plot
from dialgauge.report._content import Estimate, decimals
from dialgauge.report._svg import Figure, rounded, slug

#: What the kinds of rows are called on the page.
_KINDS = {"system": "system", "reference": "written by people", "control": "control"}
_MEASURES = ("spearman", "ccc", "mae", "adjusted")
_WHOLE = "whole dialogue"
_SPREAD = ("name", "count", "mean", "low", "first quartile", "median", "third quartile", "high", "outside")
#: So many pairs of a system are in the data of its scatter plot, as in the plot.
_PAIRS = 1500


@dataclass(frozen=True, slots=True)
class AffectData:
    """PSentScores as :func:`dialgauge.affect.psent_score` gives them, with a column ``side`` (the role, or the whole),
    the shares of each dialogue and summary (:func:`dialgauge.affect.shares_frame`), and what made the numbers."""

    scores: pl.DataFrame
    shares: pl.DataFrame
    signature: str


@dataclass(frozen=True, slots=True)
class AffectRow:
    """A system, the references or a control, with its numbers as they are shown."""

    name: str
    kind: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AffectTable:
    """The rows of one side of the dialogues, and what to make of them."""

    side: str
    verdict: str
    rows: tuple[AffectRow, ...]


def affect_context(data: AffectData | None) -> dict[str, Any]:
    """What the template shows; nothing where affect was not measured."""
    if data is None:
        return {"affect": (), "affect_figures": []}
    sides = data.scores["side"].unique(maintain_order=True).to_list()
    tables = [_table(data.scores.filter(side=side), side or _WHOLE) for side in sides]
    return {"affect": tables, "affect_figures": _figures(data.shares)}


def _figures(shares: pl.DataFrame) -> list[Figure]:
    """Box plots of the shares, then dialogue against summary for each system."""
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
    figures = [
        Figure("affect-shares", "All pairs, and those with feeling on both sides", whole, _SPREAD, _spreads(both)),
        Figure("affect-systems", "Dialogues and the summaries of each system", systems, _SPREAD, _spreads(each)),
    ]
    columns = ("dialogue_id", "role", "dialogue_all", "summary_all")
    for name, svg in scatter_plots(shares).items():
        pairs = groups[name].select(columns)
        rows = pairs.gather_every(max(1, math.ceil(pairs.height / _PAIRS))).iter_rows()
        data = [(dialogue, role, rounded(one), rounded(other)) for dialogue, role, one, other in rows]
        figures.append(Figure(f"affect-scatter-{slug(name)}", name, svg, columns, data))
    return figures


def _spreads(series: Sequence[tuple[str, pl.Series]]) -> list[tuple[object, ...]]:
    found = ((name, Spread.of(values)) for name, values in series)
    return [
        (name, one.count, *map(rounded, (one.mean, one.low, one.first, one.median, one.third, one.high)), one.outside)
        for name, one in found
        if one is not None
    ]


def _table(frame: pl.DataFrame, side: str) -> AffectTable:
    by_part: dict[object, dict[str, Any]] = {
        part: {row["name"]: row for row in rows.iter_rows(named=True)} for (part,), rows in frame.group_by("part")
    }
    rows = [_row(name, by_part) for name in frame["name"].unique(maintain_order=True)]
    return AffectTable(side, _verdict(frame.filter(part="all")), tuple(rows))


def _row(name: str, by_part: Mapping[object, Mapping[str, Mapping[str, Any]]]) -> AffectRow:
    whole = by_part["all"][name]
    cells = [_cell(whole, measure) for measure in _MEASURES]
    cells += [_cell(by_part[part][name], "spearman") for part in ("positive", "negative")]
    return AffectRow(name.removesuffix(" (control)"), _KINDS[whole["kind"]], tuple(cells))


def _cell(row: Mapping[str, Any], measure: str) -> str:
    if measure == "mae":
        return "–" if row["mae"] is None else f"{row['mae']:.3f}"
    return str(Estimate(measure, row[measure], row[f"{measure}_low"], row[f"{measure}_high"]))


def _verdict(rows: pl.DataFrame) -> str:
    """Which system keeps most of the feeling, and how it stands beside texts that are no summaries."""
    scored = rows.filter(pl.col("kind") == "system", pl.col("spearman").is_not_null())
    systems = scored.sort("spearman", descending=True)
    if systems.is_empty():
        return "No system has a PSentScore here: too few dialogues have words of feeling."
    best = systems.row(0, named=True)
    sentence = f"{best['name']} follows the dialogues most closely (Spearman {_cell(best, 'spearman')})"
    beaten = rows.filter(pl.col("kind") == "control", pl.col("spearman") >= best["spearman"])["name"].to_list()
    if beaten:
        names = ", ".join(name.removesuffix(" (control)") for name in beaten)
        sentence += f", and copied text does no worse ({names}): this measure alone does not tell good summaries"
    adjusted = systems.filter(pl.col("adjusted").is_not_null()).sort("adjusted", descending=True)
    if not adjusted.is_empty():
        first = adjusted.row(0, named=True)
        sentence += f". Adjusted for copying and length, {first['name']} leads ({decimals(first['adjusted'])})"
    return sentence + "."
