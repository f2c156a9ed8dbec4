"""Whatever the bytes, a reader gives a corpus or a clear error, and accounts for what it left out."""

import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, inspect_file, read_corpus, write_corpus
from dialgauge.errors import DialgaugeError, InputError

SUFFIXES = [".csv", ".tsv", ".jsonl", ".json", ".txt", ".vtt", ".parquet", ".xlsx"]
pieces = st.sampled_from(
    [
        *(
            "id",
            "dialogue",
            "system",
            "summary",
            "reference",
            "annotator",
            "wit",
            "value",
            "dimension",
            "meta",
            "turns",
        ),
        *(
            ",",
            ";",
            "\t",
            "|",
            "\n",
            "\r\n",
            "\r",
            '"',
            '""',
            ":",
            "{",
            "}",
            "[",
            "]",
            "\\",
            "\\ud800",
            "\x00",
            "1",
            "nan",
        ),
        *("WEBVTT\n\n00:01.000 --> 00:02.000\n", "<v A>", "A: x", "null", "true", "1e999", " ", "é", "\ufeff", "😀"),
    ]
)
settled = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def try_to_read(suffix: str, data: bytes, mapping: dict[str, str] | None = None) -> Corpus | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"c{suffix}"
        path.write_bytes(data)
        with suppress(DialgaugeError):
            inspect_file(path, mapping=mapping)
        with suppress(DialgaugeError):
            return read_corpus(path, mapping=mapping)
    return None


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.binary(max_size=200) | st.lists(pieces, max_size=40).map(lambda parts: "".join(parts).encode()))
@settled
def test_arbitrary_bytes(suffix: str, data: bytes) -> None:
    try_to_read(suffix, data)


@cache
def sound_file(suffix: str) -> bytes:
    corpus = Corpus.build(
        [Dialogue("d", (Turn("A", "x, y"),)), Dialogue("e", ())],
        [Summary("d", "s", "t"), Summary("e", "s", "u")],
        [Rating("d", "s", "1", "wit", 2)],
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"c{suffix}"
        write_corpus(corpus, path)
        return path.read_bytes()


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".xlsx"])
@given(place=st.floats(0, 1), new=st.binary(max_size=4), cut=st.integers(0, 4))
@settled
def test_a_damaged_file(suffix: str, place: float, new: bytes, cut: int) -> None:
    data = sound_file(suffix)
    at = int(place * len(data))
    try_to_read(suffix, data[:at] + new + data[at + cut :])


def test_a_panic_of_the_parquet_reader_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars panics on some damaged files, and a panic is no Exception."""
    (tmp_path / "c.parquet").write_bytes(b"PAR1")

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(InputError, match=r"c\.parquet: cannot be read as Parquet: assertion failed"):
        read_corpus(tmp_path / "c.parquet")


@given(st.lists(st.lists(st.sampled_from(["d", "e", "s", "x", "1", ""]), min_size=5, max_size=5), max_size=12))
@settled
def test_no_row_is_lost_silently(rows: list[list[str]]) -> None:
    """Each row with any value ends up in a table or in the problems."""
    header = "dialogue_id,system,summary,annotator,wit\n"
    data = header + "".join(",".join(row) + "\n" for row in rows)
    corpus = try_to_read(".csv", data.encode(), {"dimension:wit": "wit"})
    if corpus is None:
        assert not rows
        return
    complained = {problem.line for problem in corpus.problems}
    kept = set(corpus.summaries.select("dialogue_id", "system", "text").iter_rows())
    rated = set(corpus.ratings.select("dialogue_id", "system", "annotator").iter_rows())
    for line, (dialogue, system, summary, annotator, value) in enumerate(rows, start=2):
        if line in complained or not any((dialogue, system, summary, annotator, value)):
            continue
        if summary:
            assert (dialogue, system, summary) in kept
        if annotator:
            assert (dialogue, system, annotator) in rated
        assert dialogue in corpus.dialogues["dialogue_id"]
