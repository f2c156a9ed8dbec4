"""Records of two summaries, in objects or in a list, and who chose which of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import read_corpus
from dialgauge.corpus._nested_sides import with_sides

_CALLS = {
    "c1": ("Is the pool open?", "Only the outdoor one.", "The outdoor pool is open.", "The pool is closed."),
    "c2": ("May I bring a dog?", "Yes, on a lead.", "Dogs are allowed on a lead.", "No dogs."),
    "c3": ("When is breakfast?", "From seven.", "Breakfast starts at seven.", "Breakfast is at nine."),
}


def _votes(first: str, second: str, **choices: str) -> list[dict[str, Any]]:
    """A vote of two people on each call; the sides change from vote to vote."""
    rows = []
    for number, (call, who) in enumerate((call, who) for call in _CALLS for who in ("ann", "bob")):
        asked, said, good, bad = _CALLS[call]
        two = [{"variant": "long", "summary": good}, {"variant": "short", "summary": bad}]
        left, right = two if number % 2 else two[::-1]
        picked = choices["other"] if number == 2 else choices["long"] if number % 2 else choices["short"]
        chat = [["guest", asked], ["desk", said]]
        rows.append(
            {"id": number, "chat_id": call, "chat": chat, first: left, second: right, "picked": picked, "user": who}
        )
    return rows


def _read(rows: list[dict[str, Any]], folder: Path) -> Any:
    file = folder / "votes.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return read_corpus(file)


@pytest.mark.parametrize(
    ("first", "second", "choices"),
    [
        ("left", "right", {"long": "left", "short": "right", "other": "same"}),
        ("option_a", "option_b", {"long": "option_a", "short": "option_b", "other": "tie"}),
        ("control", "treatment", {"long": "control", "short": "treatment", "other": "same"}),
    ],
)
def test_the_chosen_side_is_a_preference(first: str, second: str, choices: dict[str, str], tmp_path: Path) -> None:
    corpus = _read(_votes(first, second, **choices), tmp_path)
    wins = [
        "tie" if row["winner"] == "tie" else row[f"system_{row['winner']}"]
        for row in corpus.preferences.iter_rows(named=True)
    ]
    assert (wins.count("long"), wins.count("tie"), len(wins)) == (5, 1, 6)
    assert sorted(corpus.preferences["annotator"].unique()) == ["ann", "bob"]
    assert corpus.systems == ["long", "short"]
    assert corpus.summaries.height == 6


def test_a_person_who_judges_a_list_of_two(tmp_path: Path) -> None:
    rows = []
    for vote in _votes("left", "right", long="long", short="short", other="tie"):
        two = [{"model": vote[side]["variant"], "text": vote[side]["summary"]} for side in ("left", "right")]
        rows.append(
            {
                "chat_id": vote["chat_id"],
                "chat": vote["chat"],
                "candidates": two,
                "winner": vote["picked"],
                "rater": vote["user"],
            }
        )
    corpus = _read(rows, tmp_path)
    assert corpus.preferences.height == 6
    assert corpus.preferences["winner"].to_list().count("tie") == 1


def test_two_objects_that_nobody_compared_are_two_summaries() -> None:
    rows = [
        {key: value for key, value in vote.items() if key not in ("picked", "user")}
        for vote in _votes("a", "b", long="", short="", other="")
    ]
    made = with_sides(rows)
    assert [one["system"] for one in made[0]["summaries"]] == ["short", "long"]
    assert with_sides([]) == []
    assert with_sides([{"a": {"summary": "Yes."}, "b": "no object"}]) == [{"a": {"summary": "Yes."}, "b": "no object"}]


def test_a_choice_between_sides_that_is_not_read_is_named(tmp_path: Path) -> None:
    rows = [
        {"chat_id": call, "chat": f"Guest: {asked}\nDesk: {said}", "model": "long", "summary": good, "opinion": word}
        for call, (asked, said, good, _) in _CALLS.items()
        for word in [{"c1": "left", "c2": "right", "c3": "same"}[call]]
    ]
    corpus = _read(rows * 3, tmp_path)
    assert any("'opinion' looks like judgements" in said for account in corpus.accounts for said in account.too_much())


def test_both_sides_in_one_object(tmp_path: Path) -> None:
    rows = []
    for vote in _votes("A", "B", long="A", short="B", other="tie"):
        rest = {key: value for key, value in vote.items() if key not in ("A", "B")}
        rows.append({**rest, "responses": {"A": vote["A"], "B": vote["B"]}})
    corpus = _read(rows, tmp_path)
    assert corpus.preferences.height == 6
    assert corpus.systems == ["long", "short"]


def test_texts_in_columns_that_are_called_like_the_sides(tmp_path: Path) -> None:
    rows = []
    for vote in _votes("left", "right", long="left", short="right", other="tie"):
        models = {f"{side}_model": vote[side]["variant"] for side in ("left", "right")}
        rows.append({**vote, **{side: vote[side]["summary"] for side in ("left", "right")}, **models})
    corpus = _read(rows, tmp_path)
    assert corpus.preferences.height == 6
    assert "The outdoor pool is open." in corpus.summaries["text"].to_list()
