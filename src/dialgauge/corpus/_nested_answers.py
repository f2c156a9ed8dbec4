"""Judgements inside a JSON record as flat rows."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_dimension, is_id, is_person, normalised, says_how_sure
from dialgauge.corpus._shapes import ASKED, JUDGEMENTS, SUMMARIES, are_marks, are_questions, are_summaries
from dialgauge.corpus._values import is_answer


def as_judgement(entry: Any) -> Any:
    """A single answer as an object that holds it."""
    return entry if isinstance(entry, dict | list) else {"value": entry}


def keyed(name: str, entry: Mapping[str, Any], among_dimensions: bool) -> Iterator[dict[str, Any]]:
    """Answers under the name of a dimension (by annotator) or of an annotator (by dimension).

    ``among_dimensions`` says that other names beside this one are known dimensions.
    """
    dimension = is_dimension(normalised(name)) or among_dimensions
    if dimension and not any(is_dimension(normalised(key)) for key in entry):
        named = any(is_person(normalised(key)) for key in entry)
        if named or any(normalised(key) in USES["value"] for key in entry):
            alone = {} if named else {"annotator": "1"}
            yield {**alone, "dimension": name, **_under_own_names(entry)}
        else:
            yield from ({"annotator": who, name: answer} for who, answer in entry.items())
    else:
        yield {"annotator": name, **answers(entry)}


def are_of_people(key: str, value: Mapping[str, Any]) -> str | None:
    """The dimension on which an object has the answer of each person by name, as its key says; None for any other.

    ``{"faithfulness": {"ann": 4, "bob": 5}}``, ``{"votes": {"ann": "yes", "bob": "no"}}``; but not
    ``{"faithfulness": {"score": 4, "comment": "…"}}`` or ``{"votes": {"yes": 3, "no": 1}}``.
    """
    name = normalised(key)
    names = [normalised(str(inner)) for inner in value]
    about = {*USES["value"], *USES["comment"], *USES["time"], *USES["annotator"], *USES["scale"]}
    if len(names) < _SEVERAL or any(
        one in about or is_dimension(one) or is_id(one) or says_how_sure(one) for one in names
    ):
        return None
    given = [answer for answer in value.values() if answer is not None]
    if any(is_answer(str(inner)) for inner in value) or not all(is_answer(str(answer)) for answer in given):
        return None
    return str(key) if is_dimension(name) else "vote" if name in ("vote", "votes") else None


_SEVERAL = 2


def labels_of_people(key: str, value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The label of each person, where people are numbered under their own names; empty where they are not.

    ``{"labels": {"annotator_0": ["right"], "annotator_1": []}}``
    """
    people = [_NUMBER.sub("", normalised(str(who))) for who in value if _NUMBER.search(normalised(str(who)))]
    if (
        len(people) < len(value)
        or len(people) < _SEVERAL
        or not all(map(is_person, people))
        or not all(map(_is_label, value.values()))
    ):
        return []
    dimension = "label" if normalised(key) in ("labels", "annotations", "judgements", "judgments") else key
    return [{"annotator": str(who), dimension: _as_label(answer)} for who, answer in value.items()]


_NUMBER = re.compile(r"_?\d{1,3}$")
_LONGEST_LABEL = 40


def _is_label(value: Any) -> bool:
    """Whether this is one short label or number, or a list of such, which may be empty."""
    labels = value if isinstance(value, list) else [value]
    return all(not isinstance(one, dict | list) and len(str(one)) <= _LONGEST_LABEL for one in labels)


def _as_label(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return value[0] if len(value) == 1 else "; ".join(map(str, value)) or None


def answers(item: Mapping[str, Any]) -> dict[str, Any]:
    """One person's judgements, with those that stand in an object of their own beside the others."""
    row: dict[str, Any] = {}
    for key, value in item.items():
        scored = isinstance(value, Mapping) and (
            JUDGEMENTS.fullmatch(normalised(key)) or any(is_dimension(normalised(str(inner))) for inner in value)
        )
        if scored and not any(isinstance(answer, dict | list) for answer in value.values()):
            row |= value
        elif are_questions(value):
            row |= dict(_question(one) for one in value)
        else:
            plain = single(value)
            if isinstance(plain, Mapping) and (given := _answers_within(plain)):
                row |= _unpacked(key, given, item)
                continue
            row |= flat({"answer" if _is_answer(key, plain) else key: plain})
    return row


def _answers_within(value: Mapping[str, Any]) -> dict[str, Any]:
    """The answers of an object that holds nothing else: ``{"coverage": {"label": "4"}, "fluency": {"label": "5"}}``."""
    given = {key: single(inner) for key, inner in value.items()}
    plain = all(not isinstance(one, dict | list) and (one is None or is_answer(str(one))) for one in given.values())
    return given if plain and not any(is_id(normalised(key)) for key in given) else {}


def _unpacked(key: str, given: dict[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """Such answers under their own names, or under that of the object where others hold the same.

    ``{"fluency": {"score": 4, "confidence": 3}, "coherence": {"score": 5, "confidence": 2}}``
    """
    beside = {name for other, value in item.items() if other != key and isinstance(value, Mapping) for name in value}
    if not is_dimension(normalised(key)) and not set(given) & (beside | set(item) - {key}):
        return given
    scored = next((name for name in given if normalised(name) in USES["value"]), None)
    if scored is None:
        return flat({key: item[key]})
    rest = {f"{key}_{name}": one for name, one in given.items() if name != scored}
    return {key: given[scored], **{name: one for name, one in rest.items() if name not in item}}


def single(value: Any) -> Any:
    """What lists and objects of one element hold: ``{"response": [["4"]]}`` is 4."""
    while (isinstance(value, list) and len(value) == 1) or (isinstance(value, Mapping) and len(value) == 1):
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
    return value


def _is_answer(key: str, value: Any) -> bool:
    """Whether a name that summaries have too ("response") stands for a short answer here."""
    if normalised(key) not in USES["summary"]:
        return False
    return isinstance(value, bool | int | float) or (isinstance(value, str) and len(value.split()) < 3)


def _question(item: Mapping[str, Any]) -> tuple[str, Any]:
    """The question and the answer of an object that has both."""
    named = [key for key in item if normalised(key) in USES["value"]]
    answer = next((key for key in named if item[key] is not None), named[0])
    asked = next(key for key in item if key != answer and normalised(key) in ASKED)
    return str(item[asked]), item[answer]


def asked_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """One answer to one question, with who gave it and what was said about it."""
    name, answer = _question(item)
    row = {name: answer}
    for key, value in item.items():
        if is_person(normalised(key)) or normalised(key) in {*USES["comment"], *USES["time"]}:
            row[key] = value
        elif isinstance(value, Mapping):
            row |= {inner: one for inner, one in value.items() if is_person(normalised(inner))}
    return row


def _under_own_names(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with its comment: ``{"Rating": "4", "Rationale": "…"}`` as ``value`` and ``comment``."""
    return flat(
        {
            "value"
            if normalised(key) in USES["value"]
            else "comment"
            if normalised(key) in USES["comment"]
            else key: value
            for key, value in entry.items()
        }
    )


def marked(item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One person's judgements with the places that the person marked: the first beside the others, then a row each."""
    if not any(isinstance(value, dict | list) for value in item.values()):  # as nearly all are
        yield {"answer" if _is_answer(key, value) else key: value for key, value in item.items()}
        return
    lists = [key for key, value in item.items() if are_marks(value) or (value == [] and normalised(key) in _MARKS)]
    own = {key: value for key, value in item.items() if key not in lists}
    who = {key: value for key, value in own.items() if is_person(normalised(key))}
    first, *others = _places([mark for key in lists for mark in item[key]]) if lists else [{}]
    yield {**first, **answers(own)}
    yield from ({**who, **mark} for mark in others)


def is_list_of_marks(name: str, value: Any) -> bool:
    """Whether a list holds the places that somebody marked; it may be empty, where the person found nothing."""
    return name in _MARKS and (value == [] or are_marks(value))


def are_marks_of_people(name: str, value: Any) -> bool:
    """Whether an object holds the marks of each person under their names: then every mark says itself what it is."""
    if name not in _MARKS or not isinstance(value, Mapping):
        return False
    lists = list(value.values())
    marks = [mark for listed in lists if are_marks(listed) for mark in listed]
    return (
        bool(marks)
        and all(listed == [] or are_marks(listed) for listed in lists)
        and all(any(normalised(key) in _LABELS for key in mark) for mark in marks)
    )


def marks_of_people(value: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    """A row for each mark with who made it; one without a place for those who found nothing."""
    for who, listed in value.items():
        yield from ({"annotator": who, **mark} for mark in _places(listed))


def holds_marks(name: str, value: Any) -> bool:
    """Whether marks stand under a name of marks, maybe deeper."""
    if isinstance(value, Mapping):
        return any(holds_marks(name, inner) for inner in value.values())
    return name in _MARKS and (
        are_marks(value) or (isinstance(value, list) and any(holds_marks(name, v) for v in value))
    )


def _places(marks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The marks as flat rows; one without a place where there are none."""
    named = [
        _with_end({"start" if normalised(name) == "begin" else name: entry for name, entry in one.items()})
        for one in marks
    ]
    return [flat(one) for one in named] or [{"start": None, "end": None}]


def _with_end(mark: dict[str, Any]) -> dict[str, Any]:
    """A mark that has a length with its end."""
    start, length = mark.get("start"), mark.get("length")
    if not isinstance(start, int) or not isinstance(length, int) or any(normalised(key) == "end" for key in mark):
        return mark
    return {**{key: entry for key, entry in mark.items() if key != "length"}, "end": start + length}


def marks_beside(value: Sequence[Mapping[str, Any]], given: Collection[str]) -> list[dict[str, Any]]:
    """Marks of a record that says itself who judged: the first without what the record has, then the others."""
    first, *others = _places(value)
    return [{key: entry for key, entry in first.items() if key not in given}, *others]


def ranked(item: Mapping[str, Any], systems: set[str]) -> Iterator[dict[str, Any]]:
    """A person's list of systems from the best to the worst, as the rank of each; some may share one in a list."""
    who = {name: entry for name, entry in item.items() if is_person(normalised(name))}
    for key in rankings_in(item, systems):
        before = 0
        for tier in item[key]:
            shared = tier if isinstance(tier, list) else [tier]
            yield from ({**who, "system": str(one), _called(key): before + 1} for one in shared)
            before += len(shared)


def rankings_in(item: Mapping[str, Any], systems: set[str]) -> list[str]:
    """The keys of an object whose lists name systems, each once, alone or with those that share their place."""
    found = []
    for key, value in item.items():
        if isinstance(value, list) and len(value) > 1 and all(value):
            named = [str(one) for tier in value for one in (tier if isinstance(tier, list) else [tier])]
            found += [key] if len(set(named)) == len(named) and set(named) <= systems else []
    return found


def _called(key: str) -> str:
    """What the ranks of a list are called."""
    return "rank" if normalised(key) in ("rank", "ranks", "ranking", "order") else f"{key}_rank"


_MARKS = frozenset({"spans", "errors", "error_spans", "highlights", "marks", "mistakes"})
_LABELS = frozenset({"label", "type", "category", "error_type", "error_category", "tag", "class", "kind"})


def are_votes_on(value: Any, systems: Collection[str]) -> bool:
    """Whether an object has a list of answers for each of these systems: one of each person."""
    if not isinstance(value, Mapping) or not value or not {str(key) for key in value} <= set(systems):
        return False
    given = [one for listed in value.values() if isinstance(listed, list) for one in listed if one is not None]
    whole = all(isinstance(listed, list) for listed in value.values())
    return whole and bool(given) and all(not isinstance(one, dict | list) and is_answer(str(one)) for one in given)


def systems_of(record: Mapping[str, Any]) -> frozenset[str]:
    """The systems of which a record has the summaries under their names."""
    return frozenset(
        str(system)
        for key, value in record.items()
        if isinstance(value, Mapping) and SUMMARIES.fullmatch(normalised(key)) and are_summaries(value)
        for system in value
    )


def voters_of(record: Mapping[str, Any], voted: Collection[str], systems: Collection[str] = ()) -> dict[str, list[str]]:
    """The list of people of a record in which other lists have an answer of each, by its key; empty without such."""
    for key, value in record.items():
        named = is_person(normalised(key).removesuffix("s")) or is_person(normalised(key).removesuffix("_ids"))
        if not named or not isinstance(value, list) or not all(isinstance(one, str | int) for one in value):
            continue
        lists = [record[other] for other in voted if other != key]
        lists += [one for own in record.values() if are_votes_on(own, systems) for one in own.values()]
        if lists and len(set(map(str, value))) == len(value) and all(len(one) == len(value) for one in lists):
            return {key: [str(one) for one in value]}
    return {}


def votes(name: str, value: Sequence[Any], people: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The answers of these people on one dimension, or of annotators 1, 2, 3 …"""
    for number, answer in enumerate(value):
        yield {"annotator": people[number] if people else str(number + 1), name: answer}


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with lists and objects as JSON."""
    return {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        for key, value in row.items()
    }
