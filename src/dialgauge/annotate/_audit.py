"""The audit log: a chain of hashes, so that a changed, deleted or reordered entry is found, also after an erasure.

Each entry has the digest of a random salt and its detail, and a head: the hash of the previous head, the entry's
number, time, actor, action and digest. Erasing deletes salt and detail, which may name a person; the digest stays, so
that the chain still holds. Whoever has kept the last head also finds a log that was cut off or rewritten.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dialgauge.annotate import _schema as t

#: The head before the first entry.
_START = "0" * 64
#: The action of an entry that says how many details were deleted.
ERASED = "erased"
_LAST = sa.select(t.audit.c.id, t.audit.c.head).order_by(t.audit.c.id.desc()).limit(1)


@dataclass(frozen=True, slots=True)
class LogCheck:
    """The outcome of checking the log: ``problem`` is None where nothing was changed."""

    entries: int
    erased: int
    head: str
    problem: str | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def log(connection: Connection, actor: str, action: str, **detail: Any) -> None:
    """Add to the audit log."""
    if connection.dialect.name == "postgresql":
        # Others may be adding at the same moment; an entry has exactly one before it.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6174)")
    last = connection.execute(_LAST).first()
    number, before = (1, _START) if last is None else (last.id + 1, last.head or _START)
    row = {"id": number, "at": time.time(), "actor": actor, "action": action, "detail": detail}
    connection.execute(sa.insert(t.audit).values(**row, **_chained(before, row)))


def _chained(before: str, row: dict[str, Any]) -> dict[str, str]:
    salt = secrets.token_urlsafe(24)
    digest = _digest(salt, row["detail"])
    return {"salt": salt, "digest": digest, "head": _head(before, row, digest)}


def _digest(salt: str, detail: Any) -> str:
    return hashlib.sha256(f"{salt}{json.dumps(detail, sort_keys=True)}".encode()).hexdigest()


def _head(before: str, row: Any, digest: str) -> str:
    content = [before, row["id"], repr(float(row["at"])), row["actor"], row["action"], digest]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def chain_old_entries(connection: Connection) -> None:
    """Chain the entries of a project that was created before there was a chain."""
    rows = list(connection.execute(sa.select(t.audit).order_by(t.audit.c.id)).mappings())
    if not rows or any(row["head"] is not None for row in rows):
        return
    before = _START
    for row in rows:
        added = _chained(before, dict(row))
        connection.execute(sa.update(t.audit).where(t.audit.c.id == row["id"]).values(**added))
        before = added["head"]


def last_head(connection: Connection) -> str:
    """The head of the log as it stands."""
    row = connection.execute(_LAST).first()
    return _START if row is None or row.head is None else str(row.head)


def check_log(connection: Connection, expected_head: str | None = None) -> LogCheck:
    """Check the whole chain; ``expected_head`` is one that was noted earlier, and must occur in it."""
    before, number, erased, declared = _START, 0, 0, 0
    problem = None
    seen = {_START}
    for row in connection.execute(sa.select(t.audit).order_by(t.audit.c.id)).mappings():
        number += 1
        problem = problem or _wrong(before, number, row)
        erased += row["salt"] is None
        declared += row["detail"].get("entries", 0) if row["action"] == ERASED else 0
        before = row["head"] or _START
        seen.add(before)
    if problem is None and erased != declared:
        problem = f"{erased} details are gone, but only {declared} were erased on record"
    if problem is None and expected_head is not None and expected_head not in seen:
        problem = "the head that was noted does not occur: entries were cut off, or the log was rewritten"
    return LogCheck(number, erased, before, problem)


def _wrong(before: str, number: int, row: Any) -> str | None:
    if row["id"] != number:
        return f"entry {number} is missing"
    if row["digest"] is None or row["head"] != _head(before, row, row["digest"]):
        return f"entry {number} was changed"
    if row["salt"] is None:
        return None if row["detail"] == {} else f"entry {number} was changed after it was erased"
    return None if _digest(row["salt"], row["detail"]) == row["digest"] else f"the detail of entry {number} was changed"


#: What says how much was erased names nobody, and is needed for checking.
_ERASABLE = (t.audit.c.salt.is_not(None), t.audit.c.action != ERASED)


def erase_details(connection: Connection, words: Iterable[str]) -> int:
    """Delete the details of all entries that have one of these texts; how many they are."""
    wanted = set(words)
    gone = [
        row.id
        for row in connection.execute(sa.select(t.audit.c.id, t.audit.c.detail).where(*_ERASABLE))
        if wanted & set(_texts(row.detail))
    ]
    for number in gone:
        connection.execute(sa.update(t.audit).where(t.audit.c.id == number).values(detail={}, salt=None))
    return len(gone)


def _texts(detail: Any) -> list[str]:
    if isinstance(detail, str):
        return [detail]
    inside = detail.values() if isinstance(detail, dict) else detail if isinstance(detail, list) else ()
    return [text for one in inside for text in _texts(one)]
