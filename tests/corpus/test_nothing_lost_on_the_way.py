"""What a review of the importers found: answers, texts and folders that must not be lost on the way."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import read_corpus
from dialgauge.corpus._items import with_items
from dialgauge.corpus._nested_answers import answers
from dialgauge.corpus._packed_answers import with_answers_opened
from dialgauge.corpus._table import Sheet
from dialgauge.errors import InputError

_SAID = "Ann: Hello there my friend.\nBob: Hi, how are you today?"
_ENDS = [("best", "fluency"), ("worst", "fluency"), ("best", "coherence"), ("worst", "coherence")]


def _table(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def _lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("who", [{}, {"annotator": "x"}])
def test_best_and_worst_of_a_dimension_are_no_people(tmp_path: Path, who: dict[str, str]) -> None:
    rows = [
        {"dialogue_id": f"d{d}", **who, "system": f"m{s}", "summary": f"They greet {d} {s}"}
        | {f"{end}_{name}": "x" if (d + s + n) % 3 == 0 else "" for n, (end, name) in enumerate(_ENDS)}
        for d in range(4)
        for s in range(3)
    ]
    corpus = read_corpus(_table(tmp_path / "a.csv", rows))
    assert {*corpus.ratings["annotator"], *corpus.choices["annotator"]} <= {"x"}
    assert any(account.too_much() for account in corpus.accounts)


def test_what_was_said_stays_a_text_where_it_is_json(tmp_path: Path) -> None:
    called = '{"city": "Rome"}'
    turns = [{"speaker": "user", "text": "How is the weather?"}, {"speaker": "assistant", "text": called}]
    records = [
        {"dialogue_id": f"d{n}", "dialogue": turns, "system": "m", "summary": called, "annotator": "x", "fluency": n}
        for n in range(1, 5)
    ]
    corpus = read_corpus(_lines(tmp_path / "a.jsonl", records))
    assert corpus.dialogues["turns"][0][1]["text"] == called
    assert set(corpus.summaries["text"]) == {called}
    assert corpus.ratings["value"].to_list() == [1, 2, 3, 4]


def test_answers_in_a_text_are_still_opened() -> None:
    assert with_answers_opened({"form": [{"content": '{"coverage": "4"}'}], "messages": [{"content": '{"a": 1}'}]}) == {
        "form": [{"content": {"coverage": "4"}}],
        "messages": [{"content": '{"a": 1}'}],
    }


def test_scores_with_a_confidence_keep_their_dimensions() -> None:
    scored = {"score": 4, "confidence": 3}
    made = answers({"annotator": "x", "fluency": scored, "coherence": {"score": 5, "confidence": 2}})
    assert (made["annotator"], made["fluency"], made["coherence"]) == ("x", 4, 5)
    assert answers({"first": scored, "second": {"score": 1, "confidence": 2}})["first"] == 4
    assert answers({"annotator": "x", "form": {"clear": "4", "short": "5"}})["clear"] == "4"


def test_answers_inside_the_object_of_a_person_are_kept(tmp_path: Path) -> None:
    records = [
        {
            "dialogue_id": f"d{n}",
            "dialogue": f"{_SAID}{n}",
            "system": "m",
            "summary": f"They greet {n}",
            "rater": {"id": f"r{n % 2}", "fluency": 1 + n, "coherence": 5 - n},
        }
        for n in range(4)
    ]
    ratings = read_corpus(_lines(tmp_path / "a.jsonl", records)).ratings
    assert set(ratings["annotator"]) == {"r0", "r1"}
    assert ratings.filter(dimension="fluency")["value"].to_list() == [1, 2, 3, 4]
    assert ratings.filter(dimension="coherence")["value"].to_list() == [5, 4, 3, 2]


def test_one_bad_record_does_not_refuse_a_folder(tmp_path: Path) -> None:
    for name in "ab":
        records = [
            {
                "dialogue_id": f"{name}{n}",
                "dialogue": f"{_SAID}{n}",
                "summaries": [{"system": s, "text": f"They greet {n} {s}"} for s in ("m1", "m2")],
                "ratings": [{"annotator": "x", "system": s, "fluency": 3} for s in ("m1", "m2")],
            }
            for n in range(4)
        ]
        if name == "b":
            records[2]["summaries"] = ["a text without a system"]
        _lines(tmp_path / f"{name}.jsonl", records)
    corpus = read_corpus(tmp_path)
    assert corpus.dialogues.height == 7
    assert [problem.line for problem in corpus.problems] == [3]


def test_a_stray_file_that_is_no_text_does_not_refuse_a_folder(tmp_path: Path) -> None:
    rows = [
        {"dialogue_id": f"d{n}", "dialogue": _SAID, "system": "m", "summary": f"They {n}", "annotator": "x", "wit": n}
        for n in range(1, 5)
    ]
    _table(tmp_path / "a.csv", rows)
    (tmp_path / "model.bin").write_bytes(b"\x80\x81\x01\x02\xff" * 3000)
    assert read_corpus(tmp_path).summaries.height == 4


def test_headings_that_show_a_system_beside_a_column_of_that_name_are_an_error(tmp_path: Path) -> None:
    shown = "Conversation W-{}:\nAnn: Hello.\nBob: Hi you.\n\nSummary by {}:\nThey greet {} {}.\n\n[Clarity]"
    rows = [
        {"rater": who, "system": "web"} | {shown.format(n, s, n, s): 1 + n for n in (1, 2) for s in ("Larch", "Oak")}
        for who in ("ann", "bob", "cy")
    ]
    with pytest.raises(InputError, match="no column holds dialogues"):
        read_corpus(_table(tmp_path / "a.csv", rows))


@pytest.mark.parametrize(("beside", "sheets"), [("rater", 1), ("Clarity", 2)])
def test_sheets_of_items_are_joined_only_where_no_names_clash(beside: str, sheets: int) -> None:
    items = pl.DataFrame(
        {"Item": ["P1", "P2"], "Dialogue": [_SAID, f"{_SAID}2"], "System": ["m1", "m2"], "Summary": ["One", "Two"]}
    )
    given = pl.DataFrame({beside: ["1", "2"], "P1 [Clarity]": ["4", "5"], "P2 [Clarity]": ["3", "2"]})
    made = with_items([Sheet(n, f, lambda row: ("f", row)) for n, f in (("given", given), ("items", items))], [])
    assert len(made) == sheets


def test_tags_are_taken_only_where_they_enclose_all(tmp_path: Path) -> None:
    rows = [
        {
            "dialogue_id": f"d{n}",
            "system": "m",
            "summary": f"<s>They greet {n}.</s> <s>They go.</s>",
            "reference": f"They <err>greet {n}</err> and go.",
            "annotator": "x",
            "fluency": n,
        }
        for n in range(1, 5)
    ]
    corpus = read_corpus(_table(tmp_path / "a.csv", rows))
    texts = {kind: set(own["text"]) for (kind,), own in corpus.summaries.group_by("kind")}
    assert texts["system"] == {f"They greet {n}. They go." for n in range(1, 5)}
    assert texts["reference"] == {f"They <err>greet {n}</err> and go." for n in range(1, 5)}
