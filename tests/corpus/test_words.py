"""Words that the user explains: those of a scale, and those that mean that nothing was given."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import Corpus, ReadingSettings, add_ratings, inspect_file, read_corpus
from dialgauge.errors import InputError

Cli = Callable[..., Any]
FILE = """id,dialogue,system,summary,annotator,fluency,tone
1,Ana: Hi | Bo: Ho,x,They greet.,ann,meh,cold
1,,x,They greet.,bob,Nice,warm
1,,x,They greet.,cy,pass,lukewarm
2,Ana: Hi | Bo: Hu,x,They meet.,ann,superb,99
2,,x,They meet.,bob,nice,cold
2,,x,They meet.,cy,meh,warm
"""
SCALES = ("fluency:meh<nice<superb", "cold < lukewarm < warm")
WORDS = ReadingSettings(scale_words=SCALES, not_given=("pass", "99"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "words.csv"
    path.write_text(FILE)
    return path


def check(corpus: Corpus) -> None:
    values = {
        name: corpus.ratings.filter(dimension=name).sort("dialogue_id", "annotator")["value"].to_list()
        for name in ("fluency", "tone")
    }
    assert values == {"fluency": [1, 2, None, 3, 2, 1], "tone": [1, 3, 2, None, 1, 3]}
    fluency, tone = corpus.dimension("fluency"), corpus.dimension("tone")
    assert (fluency.kind, fluency.scale, fluency.labels) == ("ordinal", "1-3", ("meh", "nice", "superb"))
    assert (tone.labels, tone.said_by) == (("cold", "lukewarm", "warm"), "user")
    assert corpus.accounts[-1].not_given == {"99": 1, "pass": 1}
    assert not corpus.accounts[-1].left_out


def test_in_python_on_the_command_line_and_in_a_study(path: Path, tmp_path: Path, cli: Cli) -> None:
    check(read_corpus(path, reading=WORDS))
    options = ["--scale-words", SCALES[0], "--scale-words", SCALES[1], "--not-given", "pass, 99"]
    assert cli("convert", path, tmp_path / "out", *options).code == 0
    check(read_corpus(tmp_path / "out"))
    from dialgauge.study.stages.corpus import CorpusSection

    section = CorpusSection(source=str(path), scale_words=SCALES, not_given=("pass", "99"))
    check(read_corpus(path, reading=section.reading))


def test_without_words_the_file_is_refused(path: Path, tmp_path: Path, cli: Cli) -> None:
    assert cli("convert", path, tmp_path / "out").code == 1
    check(read_corpus(path, reading=WORDS))
    assert read_corpus(path).accounts[0].too_much()  # words hold for one source only


def test_a_table_in_memory_and_ratings_of_their_own(path: Path) -> None:
    frame = pl.read_csv(path, infer_schema=False)
    check(read_corpus(frame, reading=WORDS))
    base = read_corpus(frame.drop("annotator", "fluency", "tone"))
    check(add_ratings(base, frame.drop("dialogue", "summary"), reading=WORDS))


def test_inspect_has_the_words_and_prints_them(path: Path, tmp_path: Path, cli: Cli) -> None:
    outcome = cli("inspect", path, "--scale-words", SCALES[0], "--scale-words", SCALES[1], "--not-given", "pass,99")
    command = shlex.split(outcome.out.splitlines()[-1])
    assert cli("convert", command[2], tmp_path / "out", *command[4:]).code == 0
    check(read_corpus(tmp_path / "out"))
    assert inspect_file(path, reading=WORDS).found["ratings"] == 12


def test_codes_for_missing_values_in_numbers(tmp_path: Path) -> None:
    rows = [
        {"id": str(n % 3), "dialogue": f"Ana: Hi {n % 3} | Bo: Ho", "system": "x", "summary": f"They greet {n % 3}."}
        | {"annotator": f"w{n}", "fluency": value}
        for n, value in enumerate([4.0, 99.0, 2.0, 5.0, 1.0, -1.0])
    ]
    given = read_corpus(rows, reading=ReadingSettings(not_given=("99", "-1"))).ratings["value"].drop_nulls()
    assert sorted(given) == [1, 2, 4, 5]


def test_a_word_that_is_known_otherwise(tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text(FILE.replace("pass", "none").replace("meh", "none").replace("99", "cold"))
    words = ReadingSettings(scale_words=("fluency:none<nice<superb", "cold<lukewarm<warm"))
    corpus = read_corpus(tmp_path / "none.csv", reading=words)
    assert corpus.ratings.filter(dimension="fluency")["value"].null_count() == 0


def test_words_off_the_scale_and_names_of_no_dimension_are_said(path: Path) -> None:
    words = ReadingSettings(scale_words=("fluency:meh<nice", "fluancy:meh<nice", SCALES[1]), not_given="pass")
    corpus = read_corpus(path, reading=words)
    assert [one.given for one in corpus.problems if one.reason == "the value is no word of the scale"] == [
        "superb",
        "99",
    ]
    assert any("scale words of 'fluancy' were not needed: the dimensions are fluency, tone" in n for n in corpus.notes)


@pytest.mark.parametrize(
    ("scales", "skipped", "message"),
    [
        (("poor",), (), "write different words from the lowest"),
        (("poor<<good",), (), "write different words"),
        (("poor<Good<good",), (), "write different words"),
        ((":poor<good",), (), "the name of the dimension is missing"),
        (("a:poor<good", "a:bad<good"), (), "'a' is given two scales"),
        (("poor<good",), ("Good",), "'good' cannot be a word of a scale and mean that nothing is given"),
        ((), ("skip", " "), "a word is missing"),
    ],
)
def test_bad_words(
    scales: tuple[str, ...], skipped: tuple[str, ...], message: str, path: Path, tmp_path: Path, cli: Cli
) -> None:
    with pytest.raises(InputError, match=message):
        ReadingSettings(scale_words=scales, not_given=skipped)
    options = [word for scale in scales for word in ("--scale-words", scale)]
    options += [word for one in skipped for word in ("--not-given", one)]
    outcome = cli("convert", path, tmp_path / "out", *options)
    assert outcome.code == 2
    assert message in outcome.err
    assert "--not-given" in outcome.err if skipped else "--scale-words" in outcome.err
