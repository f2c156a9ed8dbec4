"""A chat endpoint of our own on the loopback address, which answers as a test wants it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server sends: a status and the text of the message (or raw bytes).

    ``finish`` says why the text ends; ``usage``, if given, is sent in the place of the total of ``tokens``.
    """

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    tokens: int = 50
    finish: str = "stop"
    usage: dict[str, int] | None = None


@dataclass
class ChatServer:
    """A running server: its address, the bodies it was sent, and how many requests it held at once at most."""

    address: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Reply | str]) -> Iterator[ChatServer]:
    """A server on a free port of 127.0.0.1 for the time of the block."""
    lock = threading.Lock()
    now = 0

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal now
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                server.requests.append(body)
                now += 1
                server.most_at_once = max(server.most_at_once, now)
            reply = answer(body)
            reply = Reply(reply) if isinstance(reply, str) else reply
            with lock:
                now -= 1
            choice = {"message": {"content": reply.text}, "finish_reason": reply.finish}
            usage = {"total_tokens": reply.tokens} if reply.usage is None else reply.usage
            message: dict[str, Any] = {"choices": [choice], "usage": usage}
            if reply.status != 200:
                message = {"error": {"message": reply.text or "no"}}
            content = reply.raw if reply.raw is not None else json.dumps(message).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    http_server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ChatServer(f"http://127.0.0.1:{http_server.server_port}/v1")
    thread = threading.Thread(target=http_server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http_server.shutdown()
        http_server.server_close()
