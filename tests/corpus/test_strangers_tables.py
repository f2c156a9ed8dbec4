"""Tables as survey tools, agencies and vendors write them: headings that name items, quotations, votes, programs."""

import json
from itertools import cycle
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from tests.corpus.written_files import Rows, table, workbook

SYSTEMS, PEOPLE = ("alpha", "beta"), ("Mia", "Tom")
CALLS = {f"C-{n}": f"Agent: Hello, desk {n}.\nCustomer: order {n}17 never came.\nAgent: I send it." for n in range(4)}
TEXTS = {(d, s): f"The customer of {d} misses an order, writes {s}." for d in CALLS for s in SYSTEMS}
HEAD = ["Call", "Transcript", "Model", "Summary"]


def said(corpus: Corpus) -> str:
    return " ".join(text for account in corpus.accounts for text in (*account.too_much(), account.unread))


def whole(source: Path, **options: object) -> Corpus:
    corpus = read_corpus(source, **options)  # type: ignore[arg-type]
    assert said(corpus) == ""
    assert not corpus.problems
    return corpus


def summaries() -> Rows:
    return [[d, CALLS[d], s, TEXTS[d, s]] for d, s in TEXTS]


def sums(corpus: Corpus) -> dict[str, float]:
    return dict(corpus.ratings.group_by("dimension").agg(pl.col("value").sum()).iter_rows())


@pytest.mark.parametrize("name", ["no_errors", "no_new_facts", "n_facts_right"])
def test_answers_in_words_count_nothing(tmp_path: Path, name: str) -> None:
    answer = cycle(["true", "false", "true"])
    rows = [[*row, who, 4, next(answer)] for row in summaries() for who in PEOPLE]
    corpus = whole(table(tmp_path / "a.csv", [[*HEAD, "annotator", "fluency", name], *rows]))
    assert set(corpus.ratings["dimension"]) == {"fluency", name}


def test_numbers_under_such_names_still_count(tmp_path: Path) -> None:
    number = cycle([12, 40, 31])
    rows = [[*row, who, 4, next(number)] for row in summaries() for who in PEOPLE]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "annotator", "fluency", "no_words"], *rows]))
    assert set(corpus.ratings["dimension"]) == {"fluency"}


@pytest.mark.parametrize(("values", "direction"), [((0, 3, 1), "lower"), ((1, 5, 3), "higher"), ((0, 1, 1), "higher")])
def test_how_many_errors_or_none(tmp_path: Path, values: tuple[int, ...], direction: str) -> None:
    number = cycle(values)
    rows = [[*row, who, next(number)] for row in summaries() for who in PEOPLE]
    corpus = whole(table(tmp_path / "a.csv", [[*HEAD, "annotator", "no_errors"], *rows]))
    assert corpus.dimension("no_errors").direction == direction


QUOTED = [*HEAD, "Annotator", "Error type", "Error text"]


def test_quoted_errors_are_found_and_readings_without_one_are_kept(tmp_path: Path) -> None:
    rows = [[*row, "Mia", "no error", ""] for row in summaries()]
    rows[0][-2:] = ["wrong fact", "order"]
    rows[1][-2:] = ["no referent", "customer"]
    corpus = whole(table(tmp_path / "a.csv", [QUOTED, *rows]))
    marked = corpus.spans.filter(pl.col("start").is_not_null())
    assert marked["text"].to_list() == ["order", "customer"]
    assert corpus.spans.height == len(rows)
    assert corpus.ratings.is_empty()


def test_a_kind_of_error_without_a_quotation_is_no_reading(tmp_path: Path) -> None:
    rows = [[*row, "Mia", "no error", ""] for row in summaries()]
    rows[0][-2:] = ["wrong fact", "order"]
    rows[1][-2:] = ["no referent", ""]
    assert "the place of the span is not known" in str(read_corpus(table(tmp_path / "a.csv", [QUOTED, *rows])).problems)


def test_quotations_are_whole_words_where_they_can_be(tmp_path: Path) -> None:
    rows = [["C-1", CALLS["C-1"], "alpha", "The other has an odd car.", "Mia", "wrong", "a"]]
    rows += [["C-2", CALLS["C-2"], "alpha", "Then he left the shop.", "Mia", "wrong", "he"]]
    rows += [["C-3", CALLS["C-3"], "alpha", "An odd car.", "Mia", "wrong", "od"]]
    corpus = whole(table(tmp_path / "a.csv", [QUOTED, *rows]))
    assert corpus.spans.sort("dialogue_id")["start"].to_list() == [11, 5, 3]


def test_a_sheet_of_quoted_errors_for_each_person(tmp_path: Path) -> None:
    head = [*HEAD, "Error text", "Category"]
    marks = {"Mia": ("order", "wrong fact"), "Tom": ("customer", "style")}
    sheets = {
        who: [head, *([*row, *(mark if row[0] == "C-1" else ("", "No error"))] for row in summaries())]
        for who, mark in marks.items()
    }
    corpus = whole(workbook(tmp_path / "a.xlsx", sheets))
    assert set(corpus.spans["annotator"]) == set(PEOPLE)
    assert corpus.spans.height == 2 * len(TEXTS)
    assert corpus.spans["start"].count() == 4


KINDS = [*HEAD, "Judge", "Judge type", "Aspect", "Score"]


def _of_both() -> Rows:
    values = cycle([3, 4, 2])
    return [
        [*row, who, kind, "coherence", 5 if kind == "llm" else next(values)]
        for row in summaries()
        for who, kind in (("Mia", "human"), ("judge-2", "llm"), ("Tom", "human"))
    ]


def test_judgements_of_programs_are_left_out_and_can_be_kept(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", [KINDS, *_of_both()])
    corpus = whole(path)
    assert set(corpus.ratings["annotator"]) == set(PEOPLE)
    assert corpus.summaries.height == len(TEXTS)
    assert any("--map ignore=Judge type" in note for note in corpus.notes)
    assert corpus.accounts[0].rejected == {"of a program": len(TEXTS)}
    assert set(whole(path, mapping={"ignore": "Judge type"}).ratings["annotator"]) == {*PEOPLE, "judge-2"}


def test_judgements_of_programs_without_texts(tmp_path: Path) -> None:
    rows = [[row[0], row[2], *row[4:]] for row in _of_both()]
    corpus = whole(table(tmp_path / "a.csv", [["Call", "Model", *KINDS[4:]], *rows]))
    assert corpus.ratings.height == 2 * len(TEXTS)


def test_people_and_a_program_as_the_only_names(tmp_path: Path) -> None:
    rows = [[*row[:4], row[5], *row[6:]] for row in _of_both() if row[4] != "Tom"]
    path = table(tmp_path / "a.csv", [[*HEAD, "Evaluator", *KINDS[6:]], *rows])
    assert set(whole(path).ratings["annotator"]) == {"human"}
    assert set(whole(path, mapping={"annotator": ("Evaluator",)}).ratings["annotator"]) == {"human", "llm"}


def test_who_wrote_says_nothing_of_who_judged(tmp_path: Path) -> None:
    kinds = {"alpha": "human", "beta": "llm"}
    rows = [[*row, who, kinds[str(row[2])], 4] for row in summaries() for who in PEOPLE]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "annotator", "writer_type", "fluency"], *rows]))
    assert corpus.ratings.height == 2 * len(TEXTS)


ITEMS = [["Item", "Model", "Transcript", "Summary"]] + [
    [f"Item {n}", s, CALLS[d], TEXTS[d, s]] for n, (d, s) in enumerate(TEXTS, start=1)
]


@pytest.mark.parametrize("form", ["{} [{}]", "{}: {}", "{1} ({0})"])
def test_headings_that_name_the_rows_of_another_file(tmp_path: Path, form: str) -> None:
    asked = [(item[0], question) for item in ITEMS[1:] for question in ("Clear", "Complete")]
    head = ["Timestamp", "Your initials", *(form.format(*one) for one in asked), "Any comments?"]
    values = cycle([1, 4, 2, 5, 3])
    answers = [["2026/03/14 1:31:56 PM", who, *(next(values) for _ in asked), "fine"] for who in ("AB", "CD", "EF")]
    table(tmp_path / "study" / "answers.csv", [head, *answers])
    table(tmp_path / "study" / "items.csv", ITEMS)
    corpus = whole(tmp_path / "study")
    assert (corpus.dialogues.height, corpus.systems) == (len(CALLS), list(SYSTEMS))
    assert set(corpus.ratings["annotator"]) == {"AB", "CD", "EF"}
    assert corpus.ratings.height == 3 * len(asked)
    given = sum(value for row in answers for value in row[2:-1])  # type: ignore[misc]
    assert sum(sums(corpus).values()) == given


def test_numbers_in_headings_are_no_items_where_a_column_names_these(tmp_path: Path) -> None:
    values = cycle([1, 3, 2])
    table(tmp_path / "study" / "items.csv", [["nr", *HEAD], *([n, *row] for n, row in enumerate(summaries(), start=1))])
    head = ["nr", "annotator", "Clarity (1-5)", "Overall (1-3)", "Focus (1-4)"]
    rows = [[n, who, next(values), next(values), next(values)] for n in range(1, 9) for who in PEOPLE]
    table(tmp_path / "study" / "ratings.csv", [head, *rows])
    corpus = whole(tmp_path / "study")
    assert corpus.dimensions == ["clarity", "focus", "overall"]
    assert corpus.ratings.height == 3 * len(rows)


def _question(dialogue: str, system: str) -> str:
    return (
        f"Please rate the summary (1 = bad, 5 = good).\n\nConversation {dialogue}:\n{CALLS[dialogue]}\n\n"
        f"Summary by {system}:\n{TEXTS[dialogue, system]}"
    )


def _survey(questions: list[str]) -> Rows:
    values = cycle([1, 4, 2, 5, 3])
    head = ["Respondent ID", "Collector ID", *(cell for question in questions for cell in (question, ""))]
    below = ["", "", *(["Clarity", "Completeness"] * len(questions))]
    return [head, below, *([who, 4377, *(next(values) for _ in head[2:])] for who in (101, 102, 103))]


def test_headings_that_show_what_is_judged(tmp_path: Path) -> None:
    corpus = whole(table(tmp_path / "a.csv", _survey([_question(*key) for key in TEXTS])))
    assert (corpus.dialogues.height, corpus.systems) == (len(CALLS), list(SYSTEMS))
    assert corpus.dialogue("C-1").turns[1].speaker == "Customer"
    assert dict(corpus.summaries.select(pl.concat_str("dialogue_id", "system"), "text").iter_rows()) == {
        d + s: text for (d, s), text in TEXTS.items()
    }
    assert corpus.ratings.height == 3 * 2 * len(TEXTS)


def test_headings_that_show_dialogues_in_another_way_are_refused(tmp_path: Path) -> None:
    questions = [_question(*key).replace("Conversation", "Look at").replace("Summary by", "And then") for key in TEXTS]
    corpus = read_corpus(table(tmp_path / "a.csv", _survey(questions)))
    assert "headings of 16 columns hold dialogues" in said(corpus)


def test_times_before_turns_are_no_lost_texts(tmp_path: Path) -> None:
    timed = {d: "\n".join(f"[9:1{n}] {turn}" for n, turn in enumerate(text.split("\n"))) for d, text in CALLS.items()}
    value = cycle([1, 4, 2])
    rows = [[row[0], timed[str(row[0])], *row[2:], next(value), next(value)] for row in summaries()]
    corpus = whole(
        table(tmp_path / "a.csv", [["Ticket", "Chat", *HEAD[2:], "Accuracy (Mia)", "Accuracy (Tom)"], *rows])
    )
    assert corpus.dialogue("C-1").turns[0].text == "Hello, desk 1."
    assert corpus.ratings.height == 2 * len(TEXTS)


def test_a_column_that_names_the_better_of_two_systems(tmp_path: Path) -> None:
    better = cycle(["alpha", "beta", "no difference", "Alpha"])
    head = [
        "Call",
        "Transcript",
        "Alpha summary",
        "Alpha accuracy",
        "Beta summary",
        "Beta accuracy",
        "By",
        "Better one",
    ]
    rows = [
        [f"{n}", CALLS[d], TEXTS[d, "alpha"], 4, TEXTS[d, "beta"], 3, "Mia", next(better)] for n, d in enumerate(CALLS)
    ]
    corpus = whole(workbook(tmp_path / "a.xlsx", {"Calls": [head, *rows]}), mapping={"annotator": "By"})
    assert corpus.preferences.sort("dialogue_id")["winner"].to_list() == ["a", "b", "tie", "a"]
    assert corpus.ratings.height == 2 * len(CALLS)


def test_which_of_two_systems_was_shown_first_is_no_preference(tmp_path: Path) -> None:
    first = cycle(["alpha", "beta", "alpha"])
    head = ["Call", "Transcript", "Alpha summary", "Alpha accuracy", "Beta summary", "Beta accuracy", "Shown first"]
    rows = [[d, CALLS[d], TEXTS[d, "alpha"], 4, TEXTS[d, "beta"], 3, next(first)] for d in CALLS]
    assert read_corpus(table(tmp_path / "a.csv", [head, *rows])).preferences.is_empty()


def test_a_folder_with_an_explanation_and_nested_data(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    rows = [[f"{d}{s}", who, "coherence", 3] for d, s in TEXTS for who in PEOPLE]
    table(folder / "human_ratings.csv", [["sum_id", "annotator", "dimension", "score"], *rows])
    records = [
        {
            "dlg_id": d,
            "turns": text.split("\n"),
            "reference": f"What was said in {d}.",
            "outputs": [{"sum_id": f"{d}{s}", "system": s, "text": TEXTS[d, s]} for s in SYSTEMS],
        }
        for d, text in CALLS.items()
    ]
    (folder / "dialogues.jsonl").write_text("\n".join(map(json.dumps, records)))
    (folder / "README.md").write_text("# A set\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| c | d |\n|---|---|\n| 1 | 2 |\n")
    (folder / "notes.md").write_text("# Notes\n\nNothing else.\n")
    corpus = whole(folder)
    assert (corpus.dialogues.height, corpus.summaries.height) == (len(CALLS), len(TEXTS) + len(CALLS))
    assert corpus.ratings.height == len(rows)


def test_writers_are_found_where_only_the_dialogue_itself_tells_rows_apart(tmp_path: Path) -> None:
    marks = cycle(["4 - Good", "2 - Poor", "5 - Very good"])
    rows = [
        [f"T{n}", row[1], row[3], row[2], who, next(marks), "approved"]
        for n, (row, who) in enumerate((row, who) for row in summaries() for who in PEOPLE)
    ]
    head = ["TaskID", "Conversation", "Summary", "Source", "Annotator", "Grammar", "QA"]
    corpus = whole(table(tmp_path / "a.csv", [head, *rows]))
    assert (corpus.dialogues.height, corpus.systems) == (len(CALLS), list(SYSTEMS))
    assert corpus.dimensions == ["grammar"]


@pytest.mark.parametrize("names", [("BART", "PGN"), ("batch1", "batch2")])
def test_a_file_for_each_system_with_columns_for_each_annotator(tmp_path: Path, names: tuple[str, str]) -> None:
    head = ["dialogue_id", "dialogue", "summary", "coherence_1", "coherence_2", "rouge1_f"]
    for name, system in zip(names, SYSTEMS, strict=True):
        rows = [[d, CALLS[d], TEXTS[d, system], 3, 4, 0.321] for d in CALLS]
        table(tmp_path / "study" / f"{name}.csv", [head, *rows])
    corpus = read_corpus(tmp_path / "study")
    if names[0] == "batch1":
        assert "nothing says which systems they are of" in said(corpus)
    else:
        assert (said(corpus), corpus.systems) == ("", list(names))
        assert corpus.ratings.height == 2 * len(TEXTS)


def test_quoted_empty_cells_and_answers_that_were_broken_off(tmp_path: Path) -> None:
    values = cycle([5, 3, 4])
    rows = [
        [n, "2026-05-04 12:00:11", 2, who, *row, next(values), f"{next(values)}0.0000", 60.25 + n]
        for n, (who, row) in enumerate((who, row) for who in ("xK4", "b7T") for row in summaries())
    ]
    broken = [99, "2026-05-04 11:00:11", 1, *rows[0][3:8], "", "", 12.5]
    head = ["Antwort ID", "Datum Abgeschickt", "Letzte Seite", "Zugangscode", "Gesprächsnummer", "Gespräch", "System"]
    head += [
        "Zusammenfassung",
        "Bitte bewerten Sie (1 = schlecht, 5 = gut). [Kohärenz]",
        "Eindruck (0 bis 100)",
        "Gesamtzeit",
    ]
    text = "\n".join(";".join(f'"{cell}"' for cell in row) for row in [head, broken, *rows])
    (tmp_path / "a.csv").write_text(text, encoding="utf-8-sig")
    corpus = whole(tmp_path / "a.csv")
    assert corpus.dimensions == ["Eindruck", "kohärenz"]
    assert set(corpus.ratings["annotator"]) == {"xK4", "b7T"}
    assert corpus.ratings["value"].count() == 4 * len(TEXTS)


def test_scores_of_a_program_beside_marks_of_several_people(tmp_path: Path) -> None:
    values, computed = cycle([3, 4, 2, 1]), cycle([3, 2, 4])
    rows = []
    for row in summaries():
        automatic = next(computed)
        rows += [[*row, who, next(values), automatic] for who in PEOPLE]
    head = [*HEAD, "Reviewer", "Accuracy (1-4)", "AutoQA Accuracy"]
    assert whole(table(tmp_path / "a.csv", [head, *rows])).dimensions == ["accuracy"]
    rows[1][-1] = 1 if rows[0][-1] != 1 else 2
    assert "'AutoQA Accuracy'" in said(read_corpus(table(tmp_path / "b.csv", [head, *rows])))


def test_people_above_dimensions_of_which_one_is_not_known(tmp_path: Path) -> None:
    values = cycle([3, 4, 2, 5, 5])
    head = [*HEAD, "M. Mia Accuracy", "M. Mia Style", "T. Tom Accuracy", "T. Tom Style", "Average Style"]
    rows = [[*row, *(next(values) for _ in range(4)), 3.5] for row in summaries()]
    corpus = whole(table(tmp_path / "a.csv", [head, *rows]))
    assert set(corpus.ratings["annotator"]) == {"M. Mia", "T. Tom"}
    assert corpus.dimensions == ["accuracy", "style"]
    assert corpus.ratings.height == 4 * len(TEXTS)


def test_crosses_of_several_people_for_the_best_and_the_worst(tmp_path: Path) -> None:
    systems = ("alpha", "beta", "gamma")
    rows: Rows = [
        ["", "", "", "", "Mia", "", "Tom", ""],
        ["Set", "Transcript", "Model", "Summary", *["Best", "Worst"] * 2],
    ]
    for number, d in enumerate(CALLS):
        for place, system in enumerate(systems):
            mia = ["x" if place == number % 3 else "", "X" if place == (number + 1) % 3 else ""]
            tom = ["", ""] if number == 3 else ["x" if place == 0 else "", "X" if place == 2 else ""]
            start = [f"Set {number}", CALLS[d]] if place == 0 else ["", ""]
            rows.append([*start, system, f"What {system} wrote of {d}.", *mia, *tom])
        rows.append([""] * 8)
    corpus = whole(table(tmp_path / "a.csv", rows))
    assert (corpus.dialogues.height, corpus.summaries.height) == (len(CALLS), 3 * len(CALLS))
    chosen = corpus.choices.filter(pl.col("choice") == "best")
    assert chosen.sort("annotator", "dialogue_id")["system"].to_list() == [*systems, "alpha", *["alpha"] * 3]
    assert corpus.choices.height == 3 * 7


def test_what_is_called_best_and_worst_is_read_or_named(tmp_path: Path) -> None:
    marks = [["x", ""], ["", "X"]]
    rows = [[*row, *marks[n % 2], *marks[(n + n // 4) % 2]] for n, row in enumerate(summaries())]
    bracketed = table(tmp_path / "a.csv", [[*HEAD, "Best (Mia)", "Worst (Mia)", "Best (Tom)", "Worst (Tom)"], *rows])
    assert set(whole(bracketed).choices["annotator"]) == set(PEOPLE)
    unclear = table(tmp_path / "b.csv", [[*HEAD, "Best of Mia?", "Worst?", "Best: T", "The worst"], *rows])
    assert "look like choices of the best and the worst" in said(read_corpus(unclear))
    told = [[*row, "Mia", 4, f"The {row[2]} style in {row[0]}.", f"Names in {row[0]}."] for row in summaries()]
    praised = table(tmp_path / "c.csv", [[*HEAD, "rater", "fluency", "What was best?", "What was worst?"], *told])
    assert "look like choices" not in said(read_corpus(praised))


def test_quotations_in_other_letters(tmp_path: Path) -> None:
    rows = [[*row, "Mia", "wrong", "THE CUSTOMER"] for row in summaries()]
    assert set(whole(table(tmp_path / "a.csv", [QUOTED, *rows])).spans["start"]) == {0}


@pytest.mark.parametrize("names", [("Marked words", "Category"), ("Quote", "Trouble"), ("Where", "Trouble")])
def test_quotations_are_known_by_what_they_hold(tmp_path: Path, names: tuple[str, str]) -> None:
    kinds = cycle([("order", "wrong fact"), ("misses an", "style"), ("customer", "wrong fact"), ("", "No error")])
    rows = [[*row, *next(kinds), "Mia"] for row in summaries()]
    corpus = whole(table(tmp_path / "a.csv", [[*HEAD, *names, "Annotator"], *rows]))
    assert corpus.spans["text"].drop_nulls().to_list() == ["order", "misses an", "customer"] * 2
    assert set(corpus.spans["label"].drop_nulls()) == {"wrong fact", "style"}
    assert corpus.spans.height == len(rows)


@pytest.mark.parametrize(("kind", "marked"), [("error_type", 8), ("severity", 8), ("label", 0)])
def test_quotations_in_every_row(tmp_path: Path, kind: str, marked: int) -> None:
    kinds = cycle([("order", "correct"), ("misses an", "incorrect"), ("customer", "correct")])
    rows = [[*row, *next(kinds), "Mia"] for row in summaries()]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "Entity", kind, "Annotator"], *rows]))
    assert corpus.spans.height == marked


def test_words_of_summaries_are_no_quotations_where_nothing_is_wrong_with_them(tmp_path: Path) -> None:
    kinds = cycle(["order", "misses an", "customer", ""])
    rows = [[*row, next(kinds), "Mia", 4] for row in summaries()]
    corpus = whole(table(tmp_path / "a.csv", [[*HEAD, "Keyword", "Annotator", "fluency"], *rows]))
    assert corpus.spans.is_empty()
    assert corpus.ratings.height == len(rows)


def test_how_much_better_one_of_two_systems_is(tmp_path: Path) -> None:
    better = cycle(["Alpha (slightly better)", "Beta (much better)", "no difference", "Alpha"])
    head = ["Call", "Transcript", "Alpha summary", "Beta summary", "Annotator", "Better one"]
    rows = [[d, CALLS[d], TEXTS[d, "alpha"], TEXTS[d, "beta"], "Mia", next(better)] for d in CALLS]
    corpus = whole(table(tmp_path / "a.csv", [head, *rows]))
    assert corpus.preferences.sort("dialogue_id")["winner"].to_list() == ["a", "b", "tie", "a"]
    assert corpus.preferences.sort("dialogue_id")["strength"].to_list() == [1.0, 3.0, None, 2.0]
