"""Checked summaries as one page: the summary with what is doubtful underlined, and the turns beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dialgauge.checks._explain import explain, pieces
from dialgauge.checks._types import CheckedSummary
from dialgauge.web import environment, page

#: Speakers have this many colours.
_VOICES = 6


@dataclass(frozen=True, slots=True)
class Named:
    """A checked summary and what it is called on the page."""

    name: str
    checked: CheckedSummary
    p_right: float


def check_page(summaries: Sequence[Named], title: str, *, notes: Sequence[str] = ()) -> str:
    """The page of these summaries, in the order given; the same input gives the same bytes."""
    told = {"title": title, "notes": notes, "items": [_item(i, one) for i, one in enumerate(summaries)]}
    return page(_engine(), "check_page.html", told)


@cache
def _engine() -> Any:
    return environment(("dialgauge.checks", "templates"))


def _item(number: int, one: Named) -> dict[str, Any]:
    checked = one.checked
    voices = {name: i for i, name in enumerate(dict.fromkeys(turn.speaker for turn in checked.turns))}
    return {
        "id": f"summary-{number + 1}",
        "name": one.name,
        "p_right": one.p_right,
        "sentences": evidence_sentences(checked),
        "turns": [
            {
                "number": i + 1,
                "speaker": turn.speaker,
                "text": turn.text,
                "voice": voices[turn.speaker] % _VOICES,
                "other": voices[turn.speaker] % 2 == 1,
                "pieces": _said(checked, i),
            }
            for i, turn in enumerate(checked.turns)
        ],
    }


def evidence_sentences(checked: CheckedSummary) -> list[dict[str, Any]]:
    """The sentences of a summary as templates show them: pieces to underline, reasons in words, turns to go to."""
    return [
        {
            "verdict": sentence.verdict,
            "p_right": sentence.p_right,
            "pieces": pieces(checked.text, sentence.span, sentence.reasons),
            "evidence": [turn + 1 for turn in sentence.evidence],
            "reasons": [
                {
                    "words": explain(reason, checked),
                    "hint": reason.hint,
                    "turn": None if reason.turn is None else reason.turn + 1,
                }
                for reason in sentence.reasons
            ],
        }
        for sentence in checked.sentences
    ]


def _said(checked: CheckedSummary, turn: int) -> list[tuple[str, bool]]:
    """A turn in pieces, with those marked that contradict the summary."""
    text = checked.turns[turn].text
    marked = [False] * len(text)
    for reason in checked.reasons:
        if reason.turn == turn and reason.turn_span is not None and not reason.hint:
            start, end = reason.turn_span
            marked[start:end] = [True] * len(marked[start:end])
    found: list[tuple[str, bool]] = []
    for letter, mark in zip(text, marked, strict=True):
        if found and found[-1][1] == mark:
            found[-1] = (found[-1][0] + letter, mark)
        else:
            found.append((letter, mark))
    return found
