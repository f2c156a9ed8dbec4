"""Numbers, times, days and months of a text by their kind, and others of the same kind to put in their place."""

import random
import re
from dataclasses import dataclass

from dialgauge.language import NUMBER_WORDS

_SMALL = [word for word, number in NUMBER_WORDS.items() if number <= 20]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_RELATIVE = ["today", "tomorrow", "yesterday", "tonight"]
_PARTS = ["morning", "afternoon", "evening", "night", "noon"]
_PATTERNS = (
    ("time", re.compile(r"\b\d{1,2}[:.]\d{2}(?:\s?[ap]\.?m\b)?|\b\d{1,2}\s?[ap]\.?m\b", re.I)),
    ("number", re.compile(r"(?<![\w.#])\d+(?:,\d{3})*(?:\.\d+)?(?![\w#])")),
    ("number", re.compile(rf"\b(?:{'|'.join(word for word in NUMBER_WORDS if word not in ('zero', 'one'))})\b", re.I)),
    ("day", re.compile(rf"\b(?:{'|'.join(_DAYS)})\b", re.I)),
    ("month", re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")),
    ("relative", re.compile(rf"\b(?:{'|'.join(_RELATIVE)})\b", re.I)),
    ("part", re.compile(rf"\b(?:{'|'.join(_PARTS)})\b", re.I)),
)
_LISTS = {"day": _DAYS, "month": _MONTHS, "relative": _RELATIVE, "part": _PARTS}


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text: where, of which kind, and what it amounts to however it is written."""

    start: int
    end: int
    kind: str
    text: str
    amount: str


def values_in(text: str) -> list[Value]:
    """The values of a text in their order."""
    found: list[Value] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not any(v.start < match.end() and match.start() < v.end for v in found):
                found.append(Value(match.start(), match.end(), kind, match[0], _amount(kind, match[0])))
    return sorted(found, key=lambda value: value.start)


def _amount(kind: str, text: str) -> str:
    lower = text.lower()
    if kind == "number":
        return str(NUMBER_WORDS.get(lower, lower.replace(",", "")))
    if kind == "time":
        hours, _, minutes = re.sub(r"[^\d:.]", "", lower).replace(".", ":").partition(":")
        return f"{int(hours or 0) % 12}:{(minutes.strip(':') or '00')[:2]}"
    return lower


def other_value(value: Value, draw: random.Random) -> str:
    """A value of the same kind and form, but another one."""
    if value.kind in _LISTS:
        other = draw.choice([word for word in _LISTS[value.kind] if word.lower() != value.amount])
        return other if value.text[0].isupper() else other.lower()
    if value.kind == "number" and value.amount.isdigit() and value.text.lower() in NUMBER_WORDS:
        return draw.choice([word for word in _SMALL[2:13] if word != value.text.lower()])
    return _other_digits(value.text, draw)


def _other_digits(text: str, draw: random.Random) -> str:
    """The text with one or two of its leading digits changed."""
    match = re.search(r"\d+", text)
    assert match is not None
    number = int(match[0])
    steps = [step for step in (-5, -3, -2, -1, 1, 2, 3, 5, 10) if number + step > 0]
    if len(match[0]) > 2:
        steps = [step * 10 ** (len(match[0]) - 2) for step in (-3, -2, -1, 1, 2, 3, 5) if number + step * 10 > 0]
    new = number + draw.choice(steps)
    if re.match(r"\d{1,2}\s?(?:[:.]|[ap])", text, re.I):
        new = (new - 1) % 12 + 1
        new = new if new != number else new % 12 + 1
    return text[: match.start()] + str(new) + text[match.end() :]


def same_value(value: Value) -> str | None:
    """The same value written otherwise: digits for words and words for digits, where that is usual."""
    if value.kind == "number" and value.text.lower() in NUMBER_WORDS:
        return str(NUMBER_WORDS[value.text.lower()])
    if value.kind == "number" and value.text.isdigit() and 1 < int(value.text) <= 20:
        return _SMALL[int(value.text)]
    clock = re.fullmatch(r"(\d{1,2})(?:[:.]00)?\s?([ap])\.?m", value.text, re.I)
    if value.kind == "time" and clock:
        return (
            f"{clock[1]}:00"
            if value.text.lower().replace(" ", "").endswith("m") and ":" not in value.text
            else (f"{clock[1]} {clock[2].lower()}m")
        )
    return None
