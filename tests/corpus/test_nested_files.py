"""Nested files as programs export them: what stands beside the judgements is not taken for some."""

import json
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.corpus._packed_answers import with_answers_opened
from dialgauge.errors import InputError

_TURNS = [{"from": "guest", "body": "Is the pool open?"}, {"from": "desk", "body": "Only the outdoor one."}]
_TEXTS = {"haze": "The outdoor pool is open.", "mist": "The indoor pool is closed today."}


def _read(content: Any, folder: Path, name: str = "export.json") -> Corpus:
    file = folder / name
    lines = content if name.endswith("l") else [content]
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    corpus = read_corpus(file)
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    return corpus


def _export(**beside: Any) -> dict[str, Any]:
    """Three conversations with two reviewed summaries each."""
    return {
        "version": 4,
        "conversations": [
            {
                "id": number,
                **beside,
                "messages": _TURNS,
                "summaries": [
                    {
                        "engine": engine,
                        "text": text,
                        "auto_scores": {"rouge1": 0.2 + number / 10, "groundedness": 0.9},
                        "reviews": [
                            {"reviewer": {"name": who}, "scores": {"accuracy": 1 + (number + place) % 5}}
                            for place, who in enumerate(("Carla", "Deniz"))
                        ],
                    }
                    for engine, text in _TEXTS.items()
                ],
            }
            for number in (1, 2, 3)
        ],
    }


def test_seconds_since_1970_are_no_judgements(tmp_path: Path) -> None:
    content = _export()
    for number, one in enumerate(content["conversations"]):
        one["created"] = 1741000000 + 343 * number
    corpus = _read(content, tmp_path)
    assert corpus.dimensions == ["accuracy"]
    assert corpus.ratings.height == 12


def test_scores_and_statistics_of_programs_beside_reviews(tmp_path: Path) -> None:
    stats = {"stats": [{"name": "Talk Ratio", "value": 0.44}, {"name": "Patience", "value": 0.7}]}
    corpus = _read(_export(interaction=stats), tmp_path)
    assert corpus.dimensions == ["accuracy"]
    assert corpus.ratings["annotator"].unique().sort().to_list() == ["Carla", "Deniz"]


def test_the_words_of_a_mark_are_no_id(tmp_path: Path) -> None:
    def mark(summary: str, words: str) -> dict[str, Any]:
        return {
            "start": summary.index(words),
            "end": summary.index(words) + len(words),
            "text": words,
            "category": "fact",
        }

    records: list[dict[str, Any]] = []
    for call in ("d1", "d2"):
        for model, text in _TEXTS.items():
            found = [mark(text, words) for words in (("outdoor", "open") if model == "haze" else ("indoor",))]
            annotations = [
                {"annotator": "a", "errors": found, "overall": 3 if model == "haze" else 4},
                {"annotator": "b", "errors": [] if call == "d2" else found[:1], "overall": 2},
            ]
            source = {"dialog_id": call, "utterances": [{"spk": one["from"], "utt": one["body"]} for one in _TURNS]}
            records.append(
                {
                    "record_id": len(records),
                    "source": source,
                    "model": model,
                    "hypothesis": text,
                    "annotations": annotations,
                }
            )
    corpus = _read({"project": "pilot", "records": records}, tmp_path)
    marked = corpus.spans.filter(corpus.spans["start"].is_not_null())
    assert marked["text"].to_list().count("outdoor") == 3
    assert (marked.height, corpus.spans.height, corpus.ratings.height) == (8, 10, 8)
    assert sorted(corpus.spans["annotator"].unique()) == ["a", "b"]


def test_whether_a_task_of_prodigy_was_done_is_no_judgement(tmp_path: Path) -> None:
    text = _TEXTS["haze"]
    tasks = [
        {
            "text": text,
            "dialogue": "Guest: Is the pool open?\nDesk: Only the outdoor one.",
            "meta": {"call_id": f"c{call}", "system": "haze"},
            "_task_hash": call,
            "spans": [{"start": 4, "end": 11, "label": "fact"}, {"start": 12, "end": 16, "label": "fact"}][: call % 3],
            "answer": "ignore" if call == 4 else "accept",
            "_annotator_id": who,
        }
        for call in range(5)
        for who in ("ann", "bob")
    ]
    corpus = _read(tasks, tmp_path, "tasks.jsonl")
    assert corpus.spans.filter(corpus.spans["start"].is_not_null()).height == 6


def test_people_are_called_by_the_name_in_the_object_about_them(tmp_path: Path) -> None:
    content = _export()
    mails = {"Carla": "carla@a.example", "Deniz": "deniz@a.example"}
    for review in (r for one in content["conversations"] for s in one["summaries"] for r in s["reviews"]):
        review["reviewer"]["email"] = mails[review["reviewer"]["name"]]
    assert _read(content, tmp_path).ratings["annotator"].unique().sort().to_list() == ["Carla", "Deniz"]
    for review in (r for one in content["conversations"] for s in one["summaries"] for r in s["reviews"]):
        review["reviewer"]["name"] = "Carla"
    assert _read(content, tmp_path).ratings["annotator"].unique().sort().to_list() == sorted(mails.values())


def test_speakers_are_called_as_the_list_of_parties_says(tmp_path: Path) -> None:
    content = _export(parties=[{"speakerId": "54", "name": "Ana"}, {"speakerId": "57", "name": "Tom"}])
    said = [("54", ["Is the pool open?"]), ("57", ["Only the outdoor one.", "It is warm."]), ("54", ["Thanks."])]
    for one in content["conversations"]:
        del one["messages"]
        one["transcript"] = [{"speakerId": who, "sentences": [{"text": text} for text in texts]} for who, texts in said]
    turns = _read(content, tmp_path).dialogue("1").turns
    assert [str(turn) for turn in turns] == [
        "Ana: Is the pool open?",
        "Tom: Only the outdoor one. It is warm.",
        "Ana: Thanks.",
    ]


def test_answers_as_json_in_a_text_under_an_unknown_ending(tmp_path: Path) -> None:
    records = [
        {
            "source": f"Guest: Is pool {number} open?\nDesk: Only the outdoor one.",
            "dialogue-id": f"c{number}",
            "system": system,
            "summary": text,
            "job-1": {
                "annotationsFromAllWorkers": [
                    {
                        "workerId": who,
                        "annotationData": {
                            "content": json.dumps({"coverage": {"label": str(grade)}, "invented": {"label": worst}})
                        },
                    }
                    for who, grade, worst in (
                        ("w1", 4, "yes" if number == 1 else "no"),
                        ("w2", 1 + number, "yes" if number else "no"),
                    )
                ]
            },
            "job-1-metadata": {"type": "custom", "human-annotated": "yes"},
        }
        for number in range(3)
        for system, text in _TEXTS.items()
    ]
    (tmp_path / "output.manifest").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    corpus = read_corpus(tmp_path / "output.manifest")
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    assert corpus.ratings.group_by("dimension").len().sort("dimension").rows() == [("coverage", 12), ("invented", 12)]
    assert corpus.ratings.filter(corpus.ratings["dimension"] == "coverage")["value"].sum() == 2 * (12 + 6)


def test_what_a_model_wrote_as_json_stays_a_text() -> None:
    long = json.dumps({"summary": "A text that is longer than any answer to a question would be."})
    record = {"output": long, "broken": "{no object}", "answers": '{"coherence": 4}', "list": ["{}", "{}"]}
    assert with_answers_opened(record) == {**record, "answers": {"coherence": 4}}


def test_a_file_under_an_unknown_ending_is_known_by_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "ratings.out").write_text(
        "dialogue_id,system,annotator,coherence\n1,a,ann,4\n2,a,ann,5\n", encoding="utf-8"
    )
    assert read_corpus(tmp_path / "ratings.out").ratings.height == 2
    (tmp_path / "notes.out").write_text("Some prose.\nAnd more.\n", encoding="utf-8")
    with pytest.raises(InputError, match="the format is not clear from the name"):
        read_corpus(tmp_path / "notes.out")


def _help_desk() -> dict[str, Any]:
    """Conversations in which summaries and reviews are two lists, and a customer rated the talk."""
    customer, agent, robot = (
        {"type": kind, "name": name} for kind, name in (("user", "Ola"), ("admin", "Kay"), ("bot", "Op"))
    )
    return {
        "type": "conversation.list",
        "conversations": [
            {
                "type": "conversation",
                "id": f"2154{number}",
                "source": {"type": "conversation", "id": "390", "body": "<p>Is the pool open?</p>", "author": customer},
                "conversation_rating": {"rating": 2 + number, "remark": "", "created_at": 1773005000},
                "conversation_parts": {
                    "type": "conversation_part.list",
                    "conversation_parts": [
                        {"id": "1", "part_type": "comment", "body": "<p>Only the outdoor one.</p>", "author": agent},
                        {"id": "2", "part_type": "assignment", "body": None, "author": robot},
                        {"id": "3", "part_type": "comment", "body": "<p>Thanks.</p>", "author": customer},
                    ],
                },
                "summaries": [{"source": name, "body": f"<p>{text}</p>"} for name, text in _TEXTS.items()],
                "summary_reviews": [
                    {
                        "summary_source": name,
                        "reviewer": {"id": who, "name": "Bea"},
                        "accuracy": 1 + (number + place) % 4,
                    }
                    for place, name in enumerate(_TEXTS)
                    for who in ("814861", "814877")
                ],
            }
            for number in range(3)
        ],
    }


def test_reviews_that_name_their_summary_by_its_source(tmp_path: Path) -> None:
    corpus = _read(_help_desk(), tmp_path)
    assert corpus.systems == ["haze", "mist"]
    assert corpus.dimensions == ["accuracy"]
    assert sorted(corpus.ratings["annotator"].unique()) == ["814861", "814877"], "two people have one name"
    assert (corpus.ratings.select("dialogue_id", "system").n_unique(), corpus.ratings.height) == (6, 12)
    assert [str(turn) for turn in corpus.dialogue("21540").turns] == [
        "Ola: Is the pool open?",
        "Kay: Only the outdoor one.",
        "Ola: Thanks.",
    ]


def test_summaries_of_which_two_keys_may_name_the_system_are_not_guessed(tmp_path: Path) -> None:
    content = _help_desk()
    for one in content["conversations"]:
        for number, summary in enumerate(one["summaries"]):
            summary["style"] = f"style {number}"
    (tmp_path / "x.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    with pytest.raises(InputError, match="a summary needs 'system' and 'text'"):
        read_corpus(tmp_path / "x.json")


def _with_errors(**errors: Any) -> list[dict[str, Any]]:
    return [
        {"call_id": f"c{number}", "chat": [["guest", f"Is pool {number} open?"], ["desk", "Only the outdoor one."]]}
        | {"model": model, "summary": text, **errors}
        for number in range(3)
        for model, text in _TEXTS.items()
    ]


def test_marks_under_the_names_of_people(tmp_path: Path) -> None:
    mark = {"begin": 4, "length": 7, "type": "fact"}
    corpus = _read(_with_errors(errors={"ann": [], "bob": [mark]}), tmp_path, "marks.jsonl")
    assert corpus.spans.group_by("annotator", "start", "end").len().sort("annotator").rows() == [
        ("ann", None, None, 6),
        ("bob", 4, 11, 6),
    ]


def test_marks_that_nobody_can_read_are_named(tmp_path: Path) -> None:
    rows = _with_errors(errors={"x1": {"found": [{"begin": 4, "length": 7}]}, "x2": {"found": []}})
    (tmp_path / "marks.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    accounts = read_corpus(tmp_path / "marks.jsonl").accounts
    assert any("the column 'errors'" in said for account in accounts for said in account.too_much())
