"""Typed values of a text: amounts, shares, times, days, dates, durations, phone numbers and ids, in one form each.

"twenty-five dollars" is money 25, "half past three" is clock 3:30, "2k" is 2000. Every pattern takes its characters,
so that "5pm" is a clock time and not also the number 5.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

from dialgauge.checks._numerals import MONTHS, NUMERAL, WEEKDAYS, read_numeral

Kind = Literal["money", "percent", "number", "clock", "weekday", "month", "date", "day", "duration", "phone", "id"]
#: Kinds with an amount that can be equal across kinds: "20 dollars" and "20".
_AMOUNTS = frozenset(("money", "percent", "number", "duration"))
#: Small counts say how many people or things there are, which a summary counts by itself.
_COUNTED = 3
#: More values than this are not added to each other: some pair would fit anything.
_MOST_ADDENDS = 12


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its kind, where it stands, and its normal form (``amount`` where it is a quantity)."""

    kind: Kind
    start: int
    end: int
    form: str
    amount: float | None = None
    #: The amounts that it may have been written with: 3:30 as 330, 3.3 or, for full hours, 5.
    written: tuple[float, ...] = ()


_N = rf"(?:{NUMERAL})"
_HALF = r"(?:\s+a(?:nd\s+a)?\s+half|(?=\s*½))?"
_END = r"(?![\w])"
_CURRENCY = r"[$€£¥₹]|(?:USD|EUR|GBP|US\$)\s?"
_MONEY_WORDS = r"(?:dollars?|bucks?|euros?|pounds?|quid|cents?|pence|yuan|yen|rmb|rupees?|zł|zloty|usd|eur|gbp|francs?)"
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_UNITS = {"second": 1 / 60, "sec": 1 / 60, "minute": 1, "min": 1, "hour": 60, "hr": 60, "day": 1440, "night": 1440}
#: A year is twelve months, so that half a year is six of them.
_UNITS |= {"week": 10080, "month": 43200, "year": 518400, "yr": 518400}
_HALF_YEAR = _UNITS["year"] / 2
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_AM_PM = r"(?:\s?[ap]\.?\s?m\b\.?|\s?o['’ ]+\s?clock|-?ish\b)"
_DAYS = {
    "today": "today",
    "tonight": "today",
    "this morning": "today",
    "this afternoon": "today",
    "this evening": "today",
    "tomorrow": "tomorrow",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
    "tomorow": "tomorrow",
    "tommorow": "tomorrow",
    "tommorrow": "tomorrow",
    "2morrow": "tomorrow",
    "2nite": "today",
    "yesterday": "yesterday",
    "last night": "yesterday",
}


def _clock(hours: float, minutes: float, start: int, end: int) -> Value | None:
    if not (0 <= hours <= 24 and 0 <= minutes < 60):
        return None
    hour = int(hours) % 12
    shown = hour or 12
    written = {shown * 100 + minutes, shown + minutes / 100}
    written |= {float(hours), float(shown), float(shown + 12)} if minutes == 0 else {hours * 100 + minutes}
    return Value("clock", start, end, f"{shown}:{int(minutes):02d}", None, tuple(sorted(written)))


def _from_digits(match: re.Match[str]) -> Value | None:
    return _clock(float(match["h"]), float(match["m"]), *match.span())


def _from_hour(match: re.Match[str]) -> Value | None:
    hours = read_numeral(match["h"])
    return None if hours is None else _clock(hours, 0, *match.span())


def _from_words(match: re.Match[str]) -> Value | None:
    named = {"half": 30.0, "quarter": 15.0, "a quarter": 15.0}
    minutes = named.get(match["m"].lower(), read_numeral(match["m"]))
    hours = read_numeral(match["h"])
    if minutes is None or hours is None or not 1 <= hours <= 12:
        return None
    if match["side"].lower() in ("to", "till", "before"):
        hours, minutes = hours - 1, 60 - minutes
    return _clock(hours, minutes, *match.span())


def _noon(match: re.Match[str]) -> Value | None:
    return _clock(12, 0, *match.span())


def _quantity(kind: Kind, match: re.Match[str]) -> Value | None:
    amount = read_numeral(match["n"])
    if amount is None:
        return None
    if re.search(r"half|½", match.group(), re.IGNORECASE) and "half" not in match["n"].lower():
        amount += 0.5
    if kind == "money" and re.search(r"cents?|pence", match.group(), re.IGNORECASE):
        amount /= 100
    return Value(kind, *match.span(), f"{amount:.12g}", amount)


_ORDINAL_ENDS = re.compile(r"\s*(?:$|[.,;:!?)]|of\b|and\b|or\b|at\b)", re.IGNORECASE)


def _duration(match: re.Match[str]) -> Value | None:
    amount = 1.0 if match["n"].lower() in ("a", "an") else read_numeral(match["n"])
    if amount is None:
        return None
    amount += 0.5 if match["half"] else 0
    unit = match["unit"].lower()
    if unit == "second" and amount in range(20, 100, 10) and _ORDINAL_ENDS.match(match.string, match.end()):
        return None  # "on the twenty second" is a day, "a twenty second pause" is not
    scale = _UNITS.get(unit) or _UNITS[unit.rstrip("s")]
    return Value("duration", *match.span(), f"{amount * scale:.12g} minutes", amount, (amount, amount * scale))


def _half_duration(match: re.Match[str]) -> Value | None:
    scale = _UNITS[match["unit"].lower().rstrip("s")]
    return Value("duration", *match.span(), f"{scale / 2:.12g} minutes", 0.5, (0.5, scale / 2))


def _one_and_a_half(match: re.Match[str]) -> Value | None:
    scale = 1.5 * _UNITS[match["unit"].lower()]
    return Value("duration", *match.span(), f"{scale:.12g} minutes", 1.5, (1.5, scale))


def _date(match: re.Match[str]) -> Value | None:
    day = read_numeral(match["d"])
    if day is None or not 1 <= day <= 31:
        return None
    return Value("date", *match.span(), f"{MONTHS[match['mon'].lower().rstrip('.')]}-{int(day)}", None, (day,))


def _numeric_date(match: re.Match[str]) -> Value | None:
    first, second = sorted((int(match["a"]), int(match["b"])))
    # Day and month are not distinguished: 3/4 is the third of April or the fourth of March.
    return Value("date", *match.span(), f"{first}/{second}", None, (float(first), float(second)))


def _phone(match: re.Match[str]) -> Value | None:
    digits = re.sub(r"\D", "", match.group())
    return Value("phone", *match.span(), digits) if 7 <= len(digits) <= 15 else None


def _named(kind: Kind, forms: dict[str, str]) -> Callable[[re.Match[str]], Value | None]:
    return lambda match: Value(kind, *match.span(), forms[re.sub(r"\s+", " ", match.group().lower().rstrip("."))])


def _identifier(match: re.Match[str]) -> Value | None:
    return Value("id", *match.span(), re.sub(r"[\W_]", "", match.group()).upper())


def _with_plural(day: str) -> str:
    """A name of a day has a plural; a short form has none: "thus" is no Thursday."""
    return f"{day}s?" if day.endswith("day") else day


def _weekday(match: re.Match[str]) -> Value | None:
    word = match.group().lower().rstrip(".")
    short = word not in WEEKDAYS.values() and not word.endswith("days") and not word.endswith("day")
    # "sat", "sun" and "wed" are also words: short forms count with a capital, or after "on", "this" and "next".
    if short and not (
        match.group()[0].isupper() or re.search(r"\b(?:on|this|next|till|until)\s$", match.string[: match.start()])
    ):
        return None
    return Value("weekday", *match.span(), WEEKDAYS[word.removesuffix("s") if word.endswith("days") else word])


def _month(match: re.Match[str]) -> Value | None:
    word = match.group()
    # "may" and "march" are also verbs.
    if word.lower() in ("may", "march", "mar", "jan", "dec", "sep") and not (
        word[0].isupper()
        and re.search(r"\b(?:in|of|this|next|last|by|since|until|till|and|to)\s$", match.string[: match.start()])
    ):
        return None
    return Value("month", *match.span(), str(MONTHS[word.lower().rstrip(".")]))


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=len, reverse=True))


#: In this order: an earlier pattern takes its characters from later ones.
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Value | None]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"(?<![\w-])(?:19|20)\d\d-(?P<a>[01]\d)-(?P<b>[0-3]\d)(?![\w-])", _numeric_date),
        (r"(?<![\w.,])\+?\(?\d{2,4}\)?(?:[\s.-]\(?\d{2,8}\)?){1,5}(?![\w])", _phone),
        (r"(?<![\w.,:/])\d{7,15}(?![\w])", _phone),
        (rf"(?<!\w)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<mon>{_MONTH})\b", _date),
        (rf"\b(?P<mon>{_MONTH})\.?\s+(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:])", _date),
        (rf"\b(?:the\s+)?(?P<d>{NUMERAL})\s+of\s+(?P<mon>{_MONTH})\b", _date),
        (r"(?<![\w/])(?P<a>\d{1,2})[/](?P<b>\d{1,2})(?:/\d{2,4})?(?![\w/])", _numeric_date),
        (rf"(?<![\w$€£.,])(?P<h>[01]?\d|2[0-4])\s?[:h]\s?(?P<m>[0-5]\d){_AM_PM}?(?!\w)", _from_digits),
        (rf"(?<![\w$€£.,])(?P<h>[01]?\d|2[0-4])\.(?P<m>[0-5]\d){_AM_PM}(?!\w)", _from_digits),
        (rf"(?<![\w$€£.,])(?P<h>{NUMERAL}){_AM_PM}(?!\w)", _from_hour),
        (
            rf"(?<![\w-])(?<!from\s)(?:(?P<m>half|(?:a\s+)?quarter|five|ten|twenty(?:[\s-]five)?|{NUMERAL}(?=\s+minutes?|\s+past))"
            rf"(?:\s+minutes?)?)\s+(?P<side>past|after|to|till|before)\s+(?P<h>{NUMERAL})(?![\w-])",
            _from_words,
        ),
        (r"\b(?:noon|midday|midnight)\b", _noon),
        (rf"(?<!\w)(?:{_CURRENCY})\s?(?P<n>{NUMERAL})(?:\s?[$€£])?", lambda match: _quantity("money", match)),
        (
            rf"(?<![\w.,])(?P<n>{NUMERAL}){_HALF}[\s-]?(?:{_MONEY_WORDS}\b|[$€£¥])",
            lambda match: _quantity("money", match),
        ),
        (rf"(?<![\w.,])(?P<n>{NUMERAL}){_HALF}\s?(?:%|per\s?cent\b)", lambda match: _quantity("percent", match)),
        (r"(?<![\w-])half\s+an?\s+(?P<unit>hour|day|year)\b", _half_duration),
        (r"(?<![\w-])an?\s+(?P<unit>hour|day|week|month|year)\s+and\s+a\s+half\b", _one_and_a_half),
        (
            rf"(?<![\w.,])(?P<n>{NUMERAL}|an?)(?P<half>\s+and\s+a\s+half)?[\s-]+(?P<unit>(?:{_UNIT})s?)\b",
            _duration,
        ),
        (rf"\b(?:{_any(list(_DAYS))})\b", _named("day", _DAYS)),
        (rf"\b(?:{'|'.join(sorted(map(_with_plural, WEEKDAYS), key=len, reverse=True))})\b", _weekday),
        (rf"\b(?:{_MONTH})\b", _month),
        (
            r"(?<![\w#])(?!\d+(?:st|nd|rd|th|s|k|m|am|pm|h)\b)"
            r"(?-i:(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*|[A-Za-z]+\d+[A-Za-z0-9]*)(?![\w#])",
            _identifier,
        ),
        (rf"(?<![\w.,#])(?P<n>{NUMERAL}){_HALF}(?![\w#])", lambda match: _quantity("number", match)),
    )
)
#: Nothing of these is in a text without digits, number words, days or months: most sentences of a chat.
_ANYTHING = re.compile(
    rf"\d|½|\b(?:half\s+an?|an?\s+(?:{_UNIT})|{NUMERAL}|{_any(list(_DAYS))}|noon|midday|midnight|{_MONTH}"
    rf"|{_any(list(WEEKDAYS))})",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def values_of(text: str) -> tuple[Value, ...]:
    """The values of a text in the order of their places; no character belongs to two."""
    if not _ANYTHING.search(text):
        return ()
    taken = bytearray(len(text))
    found: list[Value] = []
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if start == end or any(taken[start:end]):
                continue
            value = read(match)
            if value is not None:
                found.append(value)
                taken[start:end] = b"\1" * (end - start)
    return tuple(sorted(found, key=lambda value: value.start))


def stated(value: Value) -> bool:
    """Whether a value of a summary must come from the dialogue: small counts, "a week" and "today" need not."""
    if value.kind == "day" and value.form == "today":
        return False
    if value.kind == "duration":
        return value.amount != 1
    return not (value.kind == "number" and value.amount is not None and value.amount <= _COUNTED)


def same(first: Value, second: Value) -> bool:
    """Whether two values can be the same one, as people write them."""
    if first.kind == second.kind and first.form == second.form:
        return True
    return any(_matches(*pair) for pair in ((first, second), (second, first)))


def _matches(first: Value, second: Value) -> bool:
    if first.kind == second.kind == "duration" and first.written[-1] % _HALF_YEAR == 0:
        days = first.written[-1] / 360 * 365  # a year is twelve months of 30 days here, and 365 days as well
        return days == second.written[-1] or first.amount == second.amount
    if first.kind in _AMOUNTS and second.kind in _AMOUNTS:
        return first.amount == second.amount
    if first.kind == "clock":
        return second.kind in ("number", "money") and second.amount in first.written
    if first.kind == "date":
        if second.kind in ("number", "month"):
            return second.amount in first.written or first.form.split("-")[0] == second.form
        return (
            second.kind == "date"
            and "/" in first.form
            and set(re.findall(r"\d+", first.form)) == set(re.findall(r"\d+", second.form))
        )
    if first.kind == "phone":
        return second.kind == "number" and second.form == first.form
    return first.kind == "id" and second.kind in ("number", "phone") and second.form == re.sub(r"\D", "", first.form)


def follows(value: Value, given: Sequence[Value]) -> bool:
    """Whether a quantity is the sum, the difference or the product of two quantities of the dialogue."""
    if value.amount is None or value.kind == "percent":
        return False
    amounts = sorted({one.amount for one in given if one.amount})
    if len(amounts) > _MOST_ADDENDS:
        return False
    return any(value.amount in results for results in _results(amounts))


def _results(amounts: Sequence[float]) -> Iterator[tuple[float, ...]]:
    for first, second in combinations(amounts, 2):
        yield first + second, second - first, first * second
    for amount in amounts:
        yield (2 * amount,)


def comparable(first: Value, second: Value) -> bool:
    """Whether one value can stand where the other does: both amounts of money, both times, both days."""
    kinds = {first.kind, second.kind}
    return len(kinds) == 1 or kinds <= {"weekday", "day", "date"} or kinds == {"date", "month"}
