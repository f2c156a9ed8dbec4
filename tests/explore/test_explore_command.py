"""``dialgauge explore`` as a user starts it."""

import json
import socket
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from dialgauge.cli import main
from dialgauge.explore import _server


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", ["dialgauge", "explore", *map(str, arguments)])
    with pytest.raises(SystemExit) as leaving:
        main()
    return int(leaving.value.code or 0)


def test_it_serves(served: str) -> None:
    assert served.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{served}/?question=extremes&metric=length&format=json", timeout=20) as answer:
        assert json.load(answer)["total"] > 0


def test_not_a_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(monkeypatch, tmp_path) == 2
    assert "no run of dialgauge" in capsys.readouterr().err.replace("\n", " ")
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
