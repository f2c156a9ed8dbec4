"""What the report says of affect: whether the feelings of the dialogues survive in the summaries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.report._content import Estimate, decimals

#: What the kinds of rows are called on the page.
_KINDS = {"system": "system", "reference": "written by people", "control": "control"}
_MEASURES = ("spearman", "ccc", "mae", "adjusted")
_WHOLE = "whole dialogue"


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
        return {"affect": ()}
    sides = data.scores["side"].unique(maintain_order=True).to_list()
    return {"affect": [_table(data.scores.filter(side=side), side or _WHOLE) for side in sides]}


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
