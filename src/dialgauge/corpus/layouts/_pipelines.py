"""Judgements in the records of pipelines: traces with scores (Langfuse), and labelling jobs (Ground Truth)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import USES, is_metric, normalised
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus.layouts._base import Builder, Layout, Record
from dialgauge.errors import counted

_OF_TRACE = frozenset(["input", "output"])
#: What a trace says of itself under names that mean something else here.
_NO_ITEM = frozenset(["name", "source", "value", "comment", "stringValue", "dataType", "userId", "authorUserId"])


def _are_scores(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Mapping) and _is_score(frozenset(one)) for one in value)


def _is_score(keys: frozenset[str]) -> bool:
    return {"name", "value", "source"} <= keys and bool({"dataType", "traceId", "authorUserId"} & keys)


def _is_traced(keys: frozenset[str], first: Record) -> bool:
    return keys >= _OF_TRACE and (("scores" in keys and _are_scores(first.get("scores"))) or _is_score(keys))


def _traced(builder: Builder) -> None:
    """A trace is a summary: its input is what was summarised, its output the summary. Programs score it too."""
    scored, shown, sources = 0, set[str](), set[str]()
    for line, record in builder.records:
        trace = str(record.get("traceId") or record.get("id"))
        data = _of_trace(record, trace, builder)
        if trace not in shown:
            builder.item(line, data)
        shown.add(trace)
        key = builder.key(data)
        for one in record.get("scores", [record]):
            source = str(one.get("source") or "")
            who = one.get("authorUserId") or one.get("authorName")
            if source.upper() == "EVAL" or (who is None and is_metric(normalised(str(one["name"])))):
                scored += 1
                builder.dropped["of a program"] += 1
                continue
            if who is None:
                sources.add(source)
            in_words = one.get("dataType") == "CATEGORICAL" or one.get("value") is None
            builder.add(
                line,
                key
                | {"annotator": str(who or source.lower() or "1"), "dimension": one["name"]}
                | {"value": one.get("stringValue") if in_words and one.get("stringValue") else one.get("value")}
                | {"comment": one.get("comment"), "time": one.get("timestamp") or one.get("createdAt")},
            )
    if scored:
        builder.notes.append(f"{counted(scored, 'score')} of evaluators that are programs are left out")
    if sources:
        builder.notes.append(f"scores without an author are those of {', '.join(sorted(sources)).lower()}")


def _of_trace(record: Record, trace: str, builder: Builder) -> dict[str, Any]:
    """What was summarised, and what was made of it."""
    meta = record.get("metadata")
    data: dict[str, Any] = dict(meta) if isinstance(meta, Mapping) else {}
    given, made = record["input"], record["output"]
    data |= dict(given) if isinstance(given, Mapping) else {"dialogue": given}
    data |= dict(made) if isinstance(made, Mapping) else {"summary": made}
    if len([key for key in data if normalised(key) in USES["summary"]]) == 0 and isinstance(made, Mapping):
        texts = [value for value in made.values() if isinstance(value, str)]
        data |= {"summary": texts[0]} if len(texts) == 1 else {}
    if builder.pick(data, "dialogue_id") is None:
        data["dialogue_id"] = record.get("sessionId") or trace
    kept = {key: value for key, value in record.items() if isinstance(value, str) and normalised(key) in USES["system"]}
    return {**kept, **{key: value for key, value in data.items() if key not in _NO_ITEM}}


_METADATA = "-metadata"


def _is_manifest(keys: frozenset[str], first: Record) -> bool:
    return bool({"source", "source-ref"} & keys) and bool(_labelled(first))


def _labelled(record: Record) -> dict[str, Mapping[str, Any]]:
    """The labels of a line with what the job says of each."""
    jobs = {key.removesuffix(_METADATA): value for key, value in record.items() if key.endswith(_METADATA)}
    return {
        key: value
        for key, value in jobs.items()
        if isinstance(value, Mapping) and ("job-name" in value or "human-annotated" in value)
        if not isinstance(record.get(key), dict | list)  # the answers of every worker, or marked places
    }


def _manifest(builder: Builder) -> None:
    """A line per text with the label that workers agreed on, and the job that asked for it."""
    named = _named_classes([record for _, record in builder.records])
    builder.settled |= named  # numbers that only stand for these names
    for line, record in builder.records:
        labels = _labelled(record)
        own = {*labels, *(f"{key}{_METADATA}" for key in labels), "source", "source-ref"}
        data = {key: value for key, value in record.items() if key not in own}
        _show(data, record)
        if builder.pick(data, "dialogue_id") is None and record.get("source-ref"):
            data["dialogue_id"] = re.sub(r"\.\w+$", "", str(record["source-ref"]).rpartition("/")[2])
        builder.item(line, data)
        for name, about in labels.items():
            if str(about.get("human-annotated", "yes")).lower() != "yes":
                builder.dropped["of a program"] += 1
                continue
            value = about["class-name"] if name in named else record.get(name)
            judged = {"annotator": "1", "dimension": name, "value": value, "time": about.get("creation-date")}
            builder.add(line, builder.key(data) | judged)
    builder.notes.append("labels of a labelling job: what its workers agreed on is that of the annotator '1'")
    if builder.dropped:
        builder.notes.append(f"{counted(sum(builder.dropped.values()), 'label')} by a program are left out")


def _named_classes(records: Sequence[Record]) -> set[str]:
    """The labels whose numbers stand for the names of classes: each number always for the same."""
    found: dict[str, set[tuple[Any, Any]]] = {}
    for record in records:
        for name, about in _labelled(record).items():
            found.setdefault(name, set()).add((record.get(name), about.get("class-name")))
    return {
        name
        for name, pairs in found.items()
        if len({number for number, _ in pairs}) == len(pairs) == len({words for _, words in pairs})
        and all(isinstance(words, str) for _, words in pairs)
    }


def _is_work(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("annotations")
    return (
        {"datasetObjectId", "annotations"} <= keys
        and isinstance(listed, list)
        and all(isinstance(one, Mapping) and {"workerId", "annotationData"} <= set(one) for one in listed)
    )


def _work(builder: Builder) -> None:
    """What each worker of a labelling job answered."""
    builder.settled.add("dataObject.content")
    for line, record in builder.records:
        shown = record.get("dataObject")
        content = shown.get("content") if isinstance(shown, Mapping) else None
        opened = _object(content)
        data: dict[str, Any] = dict(opened) if isinstance(opened, Mapping) else {}
        _show(data, {"source": opened if isinstance(opened, str) else data.pop("source", None)})
        if builder.pick(data, "dialogue_id") is None:
            data["dialogue_id"] = record["datasetObjectId"]
        builder.item(line, data)
        for one in record["annotations"]:
            given = one["annotationData"]
            answers = _object(given.get("content") if isinstance(given, Mapping) else given)
            judged = builder.key(data) | {"annotator": str(one["workerId"]).rpartition(".")[2]}
            judged["time"] = one.get("submissionTime") or one.get("acceptanceTime")
            if not isinstance(answers, Mapping):
                builder.leave_out(line, judged, "the answer of a worker cannot be read")
                continue
            for name, value in _answers(answers):
                builder.add(line, judged | {"dimension": name, "value": value})


def _show(data: dict[str, Any], record: Record) -> None:
    """What workers saw: a dialogue beside a summary, else the summary."""
    text = record.get("source")
    if not isinstance(text, str) or not text:
        return
    spoken = sum(bool(turn.speaker) for turn in parse_turns(text)) > 1
    written = any(normalised(name) in USES["summary"] for name in data)
    data["dialogue" if spoken or written else "summary"] = text


def _object(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _answers(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each question with its answer: as it is, ``{"label": "4"}``, or the one of several buttons that is true."""
    for name, value in given.items():
        if isinstance(value, Mapping):
            pressed = [key for key, state in value.items() if state is True]
            if value and all(isinstance(state, bool) for state in value.values()):
                value = "; ".join(pressed) or None
            elif len(value) == 1:
                value = next(iter(value.values()))
            else:
                yield from _answers(value)
                continue
        if value is not None:
            yield name, "; ".join(map(str, value)) if isinstance(value, list) else value


PIPELINES = (
    Layout("langfuse", "traces with scores, as of Langfuse", _is_traced, _traced),
    Layout("ground-truth", "manifest of a labelling job, as of Ground Truth", _is_manifest, _manifest),
    Layout("ground-truth-workers", "answers of the workers of a labelling job", _is_work, _work),
)
