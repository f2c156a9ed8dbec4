"""Checks before every request: known hosts, sizes, rates; and the headers of every response."""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any

from starlette.exceptions import HTTPException

from dialgauge.web import served_policy

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "dialgauge_session"
LARGEST_BODY = 256 * 1024
LARGEST_IMPORT = 32 * 1024 * 1024
IMPORT_PATH = "/api/lead/import/"
LOGIN_PATH = "/lead/login"
#: Set where somebody signed in as lead: guesses elsewhere must not keep this browser out.
DEVICE_COOKIE = "dialgauge_device"
_MOST_KEYS = 10_000
_UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}


class Limiter:
    """At most ``rate`` requests per second and key on average, with a burst; keys not seen for longest are dropped."""

    def __init__(self, rate: float, burst: float, most_keys: int = _MOST_KEYS) -> None:
        self._rate, self._burst, self._most_keys = rate, burst, most_keys
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, key: str, now: float | None = None) -> float:
        """0 where the request may pass, else the seconds to wait."""
        now = time.monotonic() if now is None else now
        level, last = self._buckets.pop(key, (self._burst, now))
        level = min(self._burst, level + (now - last) * self._rate)
        allowed = level >= 1
        self._buckets[key] = (level - 1 if allowed else level, now)
        if len(self._buckets) > self._most_keys:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - level) / self._rate


class Shield:
    """An ASGI application around ours. ``hosts`` are the names this server answers to, without ports.

    ``origin`` is the site whose pages may send changes; without one it is the site that the request names as host.
    ``rate`` limits the requests per second of one session, ``strangers`` those of one address without a session.
    ``is_device`` says whether a cookie was set when somebody signed in as lead.
    """

    def __init__(
        self,
        application: Application,
        hosts: frozenset[str],
        *,
        origin: str | None = None,
        rate: float = 50.0,
        strangers: float = 5.0,
        is_device: Callable[[str], bool] = lambda cookie: False,
    ) -> None:
        self._application, self._hosts, self._origin, self._is_device = application, hosts, origin, is_device
        self._https = origin is not None and origin.startswith("https:")
        self._sessions = Limiter(rate, 4 * rate)
        # Visitors without a session open a link, perhaps with a whole class behind one address, or try passwords.
        self._strangers = Limiter(strangers, 60 * strangers)
        self._guesses = Limiter(0.2, 10)
        self._all_guesses = Limiter(0.5, 60)
        self._known_sessions: OrderedDict[str, None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        headers = dict(scope["headers"])
        # Only pages have scripts; everything else may run none at all.
        nonce = None if scope["path"].startswith(("/api/", "/static/")) else secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        answer = _with_headers(send, nonce, self._https, scope["path"])
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(answer, *refusal)
            return
        largest = LARGEST_IMPORT if scope["path"].startswith(IMPORT_PATH) else LARGEST_BODY
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > largest:
            await _refuse(answer, 413, "too-large", f"The request is too large (at most {largest // 1024} KiB).")
            return
        await self._application(scope, _Counted(receive, largest), answer)
        self._remember(scope["state"].get("session"))

    def _remember(self, session: str | None) -> None:
        """Keep in mind that a cookie is of a session, which only the application can tell."""
        if session is not None:
            self._known_sessions.pop(session, None)
            self._known_sessions[session] = None
            if len(self._known_sessions) > _MOST_KEYS:
                self._known_sessions.popitem(last=False)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str, str] | None:
        host = headers.get(b"host", b"").decode("latin-1")
        # Another site's name that resolves to this machine must not give access. A bare address cannot.
        if _name(host) not in self._hosts and not _is_address(_name(host)):
            return 421, "bad-host", "This server is not configured for this host name; set --public-url."
        origin = headers.get(b"origin")
        if scope["method"] in _UNSAFE and origin is not None:
            expected = self._origin or f"{scope['scheme']}://{host}"
            if origin.decode("latin-1").lower() != expected.lower():
                return 403, "origin", "This request comes from another site."
        wait = self._wait(scope, headers)
        if wait > 0:
            return 429, "too-many", f"Too many requests. Try again in {max(1, round(wait))} s."
        return None

    def _wait(self, scope: Scope, headers: dict[bytes, bytes]) -> float:
        path, address = scope["path"], (scope.get("client") or ("unknown", 0))[0]
        if path.startswith("/static/"):
            return 0.0
        cookies = headers.get(b"cookie", b"").decode("latin-1")
        if path == LOGIN_PATH and scope["method"] in _UNSAFE:
            return self._guess_wait(address, cookie_of(cookies, DEVICE_COOKIE))
        cookie = cookie_of(cookies)
        session = None if cookie is None else digest_of(cookie)
        # Anybody can invent a cookie: one that has not proved to be of a session counts as none.
        if session is None or session not in self._known_sessions:
            return self._strangers.wait(address)
        return self._sessions.wait(session)

    def _guess_wait(self, address: str, device: str | None) -> float:
        """How long to wait before a password may be tried: of each address, and of all addresses together.

        A browser in which somebody has signed in as lead has a limit of its own: guesses must not lock the lead out.
        """
        if device is not None and self._is_device(device):
            return self._guesses.wait(f"device {device}")
        return self._guesses.wait(address) or self._all_guesses.wait("")


def cookie_of(header: str, name: str = COOKIE) -> str | None:
    """The value of one of our cookies in a Cookie header."""
    for part in header.split(";"):
        given, _, value = part.strip().partition("=")
        if given == name and value:
            return value
    return None


def digest_of(cookie: str) -> str:
    """The digest of a cookie, which the database stores."""
    return hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()


def _name(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0][1:].lower()
    return host.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class _Counted:
    """The body of a request, cut off where it becomes too large: a declared length may be wrong."""

    def __init__(self, receive: Receive, largest: int) -> None:
        self._receive, self._left = receive, largest

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, "The request is too large.")
        return message


def _with_headers(send: Send, nonce: str | None, https: bool, path: str) -> Send:
    fixed = [
        (b"content-security-policy", served_policy(nonce).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
        (b"cache-control", b"no-cache" if path.startswith("/static/") else b"no-store"),
    ]
    if https:
        fixed.append((b"strict-transport-security", b"max-age=31536000"))

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *fixed]
        await send(message)

    return sending


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = f'{{"error": "{code}", "message": "{message}"}}'.encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
