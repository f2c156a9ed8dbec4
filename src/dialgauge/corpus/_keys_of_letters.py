"""Keys that say which system each letter means in each dialogue, applied to what was read, or asked about."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._values import is_answer

_COLUMNS = {
    "summaries": ("system",),
    "ratings": ("system",),
    "preferences": ("system_a", "system_b"),
    "choices": ("system", "best", "worst"),
    "spans": ("system",),
}
#: What stands for a system is no longer than this, and the name of one than that.
_LONGEST_LETTER, _LONGEST_NAME = 2, 60
_FEWEST = 2
_SEVERAL = "options"


@dataclass(frozen=True, slots=True)
class LetterKey:
    """A key: the part it stands in, and the system of each of its ids and letters."""

    name: str
    ids: str
    told: Mapping[tuple[str, str], str]

    @property
    def rows(self) -> set[str]:
        return {one for one, _ in self.told}


def keys_to(parts: Any, table: Table) -> list[LetterKey]:
    """The parts of a source that say which system each letter means that was read as one."""
    letters = _letters(parts)
    if len(letters) < _FEWEST or not _are_letters(letters):
        return []
    sheets = {sheet.name: sheet for sheet in (*table.parts, *table.left)}
    keys = [key for sheet in sheets.values() if (key := _key(sheet, letters)) is not None]
    others = {one for name in ("dialogues", "summaries", "ratings") for one in getattr(parts, name)["dialogue_id"]}
    others |= {who for who in parts.ratings["annotator"] if who is not None}
    return [key for key in keys if not others & set(key.told.values())]  # or it has judgements of dialogues


def unexplained_letters(parts: Any, table: Table, keys: Sequence[LetterKey]) -> list[str]:
    """What to do about ``keys`` (of :func:`keys_to`) that cannot be applied; empty where there is none, or it was."""
    if not keys or _with_ids(keys[0], parts, table) is not None:
        return []
    named = ", ".join(map(repr, sorted(_letters(parts))))
    if keys[0].rows == {""}:
        return [
            f"{keys[0].name!r} may say which system each of {named} is: call its columns letter and system, or leave "
            f"it out (--map 'ignore={keys[0].name}')"
        ]
    return [
        f"{keys[0].name!r} says which system each of {named} means in each dialogue, and by {keys[0].ids!r} names "
        "other dialogues, or not all of them: use the same ids in both, name the systems in the rows that are judged, "
        f"or leave it out (--map 'ignore={keys[0].name}')"
    ]


def with_keys_applied(parts: Any, table: Table, keys: Sequence[LetterKey]) -> Any:
    """What was read with the names of the systems where one of its ``keys`` says them for each dialogue and letter."""
    told = _with_ids(keys[0], parts, table) if keys else None
    if told is None:
        return parts
    made = {}
    for name, columns in _COLUMNS.items():
        frame = getattr(parts, name)
        if frame.height:
            made[name] = _named(frame, [column for column in columns if column in frame.columns], told)
    note = f"{keys[0].name!r} tells which system each of {', '.join(sorted(_letters(parts)))} means in each dialogue"
    return replace(parts, **made, notes=(*parts.notes, note))


def _named(frame: pl.DataFrame, columns: Sequence[str], told: Mapping[tuple[str, str], str]) -> pl.DataFrame:
    ids = frame["dialogue_id"].to_list()
    made = [
        pl.Series(
            column, [told.get((one, name), name) for one, name in zip(ids, frame[column], strict=True)], pl.String
        )
        for column in columns
    ]
    if _SEVERAL in frame.columns and frame.schema[_SEVERAL] == pl.List(pl.String):
        lists = zip(ids, frame[_SEVERAL].to_list(), strict=True)
        own = [None if names is None else [told.get((one, name), name) for name in names] for one, names in lists]
        made.append(pl.Series(_SEVERAL, own, pl.List(pl.String)))
    return frame.with_columns(made)


def _letters(parts: Any) -> set[str]:
    found: set[str] = set()
    for name, columns in _COLUMNS.items():
        frame = getattr(parts, name, None)
        if frame is None or not frame.height:
            continue
        if name == "summaries":
            frame = frame.filter(pl.col("kind") == "system")
        for column in columns:
            if column in frame.columns:
                found |= {text for text in frame[column].drop_nulls().unique().to_list() if text}
    return found


def _listed_key(sheet: Sheet, letters: Set[str]) -> LetterKey | None:
    """A sheet with three columns as a key: those of the dialogues, the letters and the systems."""
    if sheet.frame.width != len(_LISTED) or sheet.frame.height < _FEWEST * len(letters):
        return None
    columns = sheet.frame.columns
    texts = sheet.frame.select(as_text(column, sheet.frame).str.strip_chars().alias(column) for column in columns)
    coded = [c for c in columns if set(texts[c]) == letters]
    named = [c for c in columns if c not in coded and _are_names(texts[c]) and texts[c].n_unique() <= 2 * len(letters)]
    for system in named if len(coded) == 1 else ():
        ids = next(c for c in columns if c not in (coded[0], system))
        once = all(texts.select(ids, other).is_unique().all() for other in (coded[0], system))
        if once and texts[system].n_unique() < texts.height:
            rows = zip(texts[ids], texts[coded[0]], texts[system], strict=True)
            return LetterKey(sheet.name, ids, {(str(one), letter): name for one, letter, name in rows})
    return None


def _steady_key(sheet: Sheet, letters: Set[str]) -> LetterKey | None:
    """A sheet with a row for each letter and its system in all dialogues."""
    columns = sheet.frame.columns
    if sheet.frame.height != len(letters) or len(columns) not in (2, 3):
        return None
    texts = sheet.frame.select(as_text(column, sheet.frame).str.strip_chars().alias(column) for column in columns)
    coded = [c for c in columns if set(texts[c]) == letters]
    named = [c for c in columns if c not in coded and _are_names(texts[c]) and texts[c].is_unique().all()]
    if len(coded) != 1 or len(named) != 1 or not sheet.name:
        return None
    sure = normalised(named[0]) in {*USES["system"], "name", "real_name", "system_name", "model_name"}
    told = dict(zip(texts[coded[0]], texts[named[0]], strict=True))
    return LetterKey(sheet.name, coded[0], {(ANY if sure else "", letter): name for letter, name in told.items()})


#: What stands for all dialogues.
ANY = "*"
_LISTED = ("dialogue", "letter", "system")


def _key(sheet: Sheet, letters: Set[str]) -> LetterKey | None:
    """A sheet as a key: a column for each letter, of which each row has the names of others; or a row for each."""
    if (listed := _listed_key(sheet, letters) or _steady_key(sheet, letters)) is not None:
        return listed
    columns = {letter: [c for c in sheet.frame.columns if _is_letter(c, letter)] for letter in letters}
    if sheet.frame.height < _FEWEST or any(not found for found in columns.values()):
        return None
    texts = sheet.frame.select(
        as_text(column, sheet.frame).str.strip_chars().alias(column) for column in sheet.frame.columns
    )
    texts = texts.filter(pl.any_horizontal(pl.col(c).is_not_null() for found in columns.values() for c in found))
    named = {letter: [c for c in found if _are_names(texts[c])] for letter, found in columns.items()}
    if any(len(found) != 1 for found in named.values()):
        return None
    of = {letter: found[0] for letter, found in named.items()}
    rows = list(zip(*(texts[column] for column in of.values()), strict=True))
    names = {name for row in rows for name in row}
    if any(len(set(row)) < len(row) for row in rows) or len(names) > 2 * len(of) or names <= set(of):
        return None
    ids = [
        c for c in texts.columns if c not in of.values() and texts[c].is_unique().all() and not texts[c].null_count()
    ]
    if not ids:
        return None
    told = {
        (one, letter): name
        for one, row in zip(texts[ids[0]], rows, strict=True)
        for letter, name in zip(of, row, strict=True)
    }
    return LetterKey(sheet.name, ids[0], told)


def _are_letters(names: Set[str]) -> bool:
    """Whether names are letters, or one word with letters behind it: "System A", "System B"."""
    words = [normalised(name).split("_") for name in names]
    return all(len(own[-1]) <= _LONGEST_LETTER for own in words) and len({tuple(own[:-1]) for own in words}) == 1


def _is_letter(column: str, letter: str) -> bool:
    name = column.rpartition(".")[2].strip()
    return name == letter or normalised(name).split("_")[-1] == normalised(letter).split("_")[-1]


def _are_names(values: pl.Series) -> bool:
    given = values.drop_nulls().to_list()
    short = len(given) == len(values) and all(text and len(text) <= _LONGEST_NAME for text in given)
    return short and not any(map(is_answer, given))


def _with_ids(key: LetterKey, parts: Any, table: Table) -> dict[tuple[str, str], str] | None:
    """What a key tells by the ids of the dialogues that were read; None where it does not name all that are judged."""
    stored = set(parts.dialogues["dialogue_id"].to_list())
    for name in ("summaries", "ratings"):
        stored |= set(getattr(parts, name)["dialogue_id"].to_list())
    if key.rows == {ANY}:
        return {(one, letter): name for one in stored for (_, letter), name in key.told.items()}
    if key.rows == {""}:
        return None
    if stored <= key.rows:
        return dict(key.told)
    for sheet in (*table.parts, *table.left):
        texts = {
            column: sheet.frame.select(as_text(column, sheet.frame).str.strip_chars()).to_series().to_list()
            for column in sheet.frame.columns
        }
        first = [values for values in texts.values() if key.rows <= set(values) - {None}]
        second = [values for values in texts.values() if stored <= set(values)]
        if len(first) == 1 and len(second) == 1:
            pairs = {(a, b) for a, b in zip(first[0], second[0], strict=True) if a is not None and b is not None}
            of = dict(pairs)
            if len(of) == len(pairs) == len(set(of.values())):
                told = {(of[one], letter): name for (one, letter), name in key.told.items() if one in of}
                return told if stored <= {one for one, _ in told} else None
    ends = {_number(one): one for one in stored}
    if len(ends) == len(stored) and None not in ends and set(ends) <= {_number(one) for one in key.rows}:
        again = {_number(one): one for one in key.rows}
        if len(again) == len(key.rows):
            of = {again[number]: one for number, one in ends.items()}
            return {(of[one], letter): name for (one, letter), name in key.told.items() if one in of}
    return None


def _number(text: str) -> str | None:
    """The one number in an id: "Chat 3" and "3" name one dialogue."""
    found = re.findall(r"\d+", text)
    return str(int(found[0])) if len(found) == 1 else None
