"""The tables of the result cache, and what is asked of them."""

import hashlib
import sqlite3
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from dialgauge.errors import DialgaugeError

_LAYOUT = 1
#: Seconds that a process waits for another one that writes.
LONGEST_WAIT = 30.0
#: A chunk that was used within so many seconds is not marked as used again: reading should not write.
_FRESH = 60.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_TABLES = """
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    bytes INTEGER NOT NULL, used REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, number BLOB NOT NULL, reason TEXT, note TEXT,
    checksum BLOB NOT NULL
);
"""


class NewerCacheError(DialgaugeError):
    """The cache was written by a later dialgauge."""


def prepare(connection: sqlite3.Connection) -> None:
    """Make a new file ours, and refuse one that a later version wrote."""
    layout = connection.execute("PRAGMA user_version").fetchone()[0]
    if layout > _LAYOUT:
        raise NewerCacheError(
            f"the result cache has layout {layout}, and this dialgauge knows {_LAYOUT}: it is of a later version. "
            "Point DIALGAUGE_RESULTS to another folder, or set it to off"
        )
    if layout < _LAYOUT or connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _begin(connection)
    # After a power cut the last chunks may be gone; the file stays sound, and a process that dies loses nothing.
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin(connection: sqlite3.Connection) -> None:
    """Make the tables, in write-ahead mode: readers need not wait for writers."""
    last = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = wal")
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait where another process switches the same new file at this moment.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
            time.sleep(0.01)
    connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_LAYOUT}; COMMIT;")


def is_damage(error: BaseException) -> bool:
    """Whether this says that the file itself is broken, and not that it cannot be reached or written just now."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code = getattr(error, "sqlite_errorcode", None)  # our own quick check raises without one
    return code is None or code & 0xFF in _DAMAGED


def examine(connection: sqlite3.Connection) -> tuple[int, list[int]]:
    """How many entries there are, and the ids of those whose checksum does not match."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    bad, total = [], 0
    for number, key, *stored, checksum in connection.execute(
        "SELECT id, key, number, reason, note, checksum FROM entries"
    ):
        total += 1
        if checksum != checksum_of(key, *stored):
            bad.append(number)
    return total, bad


def clear(connection: sqlite3.Connection, label: str | None) -> int:
    """Drop the chunks of a label, or all; gives how many entries there were."""
    connection.execute("BEGIN IMMEDIATE")
    chosen = connection.execute(
        "SELECT id, first, last FROM chunks WHERE ? IS NULL OR label = ?", (label, label)
    ).fetchall()
    dropped = delete(connection, chosen)
    connection.execute("COMMIT")
    return dropped


def checksum_of(key: object, number: object, reason: object, note: object) -> bytes:
    """Over the whole row, whatever a damaged one holds in the place of numbers and texts."""
    return hashlib.blake2b(repr((key, number, reason, note)).encode(), digest_size=8).digest()


def drop(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Drop these entries."""
    connection.executemany("DELETE FROM entries WHERE id = ?", ((number,) for number in ids))


def delete(connection: sqlite3.Connection, chunks: Sequence[tuple[int, int, int]]) -> int:
    """Delete chunks with their entries; gives how many entries there were."""
    dropped = 0
    for number, first, last in chunks:
        dropped += connection.execute("DELETE FROM entries WHERE id BETWEEN ? AND ?", (first, last)).rowcount
        connection.execute("DELETE FROM chunks WHERE id = ?", (number,))
    return dropped


def now(connection: sqlite3.Connection) -> float:
    """The time, or that of the latest use where the clock was set back: what comes later is never taken for older."""
    latest = connection.execute("SELECT MAX(used) FROM chunks").fetchone()[0]
    return max(time.time(), latest or 0.0)


def mark_used(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Say that the chunks of these entries are in use; a busy or read-only file is no reason to lose what was read."""
    if not ids:
        return
    seen = sorted(ids)
    moment = now(connection)
    stale = connection.execute(
        "SELECT id, first, last FROM chunks WHERE last >= ? AND first <= ? AND used < ?",
        (seen[0], seen[-1], moment - _FRESH),
    ).fetchall()
    chosen = [(moment, number) for number, first, last in stale if _any_between(seen, first, last)]
    try:
        connection.executemany("UPDATE chunks SET used = ? WHERE id = ?", chosen)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL):
            raise


def _any_between(ordered: Sequence[int], first: int, last: int) -> bool:
    place = bisect_left(ordered, first)
    return place < len(ordered) and ordered[place] <= last


def used_bytes(connection: sqlite3.Connection) -> int:
    """What all chunks take together."""
    return int(connection.execute("SELECT COALESCE(SUM(bytes), 0) FROM chunks").fetchone()[0])
