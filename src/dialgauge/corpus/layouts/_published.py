"""Layouts of published human evaluations."""

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

from dialgauge.corpus._names import TIE, is_person, normalised
from dialgauge.corpus._programs import judged_by_programs
from dialgauge.corpus._types import Dimension
from dialgauge.corpus.layouts._base import Builder, Layout, Record, flat, hash_id
from dialgauge.errors import counted

_MARK = re.compile(r"</?v>")


def _is_summeval(keys: frozenset[str], first: Record) -> bool:
    return isinstance(first.get("expert_annotations"), list)


def _summeval(builder: Builder) -> None:
    """Groups of annotators in lists, without names or with a key for these."""
    coded = _code_of_names(builder.records)
    for line, record in builder.records:
        data = {key: value for key, value in record.items() if not key.endswith("_annotations") and key != "filepath"}
        data = {key: value for key, value in data.items() if key != coded}
        references = data.pop("references", None) or []
        data |= {f"reference_{number}": text for number, text in enumerate(references, start=1)}
        if "text" in data:
            data["dialogue"] = data.pop("text")
        builder.item(line, data)
        key = builder.key(data)
        for group in ("expert", "turker", "crowd"):
            for number, answers in enumerate(record.get(f"{group}_annotations") or (), start=1):
                named = next((key for key in answers if is_person(normalised(key))), None)
                who = f"{group}-{number}" if named is None else str(answers[named])
                builder.groups[who] = "expert" if group == "expert" else "crowd"
                for dimension, value in answers.items():
                    if dimension != named:
                        builder.add(line, key | {"annotator": who, "dimension": dimension, "value": value})


def _code_of_names(records: Sequence[tuple[int, Record]]) -> str | None:
    """The key with a code for each system (``M0``), where another one has their names."""
    pairs = {(record.get("model_id"), record.get("model_name")) for _, record in records}
    codes, names = {code for code, _ in pairs}, {name for _, name in pairs}
    return "model_id" if len(pairs) == len(codes) == len(names) and not {None, ""} & names else None


def _is_frank(keys: frozenset[str], first: Record) -> bool:
    return isinstance(first.get("summary_sentences_annotations"), list)


def _frank(builder: Builder) -> None:
    """Types of error per sentence and annotator: each sentence is right or wrong, each error a span over it."""
    for line, record in builder.records:
        data = {k: v for k, v in record.items() if k not in ("summary_sentences", "summary_sentences_annotations")}
        builder.item(line, data)
        key = builder.key(data)
        summary = str(builder.pick(data, "summary") or "")
        places = sentence_places(summary, record.get("summary_sentences") or [])
        found: set[str] = set()
        people: set[str] = set()
        for number, by_person in enumerate(record["summary_sentences_annotations"]):
            for who, errors in by_person.items():
                people.add(who)
                wrong = [error for error in errors or [] if error != "NoE"]
                value = {"dimension": "factual", "value": "no" if wrong else "yes", "sentence": number}
                builder.add(line, key | {"annotator": who} | value)
                for error in wrong:
                    found.add(who)
                    start, end = places[number] if number < len(places) else (None, None)
                    mark = {"start": start, "end": end, "label": error, "dimension": "errors"}
                    builder.judge("spans", line, key | {"annotator": who} | mark)
        for who in sorted(people - found):
            builder.judge("spans", line, key | {"annotator": who, "dimension": "errors", "start": None, "end": None})


def sentence_places(text: str, sentences: list[str]) -> list[tuple[int | None, int | None]]:
    """Where each sentence stands in the text."""
    places: list[tuple[int | None, int | None]] = []
    position = 0
    for sentence in sentences:
        start = text.find(sentence.strip(), position)
        start = start if start >= 0 else text.find(sentence.strip())
        if start < 0:
            places.append((None, None))
            continue
        position = start + len(sentence.strip())
        places.append((start, position))
    return places


def _is_tofueval(keys: frozenset[str], first: Record) -> bool:
    return "summ_sent" in keys and "sent_idx" in keys


def _tofueval(builder: Builder) -> None:
    """A row per sentence; a document has a summary per topic, so that the topic belongs to the dialogue's id."""
    named = any("topic" in record for _, record in builder.records)
    sentences: dict[tuple[str, str], dict[int, str]] = {}
    first: dict[tuple[str, str], tuple[int, Record]] = {}
    for line, record in builder.records:
        key = (_topical(record, named), str(record.get("model_name", builder.pick(record, "system"))))
        sentences.setdefault(key, {}).setdefault(int(record["sent_idx"]), str(record["summ_sent"]))
        first.setdefault(key, (line, record))
    for key, texts in sentences.items():
        line, record = first[key]
        row = {"dialogue_id": key[0], "system": key[1], "summary": " ".join(texts[place] for place in sorted(texts))}
        document = builder.pick({k: v for k, v in record.items() if k not in ("summ_sent", "doc_id")}, "dialogue")
        builder.add(line, row | {"topic": record.get("topic")} | ({"dialogue": document} if document else {}))
    for line, record in builder.records:
        row = {"dialogue_id": _topical(record, named), "system": str(record.get("model_name"))}
        label = record.get("sent_label", record.get("label"))
        comment = record.get("exp") or record.get("explanation")
        who = record.get("annotator") or record.get("annotator_id") or "1"
        judged = {"annotator": who, "dimension": "consistency", "value": label, "sentence": record["sent_idx"]}
        builder.add(line, row | judged | {"comment": comment})


def _topical(record: Record, named: bool) -> str:
    given = str(record.get("doc_id", record.get("document_id", record.get("id"))))
    return f"{given}/{record['topic']}" if named and record.get("topic") else given


def _is_mqm(keys: frozenset[str], first: Record) -> bool:
    return {"category", "severity", "target"} <= keys


def _mqm(builder: Builder) -> None:
    """A row per error; ``<v>`` marks it in the target. A row ``No-error`` is a reading without a finding."""
    records = [(line, record) for line, record in builder.records if not _is_test(record)]
    if tests := len(builder.records) - len(records):
        builder.dropped["attention test"] += tests
        builder.notes.append(f"{counted(tests, 'row')} of attention tests left out: their errors were planted")
    seen: dict[tuple[str, str], str] = {}
    segments: dict[str, set[Any]] = {}
    # Either names the documents; the other may be that of all of them, or number what is in each.
    names = {key: len({record.get(key) for _, record in records}) for key in ("doc_id", "doc")}
    numbered = {key for key in names if all(str(record.get(key) or "").isdigit() for _, record in records)}
    telling = max(names, key=lambda key: (names[key], key not in numbered))
    for _, record in records:
        segments.setdefault(_document(record, telling), set()).add(record.get("seg_id"))
    found = {(_place(record), record.get("rater")) for _, record in records if not _is_clean(record)}
    for line, record in records:
        text, start, end = _unmarked(str(record["target"] or ""))
        given = _document(record, telling)
        dialogue_id = f"{given}/{record.get('seg_id')}" if len(segments[given]) > 1 else given
        system = str(record.get("system") or "system")
        source = re.sub(r"\s*/\s*(?=[^\s:/]{1,30}:\s)", "\n", _MARK.sub("", str(record.get("source") or ""))) or None
        row = {"dialogue_id": dialogue_id, "system": system, "summary": text}
        if (dialogue_id, system) not in seen:
            seen[dialogue_id, system] = text
            builder.add(line, row | ({"dialogue": source} if source else {}))
        judged: dict[str, Any] = {k: row[k] for k in ("dialogue_id", "system")}
        judged["annotator"] = str(record.get("rater") or "1")
        judged |= {"dimension": "errors", "comment": record.get("comment") or None}
        if _is_clean(record):
            if (_place(record), record.get("rater")) not in found:
                builder.judge("spans", line, judged | {"start": None, "end": None})
            continue
        if text != seen[dialogue_id, system]:
            builder.leave_out(line, row, "the text with the marked error is not the summary")
            continue
        if start is None:  # an error of the source, or of the whole text
            start, end = 0, len(text)
        label = {"label": str(record["category"]), "severity": str(record["severity"]).lower()}
        builder.judge("spans", line, judged | {"start": start, "end": end, "text": text[start:end]} | label)


def _place(record: Record) -> tuple[Any, ...]:
    return tuple(record.get(key) for key in ("system", "doc", "doc_id", "seg_id"))


def _document(record: Record, first: str) -> str:
    keys = (first, "doc_id", "doc", "globalSegId", "seg_id")
    return str(next((record[key] for key in keys if record.get(key)), None))


def _is_test(record: Record) -> bool:
    """Whether a row tells how a rater did with an error that was planted into the text (``HOTW-test``)."""
    return bool(re.search(r"(?:^|[-_ ])tests?$", str(record.get("severity") or ""), re.IGNORECASE))


def _is_clean(record: Record) -> bool:
    said = (str(record.get("category") or ""), str(record.get("severity") or ""))
    return any(re.fullmatch(r"no[-_ ]?errors?", text, re.IGNORECASE) for text in said)


def _unmarked(text: str) -> tuple[str, int | None, int | None]:
    """The text without marks, and where the marked part is; a lone ``<v>`` marks to the end."""
    opening, closing = text.find("<v>"), text.find("</v>")
    plain = _MARK.sub("", text)
    if opening < 0:
        return plain, None, None
    end = closing - 3 if closing > opening else len(plain)
    return (plain, opening, end) if end > opening else (plain, None, None)


def _is_arena(keys: frozenset[str], first: Record) -> bool:
    return {"model_a", "model_b", "winner"} <= keys and bool({"conversation_a", "response_a", "output_a"} & keys)


def _arena(builder: Builder) -> None:
    """Two models, the answers of both, and the winner: ``model_a``, ``model_b``, ``tie`` or ``tie (bothbad)``."""
    people = [_arena_judge(builder, record) for _, record in builder.records]
    programs = judged_by_programs([record for _, record in builder.records], people)
    for (line, record), who, program in zip(builder.records, people, programs, strict=True):
        texts = {}
        question = record.get("prompt") or record.get("question") or record.get("dialogue")
        for side in "ab":
            talk = next(
                (record[f"{k}_{side}"] for k in ("conversation", "response", "output") if f"{k}_{side}" in record), ""
            )
            talk = _as_list(talk)
            if isinstance(talk, list):
                question = question or "\n".join(str(one.get("content")) for one in talk if one.get("role") == "user")
                talk = "\n".join(str(one.get("content")) for one in talk if one.get("role") != "user")
            texts[side] = str(talk)
        named = (record.get(key) for key in ("question_id", "conversation_id", "dialogue_id", "id"))
        given = next((str(one) for one in named if one), None) or hash_id(str(question))
        for side in "ab":
            row = {"dialogue_id": given, "system": record[f"model_{side}"], "summary": texts[side]}
            builder.add(line, row | {"dialogue": str(question or "")})
        if program:
            builder.dropped["of a program"] += 1
            continue
        winner = str(record["winner"]).lower()
        code = {"model_a": "a", "model_b": "b", "a": "a", "b": "b"}.get(winner)
        code = code or next((side for side in "ab" if winner == str(record[f"model_{side}"]).lower()), None)
        code = code or ("tie" if TIE.fullmatch(normalised(winner)) else None)
        systems = {f"system_{side}": record[f"model_{side}"] for side in "ab"}
        judged = {"annotator": who, "dimension": "preference", "winner": code, "both_bad": "bad" in winner}
        judged["_given"] = record["winner"]
        builder.judge(
            "preferences",
            line,
            {"dialogue_id": given} | systems | judged | {"shown_first": "a", "time": record.get("tstamp")},
        )
    if builder.dropped:
        number = counted(sum(builder.dropped.values()), "verdict")
        builder.notes.append(f"{number} of programs are no judgements of people and are left out")


def _arena_judge(builder: Builder, record: Record) -> str:
    named = map(record.get, ("judge", "judge_user_id", "annotator"))
    return str(next(filter(None, named), None) or builder.pick(record, "annotator") or "1")


def _as_list(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        for read in (json.loads, ast.literal_eval):
            try:
                return read(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
    return value


def _is_error_table(keys: frozenset[str], first: Record) -> bool:
    errors = [key for key in keys if re.fullmatch(r"[A-Z][a-zA-Z]{1,9}E", key)]
    return len(errors) >= 4


def _error_table(builder: Builder) -> None:
    """A column per type of error (FacEval): each is a yes/no dimension on which less is better."""
    names = [k for k in builder.records[0][1] if re.fullmatch(r"[A-Z][a-zA-Z]{1,9}E", k) or _SUMMED.search(k)]
    builder.declared += [Dimension(name, "binary", "yes/no", (), "lower", "file") for name in names if name != "NoE"]
    builder.known |= {name: f"dimension:{name}" for name in names if name != "NoE"}
    for line, record in builder.records:
        builder.add(line, flat(record))


#: "w/ Error": whether there is any.
_SUMMED = re.compile(r"(?:w/|with|any|has)[\s_]*errors?$", re.IGNORECASE)


PUBLISHED = (
    Layout("summeval", "layout of SummEval", _is_summeval, _summeval),
    Layout("frank", "layout of FRANK", _is_frank, _frank),
    Layout("tofueval", "layout of TofuEval", _is_tofueval, _tofueval),
    Layout("mqm", "MQM as in WMT", _is_mqm, _mqm),
    Layout("arena", "comparisons of an arena", _is_arena, _arena),
    Layout("error-table", "a column per type of error, as in FacEval", _is_error_table, _error_table),
)
