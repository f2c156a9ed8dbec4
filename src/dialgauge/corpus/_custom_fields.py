"""Fields that users of a help desk add to its records: a list of ids (or names) and values becomes an object."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import normalised

_LIST = re.compile(r"(?:custom|additional|extra|user_defined)_?(?:fields?|attributes|properties|values)|field_values")
_NAMED = ("title", "name", "label", "field", "key", "field_name", "field_id", "custom_field_id", "id")
_VALUES = ("value", "values", "raw_value")
#: A field has no more keys than this: a name, an id, a value, a type.
_MOST_KEYS = 5
_DEEPEST = 12
#: Where a help desk repeats its list of fields.
_AGAIN = "fields"


#: What a file with such a list has in it.
_SIGN = re.compile(
    r'"\w*(?:custom|additional|extra|user_?defined|field)_?(?:fields?|attributes|properties|values)"', re.I
)


def has_custom_fields(text: str) -> bool:
    """Whether a file may hold such lists: most hold none, and need not be searched record by record."""
    return _SIGN.search(text) is not None


def with_fields_named(record: dict[str, Any]) -> dict[str, Any]:
    """A record in which such lists are objects; the titles of fields that it defines stand for their ids."""
    named, lists = dict[str, str](), list[str]()
    for key, value in record.items():
        if (titles := _titles(key, value)) is not None:
            named |= titles
            lists.append(key)
    made = _opened(record, named)
    if made == record or not isinstance(made, dict):
        return record
    return {key: value for key, value in made.items() if key not in lists}


def _titles(key: str, value: Any) -> dict[str, str] | None:
    """The titles of fields by their ids, of a list that defines them: ``ticket_fields``."""
    if not normalised(key).endswith("fields") or not _are_objects(value):
        return None
    found = {str(one["id"]): str(one[name]) for one in value for name in ("title", "name", "label") if name in one}
    return found if len(found) == len(value) and not any(name in one for one in value for name in _VALUES) else None


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) and "id" in one for one in value)


def _opened(value: Any, titles: Mapping[str, str], depth: int = 0) -> Any:
    if isinstance(value, list):
        return [_opened(one, titles, depth + 1) for one in value] if value and isinstance(value[0], Mapping) else value
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return value
    made: dict[str, Any] = {}
    for key, entry in value.items():
        fields = _fields(entry, titles) if _LIST.fullmatch(normalised(key)) else None
        made[key] = _opened(entry, titles, depth + 1) if fields is None else fields
    if any(made[key] is not value[key] and _is_same(value.get(_AGAIN), value[key]) for key in made if key != _AGAIN):
        del made[_AGAIN]
    return made


def _is_same(again: Any, listed: Any) -> bool:
    return isinstance(again, list) and bool(again) and again == listed


def _fields(entry: Any, titles: Mapping[str, str]) -> dict[str, Any] | None:
    """The values of a list of fields by their names; None for any other list."""
    if not isinstance(entry, Sequence) or isinstance(entry, str) or not entry:
        return None
    pairs = [_pair(one) for one in entry]
    names = [pair[0] for pair in pairs if pair is not None]
    if len(names) < len(entry) or len(set(names)) < len(names):
        return None
    return {titles.get(name, name): value for name, value in filter(None, pairs)}


def _pair(one: Any) -> tuple[str, Any] | None:
    if not isinstance(one, Mapping) or len(one) > _MOST_KEYS:
        return None
    name = _first(_NAMED, one)
    value = _first(_VALUES, one)
    return None if name is None or value is None else (str(one[name]), one[value])


def _first(names: Iterable[str], one: Mapping[str, Any]) -> str | None:
    return next((name for name in names if name in one), None)
