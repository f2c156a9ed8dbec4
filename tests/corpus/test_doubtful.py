"""What was read and may be something else: the names, values and texts of the result show it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, read_corpus
from dialgauge.corpus._implausible import implausible
from dialgauge.errors import InputError
from tests.corpus.test_more_files import said
from tests.corpus.test_strangers import CALLS, PEOPLE, RATED, SYSTEMS, TEXTS, body, lines, value, whole
from tests.corpus.written_files import Rows, table

_HEADS = ["Call ID", "Transcript", "System", "Summary", "Annotator"]


def _doubts(corpus: Corpus, part: str) -> None:
    found = said(corpus)
    assert any(part in text for text in found), found


def test_people_as_keys_of_answers_are_no_dimensions(tmp_path: Path) -> None:
    records = [
        {
            "call_id": d,
            "transcript": CALLS[d],
            "system": s,
            "summary": TEXTS[d, s],
            "labels": {f"helper-{n}": value(d, s, "ann", n) for n in (4, 11)},
        }
        for d, s in TEXTS
    ]
    _doubts(read_corpus(lines(tmp_path / "labels.jsonl", records)), "'helper-11', 'helper-4' may be people")


def test_dimensions_that_cross_two_sets_of_names(tmp_path: Path) -> None:
    names = [f"{slot}_{what}" for slot in ("first", "second") for what in ("useful", "kind")]
    rows = body(lambda d, s, p: [value(d, s, p, n) for n in range(4)])
    read = read_corpus(table(tmp_path / "slots.csv", [[*_HEADS, *names], *rows]))
    _doubts(read, "are combinations of 'first', 'second' with 'kind', 'useful'")


def _turned(asked: str) -> Rows:
    rows = [
        [d, CALLS[d], s, TEXTS[d, s], question, *(value(d, s, p, k) for p in PEOPLE)]
        for d, s in TEXTS
        for k, question in enumerate(("hand-over", "names right"))
    ]
    return [["Call ID", "Transcript", "System", "Summary", asked, "Moira", "Deepak"], *rows]


def test_a_column_of_questions_is_not_one_of_annotators(tmp_path: Path) -> None:
    read = read_corpus(table(tmp_path / "turned.csv", _turned("measure")))
    _doubts(read, "'measure' was taken for the annotators")
    mapping = {"annotator": "measure", "dimension:Moira": "Moira", "dimension:Deepak": "Deepak"}
    assert said(read_corpus(tmp_path / "turned.csv", mapping=mapping)) == []


def test_a_column_that_names_the_writers_is_not_forgotten(tmp_path: Path) -> None:
    heads = ["Transcript", "penned", "Summary", "Annotator", "Coherence"]
    rows = [[CALLS[d], s, TEXTS[d, s], p, value(d, s, p)] for d, s, p in RATED]
    path = table(tmp_path / "penned.csv", [heads, *rows])
    read = read_corpus(path)
    assert said(read) == []
    assert read.systems == list(SYSTEMS)


def test_files_of_people_whom_no_column_names(tmp_path: Path) -> None:
    heads = ["Call ID", "System", "Summary", "dimension", "answer"]
    for n, p in enumerate(PEOPLE):
        rows = [
            [d, s, TEXTS[d, s], what, value(d, s, p, k)] for d, s in TEXTS for k, what in enumerate(("zorp", "blick"))
        ]
        table(tmp_path / "drop" / f"Rater {n + 1}.csv", [heads, *rows])
    _doubts(read_corpus(tmp_path / "drop"), "judge the same dialogues, and nothing says which annotators they are of")


_FACTS: dict[str, Callable[[int, int, int], float]] = {
    "'size' is the same for each system:": lambda d, s, p: s + 1,
    "'size' is the same for each annotator:": lambda d, s, p: p + 1,
    "'size' is the same for each system, whatever the dialogue": lambda d, s, p: s + 2 * p,
    "'size' is the same for each summary, whoever judges it": lambda d, s, p: 3 * d + s,
}


@pytest.mark.parametrize("part", _FACTS)
def test_facts_beside_judgements_are_none(part: str) -> None:
    ids = [(d, s, p) for d in range(12) for s in range(2) for p in range(3)]
    dialogues = [Dialogue(f"d{n}", (Turn("A", f"Hello {n}."),)) for n in range(12)]
    texts = [Summary(one.id, s, f"{one.id} {s}") for one in dialogues for s in SYSTEMS]
    given = {"size": _FACTS[part], "care": lambda d, s, p: (d * 2 + s + p * d) % 5 + 1}
    rated = [
        Rating(f"d{d}", SYSTEMS[s], f"p{p}", name, float(judge(d, s, p)))
        for d, s, p in ids
        for name, judge in given.items()
    ]
    corpus = Corpus.build(dialogues, texts, rated)
    found = implausible(corpus)
    assert any(part in text for text in found), found
    assert implausible(corpus, said={"size"}) == []


def test_systems_with_the_same_texts_are_people(tmp_path: Path) -> None:
    rows = [[d, CALLS[d], f"{d} is late.", p, value(d, "alpha", p)] for d in CALLS for p in PEOPLE]
    read = read_corpus(table(tmp_path / "tool.csv", [["Call ID", "Transcript", "Summary", "Tool", "Coherence"], *rows]))
    _doubts(read, "have the same summaries word for word")


def test_one_dialogue_under_many_ids(tmp_path: Path) -> None:
    rows = [[f"T{n}", CALLS[d], s, TEXTS[d, s], "ann", n % 5 + 1] for n, (d, s) in enumerate(TEXTS)]
    read = read_corpus(table(tmp_path / "tasks.csv", [[*_HEADS, "Coherence"], *rows]))
    _doubts(read, "8 dialogues, of which only 4 are different")


def test_a_hidden_sheet_is_not_read_and_named(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "raters.xlsx"
    book = xlsxwriter.Workbook(str(path))
    for p in (*PEOPLE, "trial"):
        sheet = book.add_worksheet(p)
        heads = ["Call ID", "System", "Summary", "Coherence"]
        for number, row in enumerate([heads, *([d, s, TEXTS[d, s], value(d, s, p)] for d, s in TEXTS)]):
            sheet.write_row(number, 0, row)
        if p == "trial":
            sheet.hide()
    book.close()
    _doubts(read_corpus(path), "the hidden sheet 'trial' looks like judgements")
    read = read_corpus(path, mapping={"ignore": "trial"})
    assert said(read) == []
    assert sorted(read.ratings["annotator"].unique()) == sorted(PEOPLE)


def _marked(named: tuple[str, str], quoted: str) -> list[dict[str, Any]]:
    found = []
    for n, (d, s) in enumerate(TEXTS):
        text = TEXTS[d, s]
        places = [(n, n + 4), (text.rindex("late"), text.rindex("late") + 4)]
        errors = [{named[0]: a, named[1]: b, "type": "wrong", quoted: text[a:b]} for a, b in places]
        found.append({"call_id": d, "system": s, "annotator": "ann", "summary": text, "errors": errors})
    return found


def test_offsets_are_known_by_the_words_between_them(tmp_path: Path) -> None:
    read = read_corpus(lines(tmp_path / "errors.jsonl", _marked(("von", "bis"), "quote")))
    assert said(read) == []
    assert read.spans.height == 2 * len(TEXTS)
    starts = [n for k in range(len(TEXTS)) for n in (k, list(TEXTS.values())[k].rindex("late"))]
    assert sorted(read.spans["start"]) == sorted(starts)


def test_marks_of_whole_summaries_mark_nothing(tmp_path: Path) -> None:
    records = [
        {"call_id": d, "system": s, "annotator": "ann", "summary": text, "errors": [{"type": "wrong"}, {"type": "odd"}]}
        for (d, s), text in TEXTS.items()
    ]
    _doubts(read_corpus(lines(tmp_path / "errors.jsonl", records)), "16 of 16 marked places are whole summaries")


def test_tags_around_all_sentences_are_no_marks(tmp_path: Path) -> None:
    rows = [[d, s, f"<t> {TEXTS[d, s]} </t> <t> It is late. </t>", p, value(d, s, p)] for d, s, p in RATED]
    heads = ["Call ID", "System", "Summary", "Annotator", "Coherence"]
    read = read_corpus(table(tmp_path / "tagged.csv", [heads, *rows]))
    assert read.spans.is_empty()
    assert read.ratings.height == len(RATED)
    assert not read.summaries["text"].str.contains("<t>").any()


def test_votes_are_no_texts(tmp_path: Path) -> None:
    records = [
        {
            "call_id": d,
            "transcript": CALLS[d],
            **{f"{s}_summary": TEXTS[d, s] for s in SYSTEMS},
            "best_summary": ["alpha", "beta", "alpha"],
        }
        for d in CALLS
    ]
    _doubts(read_corpus(lines(tmp_path / "votes.jsonl", records)), "the summaries of 'best' are names of systems")


def test_scores_with_many_places_are_computed(tmp_path: Path) -> None:
    rows = body(lambda d, s, p: [value(d, s, p), 1 / (7 + 13 * value(d, s, p, 2) + len(d + s + p) * int(d[-1]))])
    path = table(tmp_path / "scores.csv", [[*_HEADS, "Coherence", "Sim"], *rows])
    _doubts(read_corpus(path), "'Sim' has values such as")
    assert said(read_corpus(path, mapping={"dimension:sim": "Sim", "dimension:coherence": "Coherence"})) == []


def test_means_of_a_few_people_are_not_computed(tmp_path: Path) -> None:
    rows = body(lambda d, s, p: [round(sum(value(d, s, p, n) for n in range(3)) / 3, 3)])
    assert said(read_corpus(table(tmp_path / "means.csv", [[*_HEADS, "Zorp"], *rows]))) == []


def test_people_who_are_listed_once(tmp_path: Path) -> None:
    records = [
        {
            "context": CALLS[d],
            "annotators": list(PEOPLE),
            "responses": [
                {"model": s, "response": TEXTS[d, s], "Natural": [value(d, s, p) for p in PEOPLE]} for s in SYSTEMS
            ],
        }
        for d in CALLS
    ]
    read = read_corpus(whole(tmp_path / "listed.json", records))
    assert said(read) == []
    got = {(s, p, v) for s, p, v in read.ratings.select("system", "annotator", "value").iter_rows()}
    assert got == {(s, p, float(value(d, s, p))) for d, s, p in RATED}


def test_names_of_people_that_arrive_nowhere(tmp_path: Path) -> None:
    records = [
        {
            "context": CALLS[d],
            "raters": list(PEOPLE),
            "outputs": {s: {"text": TEXTS[d, s], "coherence": [value(d, s, p) for p in PEOPLE]} for s in SYSTEMS},
        }
        for d in CALLS
    ]
    try:
        read = read_corpus(whole(tmp_path / "named.json", records))
    except InputError:
        return
    assert said(read) or set(read.ratings["annotator"]) == set(PEOPLE)


def test_what_is_said_of_people_names_none(tmp_path: Path) -> None:
    heads = ["gem_id", "worker_lang", "summary", "model", "question1", "question2"]
    rows = [
        [d, ("en", "de")[int(d[-1]) % 2], TEXTS[d, s], s, *(("Yes", "No")[value(d, s, "ann", n) % 2] for n in (0, 1))]
        for d, s in TEXTS
    ]
    read = read_corpus(table(tmp_path / "lang.csv", [heads, *rows]))
    assert said(read) == []
    assert read.ratings.height == 2 * len(TEXTS)
    assert read.ratings["annotator"].n_unique() == 1


def test_one_judgement_that_is_not_read_is_missed(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {
            "call_id": d,
            "versions": [
                {
                    "model": s,
                    "summary": TEXTS[d, s],
                    "ratings": {
                        p: {n: value(d, s, p, k) for k, n in enumerate(("hand-over", "names"))} for p in ("AK", "JR")
                    },
                }
                for s in SYSTEMS
            ],
        }
        for d in CALLS
    ]
    del records[0]["versions"][0]["ratings"]["AK"]["names"]
    try:
        read = read_corpus(lines(tmp_path / "one.jsonl", records))
    except InputError:
        return
    stored = read.ratings.filter(pl.col("value").is_not_null()).height
    assert said(read) or stored == 4 * len(TEXTS) - 1


def test_a_record_of_unknown_shape_is_an_error_with_its_number(tmp_path: Path) -> None:
    asked = {"people": [{"user": p, "summaries": {s: [{"id": 1}] for s in SYSTEMS}} for p in PEOPLE]}
    content = dict.fromkeys(("coherence", "fluency"), asked["people"])
    with pytest.raises(InputError, match="record 1"):
        read_corpus(whole(tmp_path / "shape.json", content))


@pytest.mark.parametrize("name", ["points", "mark", "Bewertungszahl"])
def test_the_only_answers_beside_their_questions_are_values(tmp_path: Path, name: str) -> None:
    heads = ["Call ID", "Transcript", "System", "Summary", "Annotator", "Criterion", name]
    rows = [
        [d, CALLS[d], s, TEXTS[d, s], p, what, value(d, s, p, k)]
        for d, s, p in RATED
        for k, what in enumerate(("hand-over", "names right"))
    ]
    read = read_corpus(table(tmp_path / "long.csv", [heads, *rows]))
    assert said(read) == []
    assert read.dimensions == ["hand-over", "names right"]
    assert read.ratings.height == 2 * len(RATED)


def test_several_columns_of_answers_beside_their_questions_are_not_forgotten(tmp_path: Path) -> None:
    rows = [
        [d, CALLS[d], s, TEXTS[d, s], p, what, value(d, s, p, k), value(d, s, p, k + 1)]
        for d, s, p in RATED
        for k, what in enumerate(("hand-over", "names right"))
    ]
    heads = ["Call ID", "Transcript", "System", "Summary", "Annotator", "Criterion", "points", "marks"]
    _doubts(read_corpus(table(tmp_path / "both.csv", [heads, *rows])), "cells of 'points', 'marks' are filled")


def test_annotators_that_are_called_like_questions(tmp_path: Path) -> None:
    heads = ["call", "engine", *(f"{p} - C{n}" for p in PEOPLE for n in (1, 2))]
    rows = [[d, s, *(value(d, s, p, n) for p in PEOPLE for n in (1, 2))] for d, s in TEXTS]
    found = read_corpus(table(tmp_path / "crossed.csv", [heads, *rows]))
    assert said(found) or set(found.ratings["annotator"]) == set(PEOPLE)


def test_summaries_that_are_a_few_names(tmp_path: Path) -> None:
    rows = [[d, s, p, value(d, s, p)] for d, s, p in RATED]
    path = table(tmp_path / "candidate.csv", [["thread", "candidate", "Annotator", "Coherence"], *rows])
    found = read_corpus(path)
    assert any("the summaries are a few names" in text for text in said(found)) or found.systems == list(SYSTEMS)
    assert read_corpus(path, mapping={"system": "candidate"}).systems == list(SYSTEMS)


def test_a_table_whose_name_says_nothing_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("Agent: Hello.\nAna: My card is gone.\n")
    rows = "".join(f"c{n}\tbart\tann\t{n % 5 + 1}\n" for n in range(9))
    (tmp_path / "verdicts.out").write_text("call_id\tsystem\tcoder\tmark\n" + rows)
    _doubts(read_corpus(tmp_path), "the file 'verdicts.out' is a table and was not read")
    assert said(read_corpus(tmp_path, mapping={"ignore": "verdicts.out"})) == []


def test_a_table_in_two_formats_is_not_read_as_that_of_two_people(tmp_path: Path) -> None:
    rows = body(lambda d, s, p: [value(d, s, p, 0)])
    heads = [*_HEADS, "clear"]
    table(tmp_path / "study.csv", [heads, *rows])
    lines(tmp_path / "study.jsonl", [dict(zip(heads, row, strict=True)) for row in rows])
    with pytest.raises(InputError, match="look like one table in two formats"):
        read_corpus(tmp_path)


def test_tables_called_tab_are_tables(tmp_path: Path) -> None:
    rows = body(lambda d, s, p: [value(d, s, p, 0)])
    cells = [[str(cell).replace("\n", " | ") for cell in row] for row in [[*_HEADS, "clear"], *rows]]
    (tmp_path / "study.tab").write_text("".join("\t".join(row) + "\n" for row in cells))
    read = read_corpus(tmp_path / "study.tab")
    assert read.ratings.height == len(rows)
