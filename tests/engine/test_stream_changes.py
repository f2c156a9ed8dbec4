"""Input that changes while it is being scored: no part mixes two versions, and no manifest says that all is well."""

import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.errors import InputError
from dialgauge.metrics import Scores, _stream_layout, score_stream
from dialgauge.metrics._sharded import PartScorer


def write_table(file: Path, said: str) -> None:
    texts = [f"customer {i:02} asks for a {said}" for i in range(30)]
    names = [f"{i:02}" for i in range(30)]
    pl.DataFrame({"dialogue_id": names, "summary": texts, "reference": texts}).write_parquet(file)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], object]], None]:
    """Have something happen when the part with a text is scored."""
    whole = PartScorer.__call__

    def arranged(text: str, happening: Callable[[], object]) -> None:
        def scored(scorer: PartScorer, corpus: object) -> Scores:
            if any(text in one for one in corpus.summaries["text"].to_list()):  # type: ignore[attr-defined]
                happening()
            return whole(scorer, corpus)  # type: ignore[arg-type]

        monkeypatch.setattr(PartScorer, "__call__", scored)

    return arranged


def test_parts_that_are_read_after_a_change_are_set_aside(
    tmp_path: Path, meanwhile: Callable[[str, Callable[[], object]], None]
) -> None:
    source, out, kept = tmp_path / "pairs.parquet", tmp_path / "out", tmp_path / "kept.parquet"
    write_table(source, "refund")
    kept.write_bytes(source.read_bytes())
    meanwhile("customer 00", lambda: write_table(source, "answer"))
    report = score_stream(source, ["rouge-1"], out, chunk_size=10)
    assert list(report.failed) == ["part-00000001.parquet", "part-00000002.parquet"]
    assert report.failed["part-00000001.parquet"] == (
        f"rows 11 to 20: ChangedInputError: {source}: changed during the run; put back what it was, or score it into "
        "another folder"
    )
    assert not (out / "manifest.json").exists()
    with pytest.raises(InputError, match="another run, which differs in: source"):
        score_stream(source, ["rouge-1"], out, chunk_size=10)
    meanwhile("nobody", lambda: None)
    source.write_bytes(kept.read_bytes())  # the same content at another time is the same
    again = score_stream(source, ["rouge-1"], out, chunk_size=10)
    assert (again.failed, again.resumed, again.parts) == ({}, 1, 3)


def test_a_change_after_the_last_reading_leaves_no_manifest(
    tmp_path: Path, meanwhile: Callable[[str, Callable[[], object]], None]
) -> None:
    source, out = tmp_path / "pairs.parquet", tmp_path / "out"
    write_table(source, "refund")
    meanwhile("customer 29", lambda: os.utime(source, (1, 1)))
    with pytest.raises(InputError, match=r"pairs\.parquet: changed during the run"):
        score_stream(source, ["rouge-1"], out, chunk_size=10)
    assert not (out / "manifest.json").exists()


def test_a_file_that_is_gone_has_changed(
    tmp_path: Path, meanwhile: Callable[[str, Callable[[], object]], None]
) -> None:
    source = tmp_path / "pairs.parquet"
    write_table(source, "refund")
    meanwhile("customer 10", source.unlink)
    report = score_stream(source, ["rouge-1"], tmp_path / "out", chunk_size=10)
    assert list(report.failed) == ["part-00000002.parquet"]
    assert "pairs.parquet: changed during the run" in report.failed["part-00000002.parquet"]


def test_an_object_that_is_put_again_has_changed(
    tmp_path: Path, meanwhile: Callable[[str, Callable[[], object]], None]
) -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    write_table(tmp_path / "pairs.parquet", "refund")
    place, data = "memory://changing/pairs.parquet", (tmp_path / "pairs.parquet").read_bytes()
    memory.pipe_file(place, data)
    meanwhile("customer 00", lambda: memory.pipe_file(place, data))
    report = score_stream(place, ["rouge-1"], tmp_path / "out", chunk_size=10)
    assert list(report.failed) == ["part-00000001.parquet", "part-00000002.parquet"]
    assert f"{place}: changed during the run" in report.failed["part-00000001.parquet"]
    memory.rm("memory://changing", recursive=True)


def test_a_folder_that_changes_while_it_is_laid_out_has_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_corpus(embedded_corpus(), tmp_path / "corpus")
    summaries = tmp_path / "corpus" / "summaries.parquet"
    whole = _stream_layout.bucket_numbers

    def changes(names: pl.Series, buckets: int) -> pl.Series:
        os.utime(summaries, (1, 1))  # when the other table is laid out
        return whole(names, buckets)

    monkeypatch.setattr(_stream_layout, "bucket_numbers", changes)
    with pytest.raises(InputError, match=r"summaries\.parquet: changed during the run"):
        score_stream(tmp_path / "corpus", ["rouge-1"], tmp_path / "out", chunk_size=40)
    assert not list((tmp_path / "out").glob("part-*"))
