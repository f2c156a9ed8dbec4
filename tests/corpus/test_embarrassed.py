"""Files that came out wrong in silence when strangers brought them: what was read shows it, however it was read."""

from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, read_corpus
from dialgauge.corpus._copied import copied_judgements
from dialgauge.errors import InputError
from tests.corpus.test_more_files import said
from tests.corpus.test_strangers import CALLS, SYSTEMS, TEXTS, body, table, value

_PEOPLE = tuple(f"p{n}" for n in range(6))


def test_one_answer_of_a_row_is_not_that_of_every_system(tmp_path: Path) -> None:
    heads = ["Call ID", "Transcript", "Text A", "Text B", "Annotator", "Beste"]
    rows = [
        [d, text, TEXTS[d, "alpha"], TEXTS[d, "beta"], p, "ABCD"[(n + k) % 4]]
        for n, (d, text) in enumerate(CALLS.items())
        for k, p in enumerate(_PEOPLE)
    ]
    found = said(read_corpus(table(tmp_path / "choices.csv", [heads, *rows])))
    assert any("'Beste' has the same value for every system of a dialogue" in text for text in found), found


def _rated(values: list[tuple[float, float]]) -> Corpus:
    turns = (Turn("A", "Hello there."),)
    dialogues = [Dialogue(f"d{n}", turns) for n in range(len(values))]
    texts = [Summary(one.id, system, f"{one.id} {system}") for one in dialogues for system in SYSTEMS]
    given = [
        Rating(f"d{n}", system, "ann", "overall", pair[k])
        for n, pair in enumerate(values)
        for k, system in enumerate(SYSTEMS)
    ]
    return Corpus.build(dialogues, texts, given)


@pytest.mark.parametrize(
    ("values", "copied"),
    [
        ([(n % 5 + 1, n % 5 + 1) for n in range(20)], True),
        ([(n % 5 + 1, n % 5 + 1) for n in range(5)], False),  # too few to tell
        ([(n % 5 + 1, n % 5 + 1) for n in range(19)] + [(1, 2)], False),
        ([(1.0, 1.0)] * 40, False),  # everybody content with everything
        ([(float(n == 3), float(n == 3)) for n in range(40)], False),  # one error, which both systems make
    ],
)
def test_agreement_of_systems_beyond_chance(values: list[tuple[float, float]], copied: bool) -> None:
    assert bool(copied_judgements(_rated(values))) is copied


def test_a_column_with_the_answers_of_others_is_judged_whatever_it_is_called(tmp_path: Path) -> None:
    heads = ["Call ID", "Transcript", "System", "Summary", "Annotator", "Wrong person", "Wrong date/time"]
    marks = ("☐", "☑")
    rows = body(lambda d, s, p: [marks[value(d, s, p) % 2], marks[value(d, s, p, 1) % 2]])
    found = said(read_corpus(table(tmp_path / "checklist.csv", [heads, *rows])))
    assert any("'Wrong date/time' looks like judgements" in text for text in found), found


def test_a_file_of_a_few_people_who_answer_many_questions_is_missed(tmp_path: Path) -> None:
    folder = tmp_path / "survey"
    folder.mkdir()
    texts = [[d, CALLS[d], s, text] for (d, s), text in TEXTS.items()]
    table(folder / "stimuli.csv", [["Call ID", "Transcript", "System", "Summary"], *texts])
    words = ("Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree")
    names = [f"S{n:02d}_ACC" for n in range(8)]
    answers = [[f"R_{n}", *(words[(n + k) % 5] for k in range(8))] for n in range(4)]
    asked = [["Response ID", *(f"Please read {name}. Is it right?" for name in names)], ["{}"] * 9]
    table(folder / "answers.csv", [["ResponseId", *names], *asked, *answers])
    found = said(read_corpus(folder))
    assert any("the file 'answers' looks like judgements" in text for text in found), found


def test_a_table_of_tabs_is_no_transcript(tmp_path: Path) -> None:
    heads = ["Fall", "Modell", "Satz", "Urteil: AK"]
    rows = [[n, SYSTEMS[n % 2], f"The parcel {n} is late.", ("partly", "supported")[n % 2]] for n in range(12)]
    path = table(tmp_path / "sentences.txt", [heads, *rows], "utf-16", "\t")
    try:
        corpus = read_corpus(path)
    except InputError:
        return
    assert said(corpus) or corpus.ratings.filter(pl.col("value").is_not_null()).height == len(rows)


def test_of_several_tables_in_a_page_none_is_taken_for_the_whole(tmp_path: Path) -> None:
    page = "\n".join(f"## Call {n}\n\n| Rater | alpha |\n|---|:-:|\n| Ana | 4/5 |\n" for n in range(3))
    (tmp_path / "round.md").write_text(page)
    with pytest.raises(InputError, match="3 tables in this page, and one is needed"):
        read_corpus(tmp_path / "round.md")
