"""Changes that come late: kept, marked, and taken or left; and pages that are not given away while they are open."""

import csv
import io
import json
import time
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from dialgauge.annotate import _schema as t, import_file, import_kind
from tests.annotate.annotate_api import Person, Study, open_study, small_corpus

FULL = {"consistency": 4, "relevance": 2}


def act(lead: Person, study: Study, name: str, **body: Any) -> Any:
    with study.project.store.read() as connection:
        number = connection.execute(sa.select(t.annotator.c.id).where(t.annotator.c.name == name)).scalar()
    return lead.send("POST", f"/api/lead/annotators/{number}", body)


def stored(study: Study, assignment: str) -> Any:
    with study.project.store.read() as connection:
        return connection.execute(sa.select(t.assignment).where(t.assignment.c.id == assignment)).first()


def forget_leases(study: Study, pages: int) -> None:
    """As if it were later. Leases are written without anybody waiting for it."""
    deadline = time.monotonic() + 30
    while study.count(t.lease) < pages:
        assert time.monotonic() < deadline, "no lease was written"
        time.sleep(0.01)
    study.project.store.write(lambda connection: connection.execute(sa.delete(t.lease)))


def test_what_was_rated_during_a_pause_counts_when_it_ends(database: Path | str) -> None:
    """Two edits behind each other in one browser have the same base; the second goes on top of the first."""
    with open_study(database) as study:
        ada, lead = study.person("ada"), study.person("lead")
        first, second = (item["id"] for item in ada.pages()[0]["items"][:2])
        ada.save(second, 0, {"consistency": 1})
        act(lead, study, "ada", action="pause")
        key = str(uuid.uuid4())
        assert ada.save(first, 0, {"consistency": 3}, status=202, key=key) == {"kept": "paused", "rev": 0}
        assert ada.save(first, 0, {"consistency": 3}, status=202, key=key) == {"kept": "paused", "rev": 0}
        ada.save(first, 0, {"consistency": 5}, status=409, key=key)
        ada.save(first, 0, FULL, comment="later", status=202)
        ada.save(second, 0, FULL, status=202)  # not on top of what is stored
        ada.save(first, 0, {"consistency": 9}, status=422)
        assert lead.get("/api/lead/late")["open"] == 3
        act(lead, study, "ada", action="resume")
        assert (stored(study, first).rev, stored(study, first).answer["comment"]) == (2, "later")
        assert stored(study, second).answer["values"] == {"consistency": 1}
        assert ada.save(first, 0, {"consistency": 3}, key=key)["repeated"]
        (left,) = [row for row in lead.get("/api/lead/late")["changes"] if row["outcome"] is None]
        assert (left["reason"], left["answer"]["values"]) == ("paused", {"consistency": 1})
        assert lead.send("POST", f"/api/lead/late/{left['key']}", {"decision": "take"})["outcome"] == "taken"
        assert stored(study, second).answer["values"] == FULL
        lead.send("POST", f"/api/lead/late/{left['key']}", {"decision": "leave"}, status=409)
        lead.send("POST", f"/api/lead/late/{uuid.uuid4()}", {"decision": "leave"}, status=404)


def test_a_page_that_was_given_away_comes_back_with_what_was_rated_on_it(database: Path | str) -> None:
    with open_study(database, small_corpus(8), assignment={"annotators_per_item": 1}) as study:
        ada, lead = study.person("ada"), study.person("lead")
        before = {page["id"]: page for page in ada.pages()}
        forget_leases(study, len(before))
        for name in ("dee", "eve", "fay", "gus"):
            lead.send("POST", "/api/lead/annotators", {"name": name})
        after = {page["id"] for page in ada.get("/api/pages")["pages"]}
        (gone, *_) = set(before) - after
        item = before[gone]["items"][0]["id"]
        assert ada.save(item, 0, FULL, comment="marker")["rev"] == 1
        assert ada.save(item, 1, {"consistency": 1})["rev"] == 2
        assert stored(study, item).answer["values"] == {"consistency": 1}
        assert gone in {page["id"] for page in ada.get("/api/pages")["pages"]}
        (row,) = lead.get("/api/lead/late")["changes"]
        assert (row["reason"], row["outcome"], row["change"]["comment"]) == ("moved", "taken", "marker")
        assert study.person("bo").save(item, 0, FULL, status=404)["error"] == "not-found"


def test_who_was_replaced_may_still_send_but_not_read(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada, lead = study.person("ada"), study.person("lead")
        item = ada.pages()[0]["items"][0]["id"]
        act(lead, study, "ada", action="replace", successor="zoe")
        assert ada.save(item, 0, FULL, status=202)["kept"] == "dropped"
        ada.get("/api/pages", status=401)
        ada.get("/api/session", status=401)
        (row,) = lead.get("/api/lead/late")["changes"]
        lead.send("POST", f"/api/lead/late/{row['key']}", {"decision": "take"})
        assert stored(study, item).answer["values"] == FULL
        study.project.store.write(lambda one: one.execute(sa.update(t.session).values(expires=time.time() - 1)))
        ada.save(item, 1, FULL, status=401)


def test_a_late_change_does_not_move_a_decided_gate(tmp_path: Path) -> None:
    pilot = {"dialogues": 1, "below": "ask", "reached": "ask"}
    with open_study(tmp_path / "study.db", pilot=pilot) as study:
        people, lead = [study.person(name) for name in ("ada", "bo", "cy")], study.person("lead")
        for person in people:
            person.rate_everything(3)
        item = people[0].pages()[0]["items"][0]
        lead.send("POST", "/api/lead/gate", {"decision": "continue", "reason": "fine"})
        assert people[0].save(item["id"], 1, FULL, status=202)["kept"] == "closed"
        (row,) = lead.get("/api/lead/late")["changes"]
        assert row["answer"]["values"] == {"consistency": 3, "relevance": 3}
        lead.send("POST", f"/api/lead/late/{row['key']}", {"decision": "leave"})
        assert stored(study, item["id"]).rev == 1
        assert people[0].get("/api/state")["stage"]["open"] == "main"


@pytest.mark.parametrize("opened", [True, False])
def test_an_open_page_and_the_next_one_stay(tmp_path: Path, opened: bool) -> None:
    """Whoever has a page open keeps it while others join; what nobody looks at goes to the newcomers."""
    with open_study(tmp_path / "study.db", small_corpus(6), assignment={"annotators_per_item": 1}) as study:
        ada, lead = study.person("ada"), study.person("lead")
        first, second = [page["id"] for page in ada.get("/api/pages")["pages"]][:2]
        pages = [page["id"] for page in ada.pages()]
        assert pages[:2] == [first, second]
        if not opened:
            forget_leases(study, len(pages))
        for number in range(12):
            lead.send("POST", "/api/lead/annotators", {"name": f"new {number}"})
        kept = {page["id"] for page in ada.get("/api/pages")["pages"]}
        assert ({first, second} <= kept) == opened


def test_who_saved_lately_keeps_the_page_behind(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", small_corpus(6), assignment={"annotators_per_item": 1}) as study:
        ada, lead = study.person("ada"), study.person("lead")
        first, second = [page["id"] for page in ada.get("/api/pages")["pages"]][:2]
        ada.save(ada.get(f"/api/pages/{first}")["items"][0]["id"], 0, FULL)
        forget_leases(study, 1)
        for number in range(12):
            lead.send("POST", "/api/lead/annotators", {"name": f"new {number}"})
        assert {page["id"] for page in ada.get("/api/pages")["pages"]} == {first, second}


def tray_row(item: str, rev: int, values: Any, **more: Any) -> dict[str, Any]:
    """A row of the file that the tray saves; more than the server wants to know."""
    edit = {"key": str(uuid.uuid4()), "rev": rev, "values": values, "comment": "from the tray", "active_ms": 5}
    edit |= {"waits": None, "made": 1, "about": {"page": 1, "item": 1}, **more}
    return {"id": item, "item": item, "reason": "closed", "at": 1, "edit": edit}


def test_a_file_saved_from_the_tray_comes_in(tmp_path: Path) -> None:
    """What is open is taken, what is closed or has changed waits for the lead, what is wrong is named."""
    with open_study(tmp_path / "study.db") as study:
        ada, bo, lead = study.person("ada"), study.person("bo"), study.person("lead")
        first, second, third = (item["id"] for item in ada.pages()[0]["items"])
        his = bo.pages()[0]["items"][0]["id"]
        ada.save(second, 0, {"consistency": 1})
        act(lead, study, "bo", action="drop", keep=True)
        rows = [
            tray_row(first, 0, FULL),
            tray_row(second, 0, FULL),
            tray_row(third, 0, {"consistency": 9}),
            tray_row(his, 0, FULL),
            tray_row("of-another-study", 0, FULL),
            {"item": first, "edit": "none"},
        ]
        path = tmp_path / "dialgauge-edits.json"
        path.write_text(json.dumps(rows))
        kind = import_kind(path)
        assert kind == "tray"
        done = import_file(study.project, kind, path)
        assert (done["accepted"], done["late"]) == (1, 2)
        told = [f"{one['where']}: {one['message']}" for one in done["refused"]]
        assert [one.partition(":")[0] for one in told] == ["change 3", "change 5", "change 6"]
        assert "not on the scale" in told[0]
        assert "not an item of this study" in told[1]
        assert stored(study, first).answer["comment"] == "from the tray"
        again = import_file(study.project, kind, path)
        assert (again["accepted"], lead.get("/api/lead/late")["open"]) == (0, 2)
        waiting = {row["reason"]: row for row in lead.get("/api/lead/late")["changes"] if row["outcome"] is None}
        assert set(waiting) == {"conflict", "dropped"}
        assert waiting["conflict"]["texts"]
        lead.send("POST", f"/api/lead/late/{waiting['conflict']['key']}", {"decision": "take"})
        assert stored(study, second).answer["values"] == FULL
        assert lead.get("/api/lead/dashboard")["late"] == 1
        assert lead.get("/api/lead/audit")["entries"][0]["actor"] == "lead"
        with zipfile.ZipFile(io.BytesIO(lead.get("/api/lead/export/csv").content)) as archive:
            table = list(csv.DictReader(io.StringIO(archive.read("late.csv").decode())))
        assert {(row["annotator"], row["reason"], row["outcome"]) for row in table} == {
            ("ada", "conflict", "taken"),
            ("bo", "dropped", ""),
        }
        assert not any("zq-" in row["systems"] for row in table), "the lead is blind to systems in this table too"
        wrong = import_file(study.project, kind, path, annotator="cy")
        assert "not an item of cy" in wrong["refused"][0]["message"]
    path.write_text("[1]")
    assert import_kind(path) == "label-studio"
