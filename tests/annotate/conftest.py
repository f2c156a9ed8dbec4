"""A database of each kind for the tests of the annotation server."""

import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def _tool(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def _as_someone() -> list[str]:
    """PostgreSQL does not run as root: the words that run it as somebody else."""
    if os.geteuid() != 0:
        return []
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        pytest.skip("NO POSTGRESQL: it does not run as root, and there is no user 'postgres' to run it as")
    return ["runuser", "-u", "postgres", "--"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, without the name of a database."""
    initdb, server = _tool("initdb"), _tool("postgres")
    if initdb is None or server is None:
        pytest.skip("NO POSTGRESQL: initdb and postgres are not on this machine")
    prefix = _as_someone()
    user = "postgres" if prefix else getpass.getuser()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="dialgauge-postgres-"))
    if prefix:
        shutil.chown(folder, "postgres")
    data = folder / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    subprocess.run(
        [*prefix, initdb, "-D", str(data), "-A", "trust", "-U", user, "-E", "UTF8", "--no-sync"], check=True, **quiet
    )
    settings = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200"]
    running = subprocess.Popen(
        [*prefix, server, "-D", str(data), "-k", str(folder), "-p", str(port), *settings], **quiet
    )
    address = f"postgresql://{user}@127.0.0.1:{port}"
    try:
        _wait(address)
        yield address
    finally:
        # Not the polite way: that waits for everyone who is still connected.
        os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
        running.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(address: str) -> None:
    import psycopg

    deadline = time.monotonic() + 120
    while True:
        try:
            psycopg.connect(f"{address}/postgres").close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.1)
        else:
            return


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """An empty database: a SQLite file, then one on PostgreSQL."""
    if request.param == "sqlite":
        return tmp_path / "study.db"
    import psycopg

    address = request.getfixturevalue("postgres")
    name = f"study_{uuid.uuid4().hex}"
    with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{address}/{name}"
