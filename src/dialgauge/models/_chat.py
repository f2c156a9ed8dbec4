"""Chat endpoints that speak the OpenAI protocol: asked politely, once per question, and never beyond the budget."""

import hashlib
import http.client
import json
import os
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialgauge.errors import ModelError, ParameterError
from dialgauge.files import cache_folder, write_text
from dialgauge.models._available import CHAT_ADDRESS, CHAT_KEY
from dialgauge.models._batching import report_progress
from dialgauge.models._refs import ModelRef

Message = Mapping[str, str]
#: Answers of a server that is busy or unwell: worth another try.
_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_PAUSE = 60.0


class BudgetError(ModelError):
    """The budget for an endpoint is used up; what was answered so far is in the cache."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A text, and for each of its tokens the likeliest tokens with their log-probabilities, where they are served."""

    text: str
    alternatives: tuple[Mapping[str, float], ...] = ()
    tokens: int = 0
    cached: bool = False


@dataclass(slots=True)
class ChatBudget:
    """At most so many requests and tokens (prompt and answer together); None is no limit. Cached answers are free."""

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
                    f"the budget of {self.requests} requests is used up; raise it and run again: "
                    "answers so far are kept"
                )
            if self.tokens is not None and self.used_tokens >= self.tokens:
                raise BudgetError(
                    f"the budget of {self.tokens} tokens is used up; raise it and run again: answers so far are kept"
                )
            self.used_requests += 1

    def spend(self, tokens: int) -> None:
        """Count the tokens of an answer."""
        with self._lock:
            self.used_tokens += tokens


@dataclass(frozen=True)
class ChatEndpoint:
    """A model behind an address such as ``https://host/v1``.

    Every answer is kept in ``cache`` under a hash of the address, the model and the whole request, so that a run that
    was cut short goes on where it stopped and a repeated one costs nothing. A busy server is asked again up to
    ``retries`` times, after the pause that it names or a growing one.
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
        address = ref.revision or os.environ.get(CHAT_ADDRESS, "").rstrip("/")
        if not address:
            raise ModelError(f"no endpoint for '{ref}': set {CHAT_ADDRESS}, or write chat:{ref.name}@https://host/v1")
        if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
            raise ParameterError("chat endpoint", "address", "an http or https address", address)
        settings.setdefault("cache", cache_folder() / "chat")
        return cls(ref.name, address, os.environ.get(CHAT_KEY), **settings)

    def ask(self, messages: Sequence[Message], **options: Any) -> ChatAnswer:
        """One answer. ``options`` are those of the protocol: temperature, max_tokens, seed, logprobs …"""
        body = {"model": self.model, "messages": [dict(message) for message in messages], **options}
        kept = self._kept(body)
        if kept is not None and kept.exists():
            try:
                return _read_answer(json.loads(kept.read_text("utf-8")), cached=True)
            except (ValueError, ModelError):
                kept.unlink()  # half a file or one of another program: ask again
        document = self._post(body)
        answer = _read_answer(document)
        self.budget.spend(answer.tokens)
        if kept is not None:
            write_text(kept, json.dumps(document, ensure_ascii=False) + "\n")
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

    def _kept(self, body: Mapping[str, Any]) -> Path | None:
        if self.cache is None:
            return None
        name = hashlib.sha256(json.dumps([self.address, body], sort_keys=True).encode()).hexdigest()
        return self.cache / name[:2] / f"{name}.json"

    def _post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of the server as a document, after as many tries as are allowed."""
        reason = "no answer"
        for attempt in range(self.retries + 1):
            self.budget.begin()
            pause = min(self.first_pause * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25)
            try:
                document = json.loads(self._send(body))
                if isinstance(document, dict):
                    return document
                reason = "the answer is no JSON object"
            except urllib.error.HTTPError as error:
                reason = f"{error.code} {error.reason}: {_explanation(error)}"
                if error.code not in _TRY_AGAIN:
                    raise ModelError(f"{self.address} refuses to answer as '{self.model}': {reason}") from error
                pause = _wanted_pause(error.headers.get("Retry-After")) or pause
            except json.JSONDecodeError as error:
                reason = f"the answer is no JSON ({error})"
            except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
                reason = str(getattr(error, "reason", None) or error or type(error).__name__)
            if attempt < self.retries:
                self.sleep(pause)
        raise ModelError(
            f"{self.address} did not answer as '{self.model}' in {self.retries + 1} tries ({reason}); is it running? "
            "Answers so far are kept, so the next run goes on from here"
        )

    def _send(self, body: Mapping[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "dialgauge"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(
            f"{self.address}/chat/completions", json.dumps(body).encode(), headers=headers, method="POST"
        )
        with urllib.request.urlopen(request, timeout=self.timeout) as answer:
            content: bytes = answer.read()
            return content


def _read_answer(document: Mapping[str, Any], *, cached: bool = False) -> ChatAnswer:
    try:
        choice = document["choices"][0]
        text = choice["message"]["content"] or ""
        listed = (choice.get("logprobs") or {}).get("content") or ()
        alternatives = tuple(
            {entry["token"]: float(entry["logprob"]) for entry in (*(token.get("top_logprobs") or ()), token)}
            for token in listed
        )
        tokens = int((document.get("usage") or {}).get("total_tokens") or 0)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"the endpoint's answer is not of the chat protocol: {error!r}") from error
    return ChatAnswer(str(text), alternatives, tokens, cached)


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
