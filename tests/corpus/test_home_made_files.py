"""Files as people make them for themselves: names of columns that programs use too, keys, forms, remarks."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, inspect_file, read_corpus
from tests.corpus.written_files import workbook

_CALLS = {
    "c1": ("Rosa: Can you feed the fish?\nBert: Of course.", "Bert feeds the fish.", "Rosa feeds Bert."),
    "c2": ("Finn: The tray is empty.\nGreta: Use the copy shop.", "Finn uses the copy shop.", "There is no paper."),
    "c3": ("Karl: My train is late.\nUma: I keep your ticket.", "Uma keeps Karl's ticket.", "Karl is always late."),
}
_SYSTEMS = ("m1", "m2")
_PEOPLE = ("ann", "bob")


def _grade(call: str, place: int, who: str) -> int:
    return 1 + (int(call[1]) + 2 * place + len(who) + (who == "bob")) % 5


def _rows() -> list[dict[str, Any]]:
    return [
        {"call": call, "talk": talk, "model": system, "summary": texts[place], "rater": who}
        | {"fluency": _grade(call, place, who)}
        for call, (talk, *texts) in _CALLS.items()
        for place, system in enumerate(_SYSTEMS)
        for who in _PEOPLE
    ]


def _is_whole(corpus: Corpus, ratings: int = 12) -> None:
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (3, 6, ratings)
    assert corpus.systems == list(_SYSTEMS)


@pytest.mark.parametrize("name", ["count", "len", "literal", "index", "name", "value", "n", "variable", "_origin"])
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_column_may_be_called_like_one_of_ours(name: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"ratings.{ending}"
    for rows in (
        [{**row, name: place} for place, row in enumerate(_rows())],
        [{name if key == "call" else key: value for key, value in row.items()} for row in _rows()],
        [{name if key == "summary" else key: value for key, value in row.items()} for row in _rows()],
    ):
        if ending == "csv":
            pl.DataFrame(rows).write_csv(path)
        else:
            path.write_text(json.dumps(rows), encoding="utf-8")
        inspect_file(path)
        assert read_corpus(path).dialogues.height == 3


def test_a_rated_system_called_ref_is_the_reference() -> None:
    rows = [{**row, "model": {"m1": "m1", "m2": "ref"}[row["model"]]} for row in _rows()]
    corpus = read_corpus(rows)
    assert corpus.systems == ["m1"]
    assert corpus.references["system"].unique().to_list() == ["ref"]
    assert "read as references: the summaries of 'ref'" in corpus.notes


def test_a_note_that_all_people_judge_is_the_summary() -> None:
    rows = [
        {"visit": row["call"], "transcript": row["talk"], "made_with": row["model"], "note": row["summary"]}
        | {"rater": row["rater"], "fluency": row["fluency"]}
        for row in _rows()
    ]
    corpus = read_corpus(rows)
    _is_whole(corpus)
    assert "Bert feeds the fish." in corpus.summaries["text"].to_list()


def test_a_note_of_each_person_is_a_comment() -> None:
    rows = [{**row, "note": f"{row['rater']} thinks that {n} is fine"} for n, row in enumerate(_rows())]
    corpus = read_corpus(rows)
    _is_whole(corpus)
    assert "ann thinks that 0 is fine" in corpus.ratings["comment"].to_list()


@pytest.mark.parametrize("sure", ["how sure (1-3)", "confidence", "judge_confidence", "How confident are you?"])
def test_how_sure_people_are_is_no_rating(sure: str) -> None:
    rows = [
        {"call": call, "talk": talk, "left model": "m1", "left summary": one, "right model": "m2"}
        | {"right summary": two, "judge": who, "which is better?": better, sure: 1 + (len(better) + place) % 3}
        for call, (talk, one, two) in _CALLS.items()
        for place, (who, better) in enumerate(zip(_PEOPLE, ("left", "right"), strict=True))
    ]
    corpus = read_corpus(rows)
    _is_whole(corpus, 0)
    assert corpus.preferences.height == 6
    assert any(repr(sure) in note and "no rating" in note for note in corpus.notes)
    kept = read_corpus(rows, mapping={"dimension:sure": sure})
    assert kept.dimensions == ["sure"]


def test_scores_of_a_model_among_those_of_programs_are_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(
        json.dumps(
            {
                call: {
                    "dialogue": talk,
                    "summaries": {
                        system: {
                            "text": texts[place],
                            "human": {who: {"fluency": _grade(call, place, who)} for who in _PEOPLE},
                            "auto": {"rouge1": 0.31 + place / 7, "gpt_judge": {"fluency": _grade(call, place, "ann")}},
                        }
                        for place, system in enumerate(_SYSTEMS)
                    },
                }
                for call, (talk, *texts) in _CALLS.items()
            }
        ),
        encoding="utf-8",
    )
    corpus = read_corpus(path)
    _is_whole(corpus)
    assert set(corpus.ratings["annotator"]) == set(_PEOPLE)


def test_groups_of_dimensions_are_no_people(tmp_path: Path) -> None:
    records = [
        {"id": call, "dialogue": talk, "system": "m1", "summary": text, "annotator": "ann"}
        | {"ratings": {"style": {"fluency": 3}, "content": {"coverage": 4}}}
        for call, (talk, text, _) in _CALLS.items()
    ]
    for record in (records, [{k: v for k, v in one.items() if k != "annotator"} for one in records]):
        corpus = read_corpus(record)
        assert not {"style", "content"} & set(corpus.ratings["annotator"])


def test_headings_name_the_column_of_items_and_their_numbers(tmp_path: Path) -> None:
    items = [
        {"Item": 2 * n + place + 1, "Call": call, "Transcript": talk, "Model": system, "Summary": texts[place]}
        for n, (call, (talk, *texts)) in enumerate(_CALLS.items())
        for place, system in enumerate(_SYSTEMS)
    ]
    answers = [
        {"Email": f"{who}@example.org"}
        | {f"Item {one['Item']} [Fluency]": _grade(one["Call"], one["Item"] % 2, who) for one in items}
        for who in _PEOPLE
    ]
    pl.DataFrame(items).write_csv(tmp_path / "items.csv")
    pl.DataFrame(answers).write_csv(tmp_path / "Form Responses.csv")
    _is_whole(read_corpus(tmp_path))


@pytest.mark.parametrize("form", ["summary_{}", "{}", "{}_output"])
def test_texts_beside_each_other_and_a_file_of_each_person(form: str, tmp_path: Path) -> None:
    texts = [
        {"id": call, "dialogue": talk, form.format("m1"): one, form.format("m2"): two}
        for call, (talk, one, two) in _CALLS.items()
    ]
    pl.DataFrame(texts).write_csv(tmp_path / "texts.csv")
    for who in _PEOPLE:
        rated = [
            {"id": call, "model": system, "correct": _grade(call, place, who)}
            for call in _CALLS
            for place, system in enumerate(_SYSTEMS)
        ]
        pl.DataFrame(rated[::-1]).write_csv(tmp_path / f"ratings_{who}.csv")
    corpus = read_corpus(tmp_path)
    _is_whole(corpus)
    text = {(row["dialogue_id"], row["system"]): row["text"] for row in corpus.summaries.iter_rows(named=True)}
    assert text == {(call, s): _CALLS[call][1 + place] for call in _CALLS for place, s in enumerate(_SYSTEMS)}
    assert corpus.ratings["annotator"].n_unique() == 2


def test_letters_that_mean_another_system_in_each_dialogue(tmp_path: Path) -> None:
    order = {"c1": "XY", "c2": "YX", "c3": "XY"}
    texts: list[list[Any]] = [["Visit", "Dialogue", "Code", "Summary"]]
    scores: list[list[Any]] = [["Rater", "Visit", "Code", "Concise"]]
    key: list[list[Any]] = [["Visit", "Code", "System"]]
    for call, (talk, *written) in _CALLS.items():
        for place, system in enumerate(_SYSTEMS):
            visit, code = int(call[1]), order[call][place]
            texts.append([visit, talk, code, written[place]])
            key.append([visit, code, system])
            scores += [[who, visit, code, _grade(call, place, who)] for who in _PEOPLE]
    path = tmp_path / "blind.xlsx"
    workbook(path, {"Texts": texts, "Scores": scores, "Key": key})
    corpus = read_corpus(path)
    _is_whole(corpus)
    text = {(row["dialogue_id"], row["system"]): row["text"] for row in corpus.summaries.iter_rows(named=True)}
    assert text["2", "m1"] == "Finn uses the copy shop."
    value = {(r["dialogue_id"], r["system"], r["annotator"]): r["value"] for r in corpus.ratings.iter_rows(named=True)}
    assert value == {
        (call[1], system, who): _grade(call, place, who)
        for call in _CALLS
        for place, system in enumerate(_SYSTEMS)
        for who in _PEOPLE
    }
    assert any("'Key' tells which system 'Code' means" in note for note in corpus.notes)


def test_metadata_of_labelbox_that_name_the_system_are_no_answers(tmp_path: Path) -> None:
    def label(call: str, place: int, who: str) -> dict[str, Any]:
        grade = str(_grade(call, place, who))
        chosen = {"name": "Clarity", "value": "clarity", "radio_answer": {"name": f"{grade} - so", "value": grade}}
        given = {"objects": [], "classifications": [chosen]}
        return {"label_details": {"created_by": f"{who}@example.org"}, "annotations": given}

    records = [
        {
            "data_row": {"id": f"{call}{system}", "external_id": call, "row_data": texts[place]},
            "metadata_fields": [{"schema_name": "model", "value": system}],
            "attachments": [{"type": "RAW_TEXT", "name": "transcript", "value": talk}],
            "projects": {"p1": {"labels": [label(call, place, who) for who in _PEOPLE]}},
        }
        for call, (talk, *texts) in _CALLS.items()
        for place, system in enumerate(_SYSTEMS)
    ]
    path = tmp_path / "export.ndjson"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    _is_whole(read_corpus(path))
