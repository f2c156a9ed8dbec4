"""Evidence as JSON, as it is kept in the notes of scores, and back."""

import json
from collections.abc import Mapping
from typing import Any

from dialgauge.checks._source import turns_of
from dialgauge.checks._types import CheckedSentence, CheckedSummary, Reason
from dialgauge.corpus import Dialogue
from dialgauge.errors import InputError


def evidence_note(checked: CheckedSummary) -> str:
    """The reasons as JSON, for the note of a score: a record per sentence that has one; empty if none has."""
    records = [record for record in checked.records() if record["reasons"]]
    return json.dumps(records, ensure_ascii=False) if records else ""


def read_evidence(note: str, summary: str, dialogue: Dialogue) -> CheckedSummary:
    """The sentences with reasons that a note holds, of this summary and dialogue."""
    try:
        sentences = tuple(_sentence(record) for record in json.loads(note))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"a note is not evidence of checks: {error}") from error
    p_right = min((sentence.p_right for sentence in sentences), default=1.0)
    return CheckedSummary(summary, turns_of(dialogue.text), sentences, p_right, {}, {})


def _sentence(record: Mapping[str, Any]) -> CheckedSentence:
    start, end = record["span"]
    return CheckedSentence(
        (start, end),
        record["p_right"],
        record["verdict"],
        tuple(map(_reason, record["reasons"])),
        tuple(turn - 1 for turn in record["evidence"]),
        parts=record["parts"],
    )


def _reason(record: Mapping[str, Any]) -> Reason:
    turn, span = record["turn"], record["turn_span"]
    first, last = record["summary"]
    return Reason(
        record["check"],
        (first, last),
        record["says"],
        None if turn is None else turn - 1,
        None if span is None else (span[0], span[1]),
        record["dialogue_says"],
        record["strength"],
        record["weight"],
    )
