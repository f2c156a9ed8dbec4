"""An object store that fails at any request: whatever it was, the same command ends with the same bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from dialgauge.metrics import score_stream
from tests.engine.toy_corpora import write_pairs

pytest.importorskip("fsspec")

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

#: Requests that change the store; to stop at any other is to stop before the next of these.
_REQUESTS = ("pipe_file", "rm_file")
_METRICS = ["rouge-1", "corpus-bleu"]


class Stopped(BaseException):
    """The process ends here, as if it were killed: nothing may catch this."""


class Store(MemoryFileSystem):
    """Objects in memory; the request number ``fatal`` ends the process before it is done."""

    protocol = "counted"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    requests: ClassVar[int] = 0
    fatal: ClassVar[int] = -1
    overwritten: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return self._counted(name, found) if name in _REQUESTS else found

    def _counted(self, name: str, call: Any) -> Any:
        def request(*arguments: Any, **options: Any) -> Any:
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


def _content() -> dict[str, bytes]:
    return {name: file.getvalue() for name, file in sorted(Store.store.items())}


def _run(source: Path, fatal: int = -1) -> None:
    Store.requests, Store.fatal = 0, fatal
    score_stream(source, _METRICS, "counted://bucket/scores", chunk_size=3)


def test_a_run_stopped_at_any_request_ends_with_the_same_bytes(store: type[Store], tmp_path: Path) -> None:
    source = tmp_path / "pairs.parquet"
    write_pairs(source, 6)
    _run(source)
    requests, expected = store.requests, _content()
    assert {name.rpartition("/")[2] for name in expected} >= {"run.json", "manifest.json", "part-00000001.parquet"}
    assert requests == 8  # the head, part, record and no failure of each of two, the manifest: one request each
    for fatal in range(requests):
        store.store.clear()
        with pytest.raises(Stopped):
            _run(source, fatal)
        assert set(_content()) < set(expected)  # no temporary names
        assert "/bucket/scores/manifest.json" not in _content()  # what readers believe is written last
        _run(source)
        assert _content() == expected, fatal
    assert store.overwritten == []
