"""The result cache: values that were slow to compute, under a digest of everything that they depend on.

One SQLite file in write-ahead mode, used by any number of processes at once. Each entry carries a checksum; one that
does not match is dropped and reported, so that its value is computed again. Values that were stored together are a
chunk, and when the cache is full the least recently used chunks are removed first.

A failing cache never fails its user: a full disk, a folder that is not writable and a damaged file cause a warning.
"""

import os
import sqlite3
import struct
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dialgauge.engine import _cache_tables as tables
from dialgauge.errors import DialgaugeError, ParameterError
from dialgauge.files import cache_folder

#: Where results are kept instead of ``results`` in the cache folder; ``off`` keeps none.
FOLDER = "DIALGAUGE_RESULTS"
#: The maximum size of the cache in MiB.
LIMIT = "DIALGAUGE_RESULTS_MIB"
DEFAULT_LIMIT = 1024 * 2**20

_FILE = "results.db"
#: What an entry takes beside its texts: key, number, checksum, the index of keys and the slack of pages. Measured.
_ENTRY_BYTES = 150
#: When the cache is full it is emptied to this share, so that not every write has to evict.
_EMPTIED_TO = 0.9
_MOST_KEYS = 500  # in one query to SQLite
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """A value: a number (NaN if there is none), the reason why there is none, and a note about it."""

    number: float
    reason: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a result cache holds. ``labels`` counts the entries kept under each label; ``set_aside`` damaged files."""

    path: Path
    entries: int
    bytes_used: int
    bytes_limit: int
    bytes_on_disk: int
    labels: Mapping[str, int]
    set_aside: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class CacheCheck:
    """What verifying every entry found: valid ones, damaged ones (dropped), and the file if it had to be set aside."""

    sound: int
    dropped: int
    set_aside: Path | None = None


def results_cache() -> "ResultCache | None":
    """The cache that this user's results go to, or None where ``DIALGAUGE_RESULTS`` is ``off``."""
    given = os.environ.get(FOLDER, "")
    if given == "off":
        return None
    size = os.environ.get(LIMIT, "")
    if size and not (size.isdecimal() and int(size) > 0):
        raise ParameterError("result cache", LIMIT, "a whole number of MiB above 0", size)
    folder = Path(given) if given else cache_folder() / "results"
    return ResultCache(folder / _FILE, int(size) * 2**20 if size else DEFAULT_LIMIT)


@dataclass(frozen=True, slots=True)
class ResultCache:
    """Entries in a file of SQLite, at most ``limit`` bytes of them (texts and a fixed share for the rest)."""

    path: Path
    limit: int = DEFAULT_LIMIT

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Entry]:
        """The entries that are there under these keys. Damaged ones are dropped with a warning, as if never kept."""
        if not keys or not _exists(self.path):
            return {}
        return self._careful(lambda connection: self._find(connection, keys), {})

    def keep(self, label: str, entries: Iterable[tuple[bytes, Entry]]) -> bool:
        """Store these as one chunk, all or none; False if that is not possible, which a warning explains.

        ``label`` says in the statistics whose values they are.
        """
        rows = [(key, *_stored(entry), tables.checksum_of(key, *_stored(entry))) for key, entry in entries]
        if not rows:
            return True
        size = sum(_ENTRY_BYTES + len((row[2] or "").encode()) + len((row[3] or "").encode()) for row in rows)
        if size > self.limit:
            _warn(
                f"{len(rows)} values of {label} take {size:,} bytes, and the result cache {self.path} is limited to "
                f"{self.limit:,}: they are not stored. Raise {LIMIT}"
            )
            return False
        return self._careful(lambda connection: self._keep(connection, label, rows, size), False)

    def stats(self) -> CacheStats:
        """What is in the cache."""
        labels: dict[str, int] = {}
        used = 0
        if _exists(self.path):
            with self._errors_explained(), self._opened() as connection:
                counted = connection.execute(
                    "SELECT label, SUM((SELECT COUNT(*) FROM entries WHERE entries.id BETWEEN first AND last)) "
                    "FROM chunks GROUP BY label ORDER BY label"
                ).fetchall()
                labels = {str(label): int(count) for label, count in counted}
                used = tables.used_bytes(connection)
        entries = sum(labels.values())
        return CacheStats(self.path, entries, used, self.limit, _on_disk(self.path), labels, tuple(self._set_aside()))

    def verify(self) -> CacheCheck:
        """Read every entry and drop those that are damaged. A file that is damaged as a whole is set aside."""
        if not _exists(self.path):
            return CacheCheck(0, 0)
        try:
            with self._errors_explained(), self._opened() as connection:
                total, bad = tables.examine(connection)
                tables.drop(connection, bad)
        except _DamagedError:
            return CacheCheck(0, 0, self.set_aside())
        return CacheCheck(total - len(bad), len(bad))

    def clear(self, label: str | None = None) -> int:
        """Drop everything, files that were set aside included, or what is kept under one label; gives the number."""
        dropped = 0
        if _exists(self.path):
            try:
                with self._errors_explained(), self._opened() as connection:
                    dropped = tables.clear(connection, label)
                    self._shrink(connection)
            except _DamagedError:
                if label is not None:
                    raise
                self.set_aside()
        if label is None:
            for path in self._set_aside():
                path.unlink(missing_ok=True)
        return dropped

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Free the disk space of what was dropped. What is dropped stays dropped, even if that fails."""
        try:
            connection.execute("VACUUM")
        except sqlite3.OperationalError as error:  # no space for the copy, or another process reads
            _warn(f"the result cache {self.path} keeps its size on disk for now ({error}); new values reuse the space")

    def set_aside(self) -> Path:
        """Rename the file, with what belongs to it, so that a new one can be created; returns its new name."""
        taken = {path.name for path in self._set_aside()}
        number = next(n for n in range(1, len(taken) + 2) if f"{_damaged(self.path)}-{n}" not in taken)
        new = self.path.with_name(f"{_damaged(self.path)}-{number}")
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.path.replace(new)
        return new

    def _set_aside(self) -> list[Path]:
        return sorted(self.path.parent.glob(f"{_damaged(self.path)}-*"))

    def _careful(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """``work`` on the file; where it is damaged, on a new one; where that fails as well, ``otherwise``."""
        for attempt in range(2):
            identity = _identity(self.path)
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self._opened() as connection:
                    return work(connection)
            except (sqlite3.Error, OSError, tables.NewerCacheError) as error:
                if attempt or not tables.is_damage(error):
                    reason = getattr(error, "strerror", None) or error
                    _warn(f"the result cache {self.path} cannot be used ({reason}): values are not stored")
                    return otherwise
                # Another process may have found the damage first, and created a new file already.
                if identity is not None and identity == _identity(self.path):
                    try:
                        moved = self.set_aside()
                    except OSError as hindrance:
                        _warn(f"the result cache {self.path} is damaged ({error}) and cannot be moved: {hindrance}")
                        return otherwise
                    _warn(
                        f"the result cache {self.path} is damaged ({error}): it is renamed to {moved.name}, a new one "
                        "is created, and values are computed again. 'dialgauge cache clear' removes the damaged file"
                    )
        return otherwise

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        """For commands about the cache itself: a problem with it is an error that says what to do."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if tables.is_damage(error):
                raise _DamagedError(
                    f"the result cache {self.path} is damaged ({error}); set it aside with 'dialgauge cache verify'"
                ) from error
            raise DialgaugeError(f"the result cache {self.path} cannot be used: {error}") from error

    def _find(self, connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Entry]:
        found: dict[bytes, Entry] = {}
        bad: list[int] = []
        ids: list[int] = []
        for start in range(0, len(keys), _MOST_KEYS):
            part = keys[start : start + _MOST_KEYS]
            marks = ",".join("?" * len(part))
            for number, key, *stored, checksum in connection.execute(
                f"SELECT id, key, number, reason, note, checksum FROM entries WHERE key IN ({marks})", part
            ):
                if checksum != tables.checksum_of(key, *stored):
                    bad.append(number)
                    continue
                found[key] = Entry(struct.unpack("<d", stored[0])[0], stored[1], stored[2])
                ids.append(number)
        if bad:
            tables.drop(connection, bad)
            _warn(f"{len(bad)} damaged entries in the result cache {self.path} are dropped and computed again")
        tables.mark_used(connection, ids)
        return found

    def _keep(self, connection: sqlite3.Connection, label: str, rows: Sequence[tuple[Any, ...]], size: int) -> bool:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # The ids of a chunk are consecutive, so that a chunk is found and dropped without an index of its own.
            first = connection.execute("SELECT COALESCE(MAX(last), 0) + 1 FROM chunks").fetchone()[0]
            connection.executemany(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?)",
                ((number, *row) for number, row in enumerate(rows, start=first)),
            )
            connection.execute(
                "INSERT INTO chunks (label, first, last, bytes, used) VALUES (?, ?, ?, ?, ?)",
                (label, first, first + len(rows) - 1, size, tables.now(connection)),
            )
            self._evict(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return True

    def _evict(self, connection: sqlite3.Connection) -> None:
        """Drop the least recently used chunks, if there are more bytes than allowed."""
        used = tables.used_bytes(connection)
        if used <= self.limit:
            return
        chosen: list[tuple[int, int, int]] = []
        oldest = connection.execute("SELECT id, first, last, bytes FROM chunks ORDER BY used, id").fetchall()
        for number, first, last, size in oldest:
            if used <= self.limit * _EMPTIED_TO:
                break
            chosen.append((number, first, last))
            used -= size
        tables.delete(connection, chosen)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own for each use: nothing is held between uses, nor across a fork."""
        connection = sqlite3.connect(self.path, timeout=tables.LONGEST_WAIT, isolation_level=None)
        try:
            tables.prepare(connection)
            yield connection
        finally:
            connection.close()


class _DamagedError(DialgaugeError):
    """The cache file as a whole is damaged."""


def _stored(entry: Entry) -> tuple[bytes, str | None, str | None]:
    """To the last bit: as a number, SQLite would lose NaN and the sign of zero."""
    return struct.pack("<d", entry.number), entry.reason, entry.note


def _on_disk(path: Path) -> int:
    files = [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]
    return sum(file.stat().st_size for file in files if file.exists())


def _exists(path: Path) -> bool:
    return _identity(path) is not None  # unlike Path.exists, this does not fail in a folder that is not readable


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _damaged(path: Path) -> str:
    return f"{path.name}.damaged"


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
