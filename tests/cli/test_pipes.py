"""``-`` as a file name, comparisons of systems after scoring, and flags in the help."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dialgauge.corpus import embedded_corpus, write_corpus


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("calls") / "calls.jsonl"
    write_corpus(embedded_corpus(), path)
    return path.read_bytes()


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def into(held: bytes, terminal: bool = False) -> None:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(held), isatty=lambda: terminal))

    return into


def test_scores_from_a_pipe_into_a_pipe(cli: Any, pipe: Any, calls: bytes) -> None:
    pipe(calls)
    done = cli("score", "-", "-m", "rouge-1", "-o", "-")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == "dialogue_id,system,variant,role,rouge-1"
    assert len(lines) == 241
    assert "mean of each system" in done.err, "the table is not among the rows"
    assert "wrote 240 rows × 1 metric to standard output" in done.err
    again = cli("score", "embedded", "-m", "rouge-1")
    assert "mean of each system" in again.out, "the next command prints its table as always"


def test_conversion_from_a_pipe_into_a_pipe(cli: Any, pipe: Any, calls: bytes) -> None:
    pipe(calls)
    done = cli("convert", "-", "-")
    assert "Written to standard output" in done.err
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == list(
        embedded_corpus().dialogues["dialogue_id"]
    )
    pipe(b"\xef\xbb\xbfid,system,summary\n1,a,It is late.\n")
    assert "csv" in cli("inspect", "-").out


@pytest.mark.parametrize(
    ("held", "arguments", "message"),
    [
        (b" \n", ("score", "-", "-m", "rouge-1"), "-: standard input is empty"),
        (None, ("score", "-", "-m", "rouge-1"), "pipe a file into the command"),
        (b"{", ("run", "study.toml", "-o", "-"), "writes a folder, which cannot go to standard output"),
        (b"id\n", ("score", "-", "-m", "rouge-1", "-o", "-"), "standard input: has no rows"),
    ],
)
def test_what_cannot_go_through_a_pipe(held: Any, arguments: Any, message: str, cli: Any, pipe: Any) -> None:
    pipe(held or b"", held is None)
    done = cli(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_json_and_a_file_cannot_share_the_output(cli: Any) -> None:
    done = cli("score", "embedded", "-m", "rouge-1", "-o", "-", "--json")
    assert (done.code, done.out) == (2, "")
    assert "would both be on standard output" in done.err


class TestPaired:
    def test_every_two_systems(self, cli: Any) -> None:
        done = cli("score", "embedded", "-m", "rouge-1", "--paired", "--json")
        found = json.loads(done.out)["comparisons"]
        assert len(found) == 15
        assert {row["kind"] for row in found} == {"metric"}, "the ratings of the corpus are not asked"

    def test_against_a_baseline(self, cli: Any) -> None:
        done = cli("score", "embedded", "-m", "rouge-1", "--baseline", "careful", "--resamples", "200")
        assert done.out.count("careful −") == 5
        assert "Holm over 5 pairs" in done.err
        full = cli("compare-systems", "embedded", "--baseline", "careful", "--dimension", "fluency", "--json")
        assert {row["system"] for row in json.loads(full.out)["comparisons"]} == {"careful"}

    def test_a_wrong_baseline_is_noticed_before_scoring(self, cli: Any, tmp_path: Path) -> None:
        done = cli("score", "embedded", "-m", "rouge-1", "--baseline", "carefull", "-o", tmp_path / "s.csv")
        assert done.code == 2
        assert "unknown system 'carefull'; did you mean 'careful'?" in done.err
        assert not (tmp_path / "s.csv").exists()

    def test_one_system_cannot_be_compared(self, cli: Any, tmp_path: Path) -> None:
        (tmp_path / "one.csv").write_text("id,system,dialogue,summary\n1,a,Ann: Hi.,Ann greets.\n", encoding="utf-8")
        done = cli("score", tmp_path / "one.csv", "-m", "rouge-1@source", "--paired")
        assert done.code == 2
        assert "--paired needs two systems; found: a" in done.err


@pytest.mark.parametrize("command", ["score", "models", ""])
def test_flags_are_shown_as_flags(cli: Any, command: str) -> None:
    shown = cli(*command.split(), "-h").out
    assert "--help" in shown
    assert "bool" not in shown
