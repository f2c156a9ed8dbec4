"""Argilla's drafts, marks between turns, and words of AWS Transcribe."""

import json
from pathlib import Path
from typing import Any

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.corpus._turns import parse_turns

_CALLS = tuple(f"K{number}" for number in range(1, 7))
_SYSTEMS = ("pine", "oak")


def _said(call: str) -> list[tuple[str, str]]:
    return [("Vera", f"Is the boat of {call} repaired?"), ("Nils", f"It leaves the yard on day {call[1:]} at noon.")]


def _text(call: str, system: str) -> str:
    return f"Vera asks about the boat of {call}, and {system} says when it leaves."


def _dialogue(call: str) -> str:
    return "\n".join(f"{who}: {said}" for who, said in _said(call))


def _score(*parts: str) -> int:
    return 1 + sum(map(ord, "".join(parts))) * 7 % 5


def _well(corpus: Corpus) -> Corpus:
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    return corpus


def _records() -> list[dict[str, Any]]:
    return [
        {
            "id": f"{call}-{system}",
            "fields": {"dialogue": _dialogue(call), "summary": _text(call, system)},
            "metadata": {"dialogue_id": call, "model": system},
            "responses": [
                {
                    "user_id": who,
                    "status": "submitted",
                    "values": {q: {"value": _score(call, system, who, q)} for q in ("coherence", "fluency")},
                }
                for who in ("ida", "per")
            ],
        }
        for call in _CALLS
        for system in _SYSTEMS
    ]


def test_what_was_begun_or_discarded_is_no_loss(tmp_path: Path) -> None:
    records = _records()
    records[0]["responses"][0] = {"user_id": "ida", "status": "discarded", "values": None}
    records[3]["responses"][1] = {"user_id": "per", "status": "draft", "values": {"coherence": {"value": 2}}}
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    corpus = _well(read_corpus(tmp_path / "a.jsonl"))
    assert corpus.accounts[0].layout == "argilla"
    assert corpus.ratings.height == 2 * (2 * len(records) - 2)
    assert sum(corpus.accounts[0].rejected.values()) == 1


def test_marks_between_turns_part_them() -> None:
    turns = parse_turns("Vera: Is it ready? <turn> Nils: Not yet. Tomorrow. <turn> Vera: Good.")
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("Vera", "Is it ready?"),
        ("Nils", "Not yet. Tomorrow."),
        ("Vera", "Good."),
    ]
    assert len(parse_turns("The tag <turn> stands in a text: here.")) == 1


def test_transcribe_has_words_with_speakers(tmp_path: Path) -> None:
    words = [("spk_0", "Is"), ("spk_0", "it"), ("spk_0", "ready"), (None, "?"), ("spk_1", "Tomorrow"), (None, ".")]
    items, told, at = list[dict[str, Any]](), list[dict[str, Any]](), 0.0
    for who, word in words:
        one: dict[str, Any] = {"alternatives": [{"confidence": "0.98" if who else "0.0", "content": word}]}
        if who is None:
            items.append(one | {"type": "punctuation"})
            continue
        times = {"start_time": f"{at:.2f}", "end_time": f"{at + 0.4:.2f}"}
        items.append(one | times | {"type": "pronunciation"})
        told.append(times | {"speaker_label": who})
        at += 0.5
    parts = [[one for one in told if one["speaker_label"] == who] for who in ("spk_0", "spk_1")]
    segments = [
        {"start_time": own[0]["start_time"], "end_time": own[-1]["end_time"], "speaker_label": own[0]["speaker_label"]}
        | {"items": own}
        for own in parts
    ]
    results = {
        "transcripts": [{"transcript": "Is it ready? Tomorrow."}],
        "speaker_labels": {"speakers": 2, "segments": segments},
        "items": items,
    }
    job = {"jobName": "yard-7", "accountId": "0", "status": "COMPLETED", "results": results}
    (tmp_path / "a.json").write_text(json.dumps(job))
    corpus = _well(read_corpus(tmp_path / "a.json"))
    assert corpus.dialogues["dialogue_id"].to_list() == ["yard-7"]
    turns = corpus.dialogues["turns"].to_list()[0]
    assert [(turn["speaker"], turn["text"]) for turn in turns] == [("spk_0", "Is it ready?"), ("spk_1", "Tomorrow.")]
