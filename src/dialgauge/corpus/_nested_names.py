"""Names of people in nested records: who judged, where an object says so, and who spoke, where a list does."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import is_dimension, is_person, normalised
from dialgauge.corpus._types import Turn

_NAMES = ("name", "display_name", "displayname", "full_name", "username", "user_name", "login", "email", "id", "uuid")


def with_people_named(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with the name of each person in the place of the object about them: ``{"reviewer": {"name": …}}``.

    The first of name, e-mail address and id is taken that distinguishes all of them.
    """
    found = {_frozen(own): own for record in records for person in _people(record) for own in [_about(person)]}
    if not found:
        return list(records)
    said = [{normalised(key): value for key, value in person.items()} for person in found.values()]
    telling = next((key for key in _NAMES if _tells_apart(key, said)), None)
    return list(records) if telling is None else [_named(record, telling) for record in records]


def _frozen(person: Mapping[str, Any]) -> str:
    return repr(sorted(person.items(), key=lambda one: str(one[0])))


def _about(person: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an object says about a person; where it holds the answers of that person too, the names alone."""
    if not any(is_dimension(normalised(str(key))) for key in person):
        return person
    return {key: value for key, value in person.items() if normalised(str(key)) in _NAMES}


def _tells_apart(key: str, people: Sequence[Mapping[str, Any]]) -> bool:
    names = [str(one[key]) for one in people if isinstance(one.get(key), str | int) and one[key] != ""]
    return len(names) == len(people) == len(set(names))


def _is_about_person(key: Any, value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and is_person(normalised(str(key)))


def _people(value: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if _is_about_person(key, inner):
                yield inner
            elif isinstance(inner, dict | list):
                yield from _people(inner)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict | list):
                yield from _people(inner)


def _named(value: Any, telling: str) -> Any:
    if isinstance(value, Mapping):
        made: dict[Any, Any] = {}
        for key, inner in value.items():
            if _is_about_person(key, inner):
                about = _about(inner)
                made[key] = next(name for own, name in about.items() if normalised(own) == telling)
                made |= {own: one for own, one in inner.items() if own not in about and own not in value}
            else:
                made[key] = _named(inner, telling)
        return made
    if isinstance(value, list):
        return [_named(inner, telling) for inner in value]
    return value


def speakers_named(turns: tuple[Turn, ...], record: Mapping[str, Any]) -> tuple[Turn, ...]:
    """The turns with the names that a list of the record gives to their speakers, where these are numbers or codes.

    ``{"parties": [{"speakerId": "54", "name": "Ana"}, …]}``
    """
    speakers = {turn.speaker for turn in turns}
    for value in record.values():
        listed = isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value)
        for key in value[0] if listed else ():
            names = {str(item.get(key)): _name_of(item) for item in value if item.get(key) is not None}
            called = {speaker: names.get(speaker) for speaker in speakers}
            if None not in called.values() and len(set(called.values())) == len(called) and called:
                return tuple(Turn(called[turn.speaker] or "", turn.text, turn.role) for turn in turns)
    return turns


def _name_of(item: Mapping[str, Any]) -> str | None:
    known = {normalised(key): value for key, value in item.items()}
    found = next((known[key] for key in _NAMES[:4] if isinstance(known.get(key), str) and known[key]), None)
    return None if found is None else str(found)
