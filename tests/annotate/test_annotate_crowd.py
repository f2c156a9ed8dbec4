"""People who come from a platform: enrolling, consent, guidelines and quiz, drawing, gold, leaving, paying, erasing."""

import csv
import io
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from dialgauge.annotate import _schema as t
from dialgauge.annotate._crowd import _highest_share, join_token, return_idle
from dialgauge.errors import InputError
from tests.annotate.annotate_api import HOST, SYSTEMS, Person, Study, make_section, open_study, small_corpus

CROWD: dict[str, Any] = {
    "provider": "prolific",
    "people": 6,
    "per_person": 2,
    "codes": {
        "complete": "DONE1",
        "failed_checks": "FAIL1",
        "screened_out": "OUT1",
        "no_consent": "NO1",
        "full": "FULL1",
    },
    "pay": 3.0,
    "bonus": 1.0,
}
CONSENT: dict[str, Any] = {
    "text": "# Purpose\n\nWe study **summaries**.",
    "statements": ["I am 18 or older.", "I agree."],
    "questions": [
        {"name": "native", "question": "First language?", "options": ["en", "de", "other"], "accept": ["en", "de"]}
    ],
}
QUESTION: dict[str, Any] = {"name": "q", "question": "?", "options": ["a", "b"]}
BASE: dict[str, Any] = {"annotators": [], "assignment": {"annotators_per_item": 2}, "crowd": CROWD}


def _join(study: Study, person: str, session: str = "s", *, answer: str = "en", **form: str) -> tuple[Person, Any]:
    """Someone opens the address of the study and sends the form."""
    client = TestClient(study.app, base_url=HOST, follow_redirects=False)
    path = f"/join/{join_token(study.project)}"
    shown = client.get(f"{path}?PROLIFIC_PID={person}&STUDY_ID=x&SESSION_ID={session}")
    given = {"person": person, "session": session, "agree": "yes", "question-0": answer}
    given |= {"statement-0": "yes", "statement-1": "yes", **form}
    reply = client.post(path, data=given, headers={"Origin": HOST})
    someone = Person(client, person, received=[shown.content, reply.content])
    if reply.status_code == 303:
        someone.csrf = someone.get("/api/session")["csrf"]
    return someone, reply


def _post(person: Person, path: str, **form: str) -> Any:
    return person.client.post(path, data={"csrf": person.csrf, **form}, headers={"Origin": HOST})


def test_enrolling_once_gives_the_same_work_everywhere(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(4), **BASE) as study:
        first, reply = _join(study, "5f00000000000000000000aa")
        assert (reply.status_code, reply.headers["location"]) == (303, "/work")
        pages = [page["id"] for page in first.get("/api/pages")["pages"]]
        assert len(pages) == 2
        again, _ = _join(study, "5f00000000000000000000aa")
        assert [page["id"] for page in again.get("/api/pages")["pages"]] == pages
        _, other = _join(study, "5f00000000000000000000aa", session="another")
        assert other.status_code == 403
        lead = study.person("lead")
        assert lead.get("/api/lead/dashboard")["annotators"][0]["name"].startswith("p-")
        everything = b"".join(lead.received) + str(lead.get("/api/lead/audit")).encode()
        assert b"5f00000000000000000000aa" not in everything
        assert study.project.links()[0].is_lead
        assert len(study.project.links()) == 1
        stranger = TestClient(study.app, base_url=HOST)
        assert stranger.get("/join/0123456789").status_code == 404
        assert "Your id on the platform" in stranger.get(f"/join/{join_token(study.project)}").text


@pytest.mark.parametrize(("provider", "person"), [("mturk", "workerId"), ("cloudresearch", "participantId")])
def test_other_platforms_name_people_their_own_way(tmp_path: Path, provider: str, person: str) -> None:
    """Who only looks at a task of Mechanical Turk sees what it asks for, and takes no place in the study."""
    with open_study(tmp_path / "s.db", small_corpus(4), **{**BASE, "crowd": {**CROWD, "provider": provider}}) as study:
        client = TestClient(study.app, base_url=HOST, follow_redirects=False)
        path = f"/join/{join_token(study.project)}"
        shown = client.get(f"{path}?{person}=A1B2&assignmentId=3XYZ").text
        assert 'value="A1B2"' in shown
        assert 'value="3XYZ"' in shown
        looking = client.get(f"{path}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE").text
        assert "<form" not in looking
        form = {"person": "A1B2", "agree": "yes"}
        refused = client.post(path, data={**form, "session": "ASSIGNMENT_ID_NOT_AVAILABLE"}, headers={"Origin": HOST})
        assert refused.status_code == 422
        assert study.count(t.identity) == 0
        assert client.post(path, data={**form, "session": "3XYZ"}, headers={"Origin": HOST}).status_code == 303
        assert study.count(t.identity) == 1


def test_consent_screening_and_quotas(tmp_path: Path) -> None:
    crowd = {**CROWD, "quotas": {"native": {"de": 1}}}
    with open_study(tmp_path / "s.db", small_corpus(4), **{**BASE, "crowd": crowd}, consent=CONSENT) as study:
        shown, declined = _join(study, "a", agree="no")
        assert b"We study" in shown.received[0]
        assert "NO1" in declined.text
        _, unticked = _join(study, "b", **{"statement-1": ""})
        assert unticked.status_code == 422
        assert study.count(t.identity) == 0
        _, out = _join(study, "c", answer="other")
        assert "OUT1" in out.text
        _, tried_again = _join(study, "c", answer="en")
        assert "OUT1" in tried_again.text
        _, german = _join(study, "d", answer="de")
        assert german.status_code == 303
        _, another = _join(study, "e", answer="de")
        assert "FULL1" in another.text
        _, english = _join(study, "f", answer="en")
        assert english.status_code == 303
        with study.project.store.read() as connection:
            rows = connection.execute(sa.select(t.participation).where(t.participation.c.outcome.is_(None))).all()
        assert {(row.consent_version, row.screening["native"]) for row in rows} == {("1", "de"), ("1", "en")}


def test_guidelines_and_quiz_come_first_and_again_when_they_change(tmp_path: Path) -> None:
    quiz = {"questions": [{"question": "Sure?", "options": ["yes", "no"], "answer": "no"}], "tries": 2}
    path = tmp_path / "s.db"
    with open_study(path, small_corpus(4), **BASE, guidelines="# Rules\n\nBe fair.", quiz=quiz) as study:
        person, _ = _join(study, "a")
        assert person.client.get("/work").headers["location"] == "/start"
        assert "I have read this" in person.get("/start").text
        assert _post(person, "/start").headers["location"] == "/work"
        assert "Sure?" in person.get("/start").text
        assert "Not all answers are right" in _post(person, "/start", **{"0": "yes"}).text
        assert _post(person, "/start", **{"0": "no"}).status_code == 303
        assert person.client.get("/work").status_code == 200
        bad, _ = _join(study, "b")
        _post(bad, "/start")
        _post(bad, "/start", **{"0": "yes"})
        assert _post(bad, "/start", **{"0": "yes"}).headers["location"] == "/leave"
        assert "OUT1" in bad.get("/leave").text
    with open_study(path, small_corpus(4), **BASE, guidelines="# Rules\n\nBe kind.", quiz=quiz) as study:
        back, _ = _join(study, "a")
        assert "I have read this" in back.get("/start").text


def test_named_annotators_read_the_guidelines_first_too(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", guidelines="Be fair.", consent={"text": "Really?"}) as study:
        ada = study.person("ada")
        assert "Really?" in ada.get("/start").text
        assert _post(ada, "/start").status_code == 422
        _post(ada, "/start", **{"statement-0": "yes"})
        assert "I have read this" in ada.get("/start").text
        _post(ada, "/start")
        assert ada.client.get("/work").status_code == 200


def test_work_is_drawn_where_it_is_needed_and_ends_with_a_code(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(4), **BASE) as study:
        for name in "abcd":
            person, _ = _join(study, name)
            assert _post(person, "/leave", how="complete").status_code == 409
            person.rate_everything(4)
            assert b"DONE1" not in b"".join(person.received)
            done = _post(person, "/leave", how="complete")
            assert "https://app.prolific.com/submissions/complete?cc=DONE1" in done.text
        # Four dialogues, two people each, two pages per person: all is there, and the fifth is told before consent.
        assert "FULL1" in _join(study, "e")[1].text
        with study.project.store.read() as connection:
            query = sa.select(t.page.c.dialogue, sa.func.count()).group_by(t.page.c.dialogue)
            assert [count for _, count in connection.execute(query)] == [2, 2, 2, 2]
        crowd = study.person("lead").get("/api/lead/crowd")["crowd"]
        assert crowd["outcomes"] == {"complete": 4}
        assert (crowd["open_pages"], crowd["full"]) == (0, True)
        assert crowd["pay_per_hour"] == pytest.approx(3.0 / (6 / 3600))
        assert crowd["address"].endswith("SESSION_ID={{%SESSION_ID%}}")


def test_who_stays_away_gives_work_back_and_may_return(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(2), **BASE) as study:
        slow, _ = _join(study, "slow")
        first = slow.pages()[0]
        slow.save(first["items"][0]["id"], 0, {"consistency": 3, "relevance": 3})
        late_item = slow.pages()[1]["items"][0]["id"]
        _join(study, "b")

        def later(connection: Any) -> int:
            return return_idle(connection, study.project, now=1e11)

        assert "FULL1" in _join(study, "d")[1].text
        assert study.project.store.write(later) == 2
        # A browser that comes back to life is still heard: what it sends of a returned page is kept.
        slow.save(late_item, 0, {"consistency": 5, "relevance": 5})
        assert _join(study, "d")[1].status_code == 303
        back, reply = _join(study, "slow")
        assert reply.status_code == 303
        assert back.get("/api/pages")["next"] is not None
        assert study.events() == 2


def _gold(*, every: int = 1, **more: Any) -> dict[str, Any]:
    items = [
        {"dialogue": f"zq-dialogue-{number}", "system": system, "expected": {"relevance": 1}}
        for number in (0, 1)
        for system in SYSTEMS[:2]
    ]
    return {"items": items, "every": every, "tolerance": 1, "after": 4, "drop_below": 0.5, **more}


def test_hidden_gold_drops_who_guesses_and_nobody_else(tmp_path: Path) -> None:
    crowd = {**CROWD, "per_person": 3}
    with open_study(tmp_path / "s.db", small_corpus(6), **{**BASE, "crowd": crowd}, gold=_gold()) as study:
        honest, _ = _join(study, "honest")
        shapes = [sorted(page["items"][0]) for page in honest.pages()]
        assert len(shapes) == 5  # three drawn, two with gold
        assert all(
            shape == shapes[0] and len(page["items"]) == 3 for shape, page in zip(shapes, honest.pages(), strict=True)
        )
        honest.rate_everything(lambda item, name: 2 if name == "relevance" else 4)
        assert "DONE1" in _post(honest, "/leave", how="complete").text
        guesser, _ = _join(study, "guesser")
        for page in guesser.pages():
            for item in page["items"]:
                body = {"consistency": 5, "relevance": 5}
                change = {"key": uuid.uuid4().hex, "rev": 0, "values": body}
                headers = {"X-CSRF-Token": guesser.csrf, "Origin": HOST}
                reply = guesser.client.put(f"/api/assignments/{item['id']}", json=change, headers=headers)
                assert reply.status_code in (200, 202)
        assert guesser.client.get("/work").headers["location"] == "/leave"
        assert "FAIL1" in guesser.get("/leave").text
        lead = study.person("lead")
        states = {row["state"]: row["counts"] for row in lead.get("/api/lead/dashboard")["annotators"]}
        assert states == {"active": True, "dropped": False}
        listed = lead.get("/api/lead/export/csv").content
        assert listed[:2] == b"PK"
        paid = list(csv.DictReader(io.StringIO(lead.client.get("/api/lead/payments").text)))
        assert [(row["external_id"], row["outcome"], row["pay"], row["bonus"]) for row in paid] == [
            ("honest", "complete", "3.0", "1.0"),
            ("guesser", "failed_checks", "0", "0"),
        ]
        assert paid[0]["gold_right"] == paid[0]["gold_shown"] == "4"


@pytest.mark.parametrize(("right", "shown", "dropped"), [(0, 3, False), (0, 4, True), (1, 4, False), (2, 20, True)])
def test_few_gold_items_are_no_proof(right: int, shown: int, dropped: bool) -> None:
    assert (_highest_share(right, shown) < 0.5) is (dropped or (right, shown) == (0, 4))


def test_training_can_be_tried_again(tmp_path: Path) -> None:
    item = {"transcript": "A: Hi", "summary": "Hi.", "expected": {"relevance": 5}}
    training = {"items": [item], "pass_share": 1.0, "tries": 2}
    with open_study(tmp_path / "s.db", **BASE, training=training) as study:
        person, _ = _join(study, "a")
        for value in (1, 5):
            listed = person.get("/api/pages")
            assert listed["stage"] == "training"
            shown = person.get(f"/api/pages/{listed['next']}")["items"][0]["id"]
            person.save(shown, 0, {"consistency": 3, "relevance": value})
        assert person.get("/api/pages")["stage"] == "main"
        worse, _ = _join(study, "b")
        for _ in range(2):
            shown = worse.get(f"/api/pages/{worse.get('/api/pages')['next']}")["items"][0]["id"]
            worse.save(shown, 0, {"consistency": 3, "relevance": 1})
        assert "FAIL1" in worse.get("/leave").text


@pytest.mark.parametrize("by", ["the annotator", "the lead"])
def test_an_erasure_leaves_nothing_and_the_log_still_holds(tmp_path: Path, by: str) -> None:
    path = tmp_path / "s.db"
    with open_study(path, small_corpus(4), **BASE) as study:
        lead = study.person("lead")
        person, _ = _join(study, "external-identity-77")
        name = person.get("/api/session")["name"]
        for number in range(3):
            person.rate_everything(3, comment=f"a very secret remark {number}")
        other, _ = _join(study, "other")
        other.rate_everything(4)
        lead.send("POST", "/api/lead/annotators/1", {"action": "pause"})
        lead.send("POST", "/api/lead/annotators/1", {"action": "resume"})
        before = lead.get("/api/lead/audit")["check"]
        if by == "the lead":
            lead.send("POST", "/api/lead/annotators/1", {"action": "erase"})
        else:
            assert "You have left the study" in _post(person, "/leave", how="erase").text
        after = lead.get("/api/lead/audit")["check"]
        assert (before["problem"], after["problem"]) == (None, None)
        assert after["erased"] == 2  # paused and resumed by name
        assert lead.get("/api/lead/dashboard")["annotators"][0]["name"] == "erased 1"
        assert study.count(t.identity) == 1
        assert study.events() == 6
        person.get("/api/pages", status=401)
        assert _join(study, "new one")[1].status_code == 303  # their pages are open again
    raw = b"".join(file.read_bytes() for file in tmp_path.glob("s.db*"))
    for secret in ("a very secret remark", "external-identity-77", name):
        assert secret.encode() not in raw
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


def test_identities_can_be_forgotten_and_people_dropped(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(4), **BASE) as study:
        lead = study.person("lead")
        for name in ("a", "b"):
            _join(study, name)[0].rate_everything(3)
        lead.send("POST", "/api/lead/annotators/1", {"action": "drop", "keep": False})
        lead.send("POST", "/api/lead/annotators/1", {"action": "drop"}, status=409)
        shown = lead.get("/api/lead/dashboard")["annotators"]
        assert [(row["state"], row["counts"]) for row in shown] == [("dropped", False), ("active", True)]
        assert lead.get("/api/lead/crowd")["crowd"]["open_pages"] == 6
        assert lead.send("POST", "/api/lead/identities/delete") == {"people": 2}
        assert lead.client.get("/api/lead/payments").text.count("\n") == 1


def test_a_dropped_annotator_of_a_team_hands_over(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(6), assignment={"annotators_per_item": 1}) as study:
        lead = study.person("lead")
        bo = study.person("bo")
        item = bo.pages()[0]["items"][0]
        bo.save(item["id"], 0, {"consistency": 3, "relevance": 3})
        lead.send("POST", "/api/lead/annotators/2", {"action": "drop"})
        for name in ("ada", "cy"):
            study.person(name).rate_everything(3)
        shown = lead.get("/api/lead/dashboard")
        assert shown["progress"] == {"items": 18, "complete": 18}


def test_newcomers_after_the_gate_get_no_dead_pages(tmp_path: Path) -> None:
    pilot = {"dialogues": 1, "measure": "krippendorff-alpha", "threshold": -1.0}
    settings: dict[str, Any] = {"pilot": pilot, "assignment": {"annotators_per_item": 1}}
    with open_study(tmp_path / "s.db", small_corpus(13), **settings) as study:
        lead = study.person("lead")
        for name in ("ada", "bo", "cy"):
            study.person(name).rate_everything(lambda item, _: 1 + item["number"])
        lead.send("POST", "/api/lead/annotators", {"name": "dee"})
        dee = study.person("dee")
        assert {page["stage"] for page in dee.get("/api/pages")["pages"]} == {"main"}
        for name in ("ada", "bo", "cy", "dee"):
            study.person(name).rate_everything(3)
        progress = lead.get("/api/lead/dashboard")["progress"]
        assert progress["items"] == progress["complete"] == 3 * 3 + 12 * 3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"crowd": {"people": 3}, "assignment": {}}, "annotators_per_item"),
        ({"crowd": {"people": 1}}, "annotators_per_item"),
        ({"annotators": ["ada"]}, "leave out annotators"),
        ({"pilot": {"dialogues": 1}}, "cannot have a pilot"),
        ({"crowd": {**CROWD, "quotas": {"age": {"old": 1}}}}, "question 'age'"),
        ({"crowd": {**CROWD, "codes": {"complete": "a b"}}}, "pattern"),
        ({"crowd": None, "gold": _gold()}, "annotators"),
        ({"gold": {"items": [{"dialogue": "x", "system": "y", "expected": {"fluency": 3}}]}}, "fluency"),
        (
            {
                "consent": {
                    "text": "x",
                    "questions": [{"name": "q", "question": "?", "options": ["a", "b"], "accept": ["c"]}],
                }
            },
            "'c'",
        ),
        ({"quiz": {"questions": [{"question": "?", "options": ["a", "b"], "answer": "c"}]}}, "'c'"),
    ],
)
def test_a_crowd_that_cannot_work_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_section(**{**BASE, **settings})


def test_a_study_grows_without_touching_what_was_rated(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_study(path, small_corpus(2, SYSTEMS[:2])) as study:
        study.person("ada").rate_everything(4)
        with study.project.store.read() as connection:
            before = connection.execute(sa.select(t.assignment.c.id, t.assignment.c.answer)).all()
    with open_study(path, small_corpus(4, SYSTEMS)) as study:
        with study.project.store.read() as connection:
            after = connection.execute(sa.select(t.assignment.c.id, t.assignment.c.answer)).all()
        assert set(map(str, before)) < set(map(str, after))
        # Two dialogues with a further system, two with three: eight new items for each of three people.
        assert len(after) - len(before) == 3 * (2 + 6)
        ada = study.person("ada")
        assert ada.rate_everything(2) == 8
        assert study.person("lead").get("/api/lead/audit")["check"]["problem"] is None
    with pytest.raises(InputError, match="the corpus changed"), open_study(path, small_corpus(3, SYSTEMS)):
        pass  # a dialogue is missing


def test_a_crowd_draws_what_was_added(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_study(path, small_corpus(1), **BASE) as study:
        for name in ("a", "b"):
            _join(study, name)[0].rate_everything(3)
        assert "FULL1" in _join(study, "c")[1].text
    with open_study(path, small_corpus(3), **BASE) as study:
        assert _join(study, "c")[1].status_code == 303
