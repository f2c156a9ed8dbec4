"""What happens when the process dies, when a second one comes, and when the study file changes."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection

from dialgauge.annotate import AnnotateSection, Project
from dialgauge.annotate._access import start_session
from dialgauge.annotate._project import get_setting, set_setting
from dialgauge.annotate._store import Store, StoreBusyError
from dialgauge.corpus import embedded_corpus
from dialgauge.errors import InputError
from dialgauge.study import read_annotation_file
from tests.annotate.annotate_api import open_study

_DIALGAUGE = [sys.executable, "-c", "from dialgauge.cli import main; main()"]
_STUDY = """
[study]
name = "killed"
[corpus]
source = "embedded"
[annotate]
protocol = "dialsummeval"
annotators = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]
"""


def _start(study: Path) -> tuple["subprocess.Popen[str]", str]:
    command = [*_DIALGAUGE, "annotate", str(study), "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = ""
    while True:
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else "the server ended"
        text += line
        if line.startswith("}"):
            return process, json.loads(text)["address"]


async def _rate_until_killed(address: str, cookies: list[str], kill: object) -> dict[str, int]:
    """Save as fast as it goes; the key and revision of everything that was acknowledged."""
    acknowledged: dict[str, int] = {}

    async def work(client: httpx.AsyncClient) -> None:
        with suppress(httpx.TransportError):  # the server is gone
            await rate(client)

    async def rate(client: httpx.AsyncClient) -> None:
        csrf = (await client.get("/api/session")).json()["csrf"]
        for page in (await client.get("/api/pages")).json()["pages"]:
            for item in (await client.get(f"/api/pages/{page['id']}")).json()["items"]:
                for rev in range(4):
                    key = str(uuid.uuid4())
                    body = {"key": key, "rev": rev, "values": {"fluency": rev + 1}}
                    headers = {"X-CSRF-Token": csrf, "Origin": address}
                    reply = await client.put(f"/api/assignments/{item['id']}", json=body, headers=headers)
                    if reply.status_code == 200:
                        acknowledged[key] = reply.json()["rev"]
                        if len(acknowledged) == 550:
                            kill()  # type: ignore[operator]

    clients = [
        httpx.AsyncClient(base_url=address, cookies={"dialgauge_session": cookie}, timeout=120) for cookie in cookies
    ]
    await asyncio.gather(*(work(client) for client in clients))
    for client in clients:
        await client.aclose()
    return acknowledged


def test_killing_the_server_under_load_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(_STUDY)
    settings, _ = read_annotation_file(study)
    database = tmp_path / "runs" / "killed" / "annotation.db"
    with Project.open(database, settings.section(AnnotateSection), embedded_corpus(), name="killed") as project:
        cookies = [project.store.write(partial(start_session, annotator=number)) for number in range(1, 9)]
    process, address = _start(study)
    acknowledged = asyncio.run(_rate_until_killed(address, cookies, lambda: os.kill(process.pid, signal.SIGKILL)))
    process.wait(20)
    assert len(acknowledged) >= 500
    with sqlite3.connect(database) as connection:
        stored = dict(connection.execute("SELECT key, rev FROM event"))
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        highest = (
            "SELECT COUNT(*) FROM assignment a WHERE rev <> (SELECT COUNT(*) FROM event e WHERE e.assignment = a.id)"
        )
        assert connection.execute(highest).fetchone() == (0,)
    missing = {key: rev for key, rev in acknowledged.items() if stored.get(key) != rev}
    assert missing == {}
    # The lock died with the process: the project opens again at once.
    with Project.open(database, settings.section(AnnotateSection), embedded_corpus(), name="killed"):
        pass


def test_a_second_process_is_refused_with_a_clear_message(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(_STUDY)
    process, _ = _start(study)
    try:
        command = [*_DIALGAUGE, "annotate", str(study)]
        second = subprocess.run([*command, "--port", "0"], capture_output=True, text=True, check=False)
        message = " ".join(second.stderr.split())
        assert second.returncode == 2
        assert f"process {process.pid} has this project open" in message
        assert "--database postgresql://" in message
        # Links are printed all the same: a lead who is locked out needs one.
        beside = subprocess.run([*command, "--links"], capture_output=True, text=True, check=False)
        assert "/enter/" in beside.stdout
    finally:
        process.terminate()
        process.wait(20)


def test_the_lock_is_let_go_on_closing(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with Store(path), pytest.raises(StoreBusyError):
        Store(path)
    Store(path).close()


def test_writes_of_a_batch_fail_alone(database: Path | str) -> None:
    with open_study(database) as study:
        store = study.project.store
        slow = store.submit(lambda _: time.sleep(0.2))

        def fail(_: object) -> None:
            raise ValueError("this one")

        futures = [
            store.submit(fail if number == 3 else lambda connection: start_session(connection, None))
            for number in range(6)
        ]
        slow.result()
        outcomes = [future.exception() for future in futures]
        assert [type(outcome) for outcome in outcomes] == [type(None)] * 3 + [ValueError] + [type(None)] * 2
        cookies = {future.result() for future in futures if future.exception() is None}
        assert len(cookies) == 5


def test_a_changed_protocol_is_refused_once_there_are_ratings(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with open_study(path):
        pass
    with open_study(path, comments=False, dimensions=[{"name": "clarity"}]) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]
        ada.save(item["id"], 0, {"clarity": 3})
    with pytest.raises(InputError, match=r"annotate\.dimensions changed .* ratings exist already"):
        open_study(path).__enter__()
    with open_study(path, dimensions=[{"name": "clarity"}], annotators=["ada", "bo", "cy", "dee"]) as study:
        assert len(study.person("dee").get("/api/pages")["pages"]) == 3


def test_a_protocol_that_this_version_no_longer_takes_is_one_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "study.db"

    def with_a_key_that_is_gone(connection: Connection) -> None:
        study = get_setting(connection, "study")
        set_setting(connection, "study", {**study, "protocol": {**study["protocol"], "gone": 1}})

    with open_study(path) as study:
        study.project.store.write(with_a_key_that_is_gone)
    with open_study(path) as study:  # nobody has answered: the project is made again
        ada = study.person("ada")
        ada.save(ada.pages()[0]["items"][0]["id"], 0, {"consistency": 3})
        study.project.store.write(with_a_key_that_is_gone)
    with pytest.raises(InputError, match=r"annotate\.gone changed .* ratings exist already"):
        open_study(path).__enter__()


def test_an_unreachable_database_is_an_error_without_the_password() -> None:
    with pytest.raises(InputError) as caught:
        Store("postgresql://someone:geheim@127.0.0.1:1/none")
    assert "cannot be opened" in str(caught.value)
    assert "geheim" not in str(caught.value)
