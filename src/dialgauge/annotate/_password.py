"""Passwords of leads, stored as argon2 hashes."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t
from dialgauge.annotate._access import RefusedError, Visitor
from dialgauge.annotate._audit import log
from dialgauge.annotate._project import Project

SHORTEST = 10


def lead_of_password(project: Project, name: str, password: str) -> int | None:
    """The lead of this name, if this is their password; None otherwise, also where they have set none."""
    from argon2 import PasswordHasher
    from argon2.exceptions import Argon2Error, InvalidHashError

    with project.store.read() as connection:
        query = sa.select(t.lead.c.id, t.lead.c.password).where(t.lead.c.name == name, t.lead.c.state == "active")
        row = connection.execute(query).first()
        if connection.execute(sa.select(t.lead.c.id).where(t.lead.c.password.is_not(None)).limit(1)).first() is None:
            return None
    if row is None or row.password is None:
        # As slow as a wrong password: the time must not tell which names there are.
        PasswordHasher().hash(password)
        return None
    try:
        PasswordHasher().verify(row.password, password)
    except (Argon2Error, InvalidHashError):
        return None
    return int(row.id)


def has_password(connection: Connection, lead: int | None) -> bool:
    """Whether this lead can sign in without a link."""
    return connection.execute(sa.select(t.lead.c.password).where(t.lead.c.id == lead)).scalar() is not None


def hash_password(password: str) -> str:
    """The hash of a password that is long enough."""
    from argon2 import PasswordHasher

    if len(password) < SHORTEST:
        raise RefusedError(422, "invalid", f"A password needs at least {SHORTEST} characters.")
    return PasswordHasher().hash(password)


def set_password(connection: Connection, visitor: Visitor, hashed: str) -> None:
    """Set a lead's own password."""
    connection.execute(sa.update(t.lead).where(t.lead.c.id == visitor.lead).values(password=hashed))
    log(connection, visitor.name, "password-set")
