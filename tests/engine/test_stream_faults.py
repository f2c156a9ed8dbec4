"""What a stream does when something goes wrong with some rows: the others are scored, and the culprits are named."""

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.engine import engine
from dialgauge.engine._processes import ProcessEngine
from dialgauge.engine._serial import SerialEngine
from dialgauge.errors import InputError
from dialgauge.metrics import Scores, _stream, _stream_files, score_stream
from dialgauge.metrics._sharded import PartScorer
from dialgauge.metrics._stream_files import PartStore
from dialgauge.metrics._stream_layout import Workplace
from dialgauge.metrics._stream_source import FolderSource


def table(folder: Path, rows: int = 40) -> Path:
    file = folder / "pairs.parquet"
    texts = [f"the customer {i} asks for a refund" for i in range(rows)]
    pl.DataFrame({"dialogue_id": list(map(str, range(rows))), "summary": texts, "reference": texts}).write_parquet(file)
    return file


def test_a_part_that_raises_is_set_aside_and_made_alone_by_a_rerun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = PartScorer.__call__

    def fails_on_some(scorer: PartScorer, corpus: object) -> Scores:
        if "the customer 15 asks for a refund" in corpus.summaries["text"].to_list():  # type: ignore[attr-defined]
            raise ZeroDivisionError("fifteen")
        return whole(scorer, corpus)  # type: ignore[arg-type]

    source, out = table(tmp_path), tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(PartScorer, "__call__", fails_on_some)
        report = score_stream(source, ["rouge-1"], out, chunk_size=10)
    assert report.failed == {"part-00000001.parquet": "rows 11 to 20: ZeroDivisionError: fifteen"}
    assert (report.parts, report.rows) == (3, 30)
    assert not (out / "manifest.json").exists()
    record = json.loads((out / "_failed-00000001.json").read_text())
    assert "raise ZeroDivisionError" in record["details"]
    again = score_stream(source, ["rouge-1"], out, chunk_size=10)
    assert (again.failed, again.parts, again.resumed, again.rows) == ({}, 4, 3, 40)
    assert not list(out.glob("_failed-*"))
    calm = tmp_path / "calm"
    score_stream(source, ["rouge-1"], calm, chunk_size=10)
    assert {f.name: f.read_bytes() for f in out.iterdir()} == {f.name: f.read_bytes() for f in calm.iterdir()}


@pytest.mark.parametrize(
    ("error", "said"),
    [(MemoryError("12.0 GiB were asked for"), "12.0 GiB were asked for"), (MemoryError(), "no more was given")],
)
def test_a_part_without_memory_is_set_aside_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: MemoryError, said: str
) -> None:
    whole = PartScorer.__call__

    def too_large(scorer: PartScorer, corpus: object) -> Scores:
        if "the customer 0 asks for a refund" in corpus.summaries["text"].to_list():  # type: ignore[attr-defined]
            raise error
        return whole(scorer, corpus)  # type: ignore[arg-type]

    monkeypatch.setattr(PartScorer, "__call__", too_large)
    report = score_stream(table(tmp_path, 20), ["rouge-1"], tmp_path / "out", chunk_size=10)
    reason = f"rows 1 to 10: not enough memory ({said}): use a smaller chunk size"
    assert report.failed == {"part-00000000.parquet": reason}
    assert (report.parts, report.rows) == (1, 10)


@pytest.mark.parametrize(
    ("metric", "reason"), [("toy-greedy", "9 GiB were asked for"), ("toy-threads", "can't start new thread; 'ulimit")]
)
def test_a_metric_without_memory_costs_its_part_and_no_values(
    tmp_path: Path, toys: Path, kept: Path, metric: str, reason: str
) -> None:
    texts = ["good one", "a bad one", "good one", "good one"]
    pl.DataFrame({"summary": texts, "reference": texts}).write_parquet(tmp_path / "pairs.parquet")
    report = score_stream(tmp_path / "pairs.parquet", [metric, "length"], tmp_path / "out", chunk_size=2)
    assert report.failed["part-00000000.parquet"].startswith(f"rows 1 to 2: not enough memory ({reason}")
    assert (report.failures, len(report.failed)) == ({}, 1 if metric == "toy-greedy" else 2)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_the_command_ends_with_status_1_and_names_the_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: object
) -> None:
    def never(scorer: PartScorer, corpus: object) -> Scores:
        raise ZeroDivisionError("never")

    source = table(tmp_path, 4)
    frame = pl.read_parquet(source)
    frame.with_columns(pl.Series("system", ["a", "b", "a", "b"])).write_parquet(source)
    monkeypatch.setattr(PartScorer, "__call__", never)
    done = cli(  # type: ignore[operator]
        "score", source, "-m", "rouge-1", "--stream", "--paired", "-o", tmp_path / "out", "--engine", "serial"
    )
    assert done.code == 1
    said = " ".join(done.err.split())
    assert "systems are not compared while parts are missing" in said
    assert "part-00000000.parquet could not be made: rows 1 to 4: ZeroDivisionError: never" in said
    assert "0 of 1 part are there; rerun the same command" in said


def test_a_thread_that_does_not_start_is_lack_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: object
) -> None:
    def never(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_stream, "_finished", never)
    done = cli(  # type: ignore[operator]
        "score", table(tmp_path, 4), "-m", "rouge-1", "--stream", "-o", tmp_path / "out", "--engine", "serial"
    )
    assert done.code == 2
    assert "not enough memory (can't start new thread; 'ulimit -u' may limit them, too)" in " ".join(done.err.split())


class DyingTask:
    """Ends its worker on one chunk."""

    def setup(self) -> None: ...

    def __call__(self, chunk: int) -> str:
        if chunk == 2:
            os._exit(9)
        return f"result {chunk}"

    def lost(self, chunk: int, reason: str) -> str:
        return f"lost {chunk}: {reason}"


def test_a_chunk_that_ends_its_worker_every_time_is_given_up_and_the_others_are_done() -> None:
    found = list(ProcessEngine(2, retries=1).run(DyingTask(), range(5)))
    assert found[:2] == ["result 0", "result 1"]
    assert found[2].startswith("lost 2: ended its worker 2 times, the last time by exit code 9; use smaller chunks")
    assert found[3:] == ["result 3", "result 4"]


def test_two_runs_in_one_folder(tmp_path: Path) -> None:
    source, store = table(tmp_path, 4), PartStore(str(tmp_path / "out"))
    with store.claimed(), pytest.raises(InputError, match=rf"another run writes here \(process {os.getpid()} on"):
        score_stream(source, ["rouge-1"], tmp_path / "out")
    assert score_stream(source, ["rouge-1"], tmp_path / "out").rows == 4
    assert not (tmp_path / "out" / ".run.lock").exists()


def test_a_layout_that_is_gone_is_made_again(tmp_path: Path) -> None:
    write_corpus(embedded_corpus(), tmp_path / "corpus")
    out = tmp_path / "out"
    score_stream(tmp_path / "corpus", ["rouge-1"], out, chunk_size=40)
    calm = {file.name: file.read_bytes() for file in out.iterdir()}
    next(iter(sorted(out.glob("part-*")))).unlink()
    assert score_stream(tmp_path / "corpus", ["rouge-1"], out, chunk_size=40).failed == {}
    assert {file.name: file.read_bytes() for file in out.iterdir()} == calm


def test_what_is_laid_out_is_as_large_as_the_texts(tmp_path: Path) -> None:
    """Not as large as the texts times the buckets."""
    corpus = embedded_corpus()
    write_corpus(corpus, tmp_path / "corpus")
    source = FolderSource.open(str(tmp_path / "corpus"), False, PartStore(str(tmp_path / "out")))
    sizes = []
    for size in (1000, 40):
        place = Workplace(PartStore(str(tmp_path / f"out-{size}")), "run", engine("serial"))
        source.chunks(size, place)
        sizes.append(sum(file.stat().st_size for file in (tmp_path / f"out-{size}").glob("_layout-*")))
    assert sizes[0] < sizes[1] < 3 * sizes[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus folder whose summaries are in three files of two groups of rows each."""
    corpus = embedded_corpus()
    write_corpus(corpus, tmp_path / "corpus")
    (tmp_path / "corpus" / "summaries.parquet").unlink()
    (tmp_path / "corpus" / "summaries").mkdir()
    for number in range(3):
        file = tmp_path / "corpus" / "summaries" / f"{number}.parquet"
        rows = corpus.summaries.slice(number * 100, 100)
        rows.write_parquet(file, row_group_size=50, compression="uncompressed")
    return tmp_path / "corpus"


def test_rows_of_a_folder_that_cannot_be_read_are_named_and_no_part_is_made(folder: Path, tmp_path: Path) -> None:
    """Which dialogues they belong to is unknown, so any part might lack a summary or a reference."""
    for number in (0, 1):
        file = folder / "summaries" / f"{number}.parquet"
        last = pl.read_parquet(file)["text"][60].encode()
        data = file.read_bytes()
        at = data.index(last)
        file.write_bytes(data[: at - 4] + b"\xff\xff\xff\x7f" + data[at:])
    with pytest.raises(InputError) as raised:
        score_stream(folder, ["rouge-1"], tmp_path / "out", chunk_size=40)
    said = str(raised.value)
    for number in (0, 1):
        assert f"{number}.parquet, rows 51 to 100: cannot be read as Parquet: " in said
    assert "2.parquet" not in said
    assert "so no part was made: correct this and repeat the command, with another output folder if" in said
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"run.json"}


def test_rows_that_say_what_is_a_reference_are_named_if_they_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    """These are read before anything is laid out; large files a part at a time."""
    file = folder / "summaries" / "0.parquet"
    rows = pl.read_parquet(file).with_columns(pl.format("kind {} of a text", pl.int_range(pl.len())).alias("kind"))
    rows.write_parquet(file, row_group_size=25, compression="uncompressed")
    data = file.read_bytes()
    at = data.index(b"kind 60 of a text")
    file.write_bytes(data[: at - 4] + b"\xff\xff\xff\x7f" + data[at:])
    for probed in (100_000, 30):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_stream_files, "_PROBED", probed)
            with pytest.raises(
                InputError, match=r"0\.parquet, rows 51 to 75: cannot be read as Parquet: .*copy the file"
            ):
                score_stream(folder, ["rouge-1"], tmp_path / "out", chunk_size=40)


def test_a_file_of_a_folder_that_is_cut_is_named(folder: Path, tmp_path: Path) -> None:
    file = folder / "summaries" / "1.parquet"
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(InputError, match=r"1\.parquet: cannot be read as Parquet: .*copy it again, or move it away"):
        score_stream(folder, ["rouge-1"], tmp_path / "out", chunk_size=40)
    assert not (tmp_path / "out").exists()


class MortalEngine(SerialEngine):
    """Every second chunk ends its worker."""

    def run(self, task: Any, chunks: Any) -> Any:
        for number, chunk in enumerate(chunks):
            yield task.lost(chunk, "ended its worker 3 times") if number % 2 else task(chunk)


def test_rows_that_end_the_worker_that_lays_them_out_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"0\.parquet, rows 1 to 100: ended its worker 3 times; .*2\.parquet, rows 1 to"
    ):
        score_stream(folder, ["rouge-1"], tmp_path / "out", chunk_size=40, engine=MortalEngine())
