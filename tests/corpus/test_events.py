"""Logs of programs: records of several kinds that name each other."""

import json
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, read_corpus

_CALLS = {
    "c1": ("Is the pool open?", "Only the outdoor one.", "The outdoor pool is open."),
    "c2": ("May I bring a dog?", "Yes, on a lead.", "Dogs are allowed on a lead."),
    "c3": ("When is breakfast?", "From seven.", "Breakfast starts at seven."),
    "c4": ("Is there a sauna?", "In the cellar.", "There is a sauna."),
}


def _log(people: tuple[str, ...] = ("u1", "u2")) -> list[dict[str, Any]]:
    """All summaries are shown before anybody says something, so that the order of the lines tells nothing."""
    events: list[dict[str, Any]] = []
    for number, (call, (asked, said, text)) in enumerate(_CALLS.items()):
        messages = [{"role": "customer", "text": asked}, {"role": "agent", "text": said}]
        shown = {"event": "shown", "summary_id": f"s{number}", "model": f"m{number % 2}", "summary": text}
        events.append({"event": "page_view", "user": "u1", "path": f"/inbox/{call}"})
        events.append({**shown, "latency_ms": 900 + number, "conversation": {"id": call, "messages": messages}})
    for number in range(len(_CALLS)):
        for place, who in enumerate(people):
            stars = 1 + (number + 2 * place) % 5
            events.append({"event": "feedback", "summary_id": f"s{number}", "user": who, "stars": stars, "thumb": "up"})
            if stars < 3:
                events[-1]["thumb"] = "down"
    return events


def _read(events: list[dict[str, Any]], folder: Path) -> Corpus:
    file = folder / "log.jsonl"
    file.write_text("\n".join(map(json.dumps, events)) + "\n", encoding="utf-8")
    return read_corpus(file)


@pytest.mark.parametrize("people", [("u1", "u2"), ("u1",)])
def test_feedback_belongs_to_the_summary_that_it_names(people: tuple[str, ...], tmp_path: Path) -> None:
    corpus = _read(_log(people), tmp_path)
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    assert (corpus.dialogues.height, corpus.systems) == (4, ["m0", "m1"])
    given = {
        (row["dialogue_id"], row["annotator"]): row["value"]
        for row in corpus.ratings.filter(corpus.ratings["dimension"] == "stars").iter_rows(named=True)
    }
    assert given == {
        (call, who): 1 + (number + 2 * place) % 5
        for number, call in enumerate(_CALLS)
        for place, who in enumerate(people)
    }
    assert corpus.ratings.height == 2 * len(given)
    assert any(note == "records not used: page_view (4)" for note in corpus.notes)


def test_feedback_on_what_was_not_shown_is_left_out_and_said(tmp_path: Path) -> None:
    events = [*_log(), {"event": "feedback", "summary_id": "s9", "user": "u1", "stars": 5, "thumb": "up"}]
    corpus = _read(events, tmp_path)
    assert corpus.ratings.height == 16
    assert [(one.line, one.reason) for one in corpus.problems] == [(17, "the row has no dialogue_id")]


def test_a_record_without_an_id_is_not_about_the_one_above(tmp_path: Path) -> None:
    events = [event for event in _log() if event["event"] != "page_view"]
    for event in events:
        if event["event"] == "feedback":
            del event["summary_id"]
    corpus = _read(events, tmp_path)
    assert corpus.ratings.is_empty()
    assert any(account.too_much() for account in corpus.accounts)


@pytest.mark.parametrize("own", ["summary_id", "id"])
def test_what_happened_may_stand_in_an_object(own: str, tmp_path: Path) -> None:
    events = []
    for event in _log():
        if event["event"] != "page_view":
            data = {key: value for key, value in event.items() if key != "event"}
            if event["event"] == "shown":
                told = data.pop("conversation")
                data = {
                    own: data.pop("summary_id"),
                    "conversation_id": told["id"],
                    "transcript": told["messages"],
                    **data,
                }
            events.append({"event": event["event"], "payload": data})
    corpus = _read(events, tmp_path)
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    assert (corpus.dialogues.height, corpus.ratings.height) == (4, 16)
