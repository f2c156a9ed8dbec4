"""Answers that stand as JSON in a text inside a record, as forms of crowd platforms store them."""

import json
from collections.abc import Mapping
from typing import Any

from dialgauge.corpus._names import USES, normalised

#: A text that is longer than this is no answer to a question with given answers.
_LONGEST = 40
_DEEPEST = 12
_DIALOGUES = frozenset(USES["dialogue"])
#: Under these stands what was said or written, which may be JSON itself, as the call of a tool is.
_TEXTS = _DIALOGUES | {*USES["summary"], *USES["reference"], "utterance", "message"}


def with_answers_opened(record: dict[str, Any]) -> dict[str, Any]:
    """The record with such texts as the objects that they are; other texts, as models write them, stay texts.

    ``{"content": "{\\"coverage\\": {\\"label\\": \\"4\\"}}"}``
    """
    return {key: _under(key, value, 1) for key, value in record.items()}


def _under(key: str, value: Any, depth: int) -> Any:
    name = normalised(str(key))
    told = (isinstance(value, str) and name in _TEXTS) or (isinstance(value, list) and name in _DIALOGUES)
    return value if told else _opened(value, depth)


def _opened(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _object(value) if value[:1] == "{" and value[-1:] == "}" else value
    if depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {key: _under(key, inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        return [_opened(inner, depth + 1) for inner in value]
    return value


def _object(text: str) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if _are_answers(found, 0) else text


def _are_answers(value: Any, depth: int) -> bool:
    """Whether an object holds short values only, or objects that do."""
    if isinstance(value, Mapping):
        return bool(value) and depth < _DEEPEST and all(_are_answers(inner, depth + 1) for inner in value.values())
    return depth > 0 and not isinstance(value, list) and len(str(value)) <= _LONGEST
