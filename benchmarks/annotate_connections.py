"""Half-open connections against the annotation server: when others reach it again, and when all are closed.

    python benchmarks/annotate_connections.py

620 connections send half of a head or half of a body and then nothing, against a server with 512 file descriptors.
The bars: reachable within 15 s, all closed within 40 s. Exits with 1 where one is missed.
"""

import argparse
import json
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

STUDY = """
[study]
name = "connections"
[corpus]
source = "embedded"
[annotate]
protocol = "dialsummeval"
dialogues = 2
annotators = ["ada", "bo"]
"""
HEAD = b"PUT /api/assignments/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n"


def _limit(descriptors: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))


def _is_reachable(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as asking:
            asking.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return b"200 OK" in asking.recv(4096)
    except OSError:
        return False


def _open(port: int, count: int) -> list[socket.socket]:
    connections = []
    for number in range(count):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", port))
        connections.append(connection)
        if number % 50 == 49:
            time.sleep(0.02)
    time.sleep(0.2)
    for number, connection in enumerate(connections):
        with suppress(OSError):  # closed at once: the server had no descriptor to spare
            connection.sendall(HEAD if number % 2 else HEAD + b"\r\nabc")
    return connections


def _measure(port: int, count: int) -> tuple[float | None, float | None]:
    connections = _open(port, count)
    start, reachable = time.monotonic(), None
    with selectors.DefaultSelector() as waiting:
        for connection in connections:
            waiting.register(connection, selectors.EVENT_READ)
        while waiting.get_map() and time.monotonic() - start < 60:
            for key, _ in waiting.select(0.2):
                try:
                    ended = not key.fileobj.recv(4096)  # type: ignore[union-attr]
                except BlockingIOError:
                    continue
                except OSError:
                    ended = True
                if ended:
                    waiting.unregister(key.fileobj)
            if reachable is None and _is_reachable(port):
                reachable = time.monotonic() - start
        closed = None if waiting.get_map() else time.monotonic() - start
    return reachable, closed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=620)
    parser.add_argument("--descriptors", type=int, default=512)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "study.toml").write_text(STUDY)
        command = [sys.executable, "-c", "from dialgauge.cli import main; main()", "annotate", "study.toml"]
        server = subprocess.Popen(
            [*command, "--port", "0", "--json"],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: _limit(asked.descriptors),
        )
        try:
            assert server.stdout
            text = ""
            while not text.rstrip().endswith("}") or text.count("{") != text.count("}"):
                text += server.stdout.readline()
            port = int(json.loads(text)["address"].rsplit(":", 1)[1])
            while not _is_reachable(port):
                time.sleep(0.1)
            reachable, closed = _measure(port, asked.connections)
        finally:
            server.terminate()
            server.wait(20)
    print(f"{asked.connections} half-open connections, {asked.descriptors} descriptors")
    print(f"reachable after {reachable and round(reachable, 1)} s, all closed after {closed and round(closed, 1)} s")
    return int(reachable is None or reachable > 15 or closed is None or closed > 40)


if __name__ == "__main__":
    sys.exit(main())
