"""The database of a project: concurrent reads, serial writes, and one process per SQLite file.

An operation is a function of a connection. Writes go through a queue to writer threads. On SQLite there is one, and it
commits whatever has queued up as one transaction: one fsync serves all who wait, and nobody is answered before it. On
PostgreSQL several threads write, an operation per transaction, so that several processes can serve one project.
"""

import asyncio
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from dialgauge.annotate._schema import add_missing_columns, metadata
from dialgauge.errors import DialgaugeError, InputError, MissingExtraError
from dialgauge.files import lock_alone

Result = TypeVar("Result")
Operation = Callable[[Connection], Result]

#: The most operations that share one commit on SQLite.
_BATCH = 64
_POSTGRES_WRITERS = 8


class StoreBusyError(DialgaugeError):
    """Another process has the project open."""


class Store:
    """An open database. Close it, or use it in a ``with`` statement.

    With ``shared`` a SQLite file that another process serves is opened beside it: for copies, exports and links, which
    are short transactions of their own. ``is_beside`` says whether this was so.
    """

    def __init__(self, database: Path | str, *, shared: bool = False) -> None:
        self.location = str(database)
        self.is_sqlite = not str(database).startswith(("postgresql://", "postgres://"))
        self.is_beside = False
        self._lock: _FileLock | None = None
        if self.is_sqlite:
            path = Path(database)
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock = _FileLock(path)
            except StoreBusyError:
                if not shared:
                    raise
                self.is_beside = True
            # It has the key that signs links: nobody else on this machine may read it. WAL files inherit its mode.
            path.touch(mode=0o600)
            self._reader, self._writer = _sqlite_engine(path, "BEGIN"), _sqlite_engine(path, "BEGIN IMMEDIATE")
        else:
            self._reader = self._writer = _postgres_engine(str(database))
        self._queue: queue.SimpleQueue[tuple[Operation[Any], Future[Any]] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"dialgauge-writer-{number}", daemon=True)
            for number in range(1 if self.is_sqlite else _POSTGRES_WRITERS)
        ]
        try:
            if not self.is_beside:
                self.write(self._create)
        except sa.exc.DBAPIError as error:
            self.close()
            raise InputError(f"{_without_password(self.location)}: cannot be opened: {error.orig}") from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database throughout."""
        with self._reader.connect() as connection:
            yield connection

    def submit(self, operation: Operation[Result]) -> "Future[Result]":
        """Queue a write. The future has its result once it is on the disk."""
        future: Future[Result] = Future()
        for thread in self._threads:
            if thread.ident is None:
                thread.start()
        self._queue.put((operation, future))
        return future

    def write(self, operation: Operation[Result]) -> Result:
        """Write and wait until it is on the disk."""
        return self.submit(operation).result()

    async def write_async(self, operation: Operation[Result]) -> Result:
        """Write without blocking the event loop until it is on the disk."""
        return await asyncio.wrap_future(self.submit(operation))

    def close(self) -> None:
        """Finish the queued writes and close the file."""
        for thread in self._threads:
            if thread.ident is not None:
                self._queue.put(None)
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        self._reader.dispose()
        self._writer.dispose()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def backup(self, path: Path) -> None:
        """Copy the SQLite database while it is in use, by this process or another, and check the copy."""
        if not self.is_sqlite:
            raise InputError("backup: use pg_dump to back up a PostgreSQL database")
        path.touch(mode=0o600)
        # The whole copy is one read transaction: it has one state of the database, and writers need not wait.
        with closing(sqlite3.connect(self.location, timeout=30)) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
            problem = integrity_problem(copy)
        if problem:
            raise InputError(f"backup: the copy is not sound ({problem}); the disk may be damaged")

    def scrub(self) -> None:
        """After an erasure: what was deleted must not stay in the write-ahead log either."""
        if self.is_sqlite:
            with self._reader.connect() as connection:
                connection.exec_driver_sql("COMMIT")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.exec_driver_sql("BEGIN")

    def _create(self, connection: Connection) -> None:
        if not self.is_sqlite:
            # Two processes that start at once must not both create the tables.
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6171)")
        metadata.create_all(connection)
        add_missing_columns(connection)

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            stop = False
            while self.is_sqlite and len(batch) < _BATCH:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    stop = True
                    break
                batch.append(more)
            self._commit(batch)
            if stop:
                return

    def _commit(self, batch: list[tuple[Operation[Any], Future[Any]]]) -> None:
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._writer.begin() as connection:
                for operation, future in batch:
                    # A caller who left before this point got no answer: there is nothing to keep.
                    if not future.set_running_or_notify_cancel():
                        continue
                    try:
                        with connection.begin_nested():
                            outcomes.append((future, operation(connection), None))
                    except Exception as error:
                        outcomes.append((future, None, error))
        except Exception as error:
            for _, future in batch:
                if not future.cancelled():
                    future.set_exception(error)
            return
        for future, result, failure in outcomes:
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)


def integrity_problem(connection: sqlite3.Connection) -> str | None:
    """What SQLite finds wrong with a database, None where it is sound."""
    try:
        found = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else found


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Nobody else can open this SQLite file meanwhile."""
    lock = _FileLock(database)
    try:
        yield
    finally:
        lock.release()


class _FileLock:
    """A lock that the operating system releases when the process ends, however it ends."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".lock")
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock_alone(self._handle)
        except OSError as error:
            owner = os.pread(self._handle, 32, 0).decode(errors="replace").strip() if hasattr(os, "pread") else ""
            os.close(self._handle)
            who = f"process {owner}" if owner else "another process"
            raise StoreBusyError(
                f"{database}: {who} has this project open. Use the page it serves, stop it, or use "
                "--database postgresql://… if several processes must serve one project"
            ) from error
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.close(self._handle)


def _sqlite_engine(path: Path, begin: str) -> Engine:
    engine = sa.create_engine(
        f"sqlite:///{path}", connect_args={"check_same_thread": False, "timeout": 30}, pool_size=16, max_overflow=32
    )

    @sa.event.listens_for(engine, "connect")
    def _settings(connection: Any, _: object) -> None:
        # The driver would begin transactions of its own at times of its own choosing.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        # What is erased must be gone from the file as well.
        connection.execute("PRAGMA secure_delete=ON")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _postgres_engine(url: str) -> Engine:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("a PostgreSQL database", "annotate") from error
    address = url.split("://", 1)[1]
    return sa.create_engine(f"postgresql+psycopg://{address}", pool_size=24, max_overflow=24, pool_pre_ping=True)


def _without_password(location: str) -> str:
    return sa.make_url(location).render_as_string(hide_password=True) if "://" in location else location
