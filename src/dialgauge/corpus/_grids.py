"""Headings that say more than a name: codes before questions, and what each column of a grid is about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._table import Table

#: "G1Q1[SQ1]. Rate the summary [Coherence]": the code of a question before its text, as LimeSurvey exports it.
_CODED = re.compile(r"[A-Za-z]\w*(?:\[\w+\])*\.\s+(?=\S)")
#: "Dialogue 1 - System A [Coherence]": a column for every dialogue, system and dimension.
_CELL = re.compile(r"(?P<dialogue>.+?)\s*(?:[-–—:|/,;]|\s)\s*(?P<system>\S.*?)\s*\[\s*(?P<dimension>[^\[\]]+?)\s*\]\s*")
_PARTED = re.compile(r"(?P<dialogue>.+?)\s*[-–—:|/,;]\s*(?P<system>\S.*?)\s*\[\s*(?P<dimension>[^\[\]]+?)\s*\]\s*")
#: Fewer columns than this are no grid.
_FEWEST = 4


def without_codes(table: Table) -> Table:
    """The table with headings that are questions, where nearly all of them have a code before the text."""
    columns = table.frame.columns
    coded = [column for column in columns if _CODED.match(column)]
    plain = [_CODED.sub("", column, count=1) for column in columns]
    if len(columns) < _FEWEST or len(coded) * 10 < len(columns) * 8 or len(set(plain)) < len(plain):
        return table
    renamed = table.frame.rename(dict(zip(columns, plain, strict=True)))
    return replace(table, frame=renamed, notes=(*table.notes, "the codes before the questions were taken off"))


def with_grid(table: Table, mapping: Mapping[str, str | Sequence[str]]) -> Table:
    """The table with a row for every dialogue and system of a grid; unchanged where it has none."""
    frame = table.frame
    if {"dialogue_id", "system"} & set(mapping):
        return table
    cells = _cells(frame)
    if not cells:
        return table
    rest = [column for column in frame.columns if column not in cells]
    items = dict.fromkeys((dialogue, system) for dialogue, system, _ in cells.values())
    column_of = {what: column for column, what in cells.items()}
    dimensions = list(dict.fromkeys(dimension for _, _, dimension in cells.values()))
    numbered = frame.with_row_index("_origin")
    parts = []
    for dialogue, system in items:
        given = [
            (pl.col(column).cast(pl.String) if column else pl.lit(None, pl.String)).alias(dimension)
            for dimension in dimensions
            for column in [column_of.get((dialogue, system, dimension))]
        ]
        key = [pl.lit(dialogue).alias("dialogue_id"), pl.lit(system).alias("system")]
        parts.append(numbered.select("_origin", *rest, *key, *given))
    long = pl.concat(parts).sort("_origin", maintain_order=True)
    origin, place = long["_origin"].to_list(), table.place
    return replace(
        table,
        frame=long.drop("_origin"),
        place=lambda row: place(origin[row] if row < len(origin) else row),
        notes=(*table.notes, f"a column for each of {len(items)} summaries and {len(dimensions)} dimensions"),
        known={
            **table.known,
            "dialogue_id": "dialogue_id",
            "system": "system",
            **{name: f"dimension:{name}" for name in dimensions},
        },
    )


def _cells(frame: pl.DataFrame) -> dict[str, tuple[str, str, str]]:
    """The dialogue, system and dimension of each column of a grid; empty where the headings make none."""
    for pattern in (_PARTED, _CELL):
        found = {
            column: (match["dialogue"], match["system"], match["dimension"])
            for column in frame.columns
            if (match := pattern.fullmatch(column)) and answers(frame[column]).share > 0
        }
        dialogues, systems, dimensions = ({what[place] for what in found.values()} for place in range(3))
        full = len(dialogues) * len(systems) * len(dimensions)
        # A question that is asked of one thing only has brackets too: a grid repeats everything.
        if (
            len(found) >= _FEWEST
            and len(dialogues) > 1
            and len(found) * 10 >= full * 6
            and len(found) == len(set(found.values()))
        ):
            return found
    return {}
