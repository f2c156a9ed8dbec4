"""Records that hold their summaries as lists side by side: the systems, their texts, and what was judged of each."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_dimension, is_person, normalised
from dialgauge.corpus._shapes import SUMMARIES

#: What lists of systems are called, besides the names of one.
_SYSTEMS = frozenset({*USES["system"], *(f"{name}s" for name in USES["system"])})
_TEXTS = frozenset({*USES["summary"], *(f"{name}s" for name in USES["summary"]), "summaries", "hyps", "hypotheses"})


def side_by_side(record: dict[str, Any]) -> dict[str, Any]:
    """The record with one list of summaries, each with its system and its answers; others as they are.

    ``{"models": ["a", "b"], "summaries": ["…", "…"], "coherence": [4, 2]}``. Where people are listed too, the answers
    about each summary are theirs, in the same order.
    """
    lists = {key: value for key, value in record.items() if isinstance(value, list) and len(value) > 1}
    systems = next((key for key, value in lists.items() if normalised(key) in _SYSTEMS and _are_names(value)), None)
    if systems is None:
        return _in_their_order(record, lists)
    size = len(lists[systems])
    texts = next(
        (k for k, v in lists.items() if k != systems and _are_texts(normalised(k), v) and len(v) == size), None
    )
    if texts is None:
        return record
    people = next((k for k, v in lists.items() if _is_of_people(normalised(k)) and _are_names(v)), None)
    beside = [k for k, v in lists.items() if k not in (systems, texts, people) and len(v) == size and _judged(k, v)]
    items = []
    for number, (system, text) in enumerate(zip(lists[systems], lists[texts], strict=True)):
        given = {key: lists[key][number] for key in beside}
        items.append({"system": system, "text": text, **_of_people(given, lists[people] if people else [])})
    gone = {systems, texts, *beside, *([people] if people and _all_given(items) else [])}
    return {**{key: value for key, value in record.items() if key not in gone}, "summaries": items}


def _in_their_order(record: dict[str, Any], lists: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The record with the answers of people who are listed once, in whose order all lists of answers are."""
    people = [key for key, value in lists.items() if _is_of_people(normalised(key)) and _are_names(value)]
    judged = [key for key, value in record.items() if _holds_lists(value, len(lists[people[0]]) if people else 0)]
    if len(people) != 1 or len(judged) != 1:
        return record
    names = lists[people[0]]
    items = [_of_people(item, names) for item in record[judged[0]]]
    if not _all_given(items):
        return record
    return {**{key: value for key, value in record.items() if key != people[0]}, judged[0]: items}


def _holds_lists(value: Any, size: int) -> bool:
    """Whether each object of a list has lists of this number of answers."""
    return (
        bool(size)
        and isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and "ratings" not in item for item in value)
        and all(any(isinstance(one, list) and len(one) == size for one in item.values()) for item in value)
    )


def _are_names(value: Sequence[Any]) -> bool:
    return all(isinstance(one, str) and 0 < len(one) <= 60 for one in value) and len(set(value)) == len(value)


def _are_texts(name: str, value: Sequence[Any]) -> bool:
    return (name in _TEXTS or bool(SUMMARIES.fullmatch(name))) and all(isinstance(one, str) for one in value)


def _is_of_people(name: str) -> bool:
    return is_person(name) or is_person(name.removesuffix("s"))


def _judged(key: str, value: Sequence[Any]) -> bool:
    """Whether a list has answers, or lists of them, for each summary."""
    flat = [one for item in value for one in (item if isinstance(item, list) else [item])]
    if any(isinstance(one, dict | list) for one in flat):
        return all(isinstance(item, dict) for item in value)
    return is_dimension(normalised(key)) or all(one is None or isinstance(one, bool | int | float) for one in flat)


def _of_people(given: Mapping[str, Any], people: Sequence[str]) -> dict[str, Any]:
    """The answers about one summary: as ratings of the people in their order, where each gave as many."""
    lists = [value for value in given.values() if isinstance(value, list)]
    if not people or not lists or any(len(value) != len(people) for value in lists):
        return dict(given)
    own = {key: value for key, value in given.items() if not isinstance(value, list)}
    ratings = [
        {"annotator": who, **{key: value[place] for key, value in given.items() if isinstance(value, list)}}
        for place, who in enumerate(people)
    ]
    return {**own, "ratings": ratings}


def _all_given(items: Sequence[Mapping[str, Any]]) -> bool:
    return all("ratings" in item for item in items)
