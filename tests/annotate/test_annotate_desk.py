"""The lead's desk: agreement as the answers come in, how people work, comments, gates."""

import random
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from dialgauge.annotate import _quality, _ready, _schema as t
from dialgauge.annotate._dashboard import dashboard_view
from dialgauge.annotate._desk import Desk
from dialgauge.annotate._judgements import chosen_as_ratings, judgement_tables
from dialgauge.annotate._library import Library
from dialgauge.annotate._ready import make_ready
from dialgauge.annotate._results import plain_ratings, results, system_codes
from dialgauge.ratings import agreement, outliers, preference_results
from tests.annotate.annotate_api import DIMENSIONS, Study, open_study, small_corpus

MEASURES = ("krippendorff-alpha", "cohen-kappa", "fleiss-kappa")


def _compare(study: Study, desk: Desk, resamples: int = 200) -> None:
    """What the desk says is what the functions of the ratings room say of all answers."""
    with study.project.store.read() as connection:
        desk.refresh(connection)
        found, apart = desk.agreement(connection), desk.outliers(connection)
        codes = system_codes(connection, study.project)
        everything = results(connection, study.project, Library(), codes)
        named = results(connection, study.project, Library(), {name: name for name in codes})
    comparing = study.project.section.task != "rate"
    pairs = study.project.section.task == "compare"
    plain = chosen_as_ratings(named.comparisons) if comparing else plain_ratings(everything.ratings)
    how: Any = {"resamples": resamples, "seed": study.project.seed}
    how["nominal"] = plain["dimension"].unique().to_list() if comparing else ()
    wanted = agreement(plain, MEASURES, by=("dimension",), **how).frame.to_dicts()
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        if pairs and ours["measure"] == "krippendorff-alpha":  # pairs have sides, which ratings have not
            continue
        crowd = len(study.project.section.annotators) > 10 and ours["measure"] == "cohen-kappa"
        for name in ("value", "low", "high"):
            if not (crowd and name != "value"):
                assert ours[name] == pytest.approx(theirs[name], abs=1e-9), (ours, theirs)
        assert {
            ours[name] == theirs[name] for name in ("dimension", "measure", "setting", "units", "verdict", "note")
        } == {True}
    if pairs:
        _compare_pairs(found, apart, judgement_tables(named, {})["preferences"])
        return
    others = outliers(plain, **how).frame.to_dicts()
    assert [row["outlier"] for row in apart] == [row["outlier"] for row in others]
    for ours, theirs in zip(apart, others, strict=True):
        assert ours["alpha_without"] == pytest.approx(theirs["alpha_without"], abs=1e-9)


def _compare_pairs(found: list[dict[str, Any]], apart: list[dict[str, Any]], preferences: pl.DataFrame) -> None:
    """Of comparisons the desk says what ``preference_results`` says of them, and of them without each annotator."""

    def alpha(dimension: str, without: str = "") -> Any:
        part = preferences.filter(pl.col("dimension") == dimension, pl.col("annotator") != without)
        return pytest.approx(preference_results(part, resamples=0).facts["alpha"][0], abs=1e-9)

    rows = [row for row in found if row["measure"] == "krippendorff-alpha"]
    assert {row["dimension"] for row in rows} == set(preferences["dimension"])
    for row in rows:
        assert row["value"] == alpha(row["dimension"])
        assert row["low"] <= row["value"] <= row["high"]
    assert {row["annotator"] for row in apart} == set(preferences["annotator"])
    for row in apart:
        assert row["alpha_without"] == alpha(row["dimension"], without=row["annotator"])


def _fill(study: Study, chance: random.Random, share: float) -> None:
    """Give answers, change some, and take values back, past the web: only the desk is tested here."""

    def write(connection: Any) -> None:
        rows = connection.execute(sa.select(t.assignment.c.id, t.assignment.c.rev, t.assignment.c.item)).all()
        for row in rows:
            if chance.random() > share:
                continue
            names = [one.name for one in study.project.section.dimensions if chance.random() < 0.9]
            values = {name: float(min(5, max(1, 3 + row.item % 3 + chance.choice((-1, 0, 0, 1))))) for name in names}
            if "kind" in values:
                values["kind"] = float(values["kind"] > 3)
            answer: dict[str, Any] = {"values": values, "spans": [], "text": None, "comment": "", "by_default": []}
            change = {"rev": row.rev + 1, "answer": answer, "complete": True, "saved": 1e9 + chance.random()}
            connection.execute(sa.update(t.assignment).where(t.assignment.c.id == row.id).values(**change))

    study.project.store.write(write)


@pytest.mark.parametrize("people", [5, 13])
def test_the_desk_agrees_with_the_full_computation(tmp_path: Path, people: int) -> None:
    chance = random.Random(people)
    dimensions = [*DIMENSIONS, {"name": "kind", "scale": "yes/no"}]
    names = [f"person {number}" for number in range(people)]
    with open_study(tmp_path / "s.db", small_corpus(9), annotators=names, dimensions=dimensions) as study:
        desk = Desk(study.project, Library())
        for share in (0.7, 0.2, 0.1):
            _fill(study, chance, share)
            _compare(study, desk)

        def erase(connection: Any) -> None:
            gone = connection.execute(sa.select(t.assignment.c.id).where(t.assignment.c.annotator == 2)).scalars().all()
            connection.execute(sa.delete(t.assignment).where(t.assignment.c.id.in_(gone)))
            connection.execute(sa.update(t.annotator).where(t.annotator.c.id == 3).values(counts=False))

        study.project.store.write(erase)
        _compare(study, desk)


def test_sentences_and_comparisons_are_on_the_desk(tmp_path: Path) -> None:
    sentences = [{"name": "fluency", "scale": "0-2", "on": "summary-sentences"}]
    with open_study(tmp_path / "a.db", small_corpus(4), dimensions=sentences) as study:
        for number, name in enumerate(("ada", "bo", "cy")):
            study.person(name).rate_everything(lambda item, _, n=number: [2, (n + item["number"]) % 3])
        _compare(study, Desk(study.project, Library()))
        shown = study.person("lead").get("/api/lead/dashboard")["disagreements"][0]
        assert (shown["sentence"], shown["spread"]) == (2, 2.0)
    with open_study(tmp_path / "b.db", small_corpus(4), task="compare") as study:
        for number, name in enumerate(("ada", "bo", "cy")):
            study.person(name).rate_everything(lambda item, _, n=number: "12"[(n + item["number"]) % 2])
        _compare(study, Desk(study.project, Library()))


def test_only_what_was_saved_since_is_read_again(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(6)) as study:
        people = [study.person(name) for name in ("ada", "bo", "cy")]
        for person in people:
            person.rate_everything(4)
        desk = Desk(study.project, Library())
        with study.project.store.read() as connection:
            dashboard_view(connection, _fresh(desk, connection))
            known = {one.id: one for one in desk.tally.answers()}
        item = people[0].pages()[0]["items"][0]
        people[0].save(item["id"], 1, {"consistency": 1, "relevance": 4})
        with study.project.store.read() as connection:
            shown = dashboard_view(connection, _fresh(desk, connection))
        changed = [one for one in desk.tally.answers() if known[one.id] is not one]
        assert [one.id for one in changed] == [item["id"]]
        assert shown["disagreements"][0]["spread"] == 3.0
        assert shown["progress"] == {"items": 54, "complete": 54}


def _fresh(desk: Desk, connection: Any) -> Desk:
    desk.refresh(connection)
    return desk


def test_the_state_changes_with_every_answer_and_act(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db") as study:
        lead, ada = study.person("lead"), study.person("ada")
        seen = [lead.get("/api/lead/state")["state"]]
        assert lead.get("/api/lead/state")["state"] == seen[0]
        item = ada.pages()[0]["items"][0]["id"]
        ada.save(item, 0, {"consistency": 3}, comment="odd")
        seen.append(lead.get("/api/lead/state")["state"])
        lead.send("POST", "/api/lead/annotators/2", {"action": "pause"})
        seen.append(lead.get("/api/lead/state")["state"])
        lead.send("POST", "/api/lead/comments", {"read": {item: 1}})
        seen.append(lead.get("/api/lead/state")["state"])
        assert len(set(seen)) == len(seen)


def test_comments_reach_the_lead(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db") as study:
        lead, ada = study.person("lead"), study.person("ada")
        item = ada.pages()[0]["items"][0]["id"]
        ada.save(item, 0, {"consistency": 3}, comment="Which <b>Ann</b>?")
        assert lead.get("/api/lead/dashboard")["comments"] == 1
        (row,) = lead.get("/api/lead/comments")["comments"]
        assert (row["annotator"], row["comment"], row["read"]) == ("ada", "Which <b>Ann</b>?", False)
        assert row["texts"][0].startswith("Ann asks")
        assert lead.send("POST", "/api/lead/comments", {"read": {item: 1, "unknown": 1}}) == {"read": 1}
        assert lead.get("/api/lead/dashboard")["comments"] == 0
        ada.save(item, 1, {"consistency": 3}, comment="Which one, then?")
        assert [row["read"] for row in lead.get("/api/lead/comments")["comments"]] == [False]


def test_ways_of_working_are_noted_and_honest_ones_are_not(tmp_path: Path) -> None:
    names = ["fast", "same", "copies", "source", "ada", "bo"]
    chance = random.Random(4)
    answers: dict[str, dict[str, Any]] = {}
    with open_study(tmp_path / "s.db", small_corpus(10), annotators=names) as study:

        def write(connection: Any) -> None:
            rows = connection.execute(
                sa.select(t.assignment.c.id, t.assignment.c.item, t.annotator.c.name).join(
                    t.annotator, t.annotator.c.id == t.assignment.c.annotator
                )
            ).all()
            for number, row in enumerate(sorted(rows, key=lambda row: (row.name == "copies", row.item, row.name))):
                drawn = {one["name"]: float(chance.randint(1, 5)) for one in DIMENSIONS}
                values = {"same": {one["name"]: 3.0 for one in DIMENSIONS}}.get(row.name, drawn)
                if row.name == "copies":
                    values = answers[f"source {row.item}"]
                answers[f"{row.name} {row.item}"] = values
                answer: dict[str, Any] = {"values": values, "spans": [], "text": None, "comment": "", "by_default": []}
                spent = 2_000 if row.name == "fast" else 20_000 + chance.randint(0, 20_000)
                change = {"rev": 1, "answer": answer, "complete": True, "saved": 1e9 + number, "active_ms": spent}
                connection.execute(sa.update(t.assignment).where(t.assignment.c.id == row.id).values(**change))

        study.project.store.write(write)
        found = study.person("lead").get("/api/lead/quality")
        rows = {row["annotator"]: row for row in found["annotators"]}
        assert {name for name, row in rows.items() if row["too_fast"]} == {"fast"}
        assert {name for name, row in rows.items() if row["same_answers"]} == {"same"}
        assert rows["same"]["longest_run"] == 30
        assert [sorted(pair["annotators"]) for pair in found["copied"]] == [["copies", "source"]]


def test_where_everyone_agrees_nobody_has_copied(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", small_corpus(5), annotators=["a", "b", "c", "d", "e"]) as study:
        for name in "abcde":
            study.person(name).rate_everything(lambda item, _: 1 + len(item["summaries"][0]["text"]) % 2)
        found = study.person("lead").get("/api/lead/quality")
        assert found["copied"] == []
        assert not any(row["same_answers"] or row["too_fast"] for row in found["annotators"])


def _unlike(item: Any, name: str, person: int) -> int:
    """All agree on relevance; on consistency nobody does."""
    place = sum(map(ord, item["summaries"][0]["text"]))
    return 1 + place % 5 if name == "relevance" else 1 + (place * 7 + 2 * person) % 5


@pytest.mark.parametrize(
    ("gate", "reached"),
    [
        ({}, False),
        ({"dimensions": ["relevance"]}, True),
        ({"threshold": {"relevance": 0.9, "consistency": -0.9}}, True),
        ({"threshold": {"relevance": 0.9, "consistency": 0.1}}, False),
        ({"dimensions": ["relevance"], "require": "lower-bound"}, True),
    ],
)
def test_a_gate_looks_at_each_dimension(tmp_path: Path, gate: dict[str, Any], reached: bool) -> None:
    pilot = {"dialogues": 4, "measure": "krippendorff-alpha", "below": "ask", "reached": "ask", **gate}
    with open_study(tmp_path / "s.db", small_corpus(5), pilot=pilot) as study:
        for number, name in enumerate(("ada", "bo", "cy")):
            study.person(name).rate_everything(lambda item, dim, n=number: _unlike(item, dim, n))
        found = study.person("lead").get("/api/lead/dashboard")["gate"]
        values = {row["dimension"]: row["value"] for row in found["per_dimension"]}
        assert values["relevance"] == 1.0
        assert values["consistency"] < 0
        assert found["reached"] is reached
        assert found["value"] == values["relevance" if "dimensions" in gate else "consistency"] or gate.get("threshold")


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ({"dimensions": ["relevanse"]}, "relevance"),
        ({"threshold": {"fluency": 0.5}}, "fluency"),
        ({"threshold": {"relevance": 0.5}, "dimensions": ["relevance"]}, "leave out dimensions"),
        ({"threshold": {"relevance": 7.0}}, "less than or equal to 1"),
    ],
)
def test_a_gate_that_cannot_work_is_refused(tmp_path: Path, gate: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message), open_study(tmp_path / "s.db", pilot={"dialogues": 1, **gate}):
        pass


def test_who_is_paused_does_not_hold_up_the_gate(tmp_path: Path) -> None:
    pilot = {"dialogues": 1, "measure": "krippendorff-alpha", "threshold": 0.5, "reached": "ask"}
    with open_study(tmp_path / "s.db", pilot=pilot) as study:
        lead = study.person("lead")
        lead.send("POST", "/api/lead/annotators/3", {"action": "pause"})
        for name in ("ada", "bo"):
            study.person(name).rate_everything(lambda item, _: 1 + item["number"] % 5)
        assert lead.get("/api/lead/dashboard")["gate"]["complete"] is True


def test_formulas_do_not_leave_in_a_table(tmp_path: Path) -> None:
    from dialgauge.annotate import export_project

    dangerous = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]
    with open_study(tmp_path / "s.db") as study:
        ada = study.person("ada")
        items = [item["id"] for page in ada.pages() for item in page["items"]]
        for item, text in zip(items, dangerous, strict=False):
            ada.save(item, 0, {"consistency": 3, "relevance": 2}, comment=text)
        export_project(study.project, "csv", tmp_path / "out")
    raw = pl.read_csv(tmp_path / "out" / "ratings.csv", infer_schema=False)
    said = raw["comment"].drop_nulls().unique().to_list()
    assert len(said) == len(dangerous)
    assert all(text.startswith("'") for text in said)
    assert set(raw["value"]) <= {"3.0", "2.0"}


def test_slow_parts_are_made_beside_the_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look after further saves has the new agreement, and the drift that was made ready before."""
    chance = random.Random(3)
    with open_study(tmp_path / "s.db", small_corpus(9)) as study:
        _fill(study, chance, 0.9)
        desk = Desk(study.project, Library())
        make_ready(desk)
        drifts: list[Desk] = []
        monkeypatch.setattr(_quality, "_drift", drifts.append)
        _fill(study, chance, 0.3)
        with study.project.store.read() as connection:
            desk.refresh(connection)
            seen = _quality.quality_view(connection, desk)
        assert (len(seen["annotators"]), drifts) == (3, [])
        _compare(study, desk)
        make_ready(desk)
        assert drifts == [desk]


def test_a_server_makes_the_pages_ready_until_it_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the start on, again and again, also after the database was away for a moment."""
    turns, ready = [0], threading.Event()

    def turn(desk: Desk) -> None:
        turns[0] += 1
        if turns[0] == 1:
            raise sa.exc.OperationalError("SELECT", {}, Exception("away"))
        make_ready(desk)
        ready.set()

    monkeypatch.setattr(_ready, "make_ready", turn)
    monkeypatch.setattr(_ready, "SELDOM", 0.001)
    others = threading.enumerate()
    with open_study(tmp_path / "s.db") as study, TestClient(study.app):
        assert ready.wait(60)
    assert "lead's pages" not in [thread.name for thread in threading.enumerate() if thread not in others]
