"""The fields of a file as they are, before anything is understood: its columns, and the paths into what is nested."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from dialgauge.corpus._cells import JOINED, packed, parsed_cell
from dialgauge.corpus._shapes import are_turns
from dialgauge.corpus._table import Table

#: Objects with more keys than this, all holding the same kind of thing, are keyed by ids and not by names.
_MOST_KEYS = 12
#: What stands for the keys of such objects, and for the places of a list.
ANY_KEY, ANY_PLACE = "*", "[]"
_DEEPEST = 12


@dataclass(slots=True)
class Field:
    """A column or a path (``annotations[].coherence``) with how often each value occurs in it; whether some or all are
    truth values or numbers, and not texts.
    """

    path: str
    names: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    booleans: bool = False
    numbers: bool = True

    @property
    def filled(self) -> int:
        """How many cells are filled."""
        return sum(self.counts.values())


def fields_of(table: Table) -> dict[str, Field]:
    """All fields of a table that hold values, by path."""
    found: dict[str, Field] = {}
    for record in _records(table):
        for names, value in leaves_of(record):
            path = path_of(names)
            one = found.setdefault(path, Field(path, tuple(name for name in names if name[0:1] != "[")))
            one.counts[str(value)] += 1
            one.booleans |= isinstance(value, bool)
            one.numbers &= isinstance(value, int | float)
    return found


def path_of(names: tuple[str, ...]) -> str:
    """The names on the way to a value as one text: ``annotations[].coherence``."""
    return ".".join(names).replace(".[", "[")


def changed(table: Table, new: Mapping[str, Mapping[str, Any]]) -> Table:
    """The table with other values in the fields whose paths ``new`` has: each value by its text."""

    def other(names: tuple[str, ...], value: Any) -> Any:
        return new.get(path_of(names), {}).get(str(value), value)

    return _rebuilt(table, lambda record: _mapped(record, (), other))


def without(table: Table, paths: frozenset[str]) -> Table:
    """The table without the fields of these paths."""
    return _rebuilt(table, lambda record: _mapped(record, (), lambda n, v: None if path_of(n) in paths else v))


def _rebuilt(table: Table, made: Callable[[Any], Any]) -> Table:
    if table.records is not None:
        return replace(table, records=tuple((line, made(record)) for line, record in table.records))
    rows = [made(row) for row in table.frame.iter_rows(named=True)]
    columns = {name: [row.get(name) for row in rows] for name in table.frame.columns}
    return replace(
        table,
        frame=pl.DataFrame(
            [pl.Series(name, columns[name], table.frame.schema[name], strict=False) for name in table.frame.columns]
        ),
    )


def _records(table: Table) -> Iterator[Mapping[str, Any]]:
    if table.records is not None:
        yield from (record for _, record in table.records)
    else:
        yield from table.frame.iter_rows(named=True)


def is_keyed(value: Mapping[str, Any], names: tuple[str, ...]) -> bool:
    """Whether the keys of an object are ids: there are many below the record, or objects with much the same keys."""
    inner = list(value.values())
    if names and len(inner) > _MOST_KEYS:
        return True
    if len(inner) < 2 or not all(isinstance(one, Mapping) and one for one in inner):
        return False
    keys = [set(one) for one in inner]
    return len(set.intersection(*keys)) * 2 >= len(set.union(*keys))


def leaves_of(value: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value with the names on the way to it. What speakers said is told as one text for each turn."""
    value = _opened(value, names)
    if value is None or value == "" or len(names) > _DEEPEST:
        return
    if isinstance(value, Mapping):
        keyed = is_keyed(value, names)
        for key, inner in value.items():
            yield from leaves_of(inner, (*names, ANY_KEY if keyed else str(key)))
    elif isinstance(value, list):
        if not are_turns(value):
            for place, inner in zip(_places(value, names), value, strict=True):
                yield from leaves_of(inner, (*names, place))
    else:
        yield names, value


def _mapped(value: Any, names: tuple[str, ...], other: Callable[[tuple[str, ...], Any], Any]) -> Any:
    """The same object with ``other`` values; a cell with JSON in it stays a cell."""
    opened = _opened(value, names)
    if opened is None or opened == "" or len(names) > _DEEPEST:
        return value
    if isinstance(opened, Mapping):
        keyed = is_keyed(opened, names)
        made: Any = {
            key: _mapped(inner, (*names, ANY_KEY if keyed else str(key)), other) for key, inner in opened.items()
        }
    elif isinstance(opened, list):
        if are_turns(opened):
            return value
        places = _places(opened, names)
        made = [_mapped(inner, (*names, place), other) for place, inner in zip(places, opened, strict=True)]
    else:
        return other(names, opened)
    return json.dumps(made, ensure_ascii=False) if isinstance(value, str) else made


def _places(value: list[Any], names: tuple[str, ...]) -> list[str]:
    """What stands for each place of a list: in a list of lists, which are rows, each place has a meaning of its own."""
    inner = bool(names) and names[-1] == ANY_PLACE and not any(isinstance(one, list | dict) for one in value)
    return [f"[{place}]" if inner else ANY_PLACE for place in range(len(value))]


def _is_list(text: str) -> bool:
    return text.lstrip()[:1] in ("[", "{") or JOINED.fullmatch(text) is not None or packed(text) is not None


def _opened(value: Any, names: tuple[str, ...]) -> Any:
    """What a cell holds: a text that is a list or an object is one."""
    if isinstance(value, str) and len(names) == 1 and _is_list(value):
        found = parsed_cell(value)
        return found if isinstance(found, Mapping | list) else value
    return value
