"""Annotation tools whose exports are tables of their own kind: Prodigy, and Argilla's data sets."""

import json
import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

from dialgauge.corpus._names import COMMENT_WORDS, TIE, USES, is_bare_id, normalised
from dialgauge.corpus.layouts._base import Builder, Layout, Record, hash_id
from dialgauge.errors import InputError

_OWN = re.compile(r"_(?:input_hash|task_hash|session_id|annotator_id|timestamp|view_id|is_binary)")


def _is_prodigy(keys: frozenset[str], first: Record) -> bool:
    hashed = "_task_hash" in keys or "_input_hash" in keys or "_view_id" in keys
    people = bool({"_annotator_id", "_session_id"} & keys)
    return first.get("answer") in ("accept", "reject", "ignore") and (hashed or people)


def _prodigy(builder: Builder) -> None:
    """A task per line: options that were picked, spans that were marked, or a label that was accepted or not."""
    marked = any(record.get("spans") for _, record in builder.records)
    labels = _labels_of(builder.records)
    named = _naming_key(builder.records)
    called = _id_key(builder)
    sentences = _sentences(builder.records)
    for line, record in builder.records:
        data = _data_of(record)
        compared = _compared(record, labels)
        if compared is None:
            if called in data:
                data["dialogue_id"] = data.pop(called)
            data.setdefault("summary", record.get("text"))
            builder.item(line, {key: value for key, value in data.items() if key not in _SENTENCE})
        else:
            if named in data:
                data["dialogue_id"] = data.pop(named)
            data.setdefault("dialogue", record.get("text"))
        who = str(record.get("_annotator_id") or record.get("_session_id") or "1")
        judged = builder.key(data) | {"annotator": who, "time": record.get("_timestamp")}
        number, shift = sentences.get((str(data.get("summary")), str(record.get("text"))), (None, 0))
        if number is not None:
            own = next((data[key] for key in data if key in _SENTENCE and isinstance(data[key], int)), number)
            judged["sentence"] = own
        answer = record.get("answer")
        if answer == "ignore" or (answer == "reject" and (marked or "options" in record)):
            builder.dropped[f"the answer is {answer}"] += 1
        elif compared is not None:
            _prefer(builder, line, data, judged, record, compared)
        elif "options" in record:
            picked = record.get("accept") or []
            value = "; ".join(map(str, picked)) if isinstance(picked, list) else picked
            builder.add(line, judged | {"dimension": str(record.get("label") or "choice"), "value": value})
        elif marked:
            spans = [one for one in record.get("spans") or () if isinstance(one, Mapping)]
            judged.pop("sentence", None)
            for one in spans:
                ends = {end: one[end] + shift if isinstance(one.get(end), int) else None for end in ("start", "end")}
                builder.judge("spans", line, judged | {"dimension": "errors", "label": one.get("label")} | ends)
            if not spans:
                builder.judge("spans", line, judged | {"dimension": "errors", "start": None, "end": None})
        else:
            value = "yes" if answer == "accept" else "no"
            builder.add(line, judged | {"dimension": str(record.get("label") or "accepted"), "value": value})
    if "choices" in builder.further:
        builder.notes.append("the best of several was picked, and no worst: the others are neither")
    if marked or any("options" in record for _, record in builder.records):
        builder.ignored["answer"] = "says whether the task was done, not how good the summary is"
    if _is_scored(builder.records):
        builder.settled.add("meta.score")
        builder.ignored["score"] = "the model's own, by which it chooses what to ask"
    if builder.dropped:
        builder.notes.append(f"{sum(builder.dropped.values())} tasks were ignored or rejected and are left out")


def _is_scored(records: Iterable[tuple[int, Record]]) -> bool:
    """Whether what is shown beside the tasks has a probability under the name that the tool gives to a model's."""
    shown = [
        meta["score"] for _, record in records if isinstance(meta := record.get("meta"), Mapping) and "score" in meta
    ]
    plain = all(isinstance(score, int | float) and 0 <= score <= 1 for score in shown)
    return plain and any(round(score * 20) != score * 20 for score in shown)


def _data_of(record: Record) -> dict[str, Any]:
    """What a task says of its text, in its metadata and beside it."""
    given = record.get("meta")
    meta = given if isinstance(given, Mapping) else {}
    return {**meta, **{k: v for k, v in record.items() if k not in _TASK and not _OWN.fullmatch(k)}}


#: Keys of the number of a sentence.
_SENTENCE = frozenset({*USES["sentence"], "sent", "sent_id", "sent_no", "sentence_no", "sentence_number"})


def _sentences(records: Iterable[tuple[int, Record]]) -> dict[tuple[str, str], tuple[int, int]]:
    """The number of each text that is a part of a summary beside it, counted from 0, and where it begins there."""
    parts: dict[str, dict[str, int]] = {}
    for _, record in records:
        summary, text = str(_data_of(record).get("summary") or ""), str(record.get("text") or "")
        if text and text != summary and text in summary:
            parts.setdefault(summary, {})[text] = summary.find(text)
    return {
        (summary, text): (number, start)
        for summary, own in parts.items()
        for number, (text, start) in enumerate(sorted(own.items(), key=lambda one: one[1]))
    }


def _id_key(builder: Builder) -> str | None:
    """The key that names the dialogues, one word for each, where none is called like an id."""
    pairs: dict[str, set[tuple[str, str]]] = {}
    for _, record in builder.records:
        data = _data_of(record)
        if builder.pick(data, "dialogue_id") is not None or (said := builder.pick(data, "dialogue")) is None:
            return None
        for key, value in data.items():
            if is_bare_id(normalised(key)) and isinstance(value, str | int) and len(str(value).split()) == 1:
                pairs.setdefault(key, set()).add((str(value), str(said)))
    texts = {said for own in pairs.values() for _, said in own}
    for key, own in pairs.items():
        if len({name for name, _ in own}) == len(own) == len(texts) > 1:
            return key
    return None


def _naming_key(records: Iterable[tuple[int, Record]]) -> str | None:
    """The key that is called like a dialogue and has one word for each: its name, and not its text."""
    texts: dict[str, set[str]] = {}
    named: dict[str, set[tuple[str, str]]] = {}
    for _, record in records:
        meta = record.get("meta")
        for key, value in {**(meta if isinstance(meta, Mapping) else {}), **record}.items():
            if normalised(key) in USES["dialogue"] and key != "text" and isinstance(value, str | int):
                texts.setdefault(key, set()).add(str(record.get("text")))
                named.setdefault(key, set()).add((str(value), str(record.get("text"))))
    for key, pairs in named.items():
        words = {word for word, _ in pairs}
        if all(len(word.split()) == 1 for word in words) and len(words) == len(pairs) == len(texts[key]):
            return key
    return None


def _compared(record: Record, labels: Container[str]) -> dict[str, str] | None:
    """The texts of options to choose from, by the system that each is called after; None for any other choice."""
    listed = [one for one in record.get("options") or () if isinstance(one, Mapping)]
    texts = {_name_of(one): str(one.get("text") or "") for one in listed}
    texts = {name: text for name, text in texts.items() if len(text.split()) > _SHORT or not _is_tie(name)}
    written = len(texts) >= _TWO and all(len(text.split()) > _SHORT for text in texts.values())
    return texts if written and not all(text in labels for text in texts.values()) else None


def _labels_of(records: Iterable[tuple[int, Record]]) -> set[str]:
    """The texts of options that are given with several texts: answers, however long, and not what is judged."""
    shown: dict[str, set[str]] = {}
    for _, record in records:
        for one in record.get("options") or ():
            if isinstance(one, Mapping):
                shown.setdefault(str(one.get("text") or ""), set()).add(str(record.get("text")))
    return {text for text, texts in shown.items() if len(texts) > 1}


def _is_tie(name: str) -> bool:
    return bool(TIE.fullmatch(normalised(name)))


def _refuse_numbers(texts: Mapping[str, str], builder: Builder) -> None:
    """Numbers of options say where each stood, and not who wrote it."""
    if all(name.isdigit() for name in texts):
        raise InputError(
            f"{builder.file}: the options to choose from are numbered ({', '.join(texts)}), and nothing says who wrote "
            "each: give every option a field 'system'"
        )


def _name_of(option: Mapping[str, Any]) -> str:
    named = next((option[key] for key in ("system", "model", "id") if option.get(key) is not None), "")
    return str(named)


def _prefer(
    builder: Builder, line: int, data: Record, judged: Record, record: Record, texts: Mapping[str, str]
) -> None:
    """All options as summaries, and which of them was picked."""
    _refuse_numbers(texts, builder)
    named = "dialogue_id" if builder.pick(data, "dialogue_id") is not None else None
    whose = {} if named else {"dialogue_id": hash_id(str(record.get("text") or ""))}
    for system, text in texts.items():
        builder.item(line, {**data, **whose, "system": system, "summary": text})
    picked = [str(one) for one in record.get("accept") or ()]
    names = {str(one.get("id")): _name_of(one) for one in record["options"] if isinstance(one, Mapping)}
    chosen = names.get(picked[0]) if len(picked) == 1 else None
    if not picked:
        builder.dropped["nothing was picked"] += 1
        return
    about = {key: value for key, value in judged.items() if key in ("annotator", "time")}
    key = builder.key({**data, **whose})
    about |= {"dialogue_id": key["dialogue_id"], "role": key["role"]}
    if chosen is None:
        lost = {
            "tuple": "",
            "system": "",
            "choice": "neither",
            "dimension": "best",
            "_given": ", ".join(picked),
            "_lost": True,
        }
        builder.judge("choices", line, {k: v for k, v in about.items() if k != "time"} | lost)
        return
    if len(texts) > _TWO:
        if chosen in texts:
            asked = {**about, "dimension": str(record.get("label") or "best")}
            builder.choose(line, {k: v for k, v in asked.items() if k != "time"}, list(texts), chosen, None)
        else:
            builder.dropped["none was picked as the best"] += 1
        return
    first, second = texts
    winner = {first: "a", second: "b"}.get(chosen, "tie")
    asked = {"dimension": str(record.get("label") or "preference"), "winner": winner, "shown_first": "a"}
    builder.judge("preferences", line, about | asked | {"system_a": first, "system_b": second})


_TWO = 2
#: A text has more words than this.
_SHORT = 3
_TASK = frozenset(["text", "meta", "options", "accept", "answer", "spans", "tokens", "label", "config", "html"])


def _is_argilla_table(keys: frozenset[str], first: Record) -> bool:
    listed = any(key.endswith(".responses") and f"{key}.users" in keys for key in keys)
    return listed or any(_answers_of(value) is not None for value in first.values())


def _answers_of(value: Any) -> list[Mapping[str, Any]] | None:
    """A list of answers of people, as in ``[{"user_id": …, "value": 4, "status": "submitted"}]``; None otherwise."""
    if isinstance(value, str) and value.startswith("[{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    listed = isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value)
    return list(value) if listed and all({"user_id", "value", "status"} <= set(one) for one in value) else None


def _argilla_table(builder: Builder) -> None:
    """Argilla's records as a data set: ``NAME.responses`` beside ``NAME.responses.users``, or a list of answers."""
    drafts = suggestions = 0
    written = set[str]()
    for line, record in builder.records:
        answers: list[tuple[str, str, str, Any]] = []
        data: dict[str, Any] = {}
        for key, value in record.items():
            question = key.removesuffix(".responses")
            listed = _answers_of(value)
            if listed is not None:
                answers += [(key, str(one["user_id"]), str(one["status"]), one["value"]) for one in listed]
            elif key.endswith(".responses"):
                answers += _paired(record, key, question, value)
            elif re.search(r"\.responses\.(?:users|status)$|[.-]suggestion(?:[.-].*)?$", key):
                suggestions += (
                    "suggestion" in key and not key.endswith(("score", "agent", "metadata")) and value is not None
                )
            elif key not in ("_server_id", "status", "external_id", "vectors", "id"):
                data[key] = value
        if not any(key != "id" for key in data if builder.pick(data, "dialogue_id") is not None):
            data["id"] = record.get("id", record.get("external_id"))
        builder.item(line, data)
        said = {who: str(value) for question, who, _, value in answers if value and _is_comment(question)}
        written |= {question for question, *_ in answers if _is_comment(question)}
        for question, who, status, value in answers:
            if question in written:
                continue
            if status != "submitted":
                drafts += 1
                builder.dropped[f"the response is {status}"] += 1
                continue
            text = "; ".join(map(str, value)) if isinstance(value, list) else value
            judged = {"annotator": who, "dimension": question, "value": text}
            builder.add(line, builder.key(data) | judged | ({"comment": said[who]} if who in said else {}))
    if written:
        builder.notes.append(f"answers in people's own words, read as comments: {', '.join(sorted(written))}")
    if suggestions:
        builder.notes.append(f"{suggestions} suggestions of a model are no judgements of people and are left out")
    if drafts:
        builder.notes.append(f"{drafts} responses were not submitted and are left out")


def _is_comment(question: str) -> bool:
    return bool(COMMENT_WORDS & set(normalised(question).split("_")))


def _paired(record: Record, key: str, question: str, value: Any) -> list[tuple[str, str, str, Any]]:
    values, people = _list(value), _list(record.get(f"{key}.users"))
    states = _list(record.get(f"{key}.status")) or ["submitted"] * len(values)
    return [(question, str(who), str(status), one) for one, who, status in zip(values, people, states, strict=True)]


def _list(value: Any) -> list[Any]:
    if isinstance(value, str):
        value = json.loads(value)
    return list(value) if isinstance(value, list | tuple) else []


DATASETS = (
    Layout("prodigy", "Prodigy annotations", _is_prodigy, _prodigy),
    Layout("argilla-dataset", "Argilla records as a data set", _is_argilla_table, _argilla_table),
)
