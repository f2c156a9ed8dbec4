"""What people answered is not left aside: responses beside texts, keys to letters, trials of forms, votes undone."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError

_SYSTEMS = ("elm", "fir", "oak")
_CALLS = tuple(str(number) for number in range(1, 6))
_PEOPLE = ("Ida", "Jon")


def _dialogue(call: str) -> str:
    return f"Agent: Harbour office, how can I help?\nCustomer: Boat {call} has lost its berth, and I want it back."


def _text(call: str, letter: str) -> str:
    return f"The owner of boat {call} asks for the berth that was lost, as text {letter} says."


def _system(call: str, letter: str) -> str:
    return _SYSTEMS[(int(call) + "ABC".index(letter)) % 3]


def _value(call: str, system: str, who: str) -> int:
    return 1 + (int(call) * 3 + sum(map(ord, system + who))) % 5


def _write(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as opened:
        csv.writer(opened).writerows(rows)
    return path


def _asked(corpus: Corpus) -> str:
    return "\n".join(said for account in corpus.accounts for said in account.too_much())


def _rated(
    people: Sequence[str] = _PEOPLE,
    letters: bool = False,
    more: str | None = None,
    says: tuple[str, str] = ("2024-05-01", ""),
) -> list[list[object]]:
    """``more`` is a column that ``says`` one thing of one row, and another of all others."""
    head = ["dialogue_id", "dialogue", "system", "summary", "annotator", "clarity", *([more] if more else [])]
    rows: list[list[object]] = [list(head)]
    for call in _CALLS:
        for letter in "ABC":
            for who in people:
                system = _system(call, letter)
                own = [call, _dialogue(call), letter if letters else system, _text(call, letter), who]
                back = [says[(call, letter, who) != ("2", "B", people[0])]] if more else []
                rows.append([*own, _value(call, system, who), *back])
    return rows


def _key(calls: Sequence[str] = _CALLS) -> list[list[str]]:
    return [["dialogue_id", "Letter A", "Letter B", "Letter C"], *([c, *(_system(c, x) for x in "ABC")] for c in calls)]


def _listed_key(order: Sequence[int]) -> list[list[str]]:
    rows = [["call", "letter", "model"], *([c, x, _system(c, x)] for c in _CALLS for x in "ABC")]
    return [[row[place] for place in order] for row in rows]


@pytest.mark.parametrize(
    "key", [_key(), _listed_key((0, 1, 2)), _listed_key((1, 2, 0))], ids=["wide", "listed", "in another order"]
)
def test_letters_have_the_names_that_a_key_gives(tmp_path: Path, key: list[list[str]]) -> None:
    _write(tmp_path / "s" / "rated.csv", _rated(letters=True))
    _write(tmp_path / "s" / "who_is_who.csv", key)
    corpus = read_corpus(tmp_path / "s")
    assert _asked(corpus) == ""
    assert corpus.systems == list(_SYSTEMS)
    rows = corpus.ratings.select("dialogue_id", "system", "annotator", "value").rows()
    assert len(rows) == 30
    assert all(value == _value(call, system, who) for call, system, who, value in rows)
    said = {(row["dialogue_id"], row["system"]): row["text"] for row in corpus.summaries.iter_rows(named=True)}
    assert all(said[call, _system(call, x)] == _text(call, x) for call in _CALLS for x in "ABC")


def test_a_key_to_some_of_the_dialogues_is_asked_about_unless_it_is_left_out(tmp_path: Path) -> None:
    _write(tmp_path / "s" / "rated.csv", _rated(letters=True))
    _write(tmp_path / "s" / "who.csv", _key(_CALLS[:3]))
    assert "ignore=who" in _asked(read_corpus(tmp_path / "s"))
    corpus = read_corpus(tmp_path / "s", mapping={"ignore": "who"})
    assert _asked(corpus) == ""
    assert corpus.systems == ["A", "B", "C"]


def _form(answers: Sequence[Sequence[str]], names: Sequence[str] = _PEOPLE) -> list[list[str]]:
    head = ["ID", "Start time", "Email", "Name", *(f"Call {call}: please order these" for call in _CALLS)]
    return [
        head,
        *(
            [str(n), f"2024-06-0{n}", "anonymous", who, *own]
            for n, (who, own) in enumerate(zip(names, answers, strict=True), 1)
        ),
    ]


def _shown() -> list[list[str]]:
    return [
        ["Call", "Text", *(f"Summary {x}" for x in "ABC")],
        *([c, _dialogue(c), *(_text(c, x) for x in "ABC")] for c in _CALLS),
    ]


def _order(call: str, shift: int) -> str:
    letters = "ABC"[(int(call) + shift) % 3 :] + "ABC"[: (int(call) + shift) % 3]
    return "".join(f"Summary {x};" for x in letters)


def test_rankings_of_a_form_are_places_of_the_systems(tmp_path: Path) -> None:
    _write(tmp_path / "s" / "shown.csv", _shown())
    _write(tmp_path / "s" / "form.csv", _form([[_order(c, n) for c in _CALLS] for n in range(2)]))
    _write(tmp_path / "s" / "key.csv", _key())
    corpus = read_corpus(tmp_path / "s")
    assert "--direction" in _asked(corpus)  # nobody says which end is the best
    assert set(corpus.ratings["annotator"]) == set(_PEOPLE)
    places = {row[:3]: row[3] for row in corpus.ratings.select("dialogue_id", "system", "annotator", "value").rows()}
    assert len(places) == 30
    for n, who in enumerate(_PEOPLE):
        for call in _CALLS:
            listed = [one.split()[-1] for one in _order(call, n).split(";") if one]
            assert all(places[call, _system(call, x), who] == listed.index(x) + 1 for x in "ABC")


def test_responses_beside_texts_are_asked_about(tmp_path: Path) -> None:
    _write(tmp_path / "s" / "shown.csv", _shown())
    form = _form([["the first one", "both", "the first one", "both", "none of them"]] * 2)
    _write(tmp_path / "s" / "form.csv", form)
    assert "ignore=form" in _asked(read_corpus(tmp_path / "s"))
    assert _asked(read_corpus(tmp_path / "s", mapping={"ignore": "form"})) == ""


def test_a_file_beside_texts_is_asked_about_where_nobody_judged(tmp_path: Path) -> None:
    _write(tmp_path / "s" / "shown.csv", _shown())
    _write(tmp_path / "s" / "rest.csv", [["ward", "boat", "said"], *([f"w{n}", n, f"remark {n}"] for n in range(4))])
    assert "'ignore=rest'" in _asked(read_corpus(tmp_path / "s"))
    assert _asked(read_corpus(tmp_path / "s", mapping={"ignore": "rest"})) == ""


@pytest.mark.parametrize(
    "name", ["test", "Teste", "preview", "Test User", "pilot", "admin", "TEST 2", "jo.test@a.org", "qa_bot_test"]
)
def test_who_tried_a_form_out_is_asked_about(tmp_path: Path, name: str) -> None:
    path = _write(tmp_path / "a.csv", _rated((*_PEOPLE, name)))
    assert f"'ignore={name}'" in _asked(read_corpus(path))
    corpus = read_corpus(path, mapping={"ignore": name})
    assert _asked(corpus) == ""
    assert set(corpus.ratings["annotator"]) == set(_PEOPLE)
    assert sum(account.stored for account in corpus.accounts) == 30
    assert _asked(read_corpus(path, mapping={"annotator": "annotator"})) == ""


@pytest.mark.parametrize("name", ["Tess Ting", "Prova Rossi", "P1", "expert", "mia@test.org"])
def test_other_names_are_those_of_people(tmp_path: Path, name: str) -> None:
    assert _asked(read_corpus(_write(tmp_path / "a.csv", _rated((*_PEOPLE, name))))) == ""


def test_judgements_that_were_taken_back_are_asked_about(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", _rated(more="withdrawn_at"))
    assert "ignore=withdrawn_at" in _asked(read_corpus(path))
    assert _asked(read_corpus(path, mapping={"ignore": "withdrawn_at"})) == ""


def test_drafts_are_asked_about_and_other_states_are_not(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", _rated(more="status", says=("draft", "submitted")))
    assert "ignore=status" in _asked(read_corpus(path))
    assert _asked(read_corpus(path, mapping={"ignore": "status"})) == ""
    other = _write(tmp_path / "b.csv", _rated(more="status", says=("escalated", "resolved")))
    assert _asked(read_corpus(other)) == ""


def test_control_tasks_are_no_items(tmp_path: Path) -> None:
    head = [
        "INPUT:dialogue_id",
        "INPUT:dialogue",
        "INPUT:model",
        "INPUT:summary",
        "OUTPUT:clarity",
        "GOLDEN:clarity",
        "ASSIGNMENT:worker_id",
    ]
    rows: list[list[object]] = [list(head)]
    for who in _PEOPLE:
        rows += [
            [c, _dialogue(c), _system(c, x), _text(c, x), _value(c, x, who), "", who] for c in _CALLS for x in "ABC"
        ]
        rows.append(
            ["", "Agent: Hello.\nCustomer: Bye, this is a test.", "", "A summary to test who reads.", "1", "1", who]
        )
    corpus = read_corpus(_write(tmp_path / "pool.csv", rows))
    assert _asked(corpus) == ""
    assert corpus.ratings.height == 30
    assert corpus.dialogues.height == len(_CALLS)


def test_steps_between_left_and_right_are_preferences_though_some_are_open(tmp_path: Path) -> None:
    said = ["links etwas besser", "rechts deutlich besser", "gleich gut", "offen"]
    rows: list[list[object]] = [
        [
            "Gespräch",
            "Gesprächstext",
            "Variante links",
            "Text links",
            "Variante rechts",
            "Text rechts",
            "Prüfer",
            "Urteil",
        ]
    ]
    number = 0
    for call in _CALLS:
        for who in _PEOPLE:
            for left, right in (("A", "B"), ("C", "A")):
                rows.append(
                    [
                        call,
                        _dialogue(call),
                        _system(call, left),
                        _text(call, left),
                        _system(call, right),
                        _text(call, right),
                        who,
                        said[number % 4],
                    ]
                )
                number += 1
    corpus = read_corpus(_write(tmp_path / "ab.csv", rows))
    assert _asked(corpus) == ""
    assert corpus.preferences.height == 15
    assert set(corpus.preferences["winner"]) == {"a", "b", "tie"}


def test_claims_of_a_summary_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    for who in ("ida", "jon", "admin"):
        records = [
            {
                "id": n,
                "text": f"Claim {n} of it is here.",
                "dialogue_id": call,
                "model": "elm",
                "sent_no": n,
                "summary": _text(call, "A"),
                "transcript": _dialogue(call),
                "label": [] if who == "admin" else [("true", "false")[(n + int(call)) % 2]],
                "Comments": [],
            }
            for call in _CALLS
            for n in (1, 2, 3)
        ]
        path = tmp_path / "s" / f"{who}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(map(json.dumps, records)))
    assert "ignore=admin" in _asked(read_corpus(tmp_path / "s"))
    corpus = read_corpus(tmp_path / "s", mapping={"ignore": "admin"})
    assert _asked(corpus) == ""
    assert corpus.ratings.height == 30
    assert set(corpus.ratings["sentence"]) == {1, 2, 3}


def test_scores_in_the_order_of_the_people_are_theirs(tmp_path: Path) -> None:
    items = [
        {
            "meeting_id": call,
            "system": _system(call, x),
            "scores": {"clarity": [_value(call, _system(call, x), who) for who in _PEOPLE], "focus": [3, None]},
            "mean": {"clarity": 2.5, "focus": 3.0},
        }
        for call in _CALLS
        for x in "ABC"
    ]
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "scores.json").write_text(json.dumps({"scale": [1, 5], "raters": list(_PEOPLE), "items": items}))
    shown = [
        {"id": c, "dialogue": _dialogue(c), "system": _system(c, x), "summary": _text(c, x)}
        for c in _CALLS
        for x in "ABC"
    ]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, shown)))
    corpus = read_corpus(folder)
    assert _asked(corpus) == ""
    clear = corpus.ratings.filter(corpus.ratings["dimension"] == "clarity")
    rows = clear.select("dialogue_id", "system", "annotator", "value").rows()
    assert len(rows) == 30
    assert all(value == _value(call, system, who) for call, system, who, value in rows)
    focus = corpus.ratings.filter((corpus.ratings["dimension"] == "focus") & corpus.ratings["value"].is_not_null())
    assert set(focus["annotator"]) == {_PEOPLE[0]}


def test_votes_of_a_database_are_read_less_those_taken_back(tmp_path: Path) -> None:
    blocks = {
        "app_user (id, login)": [f"{n}\t{who}" for n, who in enumerate(_PEOPLE)],
        "conversation (id, channel)": [f"{c}\tphone" for c in _CALLS],
        "message (id, conversation_id, sender, body)": [
            f"{9 * int(c) + n}\t{c}\t{who}\tI say {n} things about the boat {c}."
            for c in _CALLS
            for n, who in enumerate(("agent", "owner"))
        ],
        "summary (id, conversation_id, model_version, body)": [
            f"{c}0{n}\t{c}\t{_SYSTEMS[n]}\t{_text(c, 'ABC'[n])}" for c in _CALLS for n in range(3)
        ],
        "vote (id, summary_id, user_id, thumb, deleted_at)": [
            f"{c}{n}{p}\t{c}0{n}\t{p}\t{1 if (int(c) + n + p) % 2 else -1}\t"
            + ("2024-05-01" if c == "1" and p else r"\N")
            for c in _CALLS
            for n in range(3)
            for p in range(2)
        ],
    }
    text = "".join(
        f"COPY public.{name} FROM stdin;\n" + "".join(f"{row}\n" for row in rows) + "\\.\n\n"
        for name, rows in blocks.items()
    )
    path = tmp_path / "dump.sql"
    path.write_text(text)
    corpus = read_corpus(path)
    assert _asked(corpus) == ""
    assert corpus.ratings.height == 27
    assert corpus.systems == list(_SYSTEMS)
    assert set(corpus.ratings["annotator"]) == set(_PEOPLE)
    assert set(corpus.ratings["dimension"]) == {"thumb"}


@pytest.mark.parametrize(("heading", "sure"), [("system", True), ("stands for", False)])
def test_a_key_for_all_dialogues_is_applied_where_it_says_that_it_names_systems(
    tmp_path: Path, heading: str, sure: bool
) -> None:
    rows = _rated(letters=True)
    _write(tmp_path / "s" / "rated.csv", [rows[0], *([*row[:2], f"System {row[2]}", *row[3:]] for row in rows[1:])])
    names = dict(zip("ABC", _SYSTEMS, strict=True))
    _write(tmp_path / "s" / "codes.csv", [["code", heading], *([f"System {x}", name] for x, name in names.items())])
    corpus = read_corpus(tmp_path / "s")
    if sure:
        assert corpus.systems == list(_SYSTEMS)
    else:
        assert "'ignore=codes'" in _asked(corpus)
        assert _asked(read_corpus(tmp_path / "s", mapping={"ignore": "codes"})) == ""


def test_a_part_that_is_read_is_not_left_out_by_name_in_silence(tmp_path: Path) -> None:
    _write(tmp_path / "s" / "texts.csv", [row[:4] for row in _rated(_PEOPLE[:1])])
    _write(tmp_path / "s" / "rated.csv", [[row[0], *row[2:3], *row[4:]] for row in _rated()])
    with pytest.raises(InputError, match="'rated' is read together"):
        read_corpus(tmp_path / "s", mapping={"ignore": "rated"})


def test_lists_of_labels_are_no_rankings(tmp_path: Path) -> None:
    rows = _rated(more="errors")
    lists = ["name;date;place", "date;name;place", "place;date;name"]
    path = _write(tmp_path / "a.csv", [rows[0], *([*row[:-1], lists[n % 3]] for n, row in enumerate(rows[1:]))])
    assert {"name", "date", "place"}.isdisjoint(read_corpus(path).ratings["dimension"])


def test_people_who_are_all_called_testers_are_people(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", _rated(("Tester 1", "Tester 2", "Tester 3")))
    assert _asked(read_corpus(path)) == ""


def test_several_tables_beside_records_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "project.json").write_text(
        json.dumps(
            {
                "layers": [{"id": n, "name": f"n{n}"} for n in range(3)],
                "users": [{"id": n, "login": f"u{n}"} for n in range(3)],
            }
        )
    )
    (tmp_path / "a.json").write_text(json.dumps({"dialogue": _dialogue("1"), "summary": _text("1", "A"), "clarity": 3}))
    with pytest.raises(InputError, match="project"):
        read_corpus(tmp_path)
