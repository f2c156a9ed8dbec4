"""A key to blind letters with a row for each dialogue and a column for each letter: ``call, A, B, C``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet

_SYSTEM = "system"
_FEWEST = 2


def with_letters_told(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets with the systems that a key gives for the letters of each dialogue, and without the key."""
    for key in sheets:
        told = _systems_of(key)
        others = [sheet for sheet in sheets if sheet is not key] if told else []
        columns = {sheet.name: found for sheet in others if (found := _coded(sheet, told))}
        if columns:
            listed = ", ".join(f"{name!r} ({letter!r})" for name, (_, letter) in columns.items())
            notes.append(f"{key.name!r} tells which system each letter of {listed} means in each dialogue")
            return [_decoded(one, told, *columns[one.name]) if one.name in columns else one for one in others]
    return list(sheets)


def _systems_of(key: Sheet) -> dict[tuple[str, str], str]:
    """The system of each dialogue and letter, where all rows of a sheet have the same names in another order."""
    if key.frame.width <= _FEWEST or key.frame.height < _FEWEST:
        return {}
    ids, *letters = key.frame.columns
    rows = [tuple(_text(cell) for cell in row) for row in _as_texts(key.frame).iter_rows()]
    names = {frozenset(row[1:]) for row in rows}
    shuffled = len({row[1:] for row in rows}) > 1 and len(names) == 1
    if not shuffled or len(next(iter(names))) != len(letters) or len({row[0] for row in rows}) < len(rows):
        return {}
    if any("" in row for row in rows) or ids in letters:
        return {}
    return {(row[0], letter): name for row in rows for letter, name in zip(letters, row[1:], strict=True)}


def _coded(sheet: Sheet, told: Mapping[tuple[str, str], str]) -> tuple[str, str] | None:
    """The columns of a sheet that have the dialogues and the letters of a key; None where not just one has each.

    A sheet that names its systems needs no key, and answers from 1 to 3 are no numbers of summaries.
    """
    uses = make_plan(sheet.frame).uses
    answers = [use for use in uses if use == "value" or use.startswith("dimension:")]
    judged = {column for use in answers for column in uses[use] if _are_numbers(sheet.frame[column])}
    ids, letters = {name for name, _ in told}, {letter for _, letter in told}
    values = {column: set(texts.drop_nulls()) for column, texts in _as_texts(sheet.frame).to_dict().items()}
    named = [column for column, found in values.items() if len(found) >= _FEWEST and found <= ids]
    coded = [column for column, found in values.items() if found == letters and column not in judged]
    free = not {*uses.get(_SYSTEM, ()), *(column for column in values if column == _SYSTEM)} - {*coded}
    return (named[0], coded[0]) if len(named) == len(coded) == 1 and free else None


def _decoded(sheet: Sheet, told: Mapping[tuple[str, str], str], ids: str, letter: str) -> Sheet:
    texts = _as_texts(sheet.frame)
    pairs = zip(texts[ids], texts[letter], strict=True)
    systems = pl.Series(_SYSTEM, [told.get((_text(one), _text(code))) for one, code in pairs], pl.String)
    return replace(sheet, frame=sheet.frame.drop(letter).with_columns(systems))


def _as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(as_text(column, frame).str.strip_chars().alias(column) for column in frame.columns)


def _are_numbers(values: pl.Series) -> bool:
    return bool(
        values.drop_nulls().cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False).is_not_null().all()
    )


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
