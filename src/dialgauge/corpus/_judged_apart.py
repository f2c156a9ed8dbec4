"""JSON files of judgements beside one of the texts that they are about, as tables that are joined."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dialgauge.corpus._fields import fields_of
from dialgauge.corpus._look_alikes import is_named
from dialgauge.corpus._names import USES, normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus._wrapped import unwrapped

_TEXTS = frozenset({*USES["dialogue"], *USES["summary"]})
Records = list[dict[str, Any]]


def judged_apart(tables: Mapping[Path, Table]) -> dict[Path, Table] | None:
    """The files with their records, where some hold texts and the others only judgements of them; None for all else.

    Judgements under the names of items (``{"17": {"fluency": 4}}``) have them in the column that names the texts.
    """
    opened = {file: unwrapped(table) or table for file, table in tables.items()}
    records = {file: [one for _, one in table.records] for file, table in opened.items() if table.records}
    if len(records) < len(opened):
        return None
    told = {file for file, own in records.items() if all(_has_text(one) for one in own)}
    judged = {file for file in set(records) - told if _only_judged(opened[file], records[file])}
    if not told or not judged or len(told) + len(judged) < len(records):
        return None
    texts = [one for file in sorted(told) for one in records[file]]
    for file in sorted(judged):
        if (key := _key_of(tables[file], records[file], texts)) is not None:
            renamed = [(n, _renamed(one, key)) for n, one in opened[file].records or ()]
            opened[file] = replace(opened[file], records=tuple(renamed))
    return opened


def _has_text(record: Mapping[str, Any]) -> bool:
    return any(normalised(key) in _TEXTS and isinstance(value, str | list) for key, value in record.items())


def _only_judged(table: Table, records: Records) -> bool:
    """Whether records have answers on known dimensions, and nothing in them is nested."""
    flat = not any(isinstance(value, dict | list) for one in records for value in one.values())
    return flat and len(records) > 1 and any(is_named(field) for field in fields_of(table).values())


def _key_of(table: Table, records: Records, texts: Records) -> str | None:
    """The column of the texts that has the names under which the records of a file stand, each once."""
    names = {one.get("dialogue_id") for one in records}
    if None in names or any("dialogue_id" in field.names for field in fields_of(table).values()):
        return None  # or the file itself calls them so
    for key in texts[0]:
        values = [str(one.get(key)) for one in texts]
        if len(set(values)) == len(values) and names <= set(values):
            return key
    return None


def _renamed(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {key if name == "dialogue_id" else name: value for name, value in record.items()}
