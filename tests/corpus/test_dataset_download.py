"""Downloads against a real server of our own: resumed, cut, wrong, missing, and no server at all."""

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dialgauge.corpus import DATASETS, fetch_dataset
from dialgauge.corpus.catalogue import Dataset, RemoteFile
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.files import cache_folder

BODY = bytes(range(256)) * 4096


class Server(ThreadingHTTPServer):
    """Serves BODY with ranges. ``cuts`` says after how many bytes each of the next answers breaks off."""

    cuts: list[int]
    ranges: list[str | None]
    honour_ranges = True


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        if self.path == "/gone":
            self.send_error(404)
            return
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.server.honour_ranges else 0
        if start >= len(BODY):
            self.send_error(416)
            return
        rest = BODY[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        cut = self.server.cuts.pop(0) if self.server.cuts else None
        self.wfile.write(rest[:cut])

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as server:
        server.cuts, server.ranges = [], []
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def entry(server: Server, path: str = "/file", **pins: str) -> Dataset:
    url = f"http://127.0.0.1:{server.server_address[1]}{path}"
    template = DATASETS["faceval"]
    fields = {name: getattr(template, name) for name in Dataset.__slots__}
    return Dataset(
        **{**fields, "name": "test", "files": (RemoteFile(url, "file.bin", **pins),), "markers": ("file.bin",)}
    )


def test_a_plain_download(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    dataset = entry(server, sha256=hashlib.sha256(BODY).hexdigest())
    folder = fetch_dataset(dataset, target=tmp_path / "t", progress=lambda *step: seen.append(step))
    assert (folder / "file.bin").read_bytes() == BODY
    assert seen[-1] == ("file.bin", len(BODY), len(BODY))
    assert [path.name for path in folder.iterdir()] == ["file.bin"]
    fetch_dataset(dataset, target=tmp_path / "t")
    assert len(server.ranges) == 1, "what is there is not fetched again"


def test_a_cut_connection_is_taken_up(server: Server, tmp_path: Path) -> None:
    server.cuts = [1000, 5000]
    git_blob = hashlib.sha1(b"blob %d\0" % len(BODY) + BODY).hexdigest()[:9]
    folder = fetch_dataset(entry(server, git_blob=git_blob), target=tmp_path / "t")
    assert (folder / "file.bin").read_bytes() == BODY
    assert server.ranges == [None, "bytes=1000-", "bytes=6000-"]


def test_the_next_session_goes_on(server: Server, tmp_path: Path) -> None:
    server.cuts = [10, 10, 10, 10]
    with pytest.raises(DialgaugeError, match=r"in 4 tries .*40 bytes are kept"):
        fetch_dataset(entry(server), target=tmp_path / "t")
    assert not (tmp_path / "t" / "file.bin").exists()
    fetch_dataset(entry(server), target=tmp_path / "t")
    assert server.ranges[-1] == "bytes=40-"
    assert (tmp_path / "t" / "file.bin").read_bytes() == BODY


def test_a_server_without_ranges(server: Server, tmp_path: Path) -> None:
    server.honour_ranges = False
    server.cuts = [1000]
    fetch_dataset(entry(server), target=tmp_path / "t")
    assert (tmp_path / "t" / "file.bin").read_bytes() == BODY


def test_more_was_kept_than_the_server_has(server: Server, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / ".file.bin.part").write_bytes(BODY + b"more")
    fetch_dataset(entry(server), target=tmp_path / "t")
    assert (tmp_path / "t" / "file.bin").read_bytes() == BODY


@pytest.mark.parametrize("pin", [{"sha256": "0" * 64}, {"git_blob": "0000000"}])
def test_a_wrong_checksum(server: Server, tmp_path: Path, pin: dict[str, str]) -> None:
    with pytest.raises(DialgaugeError, match="this is not the published file"):
        fetch_dataset(entry(server, **pin), target=tmp_path / "t")
    assert list((tmp_path / "t").iterdir()) == []


def test_not_found(server: Server, tmp_path: Path) -> None:
    with pytest.raises(DialgaugeError, match="answered 404"):
        fetch_dataset(entry(server, "/gone"), target=tmp_path / "t")


def test_offline(server: Server, tmp_path: Path) -> None:
    dataset = entry(server)
    server.shutdown()
    server.server_close()
    with pytest.raises(DialgaugeError, match=r"could not be fetched .*refused.*--from FOLDER"):
        fetch_dataset(dataset, target=tmp_path / "t")


def test_what_a_person_must_fetch(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be downloaded by a program.*Google Drive"):
        fetch_dataset(DATASETS["csds"], target=tmp_path)


def test_from_a_local_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = DATASETS["faceval"]
    (tmp_path / "mine" / "human_result").mkdir(parents=True)
    with pytest.raises(InputError, match=r"faceval is not in it; looked for FacEval_human_result\.csv"):
        fetch_dataset(dataset, source=tmp_path / "mine", target=tmp_path / "t")
    with pytest.raises(InputError, match="no such folder"):
        fetch_dataset(dataset, source=tmp_path / "gone", target=tmp_path / "t")
    (tmp_path / "mine" / "human_result" / "FacEval_human_result.csv").write_text("x")
    folder = fetch_dataset(dataset, source=tmp_path / "mine", target=tmp_path / "a" / "t")
    assert dataset.is_in(folder)
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["t"]
    with pytest.raises(InputError, match="nothing there will be overwritten"):
        fetch_dataset(dataset, source=tmp_path / "mine", target=tmp_path / "a" / "t")
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        assert fetch_dataset(dataset, source=tmp_path / "mine") == tmp_path / "cache" / "datasets" / "faceval"


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("DIALGAUGE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_folder() == tmp_path / "xdg" / "dialgauge"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder().parts[-3:] == ("Library", "Caches", "dialgauge")
