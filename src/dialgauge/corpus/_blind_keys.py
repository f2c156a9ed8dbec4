"""A key to blind letters with a row for each dialogue and a column for each letter: ``call, A, B, C``."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import polars as pl

from dialgauge.corpus._best_worst import find_best_and_worst
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._names import normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._values import is_not_given

_SYSTEM = "system"
_FEWEST = 2


def with_letters_told(sheets: Sequence[Sheet], notes: list[str]) -> list[Sheet]:
    """The sheets with the systems that a key gives for the letters of each dialogue, and without the key."""
    for key in sheets:
        told = _systems_of(key)
        others = [sheet for sheet in sheets if sheet is not key] if told else []
        chosen = {sheet.name: found for sheet in others if (found := _chosen(sheet, told))}
        blind = [sheet for sheet in others if sheet.name not in chosen]
        columns = {sheet.name: coded for sheet in blind if (coded := _coded(sheet, told))}
        if columns or chosen:
            listed = ", ".join(f"{name!r} ({letter!r})" for name, (_, letter) in columns.items())
            listed = ", ".join([*([listed] if listed else []), *(f"{name!r} ('best', 'worst')" for name in chosen)])
            notes.append(f"{key.name!r} tells which system each letter of {listed} means in each dialogue")
            made = [_decoded(one, told, *columns[one.name]) if one.name in columns else one for one in others]
            made = [_with_options(one, told, *chosen[one.name]) if one.name in chosen else one for one in made]
            return [_with_ids(one, {ids for ids, *_ in (*columns.values(), *chosen.values())}, told) for one in made]
    return list(sheets)


def _with_ids(sheet: Sheet, columns: Set[str], told: Mapping[tuple[str, str], str]) -> Sheet:
    """The sheet with the dialogues of the key under a name that is known for ids."""
    found = [column for column in sheet.frame.columns if column in columns]
    if len(found) != 1 or "dialogue_id" in make_plan(sheet.frame).uses or "dialogue_id" in sheet.frame.columns:
        return sheet
    known = set(_as_texts(sheet.frame)[found[0]].drop_nulls()) <= {name for name, _ in told}
    return replace(sheet, frame=sheet.frame.rename({found[0]: "dialogue_id"})) if known else sheet


def as_key(record: Mapping[str, Any]) -> pl.DataFrame | None:
    """An object with the system of each letter for every dialogue as a table with a row for each dialogue."""
    rows = list(record.values())
    if len(rows) < _FEWEST or not all(isinstance(row, Mapping) and len(row) >= _FEWEST for row in rows):
        return None
    letters = {frozenset(row) for row in rows}
    plain = all(isinstance(name, str) and len(name) <= _LONGEST for row in rows for name in row.values())
    if not plain or len(letters) > 1 or _KEYED in rows[0]:
        return None
    return pl.DataFrame([{_KEYED: str(key), **row} for key, row in record.items()])


_KEYED, _LONGEST = "key", 60


def _chosen(sheet: Sheet, told: Mapping[tuple[str, str], str]) -> tuple[str, str, str] | None:
    """The columns of a sheet with the dialogues and the letters of the best and the worst; None where it has none."""
    ends = find_best_and_worst({column: normalised(column) for column in sheet.frame.columns})
    if ends is None:
        return None
    ids, letters = {name for name, _ in told}, {letter for _, letter in told}
    values = {column: set(texts.drop_nulls()) for column, texts in _as_texts(sheet.frame).to_dict().items()}
    named = [column for column, found in values.items() if len(found) >= _FEWEST and found <= ids]
    coded = all({text for text in values[end] if not is_not_given(text)} <= letters for end in ends)
    return (named[0], *ends) if len(named) == 1 and coded else None


def _with_options(sheet: Sheet, told: Mapping[tuple[str, str], str], ids: str, best: str, worst: str) -> Sheet:
    """The sheet with the systems that were chosen, and a column for each of those that there were."""
    texts = _as_texts(sheet.frame)
    letters = sorted({letter for _, letter in told})
    named = list(map(_text, texts[ids]))
    ends = {
        end: pl.Series(end, [told.get((one, _text(code)), code) for one, code in zip(named, texts[end], strict=True)])
        for end in (best, worst)
    }
    options = [
        pl.Series(f"{_SYSTEM}_{number}", [told.get((one, letter)) for one in named], pl.String)
        for number, letter in enumerate(letters, start=1)
    ]
    listed = [column for column in texts.columns if _lists(texts[column], letters)]
    return replace(sheet, frame=sheet.frame.drop(listed).with_columns(*ends.values(), *options))


def _lists(values: pl.Series, letters: Sequence[str]) -> bool:
    """Whether every cell of a column only lists all letters: "A|B|C|D"."""
    return bool(len(values)) and all(sorted(re.findall(r"\w+", _text(cell))) == list(letters) for cell in values)


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
    frame = sheet.frame.drop(letter).with_columns(systems)
    return replace(sheet, frame=_with_summaries(frame) if texts.select(ids, letter).is_unique().all() else frame)


def _with_summaries(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with a row for each summary, whose only texts are these, whatever they are called."""
    texts = [column for column in frame.columns if _are_texts(frame[column])]
    summaries = make_plan(frame).uses.get("summary", ())
    return frame.rename({texts[0]: "summary"}) if len(texts) == 1 and not summaries else frame


def _are_texts(values: pl.Series) -> bool:
    shown = values.drop_nulls().cast(pl.String, strict=False)
    return bool(len(shown)) and int(shown.str.contains(r"\S\s+\S+\s+\S+\s+\S").sum()) * 2 > len(shown)


def _as_texts(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(as_text(column, frame).str.strip_chars().alias(column) for column in frame.columns)


def _are_numbers(values: pl.Series) -> bool:
    return bool(
        values.drop_nulls().cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False).is_not_null().all()
    )


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
