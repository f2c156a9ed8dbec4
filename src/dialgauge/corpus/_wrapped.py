"""Files that are one JSON object around their records: a list of them, several lists, columns, or records under ids."""

from dataclasses import replace
from typing import Any

from dialgauge.corpus._fields import leaves_of
from dialgauge.corpus._matrices import with_named_scores
from dialgauge.corpus._names import USES, WEAK_PEOPLE, is_id, is_person, normalised
from dialgauge.corpus._nested import flat_rows, to_frame
from dialgauge.corpus._programs import is_program
from dialgauge.corpus._sheets import one_table
from dialgauge.corpus._table import Sheet, Table, place_in
from dialgauge.corpus._told_letters import with_letters_named

_TEXTS = frozenset({*USES["dialogue"], *USES["summary"], *USES["reference"]})


def unwrapped(table: Table) -> Table | None:
    """The records of a file that is one object around them: a list of them, or each under its id; None for others."""
    if table.records is None or len(table.records) != 1:
        return None
    whole = with_named_scores(table.records[0][1])
    inner = _inside(table, whole)
    return inner if inner is None else replace(inner, groups={**inner.groups, **_kinds_of_people(whole)})


def _kinds_of_people(whole: dict[str, Any]) -> dict[str, str]:
    """The annotators that a list of people says are models, where it says of each what it is."""
    for key, value in whole.items():
        listed = isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) for one in value)
        if not listed or not is_person(normalised(key).removesuffix("s")):
            continue
        for name in ("type", "kind", "role", "group", "annotator_type"):
            said = [str(one.get(name)) for one in value]
            if any(map(is_program, said)) and not all(map(is_program, said)):
                ids = [next((one[key] for key in ("id", "annotator_id", "name") if key in one), None) for one in value]
                return {str(who): "model" for who, kind in zip(ids, said, strict=True) if is_program(kind)}
    return {}


def _inside(table: Table, whole: dict[str, Any]) -> Table | None:
    listed = _only_list(whole)
    if listed is not None:
        return _with_records(table, listed)
    columns = _columns(whole)
    if columns is not None:
        return _with_records(table, columns)
    lists = [
        value
        for value in whole.values()
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
    ]
    known = {*USES["dialogue"], *USES["summary"], *USES["reference"], *USES["dialogue_id"], *USES["system"]}
    named = any(normalised(key) in known or is_id(normalised(key)) for key in whole)
    if len(lists) == 1 and not named:
        inner = with_letters_named(whole, lists[0])
    elif len(lists) > 1 and not named:
        return _joined(table, {key: value for key, value in whole.items() if value in lists})
    elif len(whole) > 1 and all(isinstance(value, dict) for value in whole.values()) and not named and _alike(whole):
        inner = [{"dialogue_id": key, **value} if not _has_id(value) else value for key, value in whole.items()]
    elif not named and (keyed := _only_keyed(whole)) is not None:
        what, found = keyed
        inner = [{what: key, **value} if not _has_id(value) else value for key, value in found.items()]
    else:
        return None
    return _with_records(table, _with_person(whole, inner))


def _with_person(whole: dict[str, Any], inner: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records with who judged all of them, where the object around them says so; who exported them is another."""
    people = [key for key, value in whole.items() if isinstance(value, str | int) and is_person(normalised(key))]
    judging = [key for key in people if normalised(key) not in WEAK_PEOPLE]
    if len(judging) != 1:
        return inner
    if any(is_person(normalised(name)) for one in inner for names, _ in leaves_of(one) for name in names):
        return inner  # the records say themselves who judged
    return [{judging[0]: whole[judging[0]], **one} for one in inner]


def _only_keyed(whole: dict[str, Any]) -> tuple[str, dict[str, dict[str, Any]]] | None:
    """The one object of a file whose objects are all alike, beside single values and lists of these."""
    nested: list[tuple[str, Any]] = [(normalised(key), value) for key, value in whole.items() if _holds_more(value)]
    if len(nested) != 1 or not isinstance(nested[0][1], dict) or len(nested[0][1]) < 2:
        return None
    name: str = nested[0][0]
    found: dict[str, Any] = nested[0][1]
    if not all(isinstance(one, dict) and one for one in found.values()) or not _alike(found):
        return None
    return "annotator" if is_person(name) or is_person(name.removesuffix("s")) else "dialogue_id", found


def _holds_more(value: Any) -> bool:
    """Whether a value is an object, or a list of more than single values, such as the labels that there are."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict | list) for one in value))


def _only_list(whole: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The list of objects at the end of objects with one key each; what every element wraps once more is taken out."""
    value: Any = whole
    deep = 0
    while isinstance(value, dict) and len(value) == 1:
        value, deep = next(iter(value.values())), deep + 1
    if deep < 2 or not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return None
    wrapped: list[Any] = [next(iter(one.values())) if len(one) == 1 else None for one in value]
    return wrapped if all(isinstance(one, dict) for one in wrapped) else value


def _alike(whole: dict[str, Any]) -> bool:
    """Whether the objects under all keys have mostly the same keys, as records under their ids do."""
    keys = [set(value) for value in whole.values()]
    return len(set.intersection(*keys)) * 2 >= len(set.union(*keys))


def _joined(table: Table, lists: dict[str, list[dict[str, Any]]]) -> Table:
    """Several tables in one object (``dialogues``, ``summaries``, ``ratings``), joined by the ids in them."""
    file = table.place(0)[0]
    sheets = []
    for name, records in lists.items():
        made = flat_rows(records, f"{file} [{name}]")
        frame = to_frame([row for _, row in made], file)
        sheets.append(Sheet(name, frame, place_in(file, [number + 1 for number, _ in made])))
    stacked = one_table(sheets, table.notes, "list")
    return replace(
        table,
        records=None,
        frame=stacked.frame,
        place=stacked.place,
        notes=stacked.notes,
        unread=stacked.unread,
        parts=stacked.parts,
        left=stacked.left,
        dropped=stacked.dropped,
    )


def _with_records(table: Table, inner: list[dict[str, Any]]) -> Table:
    file = table.place(0)[0]
    records = tuple((number, record) for number, record in enumerate(inner, start=1))
    return replace(table, records=records, place=place_in(file, [number for number, _ in records]))


def _columns(whole: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The records of an object that holds columns: lists of one length, objects by row, or ``columns`` and ``data``."""
    named = {normalised(key): value for key, value in whole.items()}
    names = next((named[key] for key in ("columns", "header", "headers", "fields") if key in named), None)
    data = next((named[key] for key in ("data", "rows", "values", "records") if key in named), None)
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, names), row, strict=False)) for row in data]
    values = list(whole.values())
    if len(values) < 2 or not any(normalised(key) in _TEXTS for key in whole):
        return None
    if all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        rows = range(len(values[0]))
    elif all(isinstance(value, dict) for value in values) and len({tuple(value) for value in values}) == 1:
        rows = values[0]
    else:
        return None
    if any(isinstance(value[row], dict | list) for value in values for row in rows):
        return None
    return [{key: value[row] for key, value in whole.items()} for row in rows]


def _has_id(record: dict[str, Any]) -> bool:
    return any(is_id(normalised(key)) for key in record)
