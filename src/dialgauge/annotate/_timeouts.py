"""Time limits for connections: whoever is slow to send a request, or to read the answer, is disconnected.

uvicorn waits for ever for the rest of a request. A few hundred half-open connections would then use up the process's
file descriptors, and nobody could reach the server.
"""

import asyncio
import sys
from typing import Any

from dialgauge.annotate._shield import IMPORT_PATH

#: Seconds from the first byte of a request (or from connecting) to the end of its headers.
HEAD_SECONDS = 10.0
#: Seconds from the headers to the end of the body.
BODY_SECONDS = 30.0
#: A large import may take longer: as long as a line of this many bytes per second needs.
SLOWEST_IMPORT = 16 * 1024
#: Seconds in which a client must read something of an answer that waits for it.
READ_SECONDS = 60.0
#: File descriptors kept free for the database, the log and files.
_RESERVED = 200


def timed_protocol(head_seconds: float = HEAD_SECONDS, body_seconds: float = BODY_SECONDS) -> type[asyncio.Protocol]:
    """uvicorn's protocol for HTTP with time limits."""
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class TimedProtocol(HttpToolsProtocol):
        """One connection. At most one timer runs for requests and one for answers."""

        _request_timer: asyncio.TimerHandle | None = None
        _answer_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > most_connections():
                transport.abort()
                return
            self._expect(head_seconds)

        def connection_lost(self, exc: Exception | None) -> None:
            self._expect(None)
            self.resume_writing()
            super().connection_lost(exc)

        def on_message_begin(self) -> None:
            self._expect(head_seconds)
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            super().on_headers_complete()
            self._expect(max(body_seconds, _import_seconds(self.scope)))

        def on_message_complete(self) -> None:
            self._expect(None)
            super().on_message_complete()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._answer_timer = self.loop.call_later(READ_SECONDS, self.transport.abort)

        def resume_writing(self) -> None:
            if self._answer_timer is not None:
                self._answer_timer.cancel()
                self._answer_timer = None
            super().resume_writing()

        def _expect(self, seconds: float | None) -> None:
            if self._request_timer is not None:
                self._request_timer.cancel()
            self._request_timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)

    return TimedProtocol


def _import_seconds(scope: Any) -> float:
    if not scope.get("path", "").startswith(IMPORT_PATH):
        return 0.0
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    return int(declared) / SLOWEST_IMPORT if declared.isdigit() and len(declared) < 12 else 0.0


def most_connections() -> int:
    """How many connections may be open at once."""
    if sys.platform == "win32":
        return 10_000
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else max(16, soft - _RESERVED)


def raise_descriptor_limit() -> None:
    """Use as many file descriptors as this process is allowed to."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
