"""Tables beside each other in one sheet: the same headings again, for another person or for other calls."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import polars as pl

from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import USES, is_bare_id, is_id, is_person, normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import is_answer

#: Fewer headings that come again are those of one table.
_FEWEST = 3


def one_below_another(table: Table, mapping: Mapped) -> Table:
    """The table with blocks of the same headings below each other; unchanged where no key of the rows comes again."""
    blocks = _of_people(table.frame) if not mapping else []
    if not blocks:
        blocks = _blocks(table.frame.columns)
        if mapping or not blocks or not _are_of_others(table.frame, blocks):
            return table
    inner = {name for block in blocks for name in block.values()} | set(blocks[0])
    shared = [column for column in table.frame.columns if column not in inner]
    names = {own: re.sub(r"[\s_.-]*1$", "", own) for own in blocks[0]}
    parts = [
        table.frame.select(*shared, *(pl.col(own).alias(names[name]) for name, own in block.items()))
        for block in blocks
    ]
    filled = pl.any_horizontal(pl.col(list(names.values())).is_not_null())
    numbered = [part.with_row_index("_origin").filter(filled) for part in parts]
    stacked = pl.concat(numbered, how="vertical_relaxed")
    origin, place = stacked["_origin"].to_list(), table.place
    note = f"{len(blocks)} tables beside each other, with the same headings: {', '.join(names.values())}"
    return replace(
        table,
        frame=stacked.drop("_origin"),
        place=lambda row: place(origin[row] if row < len(origin) else row),
        notes=(*table.notes, note),
    )


def _of_people(frame: pl.DataFrame) -> list[Mapping[str, str]]:
    """Blocks for each of several people that the headings number: ``Rater 1, Score 1, Rater 2, Score 2``."""
    numbered: dict[str, dict[int, str]] = {}
    for column in frame.columns:
        at = _NUMBERED.fullmatch(column)
        if at is not None:
            numbered.setdefault(at[1], {})[int(at[2])] = column
    stems = {stem: of for stem, of in numbered.items() if len(of) > 1}
    people = [stem for stem in stems if is_person(normalised(stem)) and _are_names(frame, stems[stem].values())]
    if len(people) != 1 or len(stems) < 2 or len({frozenset(of) for of in stems.values()}) != 1:
        return []
    numbers = sorted(stems[people[0]])
    return [{stems[stem][numbers[0]]: of[number] for stem, of in stems.items()} for number in numbers]


_NUMBERED = re.compile(r"(.*?\D)[\s_.-]*(\d{1,2})")


def _are_names(frame: pl.DataFrame, columns: Iterable[str]) -> bool:
    given = [text for column in columns for text in frame[column].drop_nulls().cast(pl.String).unique()]
    return bool(given) and not any(is_answer(text) for text in given)


def _blocks(columns: list[str]) -> list[Mapping[str, str]]:
    """For each block the column that it has in the place of one of the first; empty where there is only one block."""
    first = {c: c for c in columns if f"{c}_2" in columns} | {
        c.removesuffix("_1"): c for c in columns if c.endswith("_1") and f"{c.removesuffix('_1')}_2" in columns
    }
    if len(first) < _FEWEST:
        return []
    found = [{own: own for own in first.values()}]
    while (block := {own: f"{name}_{len(found) + 1}" for name, own in first.items()}) and set(block.values()) <= set(
        columns
    ):
        found.append(block)
    return list(found)


def _are_of_others(frame: pl.DataFrame, blocks: list[Mapping[str, str]]) -> bool:
    """Whether a person, a system or a dialogue is named in each block, and another one than in the first."""
    for first, own in blocks[1].items():
        name = normalised(first)
        named = not name[-1:].isdigit() and (
            is_person(name) or is_id(name) or is_bare_id(name) or name in USES["system"]
        )
        if named and not frame[first].cast(pl.String).equals(frame[own].cast(pl.String)):
            return True
    return False
