"""Times as files write them: ISO, seconds or milliseconds since 1970, crowd platforms, spreadsheets."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

_ZONES = {
    "UTC": 0,
    "GMT": 0,
    "Z": 0,
    "WET": 0,
    "BST": 1,
    "CET": 1,
    "CEST": 2,
    "EET": 2,
    "EEST": 3,
    "IST": 5.5,
    "JST": 9,
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
}
#: "Sat Nov 14 08:39:10 PST 2026", as Mechanical Turk and Java write it.
_JAVA = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{1,2}) (\d{2}:\d{2}:\d{2}) ([A-Z]{1,4}) (\d{4})")
#: "2026/11/14 8:28:05 PM GMT+1", as forms write it.
_FORM = re.compile(
    r"(\d{4})/(\d{1,2})/(\d{1,2}) (\d{1,2}):(\d{2}):(\d{2}) ?([AaPp])[Mm] GMT(?:([+-]\d{1,2})(?::(\d{2}))?)?"
)
#: "14/11/2026 8:28 PM", "11/14/2026 20:28:05", "14.11.2026".
_SLASHED = re.compile(
    r"(\d{1,2})[/.\-](\d{1,2})[/.\-](\d{4}|\d{2})(?:[ ,T]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([AaPp][Mm])?)?"
)
_FIRST, _LAST = 10**8, 10**10


def day_first(texts: Iterable[str]) -> bool | None:
    """Whether the times of a column write the day before the month; None where none tells, or they differ."""
    found = set()
    for text in texts:
        at = _SLASHED.fullmatch(text.strip())
        if at and (int(at[1]) > 12) != (int(at[2]) > 12):
            found.add(int(at[1]) > 12)
    return found.pop() if len(found) == 1 else None


def parse_time(text: str, first: bool | None = None) -> datetime | None:
    """A time as UTC without a zone, as the corpus keeps it; None for a text that is not understood or ambiguous.

    ``first`` says whether the day comes before the month where the text alone does not.
    """
    text = text.strip()
    try:
        return _plain(datetime.fromisoformat(text))
    except ValueError:
        pass
    for read in (_epoch, _java, _form, lambda given: _slashed(given, first), _worded):
        found = read(text)
        if found is not None:
            return found
    return None


def _plain(time: datetime) -> datetime:
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def _epoch(text: str) -> datetime | None:
    if not re.fullmatch(r"\d{9,16}(\.\d+)?", text):
        return None
    seconds = float(text)
    for _ in range(2):
        if seconds >= _LAST:
            seconds /= 1000
    if not _FIRST <= seconds < _LAST:
        return None
    return _plain(datetime.fromtimestamp(seconds, UTC))


def is_epoch(text: str) -> bool:
    """Whether a number is one of seconds or milliseconds since 1970, in a year of this century."""
    found = _epoch(text) if re.fullmatch(r"1\d{9}(?:\d{3})?(?:\.\d+)?", text.strip()) else None
    return found is not None and found.year > 2000


def _java(text: str) -> datetime | None:
    found = _JAVA.fullmatch(text)
    if not found or found[4] not in _ZONES:
        return None
    zone = timezone(timedelta(hours=_ZONES[found[4]]))
    try:
        time = datetime.strptime(f"{found[1]} {found[2]} {found[5]} {found[3]}", "%b %d %Y %H:%M:%S")
    except ValueError:
        return None
    return _plain(time.replace(tzinfo=zone))


def _form(text: str) -> datetime | None:
    found = _FORM.fullmatch(text)
    if not found:
        return None
    zone = timezone(timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0)))
    hour = int(found[4]) % 12 + (12 if found[7].lower() == "p" else 0)
    try:
        time = datetime(int(found[1]), int(found[2]), int(found[3]), hour, int(found[5]), int(found[6]))
    except ValueError:
        return None
    return _plain(time.replace(tzinfo=zone))


def _worded(text: str) -> datetime | None:
    """ "14 Nov 2026 10:00", "November 14, 2026 3:05 PM"."""
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|,", "", text)
    for day in ("%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y", "%d-%b-%Y", "%d-%b-%y", "%d %b %y"):
        for clock in ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p"):
            try:
                return datetime.strptime(plain, day + clock)
            except ValueError:
                continue
    return None


def _slashed(text: str, day_before: bool | None) -> datetime | None:
    """Day and month only where it is clear which is which: one above twelve, both the same, or points between."""
    found = _SLASHED.fullmatch(text)
    if not found:
        return None
    first, second, year = int(found[1]), int(found[2]), int(found[3])
    if first <= 12 and second <= 12 and first != second:
        if day_before is None and "." not in text.split()[0]:
            return None
        day_before = True if day_before is None else day_before
        day, month = (first, second) if day_before else (second, first)
    else:
        day, month = (first, second) if first > 12 else (second, first)
    year += 2000 if year < 100 else 0
    hour, minute, second_ = (int(found[place] or 0) for place in (4, 5, 6))
    if found[7]:
        hour = hour % 12 + (12 if found[7].lower() == "pm" else 0)
    try:
        return datetime(year, month, day, hour, minute, second_)
    except ValueError:
        return None
