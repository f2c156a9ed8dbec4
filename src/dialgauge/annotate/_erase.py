"""Withdrawal and erasure: what a person gave is deleted, and the audit log still verifies."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._audit import ERASED, erase_details, log
from dialgauge.annotate._project import Project


def erase_person(connection: Connection, project: Project, number: int, *, actor: str) -> dict[str, Any]:
    """Delete everything that an annotator gave and everything that tells who they are.

    Answers, every change of them, comments, late changes, sessions, links, consent and identity go; so do details of
    the audit log that name them. What stays is a number without a name, and entries that say that something was erased.
    """
    row = connection.execute(sa.select(t.annotator).where(t.annotator.c.id == number)).one()
    identity = connection.execute(sa.select(t.identity.c.external_id).where(t.identity.c.annotator == number)).scalar()
    mine = sa.select(t.assignment.c.id).where(t.assignment.c.annotator == number)
    answers = connection.execute(sa.select(sa.func.count()).select_from(mine.subquery())).scalar_one()
    # Reviews of texts that this person wrote are about texts that are gone.
    reviews = sa.select(t.item.c.id).where(t.item.c.subject.in_(mine))
    of_reviews = sa.select(t.assignment.c.id).where(t.assignment.c.item.in_(reviews))
    for gone in (of_reviews, mine):
        numbers = list(connection.execute(gone).scalars())
        for table in (t.comment_read, t.event):
            connection.execute(sa.delete(table).where(table.c.assignment.in_(numbers)))
        connection.execute(sa.delete(t.assignment).where(t.assignment.c.id.in_(numbers)))
    for table in (t.late, t.moved, t.link, t.session, t.identity, t.participation):
        connection.execute(sa.delete(table).where(table.c.annotator == number))
    pages = sa.select(t.page.c.id).where(t.page.c.annotator == number)
    connection.execute(sa.delete(t.lease).where(t.lease.c.page.in_(pages)))
    connection.execute(sa.delete(t.page).where(t.page.c.annotator == number))
    nobody = {"name": f"erased {number}", "state": "withdrawn", "counts": False, "admitted": False}
    connection.execute(sa.update(t.annotator).where(t.annotator.c.id == number).values(**nobody))
    entries = erase_details(connection, [text for text in (row.name, identity) if text])
    log(connection, actor, ERASED, annotator=number, entries=entries, answers=answers)
    return {"answers": answers, "entries": entries}


def forget_identities(connection: Connection, *, actor: str) -> int:
    """Delete who everybody is on the platform: from then on the ratings cannot be traced to anyone; how many."""
    count = connection.execute(sa.delete(t.identity)).rowcount
    log(connection, actor, "identities-deleted", people=count)
    return int(count)
