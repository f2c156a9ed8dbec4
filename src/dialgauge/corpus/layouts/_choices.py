"""Best-worst choices in nested files: options under letters or in a list, and who chose which of them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_person, normalised
from dialgauge.corpus._shapes import system_key, text_key, turns_within
from dialgauge.corpus._values import is_not_given
from dialgauge.corpus.layouts._base import Builder, Layout, Record, as_dialogue

_FEWEST = 3
_ENDS = ("best", "worst")
_OTHER_TEXTS = frozenset({*USES["dialogue"], *USES["reference"]})
#: What options are called that are told apart by letters or numbers.
_LETTER = re.compile(r"(?:option|summary|candidate|text|item|s)?_?(?:[a-z]|\d{1,2})", re.IGNORECASE)


def _ends_of(item: Any) -> dict[str, str]:
    """The keys of an object that name the best and the worst of several; empty where not both are there."""
    found: dict[str, str] = {}
    for key in item if isinstance(item, Mapping) else ():
        for end in _ENDS:
            if end in normalised(str(key)).split("_") and not isinstance(item[key], dict | list):
                found.setdefault(end, key)
    return found if len(found) == len(_ENDS) else {}


def _options(value: Any) -> dict[str, tuple[str | None, str]]:
    """The options of one question by the letter of each: the system, if it is told, and the text."""
    if isinstance(value, Mapping):
        if any(normalised(str(key)) in _OTHER_TEXTS for key in value):
            return {}  # the dialogue beside the options
        items = [(str(letter), one) for letter, one in value.items()]
    elif isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        key = next((key for key in (value[0] if value else ()) if _are_letters([one.get(key) for one in value])), None)
        items = [(str(one[key]), one) for one in value] if key is not None else []
    else:
        items = []
    if len(items) < _FEWEST:
        return {}
    if all(isinstance(one, str) and len(one.split()) > 1 for _, one in items):
        return {letter: (None, one) for letter, one in items}
    texts = [text_key(one) if isinstance(one, Mapping) else None for _, one in items]
    if None in texts:
        return {}
    letters = {key for _, one in items for key in one if _are_letters([other.get(key) for _, other in items])}
    rest = [{key: entry for key, entry in one.items() if key not in letters} for _, one in items]
    named = next((key for key in rest[0] if normalised(key) in USES["system"]), None) or system_key(rest, texts[0])
    return {
        letter: (str(one[named]) if named and one.get(named) is not None else None, str(one[text]))
        for (letter, one), text in zip(items, texts, strict=True)
        if text is not None
    }


def _are_letters(values: Sequence[Any]) -> bool:
    texts = [str(value) for value in values if isinstance(value, str | int)]
    return len(texts) == len(values) == len(set(texts)) and all(map(_LETTER.fullmatch, texts))


def _question(record: Record) -> tuple[str, dict[str, tuple[str | None, str]]] | None:
    """The key of a record that holds its options, and these."""
    return next(((key, found) for key, value in record.items() if (found := _options(value))), None)


def _answers(record: Record) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Who chose, if a key says so, and the object with the best and the worst: those of a list, or by person."""
    if _ends_of(record):
        yield None, record
    for value in record.values():
        if isinstance(value, list):
            yield from ((None, one) for one in value if _ends_of(one))
        elif isinstance(value, Mapping) and value and all(map(_ends_of, value.values())):
            yield from ((str(who), one) for who, one in value.items())


def _is_best_worst(keys: frozenset[str], first: Record) -> bool:
    asked = _question(first)
    if asked is None:
        return False
    names = {letter: system or letter for letter, (system, _) in asked[1].items()}
    said = [str(answer[own]) for _, answer in _answers(first) for own in _ends_of(answer).values()]
    return any(_chosen(one, names) is not None for one in said)


def _best_worst(builder: Builder) -> None:
    """A question per record, with its options and the answers of all people."""
    unanswered = 0
    named = _naming_key(builder.records)
    for number, (line, record) in enumerate(builder.records, start=1):
        asked = _question(record)
        if asked is None:
            raise ValueError(f"record {number} has no options")
        options = asked[1]
        names = {letter: system or letter for letter, (system, _) in options.items()}
        if len(set(names.values())) < len(names):
            raise ValueError(f"record {number} has two options of one system")
        data = _about(record, asked[0])
        if named in data and builder.pick(data, "dialogue_id") is None:
            data["dialogue_id"] = data.pop(named)
        for letter, (_, text) in options.items():
            builder.item(line, {**data, "system": names[letter], "summary": text})
        key = {use: value for use, value in builder.key(data).items() if use in ("dialogue_id", "role")}
        for place, (who, answer) in enumerate(_answers(record), start=1):
            said = {end: answer[own] for end, own in _ends_of(answer).items()}
            given = {end: str(one) for end, one in said.items() if one is not None and not is_not_given(str(one))}
            if not given:
                unanswered += 1
                continue
            chosen = {end: _chosen(one, names) for end, one in given.items()}
            person = who or next((str(answer[own]) for own in answer if is_person(normalised(own))), str(place))
            judged = {**key, "annotator": person, "dimension": "best-worst"}
            best, worst = chosen.get("best"), chosen.get("worst")
            if None in chosen.values() or best is None or best == worst:
                lost = {"tuple": "", "system": "", "choice": "neither", "_given": json.dumps(given), "_lost": True}
                builder.judge("choices", line, judged | lost)
                continue
            builder.choose(line, judged, list(names.values()), best, worst)
    if not any(system for _, record in builder.records for system, _ in (_question(record) or ("", {}))[1].values()):
        builder.notes.append("nothing says which system wrote each option: their letters are read as systems")
    if unanswered:
        builder.notes.append(f"{unanswered} questions were not answered (neither best nor worst)")


def _about(record: Record, options: str) -> dict[str, Any]:
    """What a record says of its dialogue."""
    data: dict[str, Any] = {}
    for key, value in record.items():
        if key == options or _ends_of({key: value}) or is_person(normalised(key)):
            continue
        said = turns_within(value)
        if said is not None and "dialogue" not in data:
            data["dialogue"] = as_dialogue(said)
        elif not isinstance(value, dict | list):
            data[key] = value
    return data


def _naming_key(records: Sequence[tuple[int, Record]]) -> str | None:
    """The first key that has a short name of its own for each set of options."""
    asked = [(record, json.dumps(found[1])) for _, record in records if (found := _question(record)) is not None]
    for key in asked[0][0] if asked else ():
        pairs = {(str(record.get(key)), options) for record, options in asked}
        names = [name for name, _ in pairs]
        short = all(len(name) <= _LONGEST and name not in ("", "None") for name in names)
        if short and len(set(names)) == len(pairs) == len({options for _, options in pairs}) > 1:
            return str(key)
    return None


#: A name is no longer than this.
_LONGEST = 40


def _chosen(said: str, names: Mapping[str, str]) -> str | None:
    """The system that an answer names: by its letter, or by its name."""
    return names.get(said) or next((name for name in names.values() if name == said), None)


CHOICES = (Layout("best-worst", "best-worst choices among options", _is_best_worst, _best_worst),)
