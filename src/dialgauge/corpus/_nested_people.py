"""Who judged, in nested data in which no key says so: the key under which each of a list has a name of its own."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_dimension, is_id, normalised
from dialgauge.corpus._shapes import ASKED
from dialgauge.corpus._types import OVERALL
from dialgauge.corpus._values import is_answer, read_values

_LONGEST = 40
_OTHER_USES = frozenset({*ASKED, *(name for names in USES.values() for name in names)})


def person_key(value: Sequence[Mapping[str, Any]], steady: frozenset[str] | None = None) -> str | None:
    """The key that names who judged in a list of judgements; None where several could, or none does.

    ``steady`` are the keys that do so in all lists of a file (:func:`steady_people`): by chance, the answers of a short
    list are different too.
    """
    found = _own_keys(value) if len(value) > 1 else list(value[0]) if steady and value else []
    if steady is not None:
        found = [key for key in found if key in steady]
    return found[0] if len(found) == 1 else None


#: Keys of people that may name speakers and writers, too, and say who judged where answers stand beside them.
_STAFF = frozenset(
    [
        *("agent", "staff", "employee", "colleague", "adviser", "advisor", "operator", "moderator", "editor", "by"),
        *("who", "person", "member", "teammate", "nick", "login", "author", "owner"),
    ]
)


def are_answers_by(value: Any, steady: frozenset[str] | None) -> bool:
    """Whether every object of a list has a name under the one key of people that distinguishes them, and an answer.

    Whatever list and keys are called: ``[{"agent": "Ana", "thumb": "up"}, {"agent": "Tom", "thumb": null}]``.
    """
    listed = isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    named = {key for item in value for key in item if normalised(key) in _STAFF} if listed else set()
    people = named & (steady or frozenset())
    if len(people) != 1 or not all(people <= set(item) for item in value):
        return False
    for key in {key for item in value for key in item} - people:
        given = [item[key] for item in value if item.get(key) is not None]
        if given and all(isinstance(one, str | bool) for one in given):
            found = read_values(Counter(map(str, given)))
            if found.share == 1 and found.kind in ("yes/no", "ordered"):
                return True
    return False


def steady_people(records: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The keys that have a name of its own for each object of every list in which they occur, and recur over lists."""
    lists: Counter[str] = Counter()
    own: Counter[str] = Counter()
    names: dict[str, Counter[str]] = {}
    for record in records:
        for value in _lists(record):
            found = _own_keys(value)
            own.update(found)
            lists.update({key for item in value for key in item})
            for key in found:
                names.setdefault(key, Counter()).update(str(item[key]) for item in value)
    return frozenset(
        key
        for key, times in own.items()
        if times == lists[key] and (times == 1 or len(names[key]) * 2 <= names[key].total())
    )


def with_single_people(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with a list of one judgement for an object under one name: ``{"ann": {"overall": 4}}``.

    The name is that of a person where others stand in its place in other records; a question would be asked in all.
    """
    names: dict[str, Counter[str]] = {}
    times: Counter[str] = Counter()
    for record in records:
        for key, value in record.items():
            times.update([key] if isinstance(value, dict | list) else [])
            who = _only_person(value)
            if who is not None and not any(_mentions(other, who) for name, other in record.items() if name != key):
                names.setdefault(key, Counter())[who] += 1
    found = {key for key, who in names.items() if who.total() == times[key] and 1 < len(who) < times[key]}
    return [{key: _judgement_of(value) if key in found else value for key, value in r.items()} for r in records]


def _only_person(value: Any) -> str | None:
    """The only name in an object, where an object with nothing but one overall answer stands under it."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    name, answer = next(iter(value.items()))
    single = isinstance(answer, Mapping) and [normalised(str(key)) for key in answer] == [OVERALL]
    judged = single and all(isinstance(one, bool | int | float) for one in answer.values())
    return str(name) if judged and not is_dimension(normalised(str(name))) else None


def _mentions(value: Any, name: str) -> bool:
    """Whether a name stands in a value, as that of a system does beside its text."""
    if isinstance(value, Mapping):
        return name in value or any(_mentions(inner, name) for inner in value.values())
    return any(_mentions(inner, name) for inner in value) if isinstance(value, list) else value == name


def _judgement_of(value: Any) -> Any:
    return [{"annotator": name, **answer} for name, answer in value.items()] if isinstance(value, Mapping) else value


def _own_keys(value: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    for key in value[0]:
        names = [item.get(key) for item in value]
        texts = [name for name in names if isinstance(name, str) and 0 < len(name) <= _LONGEST and not is_answer(name)]
        own = len(texts) == len(names) == len(set(texts)) and not is_id(normalised(key))
        if own and normalised(key) not in _OTHER_USES and not any(is_dimension(normalised(text)) for text in texts):
            found.append(key)
    return found


def _lists(value: Any) -> Iterator[Sequence[Mapping[str, Any]]]:
    """All lists of several objects in a record."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _lists(inner)
    elif isinstance(value, list):
        if len(value) > 1 and all(isinstance(item, Mapping) and item for item in value):
            yield value
        for inner in value:
            yield from _lists(inner)
