"""Keys to sides, loops and letters, what parts are called, and parts that are asked about before anything is lost."""

import json
from itertools import permutations
from pathlib import Path
from zlib import crc32

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.errors import InputError
from tests.corpus.written_files import Rows, table, workbook

_CALLS = tuple(f"q-{number}" for number in range(11, 17))
_SYSTEMS = ("larch", "tern")
_PEOPLE = ("Ida", "Noor", "Sam")


def _talk(call: str) -> str:
    return (
        f"Agent: What may I do about {call}?\nCustomer: The kettle of {call} leaks.\nAgent: A new one comes on Monday."
    )


def _text(call: str, system: str) -> str:
    return f"The kettle of {call} leaks, as {system} says. A new one comes."


def _score(*parts: str) -> int:
    return 1 + crc32("/".join(parts).encode()) % 5


def _asked(corpus: Corpus) -> str:
    return " ".join(said for account in corpus.accounts for said in account.too_much())


def _well(corpus: Corpus) -> Corpus:
    assert _asked(corpus) == ""
    return corpus


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _sides(number: int) -> tuple[str, ...]:
    return _SYSTEMS if number % 2 else _SYSTEMS[::-1]


def _batch(folder: Path, *key: str, keyed: int = len(_CALLS)) -> Path:
    """Comparisons of a crowd platform, in which a second file says who was left and who was right."""
    shown = ["Input.item", "Input.dialogue", "Input.summary_left", "Input.summary_right"]
    rows: Rows = [["HITId", "WorkerId", "AssignmentStatus", *shown, "Answer.better"]]
    for number, call in enumerate(_CALLS):
        texts = [_text(call, system) for system in _sides(number)]
        for who in _PEOPLE:
            said = ("left", "right")[_sides(number).index("tern")]  # tern is always the better one
            rows.append([f"H{number}", who, "Approved", f"it{number}", _talk(call), *texts, said])
    table(_folder(folder) / "batch.csv", rows)
    told = [[f"it{n}", call, *_sides(n), *["left" for _ in key]] for n, call in enumerate(_CALLS)][:keyed]
    if key:
        told[-1][-1] = "right"
    table(folder / "key.csv", [["item", "call_id", "left_model", "right_model", *key], *told])
    return folder


def test_a_key_of_comparisons_says_who_was_left_and_right(tmp_path: Path) -> None:
    found = _well(read_corpus(_batch(tmp_path / "s")))
    assert (found.systems, set(found.dialogues["dialogue_id"])) == (list(_SYSTEMS), set(_CALLS))
    won = found.preferences.select(pl.when(winner="a").then("system_a").otherwise("system_b").alias("w"))
    assert (found.preferences.height, won["w"].unique().to_list()) == (18, ["tern"])


def test_a_key_of_some_comparisons_is_asked_about(tmp_path: Path) -> None:
    assert "'key' names systems that nothing else does" in _asked(read_corpus(_batch(tmp_path / "s", keyed=4)))


def test_the_expected_answers_of_a_key_are_nobodys(tmp_path: Path) -> None:
    found = read_corpus(_batch(tmp_path / "s", "expected"))
    assert found.preferences["dimension"].unique().to_list() == ["better"]


def _survey(folder: Path, loops: int = 8, more: str | None = None) -> Path:
    asked = ["Correctness", "Works for me", "Ease of reading"]
    names = [f"{loop}_Q7_{number}" for loop in range(1, loops + 1) for number in (1, 2, 3)]
    heads = ["StartDate", "EndDate", "Status", "ResponseId", "Finished", *(["Q2"] if more else []), *names]
    first = ["Start Date", "End Date", "Response Type", "Response ID", "Finished", *([more] if more else [])]
    titles = [*first, *(f"Please rate it (1 to 5) - {asked[n % 3]}" for n in range(len(names)))]
    rows: Rows = [heads, titles, [json.dumps({"ImportId": name}) for name in heads]]
    for who in _PEOPLE:
        told = ["2026-02-01", "2026-02-01", "IP Address", f"R_{who}", "True", *(["Yes"] if more else [])]
        rows.append([*told, *(_score(who, name) for name in names)])
    table(_folder(folder) / "survey.csv", rows)
    shown = [[n + 1, _CALLS[n // 2], _SYSTEMS[n % 2], _text(_CALLS[n // 2], _SYSTEMS[n % 2])] for n in range(8)]
    workbook(folder / "loops.xlsx", {"shown": [["Loop", "Call", "Model", "Summary"], *shown]})
    return folder


def test_the_loops_of_a_survey_are_what_a_workbook_says(tmp_path: Path) -> None:
    found = _well(read_corpus(_survey(tmp_path / "s", more="I have read the information")))
    assert (found.ratings.height, set(found.ratings["annotator"])) == (72, {f"R_{who}" for who in _PEOPLE})
    one = found.ratings.filter(dialogue_id="q-12", system="larch", annotator="R_Ida", dimension="Works for me")
    assert one["value"].to_list() == [_score("Ida", "3_Q7_2")]


def test_loops_that_no_key_has_are_asked_about(tmp_path: Path) -> None:
    assert _asked(read_corpus(_survey(tmp_path / "s", loops=10))) != ""


def test_an_answer_about_quality_is_none_of_the_person(tmp_path: Path) -> None:
    folder = _survey(tmp_path / "s")
    rows = [[*row, value] for row, value in zip(_rows(folder / "survey.csv"), _MORE, strict=True)]
    table(folder / "survey.csv", rows)
    assert "'Overall accuracy'" in _asked(read_corpus(folder))


_MORE = ("Overall accuracy", "Overall accuracy", '{"ImportId": "x"}', "3", "5", "4")


def _rows(path: Path) -> Rows:
    import csv

    with path.open() as opened:
        return [list(row) for row in csv.reader(opened)]


def test_a_survey_that_is_left_out_is_not_lost(tmp_path: Path) -> None:
    folder = _survey(tmp_path / "s")
    workbook(
        folder / "loops.xlsx", {"shown": [["Call", "Model", "Summary"], *([c, s, _text(c, s)] for c, s in _PAIRS)]}
    )
    assert "looks like judgements" in _asked(read_corpus(folder))


_PAIRS = [(call, system) for call in _CALLS for system in _SYSTEMS]


def _reviews(path: Path, system: str = "Summary by", **more: Rows) -> Path:
    texts: Rows = [
        ["Call", "Transcript", *_SYSTEMS],
        *([c, _talk(c), *(_text(c, s) for s in _SYSTEMS)] for c in _CALLS),
    ]
    sheets: dict[str, Rows] = {"Texts": texts}
    for who in ("Ida M.", "Noor K."):
        rows = [[call, one, _score(who, call, one), _score(one, call, who), 300] for call, one in _PAIRS]
        above: Rows = [["Reviewer:", who, None, "Week 2"], [], ["Call", system, "Accuracy", "Tone", "AHT"]]
        sheets[who] = [*above, *rows, [], ["% Good", None, "44%", "51%"]]
    return workbook(path, {**sheets, **more})


def test_sheets_of_reviewers_below_a_title_and_above_a_share(tmp_path: Path) -> None:
    found = _well(read_corpus(_reviews(tmp_path / "a.xlsx")))
    assert (found.systems, set(found.ratings["annotator"])) == (list(_SYSTEMS), {"Ida M.", "Noor K."})
    assert found.ratings.filter(pl.col("value").is_not_null()).height == 48


def test_votes_beside_the_sheets_of_reviewers_are_asked_about(tmp_path: Path) -> None:
    votes: Rows = [
        ["Call", "Reviewer", "Best one"],
        *([c, w, _SYSTEMS[_score(c, w) % 2]] for c in _CALLS for w in _PEOPLE),
    ]
    assert _asked(read_corpus(_reviews(tmp_path / "a.xlsx", Votes=votes))) != ""


def test_what_was_asked_of_calls_is_no_judgement_of_summaries(tmp_path: Path) -> None:
    for name, heading in (("a", "Escalated"), ("b", "Summaries accurate")):
        calls: Rows = [["Call", "Transcript", heading], *([c, _talk(c), ("Yes", "No")[_score(c) % 2]] for c in _CALLS)]
        scores = [[c, s, who, _score(c, s, who)] for c, s in _PAIRS for who in _PEOPLE]
        sheets: dict[str, Rows] = {
            "Calls": calls,
            "Texts": [["Call", "System", "Summary"], *([c, s, _text(c, s)] for c, s in _PAIRS)],
            "Scores": [["Call", "System", "Reviewer", "Clarity"], *scores],
        }
        found = read_corpus(workbook(tmp_path / f"{name}.xlsx", sheets))
        assert (found.dimensions, found.ratings.height) == (["clarity"], 36)
    assert any("about the dialogues" in note for note in _well(read_corpus(tmp_path / "a.xlsx")).notes)
    assert "'Summaries accurate'" in _asked(read_corpus(tmp_path / "b.xlsx"))


def test_a_table_without_headings_is_asked_about(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "s")
    (folder / "talks").mkdir()
    for call in _CALLS:
        (folder / "talks" / f"{call}.txt").write_text(_talk(call))
    table(folder / "scores.tsv", [["Ida", s, c, "CLAR", _score(c, s)] for c, s in _PAIRS], separator="\t")
    table(folder / "larch.tsv", [[call, _text(call, "larch")] for call in _CALLS], separator="\t")
    assert "'scores' has no headings" in _asked(read_corpus(folder))


def _release(folder: Path, labels: tuple[str, ...] = _PEOPLE, outputs: tuple[str, ...] = _SYSTEMS) -> Path:
    for inside in ("outputs", "labels"):
        (folder / inside).mkdir(parents=True)
    talks = [{"id": call, "dialogue": _talk(call)} for call in _CALLS]
    (folder / "dialogues.jsonl").write_text("\n".join(map(json.dumps, talks)))
    for system in outputs:
        texts = [{"id": call, "summary": _text(call, system)} for call in _CALLS]
        (folder / "outputs" / f"{system}.jsonl").write_text("\n".join(map(json.dumps, texts)))
    for who in labels:
        said = [[f"{c}__{s}", ("yes", "no")[_score(c, s, who) % 2], _score(c) % 2] for c, s in _PAIRS]
        table(folder / "labels" / f"{who}.csv", [["item", "supported", "unsure"], *said])
    return folder


def test_a_release_with_a_file_for_each_system_and_each_person(tmp_path: Path) -> None:
    found = _well(read_corpus(_release(tmp_path / "s", outputs=(*_SYSTEMS, "gold"))))
    assert (found.systems, found.references.height, found.dialogues.height) == (list(_SYSTEMS), 6, 6)
    assert (found.dimensions, set(found.ratings["annotator"])) == (["supported"], set(_PEOPLE))
    assert found.ratings.height == 36


def test_a_training_round_does_not_take_the_names_of_the_others(tmp_path: Path) -> None:
    folder = _release(tmp_path / "s")
    for who in _PEOPLE:
        table(folder / "practice" / f"{who}.csv", [["item", "supported", "unsure"], ["t-1__demo", "yes", 0]])
    asked = _asked(read_corpus(folder))
    assert "'practice/Ida' says by its name that it does not count" in asked
    mapping = {"ignore": [f"practice/{who}" for who in _PEOPLE]}
    assert set(_well(read_corpus(folder, mapping=mapping)).ratings["annotator"]) == set(_PEOPLE)


@pytest.mark.parametrize("columns", [("clarity", "accuracy"), ("grip", "flow")])
def test_files_called_like_systems_are_those_of_nobody(tmp_path: Path, columns: tuple[str, str]) -> None:
    folder = _folder(tmp_path / "s")
    texts = [[call, system, _talk(call), _text(call, system)] for call, system in _PAIRS]
    table(folder / "calls.csv", [["call_id", "system", "transcript", "summary"], *texts])
    for system in _SYSTEMS:
        rows = [[call, system, _score(call), _score(system, call)] for call in _CALLS]
        table(folder / f"{system}.csv", [["call_id", "system", *columns], *rows])
    found = read_corpus(folder)
    assert _asked(found) != ""
    assert not set(found.ratings["annotator"]) & set(_SYSTEMS)


def _form(folder: Path) -> Path:
    asked = [f"Talk {n}, text {side} [{q}]" for n in (1, 2, 3, 4) for side in "AB" for q in ("Clear", "I can use it")]
    rows: Rows = [["Timestamp", "Your name", "How do you like our talks?", *asked, *_WHICH]]
    for who in _PEOPLE:
        said = [f"Text {'AB'[_sides(n).index('tern')]}" for n in (1, 2, 3)]
        rows.append(
            [
                "2026/02/01 2:26:40 PM GMT+1",
                who,
                "Very good",
                *(_score(who, one) for one in asked),
                *said,
                "No preference",
            ]
        )
    table(_folder(folder) / "form.csv", rows)
    shown = [[f"Talk {n}", "AB"[at], s, _text(_CALLS[n], s)] for n in (1, 2, 3, 4) for at, s in enumerate(_sides(n))]
    table(folder / "key.csv", [["Talk", "Text", "Tool", "What it says"], *shown])
    return folder


_WHICH = [f"Which text of Talk {number} do you prefer?" for number in (1, 2, 3, 4)]


def test_a_form_whose_key_has_a_row_for_each_text(tmp_path: Path) -> None:
    found = _well(read_corpus(_form(tmp_path / "s")))
    assert (found.ratings.height, found.preferences.height) == (48, 12)
    assert found.ratings["time"].null_count() == 0
    one = found.ratings.filter(dialogue_id="Talk 2", system="tern", annotator="Sam", dimension="Clear")
    assert one["value"].to_list() == [_score("Sam", "Talk 2, text A [Clear]")]
    won = found.preferences.select(pl.when(winner="a").then("system_a").when(winner="b").then("system_b").alias("w"))
    assert won["w"].drop_nulls().unique().to_list() == ["tern"]


def test_preferences_of_a_form_without_its_key_are_asked_about(tmp_path: Path) -> None:
    folder = _form(tmp_path / "s")
    mapping = {"ignore": "How do you like our talks?"}
    assert "'Which text of Talk 1 do you prefer?'" in _asked(read_corpus(folder / "form.csv", mapping=mapping))


def test_a_form_that_no_key_explains_is_not_left_out_in_silence(tmp_path: Path) -> None:
    folder = _form(tmp_path / "s")
    table(folder / "key.csv", [["No", "Tool", "Text"], *([n, s, _text(c, s)] for n, (c, s) in enumerate(_PAIRS))])
    assert "'form' looks like judgements" in _asked(read_corpus(folder))


def _ranked(values: str = "score") -> Rows:
    orders = list(permutations((1, 2, 3)))
    rows: Rows = [["call_id", "system", "summary", "rater", values]]
    for number, call in enumerate(_CALLS):
        for at, who in enumerate(_PEOPLE):
            places = zip(("larch", "tern", "wren"), orders[(number + at) % 6], strict=True)
            rows += [[call, system, _text(call, system), who, place] for system, place in places]
    return rows


def test_places_without_a_best_end_are_asked_about(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", _ranked())
    assert "say which end is better" in _asked(read_corpus(path))
    told = _well(read_corpus(path, reading=ReadingSettings(directions=("score=lower",))))
    assert told.dimension("score").direction == "lower"
    assert _well(read_corpus(table(tmp_path / "b.csv", _ranked("clarity")))).dimension("clarity").direction == "higher"


def _page(key: str, said: str = "1 = best", within: str = "") -> str:
    lines = ["# Notes", "", f"Everybody ranked them, {said}.", ""]
    for number, call in enumerate(_CALLS):
        lines += [f"## Call {number + 1}", "", "> **Agent:** Who calls?", f"> **Customer:** It is about {call}.", ""]
        lines += [f"- **{letter}** – {_text(call, letter)}" for letter in "XYZ"] + ["", within, ""]
        lines += ["| | X | Y | Z |", "|---|:-:|:-:|:-:|"]
        lines += [
            f"| {who} | {' | '.join(map(str, list(permutations((1, 2, 3)))[at]))} |" for at, who in enumerate(_PEOPLE)
        ]
        lines += [""]
    return "\n".join([*lines, "## Key", "", key, ""])


def test_letters_of_a_page_are_told_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(_page("X = Larch one, Y = Tern 8B, Z = Wren"))
    found = _well(read_corpus(path))
    assert found.systems == ["Larch one", "Tern 8B", "Wren"]
    assert (found.dimension("rank").direction, set(found.ratings["annotator"])) == ("lower", set(_PEOPLE))
    assert found.ratings.filter(system="Larch one")["value"].sum() == 6 * 4
    path.write_text(_page("X = Larch, Y = Tern", within=""))
    with pytest.raises(InputError, match="what X, Y, Z mean"):
        read_corpus(path)


def _html(*listed: str) -> str:
    made = [f"<table><tr><th>Participant</th></tr>{''.join(f'<tr><td>{who}</td></tr>' for who in listed)}</table>"]
    for call in _CALLS:
        made.append(f"<h2>Call {call}</h2><p><b>Agent:</b> Who calls?<br><b>Customer:</b> The owner of {call}.</p>")
        made.append("<table><tr><th>Engine</th><th>Summary</th><th>Ida</th><th>Noor</th><th>Avg</th></tr>")
        for system in _SYSTEMS:
            stars = "".join(f"<td>{'★' * n}{'☆' * (5 - n)}</td>" for n in (_score(call, system), 3))
            made.append(f"<tr><td>{system}</td><td>{_text(call, system)}</td>{stars}<td>3.5</td></tr>")
        made.append("</table>")
    return f"<html><body>{''.join(made)}</body></html>"


def test_stars_of_listed_people_in_the_sections_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(_html("Ida", "Noor"))
    found = _well(read_corpus(path))
    assert (found.dialogues.height, found.systems, found.ratings.height) == (6, list(_SYSTEMS), 24)
    ida = sum(_score(call, system) for call, system in _PAIRS)
    assert found.ratings.filter(annotator="Ida")["value"].sum() == ida
    path.write_text(_html("Kim", "Lou"))
    assert "'Ida' looks like judgements" in _asked(read_corpus(path))
    for listed in (("Ida", "Kim"), ("Ida", "Kim", "Lou")):  # somebody else judged, too
        path.write_text(_html(*listed).replace("<th>Avg</th>", "<th>Kim</th>"))
        found = read_corpus(path)
        assert _asked(found) != ""
        assert "Noor" not in found.dimensions


def _meetings(keyed: int = len(_CALLS)) -> str:
    def letters(number: int) -> dict[str, str]:
        return dict(zip("ABC", list(permutations(("larch", "tern", "wren")))[number], strict=True))

    meetings = []
    for number, call in enumerate(_CALLS):
        code = {system: letter for letter, system in letters(number).items()}
        last = ("larch", "tern", "wren")[number % 3]
        places = [[code[one] for one in ("larch", "tern", "wren") if one != last], [code[last]]]
        texts = {letter: _text(call, system) for letter, system in letters(number).items()}
        rankings = [{"judge": who, "best_to_worst": places, "minutes": 4} for who in _PEOPLE]
        meetings.append({"meeting_id": call, "transcript": _talk(call), "candidates": texts, "rankings": rankings})
    key = {call: letters(number) for number, call in enumerate(_CALLS[:keyed])}
    return json.dumps({"about": {"task": "rank them"}, "meetings": meetings, "blinding": key}, indent=1)


def test_letters_and_ties_of_rankings_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(_meetings())
    found = _well(read_corpus(path))
    assert (found.systems, found.ratings.height) == (["larch", "tern", "wren"], 54)
    means = dict(found.ratings.group_by("system").agg(pl.col("value").mean()).iter_rows())
    assert means == pytest.approx({"larch": 5 / 3, "tern": 5 / 3, "wren": 5 / 3})
    assert found.ratings.filter(dialogue_id="q-12", system="tern")["value"].to_list() == [3, 3, 3]
    assert found.dimension(found.dimensions[0]).direction == "lower"
    path.write_text(_meetings(4))
    with pytest.raises(InputError, match="complete it"):
        read_corpus(path)


def test_labels_of_sentences_below_summaries_of_a_document(tmp_path: Path) -> None:
    words = ("right", "unfounded", "wrong")
    made = []
    for call in _CALLS:
        summaries = ""
        for system in _SYSTEMS:
            said = "".join(
                f'<label annotator="{who}">{words[_score(call, system, who) % 3]}</label>' for who in _PEOPLE
            )
            both = "".join(
                f'<sentence n="{n}"><text>{text}.</text>{said}<gold by="all">right</gold></sentence>'
                for n, text in enumerate(_text(call, system).rstrip(".").split(". "), start=1)
            )
            summaries += f'<summary system="{system}">{both}</summary>'
        turns = f'<turn speaker="Agent">Who calls?</turn><turn speaker="Customer">It is about {call}.</turn>'
        made.append(f'<dialogue id="{call}">{turns}{summaries}</dialogue>')
    path = tmp_path / "a.xml"
    path.write_text(f"<corpus>{''.join(made)}</corpus>")
    found = _well(read_corpus(path))
    assert (found.dimensions, found.ratings.height, set(found.ratings["annotator"])) == (["label"], 72, set(_PEOPLE))
    assert set(found.ratings["sentence"]) == {0, 1}
    assert found.summaries.filter(dialogue_id="q-11", system="tern")["text"].to_list() == [_text("q-11", "tern")]


def test_a_legend_turns_what_it_names_and_is_no_judgement(tmp_path: Path) -> None:
    rows = [
        [c, s, _text(c, s), who, _score(c, s, who), 1 + _score(c, s, who) % 3] for c, s in _PAIRS for who in _PEOPLE
    ]
    scores: Rows = [["Call", "System", "Summary", "Rater", "Depth", "Style"], *rows]
    legend: Rows = [["Style", "Meaning"], [1, "very good"], [2, "good"], [3, "poor"]]
    found = _well(read_corpus(workbook(tmp_path / "a.xlsx", {"Scores": scores, "Scale": legend})))
    assert sorted(found.dimensions) == ["Depth", "Style"]
    assert [found.dimension(name).direction for name in ("Depth", "Style")] == ["higher", "lower"]


def test_dimensions_beside_a_name_with_an_umlaut_are_written_alike(tmp_path: Path) -> None:
    heads = ["Gespräch", "System", "Zusammenfassung"]
    for name, people in (("a", ("Fr. Müller", "Hr. Kunze")), ("b", ("Müller", "Kunze"))):
        joint = " " if name == "a" else " – "
        asked = [f"{who}{joint}{what}" for who in people for what in ("Relevanz", "Sprache")]
        rows = [[c, s, _text(c, s), *(_score(c, s, one) for one in asked)] for c, s in _PAIRS]
        found = _well(read_corpus(workbook(tmp_path / f"{name}.xlsx", {"B": [[*heads, *asked], *rows]})))
        assert (sorted(found.dimensions), set(found.ratings["annotator"])) == (["Relevanz", "Sprache"], set(people))


def test_people_named_in_the_layout_of_summeval(tmp_path: Path) -> None:
    lines = [
        {
            "id": call,
            "model_id": f"M{number}",
            "model_name": system,
            "text": _talk(call),
            "decoded": _text(call, system),
            "expert_annotations": [{"annotator": who, "fluency": _score(who, call, system)} for who in _PEOPLE],
        }
        for call in _CALLS
        for number, system in enumerate(_SYSTEMS)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = _well(read_corpus(path))
    assert (found.systems, set(found.ratings["annotator"]), found.dimensions) == (
        list(_SYSTEMS),
        set(_PEOPLE),
        ["fluency"],
    )


def test_how_sure_people_were_of_the_best_and_worst(tmp_path: Path) -> None:
    names = ("larch", "tern", "wren", "elm")
    heads = ["Call", "Rater", *(f"Summary {n}" for n in (1, 2, 3, 4)), *(f"System {n}" for n in (1, 2, 3, 4))]
    rows: Rows = [[*heads, "Best", "Worst", "Certainty (1-3)"]]
    for call in _CALLS:
        for who in _PEOPLE:
            first = 1 + _score(call, who) % 4
            rows.append([call, who, *(_text(call, s) for s in names), *names, first, 1 + first % 4, 2])
    found = _well(read_corpus(table(tmp_path / "a.csv", rows)))
    assert (found.choices.height, found.ratings.height) == (72, 0)
    assert found.choices.filter(choice="best").height == 18


def test_the_score_by_which_a_tool_chose_its_tasks_is_a_models(tmp_path: Path) -> None:
    def tasks(score: float) -> str:
        made = [
            {
                "text": _text(call, system),
                "dialogue": _talk(call),
                "meta": {"ticket": call, "model": system, "score": score + number / 997},
                "label": "GOOD",
                "_task_hash": number,
                "_annotator_id": who,
                "answer": ("accept", "reject")[_score(call, system, who) % 2],
            }
            for number, (call, system) in enumerate(_PAIRS)
            for who in _PEOPLE
        ]
        return "\n".join(map(json.dumps, made))

    path = tmp_path / "a.jsonl"
    path.write_text(tasks(0.1))
    assert _well(read_corpus(path)).ratings.height == 36
    path.write_text(tasks(3))
    assert "meta.score" in _asked(read_corpus(path))


def test_criteria_of_a_database_name_the_dimensions(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "a.sqlite"
    opened = sqlite3.connect(path)
    opened.executescript(
        "CREATE TABLE calls(id INTEGER, channel TEXT); CREATE TABLE models(id INTEGER, name TEXT);"
        "CREATE TABLE messages(id INTEGER, call_id INTEGER, position INTEGER, speaker TEXT, body TEXT);"
        "CREATE TABLE summaries(id INTEGER, call_id INTEGER, model_id INTEGER, body TEXT);"
        "CREATE TABLE users(id INTEGER, login TEXT); CREATE TABLE criteria(id INTEGER, name TEXT, question TEXT);"
        "CREATE TABLE ratings(id INTEGER, user_id INTEGER, summary_id INTEGER, criterion_id INTEGER, value INTEGER);"
    )
    for number, call in enumerate(_CALLS, start=1):
        opened.execute("INSERT INTO calls VALUES (?, 'chat')", (number,))
        for at, line in enumerate(_talk(call).splitlines()):
            said = (number * 10 + at, number, at, *line.split(": ", 1))
            opened.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", said)
    opened.executemany("INSERT INTO models VALUES (?, ?)", list(enumerate(_SYSTEMS, start=1)))
    opened.executemany("INSERT INTO users VALUES (?, ?)", list(enumerate(_PEOPLE, start=1)))
    opened.executemany("INSERT INTO criteria VALUES (?, ?, 'Is it?')", [(1, "depth"), (2, "faithful")])
    texts = [(n, 1 + (n - 1) // 2, 1 + (n - 1) % 2, _text(*pair)) for n, pair in enumerate(_PAIRS, start=1)]
    opened.executemany("INSERT INTO summaries VALUES (?, ?, ?, ?)", texts)
    given = [(u, n, k) for u in (1, 2, 3) for n in range(1, 13) for k in (1, 2)]
    rows = [
        (at, u, n, k, _score(str(n), str(u)) if k == 1 else _score(str(n * u)) % 2)
        for at, (u, n, k) in enumerate(given)
    ]
    opened.executemany("INSERT INTO ratings VALUES (?, ?, ?, ?, ?)", rows)
    opened.commit()
    opened.close()
    found = _well(read_corpus(path))
    assert (found.dimensions, found.ratings.height, set(found.ratings["annotator"])) == (
        ["depth", "faithful"],
        72,
        set(_PEOPLE),
    )
