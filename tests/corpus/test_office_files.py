"""Files as offices have them: merged cells, grids of headings, folders of texts, tables beside tables, no texts."""

import json
import zipfile
from itertools import cycle
from pathlib import Path

from dialgauge.corpus import read_corpus
from tests.corpus.test_unexplained import CALLS, HEAD, PEOPLE, SYSTEMS, TEXTS, people, points, said, summaries
from tests.corpus.written_files import Rows, table, workbook


def test_merged_cells_hold_for_all_of_their_rows(tmp_path: Path) -> None:
    import xlsxwriter

    draw = points()
    book = xlsxwriter.Workbook(str(tmp_path / "a.xlsx"))
    sheet = book.add_worksheet("S")
    sheet.merge_range(0, 0, 0, 7, "Round 2")
    for column, text in enumerate(["Call", "Rater"]):
        sheet.merge_range(2, column, 3, column, text)
    for block, system in enumerate(("Wren", "Finch")):
        sheet.merge_range(2, 2 + 2 * block, 2, 3 + 2 * block, system)
        sheet.write_row(3, 2 + 2 * block, ["Accuracy", "Brevity"])
    for number, call in enumerate(CALLS):
        sheet.merge_range(4 + 3 * number, 0, 6 + 3 * number, 0, call)
        for place, who in enumerate(PEOPLE):
            sheet.write_row(4 + 3 * number + place, 1, [who, *(draw() for _ in range(4))])
    sheet.write_row(23, 1, ["Average", 3.1, 2.8, 3.3, 2.9])
    sheet.write(25, 0, "last change: Mia, 14 March")
    book.close()
    corpus = read_corpus(tmp_path / "a.xlsx")
    assert people(corpus) == set(PEOPLE)
    assert (corpus.summaries.height, corpus.ratings.height, corpus.systems) == (12, 72, ["Finch", "Wren"])
    assert corpus.dimensions == ["accuracy", "brevity"]


def test_numbered_people_with_their_scores(tmp_path: Path) -> None:
    draw, who = points(), cycle([("Mia", "Tom"), ("Tom", "Jo"), ("Jo", "Mia"), ("Tom", "Mia")])
    rows = [[*row, first, draw(), second, draw()] for row in summaries() for first, second in [next(who)]]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "Rater 1", "Score 1", "Rater 2", "Score 2"], *rows]))
    assert people(corpus) == set(PEOPLE)
    assert corpus.ratings["value"].sum() == sum(row[5] + row[7] for row in rows)


def test_people_in_a_grid_with_dimensions(tmp_path: Path) -> None:
    draw = points()
    heads = [f"{name} - {who}" for name in ("Accuracy", "Wording") for who in PEOPLE]
    path = table(tmp_path / "a.csv", [[*HEAD, *heads], *([*row, *(draw() for _ in heads)] for row in summaries())])
    corpus = read_corpus(path)
    assert people(corpus) == set(PEOPLE)
    assert (corpus.ratings.height, sorted(corpus.dimensions)) == (108, ["Accuracy", "Wording"])


def test_people_beside_questions_and_numbers_that_start_again(tmp_path: Path) -> None:
    draw = points()
    rows: Rows = [
        [batch, n, s, name, *(draw() for _ in PEOPLE)]
        for batch in ("feb", "mar")
        for n in (1, 2, 3)
        for s in SYSTEMS
        for name in ("adequacy", "fluency")
    ]
    corpus = read_corpus(table(tmp_path / "a.csv", [["batch", "item", "system", "criterion", *PEOPLE], *rows]))
    assert people(corpus) == set(PEOPLE)
    assert (corpus.summaries.height, corpus.ratings.height) == (18, 108)
    assert corpus.dimensions == ["adequacy", "fluency"]


def test_texts_in_files_of_their_own(tmp_path: Path) -> None:
    draw = points()
    for call, text in CALLS.items():
        for folder, words in (("transcripts", text), *((f"summaries/{s}", TEXTS[call, s]) for s in SYSTEMS)):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / f"{call}.txt").write_text(words, encoding="utf-8")
    (tmp_path / "README.txt").write_text("Scores from 1 to 5.", encoding="utf-8")
    rows = [[call, s, who, draw()] for call, s in TEXTS for who in PEOPLE]
    table(tmp_path / "scores.csv", [["call", "writer", "reviewer", "accuracy"], *rows])
    corpus = read_corpus(tmp_path)
    assert people(corpus) == set(PEOPLE)
    assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (6, 18, 54)
    assert corpus.systems == list(SYSTEMS)


def test_a_table_beside_transcripts_that_it_does_not_name(tmp_path: Path) -> None:
    draw = points()
    for number, text in enumerate(CALLS.values()):
        (tmp_path / f"recording{number}.txt").write_text(text, encoding="utf-8")
    table(tmp_path / "scores.csv", [["call", "clear"], *([call, draw()] for call in [*CALLS, *CALLS])])
    assert "the file 'scores' looks like judgements" in said(read_corpus(tmp_path))


def test_small_tables_beside_and_below_the_data(tmp_path: Path) -> None:
    draw = points()
    rows: Rows = [[*row, who, draw()] for row in summaries() for who in PEOPLE]
    for number, system in enumerate(SYSTEMS):
        rows[number] += [None, system, 3.25 + number / 4]
    below: Rows = [[], ["Model", "Mean"], *([system, 3.5] for system in SYSTEMS)]
    heads = [*HEAD, "Rater", "Accuracy", None, "Model", "Mean"]
    corpus = read_corpus(workbook(tmp_path / "a.xlsx", {"S": [heads, *rows, *below]}))
    assert people(corpus) == set(PEOPLE)
    assert (corpus.dialogues.height, corpus.ratings.height) == (6, 54)
    assert sum("a small table" in note for note in corpus.notes) == 2


def test_files_of_people_who_marked_errors(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "errors.zip", "w") as archive:
        for number, who in enumerate(("ella", "raj")):
            marked = [
                {"id": n, "text": text, "dialogue_id": d, "system": s, "label": [[4, 12, "Name"]] if n % 3 else []}
                for n, ((d, s), text) in enumerate(TEXTS.items(), start=number)
            ]
            archive.writestr(f"{who}.jsonl", "\n".join(map(json.dumps, marked)))
    corpus = read_corpus(tmp_path / "errors.zip")
    assert said(corpus) == ""
    assert set(corpus.spans["annotator"]) == {"ella", "raj"}
    assert (corpus.spans.height, corpus.spans["start"].drop_nulls().len()) == (36, 24)


def test_comparisons_in_words_of_an_annotation_tool(tmp_path: Path) -> None:
    words = ["Left is better", "Same quality", "Right is better"]
    tasks = [
        {
            "id": n,
            "data": {
                "dialogue_id": d,
                "dialogue": text,
                "left": TEXTS[d, "alpha"],
                "right": TEXTS[d, "beta"],
                "left_system": "alpha",
                "right_system": "beta",
            },
            "annotations": [
                {
                    "id": n,
                    "completed_by": {"email": "mia@x.org"},
                    "result": [
                        {
                            "from_name": "pref",
                            "to_name": "left",
                            "type": "choices",
                            "value": {"choices": [words[n % 3]]},
                        }
                    ],
                }
            ],
        }
        for n, (d, text) in enumerate(CALLS.items())
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    corpus = read_corpus(path)
    assert said(corpus) == ""
    assert sorted(corpus.preferences["winner"]) == ["a", "a", "b", "b", "tie", "tie"]
    assert corpus.summaries.height == 12


def test_cells_of_a_notebook_with_gaps(tmp_path: Path) -> None:
    draw = points()
    rows = [
        [*row, str({w: {"clarity": draw(), "coverage": float("nan") if w == "Jo" else draw()} for w in PEOPLE})]
        for row in summaries()
    ]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "annotations"], *rows]))
    assert people(corpus) == set(PEOPLE)
    assert corpus.ratings["value"].drop_nulls().len() == 90


def test_words_for_nothing_and_halves_in_columns_of_numbers(tmp_path: Path) -> None:
    cells = cycle(["3½", "4", "\\N", "2½", "s.o.", "5"])
    rows = [[*row, who, next(cells), "05.03.24 14h10"] for row in summaries() for who in PEOPLE[:2]]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "Prüfer/in", "Stars", "saved"], *rows]))
    assert people(corpus) == set(PEOPLE[:2])
    assert (corpus.ratings["value"].drop_nulls().len(), corpus.dimensions) == (24, ["Stars"])
    assert corpus.ratings["value"].sum() == 6 * (3.5 + 4 + 2.5 + 5)
