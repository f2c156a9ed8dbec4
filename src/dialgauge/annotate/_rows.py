"""Rows of the database: how they are numbered and named, and an assignment before any answer."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

#: The initial state of an answer.
EMPTY_ANSWER: dict[str, Any] = {"values": {}, "spans": [], "text": None, "comment": "", "by_default": []}


def opaque() -> str:
    """An identifier that says nothing: 128 random bits."""
    return secrets.token_urlsafe(16)


def insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows, giving the ids of tables that count theirs."""
    if not rows:
        return []
    if table.c[next(iter(table.primary_key)).name].type.python_type is not int:
        connection.execute(sa.insert(table), list(rows))
        return []
    if connection.dialect.name == "postgresql":
        # Others may be inserting at the same moment.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6173)")
    first = (connection.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0) + 1
    numbered = [{"id": first + offset, **row} for offset, row in enumerate(rows)]
    connection.execute(sa.insert(table), numbered)
    return [row["id"] for row in numbered]


def fresh_assignment(page: str, annotator: int, item: int, position: int, shown: Sequence[int]) -> dict[str, Any]:
    """A row of the table of assignments before any answer."""
    row: dict[str, Any] = {"id": opaque(), "page": page, "annotator": annotator, "item": item, "position": position}
    return row | {"shown": list(shown), "rev": 0, "answer": EMPTY_ANSWER, "complete": False, "active_ms": 0}
