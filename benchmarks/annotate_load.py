"""Load on the annotation server, over loopback: people at a human pace, then as fast as it goes.

    python benchmarks/annotate_load.py

First 200 annotators save 25 times and open 5 pages a second for a minute, on a fixed timetable: a late answer counts
from the moment it was due. Then 50 of them save in a closed loop. Afterwards every acknowledged save is looked up in
the database. The bars: p95 of a save below 300 ms at the human pace, no error, nothing lost; 500 saves/s in the closed
loop. Exits with 1 where one is missed.
"""

import argparse
import asyncio
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from dialgauge.annotate import AnnotateSection, Project
from dialgauge.annotate._access import start_session
from dialgauge.corpus import embedded_corpus
from dialgauge.study import read_annotation_file

STUDY = """
[study]
name = "load"
[corpus]
source = "embedded"
[annotate]
protocol = "dialsummeval"
guidelines = ""
dialogues = {dialogues}
annotators = {annotators}
"""


@dataclass
class Tally:
    """What came of the requests of one kind."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Annotator:
    """One person on one connection that stays open. Plain sockets: a client library would take the server's cores."""

    def __init__(self, host: str, port: int, cookie: str) -> None:
        self._host, self._port, self._cookie = host, port, cookie
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.csrf, self.pages, self.items, self.revs = "", [], [], {}  # type: ignore[var-annotated]

    async def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        async with self._lock:
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._host, self._port)
            reader, writer = self._streams
            head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            head += f"Cookie: dialgauge_session={self._cookie}\r\n"
            if body:
                head += f"Origin: http://{self._host}:{self._port}\r\nX-CSRF-Token: {self.csrf}\r\n"
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            writer.write(head.encode() + b"\r\n" + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            return int(answer.split(b" ", 2)[1]), await reader.readexactly(length)

    async def prepare(self) -> None:
        self.csrf = json.loads((await self.request("GET", "/api/session"))[1])["csrf"]
        self.pages = [page["id"] for page in json.loads((await self.request("GET", "/api/pages"))[1])["pages"]]
        for page in self.pages[:3]:
            found = json.loads((await self.request("GET", f"/api/pages/{page}"))[1])
            self.items += [item["id"] for item in found["items"]]
        self.revs = dict.fromkeys(self.items, 0)
        self.turn = cycle(self.items)

    async def save(self, tally: Tally, acknowledged: dict[str, int], due: float | None = None) -> None:
        began = time.perf_counter() if due is None else due
        item, key = next(self.turn), str(uuid.uuid4())
        names = ("coherence", "consistency", "fluency", "relevance")
        values = {name: 1 + (self.revs[item] + place) % 5 for place, name in enumerate(names)}
        body = {"key": key, "rev": self.revs[item], "values": values, "active_ms": 8000}
        status, content = await self.request("PUT", f"/api/assignments/{item}", json.dumps(body).encode())
        tally.seconds.append(time.perf_counter() - began)
        if status != 200:
            tally.errors.append(f"{status} {content[:200]!r}")
            return
        self.revs[item] = acknowledged[key] = json.loads(content)["rev"]

    async def open_page(self, tally: Tally, due: float) -> None:
        page = self.pages[int(due * 1000) % len(self.pages)]
        for path in ("/work", "/api/pages", f"/api/pages/{page}"):
            status, content = await self.request("GET", path)
            if status != 200:
                tally.errors.append(f"{status} {content[:200]!r}")
        tally.seconds.append(time.perf_counter() - due)


async def on_a_timetable(people: list[Annotator], rate: float, seconds: float, act: Any) -> None:
    """Start ``act`` at its moment, whether or not the earlier ones are done."""
    start, running = time.perf_counter(), []
    for number in range(int(rate * seconds)):
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        running.append(asyncio.create_task(act(people[number % len(people)], due)))
    await asyncio.gather(*running)


async def load(address: str, cookies: list[str], asked: argparse.Namespace, server: int) -> dict[str, Any]:
    host, port = address.removeprefix("http://").split(":")
    people = [Annotator(host, int(port), cookie) for cookie in cookies]
    for start in range(0, len(people), 20):
        await asyncio.gather(*(person.prepare() for person in people[start : start + 20]))
    acknowledged: dict[str, int] = {}
    saves, pages, loop = Tally(), Tally(), Tally()
    await asyncio.gather(
        on_a_timetable(people, asked.saves, asked.seconds, lambda one, due: one.save(saves, acknowledged, due)),
        on_a_timetable(people[::-1], asked.pages, asked.seconds, lambda one, due: one.open_page(pages, due)),
    )
    end = time.perf_counter() + asked.loop_seconds

    async def busy(person: Annotator) -> None:
        while time.perf_counter() < end:
            await person.save(loop, acknowledged)

    began, used = time.perf_counter(), cpu_seconds(server)
    await asyncio.gather(*(busy(person) for person in people[: asked.loop_users]))
    spent, used = time.perf_counter() - began, cpu_seconds(server) - used
    return {
        "human pace": _row(saves, asked.seconds),
        "pages": _row(pages, asked.seconds),
        "closed loop": _row(loop, spent) | {"CPU ms per save": round(1000 * used / max(1, len(loop.seconds)), 2)},
        "acknowledged": acknowledged,
    }


def cpu_seconds(process: int) -> float:
    """The CPU time of a process so far: on a shared machine it says more than the time on the wall."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _row(tally: Tally, seconds: float) -> dict[str, Any]:
    for error in tally.errors[:3]:
        print("error:", error, file=sys.stderr)
    return {
        "requests": len(tally.seconds),
        "per second": round(len(tally.seconds) / seconds, 1),
        "median ms": round(tally.quantile(0.5) * 1000, 1),
        "p95 ms": round(tally.quantile(0.95) * 1000, 1),
        "worst ms": round(max(tally.seconds, default=float("nan")) * 1000, 1),
        "errors": len(tally.errors),
    }


def start_server(study: Path) -> tuple["subprocess.Popen[str]", str]:
    command = [
        sys.executable,
        "-c",
        "from dialgauge.cli import main; main()",
        "annotate",
        str(study),
        "--port",
        "0",
        "--json",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line.startswith("}"):
            return process, json.loads(text)["address"]
    raise SystemExit("the server did not start")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--saves", type=float, default=25, help="per second, at the human pace")
    parser.add_argument("--pages", type=float, default=5, help="per second, at the human pace")
    parser.add_argument("--loop-users", type=int, default=50)
    parser.add_argument("--loop-seconds", type=float, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.toml"
        names = [f"annotator {number}" for number in range(asked.annotators)]
        study.write_text(STUDY.format(dialogues=10, annotators=json.dumps(names)), "utf-8")
        database = Path(folder) / "runs" / "load" / "annotation.db"
        section = read_annotation_file(study)[0].section(AnnotateSection)
        with Project.open(database, section, embedded_corpus(), name="load") as project:
            numbers = range(1, asked.annotators + 1)
            cookies = [project.store.write(partial(start_session, annotator=n)) for n in numbers]
        process, address = start_server(study)
        try:
            found = asyncio.run(load(address, cookies, asked, process.pid))
        finally:
            process.terminate()
            process.wait(30)
        with sqlite3.connect(database) as connection:
            stored = dict(connection.execute("SELECT key, rev FROM event"))
    acknowledged = found.pop("acknowledged")
    lost = sum(stored.get(key) != rev for key, rev in acknowledged.items())
    report = {**found, "acknowledged": len(acknowledged), "lost": lost}
    report["machine"] = f"{os.cpu_count()} cores, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    print(json.dumps(report, indent=2))
    human, loop = report["human pace"], report["closed loop"]
    errors = sum(report[name]["errors"] for name in ("human pace", "pages", "closed loop"))
    met = human["p95 ms"] < 300 and loop["per second"] >= 500 and errors == 0 and lost == 0
    print("all bars met" if met else "a bar was missed")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
