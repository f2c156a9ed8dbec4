"""JSON objects as rows: what is nested becomes one row per summary or rating, with the keys of its parents."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from dialgauge.corpus._model_names import is_named_like_model
from dialgauge.corpus._names import USES, is_dimension, is_id, is_metric, is_of_conversation, is_person, normalised
from dialgauge.corpus._nested_answers import (
    are_marks_of_people,
    are_of_people,
    are_votes_on,
    as_judgement,
    asked_of,
    flat,
    is_list_of_marks,
    keyed,
    labels_of_people,
    marked,
    marks_beside,
    marks_of_people,
    ranked,
    rankings_in,
    single,
    systems_of,
    voters_of,
    votes,
)
from dialgauge.corpus._nested_names import speakers_named
from dialgauge.corpus._nested_people import are_answers_by, person_key
from dialgauge.corpus._shapes import (
    DIALOGUE,
    IDENTITY,
    JUDGEMENTS,
    PLACES,
    REFERENCES,
    SENTENCES,
    SUMMARIES,
    are_answers_of_people,
    are_judgements,
    are_sentences,
    are_short_answers,
    are_summaries,
    are_turns,
    hold_dimensions,
    hold_judgements,
    hold_records,
    hold_summaries,
    is_flat,
    is_turn,
    is_voted,
    sentence_of,
    system_key,
    text_alone,
    text_key,
    turns_within,
    voted_keys,
)
from dialgauge.corpus._table import refuse_width
from dialgauge.corpus._turns import parse_turns, turn_to_json, turns_from_json
from dialgauge.corpus._values import is_answer
from dialgauge.errors import InputError

Record = Mapping[str, Any]
_SUMMARY_KEYS = {"text": "summary", "name": "system"}
#: Objects that are kept as they are, in one cell.
_WHOLE = frozenset({*USES["meta"], *USES["provenance"]})
#: What metadata may say that belongs to the row.
_HOISTED = ("system", "dialogue", "summary", "reference")


def flatten(record: Record, kept: Iterable[str] = (), people: frozenset[str] | None = None) -> list[dict[str, Any]]:
    """The flat rows of one JSON object; raises ValueError with the reason if its shape is not known.

    A flat object is one row. ``turns``, ``summaries``, ``references`` and ``ratings`` become the dialogue's text, a row
    per summary, numbered reference columns, and a row per rating; each takes over the identity of what it is nested
    in. ``kept`` are the columns that a mapping names as part of that identity, ``people`` the keys that name who judged
    in all records of the file, where they were compared.
    """
    level = _Level(frozenset(kept), people=people)
    level.read(record)
    return level.rows()


def flat_rows(records: Iterable[Record], file: str) -> list[tuple[int, dict[str, Any]]]:
    """The flat rows of all records, each with the number of its record from 0; an error names one of unknown shape."""
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, record in enumerate(records):
        try:
            rows += [(number, row) for row in flatten(record)]
        except (ValueError, RecursionError) as error:
            reason = "JSON nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise InputError(f"{file}: record {number + 1}: {reason}") from error
    return rows


class _Level:
    """One object: its own cells, and the rows of what is nested in it."""

    def __init__(self, kept: frozenset[str], known_person: bool = False, people: frozenset[str] | None = None) -> None:
        self.kept = kept
        self.people = people
        self.known_person = known_person  # whether this or an outer object says who judged
        self.judging = False  # whether this object itself says so
        self.first: dict[str, Any] = {}
        self.inner: list[dict[str, Any]] = []
        self.systems: set[str] = set()
        self.judged: list[tuple[str, Any]] = []
        self.given: frozenset[str] = frozenset()
        self.voted: frozenset[str] = frozenset()
        self.voters: dict[str, list[str]] = {}  # a list of who judged, by its key
        self.about: frozenset[str] = frozenset()  # the systems whose summaries the record has by name
        self.told = False  # whether the dialogue is a text of this object
        self.record: Record = {}
        self.opening: list[Mapping[str, Any]] = []  # turns before those of a list

    def read(self, record: Record) -> None:
        self.record = record
        self.given = frozenset(record)
        self.judging = any(is_person(normalised(key)) for key in record)
        self.known_person = self.known_person or self.judging
        self.voted = voted_keys(record)
        self.about = systems_of(record)
        self.voters = voters_of(record, self.voted, self.about)
        self.told = any(normalised(key) in DIALOGUE and isinstance(value, str) for key, value in record.items())
        for key, value in record.items():
            self._read(key, normalised(key), value)
        if self.opening and "dialogue" not in self.first:
            self._say([])
        for key, value in self.judged:
            of_talk = is_of_conversation(normalised(key)) and not set(map(str, value)) <= self.systems
            if len(self.systems) > 1 and isinstance(value, Mapping) and of_talk:
                self.first[key] = json.dumps(value, ensure_ascii=False)
            else:
                self.inner += self._judgements(key, value)

    def rows(self) -> list[dict[str, Any]]:
        identity = self.identity()
        # An object that only says who judged what is nested in it is no row of its own.
        whose = self.inner and all(is_person(normalised(key)) for key in self.first)
        return [*([] if whose else [self.first]), *({**identity, **row} for row in self.inner)]

    def identity(self) -> dict[str, Any]:
        """What nested rows take over. Without an id or a system, the text stands for it."""
        found = {
            key: value
            for key, value in self.first.items()
            if key in self.kept or is_id(normalised(key)) or normalised(key) in IDENTITY or is_person(normalised(key))
        }
        named = {normalised(key) for key in found}
        if not any(is_id(name) for name in named) and not self.kept & set(found):
            found |= {key: value for key, value in self.first.items() if normalised(key) in DIALOGUE}
        if not named & set(USES["system"]):
            found |= {key: value for key, value in self.first.items() if normalised(key) in USES["summary"]}
        return found

    def _read(self, key: str, name: str, value: Any) -> None:
        if not isinstance(value, dict | list):
            self.first[key] = value
        elif (text := text_alone(name, value)) is not None:
            self.first[key] = text
        elif isinstance(value, list) and (name in DIALOGUE or are_turns(value)) and "dialogue" not in self.first:
            self._say(value)
        elif key in self.voters:
            return
        elif isinstance(value, list) and key in self.voted:
            self.inner += votes(key, value, next(iter(self.voters.values()), None))
        elif isinstance(value, list) and self.judging and is_list_of_marks(name, value):
            first, *others = marks_beside(value, self.given)
            self.first |= first
            self.inner += others
        elif isinstance(value, dict) and not self.known_person and are_marks_of_people(name, value):
            self.inner += marks_of_people(value)
        elif isinstance(value, list) and are_sentences(value):
            self._sentences(value)
        elif name in REFERENCES and isinstance(value, list):
            self.first |= _references(value)
        elif not is_metric(name) and are_votes_on(value, self.about):
            self.judged.append((key, {key: value}))
        elif are_answers_of_people(value):
            self.inner += (asked_of(item) for item in value)
        elif are_short_answers(value):
            self.judged.append((key, value))
        elif name == "summaries" or (SUMMARIES.fullmatch(name) and are_summaries(value)) or hold_summaries(value):
            self.inner += self._summaries(value)
        elif is_metric(name):
            self.first[key] = json.dumps(value, ensure_ascii=False)
        elif (
            name == "ratings"
            or (JUDGEMENTS.fullmatch(name) and are_judgements(value))
            or is_voted(name, value)
            or hold_judgements(value)
            or (self._is_summary() and are_answers_by(value, self.people))
        ):
            self.judged.append((key, value))
        elif isinstance(value, dict) and name not in _WHOLE and is_turn(value) and "dialogue" not in self.first:
            self.opening.append(value)
        elif isinstance(value, dict) and name not in _WHOLE and is_flat(value):
            for inner, entry in value.items():
                self._read(inner if inner not in self.first else f"{key}.{inner}", normalised(inner), entry)
        elif name not in _WHOLE and hold_records(value):
            for item in value:
                level = _Level(self.kept, self.known_person, self.people)
                level.read(item)
                self.inner += level.rows()
        else:
            said = turns_within(value)
            if said is not None and "dialogue" not in self.first and not self.told:
                self._say(said)
            else:
                self.first[key] = json.dumps(value, ensure_ascii=False)
            if isinstance(value, dict) and name in _WHOLE:
                self._hoist(key, value)

    def _is_summary(self) -> bool:
        """Whether the object is one of several summaries: then a list in it is about that, and not about a talk."""
        names = {normalised(key) for key in self.given}
        return bool(names & set(USES["summary"])) and bool(names & set(USES["system"])) and not names & DIALOGUE

    def _say(self, value: Sequence[Any]) -> None:
        turns = turns_from_json([*self.opening, *value])
        if len(turns) == 1 and sum(bool(turn.speaker) for turn in parse_turns(turns[0].text)) > 1:
            turns = parse_turns(turns[0].text)  # a request to a model that quotes the dialogue
        self.opening = []
        turns = speakers_named(turns, self.record)
        self.first["dialogue"] = json.dumps([turn_to_json(turn) for turn in turns], ensure_ascii=False)

    def _sentences(self, value: Sequence[Mapping[str, Any]]) -> None:
        """Sentences with judgements of their own: the summary is made of them where nothing else gives it."""
        texts = [str(sentence_of(item)).strip() for item in value]
        if not any(normalised(key) in USES["summary"] for key in self.given):
            self.first["summary"] = " ".join(texts)
        for number, item in enumerate(value):
            rest = {key: entry for key, entry in item.items() if entry is not sentence_of(item)}
            rest = {key: entry for key, entry in rest.items() if not _numbers_it(key, entry, number)}
            level = _Level(self.kept, self.known_person, self.people)
            level.read(rest)
            rows = [row for row in level.rows() if any(entry is not None for entry in row.values())]
            self.inner += [{**row, "sentence": number} for row in rows if set(row) != {"index"}]

    def _hoist(self, key: str, value: Mapping[str, Any]) -> None:
        """Metadata may hold the key of the row or its texts: these parts become columns too."""
        own = {normalised(name) for name in self.given}
        for inner, entry in value.items():
            name = normalised(inner)
            only = is_id(name) and not any(is_id(one) and one != "id" for one in own)
            if isinstance(entry, dict | list):
                continue
            if f"{key}.{inner}" in self.kept or inner in self.kept or (only and name == "id"):
                self.first[f"{key}.{inner}"] = entry
            elif only or any(name in USES[use] and not own & set(USES[use]) for use in _HOISTED):
                self.first[inner if inner not in self.first else f"{key}.{inner}"] = entry

    def _summaries(self, value: Sequence[Any] | Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if isinstance(value, Mapping):
            value = [
                {"system": system, **(text if isinstance(text, Mapping) else {"text": text})}
                for system, text in value.items()
            ]
        if not all(isinstance(item, Mapping) for item in value):
            raise ValueError("a summary must be an object")
        named = system_key(value, text_key(value[0])) if value else None
        for item in value:
            own = {text_key(item): "summary", named: "system"} if named and not _names_system(item) else _SUMMARY_KEYS
            given: dict[str, Any] = {own.get(str(key), str(key)): entry for key, entry in item.items()}
            given = {("system" if normalised(k) in USES["system"] else k): entry for k, entry in given.items()}
            text = next((given[k] for k in given if normalised(k) in USES["summary"]), None)
            given = {k: _as_sentences(entry) if normalised(k) in SENTENCES else entry for k, entry in given.items()}
            parted = any(are_sentences(entry) for entry in given.values())
            if (not isinstance(text, str) and not parted) or given.get("system") is None:
                raise ValueError("a summary needs 'system' and 'text'")
            self.systems.add(str(given["system"]))
            level = _Level(self.kept, self.known_person, self.people)
            level.read(given)
            yield from level.rows()

    def _judgements(self, key: str, value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, list):
            yield from self._listed(key, value)
            return
        if not self.known_person and (labelled := labels_of_people(key, value)):
            yield from labelled
            return
        people = not self.known_person and hold_dimensions(value)
        if not people and any(not isinstance(single(entry), dict | list) for entry in value.values()):
            value = {inner: single(entry) for inner, entry in value.items()}
            if not self.known_person and (asked := are_of_people(key, value)):
                yield from ({"annotator": who, asked: answer} for who, answer in value.items())
                return
            named = self.known_person or any(is_person(normalised(inner)) for inner in value)
            whose = str(key) if is_named_like_model(str(key)) else "1"  # "gpt4_judge", beside people
            yield {**({} if named else {"annotator": whose}), **flat(value)}  # a dimension each
            return
        dimensions = any(is_dimension(normalised(name)) for name in value)
        for name, entry in value.items():
            if str(name) in self.systems:
                yield from ({**row, "system": name} for row in self._judgements(key, as_judgement(entry)))
            elif isinstance(entry, Mapping) and entry and {str(inner) for inner in entry} <= self.systems:
                for system, given in entry.items():  # a dimension, and under it the answers about each system
                    voters = next(iter(self.voters.values()), None)
                    answered = votes(name, given if isinstance(given, list) else [given], voters)
                    yield from ({**row, "system": system} for row in answered)
            elif isinstance(entry, list) and not any(isinstance(one, dict | list) for one in entry):
                yield from votes(name, entry)  # a dimension with the answers of annotators 1, 2, 3
            elif isinstance(entry, list):
                whose = "dimension" if is_dimension(normalised(name)) else "annotator"
                yield from ({whose: name, **flat(one)} for one in entry if isinstance(one, Mapping))
            elif isinstance(entry, Mapping):
                yield from keyed(str(name), entry, dimensions)

    def _listed(self, key: str, value: Sequence[Any]) -> Iterator[dict[str, Any]]:
        group = re.sub(r"_?(?:ratings?|annotations?|scores|judge?ments?|evaluations?|labels)$", "", normalised(key))
        if not all(isinstance(item, Mapping) for item in value):
            if any(isinstance(item, dict | list) for item in value) or not is_dimension(normalised(key)):
                raise ValueError("a rating must be an object")
            yield from votes(key, value)
            return
        named = self.known_person or any(is_person(normalised(inner)) for item in value for inner in item)
        whose = None if named else person_key(value, self.people)
        about = self._system_key(value)
        for number, item in enumerate(value, start=1):
            if about is not None:
                item = {"system" if key == about else key: entry for key, entry in item.items()}
            who = {} if named else {"annotator": item[whose] if whose else f"{group}-{number}".strip("-")}
            places = list(ranked(item, self.systems))
            gone = rankings_in(item, self.systems)
            rest = {inner: entry for inner, entry in item.items() if inner not in gone}
            spare = not places or any(
                is_answer(str(entry)) for key, entry in rest.items() if is_dimension(normalised(key))
            )
            yield from ({**who, **row} for row in (*places, *(marked(rest) if spare else ())))

    def _system_key(self, value: Sequence[Record]) -> str | None:
        """The key by which judgements name the summary that they are about, where it is not called system."""
        if len(self.systems) < 2 or any(_names_system(item) for item in value):
            return None
        keys = [key for key in value[0] if all(str(item.get(key)) in self.systems for item in value)]
        return keys[0] if len(keys) == 1 else None


def _numbers_it(key: str, value: Any, number: int) -> bool:
    """Whether a field of a sentence is its place, counted from 0 or 1."""
    return normalised(key) in PLACES and str(value).strip() in (str(number), str(number + 1))


def _as_sentences(value: Any) -> Any:
    """A list of the sentences of a summary, each with its text under a name that says so; one may stand alone."""
    value = [value] if isinstance(value, Mapping) else value
    if not isinstance(value, list) or not all(isinstance(one, Mapping) and "text" in one for one in value):
        return value
    return [{("sentence" if key == "text" else key): entry for key, entry in one.items()} for one in value]


def _names_system(item: Record) -> bool:
    return any(normalised(_SUMMARY_KEYS.get(str(key), str(key))) in USES["system"] for key in item)


def _references(value: Sequence[Any]) -> dict[str, Any]:
    texts = [item.get("text") if isinstance(item, dict) else item for item in value]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("references must be strings")
    if len(texts) == 1:
        return {"reference": texts[0]}
    return {f"reference_{number}": text for number, text in enumerate(texts, start=1)}


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
