"""Databases in normal form, pages with a section for each call, and judgements in nested files, as teams have them."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError

_SYSTEMS, _PEOPLE = ("Fjord", "Delta 2"), ("Ilse", "Omar")
_CALLS = ("K-301", "K-302", "K-303", "K-304")


def _turns(call: str) -> list[tuple[str, str]]:
    return [("Desk", f"Travel desk, number {call}."), ("Guest", "My train was cancelled."), ("Desk", "I book another.")]


def _text(call: str, system: str) -> str:
    return f"The guest of {call} gets another train. So says {system}."


def _score(call: str, system: str, who: str, more: int = 0) -> int:
    return (int(call[-1]) + len(system) + 2 * len(who) + more) % 5


def _asked(corpus: Corpus) -> list[str]:
    return [text for one in corpus.accounts for text in one.too_much()]


def _given(corpus: Corpus, dimension: str) -> dict[tuple[str, str, str], float]:
    rows = corpus.ratings.filter((pl.col("dimension") == dimension) & pl.col("value").is_not_null())
    return {row[:3]: row[3] for row in rows.select("dialogue_id", "system", "annotator", "value").iter_rows()}


def _wanted(more: int = 0) -> dict[tuple[str, str, str], float]:
    return {(c, s, w): float(_score(c, s, w, more)) for c in _CALLS for s in _SYSTEMS for w in _PEOPLE}


def _well(corpus: Corpus, references: int = 0) -> Corpus:
    assert _asked(corpus) == []
    assert corpus.dialogues.height == len(_CALLS)
    assert corpus.summaries.height == len(_CALLS) * len(_SYSTEMS) + references
    assert set(corpus.dialogues["turns"].list.len()) == {3}
    assert corpus.systems == sorted(_SYSTEMS)
    return corpus


def _dump(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


_TABLES = """
create table calls(id integer primary key, ext_id text, line text);
create table call_lines(call_id int, seq int, speaker text, text text);
create table engines(id integer primary key, label text, kind text);
create table digests(id integer primary key, call_id int, engine_id int, body text, made_at text);
create table raters(id integer primary key, nick text, office text);
create table criteria(id integer primary key, name text, minimum int, maximum int);
create table marks(id integer primary key, digest_id int, rater_id int, criterion_id int, points int, score int,
                   skipped int, withdrawn_at text);
create table criterion(id integer primary key, name text, minimum int, maximum int);
"""


def _database(path: Path) -> Path:
    with sqlite3.connect(path) as made:
        made.executescript(_TABLES.replace("points int, ", ""))
        made.execute("drop table criteria")
        made.executemany("insert into raters values (?, ?, ?)", [(4, "Ilse", "north"), (9, "Omar", "north")])
        made.executemany("insert into criterion values (?, ?, 0, 4)", [(1, "clarity"), (2, "repetition")])
        engines = [(1, "Fjord", "model"), (2, "Delta 2", "model"), (3, "team", "human")]
        made.executemany("insert into engines values (?, ?, ?)", engines)
        for number, call in enumerate(_CALLS, start=1):
            made.execute("insert into calls values (?, ?, ?)", (number, call, "hotline"))
            said = [(number, place, *turn) for place, turn in enumerate(_turns(call))]
            made.executemany("insert into call_lines values (?, ?, ?, ?)", said[::-1])
            for engine, label, _ in engines:
                body = (10 * number + engine, number, engine, _text(call, label), "2026-01-02")
                made.execute("insert into digests values (?, ?, ?, ?, ?)", body)
        marks: list[tuple[object, ...]] = []
        for number, call in enumerate(_CALLS, start=1):
            for engine, system in enumerate(_SYSTEMS, start=1):
                for rater, who in ((4, "Ilse"), (9, "Omar")):
                    for criterion in (1, 2):
                        value = _score(call, system, who, criterion)
                        marks.append((10 * number + engine, rater, criterion, value, 0, None))
        marks[5] = (*marks[5][:3], None, 1, None)
        marks += [(*marks[0][:3], 9, 0, "2026-02-03"), (*marks[7][:3], 9, 0, "2026-02-03")]
        rows = [(number, *row) for number, row in enumerate(marks, start=1)]
        made.executemany("insert into marks values (?, ?, ?, ?, ?, ?, ?)", rows)
    return path


def test_a_database_in_normal_form(tmp_path: Path) -> None:
    corpus = _well(read_corpus(_database(tmp_path / "a.db")), references=4)
    assert _given(corpus, "clarity") == _wanted(1)
    assert len(_given(corpus, "repetition")) == 15
    assert corpus.dimension("repetition").direction == "lower"
    assert set(corpus.ratings["scale"]) == {"0-4"}
    assert corpus.dialogue("K-302").turns[0].text == "Travel desk, number K-302."
    assert corpus.references["text"].to_list() == [_text(call, "team") for call in _CALLS]
    assert corpus.accounts[0].rejected == {"taken back, as 'withdrawn_at' says": 2}
    assert any("2 rows of 'marks' taken back" in note for note in corpus.notes)


def _page(marks: str, extra: str = "", names: Sequence[str] = ("Clarity", "Coverage")) -> str:
    parts = ["# Review\n\nWe read all calls.\n"]
    for call in _CALLS:
        said = "\n".join(f"> **{who}:** {text}  " for who, text in _turns(call))
        texts = "\n".join(f"- **{system}**: {_text(call, system)}" for system in _SYSTEMS)
        parts.append(f"## Call {call} – a train\n\n**Transcript**\n\n{said}\n\n**Summaries**\n\n{texts}\n")
        if marks == "systems in columns":
            rows = [
                f"| {who} | {' | '.join(f'{_score(call, s, who) + 1}/5' for s in _SYSTEMS)} | Fjord |"
                for who in _PEOPLE
            ]
            parts.append(f"| Reviewer | {' | '.join(_SYSTEMS)} | Preferred |\n|---|:-:|--:|---|\n" + "\n".join(rows))
        else:
            asked = [(name, who, more) for more, name in enumerate(names) for who in _PEOPLE]
            rows = [
                f"| {s} | {' | '.join('★' * (_score(call, s, who, more) + 1) for _, who, more in asked)} |"
                for s in _SYSTEMS
            ]
            heads = " | ".join(f"{name} {who}" for name, who, _ in asked)
            parts.append(f"| System | {heads} |\n|---|{'---|' * len(asked)}\n" + "\n".join(rows))
    return "\n\n".join([*parts, extra])


_TOTALS = "## Totals\n\n| | Fjord |\n|---|---|\n| Mean | 3.1 |\n"


def test_a_page_with_a_section_for_each_call_and_people_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(_page("people in columns", _TOTALS), encoding="utf-8")
    corpus = _well(read_corpus(path))
    assert _given(corpus, "clarity") == {key: value + 1 for key, value in _wanted().items()}
    assert any("sums up others" in note for note in corpus.notes)
    path.write_text(_page("people in columns", names=["Clarity"]), encoding="utf-8")
    assert any("'Clarity Ilse', 'Clarity Omar') and was not read" in text for text in _asked(read_corpus(path)))


def test_a_page_with_a_section_for_each_call_and_systems_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(_page("systems in columns"), encoding="utf-8")
    corpus = _well(read_corpus(path))
    assert _given(corpus, "rating") == {key: value + 1 for key, value in _wanted().items()}
    assert corpus.preferences.height == 8
    assert set(corpus.preferences["winner"]) == {"b"}


def test_a_table_that_nobody_explains_stops_a_page(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(_page("people in columns", "## More\n\n| System | Tone |\n|---|---|\n| Fjord | 3 |\n"))
    with pytest.raises(InputError, match=r"5 tables in this page.*is not as the others"):
        read_corpus(path)


def test_labels_of_sentences_below_systems_by_numbered_people(tmp_path: Path) -> None:
    labels = ("Fine", "WrongName", "Invented")

    def sentences(call: str, system: str) -> list[dict[str, Any]]:
        texts = [f"The guest of {call} gets another train.", f"So says {system}."]
        return [
            {
                "sentence": text,
                "labels": {
                    f"coder_{n}": [] if (call, system, n, place) == ("K-301", "Fjord", 1, 0)
                    else [labels[_score(call, system, "x" * n, place) % 3]]
                    for n in (1, 2)
                },
                "majority": "Fine",
            }
            for place, text in enumerate(texts)
        ]  # fmt: skip

    calls = {
        call: {
            "transcript": [f"{who}: {text}" for who, text in _turns(call)],
            "systems": {s: {"summary": _text(call, s), "sentences": sentences(call, s)} for s in _SYSTEMS},
        }
        for call in _CALLS
    }
    corpus = _well(read_corpus(_dump(tmp_path / "a.json", {"name": "x", "label_set": labels, "calls": calls})))
    given = corpus.ratings.drop_nulls("value")
    assert given.height == 31
    assert set(given["annotator"]) == {"coder_1", "coder_2"}
    assert set(given["sentence"]) == {0, 1}
    dimension = corpus.dimension("label")
    assert (dimension.kind, sorted(dimension.labels)) == ("nominal", sorted(labels))
    one = given.filter(dialogue_id="K-303", system="Delta 2", annotator="coder_2", sentence=1)
    assert dimension.labels[int(one["value"][0]) - 1] == labels[_score("K-303", "Delta 2", "xx", 1) % 3]


def test_literals_of_python_with_lists_in_the_order_of_people(tmp_path: Path) -> None:
    people = {call: list(_PEOPLE if int(call[-1]) % 2 else _PEOPLE[::-1]) for call in _CALLS}
    rows = [
        {
            "": number,
            "doc": call,
            "dialogue": "\n".join(f"{who}: {text}" for who, text in _turns(call)),
            "summaries": repr({s: _text(call, s) for s in _SYSTEMS}),
            "raters": repr(people[call]),
            "relevance": repr({s: [_score(call, s, w) for w in people[call]] for s in _SYSTEMS}).replace(
                "[0,", "[nan,"
            ),
        }
        for number, call in enumerate(_CALLS)
    ]
    path = tmp_path / "a.csv"
    pl.DataFrame(rows).write_csv(path)
    gone = {(c, s, people[c][0]) for c in _CALLS for s in _SYSTEMS if _score(c, s, people[c][0]) == 0}
    corpus = _well(read_corpus(path))
    assert gone
    assert _given(corpus, "relevance") == {key: value for key, value in _wanted().items() if key not in gone}


def _minutes(criteria: Sequence[str]) -> dict[str, Any]:
    def matrix(call: str, system: str) -> list[list[int]]:
        rows = [[10 * _score(call, system, who, more) for more in range(len(criteria))] for who in _PEOPLE]
        return [[], *rows[1:]] if (call, system) == ("K-304", "Fjord") else rows

    return {
        "judges": list(_PEOPLE),
        "criteria": list(criteria),
        "scale": {"min": 0, "max": 100, "missing": -1},
        "meetings": {
            call: {
                "transcript": [{"spk": who, "utt": text} for who, text in _turns(call)],
                "minutes": {s: {"text": _text(call, s), "scores": matrix(call, s)} for s in _SYSTEMS},
                "gold_minutes": _text(call, "gold"),
            }
            for call in _CALLS
        },
    }


def test_matrices_whose_rows_and_columns_the_file_names_once(tmp_path: Path) -> None:
    content = _minutes(("clarity", "coverage", "tone"))
    content["meetings"]["K-302"]["minutes"]["Fjord"]["scores"][0][1] = -1
    corpus = _well(read_corpus(_dump(tmp_path / "a.json", content)), references=4)
    assert corpus.references["text"].to_list() == [_text(call, "gold") for call in _CALLS]
    clarity = {key: 10 * value for key, value in _wanted().items() if key != ("K-304", "Fjord", "Ilse")}
    assert _given(corpus, "clarity") == clarity
    assert len(_given(corpus, "coverage")) == 14
    assert set(corpus.ratings.drop_nulls("value")["scale"]) == {"0-100"}


def test_a_square_matrix_is_not_guessed(tmp_path: Path) -> None:
    assert _asked(read_corpus(_dump(tmp_path / "a.json", _minutes(("clarity", "coverage")))))


def test_thumbs_of_agents_below_summaries_of_tickets(tmp_path: Path) -> None:
    tickets = [
        {
            "id": 700 + int(call[-1]),
            "status": "solved",
            "satisfaction_rating": {"score": ("good", "bad")[int(call[-1]) % 2]},
            "comments": [{"author": {"role": "agent", "name": who}, "plain_body": text} for who, text in _turns(call)],
            "bot_summaries": [
                {
                    "engine": system,
                    "text": _text(call, system),
                    "votes_of_staff": [
                        {"staff": who, "thumb": (None, "up", "down")[_score(call, system, who) % 3], "reason": None}
                        for who in _PEOPLE
                    ],
                }
                for system in _SYSTEMS
            ],
        }
        for call in _CALLS
    ]
    corpus = _well(read_corpus(_dump(tmp_path / "a.json", {"account": "x", "tickets": tickets})))
    assert corpus.dimensions == ["thumb"]
    values = {key: (None, 1.0, 0.0)[int(value) % 3] for key, value in _wanted().items()}
    wanted = {(f"70{c[-1]}", s, w): value for (c, s, w), value in values.items() if value is not None}
    assert _given(corpus, "thumb") == wanted


def test_dimensions_that_are_called_like_systems_are_asked_about(tmp_path: Path) -> None:
    rows = [
        {
            "call": call,
            "transcript": f"A: {call}\nB: Yes.",
            "system": "Fjord",
            "summary": _text(call, "Fjord"),
            "rater": who,
        }
        | {system: _score(call, system, who) for system in ("Fjord", "Other")}
        for call in _CALLS
        for who in _PEOPLE
    ]
    path = tmp_path / "a.csv"
    pl.DataFrame(rows).write_csv(path)
    assert any("'Fjord' is called like a system" in text for text in _asked(read_corpus(path)))


def test_a_page_that_says_two_things_under_the_name_of_a_system_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    text = _page("people in columns").replace("## Call K-302", "- **Fjord**: too long for my taste\n\n## Call K-302")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="gives a system another text"):
        read_corpus(path)


def test_lines_like_turns_elsewhere_in_a_section_are_no_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    text = _page("people in columns").replace("**Transcript**", "Agent: Kim Lee\n\n**Transcript**")
    path.write_text(text.replace("**Summaries**", "**Summaries**\n\nWinner: nobody yet"), encoding="utf-8")
    corpus = _well(read_corpus(path))
    assert any("no part of a dialogue or summary" in note for note in corpus.notes)


def test_objects_that_only_name_people_hold_no_labels(tmp_path: Path) -> None:
    records = [
        {"id": call, "dialogue": "Desk: Hello.\nGuest: Hi.", "annotation": {"annotator": who, "reviewer": "Kim"}}
        | {"system": system, "summary": _text(call, system), "clarity": _score(call, system, who)}
        for call in _CALLS
        for system in _SYSTEMS
        for who in _PEOPLE
    ]
    corpus = read_corpus(_dump(tmp_path / "a.json", records))
    assert "annotation" not in corpus.dimensions
    assert "label" not in corpus.dimensions


def test_parts_of_summaries_with_flags_are_no_people(tmp_path: Path) -> None:
    records = [
        {
            "id": call,
            "dialogue": "\n".join(": ".join(turn) for turn in _turns(call)),
            "summaries": [
                {
                    "system": system,
                    "summary": _text(call, system),
                    "parts": [
                        {"heading": one, "kept": ("yes", "no")[_score(call, system, one) % 2]} for one in ("Top", "End")
                    ],
                    "ratings": [{"annotator": who, "clarity": _score(call, system, who)} for who in _PEOPLE],
                }
                for system in _SYSTEMS
            ],
        }
        for call in _CALLS
    ]
    corpus = read_corpus(_dump(tmp_path / "a.json", records))
    assert sorted(corpus.ratings["annotator"].unique()) == list(_PEOPLE)
    assert any("kept' looks like judgements" in text for text in _asked(corpus))


def test_answers_in_words_beside_a_summary_are_no_summaries(tmp_path: Path) -> None:
    rows = [
        {
            "call_id": call,
            "transcript": "A: Hi.\nB: Yes.",
            "system": system,
            "summary": _text(call, system),
            "rater": who,
        }
        | {
            "responses": repr({"q1": "I think that it is good", "q2": "It is a bit long"}),
            "clarity": _score(call, system, who),
        }
        for call in _CALLS
        for system in _SYSTEMS
        for who in _PEOPLE
    ]
    path = tmp_path / "a.csv"
    pl.DataFrame(rows).write_csv(path)
    assert read_corpus(path).systems == sorted(_SYSTEMS)


def test_files_that_are_called_after_dimensions_and_people_are_asked_about(tmp_path: Path) -> None:
    for dimension in ("clarity", "tone"):
        for who in _PEOPLE:
            rows = [
                {"call_id": call, "system": system, "summary": _text(call, system), "score": _score(call, system, who)}
                for call in _CALLS
                for system in _SYSTEMS
            ]
            pl.DataFrame(rows).write_csv(tmp_path / f"{dimension}_{who}.csv")
    assert any("combinations of dimensions and people" in text for text in _asked(read_corpus(tmp_path)))


def test_texts_of_a_page_go_on_in_the_lines_below(tmp_path: Path) -> None:
    text = _page("people in columns")
    for system in _SYSTEMS:
        text = text.replace(f"So says {system}.\n", f"So says\n  {system}.\n")
    text = text.replace("- **Delta 2**: ", "#### Delta 2\n\n").replace("My train was", "My train\n> was")
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    corpus = _well(read_corpus(path))
    assert set(corpus.summaries["text"]) == {_text(call, system) for call in _CALLS for system in _SYSTEMS}
    assert corpus.dialogue("K-301").turns[1].text.split() == ["My", "train", "was", "cancelled."]


def test_matrices_of_items_with_people_of_their_own_are_not_read_by_others(tmp_path: Path) -> None:
    content = _minutes(("clarity", "coverage", "tone"))
    for one in content["meetings"].values():
        one["judges"] = list(_PEOPLE[::-1])
    try:
        corpus = read_corpus(_dump(tmp_path / "a.json", content))
    except InputError:
        return
    assert _asked(corpus)
