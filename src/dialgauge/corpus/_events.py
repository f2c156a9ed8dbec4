"""Logs with records of several kinds that name each other by ids: what was shown, and what people said about it."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from dialgauge.corpus._names import USES, is_id, is_other_id, is_person, normalised
from dialgauge.corpus._table import Table

Record = dict[str, Any]
Numbered = tuple[int, Record]
#: The kind that is named, by which key, and what that kind calls it.
Link = tuple[str, str, str]
#: A log has at least two kinds of records, and not as many as there are names of people or calls.
_MOST_KINDS = 12
_MOSTLY = 0.8
_TEXTS = frozenset({*USES["dialogue"], *USES["summary"], *USES["reference"]})


def with_events(table: Table) -> Table:
    """The table with what was said inside what it is about; unchanged where records are of one kind, or name no others.

    Ids of dialogues need none of this: rows that have the same one belong together.
    """
    assert table.records is not None
    records = list(enumerate(_opened([record for _, record in table.records])))
    kind = _kind_key(records)
    if kind is None:
        return table
    kinds: dict[str, list[Numbered]] = {}
    for number, record in records:
        kinds.setdefault(record[kind], []).append((number, {k: v for k, v in record.items() if k != kind}))
    told = {name for name, own in kinds.items() if any(_has_text(record) for _, record in own)}
    links = {name: link for name in kinds if name not in told and (link := _link(kinds[name], kinds, told))}
    if not links:
        return table
    made = _put_inside(kinds, links, told)
    places = [table.place(number) for number, _ in made]
    unused = [f"{name} ({len(own)})" for name, own in kinds.items() if name not in told and name not in links]
    said = ", ".join(f"{name!r} by {key!r}" for name, (_, key, _) in links.items())
    notes = [f"records of several kinds, by {kind!r}: joined are those of {said}"]
    notes += [f"records not used: {', '.join(unused)}"] if unused else []
    return replace(
        table,
        records=tuple((table.records[number][0], record) for number, record in made),
        place=lambda row: places[min(row, len(places) - 1)],
        notes=(*table.notes, *notes),
    )


def _opened(records: Sequence[Record]) -> list[Record]:
    """The records with what stands in an object that all of them have (``payload``) beside the rest."""
    key = next((key for key in records[0] if all(isinstance(one.get(key), dict) for one in records)), None)
    if key is None or any(set(one[key]) & set(one) for one in records):
        return list(records)
    return [{**{own: value for own, value in one.items() if own != key}, **one[key]} for one in records]


def _kind_key(records: Sequence[Numbered]) -> str | None:
    """The key whose few values say which other keys a record has."""
    for key in records[0][1] if len(records) > 2 else ():
        values = [record.get(key) for _, record in records]
        names = {value for value in values if isinstance(value, str)}
        if not all(isinstance(value, str) for value in values) or not 2 <= len(names) <= _MOST_KINDS:
            continue
        if not is_person(normalised(key)) and _are_apart(key, [record for _, record in records]):
            return key
    return None


def _are_apart(kind: str, records: Sequence[Record]) -> bool:
    """Whether of any two kinds, all records of one have a key that no record of the other has."""
    keys: dict[str, list[set[str]]] = {}
    for record in records:
        keys.setdefault(record[kind], []).append({key for key, value in record.items() if value is not None})
    always = {name: set.intersection(*own) for name, own in keys.items()}
    ever = {name: set.union(*own) for name, own in keys.items()}
    return all(
        always[one] - ever[other] or always[other] - ever[one] for one in always for other in always if one < other
    )


def _link(own: Sequence[Numbered], kinds: Mapping[str, Sequence[Numbered]], told: Set[str]) -> Link | None:
    """The kind with texts whose records are named by nearly all of some records, and by which key."""
    for key in own[0][1]:
        plain = normalised(key)
        if is_id(plain) or is_person(plain) or not (is_other_id(plain) or plain.endswith("_id")):
            continue
        named = [str(record.get(key)) for _, record in own]
        for other in sorted(told):
            for theirs in (key, "id"):  # a summary may call its own id so
                ids = [str(record.get(theirs)) for _, record in kinds[other]]
                if len(known := set(ids)) == len(ids) and sum(one in known for one in named) >= _MOSTLY * len(named):
                    return other, key, theirs
    return None


def _has_text(value: Any) -> bool:
    return isinstance(value, Mapping) and any(
        (normalised(str(key)) in _TEXTS and isinstance(inner, str | list)) or _has_text(inner)
        for key, inner in value.items()
    )


def _put_inside(kinds: Mapping[str, Sequence[Numbered]], links: Mapping[str, Link], told: Set[str]) -> list[Numbered]:
    """The records with texts, each with a list of those that name it; a record that names none of them stays one."""
    inside: dict[tuple[str, str, str], list[Record]] = {}
    made: list[Numbered] = []
    for name, (other, key, theirs) in links.items():
        known = {str(record.get(theirs)) for _, record in kinds[other]}
        for number, record in kinds[name]:
            if (given := str(record.get(key))) in known:
                rest = {own: value for own, value in record.items() if own != key}
                inside.setdefault((other, theirs, given), []).append(rest)
            else:
                made.append((number, record))
    for name in told:
        keys = {theirs for other, _, theirs in links.values() if other == name}
        for number, record in kinds[name]:
            said = [one for key in keys for one in inside.get((name, key, str(record.get(key))), ())]
            made.append((number, {**record, **({"reviews": said} if said else {})}))
    return sorted(made, key=lambda one: one[0])
