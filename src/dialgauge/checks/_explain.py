"""Reasons in words, and the summary in pieces: what is underlined, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dialgauge.checks._types import CHECKS, DOUBT, CheckedSummary, Reason, Span

#: Longer quotations are shortened.
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a sentence; ``reasons`` are the numbers of the reasons (from 0) that concern it."""

    text: str
    reasons: tuple[int, ...]
    hint: bool


def explain(reason: Reason, checked: CheckedSummary) -> str:
    """One reason in words for people, with the turn that it was compared with."""
    return f"{_explained(reason, checked)}{' (a hint, it does not count)' if reason.hint else ''}"


def _explained(reason: Reason, checked: CheckedSummary) -> str:
    says = f"“{_short(reason.says)}”"
    if reason.check == DOUBT:
        doubt = f"the model finds no support for {says} ({reason.strength:.0%} likely wrong)"
        if reason.turn is None:
            return doubt
        return f"{doubt}; nearest is {_turn(reason.turn, checked)}: “{_short(reason.dialogue_says)}”"
    if reason.turn is None:
        if reason.check == "word_absent":
            return f"no turn has {says} or a word like it"
        return f"no turn says {says}" if CHECKS[reason.check].group == "numbers" else f"no turn mentions {says}"
    speaker = checked.turns[reason.turn].speaker
    turn = _turn(reason.turn, checked)
    said = f"“{_short(reason.dialogue_says)}”"
    if reason.check in ("value_conflict", "antonym"):
        return f"says {says}, where {turn} says {said}"
    if reason.check == "value_elsewhere":
        return f"says {says}, which belongs elsewhere: {turn} says {said}"
    if reason.check == "negation_added":
        return f"is negated ({says}), but {turn} and the turns beside it negate nothing: {said}"
    if reason.check == "clause_negated":
        return f"{says} is negated, but {turn} says {said}"
    if reason.check == "owner":
        return f"{says}, but {speaker or 'another speaker'} says in turn {reason.turn + 1}: {said}"
    if reason.check == "declined":
        return f"{says}, but {turn} declines: {said}"
    return f"{says} is closer to what {speaker or 'another speaker'} says in turn {reason.turn + 1}: {said}"


def _turn(place: int, checked: CheckedSummary) -> str:
    speaker = checked.turns[place].speaker
    return f"turn {place + 1}" + (f" ({speaker})" if speaker else "")


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LONGEST else one_line[: _LONGEST - 1] + "…"


def pieces(text: str, span: Span, reasons: Sequence[Reason]) -> list[Piece]:
    """The characters of a span, cut where reasons begin and end."""
    return list(_pieces(text, *span, reasons))


def _pieces(text: str, start: int, end: int, reasons: Sequence[Reason]) -> Iterator[Piece]:
    cuts = {start, end}
    for reason in reasons:
        cuts |= {place for place in reason.summary if start < place < end}
    places = sorted(cuts)
    for first, last in pairwise(places):
        inside = tuple(i for i, r in enumerate(reasons) if r.summary[0] < last and first < r.summary[1])
        yield Piece(text[first:last], inside, bool(inside) and all(reasons[i].hint for i in inside))
