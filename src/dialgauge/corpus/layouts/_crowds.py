"""Crowd platforms and survey tools: Mechanical Turk, Toloka, Appen, Qualtrics, Prolific."""

import json
import re
from typing import Any

from dialgauge.corpus._names import normalised
from dialgauge.corpus._survey_headings import doubts, is_preview, statements
from dialgauge.corpus._values import is_not_given
from dialgauge.corpus.layouts._base import Builder, Layout, Record
from dialgauge.errors import InputError

_INPUT, _ANSWER = "Input.", "Answer."


def _is_mturk(keys: frozenset[str], first: Record) -> bool:
    return {"HITId", "WorkerId"} <= keys and any(key.startswith(_ANSWER) for key in keys)


def _mturk(builder: Builder) -> None:
    """Batch results: ``Input.*`` is what was shown, ``Answer.*`` what was said; all else is the platform's own."""
    rejected = 0
    buttons = _buttons(builder.records)
    for line, record in builder.records:
        row: dict[str, Any] = {}
        for key, value in record.items():
            if key.startswith(_INPUT):
                row[key.removeprefix(_INPUT)] = value
        answers = _answers(record, buttons)
        status = str(record.get("AssignmentStatus") or "")
        if status.lower() == "rejected":
            rejected += 1
            given = [value for value in answers.values() if not is_not_given(str(value or ""))]
            builder.dropped["rejected assignment"] += len(given)
            builder.add(line, row)
            continue
        row |= {name if name not in row else f"{name}.answer": value for name, value in answers.items()}
        builder.add(line, row | {"WorkerId": record["WorkerId"], "SubmitTime": record.get("SubmitTime")})
    builder.known |= {"WorkerId": "annotator", "SubmitTime": "time"}
    shown = sorted({key for _, record in builder.records for key in record if not key.startswith((_INPUT, _ANSWER))})
    builder.ignored |= {key: "the platform's own" for key in shown if key not in ("WorkerId", "SubmitTime")}
    if rejected:
        builder.notes.append(f"{rejected} rejected assignments are left out")


def _buttons(records: Any) -> dict[str, tuple[str, str]]:
    """Columns of single radio buttons (``Answer.fluency.4`` is true or false): the question and the answer of each."""
    keys = {key for _, record in records[:50] for key in record if key.startswith(_ANSWER)}
    parted = {key: key.removeprefix(_ANSWER).rpartition(".") for key in keys}
    found = {key: (question, answer) for key, (question, _, answer) in parted.items() if question and answer}
    several = {question for question, _ in found.values() if sum(q == question for q, _ in found.values()) > 1}
    return {key: pair for key, pair in found.items() if pair[0] in several}


def _answers(record: Record, buttons: dict[str, tuple[str, str]]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in record.items():
        if not key.startswith(_ANSWER):
            continue
        if key == "Answer.taskAnswers":
            listed = json.loads(value) if value else []
            for one in listed if isinstance(listed, list) else [listed]:
                row |= {name: _chosen(answer) for name, answer in one.items()}
        elif key in buttons:
            question, answer = buttons[key]
            row.setdefault(question, None)
            if str(value or "").strip().lower() in ("true", "1", "on", "yes"):
                row[question] = answer
        else:
            row[key.removeprefix(_ANSWER)] = None if str(value or "").strip() == _EMPTY else value
    return row


#: How the platform writes that nothing was answered.
_EMPTY = "{}"


def _chosen(answer: Any) -> Any:
    """The option that is true, of ``{"1": false, "2": true}``."""
    if isinstance(answer, dict):
        true = [name for name, state in answer.items() if state is True or str(state).lower() == "true"]
        return true[0] if len(true) == 1 else "; ".join(true) or None
    return answer


def _is_toloka(keys: frozenset[str], first: Record) -> bool:
    return any(key.startswith("OUTPUT:") for key in keys) and "ASSIGNMENT:worker_id" in keys


def _toloka(builder: Builder) -> None:
    """Assignments: ``INPUT:*`` is what was shown, ``OUTPUT:*`` what was said; all else is the platform's own."""
    rejected = controls = 0
    for line, record in builder.records:
        if any(not is_not_given(str(value or "")) for key, value in record.items() if key.startswith("GOLDEN:")):
            controls += 1
            told = [value for key, value in record.items() if key.startswith("OUTPUT:") and value is not None]
            builder.dropped["no item, but a control task"] += sum(not is_not_given(str(one)) for one in told)
            continue
        if not any(str(value or "").strip() for value in record.values()):
            continue
        row = {key.partition(":")[2]: value for key, value in record.items() if key.startswith("INPUT:")}
        answers = {key.partition(":")[2]: value for key, value in record.items() if key.startswith("OUTPUT:")}
        if str(record.get("ASSIGNMENT:status") or "").upper() in ("REJECTED", "SKIPPED", "EXPIRED"):
            rejected += 1
            given = [value for value in answers.values() if not is_not_given(str(value or ""))]
            builder.dropped["rejected assignment"] += len(given)
            builder.add(line, row)
            continue
        row |= {name if name not in row else f"{name}.answer": value for name, value in answers.items()}
        time = record.get("ASSIGNMENT:submitted") or record.get("ASSIGNMENT:started")
        builder.add(line, row | {"worker_id": record["ASSIGNMENT:worker_id"], "time": time})
    builder.known |= {"worker_id": "annotator", "time": "time"}
    shown = sorted({k for _, record in builder.records[:1] for k in record if not k.startswith(("INPUT:", "OUTPUT:"))})
    builder.ignored |= {key: "the platform's own" for key in shown if key != "ASSIGNMENT:worker_id"}
    if rejected:
        builder.notes.append(f"{rejected} rejected assignments are left out")
    if controls:
        builder.notes.append(f"{controls} control tasks, whose right answers are known, are left out")


def _is_appen(keys: frozenset[str], first: Record) -> bool:
    return {"_unit_id", "_worker_id"} <= keys


def _appen(builder: Builder) -> None:
    """A full report: columns that start with ``_``, and right answers to test questions, are not data."""
    tests = 0
    for line, record in builder.records:
        row = {key: value for key, value in record.items() if not key.startswith("_") and not _OF_TEST.search(key)}
        if str(record.get("_golden") or "").lower() == "true":
            tests += 1
        builder.add(line, row | {"_worker_id": record["_worker_id"], "_created_at": record.get("_created_at")})
    builder.known |= {"_worker_id": "annotator", "_created_at": "time"}
    shown = sorted({key for _, record in builder.records[:1] for key in record})
    builder.ignored |= {
        key: "the platform's own"
        for key in shown
        if (key.startswith("_") or _OF_TEST.search(key)) and key not in ("_worker_id", "_created_at")
    }
    if tests:
        builder.notes.append(f"{tests} judgements of test questions are among these")


_OF_TEST = re.compile(r"_gold(?:_reason)?$|:confidence$|^orig__")


def _is_qualtrics(keys: frozenset[str], first: Record) -> bool:
    titled = normalised(str(first.get("ResponseId"))) == "response_id"
    return titled or {"ResponseId", "RecordedDate"} <= keys or {"StartDate", "EndDate", "ResponseId"} <= keys


_QUALTRICS = frozenset(
    [
        "StartDate",
        "EndDate",
        "Status",
        "IPAddress",
        "Progress",
        "Finished",
        "RecordedDate",
        "RecipientLastName",
        "RecipientFirstName",
        "RecipientEmail",
        "ExternalReference",
        "LocationLatitude",
        "LocationLongitude",
        "DistributionChannel",
        "UserLanguage",
    ]
)


#: How panels name their people in a survey; without one, each answer is a person.
_PANEL = ("PROLIFIC_PID", "prolific_pid", "workerId", "WorkerId", "worker_id", "participantId", "assignmentWorkerId")


#: The further lines of headings.
_ROWS = 2


def _qualtrics(builder: Builder) -> None:
    """Survey answers with two further lines of headings: the questions in words, and the tool's own ids."""
    titles: Record = {}
    if normalised(str(builder.records[0][1].get("ResponseId"))) == "response_id":
        titles = builder.records[0][1]
    said = {name for given in builder.mapping.values() for name in ([given] if isinstance(given, str) else given)}
    names = {key: name for key, name in statements(titles).items() if key not in said}
    for line, record in builder.records:
        if record is titles or any("ImportId" in str(value) for value in record.values()):
            continue
        own = {key: value for key, value in record.items() if key not in _QUALTRICS or key == "RecordedDate"}
        if is_preview(record):
            asked = [
                value for key, value in own.items() if _ASKED.fullmatch(key) and not is_not_given(str(value or ""))
            ]
            builder.dropped["a preview of the survey"] += len(asked)
            continue
        builder.add(line, {names.get(key, key): value for key, value in own.items()})
    keys = {key for _, record in builder.records for key, value in record.items() if value}
    person = next((key for key in _PANEL if key in keys), "ResponseId")
    builder.known |= {person: "annotator", "RecordedDate": "time"}
    if person != "ResponseId":
        builder.ignored["ResponseId"] = f"the answer's own; {person} names the person"
    builder.ignored |= {
        key: "the survey tool's own" for key in _QUALTRICS if any(key in r for _, r in builder.records[:1])
    }
    if builder.dropped:
        builder.notes.append("answers of a preview of the survey are left out")
    if titles:
        builder.notes += doubts(titles, [record for _, record in builder.records[_ROWS:] if not is_preview(record)])
    asked = [f"{key} = {title!r}" for key, title in titles.items() if _ASKED.fullmatch(key) and title != key]
    if asked:
        builder.notes.append(f"questions: {'; '.join(map(str, asked))}")


#: How the tool calls its questions.
_ASKED = re.compile(r"Q?\w*\d[\w.]*")


def _is_people(keys: frozenset[str], first: Record) -> bool:
    return {"Participant id", "Completion code"} <= keys or {"participant_id", "completion_code"} <= keys


def _people(builder: Builder) -> None:
    raise InputError(
        "this is Prolific's export of its participants (ages, countries, times), which holds no judgements. The "
        "judgements are in the export of your survey or annotation tool, with PROLIFIC_PID as the annotator; this file "
        "can be joined to them: dialgauge convert JUDGEMENTS corpus --ratings THIS_FILE"
    )


CROWDS = (
    Layout("mturk", "Mechanical Turk batch results", _is_mturk, _mturk),
    Layout("toloka", "Toloka assignments", _is_toloka, _toloka),
    Layout("appen", "Appen full report", _is_appen, _appen),
    Layout("qualtrics", "Qualtrics export", _is_qualtrics, _qualtrics),
    Layout("prolific-people", "Prolific's participants", _is_people, _people),
)
