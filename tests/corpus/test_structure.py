"""Files whose headings say little: roles by what depends on what, parts joined by their ids, keys of blind names."""

import csv
import json
from pathlib import Path

import pytest

from dialgauge.corpus import Corpus, inspect_file, read_corpus
from dialgauge.errors import InputError

PEOPLE = ("Ada", "Bo")
SYSTEMS = ("kestrel", "merlin", "harrier")
CALLS = {
    f"k-{n}": f"Agent: Hello, this is desk {n}.\nCustomer: My {thing} is late.\nAgent: I will look into the {thing}."
    for n, thing in enumerate(("parcel", "ticket", "refund", "bike"), start=41)
}


def text(call: str, system: str) -> str:
    return f"In call {call} the customer says that something is late, as {system} has it."


def points(*given: object) -> int:
    return sum(map(ord, "".join(map(str, given)))) * 7 % 5 + 1


def write(path: Path, head: list[str], rows: list[list[object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def refusals(corpus: Corpus) -> list[str]:
    return [said for one in corpus.accounts for said in one.too_much()]


def judged(corpus: Corpus) -> dict[tuple[str, str, str, str], float]:
    columns = ("dialogue_id", "system", "annotator", "dimension", "value")
    return {(d, s, a, m): value for d, s, a, m, value in corpus.ratings.select(columns).iter_rows()}


def expected(
    dimensions: tuple[str, ...], calls: dict[str, str] | None = None
) -> dict[tuple[str, str, str, str], float]:
    named = calls or {call: call for call in CALLS}
    return {(named[c], s, a, m): points(c, s, a, m) for c in CALLS for s in SYSTEMS for a in PEOPLE for m in dimensions}


def per_person(folder: Path, dimensions: tuple[str, ...]) -> Path:
    items = {(c, s): f"T{n}" for n, (c, s) in enumerate(((c, s) for c in CALLS for s in SYSTEMS), start=60)}
    write(folder / "talks.csv", ["talk", "said"], [[c, said] for c, said in CALLS.items()])
    write(
        folder / "texts.csv",
        ["entry_code", "talk", "origin", "body"],
        [[i, c, s, text(c, s)] for (c, s), i in items.items()],
    )
    for a in PEOPLE:
        rows = [[i, *(points(c, s, a, m) for m in dimensions)] for (c, s), i in items.items()]
        write(folder / f"{a}.csv", ["entry_code", *dimensions], rows)
    return folder


def test_a_file_per_person_with_the_texts_in_others(tmp_path: Path) -> None:
    corpus = read_corpus(per_person(tmp_path / "study", ("clear", "usable")))
    assert judged(corpus) == expected(("clear", "usable"))
    assert refusals(corpus) == []
    assert set(corpus.summaries["text"]) == {text(c, s) for c in CALLS for s in SYSTEMS}
    assert corpus.dialogue("k-41").turns[1].text == "My parcel is late."


def test_what_inspect_says_is_what_is_read(tmp_path: Path) -> None:
    found = inspect_file(per_person(tmp_path / "study", ("clear", "usable")))
    assert (found.found["summaries"], found.found["ratings"]) == (12, 48)
    assert any("read by what the columns hold" in note for note in found.notes)


def test_a_judgement_that_nothing_reads_is_not_lost_with_the_rest(tmp_path: Path) -> None:
    folder = per_person(tmp_path / "study", ("clear", "usable"))
    write(folder / "earlier.csv", ["batch", "clear", "usable"], [[f"b{n}", n % 5 + 1, n % 3 + 1] for n in range(20)])
    assert any("earlier" in said for said in refusals(read_corpus(folder)))


def test_a_key_of_blind_letters_tells_the_systems(tmp_path: Path) -> None:
    orders = {c: SYSTEMS[n % 3 :] + SYSTEMS[: n % 3] for n, c in enumerate(CALLS)}
    head = ["talk", "slot", "body", "clear", "usable"]
    for a in PEOPLE:
        rows = [
            [c, "PQR"[n], text(c, s), points(c, s, a, "clear"), points(c, s, a, "usable")]
            for c, order in orders.items()
            for n, s in enumerate(order)
        ]
        write(tmp_path / "study" / f"{a}.csv", head, rows)
    write(tmp_path / "study" / "talks.csv", ["talk", "said"], [[c, said] for c, said in CALLS.items()])
    write(tmp_path / "study" / "hidden.csv", ["talk", *"PQR"], [[c, *order] for c, order in orders.items()])
    corpus = read_corpus(tmp_path / "study")
    assert judged(corpus) == expected(("clear", "usable"))
    assert refusals(corpus) == []


def tables(folder: Path) -> Path:
    """A database as tables: numbers are ids, turns have rows, and questions are a table too."""
    calls, systems, people = list(CALLS), list(SYSTEMS), list(PEOPLE)
    summaries = [(c, s) for c in calls for s in systems]
    questions = ["clear", "usable"]
    write(folder / "talk.csv", ["id", "code"], [[n, c] for n, c in enumerate(calls, 1)])
    turns = [
        (n, k, *line.split(": ", 1)) for n, c in enumerate(calls, 1) for k, line in enumerate(CALLS[c].split("\n"), 1)
    ]
    write(
        folder / "turn.csv",
        ["id", "talk_id", "seq", "voice", "said"],
        [[n, *turn] for n, turn in enumerate(turns, 300)],
    )
    write(folder / "engine.csv", ["id", "label"], [[n, s] for n, s in enumerate(systems, 1)])
    write(folder / "person.csv", ["id", "nick"], [[n, a] for n, a in enumerate(people, 1)])
    write(folder / "question.csv", ["id", "word"], [[n, m] for n, m in enumerate(questions, 1)])
    written = [[n, calls.index(c) + 1, systems.index(s) + 1, text(c, s)] for n, (c, s) in enumerate(summaries, 1)]
    write(folder / "summary.csv", ["id", "talk_id", "engine_id", "body"], written)
    marks = [
        [n, k, people.index(a) + 1, questions.index(m) + 1, points(c, s, a, m)]
        for n, (k, (c, s), a, m) in enumerate(
            ((k, pair, a, m) for k, pair in enumerate(summaries, 1) for a in people for m in questions), start=900
        )
    ]
    write(folder / "mark.csv", ["id", "summary_id", "person_id", "question_id", "points"], marks)
    return folder


def test_tables_of_a_database_are_joined_by_their_numbers(tmp_path: Path) -> None:
    corpus = read_corpus(tables(tmp_path / "dump"))
    assert judged(corpus) == expected(("clear", "usable"))
    assert refusals(corpus) == []
    assert len(corpus.dialogue("k-41").turns) == 3


def long_table(path: Path, heads: list[str]) -> Path:
    rows = [
        [c, s, a, m, points(c, s, a, m)] for c in CALLS for s in SYSTEMS for a in PEOPLE for m in ("clear", "usable")
    ]
    return write(path, heads, rows)


def test_two_answers_that_both_fit_are_a_question(tmp_path: Path) -> None:
    path = long_table(tmp_path / "a.csv", ["job", "origin", "who", "asked", "mark"])
    with pytest.raises(InputError, match=r"may be the column of the \w+: say which is \(--map"):
        read_corpus(path)
    said = {"dialogue_id": "job", "system": "origin", "annotator": "who", "dimension": "asked"}
    corpus = read_corpus(path, mapping=said)
    assert judged(corpus) == expected(("clear", "usable"))
    assert refusals(corpus) == []


def test_people_as_columns_do_not_become_dimensions(tmp_path: Path) -> None:
    rows = [[c, s, said, text(c, s), *(points(c, s, a) for a in PEOPLE)] for c, said in CALLS.items() for s in SYSTEMS]
    path = write(tmp_path / "a.csv", ["talk", "origin", "said", "body", "Dr. Ada", "Sr. Bo"], rows)
    try:
        corpus = read_corpus(path)
    except InputError:
        return
    assert refusals(corpus) or set(corpus.ratings["annotator"]) == {"Dr. Ada", "Sr. Bo"}


def test_objects_whose_keys_nobody_knows(tmp_path: Path) -> None:
    records = [
        {
            "talk": {"id": c, "text": said},
            "shown": {"origin": s, "text": text(c, s)},
            "v": [{"by": a, "ok": points(c, s, a, "ok") > 2} for a in PEOPLE],
        }
        for c, said in CALLS.items()
        for s in SYSTEMS
    ]
    (path := tmp_path / "a.json").write_text(json.dumps(records), encoding="utf-8")
    corpus = read_corpus(path)
    assert judged(corpus) == {key: float(given > 2) for key, given in expected(("ok",)).items()}
    assert refusals(corpus) == []
