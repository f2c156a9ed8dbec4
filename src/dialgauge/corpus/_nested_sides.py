"""Records of two summaries, in an object each (``left`` and ``right``) or in a list, as columns of both sides."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dialgauge.corpus._better import better_of
from dialgauge.corpus._names import USES, is_id, is_other_id, is_person, normalised
from dialgauge.corpus._pairs import asks_for_winner
from dialgauge.corpus._shapes import are_turns
from dialgauge.corpus._turns import TEXTS

Record = dict[str, Any]
Item = Mapping[str, Any]
_SIDE = re.compile(r"(?:[a-z]+_)?(a|b|1|2|left|right|first|second)(?:_[a-z]+)?|[a-z]+(1|2)")
_PAIRS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
_SYSTEMS = frozenset({*USES["system"], "name"})
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class _Two:
    """A record taken apart: what is about both, the summary of each side, and what else a side is called."""

    rest: Record
    sides: Mapping[str, Item]
    called: Mapping[str, str]

    def chosen(self) -> bool:
        """Whether some value beside the two names a side or one of the systems."""
        names = {str(value) for item in self.sides.values() for value in item.values() if isinstance(value, str)}
        for key, value in self.rest.items():
            if is_person(normalised(key)) or is_id(normalised(key)):
                continue
            asked = asks_for_winner(normalised(key)) and isinstance(value, int)
            text = str(value) if isinstance(value, str) or asked else ""
            if text and (text in names or text in self.called or better_of(text) in ("a", "b")):
                return True
        return False


def with_sides(records: Sequence[Record]) -> list[Record]:
    """The records with the texts, systems and answers of two summaries as columns of each side; others as they are.

    ``{"left": {"model": "x", "summary": "…"}, "right": {…}, "picked": "left"}``. Only all records together show what
    names the systems, and whether somebody chose one of both: without a choice, objects are a list of two summaries.
    """
    listed = _two_listed(records) if records else []
    parted = listed or _two_objects(_lifted(records))
    if not parted:
        return list(records)
    named = _name_key([item for one in parted for item in one.sides.values()])
    if any(one.chosen() for one in parted):
        return [_side_by_side(one, named) for one in parted]
    if listed or named is None:
        return list(records)
    return [{**one.rest, "summaries": [_renamed(item, named) for item in one.sides.values()]} for one in parted]


def _lifted(records: Sequence[Record]) -> Sequence[Record]:
    """The records with the two sides beside the rest, where one object holds both: ``{"responses": {"A": …}}``."""
    held = [key for key, value in records[0].items() if _are_both_sides(value)] if records else []
    if len(held) != 1 or not all(_are_both_sides(record.get(held[0])) for record in records):
        return records
    return [{**{k: v for k, v in record.items() if k != held[0]}, **record[held[0]]} for record in records]


def _are_both_sides(value: Any) -> bool:
    sides = tuple(normalised(key) for key in value) if isinstance(value, Mapping) else ()
    return sides in _PAIRS and all(_text_key(item) is not None for item in value.values())


def _two_objects(records: Sequence[Record]) -> list[_Two]:
    """The records with two objects of a summary each, under names of sides or under names that somebody chooses."""
    held = [key for key, value in records[0].items() if _text_key(value) is not None] if records else []
    if len(held) != 2 or not all(_text_key(record.get(key)) is not None for record in records for key in held):
        return []
    found = [_SIDE.fullmatch(normalised(key)) for key in held]
    sides = tuple(one[1] or one[2] for one in found if one)
    if sides not in _PAIRS:
        beside = {str(value) for record in records for key, value in record.items() if key not in held}
        if not beside >= set(held):
            return []
        sides = ("a", "b")
    called = dict(zip(held, sides, strict=True))
    return [
        _Two(
            {key: value for key, value in record.items() if key not in called},
            {side: record[key] for key, side in called.items()},
            called,
        )
        for record in records
    ]


def _two_listed(records: Sequence[Record]) -> list[_Two]:
    """The records with one list of two summaries, of which each says who wrote it, and one person who judged both."""
    held = [key for key, value in records[0].items() if _are_written(value)]
    if len(held) != 1 or not any(is_person(normalised(key)) for key in records[0]):
        return []
    lists: list[Any] = [record.get(held[0]) for record in records]
    if not all(_are_written(value) and len(value) == 2 for value in lists):
        return []
    return [
        _Two(
            {key: value for key, value in record.items() if key != held[0]},
            dict(zip("ab", record[held[0]], strict=True)),
            {},
        )
        for record in records
    ]


def _are_written(value: Any) -> bool:
    """Whether a list holds texts that each say which system wrote them."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(_text_key(item) is not None and any(normalised(key) in _SYSTEMS for key in item) for item in value)
        and not are_turns(value)
    )


def _text_key(item: Any) -> str | None:
    if not isinstance(item, Mapping):
        return None
    known = (*USES["summary"], *TEXTS)
    return next((key for key in item if normalised(key) in known and isinstance(item[key], str)), None)


def _name_key(items: Sequence[Item]) -> str | None:
    """The key under which all objects name their system: by its name, or the only one with few short names."""
    shared = [key for key in items[0] if all(isinstance(item.get(key), str) for item in items)]
    by_name = [key for key in shared if normalised(key) in _SYSTEMS]
    if by_name:
        return by_name[0]
    free = [
        key
        for key in shared
        if key != _text_key(items[0])
        and not (is_person(normalised(key)) or is_id(normalised(key)) or is_other_id(normalised(key)))
        and all(0 < len(item[key]) <= _LONGEST_NAME for item in items)
        and 1 < len({item[key] for item in items}) * 2 <= max(len(items), 4)
    ]
    return free[0] if len(free) == 1 else None


def _renamed(item: Item, named: str | None) -> Record:
    text = _text_key(item)
    return {("system" if key == named else "summary" if key == text else key): value for key, value in item.items()}


def _side_by_side(one: _Two, named: str | None) -> Record:
    made = {key: one.called.get(value, value) if isinstance(value, str) else value for key, value in one.rest.items()}
    for side, item in one.sides.items():
        made |= {f"{key}_{side}": value for key, value in _renamed(item, named).items()}
    return made
