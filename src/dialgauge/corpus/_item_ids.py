"""Ids that number summaries: the dialogues are then distinguished by their texts."""

import re
from dataclasses import replace

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._mapping import IGNORE, Mapped
from dialgauge.corpus._names import normalised
from dialgauge.corpus._table import Table
from dialgauge.corpus.layouts._base import hash_id

#: Names that say nothing about what they number; ``call_id`` says that it is a call.
_ANYTHING = re.compile(
    r"(?:(?:item|example|sample|instance|record|entry|row|task|pair)s?_?)?(?:id|nr|no|number|key|index|uuid|num)?"
)


def with_ids_of_dialogues(table: Table, mapping: Mapped) -> Table:
    """The table with an id for each text, where those in it name a summary each.

    So it is if the ids of one text are those of its systems: each has one text and one system, each system of a text
    has one id, and most texts have several.
    """
    if {"dialogue_id", "dialogue", "system"} & set(mapping) or table.layout is not None:
        return table
    plan = make_plan(table.frame, {use: given for use, given in mapping.items() if use != IGNORE}, table.known)
    uses = {use: plan.uses[use] for use in ("dialogue_id", "dialogue", "system", "summary") if use in plan.uses}
    if len(uses) < 4 or any(len(columns) > 1 for columns in uses.values()):
        return table
    ids, text, system, _ = (columns[0] for columns in uses.values())
    if not _ANYTHING.fullmatch(normalised(ids)):
        return table
    rows = table.frame.select(pl.col(ids, text, system).cast(pl.String)).drop_nulls().unique()
    texts = rows.group_by(text).len("_n")["_n"]
    if not rows[ids].is_unique().all() or not rows.select(text, system).is_unique().all():
        return table
    if int((texts > 1).sum()) * 2 <= len(texts) or len(texts) < 2:
        return table
    known = dict(rows.select(ids, pl.col(text).map_elements(hash_id, pl.String)).iter_rows())
    made = (
        pl.col(ids).cast(pl.String).replace_strict(known, default=pl.col(ids).cast(pl.String), return_dtype=pl.String)
    )
    note = f"{ids!r} has a name for each summary, not for each dialogue: the dialogues have ids made from their texts"
    return replace(
        table,
        frame=table.frame.with_columns(made.alias("dialogue_id")).drop([ids] if ids != "dialogue_id" else []),
        known={**{c: use for c, use in table.known.items() if c != ids}, "dialogue_id": "dialogue_id"},
        ignored={**table.ignored, ids: "names each summary"},
        notes=(*table.notes, note),
    )
