"""What distinguishes judgements and was not read: columns between rows of a dialogue, and the keys of nested data."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.corpus._account import MOST_LEFT_OUT
from dialgauge.corpus._corpus import FURTHER_TABLES, MAIN_TABLES
from dialgauge.corpus._fields import ANY_KEY, leaves_of
from dialgauge.corpus._guess import SAID
from dialgauge.corpus._guess_ratings import is_same_within
from dialgauge.corpus._names import (
    COMMENT_WORDS,
    TIME_WORDS,
    is_housekeeping,
    is_id,
    is_other_id,
    is_person,
    normalised,
)
from dialgauge.corpus._plan import Column, Plan
from dialgauge.corpus._table import Table
from dialgauge.errors import counted

#: A column with longer cells names nobody and nothing.
_LONGEST_NAME = 60
_FEWEST = 8
_SHOWN = 3
#: So many records show which keys recur.
_MOST_RECORDS = 1_000


def unread_names(table: Table, plan: Plan) -> list[str]:
    """Columns of names that differ between the rows of one dialogue where nobody is said to have judged them.

    They name people, or are judgements in words: which of both, only somebody can say who knows the file.
    """
    judged = plan.named("dimension") or plan.has("value")
    ids = plan.uses.get("dialogue_id") or plan.uses.get("dialogue")
    if plan.has("annotator") or not judged or ids is None or table.layout is not None or table.frame.height < _FEWEST:
        return []
    system = plan.uses.get("system", ())
    return [
        f"{column.name!r} differs between the rows of one dialogue and was not read: if it names the annotators, "
        f"--map annotator={column.name}; if it holds judgements, --map dimension:NAME={column.name}; else leave it out "
        f"(--map ignore={column.name})"
        for column in plan.columns
        if _is_free(column) and column.type == "text" and _may_name(table.frame, column.name, ids[0], system)
    ]


def _is_free(column: Column) -> bool:
    """Whether nothing is made of a column, and nobody said so."""
    return column.use is None and column.why != SAID


def _may_name(frame: pl.DataFrame, column: str, dialogue: str, system: Iterable[str]) -> bool:
    name = normalised(column)
    if is_housekeeping(name) or is_id(name) or is_other_id(name) or set(name.split("_")) & (TIME_WORDS | COMMENT_WORDS):
        return False
    given = frame[column].drop_nulls().cast(pl.String).str.strip_chars()
    given = given.filter(given != "")
    recurring = 1 < given.n_unique() * 2 <= len(given) and len(given) * 5 >= frame.height * 4
    if not recurring or not (given.str.len_chars() <= _LONGEST_NAME).all() or any(map(_is_link, given.head(_SHOWN))):
        return False
    if any(is_same_within(frame, key, column) for key in system):
        return False
    values = frame.group_by(dialogue).agg(pl.col(column).drop_nulls().n_unique().alias("_n"), pl.len().alias("_rows"))
    several = values.filter(pl.col("_rows") > 1)
    return several.height * 2 > values.height and int((several["_n"] > 1).sum()) * 2 > several.height


def contradicted_names(table: Table, plan: Plan) -> list[str]:
    """Columns that were not read, hold the names of annotators or systems that were, and say another one of a row."""
    found = []
    for use in ("annotator", "system"):
        for own in plan.uses.get(use, ()) if table.layout is None else ():
            known = table.frame[own].cast(pl.String)
            names = set(known.drop_nulls().unique())
            for column in filter(_is_free, plan.columns):
                given = table.frame[column.name].cast(pl.String, strict=False)
                said = set(given.drop_nulls().unique())
                if len(said) < 2 or len(said & names) * 2 <= len(said):
                    continue
                apart = int(((given != known) & given.is_not_null() & known.is_not_null()).sum())
                if apart:
                    found.append(
                        f"{column.name!r} names {use}s too, and another one than {own!r} in {counted(apart, 'row')}: "
                        f"say which is right (--map {use}={column.name}) or leave it out (--map ignore={column.name})"
                    )
    return found


def _is_link(text: str) -> bool:
    return text.startswith(("http", "/", "{", "[")) or "/" in text


def unlike_merges(table: Table, plan: Plan, merged: Sequence[tuple[int, int]], given: int) -> list[str]:
    """Columns that were not read and distinguish rows of which one was taken for a copy of the other.

    ``merged`` has the row of every judgement that was left out, and the one that was kept. Few of those ``given`` may
    be copies for whatever reason.
    """
    if len(merged) <= MOST_LEFT_OUT * given:
        return []
    pairs = [(row, kept) for row, kept in merged if row is not None and kept is not None]
    found = []
    for column in plan.columns:
        name = normalised(column.name)
        if not _is_free(column) or set(name.split("_")) & (TIME_WORDS | COMMENT_WORDS):
            continue
        values = table.frame[column.name].cast(pl.String).to_list()
        if _is_each_rows(values):
            continue
        apart = sum(None not in (values[row], values[kept]) and values[row] != values[kept] for row, kept in pairs)
        if apart * 2 > len(pairs) > 0:
            found.append(
                f"{counted(apart, 'judgement')} taken for copies of others, though {column.name!r} distinguishes them: "
                f"make it part of the ids or of the annotators' names, keep all (--repeats keep), or leave it out "
                f"(--map ignore={column.name})"
            )
    return found


def _is_each_rows(values: list[str | None]) -> bool:
    """Whether nearly every row has a value of its own, as ids of answers and measured times are."""
    given = [value for value in values if value is not None]
    return len(set(given)) * 2 > len(given)


def lost_keys(table: Table, parts: Any) -> list[str]:
    """The keys of nested objects that recur, as names of people and systems do, and that arrived in no table."""
    if table.records is None:
        return []
    stored = stored_names(parts)
    found = []
    records = [record for _, record in table.records[:_MOST_RECORDS]]
    every = _keys_of(records)
    values = {str(leaf) for record in records for _, leaf in leaves_of(record)} if every else set()
    for path, keys in every.items():
        if set(keys) <= values or any(set(keys) <= set(other) for place, other in every.items() if place != path):
            continue  # names of what is told elsewhere
        names = [key for key, times in keys.items() if times > 1 and not key.isdigit()]
        missing = sorted(key for key in names if normalised(key) not in stored)
        if len(names) > 1 and len(missing) == len(names):
            such = ", ".join(map(repr, missing[:_SHOWN]))
            found.append(
                f"{path!r} holds judgements under {counted(len(names), 'name')} ({such}) that did not arrive: give "
                "each judgement its annotator and its system as a field of its own"
            )
    return found


def _keys_of(records: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """How often each key occurs at every place where the keys of objects are names and numbers are below."""
    found: dict[str, Counter[str]] = {}
    for record in records:
        for path, key in _keys(record, (), leaves_of):
            found.setdefault(path, Counter())[key] += 1
    return found


def _keys(
    value: Any, names: tuple[str, ...], leaves: Callable[[Any], Iterator[tuple[tuple[str, ...], Any]]]
) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for inner in value:
            yield from _keys(inner, (*names, "[]"), leaves)
    elif isinstance(value, Mapping):
        inner = list(value.values())
        keyed = len(inner) > 1 and all(isinstance(one, Mapping) and one for one in inner)
        alike = keyed and len(set.intersection(*map(set, inner))) * 2 >= len(set.union(*map(set, inner)))
        for key, one in value.items():
            if alike and not _names_itself(one) and any(True for _ in leaves(one)):
                yield ".".join(names).replace(".[", "[") or ANY_KEY, str(key)
            yield from _keys(one, (*names, ANY_KEY if alike else str(key)), leaves)


def _names_itself(record: Mapping[str, Any]) -> bool:
    """Whether an object says itself whom or what it is about: then the key above it may be any."""
    return any(is_id(name) or is_person(name) for name in map(normalised, map(str, record)))


def stored_names(parts: Any) -> set[str]:
    """All names in the tables that were read, for comparison."""
    found: set[str] = set()
    for table in MAIN_TABLES | FURTHER_TABLES:
        frame = getattr(parts, table, None)
        if frame is not None and frame.height:
            for column in frame.columns:
                if frame[column].dtype == pl.String and column != "text":
                    found.update(normalised(text) for text in frame[column].drop_nulls().unique())
    return found
