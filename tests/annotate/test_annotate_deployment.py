"""The server behind a proxy, under half-open connections, and beside a second process."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from dialgauge.annotate import AnnotateSection, Project, _listen, _shield, backup_project, create_app, restore_backup
from dialgauge.annotate._listen import listen, make_server
from dialgauge.annotate._public import public_url, trusted_proxies
from dialgauge.annotate._store import Store, StoreBusyError
from dialgauge.annotate._timeouts import timed_protocol
from dialgauge.errors import InputError
from tests.annotate.annotate_api import HOST, Study, make_section, open_study, small_corpus

PUBLIC = "https://rate.example.org"
RECIPES = Path(__file__).parents[2] / "docs" / "annotate-deploy.md"


def test_the_origin_is_the_public_url(tmp_path: Path) -> None:
    with open_study(tmp_path / "study.db") as study:
        app = create_app(study.project, public_url=f"{PUBLIC}/")
        link = study.project.links()[0].path
        # A proxy as it comes names itself as host.
        proxied = TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False)
        for origin in ("http://127.0.0.1:8321", "http://rate.example.org", f"{PUBLIC}:444", "https://evil.example"):
            assert proxied.post(link, headers={"Origin": origin}).json()["error"] == "origin"
        entered = proxied.post(link, headers={"Origin": PUBLIC})
        assert entered.status_code == 303
        assert all("Secure" in cookie for cookie in entered.headers.get_list("set-cookie"))
        cookie = {"dialgauge_session": entered.cookies["dialgauge_session"]}
        named = TestClient(app, base_url=PUBLIC, follow_redirects=False, cookies=cookie)
        assert named.get("/api/lead/links").json()["links"][0]["link"].startswith(f"{PUBLIC}/enter/")
        assert TestClient(app, base_url="http://evil.example").get("/lead/login").status_code == 421


@pytest.mark.parametrize(
    "url",
    ["rate.example.org", "ftp://x", "https://", "https://x/rate", "https://x:99999", "https://u:p@x", "http://x?a"],
)
def test_a_public_url_that_cannot_work_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="--public-url"):
        public_url(url)


@pytest.mark.parametrize("proxy", ["*", "0.0.0.0/0", "::/0", "proxy.example.org", "127.0.0.1/8"])
def test_a_proxy_is_named_by_its_address(proxy: str) -> None:
    with pytest.raises(InputError, match="--trusted-proxy"):
        trusted_proxies(["127.0.0.1", proxy])


async def _ask(app: Any, address: str, path: str, *, method: str = "POST", cookie: str = "") -> int:
    """The status that a request from an address gets from the shield; the application behind it answers 204."""
    headers = [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "scheme": "http"}
    statuses = []

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    await app({**scope, "client": (address, 1)}, None, send)
    return int(statuses[0])


async def _answers(scope: Any, receive: Any, send: Any) -> None:
    if b"real" in dict(scope["headers"])[b"cookie"]:
        scope["state"]["session"] = _shield.digest_of("real")
    await send({"type": "http.response.start", "status": 204, "headers": []})


def test_guesses_are_limited_altogether_and_do_not_lock_out_the_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(_shield, "time", SimpleNamespace(monotonic=lambda: 0.0))
    shield = _shield.Shield(_answers, frozenset({"127.0.0.1"}), is_device=lambda cookie: cookie == "mine")

    def guess(number: int, cookie: str = "") -> int:
        return asyncio.run(_ask(shield, f"10.0.0.{number}", "/lead/login", cookie=cookie))

    assert [guess(number) for number in range(70)] == [204] * 60 + [429] * 10
    assert guess(1, "dialgauge_device=theirs") == 429
    assert [guess(200, "dialgauge_device=mine") for _ in range(12)] == [204] * 10 + [429] * 2


def test_invented_cookies_count_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(_shield, "time", SimpleNamespace(monotonic=lambda: 0.0))
    shield = _shield.Shield(_answers, frozenset({"127.0.0.1"}), strangers=1)

    def look(cookie: str) -> int:
        return asyncio.run(_ask(shield, "10.0.0.9", "/work", method="GET", cookie=f"dialgauge_session={cookie}"))

    assert look("real") == 204  # a stranger still, but now known
    assert [look(str(number)) for number in range(65)] == [204] * 59 + [429] * 6
    assert look("real") == 204


@contextmanager
def _running(app: Any, proxies: tuple[str, ...] = (), **patience: float) -> Iterator[int]:
    """The application on a port of its own."""
    listening, address = listen("127.0.0.1", 0)
    server = make_server(app, proxies)
    if patience:
        server.config.http = timed_protocol(**patience)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield int(address.rsplit(":", 1)[1])
    finally:
        server.should_exit = True
        thread.join(30)


def test_half_open_connections_are_closed(tmp_path: Path) -> None:
    with (
        open_study(tmp_path / "study.db") as study,
        _running(study.app, head_seconds=0.4, body_seconds=0.8) as port,
    ):
        head = b"PUT /api/assignments/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n"
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(12)]
        for number, connection in enumerate(slow):
            connection.sendall((b"", head, head + b"\r\nabc")[number % 3])
            connection.settimeout(20)
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").text == "ok"
        for connection in slow:
            with pytest.raises(ConnectionResetError):  # noqa: PT012 (an answer may come first)
                while connection.recv(4096):
                    pass
                raise ConnectionResetError
            connection.close()
        # Who waits between two whole requests is not slow.
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as patient:
            assert patient.get("/healthz").text == "ok"
            time.sleep(1)
            assert patient.get("/healthz").text == "ok"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _recipe(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", RECIPES.read_text("utf-8"), re.S)
    assert found, language
    return found[1]


@contextmanager
def _nginx(folder: Path, upstream: int, recipe: str) -> Iterator[int]:
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        pytest.skip("NO NGINX: tools/install-test-packages installs it")
    port = _free_port()
    recipe = re.sub(r"listen 443 ssl;", f"listen 127.0.0.1:{port};", recipe)
    recipe = re.sub(r"ssl_certificate.*;\n", "", recipe).replace("127.0.0.1:8321", f"127.0.0.1:{upstream}")
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root; " if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user}daemon off; pid {folder}/pid; worker_processes 1; error_log {folder}/errors;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n{recipe}\n}}\n"
    )
    with _program([program, "-p", str(folder), "-e", f"{folder}/errors", "-c", str(folder / "nginx.conf")], port):
        yield port


@contextmanager
def _program(command: list[str], port: int, **options: Any) -> Iterator[None]:
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert running.poll() is None, running.stderr and running.stderr.read()
                assert time.monotonic() < deadline, "the proxy did not start"
                time.sleep(0.05)
        yield
    finally:
        running.terminate()
        running.wait(20)
        if running.stderr:
            running.stderr.close()


def _enter_through(port: int, study: Study, name: str = "rate.example.org", scheme: str = "https") -> None:
    """Someone comes in through a proxy, saves a rating, and tries passwords with addresses of their own invention."""
    link = next(link.path for link in study.project.links() if link.name == "ada")
    host = {"Host": name}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=host) as client:
        origin = {"Origin": f"{scheme}://{name}"}
        entered = client.post(link, headers=origin)
        assert entered.status_code == 303
        cookie = {"Cookie": f"dialgauge_session={entered.cookies['dialgauge_session']}"}
        csrf = client.get("/api/session", headers=cookie).json()["csrf"]
        page = client.get(
            f"/api/pages/{client.get('/api/pages', headers=cookie).json()['next']}", headers=cookie
        ).json()
        body = {"key": "0" * 32, "rev": 0, "values": {"consistency": 4, "relevance": 4}}
        change = {**cookie, **origin, "X-CSRF-Token": csrf}
        saved = client.put(f"/api/assignments/{page['items'][0]['id']}", json=body, headers=change)
        assert saved.json()["complete"] is True
        guesses = [
            client.post("/lead/login", headers={**origin, "X-Forwarded-For": f"8.8.8.{number}"}).status_code
            for number in range(14)
        ]
        assert guesses.count(403) <= 12
        assert guesses[-1] == 429


PLAIN_NGINX = "server { listen 443 ssl; location / { proxy_pass http://127.0.0.1:8321; } }"


@pytest.mark.parametrize("recipe", ["docs", "proxy_pass alone"])
def test_nginx(tmp_path: Path, recipe: str) -> None:
    with open_study(tmp_path / "study.db") as study:
        app = create_app(study.project, public_url=PUBLIC)
        proxies = ("127.0.0.1",) if recipe == "docs" else ()
        text = _recipe("nginx") if recipe == "docs" else PLAIN_NGINX
        with _running(app, proxies) as upstream, _nginx(tmp_path, upstream, text) as port:
            _enter_through(port, study)
            if recipe == "docs":
                # An import of a few megabytes is refused by us, with our words, and not by the proxy.
                large = httpx.post(
                    f"http://127.0.0.1:{port}/api/lead/import/sheets",
                    content=b"x" * 3_000_000,
                    headers={"Host": "rate.example.org", "Origin": PUBLIC},
                )
                assert large.json()["error"] == "signed-out"


def test_caddy(tmp_path: Path) -> None:
    program = shutil.which("caddy")
    if program is None:
        pytest.skip("NO CADDY: tools/install-test-packages installs it")
    port = _free_port()
    with open_study(tmp_path / "study.db") as study:
        app = create_app(study.project, public_url="http://rate.example.org")
        with _running(app, ("127.0.0.1",)) as upstream:
            text = _recipe("caddy").replace("127.0.0.1:8321", f"127.0.0.1:{upstream}")
            text = text.replace("rate.example.org {", f"http://rate.example.org:{port} {{")
            (tmp_path / "Caddyfile").write_text("{\n  admin off\n}\n" + text)
            command = [program, "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
            with _program(command, port, env={"HOME": str(tmp_path), "PATH": "/usr/bin"}):
                _enter_through(port, study, scheme="http")


def test_the_service_is_one_that_systemd_understands(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("NO SYSTEMD: systemd-analyze is not on this machine")
    unit = tmp_path / "dialgauge.service"
    unit.write_text(_recipe("ini").replace("/opt/dialgauge/bin/dialgauge", sys.executable))
    checked = subprocess.run([program, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False)
    assert "dialgauge.service" not in checked.stderr, checked.stderr


@pytest.mark.parametrize("language", ["ini", "dockerfile"])
def test_the_recipes_use_options_that_exist(language: str) -> None:
    from typer.testing import CliRunner

    from dialgauge.cli._app import app

    said = CliRunner().invoke(app, ["annotate", "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    options = re.findall(r"--(?!no-cache|create)[a-z-]+", _recipe(language))
    assert options
    assert all(option in said for option in options)


def test_the_container_starts_is_healthy_and_stops(tmp_path: Path) -> None:
    """The commands of the container recipe, without the container: entry point, health check, the signal to stop."""
    recipe = _recipe("dockerfile")
    entry, health = (json.loads(re.findall(rf"{word} (\[.*\])", recipe)[0]) for word in ("ENTRYPOINT", "CMD"))
    assert "WORKDIR /study" in recipe
    protocol = '[annotate]\nprotocol = "dialsummeval"\nannotators = ["a"]\n'
    (tmp_path / "study.toml").write_text(f'[study]\nname = "s"\n[corpus]\nsource = "embedded"\n{protocol}')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    run = [sys.executable, "-c", "from dialgauge.cli import main; main()", *entry[1:], "--port", port]
    check = [sys.executable, *[word.replace("8321", port) for word in health[1:]]]
    with subprocess.Popen(run, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            told = server.stdout.readline()
            assert told.startswith("Serving at")
            assert "/enter/" not in told, "links do not belong into the log of a container"
            assert subprocess.run(check, check=False).returncode == 0
            server.send_signal(signal.SIGTERM)
            server.wait(30)
        finally:
            server.kill()
    assert subprocess.run(check, check=False, stderr=subprocess.DEVNULL).returncode != 0, "nobody is there any more"
    assert (tmp_path / "runs" / "s" / "annotation.db").is_file()


async def _nobody(*_: Any) -> None:
    """An application."""


def test_to_be_interrupted_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, and what systemd sends: afterwards the unit has not failed."""

    class Interrupted:
        def run(self, sockets: list[socket.socket]) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(_listen, "make_server", lambda *_: Interrupted())
    with socket.socket() as listening:
        _listen.run_server(_nobody, listening)


def _open_beside(path: Path, section: AnnotateSection) -> Project:
    return Project.open(path, section, small_corpus(), name="parcels", seed=7, shared=True)


def test_a_second_process_copies_while_the_first_serves(tmp_path: Path) -> None:
    """Backups in the middle of saves: each is sound and has all that was acknowledged before it began."""
    path = tmp_path / "study.db"
    with open_study(path, small_corpus(6)) as study:
        ada = study.person("ada")
        items = [item["id"] for page in ada.pages() for item in page["items"]]
        acknowledged: list[str] = []
        script = (
            "import sys; from pathlib import Path; from dialgauge.annotate._store import Store\n"
            "store = Store(sys.argv[1], shared=True); assert store.is_beside\n"
            "for number in range(4): print(number, flush=True); input(); "
            "store.backup(Path(sys.argv[2]) / f'{number}.db')\n"
        )
        command = [sys.executable, "-c", script, str(path), str(tmp_path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as second:
            assert second.stdin
            assert second.stdout
            before = []
            for number in range(4):
                assert second.stdout.readline() == f"{number}\n"
                before.append(list(acknowledged))
                second.stdin.write("\n")
                second.stdin.flush()
                for rev in range(4 * number, 4 * number + 4):
                    key = f"{number:016x}{rev:016x}"
                    ada.save(items[0], rev, {"consistency": 1 + rev % 5}, key=key)
                    acknowledged.append(key)
            assert second.wait(60) == 0
    for number, keys in enumerate(before):
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            have = {key for (key,) in copy.execute("SELECT key FROM event")}
            (rev,) = copy.execute("SELECT max(rev) FROM assignment").fetchone()
        assert set(keys) <= have
        assert rev == len(have)  # answer and event are of one state
    assert len(before[-1]) == 12


def test_beside_a_server_only_what_cannot_disturb_it(tmp_path: Path) -> None:
    path, section = tmp_path / "study.db", make_section()
    with open_study(path) as study:
        with pytest.raises(StoreBusyError, match="process"):
            Store(path)
        with pytest.raises(InputError, match=r"annotate\.dimensions changed since the server was started"):
            _open_beside(path, make_section(dimensions=[{"name": "other", "scale": "1-5"}]))
        with _open_beside(path, section) as beside:
            lost = next(link for link in beside.links() if link.is_lead)
            backup_project(beside, tmp_path / "copy.db")
        client = TestClient(study.app, base_url=HOST, follow_redirects=False)
        assert client.post(lost.path, headers={"Origin": HOST}).status_code == 303
        log = client.get("/api/lead/audit").json()
        assert ("backup", {"unblinds": True}) in [(entry["action"], entry["detail"]) for entry in log["entries"]]
        assert log["check"]["problem"] is None
        assert client.get("/api/lead/dashboard").json()["study"]["copies"] == 1
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0


def test_a_backup_can_be_restored(tmp_path: Path) -> None:
    path, copy = tmp_path / "study.db", tmp_path / "copy.db"
    with open_study(path) as study:
        ada = study.person("ada")
        first, second, *_ = [item["id"] for page in ada.pages() for item in page["items"]]
        ada.save(first, 0, {"consistency": 2})
        backup_project(study.project, copy)
        ada.save(second, 0, {"consistency": 3})
        with pytest.raises(StoreBusyError):
            restore_backup(path, copy)
    kept = restore_backup(path, copy)
    assert kept is not None
    with closing(sqlite3.connect(kept)) as replaced:
        assert replaced.execute("SELECT count(*) FROM event").fetchone() == (2,)
    with open_study(path) as study:
        assert study.events() == 1
        assert study.person("lead").get("/api/lead/audit")["check"]["problem"] is None
    (tmp_path / "other.db").write_bytes(b"not a database" * 100)
    for wrong, message in (("other.db", "not a sound"), ("missing.db", "no such file")):
        with pytest.raises(InputError, match=message):
            restore_backup(path, tmp_path / wrong)
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as foreign:
        foreign.execute("CREATE TABLE setting (name TEXT)")
    with pytest.raises(InputError, match="not a backup of an annotation project"):
        restore_backup(path, tmp_path / "foreign.db")
    with pytest.raises(InputError, match="pg_restore"):
        restore_backup("postgresql://x/y", copy)
