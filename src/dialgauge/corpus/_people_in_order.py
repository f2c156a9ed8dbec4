"""JSON with the names of the annotators once, and their scores as lists in the order of these names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dialgauge.corpus._names import AGGREGATES, is_person, normalised
from dialgauge.corpus._table import Table, place_in

_FEWEST = 2


def with_people_in_order(table: Table) -> Table:
    """The table with a record for each item and annotator; unchanged where nothing is listed in their order."""
    if not table.records or len(table.records) != 1:
        return table
    whole = table.records[0][1]
    people = next((names for key, value in whole.items() if (names := _people(str(key), value))), None)
    items = [value for value in whole.values() if _are_items(value)]
    if people is None or len(items) != 1:
        return table
    made: list[tuple[int, dict[str, Any]]] = []
    for number, item in enumerate(items[0], start=1):
        scored = _scores(item, len(people))
        if not scored:
            return table
        told = {key: value for key, value in item.items() if not _has_scores(key, value, len(people))}
        made += [
            (number, {**told, "annotator": who, **{name: values[place] for name, values in scored.items()}})
            for place, who in enumerate(people)
            if any(values[place] is not None for values in scored.values())
        ]
    note = f"scores are listed in the order of {', '.join(people)}, as the file names them"
    file = table.place(0)[0]
    return replace(
        table,
        records=tuple(made),
        place=place_in(file, [number for number, _ in made]),
        notes=(*table.notes, note),
    )


def _people(key: str, value: Any) -> list[str]:
    name = normalised(key)
    called = is_person(name) or is_person(name.removesuffix("s"))
    named = isinstance(value, list) and len(value) >= _FEWEST and all(isinstance(one, str) for one in value)
    return list(value) if called and named and len(set(value)) == len(value) else []


def _are_items(value: Any) -> bool:
    return isinstance(value, list) and len(value) >= _FEWEST and all(isinstance(one, Mapping) for one in value)


def _has_scores(key: str, value: Any, people: int) -> bool:
    """Whether scores are below a key, or means of them."""
    if _is_list(value, people):
        return True
    numbers = isinstance(value, Mapping) and all(isinstance(one, int | float) for one in value.values())
    means = numbers and AGGREGATES.fullmatch(normalised(key)) is not None
    return means or (
        isinstance(value, Mapping) and bool(value) and all(_is_list(one, people) for one in value.values())
    )


def _scores(item: Mapping[str, Any], people: int) -> dict[str, Sequence[Any]]:
    found: dict[str, Sequence[Any]] = {}
    for key, value in item.items():
        below = value if isinstance(value, Mapping) and _has_scores(key, value, people) else {key: value}
        found |= {str(name): one for name, one in below.items() if _is_list(one, people)}
    return found


def _is_list(value: Any, people: int) -> bool:
    scores = isinstance(value, list) and len(value) == people
    return scores and all(one is None or (isinstance(one, int | float) and not isinstance(one, bool)) for one in value)
