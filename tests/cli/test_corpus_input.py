"""What commands say about the corpus they were given: notes, bad rows, and where there is nothing to score."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn, write_corpus

Cli = Callable[..., Any]
DIFFERS = "the text differs from an earlier row for this summary"


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    """Twelve bad rows: ten summaries with another text, two without a dialogue_id; and a column that nobody uses."""
    path = tmp_path / "messy.csv"
    good = [f"d{n},A: hello,s,They say hello.,x" for n in range(10)]
    other = [row.replace("They say", "Both say") for row in good]
    path.write_text("\n".join(["id,dialogue,system,summary,secret", *good, *other, *[",A: hi,s,Hi.,x"] * 2]) + "\n")
    return path


def test_bad_rows_and_notes_are_said_on_stderr(cli: Cli, messy: Path) -> None:
    refused = cli("score", messy, "-m", "length", "-o", messy.parent / "scores.parquet")
    assert refused.code == 1
    assert "messy.csv: 12 of 22 rows left out (55%)" in refused.err
    assert not (messy.parent / "scores.parquet").exists()
    outcome = cli("score", messy, "-m", "length", "--allow-left-out", "60%")
    assert outcome.code == 0
    lines = outcome.err.splitlines()
    assert "note: columns not used: secret" in lines
    assert f"skipped 10 rows: {DIFFERS}" in lines
    assert "skipped 2 rows: the row has no dialogue_id" in lines
    shown = [line for line in lines if line.startswith("  ")]
    assert shown[:10] == [f"  {messy}:{n + 12}: [d{n} / s / original / overall] {DIFFERS}" for n in range(10)]
    assert shown[10:] == ["  … and 2 more ('dialgauge inspect FILE --json' lists all)"]
    assert "messy.csv" not in outcome.out


def test_score_json_has_every_problem(cli: Cli, messy: Path) -> None:
    document = json.loads(cli("score", messy, "-m", "length", "--json", "--allow-left-out", "all").out)
    assert len(document["problems"]) == 12
    assert document["problems"][0] == {
        "file": str(messy),
        "line": 12,
        "key": "d0 / s / original / overall",
        "reason": DIFFERS,
        "given": None,
    }
    assert document["notes"] == ["columns not used: secret"]


def test_strict_lists_every_bad_row(cli: Cli, messy: Path) -> None:
    outcome = cli("score", messy, "-m", "length", "--strict")
    assert outcome.code == 2
    assert "12 bad rows" in outcome.err
    assert [line.split(": ")[0] for line in outcome.err.splitlines()[1:]] == [f"  {messy}:{n}" for n in range(12, 24)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("id,dialogue\n1,A: hi\n2,A: ho\n", "2 dialogues, 0 references, 0 ratings"),
        ("id,dialogue,summary\n1,A: hi,Hi.\n", "1 dialogue, 1 reference, 0 ratings"),
    ],
)
def test_nothing_to_score_is_an_error(cli: Cli, tmp_path: Path, text: str, found: str) -> None:
    (tmp_path / "c.csv").write_text(text)
    outcome = cli("score", tmp_path / "c.csv", "-m", "length")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"no summaries to score; found: {found}" in outcome.err
    assert cli("score", tmp_path / "c.csv", "-m", "length", "--include-references").code == (
        2 if "0 ref" in found else 0
    )


@pytest.mark.parametrize("metrics", [["length"], ["rouge@source", "length", "chrf@source"]])
@pytest.mark.parametrize("systems", [3, 13, 40])
def test_numbers_stay_whole_whatever_the_width(cli: Cli, tmp_path: Path, metrics: list[str], systems: int) -> None:
    summaries = [Summary("d", f"a-system-{n}", f"They {'really ' * n} meet at noon.") for n in range(systems)]
    write_corpus(Corpus.build([Dialogue("d", (Turn("A", "we meet at noon"),))], summaries), tmp_path / "c")
    arguments = [part for metric in metrics for part in ("-m", metric)]
    outcome = cli("score", tmp_path / "c", *arguments)
    assert outcome.code == 0
    assert max(map(len, outcome.out.splitlines())) <= 100
    words = outcome.out.split()
    means = json.loads(cli("score", tmp_path / "c", *arguments, "--json").out)["systems"]
    for system in means:
        assert system["system"] in words
        for metric, value in system.items():
            if metric not in ("system", "variant", "role"):
                assert metric in words
                assert f"{value:.4g}" in words


def test_a_run_says_what_was_left_out_each_time(cli: Cli, messy: Path) -> None:
    study = messy.parent / "study.toml"
    study.write_text('[study]\nname = "s"\n[corpus]\nsource = "messy.csv"\n[metrics]\nuse = ["length"]\n')
    refused = cli("run", study)
    assert refused.code == 1
    assert "messy.csv: 12 of 22 rows left out (55%)" in refused.err
    study.write_text(study.read_text().replace('"messy.csv"', '"messy.csv"\nallow_left_out = "60%"'))
    first = cli("run", study)
    assert first.code == 0
    lines = first.err.splitlines()
    assert "note: columns not used: secret" in lines
    assert f"skipped 10 rows: {DIFFERS}" in lines
    assert f"  messy.csv:12: [d0 / s / original / overall] {DIFFERS}" in lines
    again = cli("run", study)
    assert "unchanged" in again.out
    assert again.err == first.err
    document = json.loads(cli("run", study, "--json").out)
    assert document["left_out"] == {DIFFERS: 10, "the row has no dialogue_id": 2}
    assert len(document["problems"]) == 12
    assert document["notes"] == ["columns not used: secret"]


ALLOWED = "note: messy.csv: 12 of 22 rows left out (55%), as was allowed when this corpus was made"


def test_what_was_allowed_once_stays_allowed_and_is_said(
    cli: Cli, messy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(messy.parent)
    assert cli("convert", "messy.csv", "corpus", "--allow-left-out", "60%").code == 0
    study = Path("study.toml")
    study.write_text('[study]\nname = "s"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["length"]\n')
    for command in (("score", "corpus", "-m", "length"), ("run", "study.toml"), ("convert", "corpus", "again")):
        done = cli(*command)
        assert done.code == 0, done.err
        assert done.err.splitlines().count(ALLOWED) == 1
    study.write_text(study.read_text().replace('"corpus"', '"corpus"\nallow_left_out = "10%"'))
    assert cli("run", "study.toml").code == cli("score", "corpus", "-m", "length", "--allow-left-out", "10%").code == 1


def test_a_share_that_is_none_is_named_with_its_option_or_line(cli: Cli, messy: Path) -> None:
    wrong = "the share that may be left out must be like 20%, 0.2 or all; got 'abc'"
    for command in ("agreement", "score", "convert"):
        arguments = {"score": ("-m", "length"), "convert": (messy.parent / "out",)}.get(command, ())
        refused = cli(command, messy, *arguments, "--allow-left-out", "abc")
        assert (refused.code, refused.err) == (2, f"error: --allow-left-out: {wrong}\n")
    study = messy.parent / "study.toml"
    study.write_text('[study]\nname = "s"\n[corpus]\nsource = "messy.csv"\nallow_left_out = "abc"\n')
    assert f"{study}:5: corpus.allow_left_out: {wrong}" in cli("run", study).err


def test_ratings_that_contradict_themselves_say_how_to_choose(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"d{n % 4},A: hello,s{n // 4 % 2},They say {n // 4 % 2} words.,ann,{n % 5 + 1}" for n in range(16)]
    Path("twice.csv").write_text("\n".join(["id,dialogue,system,summary,annotator,fluency", *rows]) + "\n")
    Path("s.toml").write_text('[study]\nname = "s"\n[corpus]\nsource = "twice.csv"\n[metrics]\nuse = ["length"]\n')
    for command, way in (
        (("convert", "twice.csv", "out"), "which of several values counts: --repeats first"),
        (("run", "s.toml"), 'which of several values counts: corpus.repeats = "first"'),
        (("agreement", "twice.csv"), "which of several values counts: dialgauge convert twice.csv corpus --repeats"),
    ):
        refused = cli(*command)
        assert refused.code == 1
        assert "given twice, with different values" in refused.err
        assert way in refused.err
    Path("s.toml").write_text(Path("s.toml").read_text().replace('csv"', 'csv"\nrepeats = "last"'))
    assert cli("run", "s.toml").code == cli("convert", "twice.csv", "out", "--repeats", "last").code == 0


def test_a_column_called_dialogue_may_name_what_rows_belong_to(cli: Cli, tmp_path: Path) -> None:
    """Rows that repeat a dialogue and count up look like its turns."""
    path = tmp_path / "counted.csv"
    rows = [f"d{n % 4},A: hello,s{n // 4 % 2},They say hello.,ann,{n % 5 + 1}" for n in range(16)]
    path.write_text("\n".join(["id,dialogue,system,summary,annotator,fluency", *rows]) + "\n")
    refused = cli("convert", path, tmp_path / "out")
    assert refused.code == 1
    assert "have the same summaries word for word" in refused.err


def test_score_without_a_metric_suggests_one(cli: Cli, messy: Path) -> None:
    outcome = cli("score", messy)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"try: dialgauge score {messy} -m rouge" in outcome.err
