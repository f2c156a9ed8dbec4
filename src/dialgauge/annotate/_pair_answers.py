"""Answers to a comparison of two: which is better, by how much where the study asks for that, or what kind of tie.

An answer is one text: ``1`` or ``2``, with strengths ``1:clearly better``; ``tie``, ``both-good`` or ``both-bad``. The
name of the strength is in it, so that a page can show an answer without the protocol.
"""

from collections.abc import Sequence
from typing import Any, Literal

TieKind = Literal["equal", "both-good", "both-bad"]

#: Two of which neither is better; what it is called as an answer.
TIE = "tie"
BOTH_GOOD, BOTH_BAD = "both-good", "both-bad"
_TIES = (TIE, BOTH_GOOD, BOTH_BAD)


def tie_answer(kind: TieKind) -> str:
    """The answer that says this kind of tie."""
    return TIE if kind == "equal" else kind


def pair_answers(ties: Sequence[TieKind], strengths: Sequence[str]) -> tuple[str, ...]:
    """All answers in the order of their buttons and keys.

    With strengths they are a scale from the first summary, clearly better, to the second; ties are its middle.
    """
    middle = [tie_answer(kind) for kind in ties]
    if not strengths:
        return ("1", "2", *middle)
    return (*(f"1:{one}" for one in reversed(strengths)), *middle, *(f"2:{one}" for one in strengths))


def is_tie(answer: Any) -> bool:
    """Whether an answer says that neither is better."""
    return answer in _TIES


def better_of(answer: Any) -> int | None:
    """The number of the better one, as it was shown; None for a tie and for what is no answer to a pair."""
    number = answer.partition(":")[0] if isinstance(answer, str) else ""
    return int(number) if number in ("1", "2") else None


def strength_of(answer: str, strengths: Sequence[str]) -> float | None:
    """How much better, from 1 for the least; None where that was not asked."""
    name = answer.partition(":")[2]
    return float(strengths.index(name) + 1) if name in strengths else None
