"""Ids that join a dialogue and a system, as annotation tools want one name for each item."""

from dataclasses import replace

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._table import Table

_JOINTS = ("__", "::", "--", "|", "/", "#", "@", "_", "-", ":", ".", " ")


def with_systems(table: Table, plan: Plan, corpus: Corpus) -> Table:
    """The table with a column of systems, where its ids join both, or where the corpus has one system only."""
    if "dialogue_id" not in plan.uses:
        return table
    column = plan.uses["dialogue_id"][0]
    given = table.frame[column].cast(pl.String)
    dialogues, systems = set(corpus.dialogues["dialogue_id"]), set(corpus.summaries["system"])
    parted = {name: _parted(name, dialogues, systems) for name in given.drop_nulls().unique()}
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


def _parted(name: str, dialogues: set[str], systems: set[str]) -> tuple[str, str] | None:
    for joint in _JOINTS:
        pieces = name.split(joint)
        for cut in range(1, len(pieces)):
            left, right = joint.join(pieces[:cut]), joint.join(pieces[cut:])
            if left in dialogues and right in systems:
                return left, right
            if right in dialogues and left in systems:
                return right, left
    return None
