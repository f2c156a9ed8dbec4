"""Those who run a study: named, each with a role, a link and a password of their own."""

import time
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import FIRST_LEAD, RefusedError, revoke_all
from dialgauge.annotate._audit import log

LeadRole = Literal["owner", "manager", "viewer"]


def add_first_lead(connection: Connection, password: str | None) -> None:
    """The lead of a new project, or of one from before there could be several."""
    if connection.execute(sa.select(t.lead.c.id).limit(1)).first() is None:
        row = {"id": FIRST_LEAD, "name": "lead", "role": "owner", "state": "active", "password": password}
        connection.execute(sa.insert(t.lead).values(**row, created=time.time()))


def leads_view(connection: Connection) -> list[dict[str, Any]]:
    """All leads who take part."""
    query = sa.select(t.lead).where(t.lead.c.state == "active").order_by(t.lead.c.id)
    return [
        {"id": row.id, "name": row.name, "role": row.role, "password": row.password is not None}
        for row in connection.execute(query)
    ]


def find_lead(connection: Connection, number: int) -> Any:
    """The row of a lead who takes part; an error if there is none."""
    query = sa.select(t.lead).where(t.lead.c.id == number, t.lead.c.state == "active")
    row = connection.execute(query).first()
    if row is None:
        raise RefusedError(404, "not-found", "There is no such lead.")
    return row


def add_lead(connection: Connection, name: str, role: LeadRole, *, actor: str) -> int:
    """Add a lead; returns their number."""
    name = name.strip()
    if not name:
        raise RefusedError(422, "invalid", "A name must have 1 to 80 characters.")
    if connection.execute(sa.select(t.lead.c.id).where(t.lead.c.name == name)).first():
        raise RefusedError(409, "conflict", f"There is or was already a lead {name!r}.")
    number = (connection.execute(sa.select(sa.func.max(t.lead.c.id))).scalar() or 0) + 1
    row = {"id": number, "name": name, "role": role, "state": "active", "created": time.time()}
    connection.execute(sa.insert(t.lead).values(**row))
    log(connection, actor, "lead-added", name=name, role=role)
    return number


def change_lead(connection: Connection, number: int, role: LeadRole | None, *, actor: str) -> None:
    """Give a lead another role, or remove them (None). One owner always stays."""
    row = find_lead(connection, number)
    others = sa.select(t.lead.c.id).where(t.lead.c.role == "owner", t.lead.c.state == "active", t.lead.c.id != number)
    if row.role == "owner" and role != "owner" and connection.execute(others.limit(1)).first() is None:
        raise RefusedError(409, "conflict", "A study needs an owner. Make somebody else an owner first.")
    if role is None:
        connection.execute(sa.update(t.lead).where(t.lead.c.id == number).values(state="removed", password=None))
        revoke_all(connection, lead=number)
        log(connection, actor, "lead-removed", name=row.name)
    else:
        connection.execute(sa.update(t.lead).where(t.lead.c.id == number).values(role=role))
        log(connection, actor, "lead-role", name=row.name, role=role)
