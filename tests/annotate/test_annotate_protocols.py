"""Every protocol from the first page to the results: pilots and gates, training, checks, comparisons, spans, texts."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa

from dialgauge.annotate import _schema as tables
from dialgauge.annotate._library import Library
from dialgauge.annotate._results import results, system_codes
from tests.annotate.annotate_api import Person, Study, open_study, small_corpus


def _results(study: Study) -> Any:
    with study.project.store.read() as connection:
        return results(connection, study.project, Library(), system_codes(connection, study.project))


def _dashboard(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = study.person("lead").get("/api/lead/dashboard")
    return found


PILOT = {"dialogues": 2, "measure": "cohen-kappa", "threshold": 0.4, "below": "ask", "reached": "continue"}


def _by_text(item: dict[str, Any], name: str) -> int:
    return 1 + sum(map(ord, item["summaries"][0]["text"] + name)) % 5


def test_an_agreeing_pilot_opens_the_main_part_which_is_split_evenly(database: Path | str) -> None:
    corpus = small_corpus(8)
    with open_study(database, corpus, pilot=PILOT, assignment={"annotators_per_item": 1}) as study:
        people = [study.person(name) for name in ("ada", "bo", "cy")]
        assert [len(person.get("/api/pages")["pages"]) for person in people] == [2, 2, 2]
        for person in people[:2]:
            person.rate_everything(_by_text)
            assert person.get("/api/pages")["waiting"] == "pilot"
        assert _dashboard(study)["gate"]["complete"] is False
        people[2].rate_everything(_by_text)
        listed = [person.get("/api/pages") for person in people]
        assert [one["stage"] for one in listed] == ["main"] * 3
        assert [len([p for p in one["pages"] if p["stage"] == "main"]) for one in listed] == [2, 2, 2]
        gate = _dashboard(study)["gate"]
        assert (gate["value"], gate["reached"], gate["decision"]) == (1.0, True, "continue")
        pilot_page = listed[0]["pages"][0]["id"]
        page = people[0].get(f"/api/pages/{pilot_page}")
        assert page["editable"] is False
        answer = page["items"][0]
        late = people[0].save(answer["id"], answer["answer"]["rev"], {"consistency": 1}, status=202)
        assert late["kept"] == "closed"
        for person in people:
            person.rate_everything(_by_text)
        assert people[0].get("/api/pages")["waiting"] == "done"
        ratings = _results(study).ratings
        counts = ratings.group_by("stage").len().sort("stage")
        assert counts.rows() == [("main", 6 * 3 * 2), ("pilot", 2 * 3 * 2 * 3)]


def test_a_disagreeing_pilot_waits_for_the_lead(tmp_path: Path) -> None:
    corpus = small_corpus(9)
    settings = {"pilot": PILOT | {"reached": "ask"}, "assignment": {"annotators_per_item": 1}}
    with open_study(tmp_path / "study.db", corpus, **settings) as study:
        lead, people = study.person("lead"), [study.person(name) for name in ("ada", "bo", "cy")]
        for number, person in enumerate(people):
            person.rate_everything(lambda item, name, n=number: 1 + (_by_text(item, name) * (n + 1)) % 5)
        gate = lead.get("/api/lead/dashboard")["gate"]
        assert gate["complete"] is True
        assert gate["reached"] is False
        assert gate["decision"] is None
        assert people[0].get("/api/pages")["waiting"] == "pilot"
        lead.send("POST", "/api/lead/gate", {"decision": "repeat", "reason": "talked it over"})
        listed = [person.get("/api/pages") for person in people]
        assert [one["stage"] for one in listed] == ["pilot"] * 3
        assert [len(one["pages"]) for one in listed] == [4, 4, 4]
        for person in people:
            person.rate_everything(_by_text)
        # The first round does not speak against the second.
        assert lead.get("/api/lead/dashboard")["gate"]["value"] == 1.0
        lead.send("POST", "/api/lead/gate", {"decision": "continue", "reason": "better"})
        mains = [[p for p in one.get("/api/pages")["pages"] if p["stage"] == "main"] for one in people]
        assert sum(map(len, mains)) == 5
        lead.send("POST", "/api/lead/gate", {"decision": "continue"}, status=409)
        lead.send("POST", "/api/lead/gate", {"decision": "stop", "reason": "no money"})
        assert people[0].get("/api/pages")["waiting"] == "stopped"
        entries = [
            one["detail"]["decision"] for one in lead.get("/api/lead/audit")["entries"] if one["action"] == "gate"
        ]
        assert entries == ["stop", "continue", "repeat"]


def test_k_of_n_gives_every_dialogue_k_annotators_and_everyone_the_same_share(tmp_path: Path) -> None:
    people = [f"p{number}" for number in range(7)]
    settings = {"annotators": people, "assignment": {"annotators_per_item": 3}}
    with open_study(tmp_path / "study.db", small_corpus(7 * 4), **settings) as study, study.project.store.read() as c:
        pages = c.execute(sa.select(tables.page.c.dialogue, tables.page.c.annotator)).all()
    assert len(pages) == 28 * 3
    per_dialogue: dict[int, set[int]] = {}
    for dialogue, annotator in pages:
        per_dialogue.setdefault(dialogue, set()).add(annotator)
    assert {len(who) for who in per_dialogue.values()} == {3}
    assert {sum(one == number for _, one in pages) for number in range(1, 8)} == {12}


TRAINING = {
    "items": [
        {
            "transcript": "A: Hi\nB: Bye",
            "summary": "They part.",
            "expected": {"relevance": 5.0},
            "feedback": "All there.",
        },
        {"dialogue": "zq-dialogue-0", "system": "zq-betamax", "expected": {"consistency": 1.0}},
    ],
    "tolerance": 1.0,
    "pass_share": 0.6,
}


def test_training_gives_feedback_and_gates_the_real_items(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", training=TRAINING) as study:
        lead, ada, bo = study.person("lead"), study.person("ada"), study.person("bo")
        listed = ada.get("/api/pages")
        assert (listed["stage"], [page["stage"] for page in listed["pages"]]) == ("training", ["training"] * 2)
        first, second = ada.pages()
        assert [turn["speaker"] for turn in first["dialogue"]["turns"]] == ["A", "B"]
        item = first["items"][0]
        assert item["feedback"] is None
        saved = ada.save(item["id"], 0, {"consistency": 5, "relevance": 4})
        assert saved["feedback"] == {"passed": True, "expected": {"relevance": 5.0}, "text": "All there."}
        assert ada.save(item["id"], 1, {"consistency": 5, "relevance": 5}, status=202)["kept"] == "final"
        ada.save(second["items"][0]["id"], 0, {"consistency": 2, "relevance": 2})
        listed = ada.get("/api/pages")
        assert listed["stage"] == "main"
        # The dialogue that was practised on is not rated.
        assert len([page for page in listed["pages"] if page["stage"] == "main"]) == 2
        bo.rate_everything(3)
        assert bo.get("/api/pages")["waiting"] == "training-failed"
        number = next(one["id"] for one in lead.get("/api/lead/dashboard")["annotators"] if one["name"] == "bo")
        lead.send("POST", f"/api/lead/annotators/{number}", {"action": "admit"})
        assert bo.get("/api/pages")["stage"] == "main"
        assert set(_results(study).ratings["stage"]) <= {"main"}


def test_attention_checks_are_counted_and_left_out_of_the_ratings(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", small_corpus(6), checks={"every": 6}) as study:
        ada, bo = study.person("ada"), study.person("bo")
        checks = [i for p in ada.pages() for i in p["items"] if "attention check" in i["summaries"][0]["text"]]
        assert len(checks) == 3
        ada.rate_everything(3)

        def attentive(item: dict[str, Any], name: str) -> int:
            text = item["summaries"][0]["text"]
            return 1 if "lowest point" in text else 5 if "highest point" in text else 3

        bo.rate_everything(attentive)
        people = {one["name"]: one for one in _dashboard(study)["annotators"]}
        assert people["ada"]["checks"] == {"shown": 3, "failed": 3}
        assert people["bo"]["checks"] == {"shown": 3, "failed": 0}
        assert people["ada"]["complete"] == 18
        ratings = _results(study).ratings
        assert set(ratings["value"]) == {3.0}
        assert ratings.height == 2 * 18 * 2


def test_sentences_are_rated_beside_the_reference(tmp_path: Path) -> None:
    dimensions = [
        {"name": "informativeness", "scale": "0-2", "on": "reference-sentences"},
        {"name": "fluency", "scale": "0-2", "on": "summary-sentences"},
    ]
    with open_study(tmp_path / "study.db", dimensions=dimensions, show=["reference"]) as study:
        ada = study.person("ada")
        page = ada.pages()[0]
        assert page["dialogue"] is None
        assert len(page["reference"]["sentences"]) == 2
        item = page["items"][0]
        partial = ada.save(item["id"], 0, {"informativeness": [0, None], "fluency": [2, 1]})
        assert partial["missing"] == ["informativeness"]
        ada.save(item["id"], 1, {"informativeness": [0, 1, 2], "fluency": [2, 1]}, status=422)
        ada.save(item["id"], 1, {"informativeness": [0, 3], "fluency": [2, 1]}, status=422)
        assert ada.save(item["id"], 1, {"informativeness": [0, 1], "fluency": [2, 1]})["complete"] is True
        ratings = _results(study).ratings.select("dimension", "sentence", "value").rows()
        assert sorted(ratings) == [
            ("fluency", 1, 2.0), ("fluency", 2, 1.0), ("informativeness", 1, 0.0), ("informativeness", 2, 1.0),
        ]  # fmt: skip


def test_pairs_are_compared_without_names(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", task="compare", dimensions=[{"name": "overall"}]) as study:
        ada = study.person("ada")
        page = ada.pages()[0]
        assert len(page["items"]) == 3

        def better(item: dict[str, Any], _: str) -> str:
            ways = [int(summary["text"][-2]) for summary in item["summaries"]]
            return "1" if ways[0] < ways[1] else "2"

        ada.save(page["items"][0]["id"], 0, {"overall": "3"}, status=422)
        ada.save(page["items"][0]["id"], 0, {"overall": "tie"})
        ada.save(page["items"][0]["id"], 1, {"overall": better(page["items"][0], "")})
        ada.rate_everything(better)
        study.person("lead").send("POST", "/api/lead/unblind", {})
        found = _results(study)
        assert found.comparisons.height == 9
        means = found.ratings.group_by("system").agg(pl.col("value").mean()).sort("system")
        assert means["value"].to_list() == [1.0, 0.5, 0.0]


def test_best_and_worst_are_chosen(tmp_path: Path) -> None:
    settings = {"task": "best-worst", "candidates": 3, "dimensions": [{"name": "overall"}]}
    with open_study(tmp_path / "study.db", **settings) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]
        assert len(item["summaries"]) == 3
        assert ada.save(item["id"], 0, {"overall": {"best": 1}})["complete"] is False
        ada.save(item["id"], 1, {"overall": {"best": 1, "worst": 1}}, status=422)
        ada.save(item["id"], 1, {"overall": {"best": 1, "worst": 4}}, status=422)

        def extremes(item: dict[str, Any], _: str) -> dict[str, int]:
            ways = [int(summary["text"][-2]) for summary in item["summaries"]]
            return {"best": ways.index(0) + 1, "worst": ways.index(2) + 1}

        ada.save(item["id"], 1, {"overall": extremes(item, "")})
        ada.rate_everything(extremes)
        study.person("lead").send("POST", "/api/lead/unblind", {})
        means = _results(study).ratings.group_by("system").agg(pl.col("value").mean()).sort("system")
        assert means["value"].to_list() == [1.0, 0.5, 0.0]


def test_errors_are_marked_in_summary_and_dialogue(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", spans={}) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]
        text = item["summaries"][0]["text"]
        right = [
            {"type": "grammar", "in": "summary", "start": 0, "end": 3, "note": "why"},
            {"type": "omission", "in": "dialogue", "turn": 1, "start": 0, "end": 12},
        ]
        for wrong in (
            {"type": "magic", "start": 0, "end": 1},
            {"type": "grammar", "start": 3, "end": 3},
            {"type": "grammar", "start": 0, "end": len(text) + 1},
            {"type": "grammar", "in": "dialogue", "start": 0, "end": 1},
            {"type": "grammar", "in": "dialogue", "turn": 9, "start": 0, "end": 1},
            {"type": "grammar", "in": "title", "start": 0, "end": 1},
        ):
            ada.save(item["id"], 0, {}, spans=[wrong], status=422)
        ada.save(item["id"], 0, {"consistency": 2, "relevance": 2}, spans=right)
        marked = _results(study).spans.sort("type").select("type", "in", "marked", "note").rows()
        assert marked == [("grammar", "summary", "Ann", "why"), ("omission", "dialogue", "<file_video>", "")]


def test_one_dimension_per_pass(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db", passes="one-dimension") as study:
        ada = study.person("ada")
        pages = ada.get("/api/pages")["pages"]
        assert [(page["pass"], page["dimensions"]) for page in pages] == [(1, ["consistency"])] * 3 + [
            (2, ["relevance"])
        ] * 3
        ada.save(ada.pages()[0]["items"][0]["id"], 0, {"relevance": 1}, status=422)
        assert ada.rate_everything(2) == 18
        assert _results(study).ratings.height == 18


def test_written_references_are_reviewed_by_a_colleague(database: Path | str) -> None:
    with open_study(database, task="write", dimensions=[], annotators=["ada", "bo"]) as study:
        people = {name: study.person(name) for name in ("ada", "bo")}
        written = 0
        for name, person in people.items():
            for page in person.pages():
                if page["stage"] == "main":
                    (item,) = page["items"]
                    assert item["summaries"] == []
                    assert person.save(item["id"], 0, {}, text="   ")["complete"] is False
                    assert person.save(item["id"], 1, {}, text=f"Written by a person. {name}")["complete"] is True
                    written += 1
        assert written == 3
        reviews = {name: _reviews(person) for name, person in people.items()}
        assert sum(map(len, reviews.values())) == 3
        reviewer = people["ada"] if reviews["ada"] else people["bo"]
        writer = people["bo"] if reviews["ada"] else people["ada"]
        page = _reviews(reviewer)[0]
        (item,) = page["items"]
        assert item["summaries"][0]["text"].startswith("Written by a person.")
        reviewer.save(item["id"], 0, {"accept": 0}, comment="too short")
        mine = next(p["items"][0] for p in writer.pages() if p["items"][0]["review"])
        assert mine["review"]["comment"] == "too short"
        writer.save(mine["id"], 2, {}, text="Longer now.")
        again = reviewer.get(f"/api/pages/{page['id']}")["items"][0]
        assert again["answer"]["complete"] is False
        assert again["summaries"][0]["text"] == "Longer now."
        reviewer.save(item["id"], 1, {"accept": 1}, text="Longer now, and better.")
        texts = _results(study).texts.filter(accepted=True).select("text", "final_text").rows()
        assert texts == [("Longer now.", "Longer now, and better.")]


def _reviews(person: Person) -> list[dict[str, Any]]:
    return [page for page in person.pages() if page["stage"] == "review"]


def test_disagreements_are_adjudicated_without_names(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        for name, value in (("ada", 1), ("bo", 5), ("cy", 4)):
            study.person(name).rate_everything(value)
        lead = study.person("lead")
        lead.send("POST", "/api/lead/adjudicate", {"adjudicator": "nobody"}, status=404)
        lead.send("POST", "/api/lead/annotators", {"name": "judge", "role": "adjudicator"})
        assert lead.send("POST", "/api/lead/adjudicate", {"adjudicator": "judge"}) == {"items": 9}
        assert lead.send("POST", "/api/lead/adjudicate", {"adjudicator": "judge"}) == {"items": 0}
        judge = study.person("judge")
        item = judge.pages()[0]["items"][0]
        given = sorted(other["values"]["relevance"] for other in item["others"])
        assert given == [1, 4, 5]
        judge.rate_everything(4)
        ratings = _results(study).ratings
        assert set(ratings["annotator"]) == {"ada", "bo", "cy", "adjudication:judge"}


_CLASSES = {"name": "error", "kind": "nominal", "labels": ["none", "a person", "a number"]}


@pytest.mark.parametrize(
    "dimension", [_CLASSES, {"name": "faithful", "scale": "yes/no"}, {"name": "dull", "scale": "1-2"}]
)
def test_any_two_answers_without_distances_are_adjudicated(tmp_path: Path, dimension: dict[str, Any]) -> None:
    """A difference of 2 is what the scale asks for; no two answers to the other question are so far apart."""
    asked = [dimension, {"name": "relevance"}]
    with open_study(tmp_path / "study.db", dimensions=asked) as study:
        ada, bo = study.person("ada"), study.person("bo")
        ada.rate_everything(1)
        disputed = bo.pages()[0]["items"][0]["id"]
        other = 0 if dimension.get("scale") == "yes/no" else 2
        bo.rate_everything(lambda item, name: other if item["id"] == disputed and name != "relevance" else 1)
        lead = study.person("lead")
        lead.send("POST", "/api/lead/annotators", {"name": "judge", "role": "adjudicator"})
        assert lead.send("POST", "/api/lead/adjudicate", {"adjudicator": "judge"}) == {"items": 1}


@pytest.mark.parametrize("per_item", ["all", 1])
def test_people_are_added_paused_and_replaced(tmp_path: Path, per_item: object) -> None:
    with open_study(tmp_path / "study.db", small_corpus(9), assignment={"annotators_per_item": per_item}) as study:
        lead, ada, bo = study.person("lead"), study.person("ada"), study.person("bo")
        numbers = {one["name"]: one["id"] for one in lead.get("/api/lead/dashboard")["annotators"]}
        page = bo.pages()[0]
        bo.save(page["items"][0]["id"], 0, {"consistency": 1, "relevance": 1})
        mine = len(bo.get("/api/pages")["pages"])
        lead.send("POST", f"/api/lead/annotators/{numbers['bo']}", {"action": "pause"})
        assert bo.get("/api/pages")["waiting"] == "paused"
        assert bo.save(page["items"][1]["id"], 0, {"consistency": 2, "relevance": 1}, status=202)["kept"] == "paused"
        lead.send("POST", f"/api/lead/annotators/{numbers['bo']}", {"action": "resume"})
        lead.send("POST", f"/api/lead/annotators/{numbers['bo']}", {"action": "replace"}, status=422)
        lead.send(
            "POST", f"/api/lead/annotators/{numbers['bo']}", {"action": "replace", "successor": "ada"}, status=409
        )
        made = lead.send("POST", f"/api/lead/annotators/{numbers['bo']}", {"action": "replace", "successor": "eve"})
        assert made["link"].startswith("/enter/")
        bo.get("/api/pages", status=401)
        eve = study.person("eve")
        assert len(eve.get("/api/pages")["pages"]) == mine
        # What bo rated stays bo's; everything else is eve's.
        assert sum(page["items"] for page in eve.get("/api/pages")["pages"]) == mine * 3 - 2
        lead.send("POST", "/api/lead/annotators", {"name": "dee"})
        lead.send("POST", "/api/lead/annotators", {"name": "dee"}, status=409)
        dee = study.person("dee")
        assert len(dee.get("/api/pages")["pages"]) == (9 if per_item == "all" else 2)
        before = study.events()
        for person in (ada, eve, dee, study.person("cy")):
            person.rate_everything(3)
        total = 9 * 3 * (4 if per_item == "all" else 1)
        assert study.events() - before == total - 2
        assert _dashboard(study)["progress"]["complete"] == total


def test_the_dashboard_measures_agreement_and_time(database: Path | str) -> None:
    with open_study(database, small_corpus(8)) as study:
        for number, name in enumerate(("ada", "bo", "cy")):
            study.person(name).rate_everything(lambda item, dim, n=number: min(5, _by_text(item, dim) + (n == 2)))
        shown = _dashboard(study)
        assert shown["progress"] == {"items": 72, "complete": 72}
        alpha = next(
            r for r in shown["agreement"] if r["measure"] == "krippendorff-alpha" and r["dimension"] == "relevance"
        )
        assert alpha["low"] < alpha["value"] < alpha["high"] <= 1
        quality = study.person("lead").get("/api/lead/quality")
        assert {row["annotator"] for row in quality["drift"]} == {"ada", "bo", "cy"}
        assert shown["annotators"][0]["active_ms"] == 24_000
        assert shown["annotators"][0]["median_item_ms"] == 1000
        worst = shown["disagreements"][0]
        assert worst["spread"] == 1.0
        assert "<file_video>" in worst["dialogue"]
        assert len(worst["ratings"]) == 3
