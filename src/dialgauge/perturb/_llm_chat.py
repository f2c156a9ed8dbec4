"""Typed answers from a chat endpoint: JSON by schema, JSON at least, or JSON found in the text; always validated."""

import json
import re
import threading
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from dialgauge.errors import ModelError
from dialgauge.models import ChatAnswer, ChatUsage
from dialgauge.perturb._llm_prompts import Message

Model = TypeVar("Model", bound=BaseModel)
#: From the strictest form to the loosest. If an endpoint rejects one, the next is used from then on.
_FORMS = ("json_schema", "json_object", "text")
#: Status codes by which an endpoint rejects an unknown form as a bad request.
_REFUSED = re.compile(r": (?:400|404|415|422|501) ")
#: The complaint about a truncated answer.
CUT = "the answer was cut off by the token limit"


class Chat(Protocol):
    """The interface of a chat endpoint, such as :class:`dialgauge.models.ChatEndpoint`."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def parallel(self) -> int:
        """Maximum number of parallel requests."""

    def ask(self, messages: Sequence[Any], **options: Any) -> ChatAnswer:
        """One answer."""


class ContentError(Exception):
    """An unusable answer; the message is a complaint that the model can act on."""


class TypedChat:
    """Requests answers of a pydantic model. Thread-safe."""

    def __init__(self, chat: Chat, options: dict[str, Any]) -> None:
        self.chat, self.options = chat, options
        self.usage = ChatUsage()
        self._form = 0
        self._lock = threading.Lock()

    @property
    def form(self) -> str:
        """The response format in use."""
        return _FORMS[self._form]

    def ask_text(self, messages: Sequence[Message], **options: Any) -> ChatAnswer:
        """An answer in plain text."""
        answer = self.chat.ask(messages, **{**self.options, **options})
        self.usage.add(answer)
        return answer

    def ask(
        self, messages: Sequence[Message], kind: type[Model], **options: Any
    ) -> tuple[Model | None, ChatAnswer, str]:
        """An answer of this kind, the raw answer, and a complaint if it is not of this kind."""
        answer = self._ask_in_form(messages, kind, options)
        try:
            return read_json(answer.text, kind), answer, ""
        except ContentError as error:
            return None, answer, CUT if answer.cut else str(error)

    def _ask_in_form(self, messages: Sequence[Message], kind: type[BaseModel], options: dict[str, Any]) -> ChatAnswer:
        while True:
            form = self._form
            try:
                return self.ask_text(messages, **options, **_response_format(_FORMS[form], kind))
            except ModelError as error:
                if not _REFUSED.search(str(error)) or form == len(_FORMS) - 1:
                    raise
                with self._lock:
                    self._form = max(self._form, form + 1)


def _response_format(form: str, kind: type[BaseModel]) -> dict[str, Any]:
    if form == "json_schema":
        schema = {"name": kind.__name__, "schema": kind.model_json_schema(), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {"response_format": {"type": "json_object"}} if form == "json_object" else {}


def read_json(text: str, kind: type[Model]) -> Model:
    """The first JSON object in a text, checked against the model; ContentError says what is wrong with it."""
    decoder = json.JSONDecoder()
    found: Any = None
    for match in re.finditer(r"\{", text):
        try:
            found, _ = decoder.raw_decode(text, match.start())
            break
        except json.JSONDecodeError:
            continue
    if found is None:
        raise ContentError("the answer contains no JSON object")
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the object"
        raise ContentError(f"the JSON does not fit: {where}: {first['msg']}") from None


def bare_text(text: str) -> str:
    """The summary in a plain-text answer: without fences, quotes and a heading."""
    text = re.sub(r"^```\w*\n|\n```$", "", text.strip())
    text = re.sub(r"^(?:[\w -]{0,40}[Ss]ummary[\w -]{0,20}|Here is[^:\n]{0,60}|Sure[^:\n]{0,60}):\s*", "", text.strip())
    if len(text) > 1 and text[0] in "\"“'" and text[-1] in "\"”'":
        text = text[1:-1]
    return text.strip()
