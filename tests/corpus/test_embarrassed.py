"""Files that came out wrong in silence when strangers brought them: what was read shows it, however it was read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, read_corpus
from dialgauge.corpus._implausible import implausible
from dialgauge.errors import InputError
from tests.corpus.test_more_files import said
from tests.corpus.test_strangers import CALLS, PEOPLE, RATED, SYSTEMS, TEXTS, body, value
from tests.corpus.written_files import Rows, table

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
    assert bool(implausible(_rated(values))) is copied


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


def _judged(*columns: str, extra: Callable[[int, str, str, str], list[Any]]) -> Rows:
    heads = ["Call ID", "Transcript", "System", "Summary", "Annotator", *columns]
    return [heads, *([d, CALLS[d], s, TEXTS[d, s], p, *extra(n, d, s, p)] for n, (d, s, p) in enumerate(RATED))]


@pytest.mark.parametrize("each", [1, len(PEOPLE)])
def test_numbers_of_tasks_are_no_judgements(tmp_path: Path, each: int) -> None:
    rows = _judged("Fluency", "Rating", extra=lambda n, d, s, p: [value(d, s, p), 31 + n // each])
    found = said(read_corpus(table(tmp_path / "tasks.csv", rows)))
    assert any("which numbers rows and judges nothing" in text for text in found), found


@pytest.mark.parametrize("rounded", [0, 1])
def test_the_mean_of_all_is_nobody(rounded: int) -> None:
    """Whole numbers near the mean may be a person's; what has its places is computed."""
    three = [tuple(float((n * k) % 5 + 1) for k in (1, 2, 3)) for n in range(20)]
    people = [(*given, round(sum(given) / 3, rounded)) for given in three]
    turns = (Turn("A", "Hello there."),)
    dialogues = [Dialogue(f"d{n}", turns) for n in range(len(people))]
    texts = [Summary(one.id, "alpha", one.id) for one in dialogues]
    names = ("ann", "bob", "cy", "MOS")
    given = [
        Rating(f"d{n}", "alpha", name, "overall", row[k])
        for n, row in enumerate(people)
        for k, name in enumerate(names)
    ]
    found = implausible(Corpus.build(dialogues, texts, given))
    assert any("'MOS' are the means of the others'" in text for text in found) is bool(rounded)


def test_one_text_under_many_dialogues(tmp_path: Path) -> None:
    heads = ["Links", "Rechts", "System Links", "System Rechts", "Preferred"]
    sides = [[TEXTS[d, "alpha"], TEXTS[d, "beta"], "alpha", "beta"] for _ in range(4) for d in CALLS]
    rows = [[*row, ("left", "right")[n % 2]] for n, row in enumerate(sides)]
    try:
        corpus = read_corpus(table(tmp_path / "votes.csv", [heads, *rows]))
    except InputError:
        return
    assert any("of which only 8 are different" in text for text in said(corpus)), said(corpus)


def test_a_ranking_beside_texts_is_missed(tmp_path: Path) -> None:
    folder = tmp_path / "ranked"
    for d, s in TEXTS:
        (folder / "summaries" / s).mkdir(parents=True, exist_ok=True)
        (folder / "transcripts").mkdir(exist_ok=True)
        (folder / "summaries" / s / f"{d}.txt").write_text(TEXTS[d, s])
        (folder / "transcripts" / f"{d}.txt").write_text(CALLS[d])
    places = [[d, p, *(SYSTEMS if n % 2 else SYSTEMS[::-1])] for n, d in enumerate(CALLS) for p in PEOPLE]
    table(folder / "ranking.csv", [["interview", "judge", "1st", "2nd"], *places])
    found = said(read_corpus(folder))
    assert any("the file 'ranking' looks like choices" in text for text in found), found


def test_tables_among_transcripts_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    for name in ("answer", "review"):
        table(
            folder / f"{name}.txt",
            [["review_id", "question_id", "val"], *([n, n % 3, n % 7] for n in range(9))],
            separator="|",
        )
    with pytest.raises(InputError, match="a table and no transcript"):
        read_corpus(folder)
