"""Late changes as the lead sees them: on a page, with what they are about, and as a table of the exports."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._library import Library
from dialgauge.annotate._results import moment

LATE = pl.Schema(
    {
        **dict.fromkeys(("dialogue_id", "role"), pl.String()),
        "systems": pl.List(pl.String()),  # in the order shown
        **dict.fromkeys(
            ("annotator", "purpose", "reason", "outcome", "values", "spans", "text", "comment"), pl.String()
        ),
        **dict.fromkeys(("time", "settled"), pl.Datetime("us")),
    }
)
#: What a change says, and what an answer does.
_SAID = ("values", "spans", "text", "comment")


def waiting_changes(connection: Connection) -> int:
    """How many late changes wait for a decision."""
    query = sa.select(sa.func.count()).select_from(t.late).where(t.late.c.outcome.is_(None))
    return int(connection.execute(query).scalar_one())


def late_view(connection: Connection, library: Library, limit: int = 500) -> dict[str, Any]:
    """Late changes with what they are about, those that wait for a decision first."""
    everyone = _late_rows(connection, limit)
    rows = []
    for row in everyone:
        (item,) = library.items(connection, [row.item])
        rows.append(
            {
                "key": row.key,
                "annotator": row.name,
                "item": row.item,
                "reason": row.reason,
                "at": row.at,
                "outcome": row.outcome,
                "change": {name: row.body.get(name) for name in _SAID},
                "answer": row.answer and {name: row.answer.get(name) for name in _SAID},
                "dialogue_id": library.dialogue(connection, item.dialogue).dialogue_id,
                "purpose": item.purpose,
                "texts": [one.text for one in library.summaries(connection, row.shown or [])],
            }
        )
    return {"open": waiting_changes(connection), "changes": rows}


def _late_rows(connection: Connection, limit: int | None = None) -> list[Any]:
    shown = sa.func.coalesce(t.assignment.c.shown, t.moved.c.shown, type_=sa.JSON).label("shown")
    query = (
        sa.select(t.late, t.annotator.c.name, t.assignment.c.answer, shown)
        .join(t.annotator, t.annotator.c.id == t.late.c.annotator)
        .outerjoin(t.assignment, t.assignment.c.id == t.late.c.assignment)
        .outerjoin(t.moved, t.moved.c.assignment == t.late.c.assignment)
        .order_by(t.late.c.outcome.is_not(None), t.late.c.id)
        .limit(limit)
    )
    return list(connection.execute(query))


def late_frame(connection: Connection, library: Library, codes: Mapping[str, str]) -> pl.DataFrame:
    """All late changes for an export, systems by ``codes``; what was said is JSON, as it was sent."""
    rows = []
    for row in _late_rows(connection):
        (item,) = library.items(connection, [row.item])
        shown = library.summaries(connection, row.shown or [])
        told = {name: json.dumps(row.body.get(name), ensure_ascii=False) for name in ("values", "spans")}
        rows.append(
            {
                "dialogue_id": library.dialogue(connection, item.dialogue).dialogue_id,
                "role": item.role,
                "systems": [codes.get(one.system, one.system) for one in shown],
                "annotator": row.name,
                "purpose": item.purpose,
                "reason": row.reason,
                "outcome": row.outcome,
                **told,
                **{name: row.body.get(name) for name in ("text", "comment")},
                "time": moment(row.at),
                "settled": moment(row.settled),
            }
        )
    return pl.DataFrame(rows, schema=LATE)
