"""JSON objects as rows: what is nested becomes one row per summary or rating, with the keys of its parents."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.corpus._names import USES, is_dimension, is_id, normalised
from dialgauge.corpus._table import refuse_width
from dialgauge.corpus._turns import is_pair, split_speaker, turn_to_json, turns_from_json

Record = Mapping[str, Any]
_DIALOGUE = frozenset(USES["dialogue"])
_REFERENCES = frozenset(USES["reference"])
_SUMMARIES = re.compile(
    r"(?:.*_)?(?:summaries|outputs?|predictions|candidates|hypotheses|generations|responses)|hyps|system_summaries"
)
_JUDGEMENTS = re.compile(
    r"(?:.*_)?(?:ratings?|annotations?|scores|judge?ments?|evaluations?|labels|votes|assessments|reviews)"
)
_PEOPLE = frozenset(USES["annotator"])
#: What a nested row takes over from the row that holds it: who and what it is about, never judgements.
_IDENTITY = frozenset({*USES["system"], *USES["variant"], *USES["role"], *USES["annotator"], "kind"})
_SUMMARY_KEYS = {"text": "summary", "name": "system"}
#: Objects that are kept as they are, in one cell.
_WHOLE = frozenset({*USES["meta"], *USES["provenance"]})


def flatten(record: Record, kept: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The flat rows of one JSON object; raises ValueError with the reason if its shape is not known.

    A flat object is one row. ``turns``, ``summaries``, ``references`` and ``ratings`` become the dialogue's text, a row
    per summary, numbered reference columns, and a row per rating; each takes over the identity of what it is nested
    in. ``kept`` are the columns that a mapping names as part of that identity.
    """
    level = _Level(frozenset(kept))
    level.read(record)
    return level.rows()


class _Level:
    """One object: its own cells, and the rows of what is nested in it."""

    def __init__(self, kept: frozenset[str]) -> None:
        self.kept = kept
        self.first: dict[str, Any] = {}
        self.inner: list[dict[str, Any]] = []
        self.systems: set[str] = set()
        self.judged: list[tuple[str, Any]] = []
        self.given: frozenset[str] = frozenset()

    def read(self, record: Record) -> None:
        self.given = frozenset(record)
        for key, value in record.items():
            self._read(key, normalised(key), value)
        for key, value in self.judged:
            self.inner += self._judgements(key, value)

    def rows(self) -> list[dict[str, Any]]:
        identity = self.identity()
        return [self.first, *({**identity, **row} for row in self.inner)]

    def identity(self) -> dict[str, Any]:
        """What nested rows take over. Without an id or a system, the text stands for it."""
        found = {
            key: value
            for key, value in self.first.items()
            if key in self.kept or is_id(normalised(key)) or normalised(key) in _IDENTITY
        }
        named = {normalised(key) for key in found}
        if not any(is_id(name) for name in named) and not self.kept & set(found):
            found |= {key: value for key, value in self.first.items() if normalised(key) in _DIALOGUE}
        if not named & set(USES["system"]):
            found |= {key: value for key, value in self.first.items() if normalised(key) in USES["summary"]}
        return found

    def _read(self, key: str, name: str, value: Any) -> None:
        if not isinstance(value, dict | list):
            self.first[key] = value
        elif isinstance(value, list) and (name in _DIALOGUE or _are_turns(value)) and "dialogue" not in self.first:
            turns = turns_from_json(value)
            self.first["dialogue"] = json.dumps([turn_to_json(turn) for turn in turns], ensure_ascii=False)
        elif name in _REFERENCES and isinstance(value, list):
            self.first |= _references(value)
        elif name == "summaries" or (_SUMMARIES.fullmatch(name) and _are_summaries(value)) or _hold_summaries(value):
            self.inner += self._summaries(value)
        elif (
            name == "ratings"
            or (_JUDGEMENTS.fullmatch(name) and _are_judgements(value))
            or _is_voted(name, value)
            or _hold_judgements(value)
        ):
            self.judged.append((key, value))
        elif isinstance(value, dict) and name not in _WHOLE and _is_flat(value):
            for inner, entry in value.items():
                self._read(inner if inner not in self.first else f"{key}.{inner}", normalised(inner), entry)
        else:
            self.first[key] = json.dumps(value, ensure_ascii=False)
            if isinstance(value, dict) and name in _WHOLE:
                self._hoist(key, value)

    def _hoist(self, key: str, value: Mapping[str, Any]) -> None:
        """Metadata may hold the key of the row: these parts become columns too."""
        for inner, entry in value.items():
            only = is_id(normalised(inner)) and not any(is_id(normalised(own)) for own in self.given)
            wanted = f"{key}.{inner}" in self.kept or inner in self.kept or only
            if wanted and not isinstance(entry, dict | list):
                self.first[f"{key}.{inner}"] = entry

    def _summaries(self, value: Sequence[Any] | Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if isinstance(value, Mapping):
            value = [
                {"system": system, **(text if isinstance(text, Mapping) else {"text": text})}
                for system, text in value.items()
            ]
        for item in value:
            if not isinstance(item, Mapping):
                raise ValueError("a summary must be an object")
            given: dict[str, Any] = {_SUMMARY_KEYS.get(str(key), str(key)): entry for key, entry in item.items()}
            given = {("system" if normalised(k) in USES["system"] else k): entry for k, entry in given.items()}
            text = next((given[k] for k in given if normalised(k) in USES["summary"]), None)
            if not isinstance(text, str) or given.get("system") is None:
                raise ValueError("a summary needs 'system' and 'text'")
            self.systems.add(str(given["system"]))
            level = _Level(self.kept)
            level.read(given)
            yield from level.rows()

    def _judgements(self, key: str, value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, list):
            yield from self._listed(key, value)
            return
        if any(not isinstance(entry, dict | list) for entry in value.values()):
            named = any(normalised(inner) in _PEOPLE for inner in value)
            yield {**({} if named else {"annotator": "1"}), **_flat(value)}  # a dimension each
            return
        for name, entry in value.items():
            if str(name) in self.systems:
                yield from ({**row, "system": name} for row in self._judgements(key, _as_judgement(entry)))
            elif isinstance(entry, list) and not any(isinstance(one, dict | list) for one in entry):
                yield from _votes(name, entry)  # a dimension with the answers of annotators 1, 2, 3
            elif isinstance(entry, list):
                whose = "dimension" if is_dimension(normalised(name)) else "annotator"
                yield from ({whose: name, **_flat(one)} for one in entry if isinstance(one, Mapping))
            elif isinstance(entry, Mapping):
                yield from _keyed(str(name), entry)

    def _listed(self, key: str, value: Sequence[Any]) -> Iterator[dict[str, Any]]:
        group = re.sub(r"_?(?:ratings?|annotations?|scores|judge?ments?|evaluations?|labels)$", "", normalised(key))
        if not all(isinstance(item, Mapping) for item in value):
            if any(isinstance(item, dict | list) for item in value) or not is_dimension(normalised(key)):
                raise ValueError("a rating must be an object")
            yield from _votes(key, value)
            return
        named = any(normalised(inner) in _PEOPLE for item in value for inner in item)
        for number, item in enumerate(value, start=1):
            yield {**({} if named else {"annotator": f"{group}-{number}".strip("-")}), **_answers(item)}


def _as_judgement(entry: Any) -> Any:
    return entry if isinstance(entry, dict | list) else {"value": entry}


def _keyed(name: str, entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Answers under the name of a dimension (by annotator) or of an annotator (by dimension)."""
    if is_dimension(normalised(name)) and not any(is_dimension(normalised(key)) for key in entry):
        if {normalised(key) for key in entry} & {*USES["value"], *_PEOPLE}:
            yield {"dimension": name, **_flat(entry)}
        else:
            yield from ({"annotator": who, name: answer} for who, answer in entry.items())
    else:
        yield {"annotator": name, **_answers(entry)}


def _answers(item: Mapping[str, Any]) -> dict[str, Any]:
    """One person's judgements, with those that stand in an object of their own beside the others."""
    row: dict[str, Any] = {}
    for key, value in item.items():
        scored = isinstance(value, Mapping) and _JUDGEMENTS.fullmatch(normalised(key))
        if scored and not any(isinstance(answer, dict | list) for answer in value.values()):
            row |= value
        else:
            row |= _flat({key: value})
    return row


def _votes(name: str, value: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for number, answer in enumerate(value, start=1):
        yield {"annotator": str(number), name: answer}


def _are_turns(value: Sequence[Any]) -> bool:
    if len(value) > 1 and all(isinstance(item, str) for item in value):
        speakers = [split_speaker(item) for item in value]
        return sum(found is not None for found in speakers) * 10 >= len(value) * 8
    if len(value) > 1 and all(is_pair(item) for item in value):
        return len({item[0] for item in value}) * 2 <= len(value) + 1
    return len(value) > 1 and all(
        isinstance(item, Mapping)
        and any(isinstance(item.get(key), str) for key in ("text", "utterance", "content", "message"))
        and any(key in item for key in ("speaker", "author", "role", "participant"))
        for item in value
    )


def _are_summaries(value: Any) -> bool:
    if isinstance(value, Mapping):
        texts = [v.get("text", v.get("summary")) if isinstance(v, Mapping) else v for v in value.values()]
        return bool(texts) and all(isinstance(text, str) for text in texts)
    return all(isinstance(item, Mapping) for item in value) or not value


def _hold_summaries(value: Any) -> bool:
    """Whether every object of a list has a system and a summary, whatever the list is called."""
    systems = {*USES["system"], "name"}
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and any(normalised(key) in USES["summary"] and isinstance(item[key], str) for key in item)
            and any(normalised(key) in systems for key in item)
            for item in value
        )
    )


def _are_judgements(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value)
    return bool(value) and all(isinstance(item, Mapping) for item in value)


def _hold_judgements(value: Any) -> bool:
    """Whether every object of a list names a person and an answer on a dimension, whatever the list is called."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, Mapping)
            and any(normalised(key) in _PEOPLE for key in item)
            and any(is_dimension(normalised(key)) or normalised(key) in USES["value"] for key in item)
            for item in value
        )
    )


def _is_voted(name: str, value: Any) -> bool:
    """A dimension's name with a list of answers, or with an object of answers by annotator."""
    if not is_dimension(name) or not value:
        return False
    answers = value if isinstance(value, list) else list(value.values())
    return not any(isinstance(answer, dict | list) for answer in answers)


def _is_flat(value: Mapping[str, Any]) -> bool:
    """Whether an object only groups keys that could stand in the row itself."""
    return any(
        is_id(normalised(key)) or normalised(key) in _IDENTITY | _DIALOGUE | set(USES["summary"]) | _REFERENCES
        for key in value
    )


def _references(value: Sequence[Any]) -> dict[str, Any]:
    texts = [item.get("text") if isinstance(item, dict) else item for item in value]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("references must be strings")
    if len(texts) == 1:
        return {"reference": texts[0]}
    return {f"reference_{number}": text for number, text in enumerate(texts, start=1)}


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
        else json.dumps(value, ensure_ascii=False)
        if isinstance(value, dict | list)
        else repr(value)
        for value in values
    ]
