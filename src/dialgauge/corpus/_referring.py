"""JSON files whose records name those of another file: what is judged there is taken over, as if it were one file."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus._wrapped import unwrapped

_Record = Mapping[str, Any]
_TEXTS = frozenset({*USES["dialogue"], *USES["summary"]})
#: "traceId", "item_id": the name of a row elsewhere.
_FOREIGN = re.compile(r"\w+_id")
#: What an annotation tool writes beside the id of what it showed.
_JUDGED = ("label_annotations", "annotations", "scores")
_FEWEST = 2
#: A text has more words than this.
_SHORT = 3


def referring(tables: Mapping[Path, Table]) -> dict[Path, Table] | None:
    """The files whose records name those of one other file, each record with what that one says; None for all else."""
    opened = {file: unwrapped(table) or table for file, table in tables.items()}
    if len(opened) < 2 or any(not table.records for table in opened.values()):
        return None
    records = {file: [one for _, one in table.records or ()] for file, table in opened.items()}
    told = [file for file, own in records.items() if all(map(_has_text, own)) and not any(map(_is_judged, own))]
    if len(told) != 1 or len(records[told[0]]) < _FEWEST:
        return None
    key = _own_key(records[told[0]])
    if key is None:
        return None
    items = {str(one[key]): one for one in records[told[0]]}
    made, seen = dict[Path, Table](), set[str]()
    for file, table in opened.items():
        if file == told[0]:
            continue
        name = _name_of(records[file], key, set(items))
        if name is None:
            return None
        seen |= {str(one[name]) for one in records[file]}
        joined = tuple((line, {**items[str(one[name])], **one}) for line, one in table.records or ())
        made[file] = replace(table, records=joined)
    rest = [number for number, (_, one) in enumerate(opened[told[0]].records or ()) if str(one[key]) not in seen]
    if rest:
        table = opened[told[0]]
        left = tuple((table.records or ())[number] for number in rest)
        made[told[0]] = replace(table, records=left, place=lambda row: table.place(rest[min(row, len(rest) - 1)]))
    return made


def _has_text(record: _Record) -> bool:
    return any(normalised(key) in _TEXTS and _is_text(value) for key, value in record.items())


def _is_text(value: Any) -> bool:
    return isinstance(value, list | dict) or (isinstance(value, str) and len(value.split()) > _SHORT)


def _is_judged(record: _Record) -> bool:
    return any(record.get(key) for key in _JUDGED)


def _own_key(records: list[dict[str, Any]]) -> str | None:
    """The key by which the records of a file differ."""
    for key in ("id", *(key for key in records[0] if _FOREIGN.fullmatch(normalised(key)))):
        values = [one.get(key) for one in records]
        if all(isinstance(value, str | int) for value in values) and len(set(map(str, values))) == len(values):
            return key
    return None


def _name_of(records: list[dict[str, Any]], key: str, items: set[str]) -> str | None:
    """The key by which records name items of the other file: all are there, and records say what was judged."""
    judged = all(map(_is_judged, records))
    for name in records[0]:
        if not (_FOREIGN.fullmatch(normalised(name)) or (judged and name in (key, "id"))):
            continue
        values = [one.get(name) for one in records]
        known = all(isinstance(value, str | int) and str(value) in items for value in values)
        if known and len(set(map(str, values))) >= _FEWEST and (judged or name != key):
            return name
    return None
