"""Platforms that label data for others: Labelbox and Scale."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_person, normalised
from dialgauge.corpus._nested_answers import single
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus.layouts._base import Builder, Layout, Record


def _is_labelbox(keys: frozenset[str], first: Record) -> bool:
    return isinstance(first.get("data_row"), Mapping) and isinstance(first.get("projects"), Mapping)


def _labelbox(builder: Builder) -> None:
    """Data rows with the labels that people gave in each project: answers, checklists, texts and marked places."""
    marked: list[tuple[int, dict[str, Any], str]] = []
    for line, record in builder.records:
        data = _shown(record)
        builder.item(line, data)
        key = builder.key(data)
        text = str(builder.pick(data, "summary") or "")
        for project in record["projects"].values():
            for label in project.get("labels") or ():
                about = label.get("label_details") or {}
                who, time = str(about.get("created_by") or label.get("id") or "1"), about.get("created_at")
                given = label.get("annotations") or {}
                judged = key | {"annotator": who, "time": time}
                for name, answer in _answers(given.get("classifications") or ()):
                    builder.add(line, judged | {"dimension": name, "value": answer})
                for one in given.get("objects") or ():
                    place = one.get("location") or (one.get("data") or {}).get("location") or {}
                    span = {name: _position(place.get(name)) for name in ("start", "end")}
                    if span == {"start": None, "end": None}:
                        builder.leave_out(line, key, f"the mark {one.get('name')!r} has no place in the text")
                    else:
                        about_it = {"dimension": "errors", "label": one.get("name")}
                        marked.append((line, judged | span | about_it, text))
    for project in {str(name) for _, record in builder.records for name in record["projects"]} | {"*"}:
        asked = f"projects.{project}.labels[].annotations.classifications[]"
        for path in ("value", "radio_answer.value", "checklist_answers[].value"):
            builder.ignored[f"{asked}.{path}"] = "the platform's own name of what 'name' says"
    if _names_systems(builder.records):
        builder.settled.add("metadata_fields[].value")
    after_last = _ends_after([(span["end"], text) for _, span, text in marked if span["end"] is not None])
    for line, span, _ in marked:
        end = span["end"]
        builder.judge("spans", line, span | {"end": end if after_last or end is None else end + 1})


def _names_systems(records: Sequence[tuple[int, Record]]) -> bool:
    """Whether the metadata say nothing but which system wrote: few names that recur are no answers then."""
    fields = [one for _, record in records for one in record.get("metadata_fields") or ()]
    return all(normalised(str(one.get("schema_name") or one.get("name"))) in USES["system"] for one in fields)


def _position(given: Any) -> int | None:
    return int(given) if str(given).isdecimal() else None


def _shown(record: Record) -> dict[str, Any]:
    """What people saw: the metadata, the attached texts, and the text of the row itself."""
    row = record["data_row"]
    data: dict[str, Any] = {}
    for one in (*(record.get("metadata_fields") or ()), *(record.get("attachments") or ())):
        name = one.get("schema_name") or one.get("name")
        if name and isinstance(one.get("value"), str | int | float):
            data[str(name)] = one["value"]
    given = row.get("external_id") or row.get("global_key") or row.get("id")
    if not any(normalised(name) in USES["dialogue_id"] for name in data):
        data["dialogue_id"] = given
    text = row.get("row_data")
    if isinstance(text, str):
        spoken = sum(bool(turn.speaker) for turn in parse_turns(text)) > 1
        written = any(normalised(name) in USES["summary"] for name in data)
        data["dialogue" if spoken or written else "summary"] = text
    return data


def _answers(given: Sequence[Record]) -> Iterator[tuple[str, Any]]:
    """The question and the answer of each classification, and of those inside its answers."""
    for one in given:
        name = str(one.get("name") or one.get("title"))
        chosen = [one["radio_answer"]] if one.get("radio_answer") else list(one.get("checklist_answers") or ())
        if chosen:
            yield name, "; ".join(str(answer.get("name") or answer.get("value")) for answer in chosen)
        elif isinstance(one.get("text_answer"), Mapping):
            yield name, one["text_answer"].get("content")
        for answer in chosen:
            yield from _answers(answer.get("classifications") or ())


def _ends_after(places: Sequence[tuple[int, str]]) -> bool:
    """Whether ends are those after the last character: marks end where words do, more often than not."""
    after = sum(not text[end : end + 1].isalnum() for end, text in places)
    last = sum(not text[end + 1 : end + 2].isalnum() for end, text in places)
    return after > last


def _is_scale(keys: frozenset[str], first: Record) -> bool:
    given = first.get("response", first.get("responses"))
    return "task_id" in keys and isinstance(first.get("params", first.get("metadata")), Mapping) and bool(given)


def _scale(builder: Builder) -> None:
    """Tasks with the response of a person, or of several; what was shown is in the metadata and the attachments."""
    for line, record in builder.records:
        params = record.get("params") or {}
        data = {**(record.get("metadata") or {}), **(params.get("metadata") or {})}
        listed = params.get("attachments") or ([params] if "attachment" in params else [])
        for place, one in enumerate(listed):
            text = one.get("content", one.get("attachment"))
            if isinstance(text, Mapping):
                data = {**text, **data}
            elif isinstance(text, str):
                data.setdefault(str(one.get("name") or one.get("label") or f"text_{place + 1}"), text)
        if builder.pick(data, "dialogue_id") is None and builder.pick(data, "dialogue") is None:
            data["dialogue_id"] = record["task_id"]
        systems = _systems_shown(data)
        data = {name: value for name, value in data.items() if name not in systems and not isinstance(value, Mapping)}
        for name, (system, text) in systems.items():
            builder.item(line, {**data, "system": system, "summary": text})
            builder.settled.add(f"params.attachments.{name}")
        if not systems:
            builder.item(line, data)
        key = builder.key(data)
        given = record.get("responses", record.get("response"))
        for number, one in enumerate(given if isinstance(given, list) else [given], start=1):
            answers = one.get("annotations") or {} if isinstance(one, Mapping) else one
            if answers is None:  # nobody has answered this task yet
                continue
            if not isinstance(answers, Mapping):
                builder.leave_out(line, key, "the response does not say which answer is to which question")
                continue
            named = [each[name] for each in (one, record) for name in each if is_person(normalised(name))]
            who = named[0] if named else number
            judged = key | {"annotator": str(who), "time": record.get("completed_at")}
            each = {name: _of_each(answer, systems) for name, answer in answers.items()}
            if systems:  # what is said of all of them is a remark
                said = {name: _said(answers[name]) for name, values in each.items() if not values}
                judged["comment"] = "; ".join(f"{name}: {value}" for name, value in said.items() if value) or None
            for name, answer in answers.items():
                for system, value in each[name].items():
                    builder.add(line, judged | {"system": system, "dimension": name, "value": value})
                if not systems:
                    builder.add(line, judged | {"dimension": name, "value": _said(answer)})


def _systems_shown(data: Record) -> dict[str, tuple[str, str]]:
    """The texts that were compared, by the names under which they were shown: the system, which a key tells, and the
    text of each."""
    for key in data.values():
        if isinstance(key, Mapping) and len(key) > 1 and all(isinstance(data.get(name), str) for name in key):
            return {str(name): (str(system), str(data[name])) for name, system in key.items()}
    return {}


def _of_each(answer: Any, systems: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """An answer about every text that was shown, by system: a value for each, or the place in a list from the best."""
    given = answer.get("response", answer.get("value")) if isinstance(answer, Mapping) and "type" in answer else answer
    if isinstance(given, Mapping) and given and set(given) <= set(systems):
        return {systems[name][0]: _said(value) for name, value in given.items()}
    groups = [one if isinstance(one, list) else [one] for one in given] if isinstance(given, list) else []
    listed = [name for group in groups for name in group]
    if len(listed) < _FEWEST_RANKED or not all(isinstance(name, str) and name in systems for name in listed):
        return {}
    ranks: dict[str, Any] = {}
    for group in groups:  # two in the second place leave no third one
        ranks |= dict.fromkeys((systems[name][0] for name in group), len(ranks) + 1)
    return ranks


_FEWEST_RANKED = 2


def _said(answer: Any) -> Any:
    """The answer inside ``{"type": "category", "response": [["4"]]}``; several are joined."""
    if isinstance(answer, Mapping):
        answer = answer.get("response", answer.get("value", answer))
    answer = single(answer)
    if isinstance(answer, list):
        return "; ".join(str(single(one)) for one in answer)
    return str(answer) if isinstance(answer, Mapping) else answer


PLATFORMS = (
    Layout("labelbox", "Labelbox export", _is_labelbox, _labelbox),
    Layout("scale", "Scale tasks", _is_scale, _scale),
)
