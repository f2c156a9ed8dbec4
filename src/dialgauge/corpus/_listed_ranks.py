"""Rankings that survey tools write into one cell each: ``Summary B;Summary A;Summary C;``, the first one on top."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._names import normalised
from dialgauge.corpus._table import Sheet, Table

_BETWEEN = re.compile(r"[;>|\n]")
_LONGEST_LETTER = 2
_FEWEST, _LONGEST, _MOST = 3, 60, 12
#: So many answers show that what they list is put into an order.
_FEWEST_ANSWERS = 2


def with_places(table: Table) -> Table:
    """The table with a column for each thing that is ranked, which has its place."""
    if table.records is not None or table.layout is not None:
        return table
    frame, found = _opened(table.frame, _known([table.frame]))
    return replace(table, frame=frame, notes=(*table.notes, *_notes(found))) if found else table


def with_places_in_sheets(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The same of several sheets."""
    made, known = [], _known([sheet.frame for sheet in sheets])
    for sheet in sheets:
        frame, found = _opened(sheet.frame, known)
        notes += [f"{sheet.name}: {note}" for note in _notes(found)]
        made.append(replace(sheet, frame=frame) if found else sheet)
    return made


def _notes(found: Mapping[str, Sequence[str]]) -> list[str]:
    if not found:
        return []
    items = ", ".join(dict.fromkeys(item for items in found.values() for item in items))
    return [f"rankings, read as the places from 1 of {items} as they are listed: {', '.join(found)}"]


def _known(frames: Sequence[pl.DataFrame]) -> set[str]:
    """What headings are called or end with, and short cells say: the things that may be put into an order."""
    columns = {column.strip() for frame in frames for column in frame.columns}
    cells = {
        text.strip()
        for frame in frames
        for column in frame.iter_columns()
        if column.dtype == pl.String and column.n_unique() * 2 <= len(column)
        for text in column.drop_nulls().unique()
        if len(text) <= _LONGEST
    }
    return {*columns, *(normalised(column).split("_")[-1] for column in columns), *cells}


def _opened(frame: pl.DataFrame, known: Container[str]) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    ranked = {column: items for column in frame.columns if (items := _ranked(frame[column]))}
    ranked = {column: items for column, items in ranked.items() if all(_is_known(item, known) for item in items)}
    # One order may be that of everybody; several columns, or several orders, are rankings.
    orders = {cell for column in ranked for cell in _lists(frame[column])}
    answers = sum(len(_lists(frame[column])) for column in ranked)
    if len(set(orders)) < 2 or answers < _FEWEST_ANSWERS:
        return frame, {}
    columns: list[pl.Series] = []
    for column in frame.columns:
        if column not in ranked:
            columns.append(frame[column])
            continue
        for item in ranked[column]:
            places = [_place(cell, item) for cell in frame[column].to_list()]
            columns.append(pl.Series(f"{column} [{item}]", places, pl.String))
    names = [one.name for one in columns]
    return (pl.DataFrame(columns), ranked) if len(set(names)) == len(names) else (frame, {})


def _is_known(item: str, known: Container[str]) -> bool:
    return item in known or (len(item) <= _LONGEST_LETTER and normalised(item) in known)


def _lists(values: pl.Series) -> list[tuple[str, ...]]:
    return [_parts(text) for text in values.drop_nulls().cast(pl.String, strict=False) if text and text.strip()]


def _parts(text: object) -> tuple[str, ...]:
    return tuple(part for one in _BETWEEN.split(str(text)) if (part := one.strip()))


def _place(cell: object, item: str) -> str | None:
    parts = _parts(cell) if cell is not None else ()
    return str(parts.index(item) + 1) if item in parts else None


def _ranked(values: pl.Series) -> list[str]:
    """The things that every cell of a column puts into an order; empty where it does not."""
    if values.dtype != pl.String:
        return []
    lists = _lists(values)
    if not lists or not _FEWEST <= len(lists[0]) <= _MOST:
        return []
    first = sorted(lists[0])
    alike = all(sorted(own) == first for own in lists) and len(set(first)) == len(first)
    return first if alike and all(len(item) <= _LONGEST for item in first) else []
