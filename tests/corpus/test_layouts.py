"""Further layouts, written without looking at the rules that read them."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, ReadingSettings, add_ratings, read_corpus
from dialgauge.errors import InputError

DIALOGUES = {f"K{n}": f"Agent: This is desk {n}.\nCustomer: Parcel {n} is late.\nAgent: I look." for n in range(1, 5)}
PAIRS = {(d, s): f"Parcel of {d} is late, says {s} in short." for d in DIALOGUES for s in ("alpha", "beta")}


def table(path: Path, rows: list[dict[str, Any]], separator: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    return path


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def people(corpus: Corpus) -> list[str]:
    return sorted(corpus.ratings["annotator"].unique())


def test_a_grid_of_a_web_form(tmp_path: Path) -> None:
    rows = [
        {
            "Timestamp": f"11/{13 + n}/2026 10:00:00",
            "Email Address": who,
            "Call ID": d,
            "Which model?": s,
            "Transcript": DIALOGUES[d],
            "Summary text": text,
            "Please rate the summary [Coherence]": 4 - n,
            "Please rate the summary [Accuracy]": 3 + n,
            "Any comments?": "",
        }
        for n, who in enumerate(["a@x.org", "b@x.org"])
        for (d, s), text in PAIRS.items()
    ]
    corpus = read_corpus(table(tmp_path / "form.csv", rows), strict=True)
    assert (corpus.summaries.height, corpus.ratings.height) == (8, 32)
    assert (corpus.systems, corpus.dimensions, people(corpus)) == (
        ["alpha", "beta"],
        ["accuracy", "coherence"],
        ["a@x.org", "b@x.org"],
    )
    assert corpus.ratings["time"].null_count() == 0


def test_a_column_for_each_annotator(tmp_path: Path) -> None:
    rows = [
        {
            "conv_id": d,
            "dialogue": DIALOGUES[d],
            "model": s,
            "summary": text,
            **{f"{what}_A{n}": n for what in ("coherence", "fluency") for n in (1, 2, 3)},
            "coherence_avg": 2,
        }
        for (d, s), text in PAIRS.items()
    ]
    corpus = read_corpus(table(tmp_path / "wide.csv", rows), strict=True)
    assert (corpus.ratings.height, corpus.dimensions, people(corpus)) == (
        48,
        ["coherence", "fluency"],
        ["A1", "A2", "A3"],
    )
    assert corpus.ratings.filter(annotator="A2")["value"].unique().to_list() == [2.0]


def test_radio_buttons_of_a_crowd_platform(tmp_path: Path) -> None:
    rows = [
        {
            "HITId": "h",
            "WorkerId": who,
            "AssignmentStatus": "Approved",
            "WorkTimeInSeconds": 55,
            "Input.doc_id": d,
            "Input.system_name": s,
            "Input.article": DIALOGUES[d],
            "Input.summary": text,
            **{f"Answer.clarity.{k}": str(k == 2).lower() for k in (1, 2, 3)},
            "Answer.correct.yes": "true",
            "Answer.correct.no": "false",
        }
        for (d, s), text in PAIRS.items()
        for who in ("W1", "W2")
    ]
    corpus = read_corpus(table(tmp_path / "batch.csv", rows), strict=True)
    assert corpus.ratings.filter(dimension="clarity")["value"].unique().to_list() == [2.0]
    assert corpus.ratings.filter(dimension="correct")["value"].unique().to_list() == [1.0]
    assert corpus.ratings.height == 32


def test_answers_by_person_and_drafts(tmp_path: Path) -> None:
    rows = [
        {
            "fields": {"dialogue": DIALOGUES[d], "summary": text},
            "responses": [
                {
                    "user_id": "u1",
                    "status": "submitted",
                    "values": {"faithful": {"value": "Yes"}, "score": {"value": 4}},
                },
                {"user_id": "u2", "status": "draft", "values": {"faithful": {"value": "No"}}},
            ],
            "metadata": {"ticket_id": d, "model": s},
        }
        for (d, s), text in PAIRS.items()
    ]
    corpus = read_corpus(lines(tmp_path / "records.jsonl", rows), strict=True)
    assert (people(corpus), corpus.ratings.height, corpus.systems) == (["u1"], 16, ["alpha", "beta"])
    assert corpus.accounts[0].rejected == {"the response is draft": 8}
    assert not any("columns not used" in note for note in corpus.notes)


def test_ratings_by_annotator_inside_summaries_by_system(tmp_path: Path) -> None:
    rows = [
        {
            "conversationId": d,
            "messages": [{"role": "agent", "content": "Hi"}, {"role": "customer", "content": "It is late"}],
            "model_summaries": {
                s: {"text": PAIRS[d, s], "ratings": {who: {"coherence": 4, "fluency": 5} for who in ("ann", "bob")}}
                for s in ("alpha", "beta")
            },
        }
        for d in DIALOGUES
    ]
    corpus = read_corpus(lines(tmp_path / "nested.jsonl", rows), strict=True)
    assert (corpus.summaries.height, corpus.ratings.height, people(corpus)) == (8, 32, ["ann", "bob"])


def test_lists_of_votes_beside_their_mean(tmp_path: Path) -> None:
    rows = [
        {"doc_id": d, "document": DIALOGUES[d], "model": s, "summary": t, "coherence": [4, 3, 5], "expert_avg": 4.0}
        for (d, s), t in PAIRS.items()
    ]
    corpus = read_corpus(lines(tmp_path / "votes.jsonl", rows), strict=True)
    assert (corpus.dimensions, people(corpus), corpus.ratings.height) == (["coherence"], ["1", "2", "3"], 24)


def test_scales_in_headings_and_in_words(tmp_path: Path) -> None:
    rows = [
        {
            "Case Number": f"000{d[1:]}",
            "Conversation": DIALOGUES[d],
            "System": s,
            "Summary": text,
            "Reviewer": who,
            "Accuracy (1-5)": 3,
            "Usefulness (0-100)": n * 7,
            "Overall": ["Strongly agree", "Neutral", "Disagree"][n % 3],
            "Review time (s)": 20 + n,
        }
        for n, ((d, s), text) in enumerate(PAIRS.items())
        for who in ("R1", "R2")
    ]
    corpus = read_corpus(table(tmp_path / "s.csv", rows, ";"), strict=True)
    about = {name: (corpus.dimension(name).kind, corpus.dimension(name).scale) for name in corpus.dimensions}
    assert about == {"accuracy": ("ordinal", "1-5"), "usefulness": ("interval", "0-100"), "overall": ("ordinal", "1-5")}
    assert "0001" in corpus.dialogues["dialogue_id"].to_list()


def test_left_and_right_without_systems(tmp_path: Path) -> None:
    rows = [
        {
            "Dialogue ID": d,
            "Transcript": DIALOGUES[d],
            "Left summary": PAIRS[d, "alpha"],
            "Right summary": PAIRS[d, "beta"],
            "Rater": who,
            "Preferred": ["Left", "Right", "Equal"][n % 3],
        }
        for n, d in enumerate(DIALOGUES)
        for who in "pq"
    ]
    corpus = read_corpus(table(tmp_path / "lr.csv", rows), strict=True)
    assert corpus.preferences["winner"].to_list() == ["a", "a", "b", "b", "tie", "tie", "a", "a"]
    assert corpus.systems == ["left", "right"]


def test_an_arena(tmp_path: Path) -> None:
    rows = [
        {
            "question_id": d,
            "model_a": "alpha",
            "model_b": "beta",
            "winner": winner,
            "judge": "user",
            **{
                f"conversation_{side}": [
                    {"role": "user", "content": DIALOGUES[d]},
                    {"role": "assistant", "content": PAIRS[d, s]},
                ]
                for side, s in (("a", "alpha"), ("b", "beta"))
            },
        }
        for d, winner in zip(DIALOGUES, ("model_a", "model_b", "tie", "tie (bothbad)"), strict=True)
    ]
    corpus = read_corpus(lines(tmp_path / "arena.jsonl", rows), strict=True)
    assert corpus.preferences["winner"].to_list() == ["a", "b", "tie", "tie"]
    assert corpus.preferences["both_bad"].to_list() == [False, False, False, True]


def test_a_file_of_answers_by_question(tmp_path: Path) -> None:
    base = [
        {"conversation_id": d, "conversation": DIALOGUES[d], "model_name": s, "output": t}
        for (d, s), t in PAIRS.items()
    ]
    rated = [
        {"conversation_id": d, "model_name": s, "username": who, "question": what, "answer": answer}
        for n, (d, s) in enumerate(PAIRS)
        for who in ("u1", "u2")
        for what, answer in (("coherence", "3"), ("tone", "N/A" if n == 0 else "2"))
    ]
    corpus = read_corpus(table(tmp_path / "base.csv", base))
    corpus = add_ratings(corpus, table(tmp_path / "long.csv", rated), strict=True)
    assert (corpus.dimensions, corpus.ratings["value"].count(), people(corpus)) == (
        ["coherence", "tone"],
        30,
        ["u1", "u2"],
    )


def test_edits_keep_their_names(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"{d}_e{n}",
            "doc_id": d,
            "doc": DIALOGUES[d],
            "summary": f"Edit {n} of {d}.",
            "label": n % 2,
            "seed_summary": "Seed.",
        }
        for d in DIALOGUES
        for n in range(3)
    ]
    (tmp_path / "edits.json").write_text(json.dumps(rows))
    corpus = read_corpus(tmp_path / "edits.json", strict=True)
    first = corpus.summaries.filter(dialogue_id="K1")
    assert sorted(first["variant"]) == ["K1_e0", "K1_e1", "K1_e2", "original"]
    assert corpus.systems == ["summary"]


def test_a_help_desk(tmp_path: Path) -> None:
    talk = json.dumps([{"author": "Agent", "text": "Hi"}, {"author": "Customer", "text": "It is late"}])
    rows = [
        {
            "ticket_id": 900 + n,
            "agent_name": "Sam",
            "messages": talk,
            "ai_summary": f"It is late {n}.",
            "human_summary": "Late.",
        }
        for n in range(4)
    ]
    corpus = read_corpus(table(tmp_path / "desk.csv", rows), strict=True)
    assert (corpus.dialogues.height, corpus.references.height, corpus.systems) == (4, 4, ["system"])


@pytest.mark.parametrize(
    ("name", "content", "turns"),
    [
        (
            "whisper",
            {
                "segments": [
                    {"start": 0, "end": 1, "text": " Hello.", "speaker": "SPEAKER_00"},
                    {"start": 1, "end": 2, "text": " It is", "speaker": "SPEAKER_01"},
                    {"start": 2, "end": 3, "text": " late.", "speaker": "SPEAKER_01"},
                ]
            },
            ["SPEAKER_00: Hello.", "SPEAKER_01: It is late."],
        ),
        (
            "aws",
            {
                "jobName": "aws",
                "results": {
                    "transcripts": [{"transcript": "Hello. Late."}],
                    "items": [
                        {
                            "type": "pronunciation",
                            "start_time": "0",
                            "speaker_label": "spk_0",
                            "alternatives": [{"content": "Hello"}],
                        },
                        {"type": "punctuation", "alternatives": [{"content": "."}]},
                        {
                            "type": "pronunciation",
                            "start_time": "1",
                            "speaker_label": "spk_1",
                            "alternatives": [{"content": "Late"}],
                        },
                    ],
                },
            },
            ["spk_0: Hello.", "spk_1: Late"],
        ),
    ],
)
def test_speech_recognition(tmp_path: Path, name: str, content: dict[str, Any], turns: list[str]) -> None:
    (tmp_path / f"{name}.json").write_text(json.dumps(content, indent=1))
    (dialogue,) = read_corpus(tmp_path / f"{name}.json", strict=True).iter_dialogues()
    assert (dialogue.id, [str(turn) for turn in dialogue.turns]) == (name, turns)


def test_spans_follow_the_text_that_is_stored(tmp_path: Path) -> None:
    rows = [
        {
            "id": d,
            "dialogue": DIALOGUES[d],
            "system": "s",
            "summary": "<p>The <b>parcel</b> is late</p>",
            "annotator": "x",
            "start": 10,
            "end": 16,
            "error_type": "E",
        }
        for d in DIALOGUES
    ]
    corpus = read_corpus(table(tmp_path / "spans.csv", rows), strict=True)
    assert corpus.summaries["text"].unique().to_list() == ["The parcel is late"]
    assert corpus.spans.select("start", "end", "text").unique().rows() == [(4, 10, "parcel")]


def test_repeats_and_directions(tmp_path: Path) -> None:
    rows = [
        {"id": d, "system": s, "summary": t, "annotator": "x", "fluency": value}
        for (d, s), t in PAIRS.items()
        for value in (2, 4)
    ]
    path = table(tmp_path / "twice.csv", rows)
    refused = read_corpus(path)
    assert refused.accounts[0].conflicts == 8
    kept = read_corpus(path, strict=True, reading=ReadingSettings(repeats="keep")).ratings
    assert {tuple(row) for row in kept.select("annotator", "value").rows()} >= {("x", 2.0), ("x#2", 4.0)}
    for repeats, value in (("first", 2.0), ("last", 4.0), ("mean", 3.0)):
        corpus = read_corpus(path, strict=True, reading=ReadingSettings(repeats=repeats, directions="fluency=lower"))
        assert corpus.ratings["value"].unique().to_list() == [value]
        assert (corpus.dimension("fluency").direction, corpus.dimension("fluency").said_by) == ("lower", "user")
    with pytest.raises(InputError, match="DIMENSION=lower"):
        ReadingSettings(directions="fluency")


def test_columns_can_be_left_out_and_paths_named(tmp_path: Path) -> None:
    rows = [
        {
            "meta": {"ref": d},
            "dialogue": DIALOGUES[d],
            "system": s,
            "summary": t,
            "annotator": "x",
            "fluency": 3,
            "mood": 2,
        }
        for (d, s), t in PAIRS.items()
    ]
    path = lines(tmp_path / "m.jsonl", rows)
    corpus = read_corpus(path, mapping={"dialogue_id": "meta.ref", "ignore": ["mood"]}, strict=True)
    assert corpus.dimensions == ["fluency"]
    assert sorted(corpus.dialogues["dialogue_id"]) == sorted(DIALOGUES)


@pytest.mark.parametrize("keyed", [True, False])
def test_records_inside_one_object(tmp_path: Path, keyed: bool) -> None:
    records = {d: {"transcript": text, "model": "s", "summary": "Late.", "fluency": 3} for d, text in DIALOGUES.items()}
    listed = {"version": 1, "items": [{"call_id": d, **record} for d, record in records.items()]}
    (tmp_path / "one.json").write_text(json.dumps(records if keyed else listed, indent=1))
    corpus = read_corpus(tmp_path / "one.json", strict=True)
    assert sorted(corpus.dialogues["dialogue_id"]) == sorted(DIALOGUES)
    assert corpus.ratings.height == 4


def test_summaries_and_scores_under_other_names(tmp_path: Path) -> None:
    rows = [
        {
            "dialog_id": d,
            "dialog": ["A: hi", "B: refund"],
            "systems": [
                {
                    "name": s,
                    "summary": PAIRS[d, s],
                    "annotations": [{"worker": w, "scores": {"coherence": 3}} for w in "xy"],
                }
                for s in ("alpha", "beta")
            ],
        }
        for d in DIALOGUES
    ]
    (tmp_path / "deep.json").write_text(json.dumps(rows))
    corpus = read_corpus(tmp_path / "deep.json", strict=True)
    assert (corpus.summaries.height, corpus.ratings.height, people(corpus)) == (8, 16, ["x", "y"])


def test_classes_without_an_order(tmp_path: Path) -> None:
    kinds = ["Entity", "Omission", "none", "N/A"]
    rows = [
        {"id": d, "dialogue": DIALOGUES[d], "method": s, "hypothesis": t, "judge": who, "error_type": kinds[n % 4]}
        for n, ((d, s), t) in enumerate(PAIRS.items())
        for who in "ab"
    ]
    corpus = read_corpus(table(tmp_path / "classes.csv", rows), strict=True)
    about = corpus.dimension("error_type")
    assert (about.kind, about.labels, about.direction) == ("nominal", ("Entity", "Omission", "none"), "none")
    assert corpus.ratings["value"].count() == 12  # people who found no error said so


def test_formulas_stay_texts_in_tables(tmp_path: Path) -> None:
    rows = [{"id": "d", "system": "s", "summary": "=1+1"}]
    corpus = read_corpus(table(tmp_path / "f.csv", rows))
    assert corpus.summaries["text"].to_list() == ["=1+1"]
    assert isinstance(corpus.summaries, pl.DataFrame)
