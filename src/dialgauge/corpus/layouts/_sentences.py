"""Published evaluations whose judgements are of sentences: UniSumEval, DiaSumFact, and errors listed by summary."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dialgauge.corpus._names import AGGREGATES, is_person, normalised
from dialgauge.corpus._types import Dimension
from dialgauge.corpus.layouts._base import Builder, Layout, Record
from dialgauge.corpus.layouts._published import sentence_places

#: UniSumEval: labels of sentences and of key facts, and the scores that its authors made of them.
_OF_SENTENCES = {"fact_verification_label": "hallucination", "sentence_label": "keyfact_alignment"}
_SCORES = ("faithfulness_score", "completeness", "completeness_score", "conciseness", "conciseness_score")
_TYPES = "fact_verification_error_type"
_NO_ERROR = frozenset({"no error", "no-error", "noe", "none", "no", ""})


def _is_unisumeval(keys: frozenset[str], first: Record) -> bool:
    labelled = {"fact_verification_label", "fact_verification_labels", "keyfact_label", "keyfact_labels"} & keys
    return bool(labelled) and bool({"model", "summary"} & keys)


def _unisumeval(builder: Builder) -> None:
    """Labels of sentences in lists, of all people together or a list for each; 1 is a hallucination."""
    builder.declared.append(Dimension("hallucination", "binary", "yes/no", (), "lower", "file"))
    failed = 0
    for line, record in builder.records:
        if record.get("summary_success_state", "success") != "success":
            failed += 1
            continue
        whole = ("references", "turns", "dialogue", "input_context")
        data = {k: v for k, v in record.items() if not isinstance(v, list | dict) or k in whole}
        data = {k: v for k, v in data.items() if k not in (*_SCORES, "uid", "source", "length", "input_type")}
        if "input_context" in data:
            data["dialogue"] = data.pop("input_context")
        builder.item(line, data)
        key = builder.key(data)
        for name, value in record.items():
            dimension = _OF_SENTENCES.get(name.removesuffix("s"))
            for who, labels in _people(value) if dimension and isinstance(value, list | dict) else ():
                for place, label in enumerate(labels):
                    said = label if dimension != "hallucination" else _yes_no(label)
                    row = {"annotator": who, "dimension": dimension, "value": said, "sentence": place}
                    builder.add(line, key | row)
            if name in _SCORES and value is not None:
                dimension = name.removesuffix("_score")
                builder.add(line, key | {"annotator": "1", "dimension": dimension, "value": value})
        _types_of_error(builder, line, record, key)
    if failed:
        builder.notes.append(f"{failed} rows hold no summary, as they say themselves, and are left out")


def _yes_no(label: Any) -> Any:
    return ("yes" if label else "no") if label in (0, 1) else label


def _people(value: Sequence[Any] | Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Who gave which labels: names, numbers where each has a list, or one for all."""
    if isinstance(value, Mapping):
        yield from ((str(who), labels if isinstance(labels, list) else [labels]) for who, labels in value.items())
    elif value and all(isinstance(one, list) for one in value):
        yield from ((str(number), one) for number, one in enumerate(value, start=1))
    else:
        yield "1", value


def _types_of_error(builder: Builder, line: int, record: Record, key: Record) -> None:
    """The type of error of each sentence as a span over it."""
    types, sentences = record.get(_TYPES), record.get("sentences")
    if not isinstance(types, list) or not isinstance(sentences, list) or len(types) != len(sentences):
        return
    places = sentence_places(str(record.get("summary") or ""), [str(one) for one in sentences])
    judged = dict(key) | {"annotator": "1", "dimension": "errors"}
    found = 0
    for (start, end), given in zip(places, types, strict=True):
        for label in given if isinstance(given, list) else [given]:
            if label is not None and str(label).strip().lower() not in _NO_ERROR:
                found += 1
                builder.judge("spans", line, judged | {"start": start, "end": end, "label": str(label)})
    if not found:
        builder.judge("spans", line, judged | {"start": None, "end": None})


def _is_diasumfact(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("annotations")
    return isinstance(listed, Mapping) and any(
        isinstance(one, Mapping) and isinstance(one.get("sentence_annotations"), list) for one in listed.values()
    )


def _diasumfact(builder: Builder) -> None:
    """By model, the summary with the errors of each sentence: the class, the words, and whether it is intrinsic."""
    for line, record in builder.records:
        source = {"dialogue": record.get("utterances") or record.get("dialogue"), "query": record.get("query") or None}
        source |= {"reference": record.get("target_summary") or None}
        for model, about in record["annotations"].items():
            summary = str(about.get("model_prediction") or "")
            data = {"dialogue_id": builder.pick(record, "dialogue_id"), "system": model, "summary": summary, **source}
            builder.item(line, {name: value for name, value in data.items() if value is not None})
            key = builder.key(data) | {"annotator": "1"}
            sentences = about["sentence_annotations"]
            places = sentence_places(summary, [str(one.get("sentence") or "") for one in sentences])
            found = 0
            for number, (one, (start, end)) in enumerate(zip(sentences, places, strict=True)):
                errors = [error for error in one.get("annotation") or () if error]
                wrong = {"dimension": "factual", "value": "no" if errors else "yes", "sentence": number}
                builder.add(line, key | wrong)
                for error in errors:
                    found += 1
                    builder.judge("spans", line, key | _error(error, summary, start, end))
            if not found:
                builder.judge("spans", line, key | {"dimension": "errors", "start": None, "end": None})


def _error(error: Any, summary: str, start: int | None, end: int | None) -> dict[str, Any]:
    """Where an error is: its words inside the sentence, else the whole sentence."""
    about = error if isinstance(error, Mapping) else {"error_class": error}
    words = next((about[k] for k in ("error_span", "span", "text") if isinstance(about.get(k), str)), "")
    at = summary.find(words, start or 0) if words else -1
    at = summary.find(words) if words and at < 0 else at
    place = (at, at + len(words)) if at >= 0 else (start, end)
    label = next((about[k] for k in ("error_class", "type", "label", "error_type", "category") if about.get(k)), None)
    source = about.get("intrinsic/extrinsic")
    label = f"{label} ({source})" if source and source != "n/a" else label
    return {"dimension": "errors", "start": place[0], "end": place[1], "label": label, "comment": about.get("comment")}


def _given_place(error: Any, summary: str) -> tuple[int, int] | None:
    """The offsets of an error: by their names, else two numbers between which the summary has the words given."""
    if not isinstance(error, Mapping):
        return None
    if error.get("start") is not None and error.get("end") is not None:
        return int(error["start"]), int(error["end"])
    words = {value for value in error.values() if isinstance(value, str)}
    numbers = [value for value in error.values() if isinstance(value, int) and not isinstance(value, bool)]
    places = [(a, b) for a in numbers for b in numbers if 0 <= a < b and summary[a:b] in words]
    return places[0] if len(places) == 1 else None


def _is_error_list(keys: frozenset[str], first: Record) -> bool:
    named = bool({"summary", "summary_sentence", "model_summary"} & keys)
    return isinstance(first.get("errors"), list) and named


def _error_list(builder: Builder) -> None:
    """Errors as a list per summary, each with its type and the words it stands in."""
    for line, record in builder.records:
        data = {k: v for k, v in record.items() if k != "errors"}
        builder.item(line, data)
        key = builder.key(data) | {"annotator": str(record.get("annotator") or "1")}
        summary = str(builder.pick(data, "summary") or record.get("summary_sentence") or "")
        for error in record["errors"]:
            place = _given_place(error, summary)
            start, end = place or (0, len(summary))
            spoken = {k: v for k, v in error.items() if k not in ("span", "text")} if place else error
            builder.judge("spans", line, key | _error(spoken, summary, start, end))
        if not record["errors"]:
            builder.judge("spans", line, key | {"dimension": "errors", "start": None, "end": None})


_SENTENCES = frozenset(["sentences", "summary_sentences", "summary_sents", "summ_sents", "sents"])


def _sentences_in(record: Record) -> list[str]:
    """The sentences of a summary, where they are a list of texts."""
    for key, value in record.items():
        if normalised(key) in _SENTENCES and isinstance(value, list) and all(isinstance(one, str) for one in value):
            return list(value)
    return []


def _labels_of(person: Record, sentences: Sequence[str]) -> dict[str, Sequence[Any]]:
    """The lists of one person that have an answer for each sentence."""
    lists = {key: value for key, value in person.items() if isinstance(value, list) and len(value) == len(sentences)}
    return {key: value for key, value in lists.items() if not any(isinstance(one, list | dict) for one in value)}


def _is_labelled_by_people(keys: frozenset[str], first: Record) -> bool:
    people, sentences = first.get("annotations"), _sentences_in(first)
    named = isinstance(people, list) and bool(people) and all(isinstance(one, Mapping) for one in people)
    return bool(sentences) and named and all(_labels_of(one, sentences) for one in people or ())


def _labelled_by_people(builder: Builder) -> None:
    """Each person has a list with a label for every sentence; labels that all agreed on are made of them."""
    summed = set[str]()
    for line, record in builder.records:
        sentences = _sentences_in(record)
        data = {k: v for k, v in record.items() if normalised(k) not in _SENTENCES and k != "annotations"}
        summed |= {k for k in data if AGGREGATES.fullmatch(normalised(k)) or _OF_WHOLE.fullmatch(normalised(k))}
        data = {k: v for k, v in data.items() if k not in summed and (not isinstance(v, Mapping))}
        if builder.pick(data, "summary") is None:
            data["summary"] = " ".join(sentences)
        builder.item(line, data)
        for number, person in enumerate(record["annotations"], start=1):
            named = [value for key, value in person.items() if is_person(normalised(key)) and value is not None]
            judged = builder.key(data) | {"annotator": str(named[0] if named else number)}
            lists = _labels_of(person, sentences)
            said = [key for key, value in person.items() if key not in lists and isinstance(value, list)]
            for name, labels in lists.items():
                for place, label in enumerate(labels):
                    words = [str(one) for key in said if len(person[key]) == len(labels) for one in person[key][place]]
                    answer = {"dimension": _ONE.sub("label", name), "value": label, "sentence": place}
                    builder.add(line, judged | answer | {"comment": "; ".join(words) or None})
    builder.settled |= {"annotations[].labels[]"}
    for name in sorted(summed):
        builder.ignored[name] = "made of the labels of people"


#: "summary_consistent": what is made of the labels of all sentences.
_OF_WHOLE = re.compile(r"(?:summary|overall|all|whole)_(?:is_)?(?:label|consistent|faithful|factual|correct)")
_ONE = re.compile(r"^labels$")
SENTENCES = (
    Layout("sentence-labels", "labels of every sentence by people", _is_labelled_by_people, _labelled_by_people),
    Layout("unisumeval", "layout of UniSumEval", _is_unisumeval, _unisumeval),
    Layout("diasumfact", "layout of DiaSumFact", _is_diasumfact, _diasumfact),
    Layout("error-list", "a list of errors per summary", _is_error_list, _error_list),
)
