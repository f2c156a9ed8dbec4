"""Files of further tools, and files in other languages: who judged, what was judged, and which way is better."""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.corpus._names import heading
from dialgauge.corpus._scale_ends import best_end

_TEXTS = {"bart": "Ana lost her card in talk {}.", "t5": "The agent sends a letter after talk {}."}
_DIALOGUE = "Agent: Hello, this is line {}.\nAna: My card is gone.\nAgent: I will send another."


def _cells(people: tuple[str, ...] = ("ann", "bob"), calls: int = 6) -> Iterator[tuple[int, str, str, int]]:
    """Call, system, person and an answer from 1 to 5."""
    for call in range(1, calls + 1):
        for place, system in enumerate(_TEXTS):
            for number, who in enumerate(people):
                yield call, system, who, 1 + (call * 2 + place + number * 3) % 5


def _table(path: Path, **answers: Any) -> Corpus:
    """A row per call, system and person, with these columns: texts for every cell in turn, or a shift of the answer."""
    rows = []
    for number, (call, system, who, value) in enumerate(_cells()):
        row: dict[str, object] = {"call_id": f"c{call}", "system": system, "summary": _TEXTS[system].format(call)}
        row |= {"transcript": _DIALOGUE.format(call), "rater": who}
        for name, given in answers.items():
            row[name] = given[(number + call) % len(given)] if isinstance(given, list) else 1 + (value + given) % 5
        rows.append(row)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return read_corpus(path)


def _well(corpus: Corpus) -> Corpus:
    assert [said for account in corpus.accounts for said in account.too_much()] == []
    return corpus


@pytest.mark.parametrize("name", ["confidence", "How sure were you? (1-3)", "Wie sicher sind Sie sich?"])
def test_how_sure_people_were_is_no_dimension_beside_others(tmp_path: Path, name: str) -> None:
    corpus = _well(_table(tmp_path / "a.csv", coherence=0, **{name: ["1", "3", "2"]}))
    assert corpus.dimensions == ["coherence"]
    assert any(name in note and "how sure people were" in note for note in corpus.notes)


def test_how_sure_people_were_is_kept_where_it_is_all_there_is(tmp_path: Path) -> None:
    corpus = _well(_table(tmp_path / "a.csv", confidence=0))
    assert corpus.dimension("confidence").direction == "none"


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Clarity (1 = best, 5 = worst)", "lower"),
        ("Fluency (1=poor, 5=excellent)", "higher"),
        ("Inhalt (1=sehr gut ... 6=ungenügend)", "lower"),
        ("von 1 (sehr gut) bis 6 (ungenügend)", "lower"),
        ("from best (1) to worst (5)", None),
        ("best (1) to worst (5)", "lower"),
        ("Rank (1 = best)", "lower"),
        ("Overall (5 = best)", "higher"),
        ("Errors (1 = none, 5 = many)", None),
        ("It reads well (1 = strongly agree, 2 = agree, 3 = neither, 4 = disagree, 5 = strongly disagree)", "lower"),
    ],
)
def test_the_ends_of_a_scale_say_which_way_is_better(text: str, direction: str | None) -> None:
    assert best_end(text) == direction


def test_the_scale_in_a_heading_reaches_from_its_first_to_its_last_point() -> None:
    assert heading("A (1 = good, 2 = fair, 3 = bad)") == ("A", "1-3")
    assert heading("Inhalt (1=sehr gut ... 6=ungenügend)") == ("Inhalt", "1-6")


def test_a_scale_whose_first_point_is_best_is_lower(tmp_path: Path) -> None:
    corpus = _well(_table(tmp_path / "a.csv", **{"Clarity (1 = best, 5 = worst)": 0, "Fluency (1-5)": 1}))
    assert {name: corpus.dimension(name).direction for name in corpus.dimensions} == {
        "clarity": "lower",
        "fluency": "higher",
    }


@pytest.mark.parametrize(
    ("name", "grades", "direction"),
    [
        ("Schulnote", ["1", "2", "6", "3"], "lower"),
        ("Gesamtnote", ["1 (sehr gut)", "2 (gut)", "5 (mangelhaft)"], "lower"),
        ("Note Sprache", ["1", "2", "4", "3"], "lower"),
        ("Gesamtnote", ["gut", "mangelhaft", "sehr gut", "ungenügend"], "higher"),  # stored from the worst up
        ("Note", ["1", "12", "15", "20"], "higher"),
    ],
)
def test_german_school_grades_begin_with_the_best(tmp_path: Path, name: str, grades: list[str], direction: str) -> None:
    corpus = _well(_table(tmp_path / "a.csv", **{name: grades, "Lesbarkeit": 0}))
    found = {normal.lower(): corpus.dimension(normal).direction for normal in corpus.dimensions}
    assert found == {name.lower(): direction, "lesbarkeit": "higher"}


@pytest.mark.parametrize("name", ["Fehler", "Anzahl Erreurs", "alucinaciones", "Répétitions"])
def test_faults_in_other_languages_are_better_the_fewer(tmp_path: Path, name: str) -> None:
    corpus = _well(_table(tmp_path / "a.csv", coherence=0, **{name: ["yes", "no", "no"]}))
    assert {corpus.dimension(one).direction for one in corpus.dimensions if one != "coherence"} == {"lower"}


def test_labels_of_faults_are_faults(tmp_path: Path) -> None:
    labels = ["Wrong name; Too long", "Too long", "", "Wrong name"]
    corpus = _well(_table(tmp_path / "a.csv", Errors=labels, coherence=0))
    assert corpus.dimension("Too long").direction == "lower"


def test_dimensions_keep_their_accents(tmp_path: Path) -> None:
    rows = [
        {"id": f"c{call}", "dialogue": _DIALOGUE.format(call), "annotator": who}
        | {f"summary_{system}": text.format(call) for system, text in _TEXTS.items()}
        | {f"Kohärenz_{system}": 1 + (call + len(system + who)) % 5 for system in _TEXTS}
        for call in range(1, 7)
        for who in ("ann", "bobby")
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert _well(read_corpus(tmp_path / "a.json")).dimensions == ["kohärenz"]


def _battle(call: int, judge: str, **more: str) -> dict[str, Any]:
    said = {f"conversation_{side}": [{"role": "user", "content": _DIALOGUE.format(call)}] for side in "ab"}
    for side, text in zip("ab", _TEXTS.values(), strict=True):
        said[f"conversation_{side}"].append({"role": "assistant", "content": text.format(call)})
    named = {"question_id": f"q{call}", "model_a": "bart", "model_b": "t5", "judge": judge}
    return {**named, **said, "winner": ("model_a", "model_b", "tie")[call % 3], **more}


@pytest.mark.parametrize(
    "battles",
    [
        [_battle(n, "gpt-4o" if n % 4 == 0 else f"user_{n % 3}") for n in range(1, 13)],
        [_battle(n, f"j{n % 4}", judge_type="model" if n % 4 == 0 else "human") for n in range(1, 13)],
    ],
)
def test_verdicts_of_models_are_not_those_of_people(tmp_path: Path, battles: list[Mapping[str, Any]]) -> None:
    (tmp_path / "arena.jsonl").write_text("\n".join(map(json.dumps, battles)))
    corpus = _well(read_corpus(tmp_path / "arena.jsonl"))
    assert corpus.preferences.height == 9
    assert any("3 verdicts of programs" in note for note in corpus.notes)


def test_verdicts_are_kept_where_all_judges_are_models(tmp_path: Path) -> None:
    battles = [_battle(n, "gpt-4o") for n in range(1, 7)]
    (tmp_path / "arena.jsonl").write_text("\n".join(map(json.dumps, battles)))
    assert _well(read_corpus(tmp_path / "arena.jsonl")).preferences.height == 6


def _potato(folder: Path) -> Path:
    items = [
        {"id": f"c{call}__{system}", "text": _DIALOGUE.format(call), "summary": text.format(call)}
        for call in range(1, 5)
        for system, text in _TEXTS.items()
    ]
    (folder / "data_files").mkdir(parents=True)
    (folder / "data_files" / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    for who in ("ann", "bob"):
        own = folder / "annotation_output" / who
        own.mkdir(parents=True)
        lines = [
            {"id": one["id"], "displayed_text": one["text"]}
            | {"label_annotations": {"coherence": {f"scale_{1 + (n + len(who)) % 5}": str(1 + (n + len(who)) % 5)}}}
            for n, one in enumerate(items)
        ]
        (own / "annotated_instances.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def test_items_of_potato_may_be_in_a_file_of_their_own(tmp_path: Path) -> None:
    corpus = _well(read_corpus(_potato(tmp_path / "potato")))
    assert corpus.dialogues["dialogue_id"].to_list() == ["c1", "c2", "c3", "c4"]
    assert corpus.systems == ["bart", "t5"]
    assert set(corpus.ratings["annotator"]) == {"ann", "bob"}
    assert corpus.ratings.height == 16


def test_names_of_items_are_split_without_any_text(tmp_path: Path) -> None:
    rows = [f"c{call}__{system},{who},{value}" for call, system, who, value in _cells()]
    (tmp_path / "a.csv").write_text("\n".join(["item_id,rater,coherence", *rows]))
    corpus = _well(read_corpus(tmp_path / "a.csv"))
    assert corpus.systems == ["bart", "t5"]
    assert (corpus.dialogues.height, corpus.ratings.height) == (6, 24)


def _traces() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    traces: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    for call, system, who, value in _cells():
        trace = f"t-{call}-{system}"
        about: dict[str, Any] = {"traceId": trace, "name": "coherence", "dataType": "NUMERIC", "comment": None}
        scores.append({**about, "id": f"s-{trace}-{who}", "value": value, "source": "ANNOTATION", "authorUserId": who})
        if who == "ann":
            text = _TEXTS[system].format(call)
            shown = {"input": {"transcript": _DIALOGUE.format(call)}, "output": text, "metadata": {"model": system}}
            traces.append({"id": trace, "sessionId": f"c{call}", "name": "summarize", **shown})
            scores.append({**about, "id": f"e-{trace}", "value": 0.5 + call / 100, "source": "EVAL"})
    return traces, scores


@pytest.mark.parametrize("apart", [True, False])
def test_scores_of_traces_are_those_of_people(tmp_path: Path, apart: bool) -> None:
    traces, scores = _traces()
    if apart:
        (tmp_path / "traces.json").write_text(json.dumps(traces))
        (tmp_path / "scores.json").write_text(json.dumps(scores))
    else:
        whole = [{**one, "scores": [own for own in scores if own["traceId"] == one["id"]]} for one in traces]
        (tmp_path / "traces.json").write_text(json.dumps(whole))
    corpus = _well(read_corpus(tmp_path if apart else tmp_path / "traces.json"))
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (6, 12, 24)
    assert set(corpus.ratings["annotator"]) == {"ann", "bob"}


def test_the_manifest_of_a_labelling_job_is_read(tmp_path: Path) -> None:
    about = {"human-annotated": "yes", "job-name": "labeling-job/q", "confidence": 0.8}
    lines = [
        {"source": _TEXTS[system].format(call), "call-id": f"c{call}", "system": system, "quality": value}
        | {"quality-metadata": {**about, "class-name": ("very poor", "poor", "fair", "good", "very good")[value - 1]}}
        for call, system, _, value in _cells(("ann",))
    ]
    (tmp_path / "output.jsonl").write_text("\n".join(map(json.dumps, lines)))
    corpus = _well(read_corpus(tmp_path / "output.jsonl"))
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (6, 12, 12)


def test_the_answers_of_workers_are_read(tmp_path: Path) -> None:
    work: dict[str, dict[str, Any]] = {}
    for call, system, who, value in _cells():
        shown = {"call_id": f"c{call}", "system": system, "dialogue": _DIALOGUE.format(call)}
        shown |= {"summary": _TEXTS[system].format(call)}
        one = work.setdefault(f"{call}{system}", {"datasetObjectId": str(len(work)), "annotations": []})
        one["dataObject"] = {"content": json.dumps(shown)}
        buttons = {str(point): point == value for point in range(1, 6)}
        answer = {"coherence": buttons, "fluency": {"label": str(1 + value % 5)}, "clear": True}
        data = {"content": json.dumps(answer)}
        one["annotations"].append({"workerId": f"private.us-east-1.{who}", "annotationData": data})
    (tmp_path / "responses.json").write_text(json.dumps(list(work.values())))
    corpus = _well(read_corpus(tmp_path / "responses.json"))
    assert corpus.dimensions == ["clear", "coherence", "fluency"]
    assert set(corpus.ratings["annotator"]) == {"ann", "bob"}
    assert corpus.ratings.filter(dimension="coherence")["value"].sum() == sum(value for *_, value in _cells())


def _tickets() -> dict[str, Any]:
    tickets: list[dict[str, Any]] = []
    for call, _, who, value in _cells(calls=8):
        values = {1: _TEXTS["bart"].format(call), 2: value, 3: who}
        fields = [{"id": name, "value": given} for name, given in values.items()]
        said = [
            {"author_id": 7, "body": f"My card {len(tickets)} is gone."},
            {"author_id": 8, "body": "I will send another."},
        ]
        about = {"id": 100 + len(tickets), "status": "closed", "custom_fields": fields, "fields": fields}
        tickets.append({**about, "comments": said})
    return {"tickets": tickets}


def test_fields_of_a_help_desk_have_the_names_that_it_defines(tmp_path: Path) -> None:
    titles = [{"id": 1, "title": "AI summary"}, {"id": 2, "title": "Accuracy"}, {"id": 3, "title": "QA reviewer"}]
    (tmp_path / "a.json").write_text(json.dumps({**_tickets(), "ticket_fields": titles}))
    corpus = _well(read_corpus(tmp_path / "a.json"))
    assert (corpus.dimensions, corpus.ratings.height) == (["accuracy"], 32)
    assert set(corpus.ratings["annotator"]) == {"ann", "bob"}


def test_fields_of_a_help_desk_without_names_are_asked(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(_tickets()))
    asked = " ".join(said for one in read_corpus(tmp_path / "a.json").accounts for said in one.too_much())
    assert "custom_fields.2' looks like judgements" in asked


def test_sides_are_found_in_other_languages(tmp_path: Path) -> None:
    rows = [
        {"id_llamada": f"c{call}", "transcripción": _DIALOGUE.format(call), "anotador": who}
        | {f"Resumen {side}": text.format(call) for side, text in zip("AB", _TEXTS.values(), strict=True)}
        | {"Sistema A": "bart", "Sistema B": "t5", "¿Cuál es mejor?": ("A", "B", "Empate")[(call + len(who)) % 3]}
        for call in range(1, 9)
        for who in ("ana", "luis")
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    corpus = _well(read_corpus(tmp_path / "a.json"))
    assert (corpus.preferences.height, corpus.systems) == (16, ["bart", "t5"])
    assert set(corpus.preferences["dimension"]) == {"¿Cuál es mejor?"}


def test_statements_of_a_survey_are_called_by_their_text(tmp_path: Path) -> None:
    columns = {
        "StartDate": ("Start Date", "startDate"),
        "ResponseId": ("Response ID", "_recordId"),
        "Q1_1": ("Please rate: - It is coherent", "QID1_1"),
        "Q1_2": ("Please rate: - It is faithful", "QID1_2"),
        "call_id": ("call_id", "call_id"),
        "system": ("system", "system"),
    }
    rows = [list(columns), [title for title, _ in columns.values()]]
    rows.append([json.dumps({"ImportId": name}) for _, name in columns.values()])
    for call, system, who, value in _cells():
        rows.append(["2026-01-02 10:00:00", f"R_{who}", str(value), str(1 + value % 5), f"c{call}", system])
    with (tmp_path / "a.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    corpus = _well(read_corpus(tmp_path / "a.csv"))
    assert sorted(corpus.dimensions) == ["It is coherent", "It is faithful"]
    assert corpus.ratings.height == 48
    mapped = read_corpus(tmp_path / "a.csv", mapping={"dimension:coherence": "Q1_1"})
    assert mapped.dimensions == ["coherence"]
