"""Exports as tools write them and sheets as people make them, which were once refused or read wrongly."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.corpus._model_names import is_named_like_model
from dialgauge.corpus._values import read_values

_TEXTS = {"bart": "Ana lost her card in talk {}.", "t5": "The agent sends a letter after talk {}."}
_DIALOGUE = "Agent: Hello, this is line {}.\nAna: My card is gone.\nAgent: I will send another."
_REFERENCE = "Ana's card of talk {} is gone, and another one will be sent."


def _cells(people: tuple[str, ...] = ("ann", "bob"), calls: int = 6) -> Iterator[tuple[int, str, str, int]]:
    """Call, system, person and an answer from 1 to 5."""
    for call in range(1, calls + 1):
        for place, system in enumerate(_TEXTS):
            for number, who in enumerate(people):
                yield call, system, who, 1 + (call * 2 + place + number * 3) % 5


def _text(call: int, system: str) -> str:
    return _TEXTS[system].format(call)


def _well(path: Path) -> Corpus:
    corpus = read_corpus(path)
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    return corpus


def _rows(path: Path, rows: list[list[Any]], separator: str = ",") -> Path:
    with path.open("w", newline="") as stream:
        csv.writer(stream, delimiter=separator).writerows(rows)
    return path


def _annotated(folder: Path, levels: str) -> Path:
    for call, system, who, value in _cells(calls=4):
        own = folder / levels.format(who=who, system=system)
        own.mkdir(parents=True, exist_ok=True)
        (own / f"d{call}.txt").write_text(_text(call, system) + "\n")
        (own / f"d{call}.ann").write_text("T1\tWrong 0 3\t" + _text(call, system)[:3] + "\n" if value > 2 else "")
    return folder


@pytest.mark.parametrize("levels", ["annotations/{who}/{system}", "{system}/{who}"])
def test_folders_of_annotated_texts_are_those_of_people_and_of_systems(tmp_path: Path, levels: str) -> None:
    folder = _annotated(tmp_path / "brat", levels)
    (folder / "README.txt").write_text("Spans of errors.\n")
    (folder / "dialogues").mkdir()
    for call in range(1, 5):
        (folder / "dialogues" / f"d{call}.txt").write_text(_DIALOGUE.format(call))
    corpus = _well(folder)
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.systems) == (4, 8, ["bart", "t5"])
    assert set(corpus.spans["annotator"]) == {"ann", "bob"}
    assert corpus.spans.height == 16
    assert corpus.spans["start"].drop_nulls().len() == sum(value > 2 for *_, value in _cells(calls=4))
    assert corpus.dialogue("d2").turns[0].text == "Hello, this is line 2."


def test_folders_of_different_documents_are_asked_what_they_are(tmp_path: Path) -> None:
    for place, who in enumerate(("x", "y")):
        (tmp_path / "brat" / who).mkdir(parents=True)
        for call in (1, 2):
            file = tmp_path / "brat" / who / f"d{call + 2 * place}.txt"
            file.write_text("Ana lost her card.\n")
            file.with_suffix(".ann").write_text("")
    corpus = read_corpus(tmp_path / "brat")
    assert "annotate different documents" in " ".join(said for one in corpus.accounts for said in one.too_much())


def test_texts_in_folders_below_transcripts_are_not_left_out_in_silence(tmp_path: Path) -> None:
    (tmp_path / "c1.txt").write_text(_DIALOGUE.format(1))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "c2.txt").write_text(_DIALOGUE.format(2))
    corpus = read_corpus(tmp_path)
    assert "'more' holds 1 text" in " ".join(said for one in corpus.accounts for said in one.too_much())


def test_answers_between_yes_and_no_are_of_one_scale() -> None:
    found = read_values({"yes": 5, "no": 4, "partly": 3})
    assert (found.kind, found.values) == ("ordered", {"no": 1.0, "partly": 2.0, "yes": 3.0})
    assert read_values({"yes": 5, "no": 4}).kind == "yes/no"
    assert read_values({"useless": 1, "ok": 2, "useful": 3}).values == {"useless": 1.0, "ok": 2.0, "useful": 3.0}


def test_a_third_class_beside_yes_and_no_is_not_left_out(tmp_path: Path) -> None:
    words = ["faithful", "not faithful", "faithful", "faithful", "minor problems"]
    rows = [
        [f"c{call}", system, _text(call, system), who, words[(call + value) % 5]]
        for call, system, who, value in _cells(calls=10)
    ]
    corpus = _well(_rows(tmp_path / "a.csv", [["call_id", "system", "summary", "rater", "faithfulness"], *rows]))
    assert corpus.dimension("faithfulness").kind == "nominal"
    assert corpus.ratings["value"].drop_nulls().len() == 40


def test_statements_are_dimensions_and_say_which_way_is_better(tmp_path: Path) -> None:
    statements = ["The summary is easy to read.", "The summary leaves out something important."]
    words = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"]
    rows = [
        [f"c{call}", system, who, said, words[(value + place) % 5], 7.5 + call]
        for call, system, who, value in _cells()
        for place, said in enumerate(statements)
    ]
    heads = ["conversation", "system", "participant", "statement", "response", "seconds"]
    corpus = _well(_rows(tmp_path / "a.csv", [heads, *rows]))
    assert {one: corpus.dimension(one).direction for one in corpus.dimensions} == {
        statements[0]: "higher",
        statements[1]: "lower",
    }
    assert corpus.ratings.height == 48


def _survey(folder: Path) -> Path:
    """A question about each of eight summaries, and a key to them in a file of its own."""
    folder.mkdir()
    shown = [(call, system) for call in range(1, 5) for system in _TEXTS]
    columns = ["StartDate", "EndDate", "Status", "ResponseId", "DistributionChannel"]
    titles = ["Start Date", "End Date", "Response Type", "Response ID", "Distribution Channel"]
    for number in range(1, 9):
        columns += [f"{number}_Q4_1", f"{number}_Q4_2", f"{number}_Q5"]
        titles += [f"Please rate summary {number}. - {what}" for what in ("Coherence", "Coverage")]
        titles.append("How confident are you in your ratings?")
    rows = [columns, titles, [json.dumps({"ImportId": name}) for name in columns]]
    for person in range(5):
        preview = person == 0
        about = ["Survey Preview" if preview else "IP Address", f"R_{person}x", "preview" if preview else "anonymous"]
        answers = [[1 + (n + person) % 5, 1 + (n * 2 + person) % 5, ("Somewhat", "Very")[n % 2]] for n in range(8)]
        rows.append(["2026-01-02 10:00:00"] * 2 + about + [str(one) for own in answers for one in own])
    _rows(folder / "answers.csv", rows)
    key = [
        [number, f"c{call}", system, _DIALOGUE.format(call), _text(call, system)]
        for number, (call, system) in enumerate(shown, start=1)
    ]
    _rows(folder / "key.csv", [["summary number", "dialogue", "model", "dialogue_text", "summary_text"], *key])
    return folder


def test_whoever_tried_a_survey_out_has_judged_nothing(tmp_path: Path) -> None:
    corpus = _well(_survey(tmp_path / "survey"))
    assert corpus.ratings["annotator"].n_unique() == 4
    assert sorted(name.lower() for name in corpus.dimensions) == ["coherence", "coverage"]
    assert corpus.ratings.height == 64
    assert any("1 preview of the survey left out" in note for note in corpus.notes)


@pytest.mark.parametrize("name", ["judge_gpt4o", "auto-judge", "gpt4_judge", "autorater v2"])
def test_judges_are_called_like_models(name: str) -> None:
    assert is_named_like_model(name)


def test_people_are_not_called_like_models() -> None:
    assert not any(map(is_named_like_model, ["judge_1", "Judge Judy", "rater_b", "Claude", "annotator 3"]))


def test_two_reviewers_in_columns_are_people(tmp_path: Path) -> None:
    heads = ["Call ID", "CSAT", "Transcript", "Bot version", "Auto summary", "Accuracy QA1", "Accuracy QA2"]
    heads += ["Tone ok? QA1", "Tone ok? QA2", "Avg accuracy"]
    rows = []
    for call, system, _, value in _cells(("one",), calls=8):
        other = 1 + value % 5
        answers = [value, other, ("yes", "no")[value % 2], ("no", "yes", "yes")[call % 3], (value + other) / 2]
        rows.append([4000 + call, 1 + call % 5, _DIALOGUE.format(call), system, _text(call, system), *answers])
    corpus = _well(_rows(tmp_path / "qa.tsv", [heads, *rows], "\t"))
    assert set(corpus.ratings["annotator"]) == {"QA1", "QA2"}
    assert set(corpus.dimensions) == {"accuracy", "tone_ok"}
    assert corpus.ratings.height == 64


def test_a_page_with_dialogue_and_summary_is_parted(tmp_path: Path) -> None:
    own = tmp_path / "potato" / "annotation_output" / "ann"
    own.mkdir(parents=True)
    (tmp_path / "potato" / "data").mkdir()
    items: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    for call, system, _, value in _cells(("ann",)):
        said = _DIALOGUE.format(call).replace("\n", "<br>")
        page = f"<h4>Dialogue</h4>{said}<h4>Summary</h4>{_text(call, system)}"
        items.append({"id": f"c{call}__{system}", "text": page})
        labels = {"fluency": {f"scale_{value}": str(value)}, "confidence": {"scale_1": "1"}}
        labels["invented"] = {("Yes", "No")[value % 2]: "true"}
        answers.append({"id": items[-1]["id"], "displayed_text": page, "label_annotations": labels})
    items.append({"id": "attention_check_1", "text": "Please choose 3 here."})
    answers.append({**answers[0], "id": "attention_check_1", "displayed_text": "Please choose 3 here."})
    (tmp_path / "potato" / "data" / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    (own / "annotated_instances.jsonl").write_text("\n".join(map(json.dumps, answers)))
    (own / "annotation_order.txt").write_text("\n".join(one["id"] for one in items))
    corpus = _well(tmp_path / "potato")
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (6, 12, 24)
    assert corpus.dimensions == ["fluency", "invented"]
    assert corpus.dimension("invented").direction == "lower"
    assert corpus.summaries.filter(dialogue_id="c2", system="bart")["text"].item() == _text(2, "bart")


def _sheets(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_scores_below_systems_are_joined_to_the_texts_of_another_sheet(tmp_path: Path) -> None:
    scores: list[list[Any]] = [
        ["Dialogue", "Annotator", "BART-large", None, "T5-3", None],
        [None, None, *["Coherence", "Fluency"] * 2],
    ]
    for call, _, who, value in _cells(calls=6):
        scores.append([f"conv_{call}", who, value, 1 + value % 5, 6 - value, 1 + (value + call) % 5])
    scores = [row for number, row in enumerate(scores) if number < 2 or number % 4 in (2, 3)]  # once for each person
    texts: list[list[Any]] = [["Dialogue", "Transcript", "Reference", "BART-large", "T5-3"]]
    texts += [
        [f"conv_{n}", _DIALOGUE.format(n), _REFERENCE.format(n), *(one.format(n) for one in _TEXTS.values())]
        for n in range(1, 7)
    ]
    legend: list[list[Any]] = [
        ["Score", "Meaning"],
        [1, "very poor"],
        [2, "poor"],
        [3, "fair"],
        [4, "good"],
        [5, "very good"],
    ]
    corpus = _well(_sheets(tmp_path / "a.xlsx", {"Scores": scores, "Texts": texts, "Scale": legend}))
    assert corpus.systems == ["BART-large", "T5-3"]
    assert (corpus.dialogues.height, corpus.references.height, corpus.ratings.height) == (6, 6, 48)
    assert corpus.dimensions == ["coherence", "fluency"]


def test_a_sheet_in_spanish_with_people_above_dimensions_is_read(tmp_path: Path) -> None:
    judged: list[list[Any]] = [["Evaluación de resúmenes"], [None]]
    judged.append(["Diálogo", "Sistema", "Resumen", "Evaluadora 1 (María)", None, "Evaluador 2 (Jorge)", None, "Media"])
    judged.append([None, None, None, *["Claridad", "Precisión"] * 2, None])
    sums = [0.0, 0.0]
    for number, (call, system, _, value) in enumerate(_cells(("one",), calls=5)):
        answers: list[Any] = [value + 0.5, value, 6 - value, 1 + value % 5]
        sums = [sums[0] + answers[0] + answers[2], sums[1] + answers[1] + answers[3]]
        if number == 3:
            answers[0] = str(answers[0]).replace(".", ",")
        name = f"Diálogo {call}" if system == "bart" else None
        judged.append([name, system, _text(call, system), *answers, 3.25])
    judged.append(["PROMEDIO", None, None, 3.1, 3.2, 3.3, 3.4, 3.5])
    texts: list[list[Any]] = [["Diálogo", "Texto", "Resumen de referencia"]]
    texts += [[f"Diálogo {n}", _DIALOGUE.format(n), _REFERENCE.format(n)] for n in range(1, 6)]
    corpus = _well(_sheets(tmp_path / "a.xlsx", {"Evaluación": judged, "Diálogos": texts}))
    assert set(corpus.ratings["annotator"]) == {"Evaluadora 1 (María)", "Evaluador 2 (Jorge)"}
    assert (corpus.dialogues.height, corpus.references.height, corpus.ratings.height) == (5, 5, 40)
    assert {one: corpus.ratings.filter(dimension=one)["value"].sum() for one in corpus.dimensions} == {
        "claridad": sums[0],
        "precisión": sums[1],
    }
    assert corpus.dialogue("Diálogo 2").turns[0].text == "Hello, this is line 2."


def test_labels_of_sentences_belong_to_the_people_who_gave_them(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = []
    for call in range(1, 7):
        for place, system in enumerate(_TEXTS):
            sentences = [_text(call, system), "Another sentence follows."][: 1 + call % 2]
            people = [
                {
                    "worker": who,
                    "labels": [(n + call + place) % 2 for _ in sentences],
                    "types": [["Wrong"]] * len(sentences),
                }
                for n, who in enumerate(("w1", "w2", "w3"))
            ]
            about = {
                "id": f"{call}-{system}",
                "dialogue_id": call,
                "dialogue": [_DIALOGUE.format(call)],
                "model": system,
            }
            summed = {"majority": [1] * len(sentences), "summary_consistent": 1}
            records.append({**about, "summary_sents": sentences, "annotations": people, **summed})
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    corpus = _well(tmp_path / "a.jsonl")
    assert corpus.ratings.height == sum(3 * len(one["summary_sents"]) for one in records)
    assert set(corpus.ratings["annotator"]) == {"w1", "w2", "w3"}
    assert set(corpus.ratings["sentence"]) == {0, 1}
    assert corpus.dimension("label").kind == "binary"


def test_options_of_a_choice_are_the_summaries_that_are_compared(tmp_path: Path) -> None:
    tasks: list[dict[str, Any]] = []
    for call, system, who, value in _cells():
        if system == "bart":
            options = [{"id": name, "text": _text(call, name)} for name in _TEXTS][:: 1 if value % 2 else -1]
            options.append({"id": "tie", "text": "Both equally good"})
            about: dict[str, Any] = {
                "text": _DIALOGUE.format(call),
                "label": "Which is better?",
                "meta": {"dialogue": f"d{call}"},
            }
            picked = {"options": options, "accept": [("bart", "t5", "tie")[value % 3]], "answer": "accept"}
            tasks.append({**about, **picked, "_task_hash": len(tasks), "_annotator_id": who})
    tasks.append({**tasks[0], "accept": [], "answer": "ignore", "_annotator_id": "cy"})
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    corpus = _well(tmp_path / "a.jsonl")
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.preferences.height) == (6, 12, 12)
    assert corpus.systems == ["bart", "t5"]
    expected = [("a", "b", "tie")[value % 3] for _, system, _, value in _cells() if system == "bart"]
    assert sorted(corpus.preferences["winner"]) == sorted(expected)


def test_rankings_of_texts_that_a_key_names_are_those_of_systems(tmp_path: Path) -> None:
    tasks: list[dict[str, Any]] = []
    for call, system, who, value in _cells():
        if system == "t5":
            continue
        names = {"response_a": "bart", "response_b": "t5"} if call % 2 else {"response_a": "t5", "response_b": "bart"}
        shown = [{"type": "text", "name": "conversation", "content": _DIALOGUE.format(call)}]
        shown += [{"type": "text", "name": name, "content": _text(call, one)} for name, one in names.items()]
        places: list[list[str]] = [["response_a", "response_b"]] if value == 3 else [["response_b"], ["response_a"]]
        quality = {"response_a": value, "response_b": 6 - value}
        answers = {
            "ranking": {"type": "ranking", "response": places},
            "quality": {"type": "likert", "response": quality},
        }
        answers["reason"] = {"type": "text", "response": "It has all points"}
        about = {"conversation_id": f"c{call}", "response_models": names}
        task = {"task_id": f"t{len(tasks)}", "worker_id": who, "params": {"attachments": shown, "metadata": about}}
        tasks.append({**task, "response": {"annotations": answers}})
    (tmp_path / "a.json").write_text(json.dumps({"docs": tasks}))
    corpus = _well(tmp_path / "a.json")
    assert (corpus.dialogues.height, corpus.summaries.height) == (6, 12)
    assert corpus.ratings.filter(dimension="quality").height == corpus.ratings.filter(dimension="ranking").height == 24
    ties = sum(
        task["response"]["annotations"]["ranking"]["response"] == [["response_a", "response_b"]] for task in tasks
    )
    assert corpus.ratings.filter(dimension="ranking")["value"].sum() == 36 - ties
    assert corpus.dimension("ranking").direction == "lower"


def test_options_that_are_names_are_systems_and_no_texts(tmp_path: Path) -> None:
    systems = ["bart", "t5", "lead", "gpt", "rnn"]
    rows = []
    for call in range(1, 7):
        for number in range(3):
            shown = [systems[(call + number + place) % 5] for place in range(4)]
            for who in ("ann", "bob"):
                best = f"item{1 + (call + len(who)) % 4}"
                rows.append([f"t{call}{number}", f"c{call}", who, *shown, best, f"item{1 + (call + len(who) + 1) % 4}"])
    heads = ["tuple_id", "dialogue_id", "annotator", *(f"item{n}" for n in range(1, 5)), "best", "worst"]
    corpus = _well(_rows(tmp_path / "bws.csv", [heads, *rows]))
    assert corpus.systems == sorted(systems)
    assert corpus.choices.height == 4 * len(rows)
    assert dict(corpus.choices["choice"].value_counts().iter_rows())["best"] == len(rows)


def test_a_list_of_annotators_says_which_are_models(tmp_path: Path) -> None:
    calls = []
    for call in range(1, 7):
        outputs = {
            system: {
                "summary": _text(call, system),
                "scores": {who: {"coherence": 1 + (call + len(who + system)) % 5} for who in ("e1", "e2x", "rbt")},
            }
            for system in _TEXTS
        }
        calls.append({"id": f"c{call}", "dialogue": _DIALOGUE.format(call), "outputs": outputs})
    people = [{"id": "e1", "type": "expert"}, {"id": "e2x", "type": "expert"}, {"id": "rbt", "type": "llm"}]
    (tmp_path / "a.json").write_text(json.dumps({"name": "set", "annotators": people, "data": calls}))
    corpus = _well(tmp_path / "a.json")
    assert corpus.models == ["rbt"]
    assert any("judgements of models" in note and "rbt" in note for note in corpus.notes)


def test_files_beside_texts_of_the_same_names_are_not_left_out_in_silence(tmp_path: Path) -> None:
    for call in (1, 2):
        (tmp_path / f"c{call}.txt").write_text(_DIALOGUE.format(call))
        (tmp_path / f"c{call}.lab").write_text("3:7 error\n")
    corpus = read_corpus(tmp_path)
    assert "2 files that end in .lab" in " ".join(said for one in corpus.accounts for said in one.too_much())
    ignored = read_corpus(tmp_path, mapping={"ignore": "*.lab"})
    assert [said for one in ignored.accounts for said in one.too_much()] == []


def _nested(path: Path, **judged: Any) -> Path:
    """A record per summary, with the answers of a call and a system under these keys."""
    records = [
        {"id": f"c{call}", "dialogue": _DIALOGUE.format(call), "system": system, "summary": _text(call, system)}
        | {key: given(value) for key, given in judged.items()}
        for call, system, _, value in _cells(("one",))
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_names_below_a_dimension_are_those_of_people(tmp_path: Path) -> None:
    corpus = _well(_nested(tmp_path / "a.jsonl", faithfulness=lambda value: {"ann": value, "bob": 6 - value}))
    assert (corpus.dimensions, sorted(corpus.ratings["annotator"].unique())) == (["faithfulness"], ["ann", "bob"])


def test_votes_are_those_of_people(tmp_path: Path) -> None:
    words = ("faithful", "unfaithful")
    corpus = _well(
        _nested(tmp_path / "a.jsonl", votes=lambda value: {"ann": words[value % 2], "bob": words[value // 3]})
    )
    assert (corpus.dimensions, sorted(corpus.ratings["annotator"].unique())) == (["vote"], ["ann", "bob"])


@pytest.mark.parametrize(
    ("names", "asked"),
    [
        (("Anna", "Ben"), True),
        (("A1X", "B7Q"), True),
        (("zorp", "usability"), False),
        (("is it clear", "style"), False),
    ],
)
def test_unknown_names_of_nobody_may_be_people(tmp_path: Path, names: tuple[str, str], asked: bool) -> None:
    path = _nested(tmp_path / "a.jsonl", scores=lambda value: dict(zip(names, (value, 6 - value), strict=True)))
    said = " ".join(text for one in read_corpus(path).accounts for text in one.too_much())
    assert ("may be people" in said) is asked


def test_a_list_of_people_names_the_answers_beside_it(tmp_path: Path) -> None:
    path = _nested(
        tmp_path / "a.jsonl",
        annotators=lambda value: ["ann", "bob", "cy"],
        coherence=lambda value: [value, 6 - value, 3],
        fluency=lambda value: [3, value, 6 - value],
    )
    corpus = _well(path)
    assert sorted(corpus.ratings["annotator"].unique()) == ["ann", "bob", "cy"]
    assert corpus.ratings.height == 72


def test_comments_of_each_person_are_no_dimension(tmp_path: Path) -> None:
    heads = ["id", "dialogue", "system", "summary", "ann.coherence", "bob.coherence", "ann.comment", "bob.comment"]
    rows = [
        [f"c{call}", _DIALOGUE.format(call), system, _text(call, system), value, 6 - value, "ok", "ok"]
        for call, system, _, value in _cells(("one",))
    ]
    corpus = _well(_rows(tmp_path / "a.csv", [heads, *rows]))
    assert corpus.dimensions == ["coherence"]
    assert (corpus.ratings.height, corpus.ratings["comment"].drop_nulls().len()) == (24, 24)


def test_one_class_in_several_spellings_is_one(tmp_path: Path) -> None:
    words = ["Omission", "omission", "Wrong name", "?", "wrong name"]
    rows = [
        [f"c{call}", system, _text(call, system), who, words[(call + value) % 5]]
        for call, system, who, value in _cells(calls=10)
    ]
    corpus = _well(_rows(tmp_path / "a.csv", [["call_id", "system", "summary", "rater", "error_type"], *rows]))
    assert {label.lower() for label in corpus.dimension("error_type").labels} == {"omission", "wrong name"}
    assert len(corpus.dimension("error_type").labels) == 2


def test_a_form_about_two_summaries_of_each_call_is_joined_to_its_key(tmp_path: Path) -> None:
    folder = tmp_path / "form"
    folder.mkdir()
    key: list[list[Any]] = [
        ["conversation", "conversation text"]
        + [f"Summary {side} ({what})" for side in "AB" for what in ("text", "system")]
    ]
    heads, answers = ["Timestamp", "Email Address"], []
    for call in range(1, 6):
        first, second = ("bart", "t5") if call % 2 else ("t5", "bart")
        key.append([call, _DIALOGUE.format(call), _text(call, first), first, _text(call, second), second])
        heads += [f"Conversation {call} - How good is it? [Summary {side}]" for side in "AB"]
        heads.append(f"Conversation {call} - Which summary do you prefer?")
    for person in range(4):
        row = ["2023/05/02 7:02:16 AM", f"p{person}@uni.example"]
        for call in range(1, 6):
            better = ("Summary A", "Summary B", "No preference")[(call + person) % 3]
            row += [str(1 + (call + person) % 5), str(1 + call * 2 % 5), better]
        answers.append(row)
    _rows(folder / "key.csv", key)
    _rows(folder / "answers.csv", [heads, *answers])
    corpus = _well(folder)
    assert (corpus.dialogues.height, corpus.systems) == (5, ["bart", "t5"])
    assert (corpus.ratings.height, corpus.preferences.height) == (40, 20)
    sides = {call: ("bart", "t5") if call % 2 else ("t5", "bart") for call in range(1, 6)}
    won = sorted(
        "tie" if (call + person) % 3 == 2 else sides[call][(call + person) % 3] for call in sides for person in range(4)
    )
    stored = corpus.preferences.select("winner", "system_a", "system_b").iter_rows()
    assert sorted({"a": a, "b": b}.get(winner, "tie") for winner, a, b in stored) == won


def test_comparisons_may_be_beside_the_texts_in_another_file(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    texts = [[f"c{call}", _DIALOGUE.format(call), system, _text(call, system)] for call, system, *_ in _cells(("one",))]
    votes = [
        [f"c{call}", who, "bart", "t5", ("a", "b", "tie")[value % 3]]
        for call, system, who, value in _cells()
        if system == "t5"
    ]
    _rows(folder / "summaries.csv", [["dialogue_id", "dialogue", "system", "summary"], *texts])
    _rows(folder / "votes.csv", [["dialogue_id", "annotator", "system_a", "system_b", "winner"], *votes])
    corpus = _well(folder)
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.preferences.height) == (6, 12, 12)
    assert corpus.summaries["text"].str.len_chars().min() > 10


def test_best_and_worst_may_be_beside_the_texts_in_another_file(tmp_path: Path) -> None:
    folder = tmp_path / "bws"
    folder.mkdir()
    systems = ["bart", "t5", "lead", "gpt"]
    calls = [
        {"dialogue_id": f"c{n}", "dialogue": _DIALOGUE.format(n)}
        | {"summaries": {one: f"The summary of {one} about talk {n}." for one in systems}}
        for n in range(1, 7)
    ]
    (folder / "summaries.jsonl").write_text("\n".join(map(json.dumps, calls)))
    rows = [
        [f"t{n}", f"c{n}", who, *systems[n % 4 :], *systems[: n % 4], f"item{1 + n % 4}", f"item{1 + (n + 1) % 4}"]
        for n in range(1, 7)
        for who in ("ann", "bob")
    ]
    heads = ["tuple_id", "dialogue_id", "annotator", *(f"item{n}" for n in range(1, 5)), "best", "worst"]
    _rows(folder / "answers.csv", [heads, *rows])
    corpus = _well(folder)
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.choices.height) == (6, 24, 48)
    best = corpus.choices.filter(choice="best").group_by("system").len().sort("system").rows()
    expected = [(*systems[n % 4 :], *systems[: n % 4])[n % 4] for n in range(1, 7) for _ in range(2)]
    assert best == sorted((one, expected.count(one)) for one in set(expected))
