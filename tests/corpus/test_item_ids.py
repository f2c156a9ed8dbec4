"""Files in which an id names each summary, and folders in which judgements stand apart from texts."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus

_CALLS = {
    "Rosa: Can you feed the fish?\nBert: Of course.": ("Bert feeds the fish.", "Rosa feeds Bert."),
    "Finn: The tray is empty.\nGreta: Use the copy shop.": ("Finn goes to the copy shop.", "There is no paper."),
    "Karl: My train is late.\nUma: I keep your ticket.": ("Uma keeps Karl's ticket.", "Karl is late."),
}
_ITEMS: list[dict[str, Any]] = [
    {"item": 2 * number + place + 1, "dialogue": call, "engine": f"engine_{'xy'[place]}", "summary": text}
    for number, (call, texts) in enumerate(_CALLS.items())
    for place, text in enumerate(texts)
]
_PEOPLE = ("A12", "B07", "C33")


def _grades(item: int, place: int) -> dict[str, int]:
    return {"fluency": 1 + (item + place) % 5, "accuracy": 1 + (2 * item + place) % 5, "seconds": 20 + 7 * item + place}


def _is_whole(corpus: Corpus) -> None:
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    assert (corpus.dialogues.height, corpus.summaries.height) == (3, 6)
    assert corpus.systems == ["engine_x", "engine_y"]
    assert corpus.dimensions == ["accuracy", "fluency"]
    assert corpus.ratings["annotator"].n_unique() == 3


def test_a_json_file_for_each_person_beside_the_texts(tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text(json.dumps(_ITEMS), encoding="utf-8")
    for place, who in enumerate(_PEOPLE):
        marks = {str(one["item"]): _grades(one["item"], place) for one in _ITEMS if (one["item"], who) != (5, "B07")}
        (tmp_path / f"annotator_{who}.json").write_text(json.dumps(marks, indent=1), encoding="utf-8")
    corpus = read_corpus(tmp_path)
    _is_whole(corpus)
    assert corpus.ratings.height == 34


@pytest.mark.parametrize("name", ["item", "id", "sample_id"])
def test_a_column_that_numbers_summaries_is_no_id_of_dialogues(name: str, tmp_path: Path) -> None:
    rows = [
        {name: one["item"], **{key: value for key, value in one.items() if key != "item"}, "rater": who}
        | _grades(one["item"], place)
        for one in _ITEMS
        for place, who in enumerate(_PEOPLE)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "ratings.csv")
    corpus = read_corpus(tmp_path / "ratings.csv")
    _is_whole(corpus)
    assert any(f"{name!r} has a name for each summary" in note for note in corpus.notes)


def test_what_is_called_an_id_of_calls_is_one(tmp_path: Path) -> None:
    rows = [
        {"call_id": one["item"], **{key: value for key, value in one.items() if key != "item"}, "rater": who}
        | _grades(one["item"], place)
        for one in _ITEMS
        for place, who in enumerate(_PEOPLE)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "ratings.csv")
    assert read_corpus(tmp_path / "ratings.csv").dialogues.height == 6
    assert read_corpus(tmp_path / "ratings.csv", mapping={"dialogue_id": "call_id"}).dialogues.height == 6


def test_a_reference_that_was_rated_is_known_by_its_name(tmp_path: Path) -> None:
    rows = [{**one, "rater": who, "fluency": 3} for one in _ITEMS for who in _PEOPLE]
    for row in rows:
        row["engine"] = {"engine_x": "Original Ground Truth", "engine_y": "gold digger"}[row["engine"]]
    corpus = read_corpus(rows)
    assert corpus.systems == ["gold digger"]
    assert corpus.references["system"].unique().to_list() == ["Original Ground Truth"]
    assert "read as references: the summaries of 'Original Ground Truth'" in corpus.notes


@pytest.mark.parametrize("keyed", [True, False])
def test_the_person_may_stand_above_the_judgements(keyed: bool, tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text(json.dumps(_ITEMS), encoding="utf-8")
    for place, who in enumerate(_PEOPLE):
        marks = {str(one["item"]): _grades(one["item"], place) for one in _ITEMS}
        listed = [{"item": int(item), **given} for item, given in marks.items()]
        content = {"annotator": who, "items" if keyed else "ratings": marks if keyed else listed}
        (tmp_path / f"part{place}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    corpus = read_corpus(tmp_path)
    _is_whole(corpus)
    assert sorted(corpus.ratings["annotator"].unique()) == list(_PEOPLE)
