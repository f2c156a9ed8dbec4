"""Columns of answers that are called after people whom another sheet lists: ``Dana`` beside the participants."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._names import AGGREGATES, is_bare_id, is_housekeeping, is_id, is_other_id, is_person, normalised
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._wide_headings import VALUE, is_judged

_ANNOTATOR, _FEWEST = "annotator", 2


def with_listed_people(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets with a row for each of those people; means of their answers are left out."""
    listed = {name for sheet in sheets for column in sheet.frame.columns for name in _listed_in(sheet.frame[column])}
    return [_below(sheet, listed, notes) for sheet in sheets] if listed else list(sheets)


def _may_judge(frame: pl.DataFrame, column: str) -> bool:
    """Whether a column may be that of somebody who is not listed, or of a quality: then nobody knows which."""
    name = normalised(column)
    other = is_housekeeping(name) or is_id(name) or is_other_id(name) or is_bare_id(name)
    return is_judged(frame, column) and not other


def _listed_in(values: pl.Series) -> set[str]:
    """The people in a column that is called so and names each of them once."""
    if not is_person(normalised(values.name)) or values.dtype != pl.String or values.null_count():
        return set()
    return set(values.str.strip_chars()) if values.is_unique().all() and len(values) >= _FEWEST else set()


def _below(sheet: Sheet, listed: set[str], notes: list[str]) -> Sheet:
    frame = sheet.frame
    people = [column for column in frame.columns if column.strip() in listed]
    named = any(is_person(normalised(column)) for column in frame.columns)
    if len(people) < _FEWEST or named or VALUE in frame.columns or not all(is_judged(frame, who) for who in people):
        return sheet
    means = [
        c for c in frame.columns if c not in people and AGGREGATES.fullmatch(normalised(c)) and is_judged(frame, c)
    ]
    rest = [column for column in frame.columns if column not in (*people, *means)]
    numbered = frame.with_row_index("_origin")
    if any(_may_judge(frame, column) for column in rest):
        return sheet
    parts = [
        numbered.select(
            "_origin", *rest, pl.lit(who.strip()).alias(_ANNOTATOR), pl.col(who).cast(pl.String).alias(VALUE)
        )
        for who in people
    ]
    long = pl.concat(parts).sort("_origin", maintain_order=True)
    origin, place = long["_origin"].to_list(), sheet.place
    notes.append(f"{sheet.name}: a column for each annotator, as they are listed: {', '.join(people)}")
    if means:
        notes.append(f"{sheet.name}: means of these, left out: {', '.join(means)}")
    return replace(
        sheet, frame=long.drop("_origin"), place=lambda row: place(origin[row] if row < len(origin) else row)
    )
