"""Annotation tools: Label Studio, Argilla, doccano, Potato."""

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

from dialgauge.corpus._better import better_of
from dialgauge.corpus._names import COMMENT_WORDS, normalised
from dialgauge.corpus._values import MOSTLY, is_not_given, read_values
from dialgauge.corpus.layouts._base import Builder, Layout, Record

_MODEL = "model"


def _is_label_studio(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("annotations", first.get("completions"))
    return isinstance(first.get("data"), Mapping) and isinstance(listed, list)


def _label_studio(builder: Builder) -> None:
    cancelled = predictions = 0
    span_names = {
        str(result.get("from_name"))
        for _, record in builder.records
        for annotation in _annotations(record)
        for result in annotation.get("result") or ()
        if result.get("type") in _SPANS
    }
    for line, record in builder.records:
        data = {**(record.get("meta") or {}), **record["data"]}
        predictions += len(record.get("predictions") or ())
        pairs = _pair_of(data)
        for item in _items(data, pairs):
            builder.item(line, item)
        for annotation in _annotations(record):
            if annotation.get("was_cancelled"):
                cancelled += 1
                if begun := len(annotation.get("result") or ()):
                    builder.dropped["the annotation was cancelled"] += begun
                continue
            who = annotation.get("completed_by", annotation.get("created_username", annotation.get("id")))
            if isinstance(who, Mapping):
                who = who.get("email") or who.get("username") or who.get("id")
            _annotation(builder, line, data, annotation, str(who), pairs, span_names)
    if cancelled:
        builder.notes.append(f"{cancelled} cancelled annotations are no judgements and are left out")
    if predictions:
        builder.notes.append(f"{predictions} predictions of a model are no judgements of people and are left out")


_SPANS = ("labels", "hypertextlabels", "paragraphlabels")


def _annotations(record: Record) -> Sequence[Any]:
    listed = record.get("annotations") or record.get("completions") or ()
    return [one for one in listed if isinstance(one, Mapping)]


def _pair_of(data: Record) -> dict[str, tuple[str, str]]:
    """The summaries of a comparison by the name of their field: the system and the text of each."""
    found = {}
    for key, text in data.items():
        parted = re.fullmatch(
            r"(summary|text|output|candidate|response|answer)_?(a|b|1|2|left|right)", key, re.IGNORECASE
        )
        side = parted[2] if parted else key if re.fullmatch("a|b|left|right", key, re.IGNORECASE) else None
        if side is not None and isinstance(text, str):
            stems = ("system", "model", "name")
            names = (made for s in stems for made in (f"{s}_{side}", f"{s}{side}", f"{side}_{s}", f"{side}{s}"))
            named = next((data[name] for name in names if data.get(name)), None)
            found[key] = (str(named or side), text)
    return found if len(found) == 2 else {}


def _items(data: Record, pairs: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, Any]]:
    if not pairs:
        yield dict(data)
        return
    of_pair = re.compile(
        r"(?:summary|text|output|candidate|response|answer|system|model|name)_?(?:a|b|1|2|left|right)|"
        r"(?:a|b|left|right)(?:_?(?:system|model|name))?",
        re.I,
    )
    rest = {key: value for key, value in data.items() if not of_pair.fullmatch(key)}
    for system, text in pairs.values():
        yield {**rest, "system": system, "summary": text}


def _annotation(
    builder: Builder,
    line: int,
    data: Record,
    annotation: Record,
    who: str,
    pairs: Mapping[str, tuple[str, str]],
    span_names: set[str],
) -> None:
    key = builder.key(data)
    answers: dict[tuple[str, str], Any] = {}
    comment, marked, choices = None, set[str](), set[str]()
    time = annotation.get("updated_at") or annotation.get("created_at")
    results = annotation.get("result") or ()
    of_places = _of_places(results)
    for result in results:
        name, kind, value = result.get("from_name"), result.get("type"), result.get("value") or {}
        if kind in _SPANS:
            label = next((names[0] for names in (value.get(k) for k in _SPANS) if names), None)
            marked.add(str(name))
            place = {"side": _side(result.get("to_name")), "start": value.get("start"), "end": value.get("end")}
            judged = {"annotator": who, "dimension": name, "text": value.get("text"), "label": label, "time": time}
            builder.judge("spans", line, key | place | judged | of_places.get(result.get("id"), {}))
        elif result.get("id") in of_places:
            continue
        elif kind == "pairwise":
            _pairwise(builder, line, key, result, who, pairs, time)
        elif kind == "textarea":
            text = value.get("text")
            comment = "; ".join(text) if isinstance(text, list) else text
        else:
            answer = next(
                (v for k, v in value.items() if k in ("rating", "number", "choices", "taxonomy", "datetime")), None
            )
            asked = _asked_of_side(result, pairs)
            if asked is None and kind in ("choices", "taxonomy"):
                choices.add(str(name))  # numbers would name a side, too
            answers[asked or (key["system"], str(name))] = (
                "; ".join(map(str, answer)) if isinstance(answer, list) else answer
            )
    for name in sorted(span_names - marked) if not pairs else ():
        builder.judge(
            "spans", line, key | {"annotator": who, "dimension": name, "start": None, "end": None, "time": time}
        )
    for (system, name), answer in answers.items():
        better = better_of(str(answer)) if pairs and name in choices and answer is not None else None
        if better is not None:
            builder.judge("preferences", line, _preference(key, list(pairs.values()), better, who, name, time))
            continue
        builder.add(
            line,
            key
            | {
                "system": system,
                "annotator": who,
                "dimension": name,
                "value": answer,
                "comment": comment,
                "time": time,
            },
        )


def _of_places(results: Sequence[Record]) -> dict[Any, dict[str, Any]]:
    """What was said of each marked place: its severity, and else what was chosen or written, as a comment."""
    places = {one.get("id") for one in results if one.get("type") in _SPANS and one.get("id") is not None}
    found: dict[Any, dict[str, Any]] = {place: {} for place in places}
    for one in results:
        value = one.get("value") or {}
        said = next((value[key] for key in ("choices", "text", "rating", "number") if key in value), None)
        if one.get("id") not in places or one.get("type") in _SPANS or said is None:
            continue
        text = "; ".join(map(str, said)) if isinstance(said, list) else str(said)
        about = found[one.get("id")]
        if "severity" in normalised(str(one.get("from_name"))).split("_"):
            about["severity"] = text
        else:
            about["comment"] = "; ".join([*([about["comment"]] if "comment" in about else []), text])
    return {place: about for place, about in found.items() if about}


#: "faith_a", "sumB": a side at the end of a name, which other names may end with by chance ("media").
_OF_SIDE = re.compile(r"(.+?)(?:[_\s-]+([abAB12]|left|right)|(?<=[a-z])([AB12]))")
_SIDE = re.compile(r"(a|b|1|2|left|right)$", re.IGNORECASE)


def _asked_of_side(result: Record, pairs: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    """The system on the side that a question is about, and the question without the side; None for all others."""
    sides = {at[1].lower(): system for name, (system, _) in pairs.items() if (at := _SIDE.search(name))}
    asked, shown = (_OF_SIDE.fullmatch(str(result.get(key))) for key in ("from_name", "to_name"))
    said = {(at[2] or at[3]).lower() for at in (asked, shown) if at}
    if len(said) != 1 or not said <= set(sides):
        return None
    return sides[said.pop()], asked[1] if asked else str(result.get("from_name"))


def _side(to_name: object) -> str:
    return "dialogue" if re.search(r"dialog|conversation|transcript|source|document", str(to_name), re.I) else "summary"


def _pairwise(
    builder: Builder,
    line: int,
    key: Record,
    result: Record,
    who: str,
    pairs: Mapping[str, tuple[str, str]],
    time: object,
) -> None:
    """``left`` is the first of the names in ``to_name``."""
    names = (
        str(result.get("to_name")).split(",") if isinstance(result.get("to_name"), str) else result.get("to_name") or []
    )
    ordered = [pairs[name.strip()] for name in names if name.strip() in pairs] or list(pairs.values())
    selected = (result.get("value") or {}).get("selected")
    if len(ordered) != 2:
        raise ValueError("a comparison needs two summaries")
    winner = {"left": "a", "right": "b"}.get(str(selected), "tie")
    builder.judge("preferences", line, _preference(key, ordered, winner, who, str(result.get("from_name")), time))


def _preference(
    key: Record, pair: Sequence[tuple[str, str]], winner: str, who: str, dimension: str, time: object
) -> dict[str, Any]:
    return {
        "dialogue_id": key["dialogue_id"],
        "role": key["role"],
        "system_a": pair[0][0],
        "system_b": pair[1][0],
        "annotator": who,
        "dimension": dimension,
        "winner": winner,
        "shown_first": "a",
        "time": time,
    }


def _is_argilla(keys: frozenset[str], first: Record) -> bool:
    given = first.get("responses")
    listed = given if isinstance(given, list) else []
    # A response that was discarded has no values.
    own = all(isinstance(one, Mapping) and isinstance(one.get("values", ()), Mapping | NoneType) for one in listed)
    return isinstance(first.get("fields"), Mapping) and "responses" in keys and own


def _argilla(builder: Builder) -> None:
    suggestions = drafts = 0
    in_words = _written_answers(builder)
    for line, record in builder.records:
        data = {**(record.get("metadata") or {}), **record["fields"]}
        if record.get("external_id") is not None:
            data.setdefault("external_id", record["external_id"])
        builder.item(line, data)
        key = builder.key(data)
        suggestions += len(record.get("suggestions") or ())
        written = _by_person(record, in_words)
        for who, status, question, value in _responses(record.get("responses")):
            if question in in_words:
                continue
            if status not in (None, "submitted"):
                drafts += 1
                builder.dropped[f"the response is {status}"] += 1
                continue
            for span in value if isinstance(value, list) and value and isinstance(value[0], Mapping) else ():
                place = {"start": span.get("start"), "end": span.get("end"), "label": span.get("label")}
                builder.judge("spans", line, key | place | {"annotator": who, "dimension": question})
            if not isinstance(value, list) or not value or not isinstance(value[0], Mapping):
                answer = "; ".join(map(str, value)) if isinstance(value, list) else value
                judged = {"annotator": who, "dimension": question, "value": answer}
                builder.add(line, key | judged | ({"comment": written[who]} if who in written else {}))
    if suggestions:
        builder.notes.append(f"{suggestions} suggestions of a model are no judgements of people and are left out")
    if in_words:
        builder.notes.append(f"answers in people's own words, read as comments: {', '.join(sorted(in_words))}")
    if drafts:
        builder.notes.append(f"{drafts} responses were not submitted and are left out")


def _written_answers(builder: Builder) -> frozenset[str]:
    """The questions that are answered in the words of each person, whose answers are comments.

    A question says so by its name; the answers to any other must be texts of which hardly one recurs.
    """
    given: dict[str, Counter[str]] = {}
    for _, record in builder.records:
        for _, _, question, value in _responses(record.get("responses")):
            if value is not None:
                given.setdefault(question, Counter())[value if isinstance(value, str) else ""] += 1
    return frozenset(question for question, counts in given.items() if _are_own_words(question, counts))


def _are_own_words(question: str, counts: Mapping[str, int]) -> bool:
    found = read_values(counts)
    if "" in counts or (found.share >= MOSTLY and found.distinct > 1):
        return False
    if COMMENT_WORDS & set(normalised(question).split("_")):
        return True
    several = sum(len(text.split()) > _SHORT for text in counts)
    return len(counts) > 1 and several >= MOSTLY * len(counts) and len(counts) >= MOSTLY * sum(counts.values())


#: The name of a class has no more words than this.
_SHORT = 3


def _by_person(record: Record, questions: Container[str]) -> dict[str, str]:
    """What each person wrote about a record."""
    found: dict[str, list[str]] = {}
    for who, _, question, value in _responses(record.get("responses")):
        if question in questions and value:
            found.setdefault(who, []).append(str(value))
    return {who: "; ".join(texts) for who, texts in found.items()}


def _responses(responses: Any) -> Iterator[tuple[str, str | None, str, Any]]:
    """Who, the status, the question and the answer: by question (2.x) or by person (1.x)."""
    if isinstance(responses, Mapping):
        for question, listed in responses.items():
            for one in listed or ():
                yield str(one.get("user_id")), one.get("status"), question, one.get("value")
    for one in responses if isinstance(responses, list) else ():
        for question, answer in (one.get("values") or {}).items():
            yield str(one.get("user_id")), one.get("status"), question, (answer or {}).get("value")


def _is_doccano(keys: frozenset[str], first: Record) -> bool:
    listed = first.get("label", first.get("labels", first.get("entities")))
    marked = isinstance(listed, list) and (
        all(isinstance(one, list | Mapping) and len(one) >= 3 for one in listed)
        or ("Comments" in keys and all(isinstance(one, str) for one in listed))  # else they may be votes
    )
    return isinstance(first.get("text"), str) and marked and ("label" in keys or "labels" in keys or "entities" in keys)


def _doccano(builder: Builder) -> None:
    """Places that were marked, or classes of whole texts; where no text has several, one without has no answer."""
    every = [_doccano_labels(record) for _, record in builder.records]
    classes = any(isinstance(one, str) for listed in every for one in listed)
    several = any(len(listed) > 1 for listed in every)
    for (line, record), listed in zip(builder.records, every, strict=True):
        data = {
            k: v
            for k, v in record.items()
            if k not in ("label", "labels", "entities", "Comments", "relations", "id", "text")
        }
        if not any(k in data for k in ("summary",)):
            data["summary"] = record["text"]
        if builder.pick(data, "dialogue_id") is None and builder.pick(data, "dialogue") is None:
            data["dialogue_id"] = record.get("id")
        builder.item(line, data)
        who = record.get("annotator") or record.get("username") or record.get("user") or "1"
        key = builder.key(data) | {"annotator": str(who)}
        if classes and "summary" in record and (place := _place_of(record)) is not None:
            key |= {"sentence": place}
        if classes:
            if listed or several:
                said = "; ".join(map(str, record.get("Comments") or ())) or None
                answer = json.dumps(listed, ensure_ascii=False) if several else listed[0]
                builder.add(line, key | {"dimension": "label", "value": answer, "comment": said})
            continue
        judged = key | {"dimension": "errors"}
        for one in listed:
            if isinstance(one, Mapping):
                one = (
                    one.get("start_offset", one.get("start")),
                    one.get("end_offset", one.get("end")),
                    one.get("label"),
                )
            builder.judge("spans", line, judged | {"start": one[0], "end": one[1], "label": str(one[2])})
        if not listed:
            builder.judge("spans", line, judged | {"start": None, "end": None})


def _place_of(record: Record) -> int | None:
    """The number of the sentence of a summary that a record is about."""
    numbers = [v for k, v in record.items() if normalised(k) in _SENTENCE_NUMBERS and str(v).isdigit()]
    return int(numbers[0]) if numbers else None


#: What the number of a sentence, or of a claim, is called.
_SENTENCE_NUMBERS = frozenset(
    f"{thing}{end}"
    for thing in ("sent", "sentence", "claim", "statement")
    for end in ("_no", "_nr", "_number", "_num", "_idx", "_index", "_id", "")
)


def _doccano_labels(record: Record) -> list[Any]:
    return next((record[key] for key in ("label", "labels", "entities") if isinstance(record.get(key), list)), [])


def _is_potato(keys: frozenset[str], first: Record) -> bool:
    return "label_annotations" in keys and bool({"instance_id", "id"} & keys)


def _potato(builder: Builder) -> None:
    for line, record in builder.records:
        given = record.get("instance_id", record.get("id"))
        if _OF_TEST.match(normalised(str(given))):
            builder.dropped["no item, but a check of attention"] += len(record.get("label_annotations") or ())
            continue
        who = record.get("user_id") or record.get("username") or builder.folder(record)
        data = {k: v for k, v in record.items() if k not in _POTATO and not isinstance(v, dict | list)}
        own = builder.pick(data, "dialogue_id")  # as the file of the items says, where it is there
        row = {"dialogue_id": given if own is None else str(own), "annotator": str(who)}
        for question, chosen in (record.get("label_annotations") or {}).items():
            text = _potato_answer(chosen)
            if text is not None and not is_not_given(text):
                comment = isinstance(chosen, Mapping) and "text_box" in chosen
                answer = {"comment": text} if comment else {"dimension": question, "value": text}
                if not comment:
                    builder.add(line, data | row | answer)


#: Items that try out the people and not the summaries.
_OF_TEST = re.compile(
    r"(?:attention|instructional)_?(?:check|test)|test_?question|practice|training_|tutorial|gold_?check"
)
_POTATO = frozenset(
    ["instance_id", "id", "user_id", "displayed_text", "label_annotations", "span_annotations", "behavioral_data"]
)


def _potato_answer(chosen: Any) -> str | None:
    """The option that was chosen: ``{"scale_4": "4"}`` and ``{"4": true}`` are 4, ``{"Yes": "1"}`` is Yes."""
    if not isinstance(chosen, Mapping):
        return None if chosen is None else str(chosen)
    picked = [(str(key), value) for key, value in chosen.items() if value not in (None, False, "", "false")]
    if len(picked) != 1:
        return "; ".join(key for key, _ in picked) or None
    key, value = picked[0]
    if key == "text_box":
        return str(value)
    numbered = re.fullmatch(r"(?:scale|likert|option)?[_-]?(-?\d+)", key)
    return numbered[1] if numbered else key


TOOLS = (
    Layout("label-studio", "Label Studio export", _is_label_studio, _label_studio),
    Layout("argilla", "Argilla records", _is_argilla, _argilla),
    Layout("doccano", "doccano export", _is_doccano, _doccano),
    Layout("potato", "Potato annotations", _is_potato, _potato),
)
