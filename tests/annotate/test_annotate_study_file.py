"""The [annotate] table: ready protocols, errors that name the line, and the pure parts behind it."""

import json
import re
import sqlite3
import tomllib
from contextlib import closing
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, strategies as st
from pydantic import ValidationError
from typer.testing import CliRunner

from dialgauge.annotate import AnnotateSection
from dialgauge.annotate._keys import answer_keys
from dialgauge.annotate._planning import Bundle, choose_groups, choose_pairs, share_out, shuffled
from dialgauge.annotate._protocol import READY, ready_protocol
from dialgauge.annotate._texts import direction, sentences
from dialgauge.cli._app import app
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.study import read_annotation_file, read_study_file, run_study
from dialgauge.study._file import PATTERNS
from dialgauge.study._study_file import StudyFile
from dialgauge.study.stages.scores import MetricsSection
from tests.annotate.annotate_api import HOST, make_section, open_study

_HEAD = '[study]\nname = "s"\n[corpus]\nsource = "embedded"\n'


def _write(folder: Path, annotate: str) -> Path:
    path = folder / "study.toml"
    path.write_text(_HEAD + annotate, "utf-8")
    return path


@pytest.mark.parametrize("name", READY)
def test_ready_protocols_are_whole_study_files(name: str, tmp_path: Path) -> None:
    text = files("dialgauge.annotate").joinpath("examples", f"{name}.toml").read_text("utf-8")
    (tmp_path / "study.toml").write_text(text, "utf-8")
    settings, _ = read_annotation_file(tmp_path / "study.toml")
    assert (
        settings.section(AnnotateSection).model_dump() | {"protocol": name}
        == (
            AnnotateSection.model_validate(
                {"protocol": name, "annotators": tomllib.loads(text)["annotate"]["annotators"]}
            )
        ).model_dump()
    )
    assert settings.section(AnnotateSection).guidelines
    assert set(ready_protocol(name)) >= {"dimensions", "guidelines", "show"}


def test_a_ready_protocol_is_three_lines_and_can_be_changed(tmp_path: Path) -> None:
    path = _write(tmp_path, '[annotate]\nprotocol = "contact-centre"\nannotators = ["a", "b", "c"]\nlanguage = "zh"\n')
    section = read_annotation_file(path)[0].section(AnnotateSection)
    assert section.language == "zh"
    assert section.dimension("relevance").points().labels[6] == "Extremely good"
    assert section.assignment.annotators_per_item == 3


def test_a_study_file_may_have_metrics_and_annotation(tmp_path: Path) -> None:
    annotate = '[annotate]\nprotocol = "dialsummeval"\nannotators = ["a"]\n'
    path = _write(tmp_path, '[metrics]\nuse = ["rouge-1"]\n' + annotate)
    assert read_study_file(path).find(AnnotateSection) is not None
    assert read_annotation_file(path)[0].find(MetricsSection) is not None
    path = _write(tmp_path, '[metrics]\nuse = ["rouge-1"]\n')
    with pytest.raises(InputError, match=r"annotate: is missing; for a start: \[annotate\] with protocol"):
        read_annotation_file(path)


def test_what_a_study_has_written_is_not_in_and_that_is_said(tmp_path: Path) -> None:
    annotate = '[annotate]\nprotocol = "dialsummeval"\nannotators = ["a"]\ndialogues = 2\n'
    path = _write(
        tmp_path, '[summarize]\nsystems = ["lead", "two=longest:n=2"]\n[metrics]\nuse = ["length"]\n' + annotate
    )
    said = CliRunner().invoke(app, ["annotate", str(path), "--links"])
    assert said.exit_code == 0
    assert "not in this project: systems of [summarize] (lead, two)" in said.stderr
    # What it advises works: the run, beside the project that is there, and then a project about its corpus.
    run_study(path)
    corpus = tmp_path / "runs/s/corpus"
    assert str(corpus) in said.stderr
    text = path.read_text("utf-8")
    plain = text[: text.index("[summarize]")] + text[text.index("[metrics]") :]
    path.write_text(plain.replace('"s"', '"rated"').replace('"embedded"', '"runs/s/corpus"'), "utf-8")
    said = CliRunner().invoke(app, ["annotate", str(path), "--links"])
    assert said.exit_code == 0
    assert "not in this project" not in said.stderr
    with closing(sqlite3.connect(tmp_path / "runs/rated/annotation.db")) as connection:
        rows = connection.execute("SELECT DISTINCT system FROM summary").fetchall()
    assert {"lead", "two"} <= {row[0] for row in rows}


_X = '[[annotate.dimensions]]\nname = "x"\n'
_TWO = 'annotators = ["a", "b"]\n'


@pytest.mark.parametrize(
    ("annotate", "line", "message"),
    [
        ('protocol = "dialsumeval"\nannotators = ["a"]\n', 5, "did you mean 'dialsummeval'"),
        ('protocol = "csds"\n', 5, "annotate: name at least one of annotators, or a crowd"),
        ('protocol = "csds"\nannotators = ["a", "a"]\n', 7, "'a' is named twice"),
        ('annotators = ["a"]\n', 5, "nothing to answer"),
        ('annotators = ["a"]\nshows = []\n', 7, "unknown key 'shows'; did you mean 'show'"),
        (_TWO + _X + '[[annotate.dimensions]]\nname = "y"\nscale = "5-1"\n', 9, "lowest point must come first"),
        (_TWO + _X + 'scal = "1-5"\n', 9, "did you mean 'scale'"),
        (_TWO + _X + 'scale = "1-5"\nlabels = ["a", "b"]\n', 7, "labels"),
        ('protocol = "contact-centre"\n' + _TWO, 5, "annotators_per_item is 3, but there are 2"),
        ('protocol = "csds"\nannotators = ["a"]\n', 5, "needs at least two annotators"),
        ('protocol = "dialsummeval"\nannotators = ["a"]\nshow = ["reference"]\n', 5, "include_references"),
        ('protocol = "csds"\nshow = ["dialogue"]\n' + _TWO, 5, "reference-sentences needs show"),
        ('protocol = "csds"\ntask = "compare"\n' + _TWO, 5, "need task = 'rate'"),
        ('task = "write"\n' + _TWO + _X, 5, "asks for a text"),
        ('protocol = "csds"\nannotators = ["a", "Lead"]\n', 7, "'lead' is the name of the lead"),
        ('protocol = "csds"\nannotators = ["a", "b "]\n', 7, "must not begin or end with a space; got 'b '"),
        (_TWO + _X.replace("x", "a/b"), 8, "may only have letters, digits, spaces"),
    ],
)
def test_errors_name_the_line_and_the_way_out(tmp_path: Path, annotate: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_annotation_file(_write(tmp_path, "[annotate]\n" + annotate))
    assert f"study.toml:{line}: " in str(caught.value)
    assert message in str(caught.value)


def test_every_pattern_of_a_study_file_has_words() -> None:
    found = re.findall(r"\"pattern\": (\".*?\")[,}]", json.dumps(StudyFile.model_json_schema()))
    assert found
    assert {json.loads(one) for one in found} <= PATTERNS.keys()


def test_a_default_off_the_scale_and_training_on_unknown_dimensions_are_refused() -> None:
    with pytest.raises(ValidationError, match="not on the scale"):
        make_section(dimensions=[{"name": "x", "default": {"value": 9.0}}])
    item = {"transcript": "A: b", "summary": "c", "expected": {"y": 1.0}}
    with pytest.raises(ValidationError, match="unknown dimension 'y'"):
        make_section(dimensions=[{"name": "x"}], training={"items": [item]})
    with pytest.raises(ValidationError, match="dialogue and system, or transcript and summary"):
        make_section(training={"items": [{"dialogue": "d", "expected": {"relevance": 1.0}}]})


def test_a_study_that_fits_no_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="zq-alphatorn"):
        open_study(tmp_path / "a.db", systems=["zq-alphatorn"]).__enter__()
    with pytest.raises(InputError, match="no summaries"):
        open_study(tmp_path / "b.db", roles=["agent"]).__enter__()
    with pytest.raises(InputError, match="only 3 dialogues"):
        open_study(tmp_path / "c.db", pilot={"dialogues": 3}).__enter__()


def test_links_on_the_command_line(tmp_path: Path) -> None:
    path = _write(tmp_path, '[annotate]\nprotocol = "dialsummeval"\nannotators = ["ada", "bo [/x]"]\ndialogues = 2\n')
    first = CliRunner().invoke(app, ["annotate", str(path), "--links", "--json"])
    second = CliRunner().invoke(app, ["annotate", str(path), "--links", "--json"])
    assert first.exit_code == 0, first.output
    assert first.output == second.output
    assert first.output.count("/enter/") == 3
    shown = CliRunner().invoke(app, ["annotate", str(path), "--links"])
    assert "lead" in shown.output
    assert "bo [/x]" in shown.output
    done = CliRunner().invoke(
        app, ["annotate", str(path), "--export", str(tmp_path / "out"), "--backup", str(tmp_path / "b.db")]
    )
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "corpus.toml").is_file()
    assert (tmp_path / "b.db").is_file()


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=40),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(0, 5),
)
def test_shares_are_distinct_and_even(sizes: list[int], people: int, per_item: int, seed: int) -> None:
    names = [f"p{number}" for number in range(people)]
    per_item = min(per_item, people)
    bundles = [Bundle(number, "overall", tuple(range(size))) for number, size in enumerate(sizes)]
    shares = share_out(bundles, names, per_item, seed)
    assert shares == share_out(bundles, names, per_item, seed)
    assert all(len(set(takers)) == per_item for takers in shares)
    load = {name: sum(s for s, takers in zip(sizes, shares, strict=True) if name in takers) for name in names}
    assert max(load.values()) - min(load.values()) <= max(sizes)


@given(st.integers(2, 14), st.integers(1, 100), st.integers(0, 3))
def test_pairs_are_distinct_and_balanced(count: int, wanted: int, seed: int) -> None:
    pairs = choose_pairs(range(count), wanted, seed)
    everything = set(combinations(range(count), 2))
    assert len(pairs) == len(set(pairs)) == min(wanted, len(everything))
    assert set(pairs) <= everything
    times = [sum(thing in pair for pair in pairs) for thing in range(count)]
    assert max(times) - min(times) <= 2


@given(st.integers(2, 20), st.integers(3, 6), st.integers(0, 3))
def test_groups_cover_everything_without_repeats(count: int, size: int, seed: int) -> None:
    groups = choose_groups(range(count), size, seed)
    assert all(len(set(group)) == len(group) == min(size, count) for group in groups)
    assert {thing for group in groups for thing in group} == set(range(count))


def test_shuffling_depends_on_the_key_alone() -> None:
    assert shuffled(range(50), 1, "a") == shuffled(range(50), 1, "a") != shuffled(range(50), 1, "b")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Who paid 3.50 to Mr. B. today. Done.", ["Dr. Who paid 3.50 to Mr. B. today.", "Done."]),
        ("用户询问密码。客服请用户等待！", ["用户询问密码。", "客服请用户等待！"]),
        ("没有句号", ["没有句号"]),
        ("No end", ["No end"]),
        ("Wait... what?\nNew line", ["Wait...", "what?", "New line"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@given(st.text())
def test_sentences_keep_every_letter_in_order(text: str) -> None:
    letters = [character for character in text if character.isalnum()]
    assert [character for sentence in sentences(text) for character in sentence if character.isalnum()] == letters


def test_direction() -> None:
    assert direction(["12 !", "שלום"]) == "rtl"
    assert direction(["<مرحبا>"]) == "rtl"
    assert direction(["Hello שלום"]) == "ltr"
    assert direction(["123", ""]) == "ltr"


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({}, [("1", "5")]),
        ({"dimensions": [{"name": "a", "scale": "1-7"}, {"name": "b", "scale": "yes/no"}]}, [("1", "7"), ("y", "n")]),
        ({"dimensions": [{"name": "a", "scale": "0-2"}]}, [("0", "2")]),
        ({"dimensions": [{"name": "a", "scale": "1-10"}]}, [("1", "0")]),
        ({"dimensions": [{"name": "a", "scale": "0-100"}]}, []),
        ({"task": "compare"}, [("1", "3")]),
        ({"task": "compare", "ties": False}, [("1", "2")]),
        ({"task": "compare", "ties": ["both-good", "both-bad"]}, [("1", "4")]),
        ({"task": "compare", "strengths": ["slightly", "clearly"]}, [("1", "5")]),
        ({"task": "compare", "ties": [], "strengths": ["a little", "clearly", "much"]}, [("1", "6")]),
        ({"task": "best-worst"}, [("1", "4")]),
        ({"task": "write", "dimensions": []}, []),
    ],
)
def test_the_welcome_page_names_the_keys_of_this_study(settings: dict[str, Any], keys: list[tuple[str, str]]) -> None:
    assert answer_keys(make_section(**settings)) == keys


def test_the_welcome_page_is_for_annotators(tmp_path: Path) -> None:
    dimensions = [{"name": "a", "scale": "1-7"}, {"name": "b", "scale": "0-100"}]
    with open_study(tmp_path / "s.db", dimensions=dimensions) as study:
        pages = {}
        for link in study.project.links():
            pages[link.name] = TestClient(study.app, base_url=HOST).get(link.path).text
    assert "<kbd>1</kbd> … <kbd>7</kbd>" in pages["ada"]
    assert "type a number" in pages["ada"]
    assert "<kbd>5</kbd>" not in pages["ada"]
    assert "<kbd>" not in pages["lead"]


def test_a_table_of_the_study_changes_the_keys_it_has() -> None:
    given = {"protocol": "csds", "annotators": ["a", "b"], "pilot": {"dialogues": 2}}
    section = AnnotateSection.model_validate(given)
    ready = ready_protocol("csds")["pilot"]
    assert section.pilot is not None
    assert section.pilot.model_dump(exclude_unset=True) == {**ready, "dialogues": 2}
    assert ready["dialogues"] != 2
