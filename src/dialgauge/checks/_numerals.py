"""Numbers in digits and in English words, and the names of days and months."""

import re

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_UNITS = {word: number for number, word in enumerate(f"{_ONES} seventeen eighteen nineteen".split())}
_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_ORDINALS = {
    word: number
    for number, word in enumerate(
        [
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ],
        4,
    )
}
_ORDINALS |= {"thirtieth": 30}
#: Alone these are seldom numbers ("first of all", "a second"); after tens they are: "twenty first".
_AFTER_TENS = {"first": 1, "second": 2, "third": 3}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_OTHERS = {"dozen": 12.0, "couple": 2.0}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_DIGIT = "|".join(word for word, number in _UNITS.items() if 1 <= number <= 9)
_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{_DIGIT}))?|{_UNIT})"
_SCALE = r"(?:hundred|thousand|million|billion)"
#: Two small numbers in a row ("seven five") are digits of something, not one number.
_WORDS = (
    rf"(?:{_SMALL}|a(?=\s+{_SCALE}))(?:[\s-]+{_SCALE})+(?:[\s-]+(?:and[\s-]+)*{_SMALL}(?:[\s-]+{_SCALE})*)*|{_SMALL}"
)
_DIGITS = r"\d{1,3}(?:[,\s](?=\d{3}(?!\d))\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_SUFFIX = r"(?:\s?(?:k|mln|bn)(?!\w)|\s+(?:hundred|thousand|million|billion)\b|m(?!\w))?"
_LATER = "|".join((*_AFTER_TENS, *(word for word, number in _ORDINALS.items() if number < 10)))
#: A number in digits or words, without any group.
NUMERAL = (
    rf"(?:(?:{_DIGITS}){_SUFFIX}(?:(?<=\d)(?:th|st|nd|rd|s)\b)?|\b(?:{'|'.join(_TENS)})[\s-](?:{_LATER})\b"
    rf"|\b(?:{_WORDS})\b"
    rf"|\b(?:{'|'.join(_ORDINALS)})\b|\b(?:a\s+)?(?:dozen|couple)\b)"
)
_NUMBER = re.compile(rf"(?P<digits>{_DIGITS})\s*(?P<scale>[a-z]*)", re.IGNORECASE)
_MULTIPLES = {"k": 1e3, "m": 1e6, "mln": 1e6, "bn": 1e9, **_SCALES}

WEEKDAYS = {
    short: full
    for full, shorts in (
        ("monday", "mon"),
        ("tuesday", "tue tues"),
        ("wednesday", "wed weds"),
        ("thursday", "thu thur thurs"),
        ("friday", "fri"),
        ("saturday", "sat"),
        ("sunday", "sun"),
    )
    for short in (full, *shorts.split())
}
MONTHS = {
    form: number
    for number, forms in enumerate(
        [
            "january,jan",
            "february,feb",
            "march,mar",
            "april,apr",
            "may",
            "june,jun",
            "july,jul",
            "august,aug",
            "september,sept,sep",
            "october,oct",
            "november,nov",
            "december,dec",
        ],
        1,
    )
    for form in forms.split(",")
}


#: Words after which a speaker says a part anew, and the mark that stands for them.
_CORRECTING = frozenset(("no", "sorry", "rather", "correction", "actually", "wait"))
_CORRECTED = re.compile(r"([a-z0-9]+)\s*~[\s~]*([a-z0-9]+)")


def is_read_out(code: str, spoken: str) -> bool:
    """Whether a code is read out in what :func:`spoken_digits` found, also if its last part was corrected."""
    return code in spoken.replace("~", " ") or any(
        code == first[:kept] + second for first, second in _CORRECTED.findall(spoken) for kept in range(len(first))
    )


def spoken_digits(text: str) -> str:
    """What is spelt or read out in a text ("P F two seven seventy-four" is ``pf2774``).

    Other words are spaces, and those that correct ("four five six, no, it's 4-5-7") are a ``~``.
    """
    found: list[str] = []
    after_tens = False
    for word in re.findall(r"[a-z]+(?:['’][a-z]+)*|\d+", text.lower()):
        digit = _UNITS.get(word)
        if after_tens and digit is not None and 1 <= digit <= 9:
            found[-1] = found[-1][:-1] + str(digit)
        elif digit is not None or word in _TENS:
            found.append(str(_TENS.get(word, digit)))
        elif len(word) == 1 or word.isdigit():
            found.append(word)
        elif word in ("oh", "zero"):
            found.append("0")
        elif word not in ("uh", "um", "er", "and", "dash", "hyphen", "dot"):
            found.append("~" if word in _CORRECTING else " ")
        after_tens = word in _TENS
    return "".join(found)


def read_numeral(text: str) -> float | None:
    """The number that a text in digits or words means; None if it means none."""
    lower = text.strip().lower()
    match = _NUMBER.match(lower)
    if match:
        return _digits(match["digits"]) * _MULTIPLES.get(match["scale"], 1)
    words = re.findall(r"[a-z]+", lower)
    if len(words) <= 2 and words and words[-1] in _OTHERS:
        return _OTHERS[words[-1]]
    return _words(words)


def _digits(text: str) -> float:
    compact = re.sub(r"\s", "", text)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", compact):
        return float(compact.replace(",", ""))
    return float(compact.replace(",", "."))


def _words(words: list[str]) -> float | None:
    total = current = 0.0
    known = False
    for before, word in zip(["", *words], words, strict=False):
        if word in _UNITS or word in _TENS or word in _ORDINALS:
            current += _UNITS.get(word) or _TENS.get(word) or _ORDINALS.get(word) or 0
            known = True
        elif word in _AFTER_TENS and before in _TENS:
            current += _AFTER_TENS[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total += (current or 1) * _SCALES[word]
            current, known = 0.0, True
        elif word not in ("and", "a"):
            return None
    return total + current if known or current else None
