"""Chat endpoints with the OpenAI protocol: answers are cached, busy servers retried, budgets kept."""

import errno
import hashlib
import http.client
import json
import os
import random
import socket
import sqlite3
import ssl
import threading
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialgauge.errors import ModelError, ParameterError, counted
from dialgauge.files import cache_folder
from dialgauge.models._available import CHAT_ADDRESS, CHAT_KEY
from dialgauge.models._batching import report_progress
from dialgauge.models._refs import ModelRef, bare_address

Message = Mapping[str, str]
#: Status codes of a busy or failing server that are worth a retry.
_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_PAUSE = 60.0
#: How often an address is tried where nothing listens: enough for a server that is just starting.
_TRIES_OF_NOBODY = 3
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH})
#: Where answers are cached. A damaged file is left as it is, and the next one is used.
_ANSWER_FILES = ("answers.db", "answers-2.db", "answers-3.db")
_LONGEST_WAIT_FOR_FILE = 30.0
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, document TEXT NOT NULL)"


class BudgetError(ModelError):
    """The budget for an endpoint is used up; the answers so far are cached."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A text, and for each of its tokens the likeliest tokens with their log-probabilities, where they are served.

    ``tokens`` counts question and answer, 0 where the endpoint does not say; ``prompt_tokens`` of them are the
    question's, None where it does not say. ``cut`` is true if the text was truncated at a token limit.
    """

    text: str
    alternatives: tuple[Mapping[str, float], ...] = ()
    tokens: int = 0
    cached: bool = False
    prompt_tokens: int | None = None
    cut: bool = False

    def cut_at(self, limit: int) -> str:
        """Where a truncated text ends, in words: after the tokens that were counted, or at the requested limit."""
        written = limit if self.prompt_tokens is None else self.tokens - self.prompt_tokens
        return f"cut at {counted(written or limit, 'token')} by the endpoint"


@dataclass(slots=True)
class ChatBudget:
    """At most this many requests and tokens (prompt and answer together); None is no limit. Cached answers are free."""

    requests: int | None = None
    tokens: int | None = None
    used_requests: int = 0
    used_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def begin(self) -> None:
        """Count a request, or refuse it."""
        with self._lock:
            if self.requests is not None and self.used_requests >= self.requests:
                raise BudgetError(
                    f"the budget of {self.requests} requests is used up; raise it and rerun to resume: "
                    "answers so far are cached"
                )
            if self.tokens is not None and self.used_tokens >= self.tokens:
                raise BudgetError(
                    f"the budget of {self.tokens} tokens is used up; raise it and rerun to resume: answers so far are "
                    "cached"
                )
            self.used_requests += 1

    def spend(self, tokens: int) -> None:
        """Count the tokens of an answer."""
        with self._lock:
            self.used_tokens += tokens


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """Answers in a SQLite file, shared by all threads and processes that use this folder.

    Each call has a connection of its own, so nothing is held between questions. A damaged file or a full disk causes a
    warning and never loses an answer: the question is asked all the same.
    """

    folder: Path

    def find(self, key: str) -> str | None:
        """The cached document of this key, if any."""
        for name in _ANSWER_FILES:
            path = self.folder / name
            if not path.exists():
                continue
            try:
                with _opened(path) as connection:
                    row = connection.execute("SELECT document FROM answers WHERE key = ?", (key,)).fetchone()
            except sqlite3.Error as error:
                if not _warn(path, error):
                    return None
            else:
                if row is not None:
                    return str(row[0])
        return None

    def keep(self, key: str, document: str) -> None:
        """Store this, replacing what was stored under the key before."""
        for name in _ANSWER_FILES:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                with _opened(self.folder / name) as connection:
                    connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, document))
                return
            except (sqlite3.Error, OSError) as error:
                if not _warn(self.folder / name, error):
                    return


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a file with the table of answers; what is done with it is committed if all goes well."""
    connection = sqlite3.connect(path, timeout=_LONGEST_WAIT_FOR_FILE, isolation_level=None)
    try:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            _log_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE)
        yield connection
    finally:
        connection.close()


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Write-ahead logging: readers need not wait for writers."""
    last = time.monotonic() + _LONGEST_WAIT_FOR_FILE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait where another process switches the same new file at this moment.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
            time.sleep(0.01)


def _warn(path: Path, error: Exception) -> bool:
    """Warn that a file of answers cannot be used; True if it is damaged, so that another must be used."""
    damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
    if damaged:
        message = f"{path} is damaged ({error}): answers are cached in a new file beside it; you can delete this one"
    else:
        message = f"{path} cannot be used ({error}): answers are requested again, and not cached"
    warnings.warn(message, stacklevel=4)
    return damaged


@dataclass(frozen=True)
class ChatEndpoint:
    """A model behind an address such as ``https://host/v1``.

    Every answer is cached in the folder ``cache``, in SQLite, under a hash of the address, the model and the whole
    request, so that an interrupted run resumes where it stopped and a repeated one costs nothing. A busy server is
    asked again up to ``retries`` times, after the pause that it names or a growing one; an address where nothing
    listens is given up after a few seconds.
    """

    model: str
    address: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    retries: int = 5
    first_pause: float = 1.0
    parallel: int = 4
    budget: ChatBudget = field(default_factory=ChatBudget)
    cache: Path | None = None
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @classmethod
    def open(cls, ref: ModelRef | str, **settings: Any) -> "ChatEndpoint":
        """The endpoint of ``chat:MODEL@ADDRESS``; address and key come from the environment where none is given."""
        ref = ModelRef.parse(ref) if isinstance(ref, str) else ref
        if ref.source != "chat":
            raise ParameterError("chat endpoint", "model", "chat:MODEL or chat:MODEL@https://host/v1", str(ref))
        given = os.environ.get(CHAT_ADDRESS, "").rstrip("/")
        if not ref.revision and not given:
            raise ModelError(f"no endpoint for '{ref}': set {CHAT_ADDRESS}, or write chat:{ref.name}@https://host/v1")
        address = ref.revision or bare_address(given)
        settings.setdefault("cache", cache_folder() / "chat")
        return cls(ref.name, address, os.environ.get(CHAT_KEY), **settings)

    def ask(self, messages: Sequence[Message], **options: Any) -> ChatAnswer:
        """One answer. ``options`` are those of the protocol: temperature, max_tokens, seed, logprobs …"""
        body = {"model": self.model, "messages": [dict(message) for message in messages], **options}
        cache = AnswerCache(self.cache) if self.cache else None
        key = hashlib.sha256(json.dumps([self.address, body], sort_keys=True).encode()).hexdigest()
        kept = cache.find(key) if cache else None
        if kept is not None:
            try:
                return _read_answer(json.loads(kept), cached=True)
            except (ValueError, ModelError):
                pass  # not what this program wrote: ask again, and replace it
        document = self._post(body)
        answer = _read_answer(document)
        self.budget.spend(answer.tokens)
        if cache:
            cache.keep(key, json.dumps(document))
        return answer

    def ask_many(self, questions: Sequence[Sequence[Message]], **options: Any) -> list[ChatAnswer]:
        """An answer to each question, several at a time; equal questions are asked once."""
        distinct: dict[str, Sequence[Message]] = {json.dumps([dict(m) for m in q]): q for q in questions}
        answers: dict[str, ChatAnswer] = {}
        with ThreadPoolExecutor(max_workers=self.parallel) as pool:
            waiting = {text: pool.submit(self.ask, question, **options) for text, question in distinct.items()}
            try:
                for text, answer in waiting.items():
                    answers[text] = answer.result()
                    report_progress(len(answers), len(distinct))
            except BaseException:
                for answer in waiting.values():
                    answer.cancel()
                raise
        return [answers[json.dumps([dict(m) for m in q])] for q in questions]

    def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The server's answer as a document, after at most the allowed number of retries."""
        reason = "no answer"
        absent = 0
        for attempt in range(self.retries + 1):
            self.budget.begin()
            pause = min(self.first_pause * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
            try:
                document = json.loads(self._send(body))
                if isinstance(document, dict):
                    return document
                reason = "the answer is not a JSON object"
            except urllib.error.HTTPError as error:
                reason = self._hide(f"{error.code} {error.reason}: {_explanation(error)}")
                if error.code not in _TRY_AGAIN:
                    raise ModelError(f"{self.address} refuses to answer as '{self.model}': {reason}") from error
                pause = _wanted_pause(error.headers.get("Retry-After")) or pause
            except json.JSONDecodeError as error:
                reason = f"the answer is not JSON ({error})"
            except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
                reason = str(getattr(error, "reason", None) or error or type(error).__name__)
                absent += _is_nobody(error)
            if attempt == self.retries or absent == _TRIES_OF_NOBODY:
                break
            self.sleep(pause)
        raise ModelError(
            f"{self.address} did not answer as '{self.model}' in {counted(attempt + 1, 'try', 'tries')} ({reason}); "
            "is it running? Answers so far are cached; rerun to resume"
        )

    def _send(self, body: Mapping[str, Any]) -> str:
        headers = {"Content-Type": "application/json", "User-Agent": "dialgauge"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(
            f"{self.address}/chat/completions", json.dumps(body).encode(), headers=headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=self.timeout) as answer:
            return self._hide(answer.read().decode("utf-8", errors="replace"))

    def _hide(self, said: str) -> str:
        """A server's message without our key: some servers repeat it, and messages are stored and shown."""
        return said.replace(self.key, "(the key)") if self.key else said


def _is_nobody(error: Exception) -> bool:
    """Whether there is no server at all: nothing listens, no such host, no route to it, or a wrong certificate.

    Other network errors, timeouts above all, also come from overloaded servers.
    """
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLError):  # a wrong certificate or no encryption; a broken connection may recover
        return not isinstance(reason, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLSyscallError)
    absent = isinstance(reason, ConnectionRefusedError | socket.gaierror)
    return absent or (isinstance(reason, OSError) and reason.errno in _NO_WAY)


def _read_answer(document: Mapping[str, Any], *, cached: bool = False) -> ChatAnswer:
    try:
        choice = document["choices"][0]
        text = choice["message"]["content"] or ""
        listed = (choice.get("logprobs") or {}).get("content") or ()
        alternatives = tuple(
            {entry["token"]: float(entry["logprob"]) for entry in (*(token.get("top_logprobs") or ()), token)}
            for token in listed
        )
        tokens, prompt_tokens = _read_usage(document.get("usage") or {})
        cut = choice.get("finish_reason") == "length"
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"the endpoint's answer is not of the chat protocol: {error!r}") from error
    return ChatAnswer(str(text), alternatives, tokens, cached, prompt_tokens, cut)


def _read_usage(usage: Mapping[str, Any]) -> tuple[int, int | None]:
    """All tokens (0: not said), and those of the question (None: not said); what is not written was read."""
    found = {kind: usage.get(f"{kind}_tokens") for kind in ("total", "prompt", "completion")}
    counts = {kind: int(count) for kind, count in found.items() if count is not None}
    tokens = counts.get("total", counts.get("prompt", 0) + counts.get("completion", 0))
    if "prompt" in counts:
        return tokens, min(counts["prompt"], tokens)
    return tokens, max(tokens - counts["completion"], 0) if {"total", "completion"} <= counts.keys() else None


def _wanted_pause(header: str | None) -> float | None:
    try:
        return min(max(float(header), 0.0), _LONGEST_PAUSE) if header else None
    except ValueError:  # a date is allowed, too, and hardly ever sent
        return None


def _explanation(error: urllib.error.HTTPError) -> str:
    """What the server says about it, in a line."""
    try:
        said = error.read(2000).decode("utf-8", errors="replace")
        document = json.loads(said)
        return str(document["error"]["message"] if isinstance(document["error"], dict) else document["error"])[:300]
    except (OSError, ValueError, KeyError, TypeError):
        return "no explanation"
