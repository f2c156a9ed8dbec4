"""Nothing that distinguishes judgements is lost in silence: people, parts of ids, sheets, tables beside each other."""

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from dialgauge.corpus import Corpus, read_corpus
from tests.corpus.written_files import Rows, table, workbook

SYSTEMS, PEOPLE = ("alpha", "beta", "gamma"), ("Mia", "Tom", "Jo")
CALLS = {
    f"C-{n}": f"Agent: Hello, this is desk {n}.\nCustomer: order {n}17 never came.\nAgent: I send it." for n in range(6)
}
TEXTS = {(d, s): f"The customer of {d} misses an order and gets a new one, says {s}." for d in CALLS for s in SYSTEMS}
HEAD = ["Call", "Transcript", "Model", "Summary"]


def points(start: int = 0) -> Callable[[], int]:
    values = cycle([1, 4, 2, 5, 3, 3, 1, 5, 2, 4, 4][start:])
    return lambda: next(values)


def said(corpus: Corpus) -> str:
    return " ".join(text for account in corpus.accounts for text in (*account.too_much(), account.unread))


def people(corpus: Corpus) -> set[str]:
    assert said(corpus) == ""
    return set(corpus.ratings["annotator"])


def summaries() -> Rows:
    return [[d, CALLS[d], s, TEXTS[d, s]] for d, s in TEXTS]


def test_names_of_people_that_are_not_known_as_such(tmp_path: Path) -> None:
    draw, who = points(), cycle((*PEOPLE, "Jo"))
    path = table(tmp_path / "a.csv", [[*HEAD, "QX", "Fluency"], *([*row, next(who), draw()] for row in summaries())])
    assert "--map annotator=QX" in said(read_corpus(path))
    assert people(read_corpus(path, mapping={"annotator": "QX"})) == set(PEOPLE)
    assert people(read_corpus(path, mapping={"ignore": "QX"})) == {"1"}


def test_rows_that_another_column_distinguishes_are_no_copies(tmp_path: Path) -> None:
    rows = [[*row, who, number, 4] for row in summaries() for who in PEOPLE for number in (1, 2)]
    path = table(tmp_path / "a.csv", [[*HEAD, "Rater", "Round", "Fluency"], *rows])
    assert "'Round' distinguishes them" in said(read_corpus(path))
    whole = read_corpus(path, mapping={"ignore": "Round"})
    assert (said(whole), whole.ratings.height) == ("", 54)


@pytest.mark.parametrize("texts", [True, False])
def test_ids_that_start_again_for_each_site(tmp_path: Path, texts: bool) -> None:
    draw = points()
    rows = [
        [site, d[-1], *([f"{CALLS[d]} {site}."] * texts), s, f"{TEXTS[d, s]} {site}", who, draw()]
        for site in ("Oslo", "Bergen")
        for d, s in TEXTS
        for who in PEOPLE
    ]
    heads = ["Site", "Call no", *(["Transcript"] * texts), "Model", "Summary", "Rater", "Accuracy"]
    corpus = read_corpus(table(tmp_path / "a.csv", [heads, *rows]))
    assert people(corpus) == set(PEOPLE)
    assert (corpus.summaries.height, corpus.ratings.height) == (36, 108)
    assert "Oslo/0" in set(corpus.dialogues["dialogue_id"])


def test_a_status_in_words_of_praise_and_blame_is_a_judgement(tmp_path: Path) -> None:
    draw, words = points(), cycle(["approve", "reject", "reject", "approve"])
    rows = [[*row, who, next(words), draw()] for row in summaries() for who in PEOPLE]
    path = table(tmp_path / "a.csv", [[*HEAD, "Rater", "Status", "Fluency"], *rows])
    assert "'Status' looks like judgements" in said(read_corpus(path))


def test_sheets_and_tables_that_are_not_read_are_known_by_their_values(tmp_path: Path) -> None:
    draw = points()
    scores: Rows = [["Nr", *PEOPLE], *([n, draw(), draw(), draw()] for n in range(18))]
    texts: Rows = [HEAD, *summaries()]
    lists: Rows = [["Scale", "Meaning"], [1, "bad"], [2, "fair"], [3, "good"]]
    path = workbook(tmp_path / "a.xlsx", {"Texts": texts, "Scores": scores, "Lists": lists})
    assert "the sheet 'Scores' looks like judgements" in said(read_corpus(path))
    assert "Lists" not in said(read_corpus(path))
    assert said(read_corpus(path, mapping={"ignore": "Scores"})) == ""


def test_people_who_shared_the_work(tmp_path: Path) -> None:
    draw = points()
    parts: dict[str, Rows] = {
        who: [[*row, draw()] for row in summaries()[6 * n : 6 * n + 6]] for n, who in enumerate(PEOPLE)
    }
    heads = [*HEAD, "Accuracy"]
    sheets = workbook(tmp_path / "a.xlsx", {who: [heads, *rows] for who, rows in parts.items()})
    assert people(read_corpus(sheets)) == set(PEOPLE)
    weeks = workbook(tmp_path / "b.xlsx", {f"Week {n}": [heads, *rows] for n, rows in enumerate(parts.values())})
    assert people(read_corpus(weeks)) == {"1"}
    for who, rows in parts.items():
        table(tmp_path / "tables" / f"scores_{who}.csv", [heads, *rows])
        records = [dict(zip(heads, row, strict=True)) for row in rows]
        (tmp_path / "records").mkdir(exist_ok=True)
        (tmp_path / "records" / f"{who}.json").write_text(json.dumps(records), encoding="utf-8")
    assert people(read_corpus(tmp_path / "tables")) == set(PEOPLE)
    assert people(read_corpus(tmp_path / "records")) == set(PEOPLE)


def test_tables_beside_each_other(tmp_path: Path) -> None:
    draw = points()
    heads = [*HEAD, "Rater", "Fluency"]
    rows = [[*row, "Mia", draw(), None, *row, "Tom", draw()] for row in summaries()]
    corpus = read_corpus(workbook(tmp_path / "a.xlsx", {"S": [[*heads, None, *heads], *rows]}))
    assert people(corpus) == {"Mia", "Tom"}
    assert (corpus.ratings.height, corpus.dimensions) == (36, ["fluency"])


def test_several_answers_in_one_cell(tmp_path: Path) -> None:
    draw = points()
    rows = [[*row, who, f"Coherence: {draw()}; Fluency: {draw()}"] for row in summaries() for who in PEOPLE]
    corpus = read_corpus(table(tmp_path / "a.csv", [[*HEAD, "Rater", "Scores"], *rows]))
    assert people(corpus) == set(PEOPLE)
    assert (corpus.ratings.height, sorted(map(str.lower, corpus.dimensions))) == (108, ["coherence", "fluency"])


def test_numbers_of_sentences_are_no_judgements(tmp_path: Path) -> None:
    words = cycle(["supported", "not supported", "supported", "supported", "not supported"])
    rows = [
        [d, CALLS[d], s, n, f"Part {n}: {TEXTS[d, s]}", who, next(words)]
        for d, s in TEXTS
        for n in (1, 2)
        for who in PEOPLE
    ]
    heads = ["Call", "Transcript", "Model", "Sent #", "Sentence", "Rater", "Verdict"]
    corpus = read_corpus(table(tmp_path / "a.csv", [heads, *rows]))
    assert people(corpus) == set(PEOPLE)
    assert (corpus.summaries.height, corpus.ratings.height, corpus.dimensions) == (18, 108, ["verdict"])


def test_who_judged_is_decided_over_all_lists_of_a_file(tmp_path: Path) -> None:
    """By chance, the words of a list are all different too; and a list may have one entry only."""
    draw, words = points(), cycle(["ship it", "tweak", "bin it", "tweak"])
    records = [
        {
            "call": d,
            "transcript": CALLS[d],
            "model": s,
            "summary": TEXTS[d, s],
            "reviews": [{"by": who, "clarity": draw(), "feel": next(words)} for who in PEOPLE[: 1 + number % 3]],
        }
        for number, (d, s) in enumerate(TEXTS)
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    corpus = read_corpus(path)
    assert people(corpus) == set(PEOPLE)
    assert corpus.ratings["value"].drop_nulls().len() == 2 * 36


def test_keys_of_nested_judgements_arrive(tmp_path: Path) -> None:
    draw = points()
    records = [
        {
            "call": d,
            "transcript": CALLS[d],
            "model": s,
            "summary": TEXTS[d, s],
            "x": {w: {"q": {"v": draw()}} for w in PEOPLE},
        }
        for d, s in TEXTS
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    corpus = read_corpus(path)
    assert said(corpus) or set(corpus.ratings["annotator"]) == set(PEOPLE)
