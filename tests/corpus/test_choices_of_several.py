"""Choices of the best (and the worst) among several summaries: nested, of an annotation tool, and with a key."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError

_SYSTEMS = ("lynx-2", "otter", "first lines")
_CALLS = ("T-71", "T-72", "T-73", "T-74")
_PEOPLE = ("uma", "viktor")


def _said(call: str) -> list[list[str]]:
    return [["Guest", f"Is room {call} free?"], ["Desk", f"It is, from noon on, {call}."], ["Guest", "Thank you."]]


def _text(call: str, system: str) -> str:
    return f"The guest asks whether room {call} is free, as {system} has it."


def _order(call: str) -> list[str]:
    """The systems behind the letters of a call."""
    start = int(call[-1]) % 3
    return [*_SYSTEMS[start:], *_SYSTEMS[:start]]


def _chosen(call: str, who: str) -> tuple[str, str]:
    best = (int(call[-1]) + len(who)) % 3
    return _SYSTEMS[best], _SYSTEMS[(best + 1) % 3]


def _asked(corpus: Corpus) -> list[str]:
    return [text for one in corpus.accounts for text in one.too_much()]


def _check(corpus: Corpus, worst: bool = True, unanswered: Sequence[tuple[str, str]] = ()) -> None:
    assert _asked(corpus) == []
    assert not corpus.problems
    assert (corpus.dialogues.height, corpus.summaries.height) == (4, 12)
    assert sorted(corpus.systems) == sorted(_SYSTEMS)
    assert set(corpus.dialogues["turns"].list.len()) == {3}
    rows = corpus.choices.filter(pl.col("choice") != "neither")
    found = {(d, w, c): s for d, w, c, s in rows.select("dialogue_id", "annotator", "choice", "system").iter_rows()}
    wanted = {
        (call, who, end): system
        for call in _CALLS
        for who in _PEOPLE
        if (call, who) not in unanswered
        for end, system in zip(("best", "worst"), _chosen(call, who), strict=True)
        if worst or end == "best"
    }
    assert found == wanted
    assert sum(account.stored for account in corpus.accounts) == len(wanted) // (1 + worst)
    assert set(corpus.choices.group_by("dialogue_id", "annotator").len()["len"]) == {3}


def _dump(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _judged(call: str, letters: str, skipped: Sequence[tuple[str, str]] = ()) -> list[dict[str, Any]]:
    code = dict(zip(_order(call), letters, strict=True))
    return [
        {"rater": who, "best": None, "worst": None}
        if (call, who) in skipped
        else {"rater": who, "best": code[_chosen(call, who)[0]], "worst": code[_chosen(call, who)[1]], "ms": 900}
        for who in _PEOPLE
    ]


@pytest.mark.parametrize("listed", [False, True])
def test_letters_of_nested_options_are_resolved(tmp_path: Path, listed: bool) -> None:
    records = []
    for call in _CALLS:
        options: Any = {
            letter: {"made_by": system, "text": _text(call, system)}
            for letter, system in zip("PQR", _order(call), strict=True)
        }
        if listed:
            options = [{"letter": letter, **one} for letter, one in options.items()]
        talk = {"kind": "hotel", "turns": _said(call)}
        records.append(
            {"no": call, "talk": talk, "options": options, "answers": _judged(call, "PQR", [("T-72", "uma")])}
        )
    corpus = read_corpus(_dump(tmp_path / "a.json", {"batch": 7, "tasks": records}))
    _check(corpus, unanswered=[("T-72", "uma")])
    assert any("1 questions were not answered" in note for note in corpus.notes)


def test_a_letter_that_no_option_has_is_left_out_and_said(tmp_path: Path) -> None:
    records = []
    for call in _CALLS:
        answers = _judged(call, "PQR")
        if call == "T-73":
            answers[0]["best"] = "Z"
        options = dict(zip("PQR", (_text(call, system) for system in _order(call)), strict=True))
        records.append({"no": call, "turns": _said(call), "options": options, "answers": answers})
    corpus = read_corpus(_dump(tmp_path / "a.json", records))
    assert _asked(corpus) == ["1 of 8 judgements left out (12%)"]


def _write(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows(rows)
    return path


@pytest.mark.parametrize("nested", [True, False])
def test_a_key_resolves_the_letters_of_texts_and_choices(tmp_path: Path, nested: bool) -> None:
    folder = tmp_path / "s"
    talks = [["conv", "transcript"], *([c, "\n".join(": ".join(one) for one in _said(c))] for c in _CALLS)]
    _write(folder / "talks.csv", talks)
    texts = [["conv", "code", "words", "text"]]
    answers = [["trial", "conv", "shown", "best", "worst", "participant"]]
    for call in _CALLS:
        texts += [[call, c, "12", _text(call, s)] for c, s in zip("ABC", _order(call), strict=True)]
        code = dict(zip(_order(call), "ABC", strict=True))
        answers += [
            [f"t{call}{who}", call, "A, B, C", *(code[system] for system in _chosen(call, who)), who] for who in _PEOPLE
        ]
    _write(folder / "texts.csv", texts)
    _write(folder / "answers.csv", answers)
    if nested:
        _dump(folder / "key.json", {call: dict(zip("ABC", _order(call), strict=True)) for call in _CALLS})
    else:
        _write(folder / "key.csv", [["conv", *"ABC"], *([call, *_order(call)] for call in _CALLS)])
    _check(read_corpus(folder))
    answers[3][4] = ""
    _write(folder / "answers.csv", answers)
    assert read_corpus(folder).choices.filter(choice="worst").height == 7
    assert read_corpus(folder).choices.filter(choice="best").height == 8


def _tasks(options: Sequence[tuple[str, str]] = (), picked: int = 1) -> list[dict[str, Any]]:
    made = []
    for number, (call, who) in enumerate((call, who) for call in _CALLS for who in _PEOPLE):
        shown = [{"id": s, "text": _text(call, s)} for s in _order(call)]
        one = {
            "text": "\n".join(": ".join(said) for said in _said(call)),
            "meta": {"dialog": call, "source": "round one"},
            "options": shown,
            "accept": [_chosen(call, who)[0], "otter"][:picked],
            "answer": "accept",
            "_annotator_id": who,
            "_task_hash": number,
        }
        made.append(one)
    return made


def test_the_best_of_several_of_prodigy(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, _tasks())))
    corpus = read_corpus(path)
    _check(corpus, worst=False)
    assert any("no worst" in note for note in corpus.notes)


def test_an_empty_or_double_pick_of_prodigy_is_counted(tmp_path: Path) -> None:
    tasks = _tasks()
    tasks[0]["accept"] = []
    tasks[1]["accept"] = ["otter", "lynx-2"]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks)))
    corpus = read_corpus(path)
    assert corpus.accounts[0].rejected == {"nothing was picked": 1}
    assert _asked(corpus) == ["1 of 7 judgements left out (14%)"]
    assert corpus.choices.filter(choice="best").height == 6


def test_long_answers_of_prodigy_are_no_summaries(tmp_path: Path) -> None:
    answers = {"all": "All of it was said.", "part": "Some of it was not said.", "wrong": "Somebody said the opposite."}
    tasks = [
        {
            "text": _text(call, system),
            "meta": {"call_id": call, "system": system, "dialogue": "\n".join(": ".join(one) for one in _said(call))},
            "options": [{"id": name, "text": answer} for name, answer in answers.items()],
            "accept": [list(answers)[(number + len(who)) % 3]],
            "answer": "accept",
            "_annotator_id": who,
            "_task_hash": number,
        }
        for number, (call, system) in enumerate((call, system) for call in _CALLS for system in _SYSTEMS)
        for who in _PEOPLE
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks)))
    corpus = read_corpus(path)
    assert corpus.choices.is_empty()
    assert corpus.summaries.height == 12
    assert corpus.ratings["value"].count() == 24


def test_scores_that_are_called_best_and_worst_are_no_choices(tmp_path: Path) -> None:
    records = [
        {
            "call_id": c,
            "turns": _said(c),
            "candidates": {s: _text(c, s) for s in _SYSTEMS},
            "best_of": 0.4,
            "worst_of": 0.1,
        }
        for c in _CALLS
    ]
    corpus = read_corpus(_dump(tmp_path / "a.json", records))
    assert corpus.choices.is_empty()
    assert corpus.summaries.height == 12


def test_numbered_options_of_prodigy_are_no_systems(tmp_path: Path) -> None:
    tasks = _tasks()
    for task in tasks:
        for number, option in enumerate(task["options"]):
            option["id"] = number
        task["accept"] = [1]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, tasks)))
    with pytest.raises(InputError, match="nothing says who wrote each"):
        read_corpus(path)


@pytest.mark.parametrize("whole", [True, False])
def test_a_key_to_letters_is_applied_or_asked_about(tmp_path: Path, whole: bool) -> None:
    folder = tmp_path / "s"
    rows = [["call", "letter", "transcript", "summary", "rater", "clarity"]]
    said = {call: "\n".join(": ".join(one) for one in _said(call)) for call in _CALLS}
    rows += [
        [call, letter, said[call], _text(call, letter), who, str(1 + (int(call[-1]) + len(letter + who)) % 5)]
        for call in _CALLS
        for letter in "AB"
        for who in _PEOPLE
    ]
    _write(folder / "rated.csv", rows)
    told = {call: {"A": _SYSTEMS[int(call[-1]) % 2], "B": _SYSTEMS[2]} for call in _CALLS[0 if whole else 1 :]}
    _dump(folder / "key.json", told)
    corpus = read_corpus(folder)
    if not whole:
        assert any("'key' says which system" in text for text in _asked(corpus))
        return
    assert _asked(corpus) == []
    named = corpus.ratings.select("dialogue_id", "system", "value").rows()
    assert {(call, system) for call, system, _ in named} == {
        (call, system) for call, letters in told.items() for system in letters.values()
    }
