"""Leases: a page that somebody has open, or opens next, is not given to somebody else."""

import time

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t

#: How long a page stays with the person who has opened it, and how often that is written at most.
LEASE_SECONDS = 30 * 60
_RENEW_SECONDS = 60

_UNTIL = sa.select(t.lease.c.until).where(t.lease.c.page == sa.bindparam("wanted"))


def needs_renewal(connection: Connection, page: str) -> bool:
    """Whether the lease of a page that is opened now was last written more than a minute ago."""
    until = connection.execute(_UNTIL, {"wanted": page}).scalar()
    return until is None or until < time.time() + LEASE_SECONDS - _RENEW_SECONDS


def renew(connection: Connection, page: str) -> None:
    """Lease a page to the person who has it."""
    until = time.time() + LEASE_SECONDS
    changed = connection.execute(sa.update(t.lease).where(t.lease.c.page == page).values(until=until))
    if changed.rowcount == 0:
        connection.execute(sa.insert(t.lease).values(page=page, until=until))


def leased_pages(connection: Connection) -> set[str]:
    """The pages of the main part that are not to be moved now, although nothing was saved on them.

    They were opened lately, or they are the next page of somebody who saved something lately.
    """
    now = time.time()
    held = set(connection.execute(sa.select(t.lease.c.page).where(t.lease.c.until > now)).scalars())
    busy = sa.select(t.assignment.c.annotator).where(t.assignment.c.saved > now - LEASE_SECONDS).distinct()
    begun = sa.select(t.assignment.c.page).where(t.assignment.c.rev > 0)
    waiting = (
        sa.select(t.page.c.id, t.page.c.annotator)
        .where(t.page.c.stage == "main", t.page.c.annotator.in_(busy), t.page.c.id.not_in(begun))
        .order_by(t.page.c.position)
    )
    served: set[int] = set()
    for page, annotator in connection.execute(waiting):
        if annotator not in served:
            served.add(annotator)
            held.add(page)
    return held
