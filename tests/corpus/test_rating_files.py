"""Ratings in a file of their own: their mapping, names that do not fit, values that are no numbers."""

import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.corpus import (
    Corpus,
    Dialogue,
    Summary,
    add_ratings,
    open_corpus,
    read_corpus,
    read_ratings,
    source_files,
    write_corpus,
)
from dialgauge.corpus._likely import likely_names
from dialgauge.errors import InputError
from dialgauge.study.stages.corpus import CorpusSection

Cli = Callable[..., Any]
WAY = "dialgauge convert SUMMARIES corpus --ratings FILE"


def build(systems: list[str], dialogues: tuple[str, ...] = ("call-01", "call-02")) -> Corpus:
    summaries = [Summary(dialogue, system, "They talk.") for dialogue in dialogues for system in systems]
    return Corpus.build([Dialogue(dialogue, ()) for dialogue in dialogues], summaries)


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    write_corpus(build(["alpha", "beta"]), tmp_path / "calls.csv")
    return tmp_path / "calls.csv"


def ratings_file(folder: Path, *rows: str, head: str = "id,system,annotator,wit") -> Path:
    path = folder / "r.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


class TestMapping:
    def test_a_constant_scale(self, cli: Cli, tmp_path: Path, calls: Path) -> None:
        file = ratings_file(tmp_path, "call-01,alpha,ann,7", "call-01,beta,ann,4")
        outcome = cli("convert", calls, tmp_path / "out", "--ratings", file, "--map-ratings", "scale==1-5")
        assert outcome.code == 0
        assert read_corpus(tmp_path / "out").ratings["scale"].to_list() == ["1-5", "1-5"]
        found = json.loads(cli("agreement", tmp_path / "out", "--resamples", 20, "--json").out)
        assert [row["value"] for row in found["invalid"]] == [7.0]

    def test_foreign_columns(self, cli: Cli, tmp_path: Path, calls: Path) -> None:
        file = ratings_file(tmp_path, "call-01,alpha,ann,4", head="Akte,KI,Pruefer,Richtigkeit")
        command = ("convert", calls, tmp_path / "out", "--ratings", file)
        outcome = cli(*command)
        assert outcome.code == 2
        assert "no column holds the dialogue_id or the system; found: Akte, KI" in outcome.err
        assert "Map dialogue_id=COLUMN and system=COLUMN (on the command line: --map-ratings)" in outcome.err
        outcome = cli(*command, "--map", "dialogue_id=Akte")
        assert outcome.code == 2
        assert "unknown column in --map 'Akte'" in outcome.err
        assert "columns of the file of --ratings: --map-ratings" in outcome.err
        keys = ("--map-ratings", "dialogue_id=Akte", "--map-ratings", "system=KI")
        assert "annotator=COLUMN (numbers beside it are ratings)" in cli(*command, *keys).err
        assert cli(*command, *keys, "--map-ratings", "annotator=Pruefer").code == 0
        assert read_corpus(tmp_path / "out").dimensions == ["Richtigkeit"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--map", "scale==1-5"), "which has no ratings; for --ratings: --map-ratings scale==1-5"),
            (("--map-ratings", "system=sytem"), "unknown column in --map-ratings 'sytem'; did you mean 'system'?"),
            (("--map", "sumary=x"), "unknown use in the mapping 'sumary'"),
            (("--map-ratings", "wit"), "write USE=COLUMN"),
        ],
    )
    def test_mistakes(self, cli: Cli, tmp_path: Path, calls: Path, options: tuple[str, ...], message: str) -> None:
        file = ratings_file(tmp_path, "call-01,alpha,ann,4")
        outcome = cli("convert", calls, tmp_path / "out", "--ratings", file, *options)
        assert outcome.code == 2
        assert message in outcome.err
        assert not (tmp_path / "out").exists()

    def test_a_mapping_for_no_file(self, cli: Cli, tmp_path: Path, calls: Path) -> None:
        outcome = cli("convert", calls, tmp_path / "out", "--map-ratings", "scale==1-5")
        assert outcome.code == 2
        assert "--map-ratings needs --ratings FILE" in outcome.err


class TestNames:
    def test_each_is_said_once(self, cli: Cli, tmp_path: Path, calls: Path) -> None:
        rows = [f"call-0{call},{system},{who},4" for call in "12" for system in ("Alpha", "beta ") for who in "ab"]
        outcome = cli("convert", calls, tmp_path / "out", "--ratings", ratings_file(tmp_path, *rows))
        notes = [line for line in outcome.err.splitlines() if line.startswith("note:")]
        assert notes == [
            "note: r.csv: system 'Alpha' is not in the corpus; did you mean 'alpha'?",
            "note: r.csv: system 'beta ' is not in the corpus; did you mean 'beta'?",
        ]

    def test_what_is_close_to_nothing(self) -> None:
        ratings = pl.DataFrame({"dialogue_id": ["call-03", "CALL-01"], "system": ["zzz", "alpha"]})
        ratings = ratings.with_columns(variant=pl.lit("original"), role=pl.lit("Overall"))
        assert likely_names(ratings, build(["alpha", "beta"]).summaries) == [
            "dialogue 'CALL-01' is not in the corpus; did you mean 'call-01'?",
            "system 'zzz' is not in the corpus; known: alpha, beta",
            "role 'Overall' is not in the corpus; did you mean 'overall'?",
        ]

    def test_many_are_counted(self) -> None:
        key = {"dialogue_id": "call-01", "variant": "original", "role": "overall"}
        ratings = pl.DataFrame([{**key, "system": f"{number} beta"} for number in range(8)])
        sentences = likely_names(ratings, build(["beta"]).summaries)
        assert len(sentences) == 6
        assert sentences[-1] == "not in the corpus either: 3 more systems"

    @given(st.lists(st.text(string.ascii_letters + " -", min_size=1), min_size=1, max_size=6, unique=True))
    def test_names_that_fit_are_not_said(self, systems: list[str]) -> None:
        summaries = build(systems).summaries
        assert likely_names(summaries, summaries) == []
        changed = summaries.with_columns(pl.col("system") + "  ")
        strangers = set(changed["system"]) - set(systems)
        assert len(likely_names(changed, summaries)) == min(len(strangers), 5) + (len(strangers) > 5)

    def test_notes_of_the_file_are_kept(self, tmp_path: Path) -> None:
        file = ratings_file(tmp_path, "call-01;alpha;4", head="id;system;fluency")
        assert add_ratings(build(["alpha"]), file).notes == (
            "r.csv: separated by ';'",
            "r.csv: no column names the annotators: all ratings are assigned to the annotator '1'",
        )


class TestValues:
    def test_wrong_ones_are_shown(self, tmp_path: Path) -> None:
        file = ratings_file(
            tmp_path, "d;s;a;4", "d;s;b; 2,5 ", "d;s;c;vier", f"d;s;e;{'x' * 99}", head="id;system;annotator;wit"
        )
        _, problems = read_ratings(file)
        assert [(problem.line, problem.given) for problem in problems] == [(3, "2,5"), (4, "vier"), (5, "x" * 99)]
        assert str(problems[0]).endswith("has a decimal comma; write it with a point, as in 2.5: '2,5'")
        assert str(problems[1]).endswith("the value is not a number: 'vier'")
        assert str(problems[2]).endswith(f"the value is not a number: '{'x' * 39}…'")

    def test_a_column_of_decimal_commas_holds_ratings(self, tmp_path: Path) -> None:
        file = ratings_file(tmp_path, "d;s;a;3,5", "d;s;b;2,5", head="id;system;annotator;wit")
        ratings, problems = read_ratings(file)
        assert ratings["value"].to_list() == [3.5, 2.5]
        assert problems == ()


class TestSeparatorLine:
    @pytest.mark.parametrize("first", ["sep=;\n", "SEP=;\r\n", '"sep=;"\n'])
    def test_is_no_row(self, tmp_path: Path, first: str) -> None:
        path = tmp_path / "c.csv"
        path.write_bytes(f"{first}id;system;summary\nd;s;One, two, three\nd;s;again\n".encode())
        corpus = read_corpus(path)
        assert corpus.summaries["text"].to_list() == ["One, two, three"]
        assert [problem.line for problem in corpus.problems] == [4]

    def test_decides_where_another_occurs_more_often(self, tmp_path: Path) -> None:
        (tmp_path / "c.csv").write_text("sep=^\nid^system^a,b,c,d^summary\nd^s^1^x\n")
        assert read_corpus(tmp_path / "c.csv").summaries["text"].to_list() == ["x"]

    def test_lines_are_true_in_broken_files(self, tmp_path: Path) -> None:
        (tmp_path / "c.csv").write_text("sep=;\nid;system;summary\nd;s;x\nd;t;y;z\n")
        assert [(p.line, p.key) for p in read_corpus(tmp_path / "c.csv").problems] == [(4, "d")]

    def test_alone(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "c.csv").write_text("sep=;\n")
        outcome = cli("inspect", tmp_path / "c.csv")
        assert (outcome.code, "has no rows" in outcome.err) == (2, True)


def test_dead_ends_name_the_way(cli: Cli, tmp_path: Path, calls: Path) -> None:
    file = ratings_file(tmp_path, "call-01,alpha,ann,4")
    outcome = cli("agreement", calls)
    assert outcome.code == 2
    assert WAY in outcome.err
    assert WAY in cli("inspect", file).err
    outcome = cli("score", file, "-m", "compression")
    assert outcome.code == 2
    assert "have no texts" in outcome.err


def test_judgements_without_texts_are_a_corpus_for_agreement(cli: Cli, tmp_path: Path) -> None:
    file = ratings_file(tmp_path, *(f"call-{n},alpha,{who},{1 + n % 4}" for n in range(8) for who in ("ann", "bob")))
    outcome = cli("agreement", file, "--json")
    assert outcome.code == 0
    assert "judgements without texts" in outcome.err
    corpus = read_corpus(file)
    assert (corpus.ratings.height, set(corpus.summaries["text"])) == (16, {""})


def test_without_a_scale_the_way_to_one_is_said(cli: Cli, tmp_path: Path, calls: Path) -> None:
    file = ratings_file(tmp_path, "call-01,alpha,ann,4", "call-01,alpha,bob,5")
    cli("convert", calls, tmp_path / "out", "--ratings", file)
    found = json.loads(cli("agreement", tmp_path / "out", "--resamples", 20, "--json").out)["findings"]
    message = next(finding["message"] for finding in found if finding["check"] == "no-scale")
    assert "a column 'scale'" in message
    assert "--map-ratings scale==1-5" in message


def test_a_study_names_files_by_patterns(tmp_path: Path) -> None:
    for number in (1, 2):
        calls = f"id,dialogue,system,summary\nC{number},Agent: Hi | Ann: Late,bart,It is late.\n"
        (tmp_path / f"calls-{number}.csv").write_text(calls)
        (tmp_path / f"ratings-{number}.csv").write_text(f"id,system,rater,fluency\nC{number},bart,ann,{number}\n")
    section = CorpusSection(source="calls-*.csv", ratings="ratings-*.csv")
    corpus = open_corpus(section.source, home=tmp_path)
    for _, path, _ in section.rating_files(tmp_path):
        corpus = add_ratings(corpus, path)
    assert corpus.ratings.select("dialogue_id", "value").rows() == [("C1", 1.0), ("C2", 2.0)]
    assert [path.name for path in source_files(section.source, tmp_path)] == ["calls-1.csv", "calls-2.csv"]
    with pytest.raises(InputError, match=r"no file is called more-\*\.csv"):
        list(CorpusSection(source="calls-*.csv", ratings="more-*.csv").rating_files(tmp_path))
