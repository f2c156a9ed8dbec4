"""Scores on disk keep values, signatures, failures and the metrics of whole systems."""

import json
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import Corpus, Dialogue, Summary, Turn
from dialgauge.errors import InputError, ParameterError
from dialgauge.metrics import Scores, score


@pytest.fixture
def scores() -> Scores:
    corpus = Corpus.build(
        [Dialogue("d1", (Turn("A", "we meet at noon"),)), Dialogue("d2", (Turn("A", "hello, you"),))],
        [
            Summary("d1", "x", "They meet at noon."),
            Summary("d2", "x", "。"),
            Summary("d1", "ref", "A and B meet at noon.", kind="reference"),
            Summary("d2", "ref", "A says hello.", kind="reference"),
        ],
    )
    return score(corpus, ["rouge-1", "ter", "corpus-bleu"])


@pytest.mark.parametrize("name", ["scores.parquet", "scores.csv", "scores.jsonl", "new/folder/scores.csv"])
def test_round_trip(tmp_path: Path, scores: Scores, name: str) -> None:
    scores.save(tmp_path / name)
    loaded = Scores.load(tmp_path / name)
    assert loaded.frame.equals(scores.frame)
    assert loaded.systems.equals(scores.systems)
    assert loaded.failures.equals(scores.failures)
    assert loaded.signatures == scores.signatures
    assert loaded.directions == scores.directions
    assert loaded.seconds == scores.seconds
    assert not list(tmp_path.rglob("*.part"))


def test_without_seconds_the_bytes_are_equal(tmp_path: Path, scores: Scores) -> None:
    scores.save(tmp_path / "a.parquet", with_seconds=False)
    slower = Scores(
        scores.frame, scores.signatures, scores.directions, scores.systems, scores.failures, {"rouge-1": 9.0}
    )
    slower.save(tmp_path / "b.parquet", with_seconds=False)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_a_table_of_your_own_is_marked_unsigned(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("dialogue_id,system,my-metric\n001,x,0.5\n002,x,\n")
    loaded = Scores.load(tmp_path / "mine.csv")
    assert loaded.frame["dialogue_id"].to_list() == ["001", "002"]
    assert loaded.frame["variant"].to_list() == ["original", "original"]
    assert loaded.frame["my-metric"].to_list() == [0.5, None]
    assert loaded.signatures == {"my-metric": "unsigned|file:mine.csv"}
    assert loaded.directions == {"my-metric": "none"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,system,m\n1,x,2\n", "need the columns dialogue_id and system; found: id, system, m"),
        ("dialogue_id,system,m\n1,x,good\n", "column 'm' holds String, not numbers"),
        ("dialogue_id,system,m\n1,x,1\n1,x,2\n", r"2 rows share a key with another row, the first is \[1 / x"),
        ("dialogue_id,system,m\n1,x,inf\n", r"'m' holds an infinite value at \[1 / x"),
        ("", "not readable as scores"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        Scores.load(tmp_path / "bad.csv")


def test_broken_files(tmp_path: Path, scores: Scores) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match="not readable as scores"):
        Scores.load(tmp_path / "bad.parquet")
    scores.save(tmp_path / "s.csv")
    (tmp_path / "s.csv.meta.json").write_text("{")
    with pytest.raises(InputError, match="not readable as scores"):
        Scores.load(tmp_path / "s.csv")


def test_unknown_ending(tmp_path: Path, scores: Scores) -> None:
    with pytest.raises(ParameterError, match=r"ending in .parquet, .csv, .jsonl"):
        scores.save(tmp_path / "scores.pickle")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, scores: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.parquet"
    scores.save(path)
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(OSError, match="No space left"):
        scores.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.parquet"]


def test_sidecar_is_plain_json(tmp_path: Path, scores: Scores) -> None:
    scores.save(tmp_path / "s.csv")
    meta = json.loads((tmp_path / "s.csv.meta.json").read_text("utf-8"))
    assert meta["signatures"]["ter"].startswith("ter|")
    assert meta["failures"][0]["reason"]
