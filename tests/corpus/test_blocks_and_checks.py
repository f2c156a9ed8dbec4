"""Blocks of a call each, checks that all passed, and answers about the person in a survey about items."""

from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from dialgauge.corpus import read_corpus
from dialgauge.errors import InputError

HEADINGS = [
    "Version",
    "Summary",
    "Usefulness (Ann B.)",
    "Usefulness (Carl D.)",
    "Brevity (Ann B.)",
    "Brevity (Carl D.)",
]
SAID = [["Agent", "Good morning, what can I do?"], ["Customer", "My order {n} is late."], ["Agent", "I will send it."]]


def block(n: int) -> list[list[Any]]:
    return [
        [f"CALL {n}", f"Late order {n}"],
        ["Transcript"],
        *([who, said.format(n=n)] for who, said in SAID),
        HEADINGS,
        ["new", f"Order {n} of the customer is late and will be sent.", 4 + n % 2, 5, 3, n],
        ["old", f"The customer cancels order {n} and is angry.", 2, 1 + n % 2, 4, 4],
        [],
    ]


def workbook(path: Path, rows: list[list[Any]]) -> Path:
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Review")
    for number, row in enumerate(rows):
        sheet.write_row(number, 0, row)
    book.close()
    return path


def test_blocks_of_a_call_each_are_one_table(tmp_path: Path) -> None:
    rows = [["Review of week 12"], [], *(row for n in (1, 2, 3) for row in block(n))]
    corpus = read_corpus(workbook(tmp_path / "blocks.xlsx", rows))
    assert corpus.dialogues["dialogue_id"].to_list() == ["CALL 1", "CALL 2", "CALL 3"]
    assert [turn["text"] for turn in corpus.dialogues["turns"][1]][1] == "My order 2 is late."
    assert set(corpus.summaries["system"]) == {"new", "old"}
    assert corpus.summaries.height == 6
    assert corpus.ratings.height == 24
    assert set(corpus.ratings["annotator"]) == {"Ann B", "Carl D"}


def test_blocks_with_something_else_between_them_are_refused(tmp_path: Path) -> None:
    rows = [["Review of week 12"], []]
    rows += [row for n in (1, 2, 3) for row in [*block(n)[:-1], ["Remark", "to be discussed"], []]]
    with pytest.raises(InputError, match="a block of its own"):
        read_corpus(workbook(tmp_path / "blocks.xlsx", rows))


def test_headings_of_files_put_together_are_still_left_out(tmp_path: Path) -> None:
    rows = [row for n in (1, 2, 3) for row in [["id", "system", "summary", "fluency"], [f"d{n}", "m", f"Text {n}.", n]]]
    corpus = read_corpus(workbook(tmp_path / "together.xlsx", rows))
    assert corpus.ratings.height == 3


def checks(path: Path, unanimous: str) -> Path:
    lines = [f"call_id,evaluator,system,summary,Reason captured?,{unanimous},Outcome captured?"]
    for n in range(4):
        for who, reason in (("ann", "Yes"), ("bob", "No" if n % 2 else "Yes")):
            lines.append(f"c{n},{who},m1,The customer asks about order {n}.,{reason},Yes,{'No' if n == 3 else 'Yes'}")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_check_that_all_passed_is_a_dimension_among_others(tmp_path: Path) -> None:
    corpus = read_corpus(checks(tmp_path / "checks.csv", "Nothing made up?"))
    assert corpus.ratings.height == 24
    assert "Nothing made up?" in set(corpus.ratings["dimension"])


def test_an_answer_about_no_item_is_not_one_about_each(tmp_path: Path) -> None:
    folder = tmp_path / "survey"
    folder.mkdir()
    items = ["Item,Conversation,System,Summary"]
    for n in (4, 5, 6, 7):
        items.append(
            f'Q{n},"Ann: Is lot {n // 2} free?\nBob: Yes, lot {n // 2} is.",m{n % 2},Lot {n // 2} is free {n}.'
        )
    (folder / "items.csv").write_text("\n".join(items), encoding="utf-8")
    names = ",".join(f"Q{n} [{asked}]" for n in (4, 5, 6, 7) for asked in ("Clear", "Correct"))
    answers = [f"respondent,Q1,{names}", *(f"p{k},Yes,4,5,3,{k},{k},4,2,5" for k in (1, 2, 3))]
    (folder / "answers.csv").write_text("\n".join(answers), encoding="utf-8")
    corpus = read_corpus(folder)
    assert set(corpus.ratings["dimension"]) == {"Clear", "correct"}
    assert corpus.ratings.height == 24
    assert any("about none of them, not used: Q1" in note for note in corpus.notes)


def test_french_headings_of_a_row_per_judgement(tmp_path: Path) -> None:
    lines = ["id_dialogue\tsystème\trésumé\tjuge\tcritère\tréponse"]
    for n in range(3):
        for asked, given in (("fidèle", "tout à fait d'accord"), ("complet", "pas d'accord" if n else "d'accord")):
            lines += [f"d{n}\tm1\tLa lampe {n} est cassée.\tj{k}\t{asked}\t{given}" for k in (1, 2)]
    path = tmp_path / "jugements.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")
    corpus = read_corpus(path)
    assert set(corpus.ratings["dimension"]) == {"fidèle", "complet"}
    assert set(corpus.ratings["annotator"]) == {"j1", "j2"}
    assert corpus.ratings.height == 12


def test_a_word_for_yes_among_other_classes_is_one_of_them(tmp_path: Path) -> None:
    lines = ["dialogue_id,system,summary,annotator,faithfulness"]
    for n, given in enumerate(["FAITHFUL", "MINOR", "FAITHFUL", "MAJOR", "FAITHFUL", "MAJOR", "FAITHFUL", "MINOR"]):
        lines.append(f"d{n},m1,They agree on day {n}.,ann,{given}")
    path = tmp_path / "classes.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    corpus = read_corpus(path)
    assert corpus.ratings["value"].null_count() == 0
    assert corpus.ratings.height == 8
    assert any("FAITHFUL, MAJOR, MINOR" in note for note in corpus.notes)
