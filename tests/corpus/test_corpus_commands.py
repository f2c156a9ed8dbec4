"""The commands inspect, convert and datasets, as a user runs them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import read_corpus
from dialgauge.errors import InputError, UnknownNameError

runner = CliRunner()


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.csv"
    path.write_text('nr;hyp;chat;model\n1;Short;"A: hi\nB: ho";m1\n1;Short;;m1\n2;[bold]x[/];A: yo;m1\n')
    return path


def run(*arguments: object) -> str:
    result = runner.invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_inspect_says_what_and_why(messy: Path) -> None:
    output = run("inspect", messy, "--map", "dialogue_id=nr")
    assert "csv (the name ends in .csv), utf-8, 3 rows" in " ".join(output.split())
    assert "the mapping says so" in output
    assert "look like turns" in output
    found = json.loads(run("inspect", messy, "--map", "dialogue_id=nr", "--json", "--rows", 1))
    assert {column["name"]: column["use"] for column in found["columns"]} == {
        "nr": "dialogue_id",
        "hyp": "summary",
        "chat": "dialogue",
        "model": "system",
    }
    assert len(found["first_rows"]) == 1
    assert found["found"] == {"dialogues": 2, "summaries": 2, "ratings": 0}
    assert found["problems"] == []
    assert any("there twice, identical" in note for note in found["notes"])
    assert any("';'" in note for note in found["notes"])


def test_inspect_ratings_nothing_and_folders(tmp_path: Path, messy: Path) -> None:
    (tmp_path / "r.csv").write_text("id,system,annotator,wit,n_words,index\nd,s,1,3,9,1\n")
    found = json.loads(run("inspect", tmp_path / "r.csv", "--json"))
    assert found["found"] == {"dialogues": 1, "summaries": 1, "ratings": 1}
    assert {column["name"] for column in found["columns"] if column["use"] is None} == {"n_words", "index"}
    (tmp_path / "n.csv").write_text("a,b\n1,2\n")
    found = json.loads(run("inspect", tmp_path / "n.csv", "--json"))
    assert found["found"] == {}
    assert any("no column holds dialogues" in note for note in found["notes"])
    run("convert", messy, tmp_path / "corpus", "--map", "dialogue_id=nr")
    assert json.loads(run("inspect", tmp_path / "corpus", "--json"))["found"]["summaries"] == 2


def test_inspect_shows_markup_as_it_is(messy: Path) -> None:
    assert "[bold]x[/]" in run("inspect", messy, "--rows", 3)


def test_convert(messy: Path, tmp_path: Path) -> None:
    output = run("convert", messy, tmp_path / "corpus", "--map", "dialogue_id=nr")
    assert "dialogues" in output
    corpus = read_corpus(tmp_path / "corpus", strict=True)
    assert corpus.summaries["text"].to_list() == ["Short", "[bold]x[/]"]
    found = json.loads(run("convert", tmp_path / "corpus", tmp_path / "c.jsonl", "--json"))
    assert (found["dialogues"], found["summaries"], found["problems"]) == (2, 2, [])


def test_convert_strict_writes_nothing(messy: Path, tmp_path: Path) -> None:
    messy.write_text(messy.read_text() + "2;other;;m1\n")
    with pytest.raises(InputError, match="1 bad row"):
        run("convert", messy, tmp_path / "corpus", "--map", "dialogue_id=nr", "--strict")
    assert not (tmp_path / "corpus").exists()


def test_convert_with_a_file_of_ratings(messy: Path, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("id,system,annotator,wit\n1,m1,a,3\n9,m1,a,4\n2,m1,a,x\n")
    target = tmp_path / "c.parquet"
    arguments = ("--map", "dialogue_id=nr", "--ratings", tmp_path / "ratings.csv", "--json")
    refused = runner.invoke(app, ["convert", str(messy), str(target), *map(str, arguments)])
    assert refused.exit_code == 1
    assert not target.exists()
    found = json.loads(run("convert", messy, target, *arguments, "--allow-left-out", "all"))
    assert found["ratings"] == 1
    assert found["reasons"] == {
        "the value is not a number": 1,
        "rating of a summary that is not in the corpus": 1,
    }
    places = [(Path(problem["file"]).name, problem["line"]) for problem in found["problems"]]
    assert places == [("ratings.csv", 3), ("ratings.csv", 4)]
    assert read_corpus(target).ratings.height == 1


def test_convert_strict_lists_the_bad_rows_of_both_files(messy: Path, tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("id,system,annotator,wit\n1,m1,a,3\n9,m1,a,4\n2,m1,a,x\n")
    messy.write_text(messy.read_text() + "2;other;;m1\n")
    with pytest.raises(InputError, match="3 bad rows") as caught:
        run("convert", messy, tmp_path / "c", "--map", "dialogue_id=nr", "--ratings", ratings, "--strict")
    listed = [line.split(": ")[0].strip() for line in str(caught.value).splitlines()[1:]]
    assert listed == [f"{messy}:6", f"{ratings}:3", f"{ratings}:4"]
    assert not (tmp_path / "c").exists()


def test_convert_by_named_formats(messy: Path, tmp_path: Path) -> None:
    messy.rename(tmp_path / "data")
    options = ("--map", "dialogue_id=nr", "--from-format", "csv", "--to-format", "jsonl")
    run("convert", tmp_path / "data", tmp_path / "out", *options)
    assert json.loads((tmp_path / "out").read_text().splitlines()[0])["id"] == "1"


def test_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    assert "dialsummeval" in run("datasets")
    assert {entry["folder"] for entry in json.loads(run("datasets", "--json"))} == {None}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "FacEval_human_result.csv").write_text("x")
    run("datasets", "get", "faceval", "--from", tmp_path / "mine")
    shown = json.loads(run("datasets", "show", "faceval", "--json"))
    assert shown["folder"] == str(tmp_path / "cache" / "datasets" / "faceval")
    assert "Wang et al." in run("datasets", "show", "faceval")
    with pytest.raises(UnknownNameError, match="did you mean 'faceval'"):
        run("datasets", "show", "faceeval")
