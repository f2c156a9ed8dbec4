"""Comments of annotators for the lead: with what they are about, and which of them were read."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._desk import Desk

_MOST = 500


def comments_view(connection: Connection, desk: Desk) -> dict[str, Any]:
    """Comments, the latest first: at most 500."""
    read = {row.assignment: row.rev for row in connection.execute(sa.select(t.comment_read))}
    people = {row.id: row.name for row in connection.execute(sa.select(t.annotator))}
    with_comment = sorted((one for one in desk.tally.answers() if one.comment), key=lambda one: -one.saved)
    rows = []
    for one in with_comment[:_MOST]:
        (item,) = desk.library.items(connection, [one.item])
        shown = connection.execute(sa.select(t.assignment.c.shown).where(t.assignment.c.id == one.id)).scalar() or []
        rows.append(
            {
                "assignment": one.id,
                "rev": one.rev,
                "annotator": people[one.annotator],
                "comment": one.comment,
                "at": one.saved,
                "stage": one.part[0],
                "dialogue_id": desk.library.dialogue(connection, item.dialogue).dialogue_id,
                "texts": [text.text for text in desk.library.summaries(connection, shown)],
                "values": one.values,
                "read": read.get(one.id, 0) >= one.rev,
            }
        )
    return {"comments": rows, "all": len(with_comment)}


def mark_read(connection: Connection, assignments: dict[str, int]) -> int:
    """Mark comments as read up to these revisions; how many there are."""
    known = sa.select(t.assignment.c.id).where(t.assignment.c.id.in_(assignments))
    found = list(connection.execute(known).scalars())
    connection.execute(sa.delete(t.comment_read).where(t.comment_read.c.assignment.in_(found)))
    if found:
        connection.execute(sa.insert(t.comment_read), [{"assignment": one, "rev": assignments[one]} for one in found])
    return len(found)
