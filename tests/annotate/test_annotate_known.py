"""Known answers and marked errors where summaries are compared: training, attention checks, hidden gold, spans."""

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from dialgauge.annotate._crowd import join_token
from dialgauge.annotate._known import failures, right_answers
from dialgauge.annotate._library import Library
from dialgauge.annotate._results import Results, results, system_codes
from dialgauge.errors import DialgaugeError
from tests.annotate.annotate_api import HOST, Person, Study, make_section, open_study, small_corpus

QUALITY = [{"name": "quality"}]
FOUR = ("zq-a", "zq-b", "zq-c", "zq-d")


def _results(study: Study) -> Results:
    with study.project.store.read() as connection:
        codes = system_codes(connection, study.project)
        return results(connection, study.project, Library(), codes)


def _texts(item: dict[str, Any]) -> list[str]:
    return [summary["text"] for summary in item["summaries"]]


def _way(text: str) -> int:
    """The number of the system that made a summary of the small corpus; 9 for anything else."""
    return int(found[1]) if (found := re.search(r"in way (\d)\.", text)) else 9


def _extremes(item: dict[str, Any], key: Any) -> dict[str, int]:
    ranked = sorted(range(len(item["summaries"])), key=lambda place: key(_texts(item)[place]))
    return {"best": ranked[0] + 1, "worst": ranked[-1] + 1}


def _pair(item: dict[str, Any], key: Any) -> str:
    return str(_extremes(item, key)["best"])


def test_training_on_pairs_tells_the_right_side_whatever_the_order(tmp_path: Path) -> None:
    items = [
        {"transcript": "A: Hi", "summaries": ["good one", "poor one"], "expected": {"quality": 1}, "feedback": "Yes."},
        {"dialogue": "zq-dialogue-0", "systems": ["zq-alphatron", "zq-betamax"], "expected": {"quality": "zq-betamax"}},
        {"transcript": "A: Hi", "summaries": ["as good", "just as good"], "expected": {"quality": "tie"}},
    ]
    training = {"items": items, "pass_share": 1.0}
    with open_study(tmp_path / "s.db", task="compare", dimensions=QUALITY, training=training) as study:
        sides = set()
        for name in ("ada", "bo", "cy"):
            person = study.person(name)
            first, second, third = (page["items"][0] for page in person.pages())
            good = str(_texts(first).index("good one") + 1)
            sides.add(good)
            given = good if name == "ada" else str(3 - int(good))
            told = person.save(first["id"], 0, {"quality": given})["feedback"]
            assert told == {"passed": name == "ada", "expected": {"quality": good}, "text": "Yes."}
            person.save(second["id"], 0, {"quality": _pair(second, lambda text: -_way(text))})
            assert person.save(third["id"], 0, {"quality": "tie"})["feedback"]["passed"]
            assert person.get("/api/pages")["waiting"] == (None if name == "ada" else "training-failed")
            assert not re.search(rb"zq-(alphatron|betamax)", b"".join(person.received)), "names reach nobody"
        assert sides == {"1", "2"}, "one order for all would not have shown that sides are told right"


def test_training_on_best_and_worst_may_know_one_end_only(tmp_path: Path) -> None:
    item = {"transcript": "A: Hi", "summaries": ["x", "y", "z"], "expected": {"quality": {"worst": 3}}}
    training = {"items": [item], "pass_share": 1.0}
    with open_study(tmp_path / "s.db", task="best-worst", dimensions=QUALITY, training=training) as study:
        for name, end in (("ada", "z"), ("bo", "x")):
            person = study.person(name)
            (first,) = person.pages()[0]["items"]
            worst = _texts(first).index(end) + 1
            told = person.save(first["id"], 0, {"quality": {"best": worst % 3 + 1, "worst": worst}})["feedback"]
            assert told["passed"] == (end == "z")
            assert told["expected"] == {"quality": {"best": None, "worst": _texts(first).index("z") + 1}}


@pytest.mark.parametrize(("task", "systems"), [("compare", FOUR[:3]), ("best-worst", FOUR)])
def test_checks_among_candidates(tmp_path: Path, task: str, systems: tuple[str, ...]) -> None:
    settings = {"task": task, "dimensions": QUALITY, "checks": {"every": 2}}
    with open_study(tmp_path / "s.db", small_corpus(4, systems), **settings) as study:
        ada, bo = study.person("ada"), study.person("bo")

        def attentive(text: str) -> float:
            return -1 if "the best one" in text else 10 if "the worst one" in text else _way(text)

        answer = _pair if task == "compare" else _extremes
        real = study.person("cy").pages()
        sizes = {len(item["summaries"]) for page in real for item in page["items"]}
        assert sizes == {2 if task == "compare" else 4}, "a check shows as many texts as any other item"
        ada.rate_everything(lambda item, _: answer(item, attentive))
        bo.rate_everything(lambda item, _: answer(item, lambda text: -attentive(text)))
        people = {one["name"]: one["checks"] for one in study.person("lead").get("/api/lead/dashboard")["annotators"]}
        assert people["ada"]["shown"] == people["bo"]["shown"] == (4 if task == "compare" else 2)
        assert people["ada"]["failed"] == 0
        assert people["bo"]["failed"] == people["bo"]["shown"]
        failed = study.person("lead").get("/api/lead/dashboard")["checks"][0]
        assert failed["expected"] != failed["given"]
        assert type(failed["expected"]) is type(failed["given"])
        told = _results(study).comparisons
        assert len({system for row in told["systems"] for system in row}) == len(systems)
        assert told.height == 2 * (12 if task == "compare" else 4), "checks are no results"


def _enrol(study: Study, who: str) -> Person:
    client = TestClient(study.app, base_url=HOST, follow_redirects=False)
    form = {"person": who, "session": "s", "agree": "yes"}
    entered = client.post(f"/join/{join_token(study.project)}", data=form, headers={"Origin": HOST})
    assert entered.status_code == 303, entered.text
    person = Person(client, who)
    person.csrf = person.get("/api/session")["csrf"]
    return person


@pytest.mark.parametrize("task", ["compare", "best-worst"])
def test_hidden_gold_among_comparisons(tmp_path: Path, task: str) -> None:
    """Pages with gold look like all others, also where the compared systems were not drawn; who guesses leaves."""
    chosen = list(FOUR if task == "best-worst" else FOUR[1:3])
    expected: Any = {"quality": {"best": "zq-a", "worst": "zq-d"} if task == "best-worst" else "zq-b"}
    gold_items = [{"dialogue": f"zq-dialogue-{n}", "systems": chosen, "expected": expected} for n in range(4)]
    settings = {
        "task": task,
        "dimensions": QUALITY,
        "annotators": [],
        "pairs_per_dialogue": 2,
        "assignment": {"annotators_per_item": 2},
        "crowd": {"people": 4, "per_person": 4},
        "gold": {"items": gold_items, "every": 1, "after": 4, "tolerance": 0.0},
    }
    with open_study(tmp_path / "s.db", small_corpus(8, FOUR), **settings) as study:
        answer = _pair if task == "compare" else _extremes
        good, guesser = _enrol(study, "good"), _enrol(study, "guesser")
        pages = good.pages()
        assert len(pages) == 8
        assert {len(page["items"]) for page in pages} == {2 if task == "compare" else 1}
        good.rate_everything(lambda item, _: answer(item, _way))
        assert good.get("/api/pages")["waiting"] == "done"
        for page in guesser.pages():
            for item in page["items"]:
                change = {"key": uuid.uuid4().hex, "rev": 0}
                change["values"] = {"quality": answer(item, lambda text: -_way(text))}
                headers = {"X-CSRF-Token": guesser.csrf, "Origin": HOST}
                guesser.client.put(f"/api/assignments/{item['id']}", json=change, headers=headers)
        lead = study.person("lead")
        outcomes = {one["state"] for one in lead.get("/api/lead/dashboard")["annotators"]}
        assert outcomes == {"active", "dropped"}


def test_errors_are_marked_in_the_candidates_of_a_comparison(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", task="compare", dimensions=QUALITY, spans={}) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]
        second = _texts(item)[1]
        wrong = {"type": "grammar", "in": "summary", "start": 0, "end": 3, "summary": 2}
        left_out = {"type": "omission", "in": "dialogue", "turn": 0, "start": 0, "end": 5, "summary": 1}
        for bad in ({**wrong, "summary": 3}, {**wrong, "summary": None}, {**left_out, "summary": None}):
            told = ada.save(item["id"], 0, {"quality": "1"}, status=422, spans=[bad])
            assert "number from 1 to 2" in told["problems"][0]["message"]
        ada.save(item["id"], 0, {"quality": "1"}, status=422, spans=[{**wrong, "end": len(second) + 1}])
        ada.save(item["id"], 0, {"quality": "1"}, spans=[wrong, left_out])
        row = ada.pages()[0]["items"][0]["answer"]
        assert [span["summary"] for span in row["spans"]] == [2, 1]
        lead = study.person("lead")
        lead.send("POST", "/api/lead/unblind", {"reason": "test"})
        told = _results(study)
        systems = told.comparisons["systems"][0].to_list()
        marks = {one["type"]: one for one in told.spans.to_dicts()}
        assert marks["grammar"]["system"] == systems[1]
        assert (marks["grammar"]["marked"], marks["omission"]["system"]) == (second[:3], systems[0])
        assert marks["omission"]["marked"] == "Where"


def test_a_writer_marks_what_the_text_rests_on(tmp_path: Path) -> None:
    with open_study(tmp_path / "s.db", task="write", dimensions=[], spans={"where": ["dialogue"]}) as study:
        ada = study.person("ada")
        item = ada.pages()[0]["items"][0]
        span = {"type": "omission", "in": "dialogue", "turn": 0, "start": 0, "end": 5}
        ada.save(item["id"], 0, {}, text="Ann asks.", status=422, spans=[{**span, "in": "summary", "turn": None}])
        ada.save(item["id"], 0, {}, text="Ann asks.", spans=[span])
        told = _results(study)
        assert told.spans.select("system", "marked").rows() == [("written", "Where")]


COMPARE = {"task": "compare", "dimensions": QUALITY}
PAIR = {"transcript": "A: Hi", "summaries": ["x", "y"], "expected": {"quality": 1}}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({**COMPARE, "training": {"items": [{**PAIR, "expected": {"quality": 3}}]}}, "a number from 1 to 2"),
        ({**COMPARE, "training": {"items": [{**PAIR, "expected": {"quality": "zq-b"}}]}}, "a number from 1 to 2"),
        ({**COMPARE, "ties": False, "training": {"items": [{**PAIR, "expected": {"quality": "tie"}}]}}, "a number"),
        ({**COMPARE, "training": {"items": [{**PAIR, "expected": {"quality": "both-bad"}}]}}, "a number"),
        ({**COMPARE, "training": {"items": [{**PAIR, "expected": {"quality": {"best": 1}}}]}}, "the better one"),
        ({**COMPARE, "training": {"items": [{**PAIR, "summaries": ["x", "x"]}]}}, "two different summaries"),
        ({**COMPARE, "training": {"items": [{**PAIR, "summaries": ["x", "y", "z"]}]}}, "two different summaries"),
        ({"dimensions": QUALITY, "training": {"items": [PAIR]}}, "one summary"),
        ({"dimensions": QUALITY, "training": {"items": [{**PAIR, "summary": "x"}]}}, "not both"),
        ({**COMPARE, "task": "best-worst", "training": {"items": [PAIR]}}, "best and worst"),
        (
            {
                **COMPARE,
                "task": "best-worst",
                "training": {"items": [{**PAIR, "expected": {"quality": {"best": 1, "worst": 1}}}]},
            },
            "must differ",
        ),
        ({"task": "write", "dimensions": [], "checks": {}}, "can be right"),
        ({"task": "write", "dimensions": [], "spans": {}}, "where = ['dialogue']"),
    ],
)
def test_what_cannot_be_known_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make_section(**settings)


def test_gold_that_does_not_fit_its_page_is_refused(tmp_path: Path) -> None:
    base = {
        **COMPARE,
        "annotators": [],
        "assignment": {"annotators_per_item": 1},
        "crowd": {"people": 2},
        "pairs_per_dialogue": 1,
    }
    pairs = [["zq-a", "zq-b"], ["zq-a", "zq-c"]]
    items = [{"dialogue": "zq-dialogue-0", "systems": pair, "expected": {"quality": "zq-a"}} for pair in pairs]
    for number, (gold, message) in enumerate(
        [
            (items, "more than the 1 comparisons"),
            ([{**items[0], "systems": ["zq-a", "zq-x"]}], "zq-x"),
        ]
    ):
        with (
            pytest.raises(DialgaugeError, match=message),
            open_study(tmp_path / f"{number}.db", small_corpus(3, FOUR), **base, gold={"items": gold}),
        ):
            pass


def test_right_answers_follow_the_order_shown() -> None:
    right = {"quality": {"best": 7, "worst": None}}
    assert failures(right, {"quality": {"best": 2, "worst": 1}}, 0.0, [9, 7]) == []
    assert failures(right, {"quality": "1"}, 0.0, [9, 7]) == ["quality"]
    assert failures(right, {"quality": "tie"}, 0.0, [9, 7]) == ["quality"]
    assert failures({"quality": "tie"}, {"quality": "1"}, 0.0, [9, 7]) == ["quality"]
    assert failures(right, {}, 0.0, [9, 7]) == []
    assert failures(right, {"quality": "2:clearly better"}, 0.0, [9, 7]) == []
    assert failures(right, {"quality": "1:clearly better"}, 0.0, [9, 7]) == ["quality"]
    assert failures({"quality": "tie"}, {"quality": "both-bad"}, 0.0, [9, 7]) == []
    assert failures({"quality": "both-bad"}, {"quality": "both-good"}, 0.0, [9, 7]) == ["quality"]
    assert right_answers({"quality": "both-bad"}, "compare", [9, 7]) == {"quality": "both-bad"}
    assert right_answers(right, "compare", [9, 7]) == {"quality": "2"}
    assert right_answers({"x": 3.0}, "rate", [9]) == {"x": 3.0}
