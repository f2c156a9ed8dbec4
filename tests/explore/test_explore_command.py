"""``dialgauge explore`` as a user starts it."""

import json
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from dialgauge.cli import main
from dialgauge.explore import RunData, _server, create_app


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", ["dialgauge", "explore", *map(str, arguments)])
    with pytest.raises(SystemExit) as leaving:
        main()
    return int(leaving.value.code or 0)


def test_it_serves(served: str) -> None:
    assert served.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{served}/?question=extremes&metric=length&format=json", timeout=120) as answer:
        assert json.load(answer)["total"] > 0


def test_not_a_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(monkeypatch, tmp_path) == 2
    assert "not a dialgauge run folder" in capsys.readouterr().err.replace("\n", " ")
    assert run(monkeypatch, tmp_path / "absent") == 2
    assert "no such folder" in capsys.readouterr().err.replace("\n", " ")


def test_a_port_in_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run_folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run(monkeypatch, run_folder, "--port", taken.getsockname()[1]) == 2
    assert "choose another with --port" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_other_hosts_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run_folder: Path, host: str, warned: bool
) -> None:
    started: list[Any] = []
    opened: list[str] = []

    def start(app: Any, listening: socket.socket) -> None:
        started.append(app)
        listening.close()

    monkeypatch.setattr(_server, "run_server", start)
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run(monkeypatch, run_folder, "--host", host, "--port", 0, "--open") == 0
    printed = capsys.readouterr()
    assert len(started) == 1
    assert ("there is no login" in printed.err) == warned
    assert "Exploring explored at http://" in printed.out
    assert len(opened) == 1
    assert opened[0] in printed.out


def test_the_first_page_does_not_wait_for_what_others_need(run_folder: Path) -> None:
    data = RunData.open(run_folder)
    read: list[set[str]] = []

    class Answered(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            read.append(set(vars(data)))
            return True

    _server._read_ahead(data, Answered())
    assert len(read) == 1
    assert {"corpus", "scores", "ratings"} <= read[0]
    assert not {"searched", "feelings"} & read[0]
    assert {"searched", "feelings"} <= set(vars(data))


def test_the_first_answer_lets_the_rest_be_read(data: RunData) -> None:
    answered = threading.Event()
    client = TestClient(_server._noting(create_app(data), answered), base_url="http://127.0.0.1")
    assert not answered.is_set()
    assert client.get("/").status_code == 200
    assert answered.is_set()


def test_the_start_loads_no_room_that_only_other_pages_need() -> None:
    names = ["sqlalchemy", *(f"dialgauge.{room}" for room in ("affect", "metaeval", "perturb", "learn", "report"))]
    code = f"import sys; from dialgauge.explore import RunData, serve; print(*set({names}) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []
