"""Several leads with roles, and a log that nobody can rewrite unseen."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from dialgauge.annotate import _schema as t
from dialgauge.annotate._audit import check_log, erase_details, last_head, log
from dialgauge.annotate._store import Store
from tests.annotate.annotate_api import HOST, Person, Study, open_study


def _by_link(study: Study, link: str, name: str) -> Person:
    client = TestClient(study.app, base_url=HOST, follow_redirects=False)
    assert client.post(link, headers={"Origin": HOST}).status_code == 303
    person = Person(client, name)
    person.csrf = person.get("/api/session")["csrf"]
    return person


def test_leads_have_roles_and_names(database: str | Path) -> None:
    with open_study(database) as study:
        owner = study.person("lead")
        people = {
            role: _by_link(
                study, owner.send("POST", "/api/lead/leads", {"name": f"the {role}", "role": role})["link"], role
            )
            for role in ("viewer", "manager", "owner")
        }
        assert people["viewer"].get("/api/lead/dashboard")["study"]["blinded"] is True
        assert (
            people["viewer"].send("POST", "/api/lead/annotators", {"name": "dee"}, status=403)["error"] == "forbidden"
        )
        people["manager"].send("POST", "/api/lead/annotators", {"name": "dee"})
        for path, body in (("unblind", {"reason": "curious"}), ("leads", {"name": "eve"}), ("leads/1", {"role": None})):
            assert people["manager"].send("POST", f"/api/lead/{path}", body, status=403)["error"] == "forbidden"
        people["manager"].get("/api/lead/backup", status=403)
        people["owner"].send("POST", "/api/lead/unblind", {"reason": "all is rated"})
        done = {entry["action"]: entry["actor"] for entry in owner.get("/api/lead/audit")["entries"]}
        assert done["annotator-added"] == "the manager"
        assert done["unblinded"] == "the owner"
        # One owner stays, and who is removed is out at once.
        people["owner"].send("POST", "/api/lead/leads/1", {"role": None})
        owner.get("/api/lead/dashboard", status=401)
        last = people["owner"].get("/api/lead/leads")["you"]
        for role in (None, "manager"):
            refused = people["owner"].send("POST", f"/api/lead/leads/{last}", {"role": role}, status=409)
            assert "needs an owner" in refused["message"]
        assert [link.name for link in study.project.links() if link.is_lead] == [
            "the viewer",
            "the manager",
            "the owner",
        ]


def test_each_lead_has_a_password_of_their_own(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        owner = study.person("lead")
        made = owner.send("POST", "/api/lead/leads", {"name": "Zoë", "role": "manager"})
        manager = _by_link(study, made["link"], "Zoë")
        manager.send("POST", "/api/lead/password", {"password": "a long password"})
        client = TestClient(study.app, base_url=HOST, follow_redirects=False)
        for name in ("lead", "nobody"):
            assert client.post("/lead/login", data={"name": name, "password": "a long password"}).status_code == 403
        assert client.post("/lead/login", data={"name": "Zoë", "password": "a long password"}).status_code == 303
        assert client.get("/api/lead/leads").json()["role"] == "manager"


def test_a_lead_without_a_password_is_asked_before_signing_out(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        lead = study.person("lead")
        asked = lead.client.post("/logout", data={"csrf": lead.csrf}, headers={"Origin": HOST})
        assert "You have no password" in asked.text
        lead.get("/api/lead/dashboard")
        left = lead.client.post("/logout", data={"csrf": lead.csrf, "sure": "yes"}, headers={"Origin": HOST})
        assert left.status_code == 303
        lead.get("/api/lead/dashboard", status=401)
        study.person("lead")  # a new link brings them back
        ada = study.person("ada")
        assert ada.client.post("/logout", data={"csrf": ada.csrf}, headers={"Origin": HOST}).status_code == 303


def _forge(connection: Any, kind: str, entries: int, chance: random.Random) -> None:
    number = chance.randrange(1, entries)
    row = t.audit.c.id == number
    if kind == "edit":
        column = chance.choice(["actor", "action", "detail", "at"])
        value = {"actor": "eve", "action": "other", "detail": {"name": "eve"}, "at": 1.0}[column]
        connection.execute(sa.update(t.audit).where(row).values(**{column: value}))
    elif kind == "delete":
        connection.execute(sa.delete(t.audit).where(row))
    elif kind == "erase":
        connection.execute(sa.update(t.audit).where(row).values(detail={}, salt=None))
    elif kind == "cut":
        connection.execute(sa.delete(t.audit).where(t.audit.c.id > number))
    else:
        # The two entries change places, with their hashes.
        for old, new in ((number, -1), (number + 1, number), (-1, number + 1)):
            connection.execute(sa.update(t.audit).where(t.audit.c.id == old).values(id=new))


@pytest.mark.parametrize("kind", ["edit", "delete", "erase", "cut", "swap"])
def test_every_forgery_of_the_log_is_found(tmp_path: Path, kind: str) -> None:
    chance = random.Random(kind)
    with Store(tmp_path / "log.db") as store:

        def try_forgeries(connection: Any) -> int:
            for number in range(12):
                log(connection, "lead", f"act-{number % 3}", name=f"person {number % 4}", number=number)
            gone = erase_details(connection, ["person 1"])
            log(connection, "lead", "erased", entries=gone)
            head = last_head(connection)
            assert check_log(connection, head).as_dict() == {
                "entries": 13, "erased": 3, "head": head, "problem": None,
            }  # fmt: skip
            assert "person 1" not in str(connection.execute(sa.select(t.audit)).all())
            before, changed = connection.execute(sa.select(t.audit)).all(), 0
            for _ in range(30):
                with connection.begin_nested() as attempt:
                    _forge(connection, kind, 12, chance)
                    # Erasing what is erased already changes nothing.
                    forged = connection.execute(sa.select(t.audit)).all() != before
                    assert (check_log(connection, head).problem is not None) == forged
                    changed += forged
                    attempt.rollback()
            return changed

        assert store.write(try_forgeries) >= 15


def test_a_project_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with open_study(path) as study:
        study.person("ada").rate_everything()
    with closing(sqlite3.connect(path)) as old:
        old.executescript(
            "PRAGMA foreign_keys=OFF;"
            "CREATE TABLE l AS SELECT id, annotator, created, expires, used, revoked FROM link;"
            "CREATE TABLE s AS SELECT digest, annotator, csrf, created, expires, revoked FROM session;"
            "DROP TABLE link; DROP TABLE session; ALTER TABLE l RENAME TO link; ALTER TABLE s RENAME TO session;"
            "ALTER TABLE annotator DROP COLUMN counts;"
            "ALTER TABLE audit DROP COLUMN salt; ALTER TABLE audit DROP COLUMN digest;"
            "ALTER TABLE audit DROP COLUMN head;"
            "DROP TABLE lead; DROP TABLE identity; DROP TABLE participation; DROP TABLE comment_read;"
        )
    with open_study(path) as study:
        lead = study.person("lead")
        assert lead.get("/api/lead/dashboard")["progress"] == {"items": 27, "complete": 9}
        assert lead.get("/api/lead/audit")["check"]["problem"] is None
        assert lead.get("/api/lead/leads")["leads"] == [{"id": 1, "name": "lead", "role": "owner", "password": False}]
