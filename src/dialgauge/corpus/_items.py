"""Sheets whose headings name the rows of another one: ``Item 3 [Clarity]`` beside a sheet with a row ``Item 3``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._item_sides import with_sides_below
from dialgauge.corpus._names import is_dimension, is_housekeeping, normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._wide_headings import VALUE, is_judged

#: Longer cells name no row.
_LONGEST = 80
#: What may stand between the name of an item and what is asked about it.
_EDGE = " \t-–—:|/,;.[]()_?"
_Cell = tuple[str, str]


def with_items(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets, those whose headings name items joined with them: a row for each item and row of answers."""
    made = list(sheets)
    for source in sheets:
        for target in sheets:
            if source is target or source not in made or target not in made:
                continue
            asking, shown, compared = with_sides_below(source, target) or (source, target, [])
            found = _named_items(asking, shown)
            if found is not None:
                key, cells = found
                joined = _joined(asking, shown, key, cells)
                about_people = _about_people(joined.frame, asking.frame, cells)
                made[made.index(source)] = replace(joined, frame=joined.frame.drop(about_people))
                made.remove(target)
                made += [replace(one, frame=one.frame.drop(about_people, strict=False)) for one in compared]
                notes.append(f"the headings of {source.name!r} name rows of {target.name!r}, by its column {key!r}")
                if about_people:
                    notes.append(f"answers of {source.name!r} about none of them, not used: {', '.join(about_people)}")
    return made


def _named_items(source: Sheet, target: Sheet) -> tuple[str, dict[str, _Cell]] | None:
    """The column of ``target`` whose cells the headings of ``source`` name, and the item and question of each."""
    uses = make_plan(target.frame).uses
    texts = [column for use in ("summary", "reference", "dialogue") for column in uses.get(use, ())]
    said = make_plan(source.frame).uses
    if not texts or any(not is_judged(source.frame, c) for use in ("summary", "dialogue") for c in said.get(use, ())):
        return None
    own = {normalised(column) for column in source.frame.columns}
    for key in target.frame.columns:
        values = _texts(target.frame, key)
        if key in texts or values.null_count() or values.n_unique() < max(2, len(values)):
            continue
        if normalised(key) in own:  # a column names the items, whatever numbers are in the headings
            continue
        if (values.str.len_chars() > _LONGEST).any():
            continue
        if len(values) > 2 * source.frame.width:  # no half of them can be named
            continue
        cells = _cells(source.frame, values.to_list(), key)
        if _are_most(cells, len(values)) and not _clash(source, target, cells):
            others = _cells(source.frame, values.to_list(), key, judged=False)
            return key, cells if _clash(source, target, {**others, **cells}) else {**others, **cells}
    return None


def _texts(frame: pl.DataFrame, column: str) -> pl.Series:
    """The cells as texts: the 1.0 of a workbook is the 1 of a heading."""
    return frame.select(as_text(column, frame)).to_series().str.strip_chars()


def _are_most(cells: Mapping[str, _Cell], items: int) -> bool:
    """Whether most items are asked most questions: a number in a heading may be that of an item by chance."""
    named, asked = {item for item, _ in cells.values()}, {question for _, question in cells.values()}
    return len(named) > 1 and len(named) * 2 >= items and len(cells) * 10 >= len(named) * len(asked) * 6


def _clash(source: Sheet, target: Sheet, cells: Mapping[str, _Cell]) -> bool:
    """Whether what is asked has the name of a column that stays."""
    kept = {*source.frame.columns, *target.frame.columns} - set(cells)
    return bool(kept & {"_origin", "_item", *(question for _, question in cells.values())})


def _cells(frame: pl.DataFrame, items: Sequence[str], key: str, judged: bool = True) -> dict[str, _Cell]:
    """The item and the question of each column of answers, or of each column; empty where one is asked twice."""
    longest = sorted(items, key=len, reverse=True)
    found: dict[str, _Cell] = {}
    for column in frame.columns:
        cell = next((cell for item in longest if (cell := _cell(column, item, key)) is not None), None)
        if cell is not None and (not judged or is_judged(frame, column)):
            found[column] = cell
    return found if len(set(found.values())) == len(found) else {}


def _cell(column: str, item: str, key: str) -> _Cell | None:
    at = re.search(rf"(?<![^\W_]){re.escape(item)}(?![^\W_])", column, re.IGNORECASE)
    if at is None:
        return None
    before, behind = column[: at.start()].strip(_EDGE), column[at.end() :].strip(_EDGE)
    if normalised(before) == normalised(key):  # "Item 1 [Clarity]" beside a column "Item" with 1
        before = ""
    if before and behind:  # a sentence that happens to have the name of an item in it
        return None
    return item, before or behind or VALUE


def _joined(source: Sheet, target: Sheet, key: str, cells: Mapping[str, _Cell]) -> Sheet:
    rest = [column for column in source.frame.columns if column not in cells and column not in target.frame.columns]
    items = dict.fromkeys(item for item, _ in cells.values())
    questions = dict.fromkeys(question for _, question in cells.values())
    column_of = {cell: column for column, cell in cells.items()}
    numbered = source.frame.with_row_index("_origin")
    parts = []
    for item in items:
        given = [
            (pl.col(column).cast(pl.String) if column else pl.lit(None, pl.String)).alias(question)
            for question in questions
            for column in [column_of.get((item, question))]
        ]
        parts.append(numbered.select("_origin", *rest, pl.lit(item).alias("_item"), *given))
    answered = pl.concat(parts).sort("_origin", maintain_order=True)
    told = target.frame.with_columns(_texts(target.frame, key).alias("_item"))
    frame = answered.join(told, on="_item", how="left", maintain_order="left")
    unasked = told.filter(~pl.col("_item").is_in(list(items)))
    frame = pl.concat([frame, unasked], how="diagonal_relaxed")
    origin, place = frame["_origin"].to_list(), source.place
    counted = told["_item"].str.contains(r"^\d{1,3}$").all() and "dialogue_id" in make_plan(target.frame.drop(key)).uses
    gone = ["_origin", "_item", *([key] if counted or _repeats_dialogues(target, key) else [])]
    return replace(
        source,
        frame=frame.drop(gone),
        place=lambda row: place(origin[row] if row < len(origin) and origin[row] is not None else 0),
    )


def _about_people(frame: pl.DataFrame, asked: pl.DataFrame, cells: Mapping[str, _Cell]) -> list[str]:
    """The questions that name no item: an answer such as a consent is one of the person, not one about each item.

    What has a number, or is asked of the items too, may be about one of them under another name: it stays.
    """
    judged = make_plan(frame).named("dimension").values()
    questions = {normalised(question) for _, question in cells.values()}
    free = [column for column in asked.columns if column in frame.columns]
    own = [c for c in free if is_judged(asked, c) and not is_housekeeping(normalised(c)) and not re.search(r"\d", c)]
    own = [c for c in own if not any(question in normalised(c) for question in questions)]
    about_people = [column for column in free if column in judged or column in own]
    return [c for c in about_people if not any(map(is_dimension, (normalised(c), *normalised(c).split("_"))))]


def _repeats_dialogues(target: Sheet, key: str) -> bool:
    """Whether several items are about one dialogue: then their names are none of dialogues."""
    texts = [c for c in make_plan(target.frame.drop(key)).uses.get("dialogue", ()) if c in target.frame.columns]
    return any(target.frame[column].n_unique() < target.frame.height for column in texts)
