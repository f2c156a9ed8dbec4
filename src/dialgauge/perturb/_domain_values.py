"""False values of the same kind: another amount, date, number, name in the form of the one it replaces."""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Literal

from dialgauge.language import NUMBER_WORDS
from dialgauge.perturb._entities import MONTHS, WEEKDAYS
from dialgauge.perturb._entity_names import says_what_it_is
from dialgauge.perturb._lexicon import Gender, people
from dialgauge.perturb._perturbation import Random
from dialgauge.perturb._word_tables import word_map

_WORD_OF = {value: word for word, value in NUMBER_WORDS.items()}
_FACTORS = (0.5, 0.6, 0.75, 0.8, 1.2, 1.25, 1.5, 1.75, 2.0)
#: For what was measured, as a fever of 39.6 was.
_NEAR_FACTORS = (0.9, 0.95, 1.05, 1.1)
#: A count for another is at most so many times larger or smaller: nobody feeds a baby every eight hours.
_MOST = 2
#: Months from one to the next that keep the season.
_MONTHS_APART = 1
_YEAR = re.compile(r"(?:19|20)\d\d")
_FIRST_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


#: An hour for another is the one before or after: it is in the same part of the day, and opening hours hold.
HOURS_APART = 1
#: What whole days are told in.
_HALF_DAY = 12
#: What periods of payment are told in.
_DAYS_OF_MONTH = 30


def invented(
    kind: str, surface: str, rng: Random, gender: Gender | None = None, factor: float | None = None
) -> str | None:
    """Another value of this kind, or None if there is none; ``gender`` is that of the pronouns around a name, and
    ``factor`` by what another value of the kind was multiplied, so that sums still add up."""
    factors = _FACTORS if factor is None else (factor,)
    makers: dict[str, Callable[[str, Random], str | None]] = {
        "money": lambda s, r: _scaled(s, r, factors),
        "percentage": lambda s, r: _scaled(s, r, factors),
        "number": lambda s, r: _scaled(s, r, _NEAR_FACTORS if "." in s else factors),
        "quantity": _other_count,
        "phone": _other_phone,
        "id": _other_digits,
        "email": _other_email,
        "date": _other_date,
        "month": lambda s, r: r.choice(_near_months(s)),
        "weekday": lambda s, r: _other_of(WEEKDAYS, s, r),
        "year": _other_year,
        "time": _other_time,
        "person": lambda s, r: _other_person(s, r, gender),
        "speaker": _other_speaker,
        "organisation": _other_organisation,
        "place": lambda s, r: _other_near(s, r, "towns"),
        "country": lambda s, r: _other_near(s, r, "lands"),
        "slot": _filled_slot,
        "street": lambda s, r: _other_of(people().streets, s, r),
    }
    value = makers[kind](surface, rng) if kind in makers else None
    return value if value and value != surface else None


#: How alike two names of places must be to be one place in two spellings.
_ONE_PLACE = 0.6


def _other_of(options: tuple[str, ...], surface: str, rng: Random) -> str:
    return rng.choice([option for option in options if option.lower() != surface.lower()])


def _other_near(surface: str, rng: Random, table: Literal["towns", "lands"]) -> str | None:
    """Another town of the same country, or another country of the same part of the world; None for one that the table
    does not have."""
    own = surface.replace(" ", "_")
    others = next((sorted(names - {own}) for names in word_map(table).values() if own in names), [])
    # "Cracow" is "Krakow".
    others = [name for name in others if not get_close_matches(name.lower(), [own.lower()], 1, _ONE_PLACE)]
    return rng.choice(others).replace("_", " ") if others else None


def _near_months(month: str) -> list[str]:
    """The months around one, whose weather is nearly the same, in the same year."""
    place = MONTHS.index(month)
    return [name for i, name in enumerate(MONTHS) if 0 < abs(i - place) <= _MONTHS_APART]


def _other_organisation(surface: str, rng: Random) -> str:
    """Another name; what says what kind of place it is stays (*Friendship Hotel* becomes *Heron Hotel*)."""
    name, words = _other_of(people().organisations, surface, rng).split(), surface.split()
    kind = words[-1] if len(words) > 1 and says_what_it_is(words[-1]) else ""
    if len(words) == 1:
        return name[0]  # nobody buys limes at "Redstart Holdings"
    return f"{name[0]} {kind}" if kind else " ".join(name)


def _filled_slot(surface: str, rng: Random) -> str:
    """*phone number* → *number 415-555-0142*; the numbers 555-0100 to 555-0199 are kept free for use in fiction."""
    if surface.lower().startswith(("phone", "telephone", "contact")):
        return f"number {rng.randint(201, 989)}-555-01{rng.randint(0, 99):02d}"
    return f"{surface} {rng.randint(100000, 999999)}"


def _scaled(surface: str, rng: Random, factors: Sequence[float] = _FACTORS) -> str | None:
    """Another number of the same size, with as many decimals, and commas where there were commas."""
    match = _FIRST_NUMBER.search(surface)
    if match is None:
        return None
    digits = match.group()
    if len(digits) > 1 and digits[0] == "0" and digits[1] != ".":
        return None  # "10, 000"
    decimals = len(digits.partition(".")[2])
    value = float(digits.replace(",", ""))
    if _YEAR.fullmatch(digits) and digits == surface and value % 100:
        return _other_year(digits, rng)
    scaled = round(value * rng.choice(factors), decimals)
    step = _step(int(value), surface) if decimals == 0 else 1
    if decimals == 0:
        scaled = float(step * round(scaled / step))
    if scaled == value or not scaled:
        scaled = value + step
    text = (
        f"{scaled:,.{decimals}f}"
        if "," in digits or (surface[0] in "£$€" and value < 1000)
        else f"{scaled:.{decimals}f}"
    )
    return surface[: match.start()] + text + surface[match.end() :]


def _step(value: int, surface: str) -> int:
    """The distance of values that are as round as this one: 5 from 60, 500 from 9,000, half days from 48 hours."""
    if value and value % _HALF_DAY == 0 and "hour" in surface and value > _HALF_DAY:
        return _HALF_DAY
    if value and value % _DAYS_OF_MONTH == 0 and "day" in surface:
        return _DAYS_OF_MONTH
    step = 1
    while value and value % (10 * step) == 0:
        step *= 10
    if value % (5 * step) == 0 and value > 5 * step:
        return 5 * step  # 25, 1,500
    return step // 2 if step > 1 and value < 10 * step else step


def _other_year(surface: str, rng: Random) -> str:
    return str(int(surface) + rng.choice([-7, -5, -4, -3, -2, -1, 1, 2, 3]))


def _other_count(surface: str, rng: Random) -> str | None:
    """``three weeks`` → ``five weeks``; never one, so that the noun keeps its number."""
    if _FIRST_NUMBER.match(surface):
        single = re.match(r"[1-9](?![\d.,])", surface)
        if single is None:
            return _scaled(surface, rng)
        near = [n for n in range(2, 19) if _is_near(n, int(single.group()))]
        return f"{rng.choice(near)}{surface[1:]}"
    match = re.match(r"[A-Za-z]+", surface)
    value = NUMBER_WORDS.get(match.group().lower()) if match else None
    if match is None or value is None:
        return None
    choice = range(2, 13) if value < 20 else range(20, 100, 10)
    options = [n for n in choice if n in _WORD_OF and _is_near(n, value)]
    if not options:
        return None
    word = _WORD_OF[rng.choice(options)]
    return (word.capitalize() if surface[0].isupper() else word) + surface[match.end() :]


def _is_near(number: int, value: int) -> bool:
    return number != value and value <= _MOST * number <= _MOST * _MOST * value


def _other_phone(surface: str, rng: Random) -> str:
    """Another number in the same country and network: with the same first digits."""
    head = re.match(r"\+\d+\W+|\(?0(?:\d*\W+)?", surface)
    kept = head.group() if head else ""
    return kept + _other_digits(surface[len(kept) :], rng)


def _other_digits(surface: str, rng: Random) -> str:
    """The same pattern with other digits; letters stay."""
    while True:
        first = True
        made = ""
        for character in surface:
            if character.isdigit():
                made += str(rng.randint(1 if first else 0, 9))
                first = False
            else:
                made += character
        if made != surface:
            return made


def _other_email(surface: str, rng: Random) -> str:
    table = people()
    return f"{rng.choice(table.feminine).lower()}.{rng.choice(table.surnames).lower()}@{rng.choice(table.email_hosts)}"


def _other_date(surface: str, rng: Random) -> str | None:
    """Another day, and in half of the cases another month."""
    day = re.search(r"\d{1,2}(?!\d)", surface)
    if day is None:
        return None
    number = rng.choice([n for n in range(1, 29) if n != int(day.group())])
    made = surface[: day.start()] + str(number) + surface[day.end() :]
    made = re.sub(r"(\d)(?:st|nd|rd|th)\b", lambda m: m[1] + _ordinal(number), made)
    month = next((name for name in MONTHS if name in made), None)
    return made.replace(month, rng.choice(_near_months(month))) if month and rng.random() < 0.5 else made


def _ordinal(number: int) -> str:
    return "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _other_time(surface: str, rng: Random) -> str:
    hour = re.match(r"\d{1,2}", surface)
    digits = hour.group() if hour else "0"
    if re.search(r"\da|\sa", surface, re.IGNORECASE):
        hours = range(6, 12)  # nobody has an appointment at 2.50 am
    else:
        hours = range(1, 13) if re.search("m", surface, re.IGNORECASE) or int(digits) <= 12 else range(13, 23)
    near = [n for n in hours if 0 < abs(n - int(digits)) <= HOURS_APART]
    number = rng.choice(near or [n for n in hours if n != int(digits)])
    return f"{number}{surface[len(digits) :]}"


def _other_speaker(surface: str, rng: Random) -> str | None:
    """A placeholder with another number: ``#Person2#`` → ``#Person4#``."""
    return re.sub(r"\d+", lambda m: str(int(m.group()) + rng.randint(1, 4)), surface, count=1)


def _other_person(surface: str, rng: Random, told: Gender | None) -> str:
    """Somebody else of the same gender, called in the same way: with title, first name, surname or both."""
    table = people()
    match = re.match(r"(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+", surface)
    title = match.group() if match else ""
    known = {word.lower() for word in surface.split()}
    gender = table.gender_of(surface) or told
    # Somebody who may be a man or a woman becomes somebody who may be either.
    firsts = {"feminine": table.feminine, "masculine": table.masculine}.get(gender or "", table.either)
    first = rng.choice([name for name in firsts if name.lower() not in known])
    surname = rng.choice([name for name in table.surnames if name.lower() not in known])
    words = len(surface[len(title) :].split())
    if title:
        return f"{title}{surname}" if words == 1 else f"{title}{first} {surname}"
    return first if words == 1 else f"{first} {surname}"
