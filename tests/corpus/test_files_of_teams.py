"""Files as teams keep them: remarks above the table, labels in lists, choices by position, texts in other files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.corpus._forms import sheet_of_forms
from dialgauge.errors import InputError
from tests.corpus.written_files import Rows, table, workbook

DIALOGUES = {
    f"d{n}": f"Agent: Desk {n}, hello.\nCaller: My parcel {n} is late.\nAgent: I look into it." for n in (1, 2, 3)
}
SYSTEMS = ("alpha", "mT5")
TEXTS = {(d, s): f"The parcel of {d} is late, {s} says so." for d in DIALOGUES for s in SYSTEMS}
PEOPLE = ("ann", "bob")


def points(d: str, s: str, who: str) -> int:
    return 1 + (int(d[1:]) * 2 + SYSTEMS.index(s) * 3 + PEOPLE.index(who)) % 5


RATED = {(d, s, who): float(points(d, s, who)) for d, s in TEXTS for who in PEOPLE}


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def refused(corpus: Corpus) -> list[str]:
    return [text for account in corpus.accounts for text in account.too_much()]


def stored(corpus: Corpus) -> dict[tuple[str, ...], float]:
    key = ("dialogue_id", "system", "annotator")
    return {tuple(row[name] for name in key): row["value"] for row in corpus.ratings.iter_rows(named=True)}


def test_a_single_numbered_reference_is_one(tmp_path: Path) -> None:
    rows = [
        {
            "id": d,
            "model_id": s,
            "text": DIALOGUES[d],
            "decoded": text,
            "references": [f"A late parcel of {d}."],
            "expert_annotations": [{"coherence": points(d, s, who)} for who in PEOPLE],
        }
        for (d, s), text in TEXTS.items()
    ]
    corpus = read_corpus(lines(tmp_path / "aligned.jsonl", rows))
    assert corpus.references["text"].to_list() == [f"A late parcel of {d}." for d in DIALOGUES]
    assert not refused(corpus)


def test_a_further_numbered_reference_is_one_too_and_names_of_calls_are_none(tmp_path: Path) -> None:
    rows = "".join(
        f'{d},"{DIALOGUES[d]}",{s},"{text}","A parcel of {d}.","It of {d} is late.",C-{d}\n'
        for (d, s), text in TEXTS.items()
    )
    path = tmp_path / "table.csv"
    path.write_text("id,dialogue,system,summary,reference,reference_2,ref_1\n" + rows, encoding="utf-8")
    assert sorted(read_corpus(path).references["text"]) == sorted(
        text for d in DIALOGUES for text in (f"A parcel of {d}.", f"It of {d} is late.")
    )


def test_remarks_above_a_table_under_an_unknown_ending(tmp_path: Path) -> None:
    head = ["id", "dialogue", *(f"{s}_{what}" for s in SYSTEMS for what in ("summary", "info_R1", "info_R2"))]
    body = [
        [
            d,
            " // ".join(said.splitlines()),
            *(x for s in SYSTEMS for x in (TEXTS[d, s], *(points(d, s, w) for w in PEOPLE))),
        ]
        for d, said in DIALOGUES.items()
    ]
    rows: list[list[object]] = [[*head], *body]
    body_text = "\n".join("|".join(map(str, row)) for row in rows)
    path = tmp_path / "results.psv"
    path.write_text(
        f"# rated 1-5, info = informativeness\n# R1, R2: raters | nobody else\n{body_text}\n", encoding="utf-8"
    )
    corpus = read_corpus(path)
    assert stored(corpus) == {(d, s, f"R{PEOPLE.index(w) + 1}"): value for (d, s, w), value in RATED.items()}
    assert corpus.systems == ["alpha", "mT5"]
    assert not refused(corpus)


def argilla(d: str, s: str, more: dict[str, Any]) -> dict[str, Any]:
    given = [{"user_id": who, "value": points(d, s, who)} for who in PEOPLE]
    return {
        "fields": {"dialogue": DIALOGUES[d], "summary": TEXTS[d, s]},
        "metadata": {"dialogue_id": d, "system": s},
        "responses": {"clarity": given, **more},
    }


def test_answers_in_own_words_of_argilla_are_comments(tmp_path: Path) -> None:
    rows = [
        argilla(
            d,
            s,
            {
                "why": [{"user_id": "bob", "value": f"because {d} of {s} reads so"}],
                **({"comment": [{"user_id": "ann", "value": "ok"}]} if d == "d1" else {}),
            },
        )
        for d, s in TEXTS
    ]
    corpus = read_corpus(lines(tmp_path / "records.jsonl", rows))
    assert stored(corpus) == RATED
    assert corpus.dimensions == ["clarity"]
    assert not refused(corpus)
    assert set(corpus.ratings["comment"].drop_nulls()) == {"ok", *(f"because {d} of {s} reads so" for d, s in TEXTS)}


def test_classes_of_argilla_are_no_comments(tmp_path: Path) -> None:
    classes = {"alpha": "off topic", "mT5": "to the point"}
    rows = [argilla(d, s, {"kind": [{"user_id": "ann", "value": classes[s]}]}) for d, s in TEXTS]
    assert read_corpus(lines(tmp_path / "records.jsonl", rows)).dimensions == ["clarity", "kind"]


def test_the_best_and_the_worst_by_their_places_in_the_row(tmp_path: Path) -> None:
    orders = {"ann": ("x", "y", "z"), "bob": ("z", "x", "y")}
    head = ["item", "transcript", *(f"{what}_{n}" for n in (1, 2, 3) for what in ("summary", "system")), "annotator"]
    rows: Rows = [[*head, "best", "worst"]]
    for number, (d, said) in enumerate(DIALOGUES.items()):
        for who, order in orders.items():
            shown = [cell for s in order for cell in (f"A parcel of {d} as {s} tells it.", s)]
            best, worst = order[number % 3], order[(number + 1) % 3]
            rows.append([d, said, *shown, who, order.index(best) + 1, order.index(worst) + 1])
    corpus = read_corpus(table(tmp_path / "bws.tsv", rows, separator="\t"))
    assert not refused(corpus)
    key = ("dialogue_id", "annotator", "choice")
    chosen = {tuple(row[k] for k in key): row["system"] for row in corpus.choices.iter_rows(named=True)}
    for number, d in enumerate(DIALOGUES):
        for who, order in orders.items():
            assert chosen[d, who, "best"] == order[number % 3]
            assert chosen[d, who, "worst"] == order[(number + 1) % 3]


CLASSES = {who: {key: "inconsistent" if points(*key, who) < 3 else "consistent" for key in TEXTS} for who in PEOPLE}


def doccano(folder: Path, text: str, label: Callable[[str], list[Any]]) -> Path:
    for who in PEOPLE:
        lines(
            folder / f"{who}.jsonl",
            [
                {
                    "id": number,
                    "text": text.format(said=DIALOGUES[d], summary=TEXTS[d, s]),
                    "dialogue_id": d,
                    "system": s,
                    "label": [] if (who, d, s) == ("bob", "d3", "mT5") else label(CLASSES[who][d, s]),
                    "Comments": [],
                }
                for number, (d, s) in enumerate(TEXTS)
            ],
        )
    return folder


@pytest.mark.parametrize("text", ["DIALOGUE:\n{said}\n\nSUMMARY:\n{summary}", "## Summary\n{summary}\n## Chat\n{said}"])
def test_classes_of_texts_that_hold_dialogue_and_summary(tmp_path: Path, text: str) -> None:
    corpus = read_corpus(doccano(tmp_path / "export", text, lambda name: [name]))
    assert not refused(corpus)
    assert corpus.summaries["text"].to_list() == list(TEXTS.values())
    assert {turn.speaker for d in DIALOGUES for turn in corpus.dialogue(d).turns} == {"Agent", "Caller"}
    wanted = {(d, s, who): float(name == "consistent") for who, own in CLASSES.items() for (d, s), name in own.items()}
    del wanted["d3", "mT5", "bob"]
    assert stored(corpus) == wanted


def test_marked_places_stay_in_the_text_that_they_are_counted_in(tmp_path: Path) -> None:
    corpus = read_corpus(
        doccano(tmp_path / "export", "DIALOGUE:\n{said}\n\nSUMMARY:\n{summary}", lambda _: [[0, 8, "x"]])
    )
    assert all(text.startswith("DIALOGUE:") for text in corpus.summaries["text"])


def chats(folder: Path, name: str = "summary") -> Path:
    folder.mkdir()
    rows = [{"id": d, "dialogue": said, name: f"Gold: {d} is late."} for d, said in DIALOGUES.items()]
    (folder / "chats.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "outputs").mkdir()
    for s in SYSTEMS:
        written = "".join(f"{TEXTS[d, s]}\n" for d in DIALOGUES)
        (folder / "outputs" / f"{s}.txt").write_text(written, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["summary", "reference"])
def test_a_line_for_each_dialogue_in_a_file_for_each_system(tmp_path: Path, name: str) -> None:
    folder = chats(tmp_path / "study", name)
    rows: Rows = [["chat_id", "system", "annotator", "clarity"]]
    table(folder / "judgements.csv", [*rows, *([*key, int(value)] for key, value in RATED.items())])
    corpus = read_corpus(folder)
    assert not refused(corpus)
    assert stored(corpus) == RATED
    assert sorted(corpus.references["text"]) == [f"Gold: {d} is late." for d in DIALOGUES]
    key = ("dialogue_id", "system")
    written = corpus.summaries.filter(kind="system").iter_rows(named=True)
    assert {tuple(row[k] for k in key): row["text"] for row in written} == TEXTS


def test_files_with_another_number_of_lines_are_no_outputs(tmp_path: Path) -> None:
    folder = chats(tmp_path / "study")
    with (folder / "outputs" / "mT5.txt").open("a", encoding="utf-8") as file:
        file.write("One line more.\n")
    with pytest.raises(InputError):
        read_corpus(folder)


def judged_by_many(folder: Path) -> Path:
    """Dialogues and a file of judgements for each of several people, beside a file of outputs for each system."""
    table(folder / "chats.csv", [["chat_id", "dialogue"], *map(list, DIALOGUES.items())])
    for k, who in enumerate(("ann", "bob", "cyd", "dan", "eve")):
        rows: Rows = [["chat_id", "system", "clarity"]]
        table(folder / f"ratings_{who}.csv", [*rows, *([d, s, 1 + (points(d, s, "ann") + k) % 5] for d, s in TEXTS)])
    (folder / "outputs").mkdir()
    for s in SYSTEMS:
        written = "".join(f"{TEXTS[d, s]}\n" for d in DIALOGUES)
        (folder / "outputs" / f"{s}.txt").write_text(written, encoding="utf-8")
    return folder


@pytest.mark.parametrize("others", [True, False])
def test_outputs_with_another_number_of_lines_are_named_beside_many_tables(tmp_path: Path, others: bool) -> None:
    folder = judged_by_many(tmp_path / "study")
    assert not refused(read_corpus(folder))
    with (folder / "outputs" / "mT5.txt").open("a", encoding="utf-8") as file:
        file.write("One line more.\n")
    if not others:
        (folder / "outputs" / "alpha.txt").unlink()
    said = refused(read_corpus(folder))
    assert any(text.startswith("the file 'outputs/mT5.txt' (4 lines) is called after what a table") for text in said)
    assert len(said) == 1 + others
    gone = ["outputs/mT5.txt", *(["outputs/alpha.txt"] if others else [])]
    assert not refused(read_corpus(folder, mapping={"ignore": gone}))


def test_other_texts_beside_tables_are_named_in_a_note(tmp_path: Path) -> None:
    folder = judged_by_many(tmp_path / "study")
    (folder / "how_we_did_it.txt").write_text("We asked five people.\nThey read all.\n", encoding="utf-8")
    corpus = read_corpus(folder)
    assert not refused(corpus)
    assert corpus.summaries.filter(pl.col("text") != "").height == len(TEXTS)
    assert "not read, as no table names them: how_we_did_it.txt" in corpus.notes


def test_texts_with_reviews_under_the_names_of_systems(tmp_path: Path) -> None:
    encounters = [
        {
            "encounter_id": d,
            "turns": [{"speaker": line.split(": ")[0], "utterance": line.split(": ")[1]} for line in said.splitlines()],
            "notes": {
                s: {
                    "text": TEXTS[d, s],
                    "words": 8,
                    "reviews": {who: {"scores": {"up_to_date": points(d, s, who)}, "remark": ""} for who in PEOPLE},
                }
                for s in SYSTEMS
            },
        }
        for d, said in DIALOGUES.items()
    ]
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({"project": "pilot", "encounters": encounters}), encoding="utf-8")
    corpus = read_corpus(path)
    assert not refused(corpus)
    assert stored(corpus) == RATED
    assert corpus.summaries["text"].to_list() == list(TEXTS.values())


def test_columns_for_each_person_in_a_sheet_beside_those_of_the_texts(tmp_path: Path) -> None:
    asked = ("Coherence", "Zest")
    ratings: Rows = [["Conv ID", "Model", *(f"{who} {what}" for who in PEOPLE for what in asked)]]
    ratings += [[d, s, *(points(d, s, who) for who in PEOPLE for _ in asked)] for d, s in TEXTS]
    sheets: dict[str, Rows] = {
        "Ratings": ratings,
        "Conversations": [["Conv ID", "Transcript"], *([d, said] for d, said in DIALOGUES.items())],
        "Summaries": [["Conv ID", "Model", "Summary"], *([d, s, text] for (d, s), text in TEXTS.items())],
    }
    corpus = read_corpus(workbook(tmp_path / "team.xlsx", sheets))
    assert not refused(corpus)
    assert stored(corpus) == RATED
    assert (corpus.ratings.height, corpus.summaries.height) == (2 * len(RATED), len(TEXTS))
    assert [name.lower() for name in corpus.dimensions] == ["coherence", "zest"]


def test_cells_that_name_files_stand_for_their_texts(tmp_path: Path) -> None:
    rows: Rows = [["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]]
    for n, (d, said) in enumerate(DIALOGUES.items()):
        (tmp_path / "calls").mkdir(exist_ok=True)
        (tmp_path / "calls" / f"{d}.txt").write_text(said, encoding="utf-8")
        for s in SYSTEMS:
            marked = TEXTS[d, s].replace("late", "<v>late</v>")
            rows.append([s, d, 1, n, "ann", f"./calls/{d}.txt", marked, "Accuracy", "Major"])
    table(tmp_path / "errors.tsv", rows, separator="\t")
    corpus = read_corpus(tmp_path)
    assert not refused(corpus)
    assert [len(corpus.dialogue(d).turns) for d in DIALOGUES] == [3, 3, 3]
    assert corpus.spans["text"].to_list() == ["late"] * len(TEXTS)
    assert corpus.summaries["text"].to_list() == list(TEXTS.values())


def test_a_survey_that_asks_again_about_each_thing_of_another_file(tmp_path: Path) -> None:
    items = list(TEXTS)
    asked = ["Readable", "Useful"]
    keys = [(n, q) for n in range(1, len(items) + 1) for q in (1, 2)]
    rows: Rows = [
        ["RecordedDate", "Finished", "ResponseId", *(f"{n}_Q4_{q}" for n, q in keys)],
        [
            "Recorded Date",
            "Finished",
            "Response ID",
            *(f"Item {n} - It is ... (1 to 7) - {asked[q - 1]}" for n, q in keys),
        ],
        [f'{{"ImportId":"{name}"}}' for name in ("recordedDate", "finished", "_recordId", *map(str, keys))],
    ]
    rows += [["2026-05-06 10:00:00", 1, who, *(points(*items[n - 1], who) for n, _ in keys)] for who in PEOPLE]
    table(tmp_path / "survey.csv", rows)
    stimuli: Rows = [["loop", "conversation_id", "conversation", "source", "summary"]]
    table(
        tmp_path / "stimuli.csv",
        [*stimuli, *([n, d, DIALOGUES[d], s, TEXTS[d, s]] for n, (d, s) in enumerate(items, start=1))],
    )
    corpus = read_corpus(tmp_path)
    assert not refused(corpus)
    assert (stored(corpus), corpus.ratings.height) == (RATED, 2 * len(RATED))
    assert sorted(name.lower() for name in corpus.dimensions) == ["readable", "useful"]


def blind(folder: Path, name: str, letter: str) -> tuple[Path, dict[tuple[str, str], str]]:
    """Scores of letters that mean another system in each dialogue, and the texts in files of their own."""
    means = {(d, "PQ"[(k + n) % 2]): s for n, d in enumerate(DIALOGUES) for k, s in enumerate(SYSTEMS)}
    for kind in ("transcripts", "summaries"):
        (folder / kind).mkdir(parents=True)
    for d, said in DIALOGUES.items():
        (folder / "transcripts" / f"{d}.txt").write_text(said, encoding="utf-8")
    for (d, code), s in means.items():
        (folder / "summaries" / f"{name.format(d=d, code=code)}.txt").write_text(TEXTS[d, s], encoding="utf-8")
    rows: Rows = [["Transcript", letter, "Rater", "Accuracy"]]
    rows += [[d, code, who, points(d, s, who)] for (d, code), s in means.items() for who in PEOPLE]
    table(folder / "scores.csv", rows)
    return folder, means


@pytest.mark.parametrize("name", ["{d}_{code}", "{code}-{d}"])
@pytest.mark.parametrize("letter", ["Summary", "Version"])
def test_letters_that_a_key_tells_in_a_row_for_each_dialogue(tmp_path: Path, name: str, letter: str) -> None:
    folder, means = blind(tmp_path / "study", name, letter)
    table(folder / "key.csv", [["transcript", "P", "Q"], *([d, means[d, "P"], means[d, "Q"]] for d in DIALOGUES)])
    corpus = read_corpus(folder)
    assert not refused(corpus)
    assert stored(corpus) == RATED
    key = ("dialogue_id", "system")
    assert {tuple(row[k] for k in key): row["text"] for row in corpus.summaries.iter_rows(named=True)} == TEXTS


def test_an_order_of_showing_is_no_key_to_answers(tmp_path: Path) -> None:
    table(
        tmp_path / "order.csv",
        [["call", "1", "2"], *([d, *(SYSTEMS if n % 2 else SYSTEMS[::-1])] for n, d in enumerate(DIALOGUES))],
    )
    head: Rows = [["call", "model", "transcript", "summary", "rater", "clarity"]]
    rows = [[d, s, DIALOGUES[d], TEXTS[d, s], w, 1 + points(d, s, w) % 2] for d, s, w in RATED]
    table(tmp_path / "ratings.csv", [*head, *rows])
    corpus = read_corpus(tmp_path)
    assert stored(corpus) == {(d, s, w): 1.0 + points(d, s, w) % 2 for d, s, w in RATED}


def scorecard(d: str, who: str) -> Rows:
    return [
        ["QUALITY FORM"],
        ["Call ID", d],
        ["Evaluator:", who],
        [],
        ["Transcript", DIALOGUES[d]],
        *(["Summary " + s, TEXTS[d, s]] for s in SYSTEMS),
        ["No.", "Criterion", *SYSTEMS, "Comment"],
        ["A. Content"],
        [1, "Reason stated", *("Yes" if points(d, s, who) > 2 else "No" for s in SYSTEMS), ""],
        [2, "Overall (1-5)", *(points(d, s, who) for s in SYSTEMS), "fine"],
    ]


def test_a_form_for_each_dialogue(tmp_path: Path) -> None:
    raters = dict(zip(DIALOGUES, ("ann", "bob", "ann"), strict=True))
    overview: Rows = [["Call ID", "Evaluator"], *([d, who] for d, who in raters.items())]
    sheets = {"Overview": overview, **{f"Call {d}": scorecard(d, who) for d, who in raters.items()}}
    corpus = read_corpus(workbook(tmp_path / "forms.xlsx", sheets))
    assert not refused(corpus)
    rows = corpus.ratings.filter(pl.col("dimension").str.starts_with("Overall")).iter_rows(named=True)
    given = {(row["dialogue_id"], row["system"], row["annotator"]): row["value"] for row in rows}
    assert given == {key: value for key, value in RATED.items() if raters[key[0]] == key[2]}
    stated = corpus.ratings.filter(pl.col("dimension") == "Reason stated")
    assert sorted(stated["value"]) == sorted(float(value > 2) for value in given.values())
    assert sorted(corpus.summaries["text"]) == sorted(TEXTS.values())


def test_one_sheet_with_labels_above_its_table_is_no_set_of_forms(tmp_path: Path) -> None:
    sheets = {"Call": scorecard("d1", "ann")}
    assert sheet_of_forms({name: as_grid(rows) for name, rows in sheets.items()}, "x.xlsx") is None


def as_grid(rows: Rows) -> list[list[str | None]]:
    return [[None if cell == "" else str(cell) for cell in row] for row in rows]


def survey(folder: Path, heading: str) -> Path:
    """Answers about the texts of a second sheet, which headings name by their row and their column."""
    sides = {
        (d, side): s for n, d in enumerate(DIALOGUES) for side, s in zip("AB", SYSTEMS[:: 1 - 2 * (n % 2)], strict=True)
    }
    keys = [(d, side, asked) for d, side in sides for asked in ("zestful", "zippy")]
    answers: Rows = [
        ["Respondent ID", "IP Address", *(heading.format(d=d, side=side, asked=asked) for d, side, asked in keys)],
        *(
            [11870003210 + n, "198.51.100.4", *(points(d, sides[d, side], who) for d, side, _ in keys)]
            for n, who in enumerate(PEOPLE)
        ),
    ]
    material: Rows = [["Call", "Spoken words", "Summary A", "Written by (A)", "Summary B", "Written by (B)"]]
    for d, said in DIALOGUES.items():
        material.append([d, said, *(cell for side in "AB" for cell in (TEXTS[d, sides[d, side]], sides[d, side]))])
    return workbook(folder / "survey.xlsx", {"Answers": answers, "Material": material})


@pytest.mark.parametrize(
    "heading", ["{d}, Summary A: The summary is … {asked}", "Summary A of {d} – {asked}", "{asked} ({d} / Summary A)"]
)
def test_headings_that_name_a_row_and_a_column_of_texts(tmp_path: Path, heading: str) -> None:
    corpus = read_corpus(survey(tmp_path, heading.replace("Summary A", "Summary {side}")))
    assert not refused(corpus)
    people = {str(11870003210 + n): who for n, who in enumerate(PEOPLE)}
    assert {(d, s, people[who]): value for (d, s, who), value in stored(corpus).items()} == RATED
    assert corpus.ratings.height == 2 * len(RATED)
    key = ("dialogue_id", "system")
    assert {tuple(row[k] for k in key): row["text"] for row in corpus.summaries.iter_rows(named=True)} == TEXTS
