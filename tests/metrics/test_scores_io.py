"""Scores on disk keep values, signatures, failures and the metrics of whole systems."""

import io
import json
import tempfile
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

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


def test_jsonl_of_your_own_needs_no_variant_and_role(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(
        '{"dialogue_id": "001", "system": 7, "m": 1}\n{"dialogue_id": "002", "system": 7, "m": null}\n'
    )
    assert Scores.load(tmp_path / "mine.jsonl").frame.rows() == [
        ("001", "7", "original", "overall", 1.0),
        ("002", "7", "original", "overall", None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,system,m\n1,x,2\n", "the columns dialogue_id and system are required; found: id, system, m"),
        ("dialogue_id,system,m\n1,x,2\n2,x,good\n", r"column 'm' has 1 value .*\n  row 2: \[2 / x / .*\] 'good'"),
        ("dialogue_id,system,m\n1,x,true\n", r"row 1: \[1 / x / original / overall\] True"),
        ("dialogue_id,system,m\n1,x,1\n1,x,2\n", r"2 rows have duplicate keys; the first is \[1 / x"),
        ("dialogue_id,system,m\n1,x,inf\n", r"infinite values\n  row 1: \[1 / x"),
        ("", "the file is empty"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        Scores.load(tmp_path / "bad.csv")


def test_every_text_among_numbers_is_named(tmp_path: Path) -> None:
    lines = ["dialogue_id,system,m", *(f"{n},x,{'good' if n % 2 else n / 7}" for n in range(1, 31))]
    (tmp_path / "bad.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as caught:
        Scores.load(tmp_path / "bad.csv")
    message = str(caught.value).splitlines()
    assert "15 values" in message[0]
    assert message[1:] == [
        *(f"  row {n}: [{n} / x / original / overall] 'good'" for n in range(1, 21, 2)),
        "  … and 5 more",
    ]
    (tmp_path / "bad.jsonl").write_text(
        '{"dialogue_id": "1", "system": "x", "m": 0.5}\n{"dialogue_id": "2", "system": "x", "m": "low"}\n'
    )
    with pytest.raises(InputError, match=r"row 2: \[2 / x / original / overall\] 'low'$"):
        Scores.load(tmp_path / "bad.jsonl")
    (tmp_path / "bad.jsonl").write_text('{"dialogue_id": "1", "system": "x", "m": "0.5"}\n')
    with pytest.raises(InputError, match=r"row 1: \[1 / x / original / overall\] '0.5'$"):
        Scores.load(tmp_path / "bad.jsonl")


def test_a_column_called_like_a_metric_has_its_direction(tmp_path: Path) -> None:
    header = "dialogue_id,system,ter,rouge-l@source,rouge-1:stem=yes,rouge-1:stem=maybe,length,mine"
    (tmp_path / "mine.csv").write_text(header + "\n1,x,1,2,3,4,5,6\n")
    loaded = Scores.load(tmp_path / "mine.csv")
    assert loaded.directions == {
        "ter": "lower",
        "rouge-l@source": "higher",
        "rouge-1:stem=yes": "higher",
        "rouge-1:stem=maybe": "none",
        "length": "none",
        "mine": "none",
    }
    assert all(signature == "unsigned|file:mine.csv" for signature in loaded.signatures.values())


@given(place=st.floats(0, 1), new=st.binary(max_size=4), cut=st.integers(0, 4))
@settings(max_examples=100, deadline=None)
def test_damaged_parquet_gives_scores_or_a_clear_error(place: float, new: bytes, cut: int) -> None:
    frame = pl.DataFrame({"dialogue_id": ["1", "2"], "system": ["x", "x"], "m": [0.5, None]})
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    data = buffer.getvalue()
    at = int(place * len(data))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.parquet"
        path.write_bytes(data[:at] + new + data[at + cut :])
        with suppress(InputError):
            Scores.load(path)


def test_a_panic_is_a_clear_error(tmp_path: Path, scores: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    scores.save(tmp_path / "s.parquet")

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(InputError, match=r"s\.parquet: cannot be read as scores: assertion failed"):
        Scores.load(tmp_path / "s.parquet")


def test_broken_files(tmp_path: Path, scores: Scores) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match="cannot be read as scores"):
        Scores.load(tmp_path / "bad.parquet")
    scores.save(tmp_path / "s.csv")
    (tmp_path / "s.csv.meta.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read as scores"):
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
