"""Ids that join a dialogue and a system, as annotation tools want one name for each item."""

from collections.abc import Set
from dataclasses import replace

import polars as pl

from dialgauge.corpus._column_types import COUNT
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import normalised
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table

_JOINTS = ("__", "::", "--", "|", "/", "#", "@", "_", "-", ":", ".", " ")
#: Joints that no name has in it otherwise.
_SURE_JOINTS = ("__", "::", "--", "|", "#", "@")


def with_systems(table: Table, plan: Plan, corpus: Corpus) -> Table:
    """The table with a column of systems, where its ids join both, or where the corpus has one system only."""
    if "dialogue_id" not in plan.uses:
        return table
    column = plan.uses["dialogue_id"][0]
    given = table.frame[column].cast(pl.String)
    dialogues, systems = set(corpus.dialogues["dialogue_id"]), set(corpus.summaries["system"])
    parted = {name: parted_name(name, dialogues, systems) for name in given.drop_nulls().unique()}
    if parted and all(parted.values()):
        frame = table.frame.with_columns(
            pl.Series(column, [None if name is None else parted[name][0] for name in given], pl.String),  # type: ignore[index]
            pl.Series("system", [None if name is None else parted[name][1] for name in given], pl.String),  # type: ignore[index]
        )
        note = f"the ids in {column!r} join dialogue and system, and were split"
        return replace(table, frame=frame, notes=(*table.notes, note))
    if len(corpus.systems) == 1 and set(given.drop_nulls().unique()) & dialogues:
        note = f"no column names a system: the ratings are those of {corpus.systems[0]!r}, the only one"
        frame = table.frame.with_columns(pl.lit(corpus.systems[0]).alias("system"))
        return replace(table, frame=frame, notes=(*table.notes, note))
    return table


def with_parted_ids(table: Table, mapping: Mapped) -> Table:
    """The table with columns for the dialogue and the system, where one column of names joins both.

    So it is if what stands before (or behind) the same joint names the texts, and the rest recurs for each of them.
    """
    if {"dialogue_id", "system"} & set(mapping) or table.frame.height < _FEWEST:
        return table
    texts = table.frame.select(pl.col(pl.String)).columns
    short = [column for column in texts if _are_short(table.frame[column])]
    suspects = [column for column in short if by_joint(table.frame[column])]
    if not suspects:
        return table
    plan = make_plan(table.frame, {use: given for use, given in mapping.items() if use != "ignore"}, table.known)
    if plan.has("system"):
        return table
    if not plan.has("summary"):
        return _with_parted_names(table, plan, suspects)
    named = plan.uses.get("dialogue_id")
    suspects = [column for column in suspects if named in (None, (column,))]
    summary, dialogue = plan.uses["summary"][0], plan.uses.get("dialogue", (None,))[0]
    for column in suspects:
        for ids, systems in by_joint(table.frame[column]):
            made = table.frame.with_columns(ids.alias("dialogue_id"), systems.alias("system"))
            told = dialogue is None or _depends(made, dialogue, ["dialogue_id"])
            if told and _depends(made, summary, ["dialogue_id", "system"]) and plan.uses.get("annotator") != (column,):
                note = f"the names in {column!r} join dialogue and system, and were split"
                known = {**table.known, "dialogue_id": "dialogue_id", "system": "system"}
                return replace(table, frame=_without(made, column), notes=(*table.notes, note), known=known)
    return table


def _without(made: pl.DataFrame, column: str) -> pl.DataFrame:
    return made if column == "dialogue_id" else made.drop(column)


def _with_parted_names(table: Table, plan: Plan, suspects: list[str]) -> Table:
    """The same without texts, where an unmistakable joint parts names that people judged."""
    judged = plan.named("dimension") or plan.has("value")
    texts = plan.has("dialogue") or plan.has("reference")
    if texts or not judged or not plan.has("annotator"):
        return table
    taken = {name for use in ("annotator", "dimension", "value") for name in plan.uses.get(use, ())}
    for column in (one for one in suspects if one not in taken):
        if not any(table.frame[column].str.contains(joint, literal=True).all() for joint in _SURE_JOINTS):
            continue
        ways = [(ids, systems) for ids, systems in by_joint(table.frame[column]) if ids.n_unique() > systems.n_unique()]
        if ways:
            ids, systems = ways[0]
            made = table.frame.with_columns(ids.alias("dialogue_id"), systems.alias("system"))
            note = f"the names in {column!r} join dialogue and system, and were split"
            known = {**table.known, "dialogue_id": "dialogue_id", "system": "system"}
            return replace(table, frame=_without(made, column), notes=(*table.notes, note), known=known)
    return table


def with_whole_ids(table: Table, mapping: Mapped) -> Table:
    """The table with ids that are made of two columns, where numbers start again (for each site, day or batch).

    So it is if an id has several texts, and with the name in another column each has one.
    """
    if {"dialogue_id", "dialogue", "summary", "system"} & set(mapping) or table.frame.height < _FEWEST:
        return table
    plan = make_plan(table.frame, {use: given for use, given in mapping.items() if use != "ignore"}, table.known)
    named = plan.uses.get("dialogue_id")
    text = plan.uses.get("dialogue") or (plan.uses.get("summary") if plan.has("system") else None)
    if named is None:
        return table
    if text is None:
        return _with_counted_ids(table, plan, named[0])
    beside = [] if plan.has("dialogue") else list(plan.uses["system"]) if "system" in plan.uses else []
    if _depends(table.frame, text[0], [named[0], *beside]) or table.frame[text[0]].n_unique() < 2:
        return table
    taken = {column for use in ("system", "annotator", "summary", "dialogue") for column in plan.uses.get(use, ())}
    for column in table.frame.columns:
        if column in (*named, *taken) or not _names_few(table.frame[column]):
            continue
        if _depends(table.frame, text[0], [named[0], column, *beside]):
            return _made_whole(table, named[0], column)
    return table


def _made_whole(table: Table, ids: str, column: str) -> Table:
    whole = pl.concat_str(
        [pl.col(column).cast(pl.String).str.strip_chars(), pl.col(ids).cast(pl.String)], separator="/"
    )
    note = f"the ids in {ids!r} start again for each {column!r}: both together are the id of a dialogue"
    frame = table.frame.with_columns(whole.alias(ids)).drop(column)
    return replace(table, frame=frame, notes=(*table.notes, note), known={**table.known, ids: "dialogue_id"})


#: Columns that say how often the same things were judged, and not what.
TIMES = frozenset(["round", "pass", "wave", "attempt", "trial", "repeat", "session", "phase", "time", "run"])


def _with_counted_ids(table: Table, plan: Plan, ids: str) -> Table:
    """The same without texts: numbers that count from 1 in each part of the rows, which are different rows with it."""
    frame = table.frame
    numbers = pl.col(ids).cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    taken = {column for columns in plan.uses.values() for column in columns}
    judged = {column for use, columns in plan.uses.items() if use.startswith("dimension:") for column in columns}
    beside = [column for use in ("system", "dimension", "annotator") for column in plan.uses.get(use, ())]
    for column in frame.columns:
        words = set(normalised(column).split("_"))
        if column in taken - judged or words & TIMES or not _names_few(frame[column]):
            continue
        parts = frame.select(numbers.alias(COUNT), column).unique().group_by(column).agg(pl.col(COUNT).sort())
        counted = all(None not in part and part == list(range(1, len(part) + 1)) for part in parts[COUNT].to_list())
        key = [ids, *beside]
        if counted and frame.select(key).is_duplicated().any() and frame.select(*key, column).is_unique().all():
            return _made_whole(table, ids, column)
    return table


def _names_few(values: pl.Series) -> bool:
    """Whether a column that is filled everywhere has few short values."""
    texts = values.cast(pl.String, strict=False)
    short = texts.null_count() == 0 and bool((texts.str.len_chars() <= 40).all())
    return short and 1 < texts.n_unique() * 2 <= len(texts)


#: With fewer rows, parts of names may recur by chance.
_FEWEST = 8


def _are_short(values: pl.Series) -> bool:
    shown = values.drop_nulls().head(200)
    return bool(len(shown)) and bool((shown.str.len_chars() <= 100).all()) and not shown.str.contains(r"\s\S+\s").any()


def by_joint(values: pl.Series) -> list[tuple[pl.Series, pl.Series]]:
    """The two parts of names that all have one joint, the finer part first: each part recurs beside several others."""
    found = []
    names = values.drop_nulls().unique()
    for joint in _JOINTS:
        if len(names) < 4 or not names.str.contains(joint, literal=True).all():
            continue
        for cut in {min(name.count(joint) for name in names), 1}:
            parts = {name: _cut(name, joint, cut) for name in names}
            left, right = ({part[side] for part in parts.values()} for side in (0, 1))
            if min(len(left), len(right)) < 2 or len(parts) * 10 < len(left) * len(right) * 8:
                continue
            first = values.replace_strict({name: part[0] for name, part in parts.items()}, return_dtype=pl.String)
            second = values.replace_strict({name: part[1] for name, part in parts.items()}, return_dtype=pl.String)
            found += [(first, second), (second, first)]
    return found


def _cut(name: str, joint: str, place: int) -> tuple[str, str]:
    pieces = name.split(joint)
    return joint.join(pieces[:place]), joint.join(pieces[place:])


def _depends(frame: pl.DataFrame, column: str, on: list[str]) -> bool:
    """Whether a column has one value in each group, and several values at all."""
    rows = frame.select(*on, column).drop_nulls().unique()
    return rows.height > 1 and rows.select(on).is_unique().all() and rows[column].n_unique() > 1


def parted_name(name: str, dialogues: Set[str], systems: Set[str]) -> tuple[str, str] | None:
    """The dialogue and the system that a name joins; None where it joins none, or may join several."""
    found = set()
    for joint in _JOINTS:
        pieces = name.split(joint)
        for cut in range(1, len(pieces)):
            left, right = joint.join(pieces[:cut]), joint.join(pieces[cut:])
            found |= {
                (one, other) for one, other in ((left, right), (right, left)) if one in dialogues and other in systems
            }
    return found.pop() if len(found) == 1 else None
