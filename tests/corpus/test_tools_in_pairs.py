"""Comparisons, marked errors and labels of sentences as tools and agencies deliver them, and ranks of people."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, ReadingSettings, read_corpus
from dialgauge.errors import InputError

_SYSTEMS, _PEOPLE = ("Iris", "Mallow"), ("W7QA", "W9ZB")
_CALLS = tuple(f"q{number}" for number in range(11, 17))


def _talk(call: str) -> str:
    return f"Nurse: Ward {call}, hello.\nCaller: Is my father awake?\nNurse: He is, room {call}."


def _text(call: str, system: str) -> str:
    return f"Caller of {call} asks after a father. {system} adds that he is awake."


def _sides(call: str) -> tuple[str, str]:
    return _SYSTEMS if int(call[1:]) % 2 else (_SYSTEMS[1], _SYSTEMS[0])


def _better(call: str, who: str) -> str:
    return _SYSTEMS[(int(call[1:]) // 2 + int(who[1])) % 2]


def _asked(corpus: Corpus) -> list[str]:
    return [text for one in corpus.accounts for text in one.too_much()]


def _winners(corpus: Corpus) -> dict[tuple[str, str], str]:
    rows = corpus.preferences.select("dialogue_id", "annotator", "winner", "system_a", "system_b").iter_rows()
    return {(d, who): {"a": a, "b": b}.get(winner, winner) for d, who, winner, a, b in rows}


def _wanted() -> dict[tuple[str, str], str]:
    return {(call, who): _better(call, who) for call in _CALLS for who in _PEOPLE}


def _table(path: Path, rows: Sequence[Sequence[object]], separator: str = ",") -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened, delimiter=separator).writerows(rows)
    return path


def _dump(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _lines(path: Path, records: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def _batch(path: Path, stem: str, unanswered: bool = False) -> Path:
    rows: list[list[object]] = [
        [
            *("HITId", "WorkerId", "AssignmentStatus", "Input.chat_id", "Input.transcript"),
            *(f"Input.{name}{side}" for side in (1, 2) for name in (stem, "summary")),
            *("Answer.better", "Answer.comment"),
        ]
    ]
    for call in _CALLS:
        for who in _PEOPLE:
            sides = _sides(call)
            shown = [cell for system in sides for cell in (system, _text(call, system))]
            said = f"summary{sides.index(_better(call, who)) + 1}"
            said = "{}" if unanswered and (call, who) == ("q12", "W9ZB") else said
            rows.append([f"H{call}", who, "Approved", call, _talk(call), *shown, said, "{}"])
    return _table(path, rows)


def test_sides_of_a_batch_are_the_systems_that_are_named_beside_them(tmp_path: Path) -> None:
    corpus = read_corpus(_batch(tmp_path / "a.csv", "sys", unanswered=True))
    assert _asked(corpus) == []
    assert corpus.systems == list(_SYSTEMS)
    assert _winners(corpus) == {key: won for key, won in _wanted().items() if key != ("q12", "W9ZB")}


def test_unread_names_of_both_sides_are_asked_about(tmp_path: Path) -> None:
    asked = _asked(read_corpus(_batch(tmp_path / "a.csv", "maker")))
    assert any("'maker1' and 'maker2' may name the systems on both sides" in text for text in asked)


def _delivery(folder: Path) -> Path:
    (folder / "calls").mkdir(parents=True)
    for call in _CALLS:
        (folder / "calls" / f"{call}.txt").write_text(_talk(call))
    texts = [("conv", "vendor", "text"), *((c, s, _text(c, s)) for c in _CALLS for s in _SYSTEMS)]
    _table(folder / "texts.csv", texts)
    rows: list[list[object]] = [["conv", "left", "right", "rater", "score"]]
    for number, (call, who) in enumerate(_wanted()):
        left, right = _sides(call)
        points = (number % 2 + 1) * (-1 if _better(call, who) == left else 1)
        rows.append([call, left, right, who, f"{points:+d}"])
    _table(folder / "judgements.tsv", rows, "\t")
    return folder


def test_a_text_beside_explains_the_numbers_of_a_comparison(tmp_path: Path) -> None:
    folder = _delivery(tmp_path / "s")
    legend = "score: -2 left much better, -1 left better, 0 about the same,\n 1 right better, 2 right much better\n"
    (folder / "README.txt").write_text(f"Side by side, second delivery of 2\n\n{legend}")
    corpus = read_corpus(folder)
    assert _asked(corpus) == []
    assert _winners(corpus) == _wanted()
    assert set(corpus.preferences["strength"]) == {2.0, 3.0}
    assert any("'score' is read as a text beside it explains" in note for note in corpus.notes)


def test_numbers_that_nothing_explains_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"do not say which of them is better.*README"):
        read_corpus(_delivery(tmp_path / "s"))


def test_the_other_way_round_is_read_so(tmp_path: Path) -> None:
    folder = _delivery(tmp_path / "s")
    (folder / "README.txt").write_text(
        "2 = left much better, 1 = left better, -1 = right better, -2 = right much better"
    )
    assert _winners(read_corpus(folder)) == {key: _SYSTEMS[1 - _SYSTEMS.index(won)] for key, won in _wanted().items()}


def test_errors_as_in_mqm_beside_a_file_of_dialogues(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    turns = [{"doc_id": c, "turns": [dict(zip(("speaker", "text"), t.split(": ", 1), strict=True)) for t in _talk(c).split("\n")]} for c in _CALLS]  # fmt: skip  # noqa: E501
    _lines(folder / "dialogues.jsonl", turns)
    rows: list[list[object]] = [["system", "doc", "doc_id", "seg_id", "rater", "target", "category", "severity"]]
    for call in _CALLS:
        for system in _SYSTEMS:
            text = _text(call, system)
            for who in _PEOPLE:
                wrong = _better(call, who) != system
                text = text.replace("a father", "<v>a father</v>") if wrong else _text(call, system)
                said = ["Accuracy/Person", "Major"] if wrong else ["No-error", "No-error"]
                rows.append([system, "all", call, 1, who, text if wrong else _text(call, system), *said])
                text = _text(call, system)
    _table(folder / "errors.tsv", rows, "\t")
    corpus = read_corpus(folder)
    assert _asked(corpus) == []
    assert (corpus.dialogues.height, corpus.summaries.height) == (6, 12)
    assert set(corpus.dialogues["turns"].list.len()) == {3}
    marked = corpus.spans.filter(pl.col("start").is_not_null())
    assert set(marked["text"]) == {"a father"}
    found = {(d, who): system for d, who, system in marked.select("dialogue_id", "annotator", "system").iter_rows()}
    assert found == {key: _SYSTEMS[1 - _SYSTEMS.index(won)] for key, won in _wanted().items()}
    assert corpus.spans.height == 24


def _task(number: int, call: str, cancelled: bool) -> dict[str, Any]:
    def answers(who: str) -> list[dict[str, Any]]:
        sides = _sides(call)
        picked = "AB"[sides.index(_better(call, who))]
        stars = [
            {"id": f"s{place}", "type": "rating", "from_name": f"faith_{side}", "to_name": f"sum_{side}"}
            | {"value": {"rating": 1 + (_better(call, who) == system)}}
            for place, (side, system) in enumerate(zip("ab", sides, strict=True))
        ]
        chosen = {"id": "c", "type": "choices", "from_name": "better", "to_name": "dlg", "value": {"choices": [picked]}}
        return [chosen, *stars]

    left, right = _sides(call)
    data = {"conversation_id": call, "dialogue": _talk(call), "model_a": left, "model_b": right}
    texts = {"summary_a": _text(call, left), "summary_b": _text(call, right)}
    made: list[dict[str, Any]] = [{"completed_by": {"email": who}, "result": answers(who)} for who in _PEOPLE]
    if cancelled:
        begun = {"completed_by": {"email": "late"}, "was_cancelled": True, "result": answers(_PEOPLE[0])[1:2]}
        made.append(begun)
    return {"id": number, "data": data | texts, "annotations": made, "predictions": []}


def test_stars_of_either_side_are_ratings_and_no_preferences(tmp_path: Path) -> None:
    tasks = [_task(number, call, cancelled=call == "q13") for number, call in enumerate(_CALLS)]
    corpus = read_corpus(_dump(tmp_path / "a.json", tasks))
    assert _asked(corpus) == []
    assert corpus.dimensions == ["faith"]
    assert _winners(corpus) == _wanted()
    two = corpus.ratings.filter(value=2.0).select("dialogue_id", "annotator", "system")
    assert {(d, who): system for d, who, system in two.iter_rows()} == _wanted()
    assert corpus.ratings.height == 24
    assert corpus.accounts[0].rejected == {"the annotation was cancelled": 1}


def test_the_severity_of_a_marked_place_belongs_to_it(tmp_path: Path) -> None:
    tasks = []
    for number, call in enumerate(_CALLS):
        text = _text(call, "Iris")
        place = {"start": text.index("father"), "end": text.index("father") + 6, "text": "father"}
        shown = {"to_name": "summary", "id": "r1"}
        result = [
            {**shown, "type": "labels", "from_name": "error", "value": {**place, "labels": ["Person"]}},
            {**shown, "type": "choices", "from_name": "severity", "value": {**place, "choices": ["Minor"]}},
            {
                "id": "x",
                "type": "rating",
                "from_name": "overall",
                "to_name": "summary",
                "value": {"rating": number % 5},
            },
        ]
        data = {"call_id": call, "dialogue": _talk(call), "model": "Iris", "summary": text}
        tasks.append({"id": number, "data": data, "annotations": [{"completed_by": 1, "result": result}]})
    corpus = read_corpus(_dump(tmp_path / "a.json", tasks))
    assert _asked(corpus) == []
    assert corpus.dimensions == ["overall"]
    assert set(corpus.spans["severity"]) == {"Minor"}
    assert set(corpus.spans["text"]) == {"father"}


def _potato(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    items = [
        {"id": f"{c}-{s}", "text": f"<b>Text</b>: {_text(c, s)}", "dialogue_id": f"talk {c}", "dialogue": _talk(c)}
        | {"model": s, "summary": _text(c, s)}
        for c in _CALLS
        for s in _SYSTEMS
    ]
    _lines(folder / "data" / "items.jsonl", items)
    for who in _PEOPLE:
        own = folder / "annotation_output" / who
        own.mkdir(parents=True)
        said = [
            {"id": one["id"], "displayed_text": one["text"]}
            | {"label_annotations": {"clarity": {f"scale_{place % 4 + int(who[1]) % 2}": "1"}}}
            for place, one in enumerate(items)
        ]
        _lines(own / "annotated_instances.jsonl", said)
    return folder


def test_items_of_potato_name_their_dialogues(tmp_path: Path) -> None:
    corpus = read_corpus(_potato(tmp_path / "s"))
    assert _asked(corpus) == []
    assert corpus.dialogues["dialogue_id"].to_list() == [f"talk {call}" for call in _CALLS]
    assert (corpus.summaries.height, corpus.ratings["value"].count()) == (12, 24)
    assert sorted(corpus.ratings["annotator"].unique()) == list(_PEOPLE)


def _claims(marked: bool) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for call in _CALLS:
        for system in _SYSTEMS:
            for who in _PEOPLE:
                for place, part in enumerate(_text(call, system).split(". ")):
                    text = part if part.endswith(".") else f"{part}."
                    one: dict[str, Any] = {
                        "text": text,
                        "meta": {"call": call, "model": system, "sent": place},
                        "transcript": _talk(call),
                    }
                    one |= {
                        "summary": _text(call, system),
                        "answer": "accept",
                        "_task_hash": len(made),
                        "_annotator_id": who,
                    }
                    options: dict[str, Any] = {
                        "options": [{"id": name, "text": name.lower()} for name in ("TOLD", "UNTOLD")]
                    }
                    options |= {"accept": ["TOLD" if _better(call, who) == system and place else "UNTOLD"]}
                    spans = {"spans": [{"start": 0, "end": 6, "label": "who"}]}
                    made.append(one | (spans if marked else options))
    return made


def test_sentences_of_prodigy_are_numbered_and_named(tmp_path: Path) -> None:
    corpus = read_corpus(_lines(tmp_path / "a.jsonl", _claims(marked=False)))
    assert _asked(corpus) == []
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (6, 12, 48)
    assert set(corpus.dialogues["dialogue_id"]) == set(_CALLS)
    told = corpus.ratings.filter(pl.col("value") == corpus.dimension("choice").labels.index("TOLD") + 1)
    assert set(told["sentence"]) == {1}
    rows = told.select("dialogue_id", "annotator", "system").iter_rows()
    assert {(d, who): system for d, who, system in rows} == _wanted()


def test_places_in_sentences_of_prodigy_are_places_in_the_summary(tmp_path: Path) -> None:
    corpus = read_corpus(_lines(tmp_path / "a.jsonl", _claims(marked=True)))
    texts = {(d, s): text for d, s, text in corpus.summaries.select("dialogue_id", "system", "text").iter_rows()}
    rows = corpus.spans.select("dialogue_id", "system", "start", "end").iter_rows()
    assert {texts[d, s][start:end].strip() for d, s, start, end in rows} == {"Caller", "Iris a", "Mallow"}


def _ranked(ranks: Sequence[Sequence[object]]) -> list[list[object]]:
    rows: list[list[object]] = [["Nr", "Gespräch", "System", "Zusammenfassung", "Rang Ebner", "Rang Öz", "Anmerkung"]]
    systems = (*_SYSTEMS, "Vorlage")
    for number, call in enumerate(_CALLS):
        turned = [*ranks[number % 3 :], *ranks[: number % 3]]
        rows += [[call, _talk(call), s, _text(call, s), *given, ""] for s, given in zip(systems, turned, strict=True)]
    return rows


def test_ranks_in_a_column_for_each_person(tmp_path: Path) -> None:
    rows = _ranked([["1", "2,5"], ["3", "1"], ["2", "2,5"]])
    corpus = read_corpus(_table(tmp_path / "a.csv", rows, ";"))
    assert _asked(corpus) == []
    assert corpus.dimensions == ["rang"]
    assert corpus.dimension("rang").direction == "lower"
    assert sorted(corpus.ratings["annotator"].unique()) == ["Ebner", "Öz"]
    own = corpus.ratings.filter(annotator="Öz", dialogue_id="q11").sort("system")
    assert own["value"].to_list() == [2.5, 1.0, 2.5]


def test_numbers_that_are_no_ranks_of_all_systems_are_asked_about(tmp_path: Path) -> None:
    rows = _ranked([["1", "2"], ["3", "1"], ["3", "2"]])
    assert _asked(read_corpus(_table(tmp_path / "a.csv", rows, ";")))


@pytest.mark.parametrize("words", ["Zusammenfassung", "Resumen"])
def test_a_mark_and_a_rank_for_each_system_in_columns(tmp_path: Path, words: str) -> None:
    rows: list[list[object]] = [
        [
            *("Vorgangsnr.", "Gespräch", *(f"{words} {s}" for s in _SYSTEMS), "Prüfer"),
            *(f"{what} {s}" for what in ("Rang", "Note") for s in _SYSTEMS),
        ]
    ]
    for call, who in _wanted():
        won = [_better(call, who) == system for system in _SYSTEMS]
        marks = ["1,5" if one else "4" for one in won]
        rows.append([call, _talk(call), *(_text(call, s) for s in _SYSTEMS), who, *(2 - one for one in won), *marks])
    corpus = read_corpus(_table(tmp_path / "a.csv", rows, ";"))
    assert _asked(corpus) == []
    assert corpus.dimensions == ["note", "rang"]
    assert {corpus.dimension(name).direction for name in corpus.dimensions} == {"lower"}
    best = corpus.ratings.filter(dimension="note", value=1.5).select("dialogue_id", "annotator", "system")
    assert {(d, who): system for d, who, system in best.iter_rows()} == _wanted()


def test_a_name_that_ends_as_a_side_does_is_no_question_about_it(tmp_path: Path) -> None:
    tasks = [_task(number, call, cancelled=False) for number, call in enumerate(_CALLS)]
    for task in tasks:
        for annotation in task["annotations"]:
            one = annotation["result"][1]
            one["from_name"], one["to_name"] = "coherencia", "dlg"
    assert any("'coherencia'" in text for text in _asked(read_corpus(_dump(tmp_path / "a.json", tasks))))


_POINTS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")


def _form(folder: Path, again: bool = False) -> Path:
    shown: list[list[object]] = [["Talk", "Talk text", "Summary A", "Summary A by", "Summary B", "Summary B by"]]
    for number, call in enumerate(_CALLS, start=1):
        left, right = _sides(call)
        shown.append([number, _talk(call), _text(call, left), left, _text(call, right), right])
    asked = [f"Talk {n}, Summary {side} [It is clear]" for n in range(1, 7) for side in "AB"]
    rows: list[list[object]] = [
        ["Timestamp", "Email", *asked, *(f"Talk {n}: Which one would you send?" for n in range(1, 7))]
    ]
    for day, who in enumerate(_PEOPLE, start=1):
        told = [_POINTS[(int(c[1:]) + day + (s == "Iris")) % 5] for c in _CALLS for s in _sides(c)]
        sent = [f"Summary {'AB'[_sides(c).index(_better(c, who))]}" for c in _CALLS]
        rows.append([f"2026-03-0{day} 10:00:00", f"{who}@x.example", *told, *sent])
    if again:
        other = {"Summary A": "Summary B", "Summary B": "Summary A"}
        rows.append(["2026-03-09 10:00:00", *rows[1][1:-1], other[str(rows[1][-1])]])
    _table(folder / "Form (Responses).csv", rows)
    _table(folder / "Form content.csv", shown)
    return folder


def test_a_form_that_rates_both_summaries_and_asks_which_is_better(tmp_path: Path) -> None:
    corpus = read_corpus(_form(tmp_path / "s"))
    assert _asked(corpus) == []
    assert (corpus.dialogues.height, corpus.systems) == (6, list(_SYSTEMS))
    assert {(f"q1{d}", who[:4]): won for (d, who), won in _winners(corpus).items()} == _wanted()
    one = corpus.ratings.filter(dialogue_id="3", system="Iris", annotator="W7QA@x.example")
    assert one["value"].to_list() == [(13 + 1 + 1) % 5 + 1]
    assert corpus.ratings["value"].count() == 24


def test_a_preference_that_somebody_changed_is_asked_about_and_settled(tmp_path: Path) -> None:
    folder = _form(tmp_path / "s", again=True)
    assert "1 judgement given twice, with different values" in _asked(read_corpus(folder))
    last = read_corpus(folder, reading=ReadingSettings(repeats="last"))
    first = read_corpus(folder, reading=ReadingSettings(repeats="first"))
    assert _asked(first) == _asked(last) == []
    assert _winners(first)["6", "W7QA@x.example"] == _better("q16", "W7QA")
    assert _winners(last)["6", "W7QA@x.example"] != _better("q16", "W7QA")
    assert last.accounts[0].settled == 1


def _task_folder(folder: Path, first: int = 1) -> Path:
    for inside in ("sources", "systems", "references", "scores"):
        (folder / inside).mkdir(parents=True)
    order = _CALLS[::-1]
    (folder / "documents.txt").write_text("\n".join(order))
    for call in _CALLS:
        (folder / "sources" / f"{call}.txt").write_text(_talk(call))
    for system in _SYSTEMS:
        (folder / "systems" / f"{system}.txt").write_text("\n".join(_text(call, system) for call in order))
    (folder / "references" / "ref-A.txt").write_text("\n".join(_text(call, "A") for call in order))
    rows: list[list[object]] = [["annotator", "system", "item", "itemType", "score", "start", "end"]]
    for number, call in enumerate(order, start=first):
        for place, (who, system) in enumerate((w, s) for w in _PEOPLE for s in (*_SYSTEMS, "ref-A")):
            began = 1_700_000_000 + 60 * len(rows)
            rows.append([who, system, number, "TGT", 10 * int(call[1:]) % 90 + place, began, began + 40])
    rows.append(["W7QA", "Iris", first, "BAD-REF", 3, 1_700_009_000, 1_700_009_040])
    _table(folder / "scores" / "da.csv", rows)
    return folder


def test_a_folder_of_a_shared_task(tmp_path: Path) -> None:
    corpus = read_corpus(_task_folder(tmp_path / "s"))
    assert _asked(corpus) == []
    assert (corpus.dialogues.height, corpus.systems, corpus.references.height) == (6, list(_SYSTEMS), 6)
    texts = corpus.summaries.filter(system="Mallow").select("dialogue_id", "text").iter_rows()
    assert dict(texts) == {call: _text(call, "Mallow") for call in _CALLS}
    assert corpus.ratings.height == 36
    one = corpus.ratings.filter(dialogue_id="q13", system="Mallow", annotator="W7QA")
    assert one["value"].to_list() == [10 * 13 % 90 + 1]
    assert corpus.accounts[0].rejected == {"itemType is not TGT": 1}


def test_numbers_that_may_count_from_0_are_no_lines(tmp_path: Path) -> None:
    corpus = read_corpus(_task_folder(tmp_path / "s", first=0))
    assert any("'da' looks like judgements" in text for text in _asked(corpus))
