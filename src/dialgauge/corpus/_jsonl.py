"""JSON Lines: a dialogue per line with its summaries and ratings, or a pair per line. Also a JSON array of either."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._corpus import Corpus
from dialgauge.corpus._custom_fields import has_custom_fields, with_fields_named
from dialgauge.corpus._files import Text, read_text
from dialgauge.corpus._packed_answers import with_answers_opened
from dialgauge.corpus._problems import Problem, raise_if_any
from dialgauge.corpus._table import Table, place_in
from dialgauge.corpus._turns import turn_to_json
from dialgauge.corpus._types import ORIGINAL, OVERALL
from dialgauge.errors import InputError

_DEFAULTS = {"variant": ORIGINAL, "role": OVERALL}


def load_jsonl(path: Path) -> Table:
    """The objects of a JSONL file, of a JSON array, or of a file with one object; other lines are reported."""
    text = read_text(path)
    problems: list[Problem] = []
    records = tuple((line, with_answers_opened(record)) for line, record in _records(text, str(path), problems))
    if has_custom_fields(text.text):
        records = tuple((line, with_fields_named(record)) for line, record in records)
    lines = [line for line, _ in records]
    place = place_in(str(path), lines)
    return Table(pl.DataFrame(), place, text.encoding, text.notes, tuple(problems), records)


def starts_with_object(text: str) -> bool:
    """Whether the first line of a text is a JSON object, or the whole text is one, or a list of some."""
    first = text.lstrip().partition("\n")[0]
    if first[:1] not in ("{", "["):
        return False
    for part in (first, text):
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        return isinstance(found, dict) or (isinstance(found, list) and bool(found) and isinstance(found[0], dict))
    return False


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of a file of known layout; anything else in it is an error."""
    problems: list[Problem] = []
    for _, record in _records(read_text(path), str(path), problems):
        yield record
    raise_if_any(problems, str(path))


def _records(text: Text, file: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every JSON object with its line; anything else goes to ``problems``."""
    if text.text.lstrip()[:1] == "[":
        yield from _array(text.text, file, problems)
        return
    whole = _one_object(text.text)
    if whole is not None:
        yield 1, whole
        return
    for line, raw in enumerate(text.text.split("\n"), start=1):
        if not raw or raw.isspace():
            continue
        try:
            value = json.loads(raw)
        except json.JSONDecodeError as error:
            problems.append(Problem(file, line, None, f"not JSON: {error.msg} at character {error.pos + 1}"))
            continue
        except RecursionError:
            problems.append(Problem(file, line, None, "JSON nested too deeply"))
            continue
        except ValueError as error:
            problems.append(Problem(file, line, None, f"not JSON: {error}"))
            continue
        reason = _unusable(value, raw)
        if reason:
            problems.append(Problem(file, line, record_key(value), reason))
        else:
            yield line, value


def _one_object(text: str) -> dict[str, Any] | None:
    """The object that the whole file is, spread over lines; None for a file with an object per line."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("{") or not rest.strip():
        return None
    try:
        json.loads(first)
        return None
    except (ValueError, RecursionError):
        pass
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return None if _unusable(value, text) else value


def _array(text: str, file: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON array. Items have no lines of their own, so they are counted from 1."""
    try:
        items = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}: not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise InputError(f"{file}: JSON nested too deeply") from error
    for number, value in enumerate(items, start=1):
        reason = _unusable(value, text if "\\u" in text else "")
        if reason:
            problems.append(Problem(file, number, record_key(value), reason))
        else:
            yield number, value


def _unusable(value: object, raw: str) -> str | None:
    if not isinstance(value, dict):
        return f"a JSON object is expected, not {_kind(value)}"
    # Half a surrogate pair can only come from an escape, and no file or metric could handle it.
    if "\\ud" in raw or "\\uD" in raw:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return "half a surrogate pair, which is not valid text"
        except RecursionError:
            return "JSON nested too deeply"
    return None


def _kind(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def record_key(record: object) -> str | None:
    """How messages name a record."""
    if not isinstance(record, dict):
        return None
    found = next((record[key] for key in ("dialogue_id", "id", "fname") if record.get(key) is not None), None)
    return None if found is None else str(found).encode(errors="replace").decode()[:80]


def write_jsonl(corpus: Corpus, path: Path) -> None:
    """One line per dialogue with its summaries and judgements, after one about annotators and dimensions, if any."""
    tables = ("summaries", "ratings", "preferences", "choices", "spans")
    rows = {table: _by_dialogue(getattr(corpus, table)) for table in tables}
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        if corpus.declared or corpus.annotators.height:
            stream.write(json.dumps(_about(corpus), ensure_ascii=False) + "\n")
        for dialogue in corpus.iter_dialogues():
            line: dict[str, Any] = {"id": dialogue.id, "turns": [turn_to_json(turn) for turn in dialogue.turns]}
            line |= {"domain": dialogue.domain, "language": dialogue.language, "meta": dict(dialogue.meta) or None}
            line |= {table: found.get(dialogue.id) for table, found in rows.items()}
            if corpus.info.ratings_origin == "constructed":
                line["ratings_origin"] = "constructed"
            kept = {key: value for key, value in line.items() if value is not None}
            stream.write(json.dumps(kept, ensure_ascii=False, allow_nan=False) + "\n")


def _about(corpus: Corpus) -> dict[str, Any]:
    """The line that is about no dialogue: who judged, and what is declared about dimensions."""
    people = [
        {key: value for key, value in row.items() if value is not None}
        for row in corpus.annotators.iter_rows(named=True)
    ]
    declared = [
        {"dimension": one.name, "kind": one.kind, "scale": one.scale, "labels": list(one.labels)}
        | {"direction": one.direction, "said_by": one.said_by}
        for one in corpus.declared
    ]
    return {"record": "corpus", "annotators": people, "dimensions": declared}


def _by_dialogue(frame: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """The rows of a frame as JSON objects, by dialogue; nulls and defaults are left out."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        kept = {
            key: value
            for key, value in row.items()
            if key == "value" or (value is not None and key != "dialogue_id" and _DEFAULTS.get(key) != value)
        }
        if "provenance" in kept:
            kept["provenance"] = json.loads(kept["provenance"])
        if "time" in kept:
            kept["time"] = kept["time"].isoformat()
        found.setdefault(row["dialogue_id"], []).append(kept)
    return found
