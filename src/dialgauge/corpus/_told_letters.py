"""Records that call the systems by letters, beside an object that says which system each letter is in each of them."""

from collections.abc import Mapping
from typing import Any

from dialgauge.corpus._blind_keys import as_key
from dialgauge.corpus._names import USES, is_id, normalised
from dialgauge.errors import InputError

#: Keys under which one letter is that of a summary.
_ONE = frozenset({*USES["system"], "summary", "option", "candidate", "letter", "code", "best", "worst", "winner"}) | {
    *("preferred", "choice", "better", "rejected", "chosen", "first", "second", "summary_id", "item")
}


def with_letters_named(whole: Mapping[str, Any], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with the names of the systems; unchanged where nothing beside them tells any.

    A key to some of the records only is refused: the letters of the others would be systems of their own.
    """
    keys = [value for value in whole.values() if isinstance(value, Mapping) and as_key(value) is not None]
    for key in keys:
        told = {str(one): {str(letter): str(name) for letter, name in row.items()} for one, row in key.items()}
        ids = [_id_of(record, told) for record in records]
        if not any(one is not None for one in ids) or not _shuffled(told):
            continue
        if None in ids:
            raise InputError(
                f"a key says what the letters of {len(records) - ids.count(None)} of {len(records)} dialogues mean, "
                "and of the others nothing does: complete it, or leave those out"
            )
        return [_named(record, told[one]) for record, one in zip(records, ids, strict=True) if one is not None]
    return records


def _id_of(record: Mapping[str, Any], told: Mapping[str, Any]) -> str | None:
    ids = (str(value) for key, value in record.items() if is_id(normalised(str(key))) and isinstance(value, str | int))
    return next((one for one in ids if one in told), None)


def _shuffled(told: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether the letters of all are the same, and mean different names somewhere."""
    rows = list(told.values())
    return len({frozenset(row) for row in rows}) == 1 and any(row != rows[0] for row in rows)


def _named(value: Any, letters: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, Mapping):
        inner = {name: _named(entry, letters, str(name)) for name, entry in value.items()}
        coded = len(inner) > 1 and all(str(name) in letters for name in inner)
        return {letters[str(name)]: entry for name, entry in inner.items()} if coded else inner
    if isinstance(value, list):
        listed = bool(value) and all(isinstance(one, str) and one in letters for one in value)
        return [letters[one] for one in value] if listed else [_named(one, letters, key) for one in value]
    return letters.get(value, value) if isinstance(value, str) and normalised(key) in _ONE else value
