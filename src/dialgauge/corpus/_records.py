"""JSON objects as rows: a dialogue with everything that belongs to it becomes one row per summary or rating."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.corpus._columns import USES, normalised
from dialgauge.corpus._table import refuse_width
from dialgauge.corpus._turns import turn_to_json, turns_from_json

Record = Mapping[str, Any]
_IDS = frozenset(USES["dialogue_id"])
_DIALOGUE = frozenset(USES["dialogue"])
_REFERENCES = frozenset(USES["reference"])
_SUMMARY_KEYS = {"text": "summary", "summary": "summary", "system": "system", "model": "system", "name": "system"}


def spread(record: Record, id_key: str | None = None) -> list[dict[str, Any]]:
    """The flat rows of one JSON object; raises ValueError with the reason if its shape is not known.

    A flat object is one row. ``turns``, ``summaries``, ``references`` and ``ratings`` become the dialogue's text, a row
    per summary, numbered reference columns, and a row per rating. ``id_key`` names the field that identifies the
    dialogue, where it is none of the usual names.
    """
    first: dict[str, Any] = {}
    further: list[dict[str, Any]] = []
    for key, value in record.items():
        name = normalised(key)
        if name in _DIALOGUE and isinstance(value, list):
            first["dialogue"] = json.dumps([turn_to_json(turn) for turn in turns_from_json(value)], ensure_ascii=False)
        elif name == "summaries" and isinstance(value, list | dict):
            further += _summaries(value)
        elif name in _REFERENCES and isinstance(value, list):
            first |= _references(value)
        elif name in ("ratings", "annotations") and isinstance(value, list):
            further += [_object(item, "a rating") for item in value]
        elif isinstance(value, dict | list):
            first[key] = json.dumps(value, ensure_ascii=False)
        else:
            first[key] = value
    identity = {key: value for key, value in first.items() if key == id_key or normalised(key) in _IDS}
    if id_key is None and len(identity) > 1:
        best = min(identity, key=lambda key: USES["dialogue_id"].index(normalised(key)))
        identity = {best: identity[best]}
    return [first, *({**row, **identity} for row in further)]


def _summaries(value: Sequence[Any] | Mapping[str, Any]) -> list[dict[str, Any]]:
    if isinstance(value, Mapping):
        value = [{"system": system, "text": text} for system, text in value.items()]
    rows = []
    for item in value:
        given = _object(item, "a summary")
        row = {_SUMMARY_KEYS.get(key, key): entry for key, entry in given.items()}
        if not isinstance(row.get("summary"), str) or row.get("system") is None:
            raise ValueError("a summary needs 'system' and 'text'")
        rows.append(_flat(row))
    return rows


def _references(value: Sequence[Any]) -> dict[str, Any]:
    texts = [item.get("text") if isinstance(item, dict) else item for item in value]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("references must be strings")
    if len(texts) == 1:
        return {"reference": texts[0]}
    return {f"reference_{number}": text for number, text in enumerate(texts, start=1)}


def _object(item: object, what: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise ValueError(f"{what} must be an object")
    return _flat(item)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for key, value in row.items()
    }


def to_frame(rows: Sequence[Mapping[str, Any]], file: str) -> pl.DataFrame:
    """The rows as text columns, one for each key that occurs, in order of appearance."""
    columns = dict.fromkeys(key for row in rows for key in row)
    refuse_width(len(columns), file)
    return pl.DataFrame([pl.Series(key, _texts(row.get(key) for row in rows), pl.String) for key in columns])


def _texts(values: Iterable[Any]) -> list[str | None]:
    # bool before the rest: True is an int in Python, and 'True' is not how JSON writes it.
    return [
        value
        if isinstance(value, str) or value is None
        else ("true" if value else "false")
        if isinstance(value, bool)
        else repr(value)
        for value in values
    ]
