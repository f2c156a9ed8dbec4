"""Whether a false value makes sense beside the others of a summary: prices, days and hours keep their order."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._domain_values import HOURS_APART
from dialgauge.perturb._entities import MONTHS, WEEKDAYS, EntityGroup
from dialgauge.perturb._parse import Parsed

#: Kinds of values that stand before or after one another.
ORDERED = frozenset(["date", "money", "month", "number", "percentage", "quantity", "time", "weekday", "year"])
_HOUR = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?:\s?(?P<half>[aApP])\.?[mM])?(?!\w)")
#: What stands before an hour without its minutes.
_CLOCK = re.compile(r"\b(?:at|around|about|after|before|by|till|until) $")
#: A number said of something else may be so many times larger or smaller; one that was measured much less.
_MAGNITUDE, _MEASURED = 2, 1.25
_SCALED = frozenset(["money", "number", "percentage", "quantity"])
#: Numbers from here on may be parts of one another.
_LARGE = 10
#: Hours of a day in which something can be done.
_AWAKE = 16
#: Years that hardly change what is told of them.
_YEARS_APART = 3
#: Kinds of which no two of a text are the same number.
_NUMBERS = frozenset(["number", "percentage", "quantity"])
#: The hours (of twelve) that a sentence can mean where it names a part of the day.
_PARTS_OF_DAY = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), frozenset(hours))
    for words, hours in (
        ("tonight|evenings?|nights?|dinner|party|film|movie|concert", (5, 6, 7, 8, 9, 10, 11)),
        ("mornings?|breakfast", (6, 7, 8, 9, 10, 11)),
        ("afternoons?", (12, 1, 2, 3, 4, 5, 6)),
        ("lunch|noon", (11, 12, 1, 2)),
    )
)
_DAYS = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b")
_TODAY = re.compile(r"\b(?:today|tomorrow|tonight|weekends?|yesterday)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Values:
    """The entities of a text, and what those that were looked at became (``given``, by surface)."""

    parsed: Parsed
    groups: Sequence[EntityGroup]
    given: dict[str, str] = field(default_factory=dict)

    @property
    def taken(self) -> set[str]:
        """All values in lower case, old and new."""
        return {group.surface.lower() for group in self.groups} | {new.lower() for new in self.given.values()}

    def factor(self, group: EntityGroup) -> float | None:
        """By what the first price (or larger number) of a text was multiplied, and so the others have to be: *gets 32
        of 64 back*."""
        alike = [one for one in self.groups if one.kind == group.kind and one.surface in self.given]
        before = next((one.surface for one in alike if self._is_amount(one)), None)
        if before is None or not self._is_amount(group):
            return None
        return _amount(self.given[before]) / _amount(before)

    def _is_amount(self, group: EntityGroup) -> bool:
        large = group.kind == "number" and _amount(group.surface) >= _LARGE and not _tells_time(group, self)
        return group.kind == "money" or (large and "." not in group.surface)


def keeps_order(value: str, group: EntityGroup, values: Values) -> bool:
    """Whether an amount, a day or an hour stays above and below those that it stood above and below: *a quote of £500
    instead of £300, cut to £400* and *lands on Friday and gets there on Thursday* make no sense in another order."""
    if group.kind not in ORDERED:
        return True
    if not _fits_its_words(value, group, values.parsed.text):
        return False
    told = _tells_time(group, values)
    others = [one for one in values.groups if one is not group and _compared(one, group, values)]
    halved = told and not all(_has_half(one.surface) for one in (group, *others))
    named = group.kind == "date" and all(any(m in one.surface for m in MONTHS) for one in (group, *others))
    read = partial(_hours, halved=halved) if told else partial(_amount, whole=named or group.kind != "date")
    old, new = read(group.surface), read(value)
    if told and (new % 12 == old % 12 or not new < 24 or (group.kind == "number" and not _amount(value) < 13)):
        return False  # "14:30 PM" is 2:30, and "30 pm" nothing
    if told and not _fits_the_day(old, new, group, values.parsed):
        return False
    if halved and others and value.startswith("12"):
        return False  # "starts at 9, and she comes at 12:15"
    for other in others:
        before, after = read(other.surface), read(values.given.get(other.surface, other.surface))
        if before != old and any((new - one) * (old - before) <= 0 for one in (before, after)):
            return False
        if told and after not in (before, before + new - old):
            return False  # "meet at 5 as the film starts at 8", for 6 and 7
    return True


def start_of(group: EntityGroup) -> int:
    """Where an entity is named first."""
    return group.spans[0][0]


def _fits_the_day(old: float, new: float, group: EntityGroup, parsed: Parsed) -> bool:
    """Whether an hour is near the old one, and in the part of the day that its sentence names (*tonight at 7*)."""
    if not abs(new - old) <= HOURS_APART:  # nor where one is no hour
        return False
    sentence = parsed.text[slice(*parsed.sentences[parsed.sentence_of(start_of(group))])]
    hours = [hours for words, hours in _PARTS_OF_DAY if words.search(sentence)]
    before, after = (int(hour) % 12 or 12 for hour in (old, new))
    return all(after in some for some in hours if before in some)


def _compared(one: EntityGroup, other: EntityGroup, values: Values) -> bool:
    """Whether two values stand on one scale; an hour without minutes is a number."""
    told = _tells_time(one, values)
    return told if _tells_time(other, values) else one.kind == other.kind and not told


def _tells_time(group: EntityGroup, values: Values) -> bool:
    """Whether a value is an hour: *at 7:30*, *at 9*."""
    hour = group.kind == "number" and _CLOCK.search(values.parsed.text[: group.spans[0][0]]) is not None
    return group.kind == "time" or (hour and 1 <= _amount(group.surface) <= 12)


def _has_half(surface: str) -> bool:
    found = _HOUR.match(surface)
    return found is not None and found["half"] is not None


def _hours(surface: str, *, halved: bool) -> float:
    """The hour of a time, with its minutes; those of the afternoon come later, unless only ``halved`` days are told
    (*at 7:30 … at 8:30 PM*)."""
    clock = _HOUR.match(surface)
    if clock is None or int(clock["hour"]) > 24:
        return math.nan
    later = 12 if clock["half"] in ("p", "P") and int(clock["hour"]) < 12 else 0
    hours = int(clock["hour"]) + later + int(clock["minute"] or 0) / 60
    return hours % 12 if halved else hours


def _fits_its_words(value: str, group: EntityGroup, text: str) -> bool:
    """Whether a value goes with the noun after it and with the rest of the text."""
    old, new = _amount(group.surface), _amount(value)
    counted = group.kind == "quantity" or re.match(r"\s[a-z]", text[group.spans[0][1] :]) is not None
    start, end = group.spans[0]
    titled = group.kind == "number" and (
        re.match(r"\s[A-Z][a-z]|,\s\d", text[end:]) is not None or re.search(r"\d,\s$", text[:start]) is not None
    )
    if (
        titled
        or re.search(r"\d,\d{1,2}(?!\d)", group.surface)
        or (group.kind in ("number", "quantity") and counted and 1 in (old, new))
    ):
        return False  # "50 Shades", "2, 500", "4,2", "for 1 years", "3 bathroom"
    most = _MEASURED if "." in group.surface and group.kind == "number" else _MAGNITUDE
    if group.kind in _SCALED and not old / most <= new <= old * most:
        return False  # "4 yuan" for 1,000, a fever of 7.5
    if group.kind == "quantity" and "hour" in group.surface and old <= _AWAKE < new:
        return False  # "had worked for 21 hours", for 14
    if group.kind == "year" and abs(new - old) > _YEARS_APART:
        return False
    if group.kind in _NUMBERS and new in map(_amount, re.findall(r"\d[\d,]*(?:\.\d+)?", text)):
        return False
    month = next((name for name in MONTHS if name in group.surface), None)
    if group.kind == "date" and month is not None and text.count(month) > 1 and month not in value:
        return False  # "comes on March 11th and leaves on March 13th"
    if group.kind == "percentage" and old <= 100 < new:
        return False
    if group.kind == "month" and re.search(rf"\b{value}\b", text):
        return False  # "July is booked up, but in August …"
    if group.kind == "weekday" and abs(new - old) > 1 and len({*_DAYS.findall(text)}) > 1:
        return False  # "is back on Monday, while she leaves on Sunday", which is the day before
    weekend = WEEKDAYS[5:]
    return group.kind != "weekday" or (
        (value in weekend) == (group.surface in weekend)  # no classes on a Saturday
        and (value in weekend or not _TODAY.search(text))  # "a romantic weekend; on Friday …"
    )


def _amount(surface: str, *, whole: bool = True) -> float:
    """The number in a value, in digits or words, or the place of a day in its week or year (in its month, where no
    ``whole`` date is told); not a number where it has none."""
    if surface in WEEKDAYS:
        return WEEKDAYS.index(surface)
    if surface in MONTHS:
        return MONTHS.index(surface)
    month = next((place for place, name in enumerate(MONTHS) if name in surface), None)
    if month is not None:
        day = re.search(r"\d{1,2}(?!\d)", surface)
        return 31.0 * month * whole + float(day.group()) if day else math.nan
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", surface)
    if digits:
        return float(digits.group().replace(",", ""))
    words = [NUMBER_WORDS[word] for word in re.split(r"[\s-]", surface.lower()) if word in NUMBER_WORDS]
    return float(sum(words)) if words else math.nan
