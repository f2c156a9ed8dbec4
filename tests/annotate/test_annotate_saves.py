"""Saving over HTTP, on SQLite and on PostgreSQL: nothing lost, nothing written twice, nothing overwritten."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from tests.annotate.annotate_api import HOST, open_study, small_corpus


def test_a_rating_is_saved_and_comes_back(database: Path | str) -> None:
    with open_study(database) as study:
        ada = study.person("ada")
        listed = ada.get("/api/pages")
        assert (listed["stage"], listed["waiting"], len(listed["pages"])) == ("main", None, 3)
        page = ada.get(f"/api/pages/{listed['next']}")
        item = page["items"][0]
        assert item["answer"] == {
            "rev": 0, "values": {}, "spans": [], "text": None, "comment": "", "by_default": [], "complete": False,
        }  # fmt: skip
        first = ada.save(item["id"], 0, {"consistency": 4}, active_ms=1200)
        assert (first["rev"], first["complete"], first["missing"]) == (1, False, ["relevance"])
        second = ada.save(item["id"], 1, {"consistency": 4, "relevance": 2}, comment="hm", active_ms=800)
        assert (second["rev"], second["complete"]) == (2, True)
        assert second["progress"] == {"items": 9, "complete": 1, "active_ms": 2000, "remaining_ms": 16000}
        again = ada.get(f"/api/pages/{listed['next']}")["items"][0]["answer"]
        assert again["values"] == {"consistency": 4, "relevance": 2}
        assert (again["comment"], again["complete"], again["rev"]) == ("hm", True, 2)
        assert study.events() == 2
    with open_study(database) as study:
        assert study.person("ada").get("/api/pages")["progress"]["complete"] == 1


def test_the_same_key_twenty_times_at_once_is_one_event(database: Path | str) -> None:
    with open_study(database) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]["id"]
        key = str(uuid.uuid4())
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda _: ada.save(item, 0, {"consistency": 5}, key=key), range(20)))
        assert study.events() == 1
        assert {reply["rev"] for reply in replies} == {1}
        assert sorted(reply["repeated"] for reply in replies) == [False] + [True] * 19


def test_two_processes_on_postgresql_write_one_event(postgres: str) -> None:
    with psycopg.connect(f"{postgres}/postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE shared")
    with open_study(f"{postgres}/shared") as first, open_study(f"{postgres}/shared") as second:
        people = [first.person("ada"), second.person("ada")]
        item = people[1].pages()[0]["items"][0]["id"]
        key = str(uuid.uuid4())
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda n: people[n % 2].save(item, 0, {"consistency": 5}, key=key), range(20)))
        assert first.events() == 1
        assert sorted(reply["repeated"] for reply in replies) == [False] + [True] * 19
        assert people[0].save(item, 0, {"consistency": 1}, status=409)["error"] == "conflict"


def test_two_tabs_conflict_and_nothing_is_overwritten(database: Path | str) -> None:
    with open_study(database) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]["id"]
        ada.save(item, 0, {"consistency": 5})
        refused = ada.save(item, 0, {"consistency": 1}, status=409)
        assert refused["error"] == "conflict"
        assert refused["current"]["values"] == {"consistency": 5}
        assert refused["current"]["rev"] == 1
        assert study.events() == 1


def test_twenty_changes_of_one_revision_at_once_give_one_winner(database: Path | str) -> None:
    with open_study(database) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]["id"]

        def save(number: int) -> int:
            body = {"key": str(uuid.uuid4()), "rev": 0, "values": {"consistency": 1 + number % 5}}
            headers = {"X-CSRF-Token": ada.csrf, "Origin": HOST}
            return ada.client.put(f"/api/assignments/{item}", json=body, headers=headers).status_code

        with ThreadPoolExecutor(20) as pool:
            codes = sorted(pool.map(save, range(20)))
        assert codes == [200] + [409] * 19
        assert study.events() == 1


def test_a_key_stands_for_one_change_only(database: Path | str) -> None:
    with open_study(database) as study:
        ada = study.person("ada")
        first, second = (item["id"] for item in ada.pages()[0]["items"][:2])
        key = str(uuid.uuid4())
        ada.save(first, 0, {"consistency": 5}, key=key)
        assert ada.save(first, 1, {"consistency": 4}, key=key, status=409)["error"] == "key-reused"
        assert ada.save(second, 0, {"consistency": 5}, key=key, status=409)["error"] == "key-reused"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"consistency": 6}, "6 is not on the scale 1-5"),
        ({"consistency": 0}, "0 is not on the scale 1-5"),
        ({"consistency": 2.5}, "2.5 is not on the scale 1-5"),
        ({"consistency": "1"}, "must be a number"),
        ({"consistency": [1]}, "must be a number"),
        ({"clarity": 1}, "is not asked here"),
    ],
)
def test_answers_off_the_protocol_are_refused_with_a_reason(tmp_path: Path, values: object, message: str) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]["id"]
        refused = ada.save(item, 0, values, status=422)
        assert [problem["message"] for problem in refused["problems"]] == [message]
        assert study.events() == 0


def test_bad_bodies_and_foreign_items_are_refused(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        ada, bo = study.person("ada"), study.person("bo")
        item = ada.pages()[0]["items"][0]["id"]
        bo.save(item, 0, {"consistency": 1}, status=404)
        ada.save("nothing", 0, {}, status=404)
        ada.save(item, 0, {}, key="no key", status=422)
        ada.save(item, -1, {}, status=422)
        ada.save(item, 0, {"consistency": 1e308}, status=422)
        ada.save(item, 0, {"consistency": True}, status=422)
        ada.save(item, 0, {}, active_ms=10**9, status=422)
        ada.save(item, 0, {}, text="no text is asked for", status=422)
        ada.save(item, 0, {}, spans=[{"type": "grammar", "start": 0, "end": 1}], status=422)
        page = ada.get("/api/pages")["next"]
        bo.get(f"/api/pages/{page}", status=404)


def test_a_single_sentence_has_a_visible_logged_default(tmp_path: Path) -> None:
    dialogue = Dialogue("d", (Turn("A", "Hello."),))
    summaries = [Summary("d", "one", "A greets."), Summary("d", "two", "A greets. Nobody answers.")]
    corpus = Corpus.build([dialogue], summaries)
    default = {"when": "single-sentence", "value": 4.0, "note": "one sentence"}
    dimensions = [{"name": "coherence", "default": default}, {"name": "fluency"}]
    with open_study(tmp_path / "study.db", corpus, dimensions=dimensions) as study:
        ada = study.person("ada")
        items = {item["summaries"][0]["text"]: item for item in ada.pages()[0]["items"]}
        single, double = items["A greets."], items["A greets. Nobody answers."]
        assert single["defaults"] == {"coherence": {"value": 4.0, "note": "one sentence"}}
        assert double["defaults"] == {}
        saved = ada.save(single["id"], 0, {"fluency": 5})
        assert (saved["by_default"], saved["complete"]) == (["coherence"], True)
        chosen = ada.save(single["id"], 1, {"fluency": 5, "coherence": 2})
        assert chosen["by_default"] == []
        assert ada.save(double["id"], 0, {"fluency": 5})["missing"] == ["coherence"]


def test_systems_are_shuffled_per_annotator_and_the_same_each_time(tmp_path: Path) -> None:
    def orders(name: str) -> list[list[str]]:
        with open_study(tmp_path / name, small_corpus(12)) as study:
            people = [study.person(one) for one in ("ada", "bo")]
            return [[item["summaries"][0]["text"] for page in one.pages() for item in page["items"]] for one in people]

    first, second = orders("a.db"), orders("b.db")
    assert first == second
    assert first[0] != first[1]
    assert sorted(first[0]) == sorted(first[1])
