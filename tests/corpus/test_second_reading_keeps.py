"""A reading by structure loses nothing that the first has, does not stop on decoded keys, and has an end."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import _assemble, _judged_apart, _reading, read_corpus
from dialgauge.corpus._dropped import dropped_fields
from dialgauge.corpus._formats import format_to_read
from dialgauge.corpus._settings import ReadingSettings
from dialgauge.corpus._table import Sheet, Table
from dialgauge.corpus._understand import plan_of
from dialgauge.corpus.structure import _parts, _roles, read_by_structure
from dialgauge.corpus.structure._joins import profiled

SAID = "Ann: Hello there my friend.\nBob: Hi, how are you today?"
LONG = " They talked for quite some time about the bill, the address and the payment, and agreed in the end."


def loaded(path: Path) -> Table:
    load = format_to_read(path, None)[0].load
    assert load is not None
    return load(path)


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")
    return path


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def short(path: Path) -> Path:
    """Judgements beside short summaries, one of which has no system."""
    records: list[dict[str, Any]] = [
        {
            "dialogue_id": f"d{n}",
            "dialogue": SAID + str(n),
            "summaries": [{"system": one, "text": f"They greet each {n} {one}"} for one in ("m1", "m2")],
            "ratings": [
                {"annotator": who, "system": one, "fluency": 3 + (n + k) % 3}
                for k, one in enumerate(("m1", "m2"))
                for who in "xy"
            ],
        }
        for n in range(4)
    ]
    records[2]["summaries"] = ["just a text", {"system": "m2", "text": "x y z"}]
    return lines(path, records)


def nested(path: Path, who: str, people: tuple[str, ...]) -> Path:
    records = [
        {
            "call": f"c{n}",
            "said": SAID + str(n) + LONG,
            "ratings": [
                {"sys": one, who: name, "fluency": 1 + (n + k + j) % 5, "wrote": f"They {n} {one}." + LONG}
                for k, one in enumerate(("m1", "m2"))
                for j, name in enumerate(people)
            ],
        }
        for n in range(6)
    ]
    return lines(path, records)


def blind(folder: Path) -> Path:
    """Judgements name texts by call and letter, and so do the texts; a key says who has which letter."""
    systems = ("m1", "m2", "m3")
    table(
        folder / "key.csv",
        [{"call": f"c{n}", **{"ABC"[k]: systems[(n + k) % 3] for k in range(3)}} for n in range(6)],
    )
    pairs = [(n, letter) for n in range(6) for letter in "ABC"]
    table(
        folder / "texts.csv",
        [
            {"call": f"c{n}", "letter": one, "words": f"Text {n} {one}." + LONG, "extra": f"e{n}{one}"}
            for n, one in pairs
        ],
    )
    judged = [
        {"call": f"c{n}", "letter": one, "rater": who, "fluency": 1 + (n + ord(one) + k) % 5}
        for n, one in pairs
        for k, who in enumerate(("ann", "bob"))
    ]
    table(folder / "ratings.csv", judged)
    return folder


def test_a_reading_with_fewer_texts_does_not_count(tmp_path: Path) -> None:
    corpus = read_corpus(short(tmp_path / "short.jsonl"))
    assert set(corpus.summaries["text"]) > {"They greet each 0 m1", "They greet each 3 m2"}
    assert any(one.too_much() for one in corpus.accounts)


def test_texts_that_nothing_names_are_told(tmp_path: Path) -> None:
    made = read_by_structure(loaded(short(tmp_path / "short.jsonl")), {})
    assert made is not None
    assert list(made.unread) == ["summaries"]


def test_one_person_keeps_the_name(tmp_path: Path) -> None:
    made = read_by_structure(loaded(nested(tmp_path / "calls.jsonl", "rater", ("ann",))), {})
    assert made is not None
    assert set(made.frame["annotator"]) == {"ann"}


def test_letters_are_decoded_through_the_texts(tmp_path: Path) -> None:
    made = read_by_structure(loaded(blind(tmp_path / "blind")), {})
    assert made is not None
    row = made.frame.filter(dialogue_id="c1", annotator="ann").sort("system")
    assert row["system"].to_list() == ["m1", "m2", "m3"]
    assert [text[:8] for text in row["summary"]] == ["Text 1 C", "Text 1 A", "Text 1 B"]


def test_what_was_read_outlives_a_second_reading_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise pl.exceptions.ColumnNotFoundError("letter")

    monkeypatch.setattr(_reading, "read_by_structure", fail)
    assert read_corpus(short(tmp_path / "short.jsonl")).ratings.height == 12
    unread = table(tmp_path / "none.csv", [{"zz": f"c{n}", "vv": f"m{n % 2}", "kk": n} for n in range(6)])
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        read_corpus(unread)


def test_nested_cells_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = nested(tmp_path / "calls.jsonl", "rater", ("ann", "bob"))
    assert read_by_structure(loaded(path), {}) is not None
    monkeypatch.setattr(_parts, "MOST_CELLS", 50)
    assert read_by_structure(loaded(path), {}) is None


def test_too_many_ways_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(1)
    names = {f"zq{k}x": [f"v{drawn.choice('abcdefghi')}w" for _ in range(300)] for k in range(10)}
    frame = pl.DataFrame({**names, "pts": [str(drawn.randint(1, 5)) for _ in range(300)]})
    tried: list[object] = []
    monkeypatch.setattr(_roles, "_checked", lambda *given: tried.append(given))
    assert _roles.solutions(profiled(Sheet("s", frame, lambda row: ("f", row))), {}) == []
    assert not tried


def test_a_file_may_have_the_name_of_its_list(tmp_path: Path) -> None:
    made = [
        read_by_structure(loaded(nested(tmp_path / f"{stem}.jsonl", "rater", ("ann", "bob"))), {})
        for stem in ("ratings", "other")
    ]
    assert made[0] is not None
    assert made[1] is not None
    assert made[0].frame.equals(made[1].frame)


def test_parts_of_one_name_are_told_apart() -> None:
    sheets = tuple(Sheet("a", pl.DataFrame({"x": [n]}), lambda row: ("f", row)) for n in ("1", "2"))
    apart = _parts.told_apart(Table(pl.DataFrame(), lambda row: ("f", row), parts=sheets))
    assert [part.name for part in apart.parts] == ["a", "a_"]


def test_texts_of_several_files_are_in_the_order_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(name: str, records: list[dict[str, Any]]) -> Table:
        return Table(pl.DataFrame(), lambda row: (name, row), records=tuple(enumerate(records)))

    seen: list[list[str]] = []
    monkeypatch.setattr(_judged_apart, "_key_of", lambda _, __, texts: seen.append([one["summary"] for one in texts]))
    told = {Path(f"t{n}.json"): of(f"t{n}.json", [{"key": str(n), "summary": f"They talk {n}."}]) for n in range(8)}
    judged = [{"dialogue_id": str(n), "fluency": 4 - n} for n in range(3)]
    assert _judged_apart.judged_apart({**told, Path("j.json"): of("j.json", judged)}) is not None
    assert seen == [[f"They talk {n}." for n in range(8)]]


def answered(**more: Any) -> list[dict[str, Any]]:
    """Judgements of two people under known names, each row with something more."""
    return [
        {
            "id": f"d{n}",
            "dialogue": SAID + str(n),
            "model": one,
            "summary": f"They {n} {one}." + LONG,
            "rater": who,
            "puan": 1 + (n + k + j) % 4,
            **more,
        }
        for n in range(5)
        for k, one in enumerate(("m1", "m2"))
        for j, who in enumerate(("ann", "bob"))
    ]


def told(source: object, mapping: dict[str, str] | None = None) -> str:
    return "; ".join(text for one in read_corpus(source, mapping=mapping).accounts for text in one.too_much())


@pytest.mark.parametrize("answer", ["Yes", 3, True, "good"])
def test_a_question_of_the_first_reading_is_not_dropped(tmp_path: Path, answer: object) -> None:
    rows = answered(zorp=answer)
    sources = [rows, lines(tmp_path / "rows.jsonl", rows), table(tmp_path / "rows.csv", rows)]
    for source in sources:
        assert "'zorp' looks like judgements (20 cells" in told(source)
        assert told(source, {"ignore": "zorp"}) == ""


def test_one_answer_of_everybody_is_asked_about_whatever_people_are_called(tmp_path: Path) -> None:
    names = {"id": "job", "dialogue": "verlauf", "model": "origin", "summary": "said", "rater": "who"}
    rows = [{names.get(key, key): value for key, value in row.items()} for row in answered(zorp="Yes")]
    for source in (rows, lines(tmp_path / "rows.jsonl", rows), table(tmp_path / "rows.csv", rows)):
        assert "'zorp' looks like judgements (20 cells" in told(source)
        assert told(source, {"ignore": "zorp"}) == ""


def test_two_columns_of_people_in_a_file_are_asked_about(tmp_path: Path) -> None:
    rows = answered()
    for row in rows:
        row["zorp"] = row.pop("rater")
        row["qx"] = {"ann": "north", "bob": "south"}[row["zorp"]]
    for source in (rows, lines(tmp_path / "rows.jsonl", rows)):
        assert "'zorp' or 'qx' may name the annotators" in told(source)
        assert told(source, {"annotator": "zorp", "ignore": "qx"}) == ""


def test_fields_that_a_reading_uses_are_not_dropped(tmp_path: Path) -> None:
    path = nested(tmp_path / "calls.jsonl", "rater", ("ann", "bob"))
    made = read_by_structure(loaded(path), {})
    assert made is not None

    def read(other: Table) -> _assemble.Parts:
        return _assemble.assemble(other, plan_of(other, {}), ReadingSettings())

    asked = [f"'ratings[].{name}' looks like judgements" for name in ("fluency", "wrote", "rater")]
    assert dropped_fields(made, read(made), asked, read) == []
    kept = lines(tmp_path / "more.jsonl", [{**json.loads(one), "zorp": "Yes"} for one in path.read_text().splitlines()])
    made = read_by_structure(loaded(kept), {})
    assert made is not None
    assert dropped_fields(made, read(made), [*asked, "'zorp' looks like judgements"], read) == ["zorp"]
