"""An object store that fails at any request: whatever it was, the same command ends with the same bytes."""

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from dialgauge.corpus import write_corpus
from dialgauge.errors import DialgaugeError
from dialgauge.metrics import _stream_files, score_stream
from dialgauge.metrics._stream_requests import patiently
from tests.engine.toy_corpora import made_corpus, with_references, write_pairs

pytest.importorskip("fsspec")

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

#: Requests that change the store; to stop at any other is to stop before the next of these.
_REQUESTS = ("pipe_file", "rm_file")
_METRICS = ["rouge-1", "corpus-bleu"]


class Stopped(BaseException):
    """The process ends here, as if it were killed: nothing may catch this."""


class BusyError(Exception):
    """What aiohttp raises, and gcsfs with another name, for this answer of a store."""

    status = 503


class Store(MemoryFileSystem):
    """Objects in memory; the request number ``fatal`` ends the process before it is done."""

    protocol = "counted"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    requests: ClassVar[int] = 0
    fatal: ClassVar[int] = -1
    overwritten: ClassVar[list[str]] = []
    busy: ClassVar[int] = 0

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return self._counted(name, found) if name in _REQUESTS else found

    def _counted(self, name: str, call: Any) -> Any:
        def request(*arguments: Any, **options: Any) -> Any:
            if Store.busy:
                Store.busy -= 1
                raise BusyError
            if Store.requests == Store.fatal:
                raise Stopped
            Store.requests += 1
            if name == "pipe_file":
                self._look(*arguments)
            return call(*arguments, **options)

        return request

    def _look(self, path: str, data: bytes) -> None:
        """Notes a key that is written again with other bytes."""
        kept = Store.store.get(self._strip_protocol(path))
        if kept is not None and kept.getvalue() != data:
            Store.overwritten.append(path)


@pytest.fixture
def store() -> Iterator[type[Store]]:
    fsspec.register_implementation("counted", Store, clobber=True)
    Store.clear_instance_cache()
    yield Store
    Store.store.clear()
    Store.busy = 0


def _content() -> dict[str, bytes]:
    return {name: file.getvalue() for name, file in sorted(Store.store.items())}


def _names() -> set[str]:
    return {name.rpartition("/")[2] for name in Store.store}


def _run(source: Path, fatal: int = -1) -> None:
    Store.requests, Store.fatal = 0, fatal
    score_stream(source, _METRICS, "counted://bucket/scores", chunk_size=3)


@pytest.fixture(params=["table", "folder"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table of pairs, or a corpus folder, which is laid out first."""
    if request.param == "table":
        write_pairs(tmp_path / "pairs.parquet", 6)
        return tmp_path / "pairs.parquet"
    write_corpus(with_references(made_corpus([f"text {i} of a call" for i in range(6)])), tmp_path / "corpus")
    return tmp_path / "corpus"


def test_a_run_stopped_at_any_request_ends_with_the_same_bytes(store: type[Store], source: Path) -> None:
    _run(source)
    requests, expected = store.requests, _content()
    assert _names() >= {"run.json", "manifest.json", "part-00000001.parquet"}
    # One request each: the head, two parts, their records and no failures, the manifest. Of a folder there are four
    # parts, and two tables that are laid out, the layout, and both removed.
    assert requests == (8 if source.suffix else 19)
    manifest = requests - (1 if source.suffix else 3)
    for fatal in range(requests):
        store.store.clear()
        with pytest.raises(Stopped):
            _run(source, fatal)
        laid_out = {name for name in _content() if name.rpartition("/")[2].startswith("_layout-")}
        assert set(_content()) - laid_out <= set(expected)  # no temporary names
        assert ("manifest.json" in _names()) == (fatal > manifest)  # what readers believe is written last
        _run(source)
        assert _content() == expected, fatal
    assert store.overwritten == []


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr("dialgauge.metrics._stream_requests.time.sleep", taken.append)
    return taken


def test_a_busy_store_is_asked_again(store: type[Store], source: Path, pauses: list[float]) -> None:
    _run(source)
    expected = _content()
    store.store.clear()
    store.busy = 4
    _run(source)
    assert _content() == expected
    assert len(pauses) == 4
    assert all(wanted / 2 <= taken <= wanted * 1.5 for wanted, taken in zip((1, 2, 4, 8), pauses, strict=True))


def test_a_store_that_stays_busy_stops_the_run_and_names_the_file(
    store: type[Store], source: Path, pauses: list[float]
) -> None:
    store.busy = 5
    with pytest.raises(DialgaugeError, match=r"counted://bucket/scores/run\.json: 5 requests failed.*rerun the same"):
        _run(source)
    _run(source)
    assert "manifest.json" in _names()


def test_a_part_that_a_busy_store_does_not_give_is_set_aside(
    store: type[Store], tmp_path: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pairs(tmp_path / "pairs.parquet", 6)
    fsspec.filesystem("counted").pipe_file("counted://bucket/pairs.parquet", (tmp_path / "pairs.parquet").read_bytes())
    read = _stream_files._read_remote

    def busy(file: str, first: int, *others: Any) -> Any:
        if first == 3:
            raise BusyError
        return read(file, first, *others)

    monkeypatch.setattr(_stream_files, "_read_remote", busy)
    report = score_stream("counted://bucket/pairs.parquet", _METRICS, tmp_path / "scores", chunk_size=3)
    assert list(report.failed) == ["part-00000001.parquet"]
    assert "pairs.parquet: 5 requests failed, the last with BusyError" in report.failed["part-00000001.parquet"]
    assert (report.parts, report.rows, len(pauses)) == (1, 3, 4)


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (TimeoutError("slow"), 5),
        (OSError(errno.EBUSY, "SlowDown"), 5),
        (ConnectionResetError("gone"), 5),
        (FileNotFoundError("none"), 1),
        (PermissionError(errno.EACCES, "AccessDenied"), 1),
        (ValueError("wrong"), 1),
    ],
)
def test_only_what_may_pass_is_tried_again(error: Exception, tries: int, pauses: list[float]) -> None:
    asked: list[int] = []

    def request() -> None:
        asked.append(1)
        raise error

    with pytest.raises(DialgaugeError if tries > 1 else type(error)):
        patiently("s3://bucket/part", request)
    assert len(asked) == tries


def test_the_status_of_every_kind_of_store_is_found(pauses: list[float]) -> None:
    for name, value in (
        ("response", {"ResponseMetadata": {"HTTPStatusCode": 503}}),
        ("code", 429),
        ("status_code", 500),
    ):
        answers: list[Exception] = [type("Odd", (Exception,), {name: value})()]

        def request(answers: list[Exception] = answers) -> str:
            if answers:
                raise OSError("translated") from answers.pop()
            return "done"

        assert patiently("s3://bucket/part", request) == "done"
