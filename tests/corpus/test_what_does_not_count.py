"""Tests of attention, pilots and old copies, what names sides and sentences, faces, and names in further headings."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, read_corpus
from dialgauge.errors import InputError

_CALLS = tuple(f"T{number}" for number in range(1, 7))
_SYSTEMS = ("elm", "fir")


def _dialogue(call: str) -> str:
    return f"Ines: When does the ferry {call} leave?\nOlaf: At {call[1:]} in the morning, from the old pier."


def _text(call: str, system: str) -> str:
    return f"{system} says that ferry {call} leaves in the morning. It leaves from the old pier."


def _score(*parts: str) -> int:
    return 1 + sum(map(ord, "".join(parts))) * 7 % 5


def _write(path: Path, rows: Sequence[Sequence[object]], delimiter: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as opened:
        csv.writer(opened, delimiter=delimiter).writerows(rows)
    return path


def _asked(corpus: Corpus) -> list[str]:
    return [said for account in corpus.accounts for said in account.too_much()]


def _well(corpus: Corpus) -> Corpus:
    assert _asked(corpus) == []
    return corpus


def _mqm(*more: Sequence[str]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [
        ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
    ]
    for call in _CALLS:
        for system in _SYSTEMS:
            key = (system, call, call, "1")
            marked = _text(call, system).replace("the morning", "<v>the morning</v>")
            rows.append((*key, "r1", _dialogue(call), marked, "Accuracy/Time", "Major"))
            rows.append((*key, "r2", _dialogue(call), _text(call, system), "No-error", "no-error"))
    return [*rows, *more]


def test_planted_errors_of_attention_tests_are_no_errors(tmp_path: Path) -> None:
    planted = _text("T1", "elm").replace("the old pier", "<v>the moon</v>")
    tests = [("elm", "T1", "T1", "1", who, _dialogue("T1"), planted, said, "HOTW-test") for who, said in _FOUND]
    corpus = _well(read_corpus(_write(tmp_path / "m.tsv", _mqm(*tests), "\t")))
    assert set(corpus.spans["label"].drop_nulls()) == {"Accuracy/Time"}
    # Whoever found the planted error still read the summary without finding another one.
    read = corpus.spans.filter(pl.col("start").is_null())
    assert read.height == len(_CALLS) * len(_SYSTEMS)
    assert set(read["annotator"]) == {"r2"}
    assert sum(account.rejected["attention test"] for account in corpus.accounts) == 2


_FOUND = (("r2", "Found"), ("r1", "Missed"))


def test_a_mark_in_another_text_is_no_mark_in_the_summary(tmp_path: Path) -> None:
    other = "Ferry T1 <v>never</v> leaves."
    row = ("elm", "T1", "T1", "1", "r1", _dialogue("T1"), other, "Accuracy/Time", "Major")
    corpus = read_corpus(_write(tmp_path / "m.tsv", _mqm(row), "\t"))
    assert [problem.reason for problem in corpus.problems] == ["the text with the marked error is not the summary"]
    assert set(corpus.spans["text"].drop_nulls()) == {"the morning"}


@pytest.mark.parametrize(
    ("faces", "points"),
    [("😡☹😐🙂😍", 5), ("😞🙁😐🙂😊", 5), ("🙁😐🙂", 3), ("😠🙁😐😊😀", 5)],
)
def test_faces_are_a_scale(tmp_path: Path, faces: str, points: int) -> None:
    rows: list[Sequence[object]] = [("call", "dialogue", "system", "summary", "rater", "clarity")]
    said = [(call, system, who) for call in _CALLS for system in _SYSTEMS for who in ("ann", "bob")]
    given = [faces[number % len(faces)] for number in range(len(said))]
    for (call, system, who), face in zip(said, given, strict=True):
        rows.append((call, _dialogue(call), system, _text(call, system), who, face + "\N{VARIATION SELECTOR-16}"))
    corpus = _well(read_corpus(_write(tmp_path / "f.csv", rows)))
    one = corpus.dimension("clarity")
    assert (one.kind, one.scale, one.direction) == ("ordinal", f"1-{points}", "higher")
    assert corpus.ratings["value"].sum() == sum(1 + faces.index(face) for face in given)


def _sides(folder: Path, said: Sequence[object], names: Sequence[str] = ("ann", "bob")) -> Path:
    for call in _CALLS:
        (folder / "dialogues").mkdir(parents=True, exist_ok=True)
        (folder / "dialogues" / f"{call}.txt").write_text(_dialogue(call))
        for system in _SYSTEMS:
            (folder / "summaries" / system).mkdir(parents=True, exist_ok=True)
            (folder / "summaries" / system / f"{call}.txt").write_text(_text(call, system))
    for turn, who in enumerate(names):
        rows: list[Sequence[object]] = [("dialogue", "left", "right", "rating")]
        for number, call in enumerate(_CALLS):
            left, right = _SYSTEMS if (number + turn) % 2 else _SYSTEMS[::-1]
            rows.append((call, left, right, said[(number + turn) % len(said)]))
        _write(folder / "votes" / f"{who}.csv", rows)
    return folder


def test_numbers_between_two_sides_are_no_ratings_of_one_system(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'rating' compares two summaries in numbers"):
        read_corpus(_sides(tmp_path / "s", (-2, -1, 0, 1, 2)))


def test_sides_that_name_the_systems_are_read_with_a_winner(tmp_path: Path) -> None:
    corpus = _well(read_corpus(_sides(tmp_path / "s", ("left", "right", "tie"))))
    assert corpus.ratings.is_empty()
    assert corpus.preferences.height == 2 * len(_CALLS)
    assert set(corpus.preferences["annotator"]) == {"ann", "bob"}
    assert corpus.systems == list(_SYSTEMS)
    # T2 has elm on the left for ann, who says that the right one is better.
    won = corpus.preferences.filter((pl.col("dialogue_id") == "T2") & (pl.col("annotator") == "ann")).row(0, named=True)
    assert won[f"system_{won['winner']}"] == "fir"


def test_a_system_is_not_filled_down_into_another_file(tmp_path: Path) -> None:
    texts = [("call", "dialogue", "system", "summary")]
    texts += [(call, _dialogue(call), system, _text(call, system)) for call in _CALLS for system in _SYSTEMS]
    _write(tmp_path / "s" / "texts.csv", texts)
    rows = [("call", "clarity"), *((call, _score(call)) for call in _CALLS)]
    _write(tmp_path / "s" / "scores.csv", rows)
    corpus = read_corpus(tmp_path / "s")
    assert _asked(corpus)
    assert corpus.ratings["value"].drop_nulls().is_empty()


@pytest.mark.parametrize("aside", ["ann_practice", "pilot", "bob_OLD", "Copy of bob", "bob do not use"])
def test_parts_that_do_not_count_are_asked_about(tmp_path: Path, aside: str) -> None:
    for who in ("ann", "bob", aside):
        rows = [("call", "dialogue", "system", "summary", "clarity")]
        rows += [
            (call, _dialogue(call), system, _text(call, system), str(_score(call, system, who)))
            for call in _CALLS
            for system in _SYSTEMS
        ]
        _write(tmp_path / "s" / f"{who}.csv", rows)
    assert any(f"ignore={aside}" in said for said in _asked(read_corpus(tmp_path / "s")))
    corpus = _well(read_corpus(tmp_path / "s", mapping={"ignore": aside}))
    assert set(corpus.ratings["annotator"]) == {"ann", "bob"}
    assert corpus.ratings.height == 2 * len(_CALLS) * len(_SYSTEMS)


def _survey(folder: Path, failed: bool) -> Path:
    things = [(call, system) for call in _CALLS for system in _SYSTEMS]
    names = [f"X{number}_{n}" for number in range(1, len(things) + 1) for n in (1, 2)]
    titles = [
        f"What do you think of text {name[1:-2]}? - {said}"
        for name, said in zip(names, _ASKED * len(things), strict=True)
    ]
    own = ["StartDate", "Status", "Finished", "ResponseId"]
    head = [[*own, *names, "Check"], ["Start Date", "Response Type", "Finished", "Response ID", *titles, _CHECK]]
    head.append([json.dumps({"ImportId": name}) for name in head[0]])
    people = [
        ["2024-01-01", "IP Address", "True", f"R_{who}", *(_score(name, who) for name in names), "3"] for who in "abc"
    ]
    if failed:
        people[1][2], people[2][-1] = "False", "5"
    _write(folder / "answers.csv", [*head, *people])
    shown = [("Question", "Dialogue", "Summary", "Source")]
    shown += [(f"X{n}", _dialogue(call), _text(call, who), who) for n, (call, who) in enumerate(things, start=1)]
    _write(folder / "shown.csv", shown)
    return folder


_ASKED, _CHECK = ("Clarity", "Coverage"), 'This tests your attention. Please select "3".'


def test_numbered_statements_of_a_survey_have_their_names(tmp_path: Path) -> None:
    corpus = _well(read_corpus(_survey(tmp_path / "s", failed=False)))
    assert corpus.dimensions == ["clarity", "coverage"]
    assert corpus.systems == list(_SYSTEMS)
    first = corpus.ratings.filter((pl.col("annotator") == "R_a") & (pl.col("dimension") == "coverage"))
    assert first["value"].sum() == sum(_score(f"X{n}_2", "a") for n in range(1, 13))
    assert not any("attention" in note or "asks" in note for note in corpus.notes)


def test_who_failed_or_did_not_finish_is_named(tmp_path: Path) -> None:
    notes = "\n".join(read_corpus(_survey(tmp_path / "s", failed=True)).notes)
    assert "1 answer of people who did not finish" in notes
    assert "1 of 3 did not answer '3', as it asks" in notes


def _sentences(folder: Path, doubt: str) -> Path:
    calls = [("id_dialogue", "texte"), *((call, _dialogue(call)) for call in _CALLS)]
    _write(folder / "dialogues.csv", calls, ";")
    texts = [("id_resume", "id_dialogue", "systeme", "resume")]
    texts += [(f"{call}{system}", call, system, _text(call, system)) for call in _CALLS for system in _SYSTEMS]
    _write(folder / "resumes.csv", texts, ";")
    rows: list[Sequence[object]] = [("id_resume", "num_phrase", "phrase", "annotateur", "soutenu", "type_erreur")]
    for who in ("Anne", "Luc"):
        for name, _, _, text in texts[1:]:
            for number, one in enumerate(text.split(". "), start=1):
                said = ("oui", "non", doubt, "oui", "non")[_score(name, str(number), who) - 1]
                kind = ("invention", "contradiction")[number % 2] if said == "non" else ""
                rows.append((name, number, one.rstrip(".") + ".", who, said, kind))
    _write(folder / "annotations.csv", rows, ";")
    return folder


def test_numbered_sentences_of_summaries_in_another_file(tmp_path: Path) -> None:
    corpus = _well(read_corpus(_sentences(tmp_path / "s", "incertain")))
    given = corpus.ratings.filter((pl.col("dimension") == "soutenu") & pl.col("value").is_not_null())
    assert set(given["sentence"]) == {0, 1}
    assert corpus.dimension("soutenu").kind == "binary"
    rows = [line.split(";") for line in (tmp_path / "s" / "annotations.csv").read_text().splitlines()[1:]]
    assert given.height == sum(row[4] in ("oui", "non") for row in rows)
    assert given["value"].sum() == sum(row[4] == "oui" for row in rows)


def test_yes_no_and_an_unknown_word_are_not_passed_over(tmp_path: Path) -> None:
    assert any(
        "'soutenu' looks like judgements" in said for said in _asked(read_corpus(_sentences(tmp_path / "s", "bof")))
    )
