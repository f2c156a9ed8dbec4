"""The names of speakers whom a transcript calls by their roles: how they introduce themselves and are addressed."""

import re
from collections import Counter
from collections.abc import Sequence

from dialgauge.checks._words import person_nouns
from dialgauge.corpus import Turn

_WORD = r"[A-Z][a-z’']+(?:-[A-Z][a-z]+)?"
#: One or two words; three capitals in a row are rather a company.
_NAME = rf"(?:(?:Mr|Mrs|Ms|Miss|Dr)\b\.? )?({_WORD}(?: {_WORD})?)\b(?! [A-Z])"
_INTRODUCED = re.compile(
    r"\b(?i:this is|my name is|my name['’]s|i['’]m|i am|through to|chatting with"
    r"|(?<!i )(?:speaking (?:to|with)|talking to)) " + _NAME
)
#: Whom a call is for: "Am I speaking with Dana Whitfield?"
_SOUGHT = re.compile(rf"\b(?i:am i|is this|is that)(?: (?i:speaking|talking) (?i:to|with))? {_NAME} ?\?")
_SPEAKING = re.compile(_NAME + r",? (?:speaking|here)\b")
_ASKS_NAME = re.compile(
    r"(?:take|have|get|give me|confirm|what['’]?s?(?: is)?)\s(?:\w+\s){0,2}?your\s(?:full\s|first\s|last\s)?name\b"
    r"|\bwhat name\b|\bwho(?: i['’]m| am i|['’]s| is) (?:calling|speaking|talking)",
    re.I,
)
_ANSWERS = re.compile(r"^\W*(?:(?i:yes|yeah|sure|um|uh|oh|it['’]s|i['’]m|that['’]s|of course)\b\W*)*" + _NAME)
_ADDRESSED = re.compile(
    r"(?:^|(?<=\W))(?i:hi|hello|hey|thanks|thank you|okay|ok|sorry|cheers|bye|goodbye|morning|afternoon|evening),? "
    + _NAME
    + rf"|, (?:Mr|Mrs|Ms|Miss)\b\.? ({_WORD})(?=[.?!]|$)"
)
#: Words for the two sides of a service call; a speaker or role named by one can be meant by another of its group.
ROLES = (
    frozenset(
        [
            "agent",
            "representative",
            "rep",
            "operator",
            "assistant",
            "advisor",
            "adviser",
            "clerk",
            "salesperson",
            "salesman",
            "saleswoman",
            "sales",
            "seller",
            "vendor",
            "support",
        ]
    ),
    frozenset(["customer", "client", "caller", "user", "buyer", "prospect", "guest"]),
)
#: Labels that say what somebody is, beside the nouns for persons.
_LABELS = frozenset(("person", "speaker")).union(*ROLES)
_CONTRACTED = re.compile(r"'(?:s|m|t|ll|re|ve|d)$")
#: Capitalised words that follow "I'm" or "thanks" and name nobody.
_NOBODY = frozenset(
    [
        "i",
        "god",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mum",
        "mom",
        "dad",
        "sir",
        "madam",
        "ma'am",
        "sorry",
        "the",
        "that",
        "this",
        "it",
        "for",
        "so",
        "and",
        "but",
        "yes",
        "no",
        "okay",
        "ok",
        "all",
        "everyone",
        "everybody",
        "you",
        "very",
        "not",
        "just",
        "here",
        "there",
    ]
)


def names_of(turns: Sequence[Turn]) -> dict[str, set[str]]:
    """For each speaker with a role for a label, the words of the name that the talk gives to them, in lower case."""
    labels = {turn.speaker for turn in turns if turn.speaker and _is_role(turn.speaker)}
    if not labels:
        return {}
    votes: Counter[tuple[str, str]] = Counter()
    for number, turn in enumerate(turns):
        for pattern in (_INTRODUCED, _SPEAKING):
            for match in pattern.finditer(turn.text):
                _vote(votes, turn.speaker, match[1], 2)
        asked = number > 0 and turns[number - 1].speaker != turn.speaker and _ASKS_NAME.search(turns[number - 1].text)
        if asked and (answer := _ANSWERS.match(turn.text)):
            _vote(votes, turn.speaker, answer[1], 2)
        for match in _SOUGHT.finditer(turn.text):
            _vote(votes, _addressed(turns, number), match[1], 2)
        if number:  # who opens a call does not know yet whom to address
            for match in _ADDRESSED.finditer(turn.text):
                if match[1] or not _is_told_of(turn.text, match.start()):
                    _vote(votes, _addressed(turns, number), match[1] or match[2], 1)
    found: dict[str, set[str]] = {}
    for (speaker, word), count in votes.items():
        # A word that is said of two speakers belongs to the one of whom it is said more often.
        rivals = [other for (whose, same), other in votes.items() if same == word and whose != speaker]
        if speaker in labels and count > max(rivals, default=0):
            found.setdefault(speaker, set()).add(word)
    return found


def _addressed(turns: Sequence[Turn], number: int) -> str:
    """Whoever answers; where nobody does, whoever spoke before."""
    own = turns[number].speaker
    nearest = (*turns[number + 1 :], *reversed(turns[:number]))
    return next((turn.speaker for turn in nearest if turn.speaker != own), own)


def _is_told_of(text: str, comma: int) -> bool:
    """Whether a name after a comma says who somebody is, as in "my boss, Mr Kessler", and addresses nobody."""
    before = re.findall(r"[a-z]+", text[:comma].lower())
    return bool(before) and before[-1] in person_nouns()


def _is_role(label: str) -> bool:
    words = re.findall(r"[a-z]+", label.lower())
    return bool(words) and (words[-1] in _LABELS or words[-1] in person_nouns())


def _vote(votes: Counter[tuple[str, str]], speaker: str, name: str, weight: int) -> None:
    for word in name.split():
        lower = word.lower().replace("’", "'")
        if len(lower) > 1 and lower not in _NOBODY and not _CONTRACTED.search(lower):
            votes[speaker, lower] += weight
