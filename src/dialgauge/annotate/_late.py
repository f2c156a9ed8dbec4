"""Late changes: what was rated is never thrown away, whatever happened at the server in the meantime.

A well-formed change to something that was once handed to a person is always stored. Where it cannot become the answer
now it is kept as it was sent, with the reason; see ``_late_answers`` for what becomes of it.
"""

import time
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._answers import Save
from dialgauge.annotate._rows import fresh_assignment


@dataclass(frozen=True, slots=True)
class Found:
    """An assignment of somebody, or one that was theirs (``page`` is then the row of its page as it was)."""

    item: int
    shown: list[int]
    rev: int
    complete: bool
    stage: str
    number_of_pass: int
    page: dict[str, Any] | None = None
    position: int = 0


_FOUND = (
    sa.select(
        t.assignment.c.item,
        t.assignment.c.shown,
        t.assignment.c.rev,
        t.assignment.c.complete,
        t.page.c.stage,
        t.page.c.number_of_pass,
    )
    .join(t.page, t.page.c.id == t.assignment.c.page)
    .where(t.assignment.c.id == sa.bindparam("wanted"), t.assignment.c.annotator == sa.bindparam("who"))
)
_MOVED = sa.select(t.moved).where(
    t.moved.c.assignment == sa.bindparam("wanted"), t.moved.c.annotator == sa.bindparam("who")
)
_KEPT = sa.select(t.late.c.reason, t.late.c.digest).where(t.late.c.key == sa.bindparam("wanted"))


def find_assignment(connection: Connection, assignment: str, annotator: int | None) -> Found | None:
    """An assignment that this person has or had."""
    row = connection.execute(_FOUND, {"wanted": assignment, "who": annotator}).first()
    if row is not None:
        return Found(row.item, row.shown, row.rev, row.complete, row.stage, row.number_of_pass)
    old = connection.execute(_MOVED, {"wanted": assignment, "who": annotator}).first()
    if old is None:
        return None
    page = old.page
    return Found(old.item, old.shown, 0, False, page["stage"], page["number_of_pass"], page, old.position)


def remember_moved(connection: Connection, page: Any, assignment: Any) -> None:
    """Before an assignment goes to somebody else: keep what is needed to accept what its annotator still sends."""
    row = {name: assignment[name] for name in ("annotator", "item", "position", "shown")}
    connection.execute(sa.insert(t.moved).values(assignment=assignment["id"], page=dict(page), at=time.time(), **row))


def restore(connection: Connection, assignment: str, found: Found) -> None:
    """Give an assignment back, beside the one that somebody else has of the same item: one rating more does no harm."""
    assert found.page is not None
    known = connection.execute(sa.select(t.page.c.id).where(t.page.c.id == found.page["id"])).first()
    if known is None:
        connection.execute(sa.insert(t.page).values(**found.page))
    row = fresh_assignment(found.page["id"], found.page["annotator"], found.item, found.position, found.shown)
    connection.execute(sa.insert(t.assignment).values(**{**row, "id": assignment}))
    connection.execute(sa.delete(t.moved).where(t.moved.c.assignment == assignment))


def kept_reason(connection: Connection, key: str) -> tuple[str, str] | None:
    """The reason and the digest of a late change with this key."""
    row = connection.execute(_KEPT, {"wanted": key.lower()}).first()
    return None if row is None else (row.reason, row.digest)


def keep_late(
    connection: Connection,
    annotator: int | None,
    assignment: str,
    item: int,
    save: Save,
    *,
    digest: str,
    reason: str,
    taken: bool = False,
) -> None:
    """Write a late change down. ``taken`` says that it becomes the answer at once and is listed only."""
    now = time.time()
    query = sa.insert(t.late).values(key=save.key.lower(), assignment=assignment, annotator=annotator, item=item)
    query = query.values(body=save.model_dump(mode="json", by_alias=True), digest=digest, reason=reason, at=now)
    connection.execute(query.values(outcome="taken" if taken else None, settled=now if taken else None))
