"""Single values that are none, bands over headings, parts of file names, and labels of which only the mean is read."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, ReadingSettings, read_corpus

_SYSTEMS = ("Oak", "Elm")
_CALLS = {
    f"R-{n}": f"Agent: Desk {n}, hello.\nCustomer: The lamp {n} is broken.\nAgent: I send one." for n in range(1, 9)
}


def _write(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows(rows)
    return path


def _score(call: str, system: str, who: str, points: int = 5) -> int:
    return (int(call[2:]) * 2 + len(who) + 3 * (system == "Elm")) % points + 1


def _rated(slips: dict[int, object], points: int = 5) -> list[list[object]]:
    """A row per call, system and person, in which the values of some rows are others."""
    rows: list[list[object]] = [["call id", "transcript", "system", "summary", "rater", "clarity"]]
    for call, text in _CALLS.items():
        for system in _SYSTEMS:
            for who in ("Ana", "Berta"):
                value = slips.get(len(rows), _score(call, system, who, points))
                rows.append([call, text, system, f"{system} says lamp {call[2:]} is broken.", who, value])
    return rows


def _asked(corpus: Corpus) -> list[str]:
    return [text for one in corpus.accounts for text in one.too_much()]


@pytest.mark.parametrize(("value", "far"), [(44, True), (-1, True), (-99, True), (6, False), (9, False)])
def test_a_value_far_off_all_others_is_left_out_and_named(tmp_path: Path, value: int, far: bool) -> None:
    corpus = read_corpus(_write(tmp_path / "a.csv", _rated({5: value})))
    assert not _asked(corpus)
    assert corpus.ratings["value"].count() == (31 if far else 32)
    assert (value in corpus.ratings["value"].to_list()) is not far
    assert [problem.line for problem in corpus.problems] == ([14] if far else [])
    assert any(f"clarity: {value} is far off" in note for note in corpus.notes) is far
    assert corpus.dimension("clarity").kind == "ordinal"


def test_the_printed_options_say_what_such_a_value_is(tmp_path: Path) -> None:
    path = _write(tmp_path / "a.csv", _rated({5: 44}))
    said = next(note for note in read_corpus(path).notes if "far off" in note)
    assert "--not-given 44;" in said
    assert said.endswith("--map scale==1-44")
    given = read_corpus(path, reading=ReadingSettings(not_given=("44",)))
    assert not given.problems
    assert given.accounts[0].not_given == {"44": 1}
    assert 44 in read_corpus(path, mapping={"scale": "=1-44"}).ratings["value"].to_list()


def test_a_code_that_comes_again_is_asked_about(tmp_path: Path) -> None:
    corpus = read_corpus(_write(tmp_path / "a.csv", _rated(dict.fromkeys((3, 8, 12, 20, 28), 99))))
    assert corpus.ratings["value"].count() == 27
    assert _asked(corpus) == ["5 of 32 judgements left out (16%)"]


@pytest.mark.parametrize("values", [(0, 25, 50, 75, 100), (1, 2, 3, 40, 77), (-2, -1, 0, 1, 2), (0, 2, 5, 10, 60)])
def test_other_scales_are_no_slips(tmp_path: Path, values: tuple[int, ...]) -> None:
    slips: dict[int, object] = {row: values[row % 5] for row in range(1, 33)}
    corpus = read_corpus(_write(tmp_path / "a.csv", _rated(slips)))
    assert not corpus.problems
    assert corpus.ratings["value"].count() == 32


def test_many_faults_of_one_summary_are_no_slip(tmp_path: Path) -> None:
    rows = _rated({5: 23})
    rows[0][-1] = "error_count"
    assert 23 in read_corpus(_write(tmp_path / "a.csv", rows)).ratings["value"].to_list()


@pytest.mark.parametrize(("band", "turned"), [("Marks 1 to 5 (5 = excellent)", False), ("1-5 (1 = best)", True)])
def test_a_band_that_explains_the_scale_is_no_part_of_names(tmp_path: Path, band: str, turned: bool) -> None:
    rows = [[*row, "ny"[number % 3 == 0], "a remark"] for number, row in enumerate(_rated({}))]
    rows[0] = ["call id", "transcript", "system", "summary", "rater", "clarity", "fatal error", "comment"]
    corpus = read_corpus(_write(tmp_path / "a.csv", [["", "", "", "", "", band, "", ""], *rows]))
    assert not _asked(corpus)
    assert corpus.dimensions == ["clarity", "fatal error"]
    clarity = corpus.dimension("clarity")
    assert (clarity.scale, clarity.direction) == ("1-5", "lower" if turned else "higher")
    assert corpus.dimension("fatal error").direction == "lower"
    assert set(corpus.ratings["comment"]) == {"a remark"}


def test_a_band_that_names_something_is_kept(tmp_path: Path) -> None:
    rows = [[*row, row[-1]] for row in _rated({})]
    head = [*rows[0][:5], "clarity", "tone"]
    corpus = read_corpus(_write(tmp_path / "a.csv", [["", "", "", "", "", "Teacher", ""], head, *rows[1:]]))
    assert all("Teacher" in name for name in corpus.dimensions)


@pytest.mark.parametrize(
    ("names", "people"),
    [
        (("Round 2 - Ana", "Round 2 - Berta"), ["Ana", "Berta"]),
        (("ana_scores", "berta_scores"), ["ana", "berta"]),
        (("rater_1", "rater_2"), ["rater_1", "rater_2"]),
        (("Ana", "Berta"), ["Ana", "Berta"]),
    ],
)
def test_people_are_called_by_their_part_of_file_names(
    tmp_path: Path, names: tuple[str, str], people: list[str]
) -> None:
    rows = _rated({})
    for name, who in zip(names, ("Ana", "Berta"), strict=True):
        own = [[*row[:4], row[5]] for row in rows if row[4] in (who, "rater")]
        _write(tmp_path / "s" / f"{name}.csv", own)
        records = [dict(zip(own[0], row, strict=True)) for row in own[1:]]
        (tmp_path / "j").mkdir(exist_ok=True)
        (tmp_path / "j" / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
    for folder in ("s", "j") if people[0] != "rater_1" else ("s",):  # numbered records are asked about
        corpus = read_corpus(tmp_path / folder)
        assert not _asked(corpus)
        assert sorted(corpus.ratings["annotator"].unique()) == people


def test_labels_of_which_the_mean_is_read_are_counted_as_not_used(tmp_path: Path) -> None:
    records = [
        {
            "id": call,
            "dialogue": text,
            "units": ["one", "two", "three"],
            "outputs": {system: f"{system} says lamp {call}." for system in _SYSTEMS},
            "annotations": {
                system: {"coverage_labels": labels, "coverage": round(sum(labels) / 3, 2)}
                for system in _SYSTEMS
                for labels in [[1, int(system == "Oak"), int(call[2:]) % 2]]
            },
        }
        for call, text in _CALLS.items()
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records))
    corpus = read_corpus(path)
    assert corpus.dimensions == ["coverage"]
    assert corpus.accounts[0].unused == {"coverage_labels": 48}
    assert any("'coverage_labels', which are not read" in note for note in corpus.notes)
    assert corpus.ratings.filter(pl.col("system") == "Oak")["value"].to_list()[:2] == [1.0, 0.67]


def test_many_of_what_may_be_counted_are_no_slip(tmp_path: Path) -> None:
    slips: dict[int, object] = {row: row % 5 for row in range(1, 33)}
    rows = _rated(slips | {9: 17})
    rows[0][-1] = "edits needed"
    assert 17 in read_corpus(_write(tmp_path / "a.csv", rows)).ratings["value"].to_list()


def test_names_below_a_band_that_may_be_people_are_asked_about(tmp_path: Path) -> None:
    rows = [[*row[:4], row[5], _score(str(row[0]), str(row[2]), "x")] for row in _rated({})[1::2]]
    head = ["call id", "transcript", "system", "summary", "Ana", "Berta"]
    corpus = read_corpus(_write(tmp_path / "a.csv", [["", "", "", "", "Marks 1-5", ""], head, *rows]))
    assert any("'Ana' looks like judgements" in text for text in _asked(corpus))
