"""Values that cannot change alone, because other words of the text tell what they are."""

import re
from itertools import permutations

from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._entities import MONTHS, WEEKDAYS, EntityGroup
from dialgauge.perturb._value_order import Values

#: What joins two values of a row (*the 8th and 9th of March*, *exercises 7&8*, *on Monday or on Tuesday*).
_JOINT = re.compile(r"\s?(?:&|/|,|,? and|,? or)\s?(?:(?:at|in|on|the|about|around)\s)*")
_AMOUNTS = frozenset(["money", "number", "quantity"])
#: Kinds of which a row is one after the other.
_IN_A_ROW = frozenset(["date", "month", "number", "time", "weekday", "year"])
_RATE = re.compile(r"\b(?:per|each|every|means)\s$")
#: A capital that does not begin a sentence.
_TITLE = re.compile(r"(?<=\w )([A-Z]\w*)\s$")
_ARTICLE = re.compile(r"\b(?:[Tt]he|an?|this|that|his|her|their|its|my)\s(?:[a-z]+\s)?$")
_FEAST = re.compile(r"\b(?:Christmas|Easter|Halloween|Thanksgiving|[A-Z]\w+(?:['’]s)? (?:Day|Eve|Festival))\b")
_NOON = 12
#: Fewer people than that are not counted by the way.
_COUNTED = 2


def is_tied(group: EntityGroup, values: Values) -> bool:
    """Whether a value goes with others, which would contradict another one."""
    before = values.parsed.text[: group.spans[0][0]]
    if group.kind in ("date", "month") and _FEAST.search(values.parsed.text):
        return True  # "a date for Valentine's Day on the 15th"
    if group.kind in _IN_A_ROW and (_is_in_row(group, values) or _is_of_two_clocks(group, values)):
        return True
    if group.kind in _AMOUNTS and (_RATE.search(before) or _is_sum(group, values) or _counts_people(group, values)):
        return True  # "800 yuan per $100", "24 in a year, which means 2 books a month"
    if group.kind == "quantity" and re.search(r"\w-[a-z]|\b24 hours", group.surface):
        return True  # "her twenty-week scan", "open for 24 hours"
    if group.kind == "number" and _is_of_its_place(group, values):
        return True
    if group.kind == "number":
        title = _TITLE.search(before)
        return title is not None and title[1] not in (*MONTHS, *WEEKDAYS)  # "Dark Souls 3"
    return group.kind == "term" and _is_told_by_others(group, values)


def _is_of_its_place(group: EntityGroup, values: Values) -> bool:
    """A bare number that is one of its text alone: a year that is named again, an hour among hours (*Monday 10am,
    Wednesday 10*), a number among percentages."""
    text, amount = values.parsed.text, _digits(group)
    named_again = re.fullmatch(r"(?:19|20)\d\d", group.surface) is not None and text.count(group.surface) > 1
    hour = amount is not None and amount <= _NOON and any(one.kind == "time" for one in values.groups)
    return named_again or hour or re.search(r"%|\bper ?cent", text) is not None


def _is_in_row(group: EntityGroup, values: Values) -> bool:
    text = values.parsed.text
    others = [span for one in values.groups if one is not group and one.kind == group.kind for span in one.spans]
    return any(
        _JOINT.fullmatch(text, min(end, other_end), max(start, other_start))
        for start, end in group.spans
        for other_start, other_end in others
    )


def _is_of_two_clocks(group: EntityGroup, values: Values) -> bool:
    """*Waits at 6.00, arrives at 17:15*: it is not told which half of the day an hour is of."""
    times = [one.surface for one in values.groups if one.kind == group.kind == "time"]
    whole = [time for time in times if not re.search(r"[ap]\.?m", time, re.IGNORECASE)]
    late = [int(time[:2]) > _NOON for time in whole if time[:2].isdigit()]
    return bool(late) and any(late) and len(times) > sum(late)


def _is_sum(group: EntityGroup, values: Values) -> bool:
    """*The bill of 212 … he pays 60, and the others 76 each*."""
    known = {_digits(one) for one in values.groups if one.kind in ("money", "number")}
    known |= {float(NUMBER_WORDS[word]) for word in values.parsed.text.lower().split() if word in NUMBER_WORDS}
    pairs = permutations((amount for amount in known - {None, _digits(group)} if amount is not None), 2)
    return any(_digits(group) in (a + b, a - b, a * b, a + 2 * b) for a, b in pairs)


def _digits(group: EntityGroup) -> float | None:
    found = re.search(r"\d[\d,]*(?:\.\d+)?", group.surface)
    return float(found.group().replace(",", "")) if found else None


def _counts_people(group: EntityGroup, values: Values) -> bool:
    """*Buys 5 tickets* for the five who are named."""
    amount = _digits(group) or NUMBER_WORDS.get(group.surface.split()[0].lower(), 0)
    named = sum(one.kind in ("person", "speaker") for one in values.groups)
    return amount > _COUNTED and amount in (named - 1, named)


def _is_told_by_others(group: EntityGroup, values: Values) -> bool:
    """Whether a noun is one of several that tell what it is (*a scan … at the imaging centre*), or stands without an
    article (*Friday's deposit*, *two accounts*), so that another one would hardly fit."""
    others = any(one.kind == "term" and one.slot != group.slot for one in values.groups)
    return others or not _ARTICLE.search(values.parsed.text[: group.spans[0][0]])
