"""Columns beside those that a layout knows, answers in elements, classes with names, and who wrote which side."""

import csv
import json
import random
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus

_CALLS = {
    f"c{n}": f"Agent: Hello, this is desk {n}.\nAna: My card is gone.\nAgent: Number {n} is sent." for n in range(8)
}
_PEOPLE = ("ann", "bob")


def _said(corpus: Corpus) -> list[str]:
    return [said for account in corpus.accounts for said in account.too_much()]


def _values(corpus: Corpus, dimension: str) -> list[float]:
    return sorted(corpus.ratings.filter(dimension=dimension)["value"].drop_nulls())


def _rows(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([head, *rows])
    return path


def test_what_a_known_layout_does_not_know_is_asked_about(tmp_path: Path) -> None:
    draw = random.Random(7)
    rows = [
        [call, system, who, place, f"Ana lost card {place} in {call}.", draw.choice(("yes", "no")), draw.randint(1, 4)]
        for call in _CALLS
        for system in ("bart", "t5")
        for who in (*_PEOPLE, "cleo")
        for place in (1, 2)
    ]
    head = ["doc_id", "model_name", "annotator", "sent_idx", "summ_sent", "sent_label", "whole_impression"]
    corpus = read_corpus(_rows(tmp_path / "sentences.csv", head, rows))
    assert corpus.ratings.height == len(rows)
    assert any("'whole_impression' looks like judgements" in said for said in _said(corpus))
    left_out = read_corpus(tmp_path / "sentences.csv", mapping={"ignore": "whole_impression"})
    assert not _said(left_out)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (("stimme eher nicht zu", "teils/teils", "stimme voll und ganz zu"), (2.0, 3.0, 5.0)),
        (("nicht erfüllt", "erfüllt", "entfällt"), (0.0, 1.0)),
    ],
)
def test_words_of_checklists(tmp_path: Path, words: Sequence[str], numbers: Sequence[float]) -> None:
    rows = [
        [call, who, f"Ana lost a card in {call}.", words[(n + place) % 3]]
        for n, call in enumerate(_CALLS)
        for place, who in enumerate(_PEOPLE)
    ]
    corpus = read_corpus(_rows(tmp_path / "a.csv", ["call_id", "reviewer", "summary", "Anliegen erfasst"], rows))
    assert not _said(corpus)
    assert sorted(set(_values(corpus, "Anliegen erfasst"))) == list(numbers)


def _review(n: int, person: str) -> str:
    answers = {"reason given": ("yes", "no", "n/a")[n % 3], "severe slip": ("no", "yes")[n % 2]}
    checks = "".join(f'<check name="{name}">{answer}</check>' for name, answer in answers.items())
    return f'<review reviewer="{person}">{checks}</review>'


def test_answers_in_elements_are_no_turns(tmp_path: Path) -> None:
    calls = "".join(
        f'<call id="{call}"><transcript><turn speaker="Agent">Hello, desk {n}.</turn><turn speaker="Ana">No</turn>'
        f'</transcript><summary engine="v1"><text>Ana called desk {n} about a card.</text>'
        f"{''.join(_review(n, who) for who in _PEOPLE)}</summary></call>"
        for n, call in enumerate(_CALLS)
    )
    (tmp_path / "qa.xml").write_text(f"<export>{calls}</export>", "utf-8")
    corpus = read_corpus(tmp_path / "qa.xml")
    assert not _said(corpus)
    assert _values(corpus, "severe slip") == [0.0] * 8 + [1.0] * 8
    assert len(_values(corpus, "reason given")) == 12
    assert {turn["text"] for turn in corpus.dialogues["turns"][0]} == {"Hello, desk 0.", "No"}


@pytest.mark.parametrize("name", ["Customer satisfaction", "CSAT (1-5)", "Kundenzufriedenheit (1-5)", "NPS client"])
def test_what_the_customer_says_is_no_judgement_of_the_summary(tmp_path: Path, name: str) -> None:
    rows = [
        [call, who, f"Ana lost a card in {call}.", 1 + (n * 3 + place) % 5, 1 + n % 5]
        for n, call in enumerate(_CALLS)
        for place, who in enumerate(_PEOPLE)
    ]
    corpus = read_corpus(_rows(tmp_path / "a.csv", ["call_id", "reviewer", "summary", "accuracy", name], rows))
    assert not _said(corpus)
    assert corpus.dimensions == ["accuracy"]
    assert any(name in note and "a customer" in note for note in corpus.notes)


@pytest.mark.parametrize("named", ["{} is from", "origin of {}", "Model {}"])
def test_who_wrote_which_side(tmp_path: Path, named: str) -> None:
    texts = {
        (call, system): f"{system.title()} tells of {call} and the card."
        for call in _CALLS
        for system in ("old", "new")
    }
    rows = []
    liked: dict[tuple[str, str, str], float] = {}
    for n, call in enumerate(_CALLS):
        sides = ("old", "new") if n % 2 else ("new", "old")
        for who in _PEOPLE:
            shown = [texts[call, system] for system in sides]
            liked |= {(call, "new", who): 4.0 + n % 2, (call, "old", who): 1.0 + n % 3}
            rows.append([call, _CALLS[call], *shown, *sides, who, *(liked[call, one, who] for one in sides)])
    head = ["call_id", "dialogue", "Summary A", "Summary B", named.format("A"), named.format("B"), "rater"]
    corpus = read_corpus(_rows(tmp_path / "a.csv", [*head, "clarity A", "clarity B"], rows))
    assert not _said(corpus)
    stored = {(row["dialogue_id"], row["system"]): row["text"] for row in corpus.summaries.iter_rows(named=True)}
    assert stored == texts
    ratings = corpus.ratings.select("dialogue_id", "system", "annotator", "value").iter_rows()
    assert {tuple(key): value for *key, value in ratings} == liked


_FEATURES = {
    "call_id": {"dtype": "string", "_type": "Value"},
    "annotations": [{"annotator": {"dtype": "string", "_type": "Value"}, "sentence_labels": {"feature": {
        "names": ["faithful", "unfaithful"], "_type": "ClassLabel"}, "_type": "Sequence"}}],
}  # fmt: skip
_CARD = """---
license: mit
dataset_info:
  features:
  - name: call_id
    dtype: string
  - name: annotations
    list:
    - name: annotator
      dtype: string
    - name: sentence_labels
      sequence:
        class_label:
          names:
            '0': faithful
            '1': unfaithful
  splits:
  - name: test
---
# Verdicts
"""


@pytest.mark.parametrize("where", ["card", "json"])
def test_classes_are_read_by_their_names(tmp_path: Path, where: str) -> None:
    folder = tmp_path / "set"
    (folder / "data").mkdir(parents=True)
    rows = [
        {
            "call_id": call,
            "model": system,
            "summary_sentences": [f"Ana calls desk {n}.", f"{system} says the card is gone."],
            "annotations": [{"annotator": who, "sentence_labels": [n % 2, 0]} for who in _PEOPLE],
        }
        for n, call in enumerate(_CALLS)
        for system in ("bart", "t5")
    ]
    pl.DataFrame(rows).write_parquet(folder / "data" / "test-00000-of-00001.parquet")
    if where == "card":
        (folder / "README.md").write_text(_CARD, "utf-8")
    else:
        (folder / "dataset_info.json").write_text(json.dumps({"features": _FEATURES}), "utf-8")
    corpus = read_corpus(folder)
    assert not _said(corpus)
    assert any("classes by their names: faithful, unfaithful" in note for note in corpus.notes)
    # 0 is "faithful", and right: 16 of 64 are not.
    assert corpus.ratings["value"].sum() == 48.0


def test_criteria_below_sections_and_weights(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Scorecards of May"])
    sheet.append([None, None, None, "CONTENT (60 %)", None, "STYLE (40 %)"])
    sheet.append([None, None, "Weight", 0.4, 0.2, 0.4])
    sheet.append(["Ticket", "Summary", "Reviewer", "Facts right", "Reason told", "Clear"])
    draw = random.Random(7)
    for call in _CALLS:
        for who in _PEOPLE:
            sheet.append([f"TK-{call}", f"Ana lost a card in {call}.", who, *(draw.randint(1, 5) for _ in range(3))])
    book.save(tmp_path / "cards.xlsx")
    corpus = read_corpus(tmp_path / "cards.xlsx")
    assert not _said(corpus)
    assert corpus.ratings.height == 48
    assert sorted(name.lower() for name in corpus.dimensions) == ["clear", "facts right", "reason told"]
