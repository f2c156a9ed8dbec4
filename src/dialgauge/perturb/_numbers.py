"""change_number: a number in digits becomes another that nobody said. It needs no parser and works in any language."""

import re
from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register

#: A number by itself: neither a part of a date, a time, a range or a telephone number, nor of a word.
_NUMBER = re.compile(r"(?<![\w.,:/–—-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/–—-])")

#: What makes a number a limit: *over 40* is true of many.
_LIMIT = re.compile(
    r"(?:\b(?:above|almost|below|beyond|by|nearly|over|under|until|up to|at (?:least|most)|(?:less|fewer|more) than)"
    r"|[<>≥≤~])"
    r"\s?[$£€]?$",
    re.IGNORECASE,
)
#: An amount of money, or one that the reader knows.
_AGAIN = re.compile(r"[$£€]\s?\d|\b(?:[Tt]he|[Tt]hose|[Tt]hese) \d")
_NEXT_WORD = re.compile(r"\s?([^\W\d_]+)")

#: How far a number of one digit may move: nobody has eight dogs instead of two, or an evening at two.
_APART = 2


def propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    """Change one number, wherever the summary has it of the same thing."""
    said = {match.group() for match in _NUMBER.finditer(f"{parsed.text}\n{dialogue.text if dialogue else ''}")}
    places: dict[tuple[str, str], list[re.Match[str]]] = {}
    for match in _NUMBER.finditer(parsed.text):
        places.setdefault((match.group(), _of_what(parsed.text, match)), []).append(match)
    chosen = {
        place: others
        for place, found in sorted(places.items())
        if not any(_LIMIT.search(parsed.text[: match.start()]) for match in found)
        and not _is_reckoned(place[0], {number for number, _ in places})
        and (others := _others(place[0], said))
    }
    if not chosen:
        return NotApplicable("no number in digits that could be another one")
    place = rng.choice(sorted(chosen))
    other = rng.choice(chosen[place])
    return [Edit(*match.span(), other) for match in places[place]]


def _is_reckoned(number: str, others: set[str]) -> bool:
    """Whether a number seems to be reckoned from another one: *72 in two payments of 36* would not add up."""
    mine = float(number.replace(",", ""))
    beside = [float(one.replace(",", "")) for one in others if one != number]
    return any(min(mine, one) > 1 and max(mine, one) % min(mine, one) == 0 for one in beside)


def _of_what(text: str, number: re.Match[str]) -> str:
    """The word behind a number: two months and two weeks are not one thing. An amount that is told again is (*costs
    £120, and the £120 are …*)."""
    behind = _NEXT_WORD.match(text, number.end())
    again = _AGAIN.search(text) is not None
    return behind[1].lower() if behind and not again else ""


def _others(number: str, said: set[str]) -> list[str]:
    """The same number with another last digit that counts; neither is 1, whose noun would have to change."""
    place = max((i for i, digit in enumerate(number) if digit.isdecimal() and digit != "0"), default=None)
    if place is None or number == "1":
        return []
    # Fewer is possible wherever the number was; more could be a 32nd day of a month.
    near = [d for d in "23456789" if abs(int(d) - int(number)) <= _APART] if len(number) == 1 else []
    digits = near if len(number) == 1 else [str(d) for d in range(int(number[place]))] or "23456789"
    made = [f"{number[:place]}{digit}{number[place + 1 :]}" for digit in digits]
    found = [other for other in made if other not in said and other != "1" and not other.startswith("0")]
    # Nobody who is upset at turning 30 is so at turning 10.
    close = [other for other in found if 2 * float(other.replace(",", "")) >= float(number.replace(",", ""))]
    return close or found


def check(original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None) -> str | None:
    """Nothing but a number may have changed."""
    kept = _NUMBER.sub("0", original) == _NUMBER.sub("0", result)
    return None if kept else "more than a number changed"


register(
    Perturbation(
        name="change_number",
        version="4",
        family="further",
        description="replaces a number in digits by another that is neither in the summary nor in the transcript",
        effects={"consistency": "degrades", "relevance": "preserves"},
        propose=propose,
        validate=check,
        citation="Kryściński et al. 2020. Evaluating the Factual Consistency of Abstractive Text Summarization. EMNLP",
        examples=(("The agent refunds $120 of the fee.", "The agent refunds $110 of the fee."),),
    ),
)
