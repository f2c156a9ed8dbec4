"""The chat client against a real server on this machine: slow, busy, broken, down."""

import http.client
import json
import multiprocessing
import socket
import sqlite3
import ssl
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dialgauge.errors import ModelError, ParameterError
from dialgauge.models import BudgetError, ChatBudget, ChatEndpoint, watching
from dialgauge.models._chat import AnswerCache

Reply = tuple[int, dict[str, str], bytes]


def answer(text: str, tokens: int = 12, logprobs: Any = None) -> Reply:
    choice = {"message": {"role": "assistant", "content": text}, "logprobs": logprobs}
    return 200, {}, json.dumps({"choices": [choice], "usage": {"total_tokens": tokens}}).encode()


class Server:
    """Answers with what ``reply`` makes of the request; remembers every request."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Callable[[int, dict[str, Any]], Reply] = lambda number, body: answer("4")
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append({"path": self.path, **body})
                outer.headers.append(dict(self.headers))
                code, headers, content = outer.reply(len(outer.requests), body)
                try:
                    self.send_response(code)
                    for name, value in {"Content-Length": str(len(content)), **headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(content)
                except (BrokenPipeError, ConnectionResetError):  # the client lost its patience
                    pass

            def log_message(self, *arguments: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def endpoint(server: Server, pauses: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def make(**settings: Any) -> ChatEndpoint:
        settings = {"cache": tmp_path / "chat", "sleep": pauses.append, "retries": 2, **settings}
        return ChatEndpoint.open(f"chat:judge-1@{server.address}", **settings)

    return make


QUESTION = [{"role": "user", "content": "Rate this from 1 to 5: naïve 客户"}]


def test_an_answer_with_log_probabilities_is_cached(server: Server, endpoint) -> None:
    likely = [{"token": "4", "logprob": -0.1}, {"token": "5", "logprob": -2.5}]
    logprobs = {"content": [{"token": "4", "logprob": -0.1, "top_logprobs": likely}]}
    server.reply = lambda number, body: answer("4", 31, logprobs)
    first = endpoint().ask(QUESTION, temperature=0, logprobs=True, top_logprobs=2)
    assert (first.text, first.tokens, first.cached) == ("4", 31, False)
    assert first.alternatives == ({"4": -0.1, "5": -2.5},)
    sent = server.requests[0]
    assert sent["path"] == "/v1/chat/completions"
    assert sent["model"] == "judge-1"
    assert sent["messages"] == QUESTION
    assert sent["top_logprobs"] == 2
    again = endpoint().ask(QUESTION, temperature=0, logprobs=True, top_logprobs=2)
    assert again.cached
    assert again.alternatives == first.alternatives
    assert len(server.requests) == 1
    assert not endpoint().ask(QUESTION, temperature=1, logprobs=True, top_logprobs=2).cached
    assert not endpoint(cache=None).ask(QUESTION, temperature=0, logprobs=True, top_logprobs=2).cached
    assert len(server.requests) == 3


def kept_documents(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "answers.db")) as connection:
        return dict(connection.execute("SELECT key, document FROM answers"))


@pytest.mark.parametrize(
    ("usage", "tokens", "prompt_tokens"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}, 110, 100),
        ({"prompt_tokens": 100, "completion_tokens": 10}, 110, 100),
        ({"completion_tokens": 10, "total_tokens": 110}, 110, 100),
        ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 150}, 150, 100),  # thoughts are written, too
        ({"total_tokens": 110}, 110, None),
        ({"total_tokens": None}, 0, None),
        ({}, 0, None),
        (None, 0, None),
    ],
)
def test_tokens_are_counted_as_far_as_they_are_said(
    server: Server, endpoint, usage: Any, tokens: int, prompt_tokens: int | None
) -> None:
    choice: dict[str, Any] = {"message": {"content": "4"}, "finish_reason": "length"}
    document = {"choices": [choice], "usage": usage}
    server.reply = lambda number, body: (200, {}, json.dumps(document).encode())
    for cached in (False, True):
        found = endpoint().ask([{"role": "user", "content": "?"}], max_tokens=8)
        assert (found.tokens, found.prompt_tokens, found.cached) == (tokens, prompt_tokens, cached)
        assert found.cut  # also when it comes out of the cache
        written = 8 if prompt_tokens is None else tokens - prompt_tokens
        assert found.cut_at(8) == f"cut at {written} tokens by the endpoint"
    choice["finish_reason"] = "stop"
    assert not endpoint().ask([{"role": "user", "content": "again?"}], max_tokens=8).cut


def test_answers_are_kept_in_one_file_that_many_can_use(server: Server, endpoint, tmp_path: Path) -> None:
    server.reply = lambda number, body: answer(body["messages"][0]["content"] * 2)
    questions = [[{"role": "user", "content": f"question {i}"}] for i in range(40)]
    endpoint(parallel=8).ask_many(questions)
    assert len(kept_documents(tmp_path / "chat")) == 40
    with closing(sqlite3.connect(tmp_path / "chat" / "answers.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert all(given.cached for given in endpoint().ask_many(questions))


def _keep_many(folder: Path, writer: int) -> int:
    cache = AnswerCache(folder)
    for i in range(50):
        cache.keep(f"{writer}/{i}", f'"{writer}"')
    return sum(cache.find(f"{writer}/{i}") == f'"{writer}"' for i in range(50))


def test_several_processes_keep_answers_in_a_new_file_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(_keep_many, [tmp_path] * 4, range(4))) == [50] * 4
    assert len(kept_documents(tmp_path)) == 200


@pytest.mark.parametrize("change", ["address", "model", "temperature", "message"])
def test_everything_that_changes_the_answer_is_in_the_key(server: Server, endpoint, change: str) -> None:
    first = endpoint()
    assert not first.ask(QUESTION, temperature=0).cached
    other = {
        "address": (replace(first, address=server.address.replace("/v1", "/v2")), QUESTION, 0),
        "model": (replace(first, model="judge-2"), QUESTION, 0),
        "temperature": (first, QUESTION, 1),
        "message": (first, [{"role": "user", "content": "another"}], 0),
    }
    asked, question, temperature = other[change]
    assert not asked.ask(question, temperature=temperature).cached
    assert first.ask(QUESTION, temperature=0).cached


def test_an_answer_that_cannot_be_read_is_asked_again(server: Server, endpoint, tmp_path: Path) -> None:
    endpoint().ask(QUESTION)
    with closing(sqlite3.connect(tmp_path / "chat" / "answers.db")) as connection, connection:
        connection.execute("UPDATE answers SET document = '{\"choices\": ['")
    assert not endpoint().ask(QUESTION).cached
    assert endpoint().ask(QUESTION).cached


@pytest.mark.parametrize("header", [True, False])
def test_a_damaged_file_is_named_and_the_next_one_takes_over(
    server: Server, endpoint, tmp_path: Path, header: bool
) -> None:
    endpoint().ask(QUESTION)
    file = tmp_path / "chat" / "answers.db"
    content = bytearray(file.read_bytes())
    start = 0 if header else 100  # the head of the file, or its first page only
    content[start : start + 400] = b"\xff" * 400
    file.write_bytes(content)
    with pytest.warns(UserWarning, match=r"answers\.db is damaged \(.+\): answers are cached in a new file"):
        assert endpoint().ask(QUESTION).text == "4"
    assert file.read_bytes() == content
    with pytest.warns(UserWarning, match="is damaged"):
        assert endpoint().ask(QUESTION).cached
    file.unlink()
    assert endpoint().ask(QUESTION).cached


def test_a_place_that_takes_no_answers_costs_a_warning_and_no_answer(server: Server, endpoint, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.warns(UserWarning, match="cannot be used .*not cached"):
        assert endpoint(cache=tmp_path / "file").ask(QUESTION).text == "4"
    (tmp_path / "chat" / "answers.db").mkdir(parents=True)
    with pytest.warns(UserWarning, match=r"answers\.db cannot be used \(unable to open"):
        assert endpoint().ask(QUESTION).text == "4"


def test_a_busy_server_is_asked_again_after_the_pause_it_names(server: Server, endpoint, pauses: list[float]) -> None:
    server.reply = lambda number, body: (429, {"Retry-After": "7"}, b"{}") if number < 3 else answer("3")
    assert endpoint().ask(QUESTION).text == "3"
    assert pauses == [7.0, 7.0]


def test_pauses_grow(server: Server, endpoint, pauses: list[float]) -> None:
    server.reply = lambda number, body: (503, {}, b"") if number < 4 else answer("3")
    assert endpoint(retries=3).ask(QUESTION).text == "3"
    assert [round(pause / 2**i, 3) for i, pause in enumerate(pauses)] == pytest.approx([1, 1, 1], abs=0.26)


def test_broken_json_is_asked_again_and_then_an_error(server: Server, endpoint) -> None:
    server.reply = lambda number, body: (200, {}, b'{"choices": [') if number == 1 else answer("2")
    assert endpoint().ask(QUESTION).text == "2"
    server.reply = lambda number, body: (200, {}, b"<html>proxy</html>")
    with pytest.raises(ModelError, match=r"did not answer as 'judge-1' in 3 tries \(the answer is not JSON"):
        endpoint().ask([{"role": "user", "content": "other"}])
    server.reply = lambda number, body: (200, {}, b'{"choices": []}')
    with pytest.raises(ModelError, match="not of the chat protocol"):
        endpoint().ask([{"role": "user", "content": "third"}])


def test_a_refusal_is_not_repeated(server: Server, endpoint) -> None:
    server.reply = lambda number, body: (401, {}, b'{"error": {"message": "no such key"}}')
    with pytest.raises(ModelError, match="refuses to answer as 'judge-1': 401 Unauthorized: no such key"):
        endpoint().ask(QUESTION)
    assert len(server.requests) == 1


def test_a_slow_answer_is_given_up(server: Server, endpoint) -> None:
    def slow(number: int, body: dict[str, Any]) -> Reply:
        time.sleep(0.5)
        return answer("5")

    server.reply = slow
    with pytest.raises(ModelError, match=r"in 2 tries .*timed out"):
        endpoint(timeout=0.1, retries=1).ask(QUESTION)


@pytest.fixture
def free_port() -> int:
    """A port where nothing listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


def test_an_endpoint_that_is_down_is_told_within_seconds(free_port: int, pauses: list[float]) -> None:
    address = f"http://127.0.0.1:{free_port}/v1"
    down = ChatEndpoint.open(f"chat:x@{address}", cache=None, sleep=pauses.append)
    with pytest.raises(ModelError, match=rf"{address} did not answer as 'x' in 3 tries \(.*refused.*is it running"):
        down.ask(QUESTION)
    assert len(pauses) == 2
    assert sum(pauses) < 4
    with pytest.raises(ModelError, match=r"in 1 try \("):
        replace(down, retries=0).ask(QUESTION)


def test_a_server_without_encryption_is_told_within_seconds(server: Server, pauses: list[float]) -> None:
    address = server.address.replace("http:", "https:")
    with pytest.raises(ModelError, match=r"in 3 tries \(.*SSL"):
        ChatEndpoint.open(f"chat:x@{address}", cache=None, sleep=pauses.append).ask(QUESTION)
    assert len(pauses) == 2


def test_a_server_that_is_just_being_started_is_waited_for(free_port: int) -> None:
    started: list[Server] = []
    asked = ChatEndpoint.open(
        f"chat:x@http://127.0.0.1:{free_port}/v1", cache=None, sleep=lambda pause: started.append(Server(free_port))
    )
    try:
        assert asked.ask(QUESTION).text == "4"
        assert len(started) == 1
    finally:
        for server in started:
            server.stop()


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")), 3),
        (urllib.error.URLError(socket.gaierror(-2, "Name or service not known")), 3),
        (urllib.error.URLError(OSError(101, "Network is unreachable")), 3),
        (urllib.error.URLError(ssl.SSLCertVerificationError("certificate verify failed")), 3),
        (urllib.error.URLError(ssl.SSLEOFError("EOF occurred in violation of protocol")), 6),
        (urllib.error.URLError(TimeoutError("timed out")), 6),
        (TimeoutError("timed out"), 6),
        (ConnectionResetError(104, "Connection reset by peer"), 6),
        (http.client.RemoteDisconnected("closed without response"), 6),
    ],
)
def test_patience_is_for_servers_that_are_there(
    endpoint, pauses: list[float], monkeypatch: pytest.MonkeyPatch, error: Exception, tries: int
) -> None:
    def send(self: ChatEndpoint, body: Any) -> str:
        raise error

    monkeypatch.setattr(ChatEndpoint, "_send", send)
    with pytest.raises(ModelError, match=f"in {tries} tries"):
        endpoint(retries=5).ask(QUESTION)
    assert len(pauses) == tries - 1


def test_the_budget_is_kept_and_cached_answers_are_free(server: Server, endpoint) -> None:
    budget = ChatBudget(requests=2)
    asked = endpoint(budget=budget)
    for text in ("a", "b", "a", "b"):
        asked.ask([{"role": "user", "content": text}])
    with pytest.raises(BudgetError, match="the budget of 2 requests is used up"):
        asked.ask([{"role": "user", "content": "c"}])
    assert (budget.used_requests, budget.used_tokens) == (2, 24)
    tokens = endpoint(budget=ChatBudget(tokens=20))
    tokens.ask([{"role": "user", "content": "d"}])
    tokens.ask([{"role": "user", "content": "e"}])
    with pytest.raises(BudgetError, match="the budget of 20 tokens is used up"):
        tokens.ask([{"role": "user", "content": "f"}])


def test_many_questions_in_order_and_equal_ones_once(server: Server, endpoint) -> None:
    server.reply = lambda number, body: answer(body["messages"][0]["content"] * 2)
    questions = [[{"role": "user", "content": f"{i % 7}"}] for i in range(20)]
    seen: list[tuple[int, int]] = []
    with watching(lambda done, total: seen.append((done, total))):
        answers = endpoint().ask_many(questions, temperature=0)
    assert [a.text for a in answers] == [f"{i % 7}" * 2 for i in range(20)]
    assert len(server.requests) == 7
    assert seen[-1] == (7, 7)
    assert endpoint().ask_many([]) == []


def test_the_key_goes_into_the_header_and_nowhere_else(
    server: Server, endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-the-test")
    opened = ChatEndpoint.open(f"chat:m@{server.address}", cache=tmp_path / "c")
    opened.ask(QUESTION)
    assert server.headers[0]["Authorization"] == "Bearer key-for-the-test"
    assert "key-for-the-test" not in repr(opened)
    kept = [path.read_bytes() for path in (tmp_path / "c").rglob("*")]
    assert kept
    assert all(b"key-for-the-test" not in content for content in kept)


def test_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1/")
    assert ChatEndpoint.open("chat:m").address == "http://127.0.0.1:1234/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "file:///etc")
    with pytest.raises(ParameterError, match="an http or https address"):
        ChatEndpoint.open("chat:m")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(ModelError, match="no endpoint for 'chat:m': set OPENAI_BASE_URL"):
        ChatEndpoint.open("chat:m")
    with pytest.raises(ParameterError, match="chat:MODEL"):
        ChatEndpoint.open("org/name")
