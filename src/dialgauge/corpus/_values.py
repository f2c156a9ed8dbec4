"""What the cells of a column of judgements mean: numbers, yes and no, the words of a scale, or nothing given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

#: Cells that say that no judgement was given, in lower case.
NOT_GIVEN = frozenset(
    {
        *(
            "",
            "na",
            "n/a",
            "n.a.",
            "n.a",
            "n. a.",
            "#n/a",
            "<na>",
            "-",
            "–",
            "—",
            "--",
            "null",
            "none",
            "nil",
            "missing",
        ),
        *("unsure", "not sure", "i'm not sure", "don't know", "dont know", "do not know", "i don't know", "idk"),
        *("skip", "skipped", "no answer", "not given", "not applicable", "can't tell", "cannot tell", "cannot say"),
        *("can't say", "k. a.", "k.a.", "weiß nicht", "ne sait pas", "not rated", "unrated", "undefined"),
    }
)
#: Words for yes and for no that may be mixed, and pairs that stand alone.
_YES_NO: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (
        frozenset({"yes", "y", "true", "t", "1", "1.0", "ja", "oui", "sí", "si", "sim", "✓", "是"}),
        frozenset({"no", "n", "false", "f", "0", "0.0", "nein", "non", "não", "✗", "否"}),
    ),
    *(
        (frozenset({yes}), frozenset(no.split("|")))
        for yes, no in (
            ("consistent", "inconsistent|not consistent"),
            ("correct", "incorrect|wrong|not correct"),
            ("factual", "non-factual|nonfactual|non factual|not factual|unfactual"),
            ("faithful", "unfaithful|not faithful"),
            ("accurate", "inaccurate|not accurate"),
            ("supported", "unsupported|not supported|not_supported|refuted"),
            ("grounded", "ungrounded|not grounded|hallucinated"),
            ("relevant", "irrelevant|not relevant"),
            ("coherent", "incoherent|not coherent"),
            ("fluent", "not fluent|disfluent"),
            ("acceptable", "unacceptable|not acceptable"),
            ("valid", "invalid"),
            ("pass", "fail"),
            ("passed", "failed"),
            ("entailment", "non-entailment|not_entailment|contradiction"),
            ("right", "wrong"),
            ("complete", "incomplete"),
            ("accept", "reject"),
            ("present", "absent"),
        )
    ),
)
#: Scales in words, the lowest first; the words of one point are separated by bars.
_SCALES: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split(" / "))
    for line in (
        "low / medium|moderate|middle / high",
        "bad|poor / ok|okay|average|fair|acceptable|medium / good",
        "poor|bad / fair / good / excellent",
        "very poor|very bad|terrible|awful / poor|bad / fair|average|acceptable|neutral|ok|okay|moderate|medium"
        " / good / very good|excellent|great|perfect",
        "poor|bad / fair / good / very good / excellent",
        "very low / low / medium|moderate|neutral / high / very high",
        "strongly disagree|fully disagree|totally disagree|completely disagree / disagree"
        " / neutral|neither agree nor disagree|neither|undecided / agree"
        " / strongly agree|fully agree|totally agree|completely agree",
        "strongly disagree / disagree / somewhat disagree|slightly disagree / neutral|neither agree nor disagree"
        " / somewhat agree|slightly agree / agree / strongly agree",
        "not at all / slightly|a little|a little bit / moderately|somewhat / very|quite|very much|quite a bit"
        " / extremely|completely|entirely|fully",
        "never / rarely|seldom / sometimes|occasionally / often|frequently|usually / always",
        "very dissatisfied / dissatisfied / neutral / satisfied / very satisfied",
        "very unlikely / unlikely / neutral / likely / very likely",
        "extremely bad / very bad / bad / acceptable|fair|neutral / good / very good / extremely good",
        "not / partially|partly / fully|completely",
        "none / some / most / all",
        "sehr schlecht / schlecht / mittel|mittelmäßig|befriedigend|neutral / gut / sehr gut",
        "stimme gar nicht zu|stimme überhaupt nicht zu / stimme nicht zu|stimme eher nicht zu / teils teils|neutral"
        " / stimme zu|stimme eher zu / stimme voll zu|stimme voll und ganz zu",
        "très mauvais / mauvais / moyen|passable / bon / très bon|excellent",
        "pas du tout d'accord / pas d'accord / neutre|ni d'accord ni pas d'accord / d'accord / tout à fait d'accord",
        "muy malo|muy mala / malo|mala / regular / bueno|buena / muy bueno|muy buena|excelente",
    )
)
#: Every word of a pair or scale: most texts of a table are none of them, and need not be compared with each.
_OF_PAIRS = frozenset(word for pair in _YES_NO for words in pair for word in words)
_OF_SCALES = frozenset(word for scale in _SCALES for point in scale for word in point.split("|"))
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
#: "4 - good", "4: good", "4 (good)", "4/5", "4 out of 5", "4 stars", "80 %": the number is the answer.
_LEADING = re.compile(
    r"([+-]?\d+(?:\.\d+)?)\s*(?:[-–:=.)]\s*[^\W\d].*|\([^)]*\)|/\s*\d+|(?:out )?of \d+|stars?|points?|%)",
    re.IGNORECASE,
)
#: "Agree (4)": the number behind the words.
_TRAILING = re.compile(r"[^\d()]+\(\s*([+-]?\d+(?:\.\d+)?)\s*\)")
#: "★★★☆☆": as many as are filled.
_STARS = re.compile(r"([★⭐🟊✭]+\ufe0f?)[☆✩]*")

Kind = Literal["number", "yes/no", "ordered", "names", "unreadable"]
#: A column holds judgements if at least this share of its filled cells can be read.
MOSTLY = 0.9


@dataclass(frozen=True, slots=True)
class Reading:
    """How the texts of a column are read. ``values`` has every text that can be; ``not_given`` counts the words for it.

    ``share`` is the part of the given cells that can be read, ``nearly`` that with numbers that have a decimal comma;
    ``labels`` name the points of a scale in words.
    """

    kind: Kind
    values: Mapping[str, float]
    not_given: Mapping[str, int]
    share: float
    labels: tuple[str, ...] = ()
    scale: str | None = None
    commas: bool = False
    given: int = 0
    distinct: int = 0
    nearly: float = 0.0


def read_values(counts: Mapping[str, int], *, commas: bool = True, order: tuple[str, ...] = ()) -> Reading:
    """What these texts mean, each with how often it occurs.

    ``commas`` allows decimal commas where every number has one; ``order`` gives the words of a scale from the lowest.
    """
    plain = {text: " ".join(text.lower().split()) for text in counts}
    wanted = {word.strip().lower() for word in order}
    skipped = {text: n for text, n in counts.items() if plain[text] in NOT_GIVEN and plain[text] not in wanted}
    given = {text: plain[text] for text in counts if text not in skipped}
    total = sum(counts[text] for text in given)
    said = {text.strip(): n for text, n in skipped.items() if text.strip()}

    def reading(kind: Kind, values: Mapping[str, float], **more: object) -> Reading:
        share = sum(counts[text] for text in values) / total if total else 0.0
        commas = {text for text, word in given.items() if kind == "number" and _DECIMAL_COMMA.fullmatch(word)}
        nearly = sum(counts[text] for text in {*values, *commas}) / total if total else 0.0
        distinct = len(set(given.values()))
        return Reading(kind, values, said, share, given=total, distinct=distinct, nearly=nearly, **more)  # type: ignore[arg-type]

    if order:
        places = {word.strip().lower(): place for place, word in enumerate(order, start=1)}
        known = {text: float(places[word]) for text, word in given.items() if word in places}
        return reading("ordered", known, labels=order, scale=f"1-{len(order)}")
    numbers, with_commas = _numbers(given, commas)
    found = [
        reading("number", numbers, commas=with_commas),
        reading("yes/no", _yes_no(given), scale="yes/no"),
        _ordered(given, reading),
    ]
    # A column of 0 and 1 is one of numbers; the words of a scale only win where they explain more.
    best = max(found, key=lambda one: (one.share, one.nearly))
    if best.nearly > 0:
        return best
    return Reading("unreadable", {}, said, 0.0, given=total, distinct=len(set(given.values())))


def read_names(counts: Mapping[str, int]) -> Reading:
    """The texts as names of classes without an order: 1, 2, 3 … in alphabetical order."""
    given = {text: text.strip() for text in counts if text.strip().lower() not in NOT_GIVEN}
    labels = tuple(sorted(set(given.values())))
    places = {label: float(place) for place, label in enumerate(labels, start=1)}
    said = {text.strip(): n for text, n in counts.items() if text not in given and text.strip()}
    total = sum(counts[text] for text in given)
    values = {text: places[label] for text, label in given.items()}
    return Reading("names", values, said, 1.0, labels, f"1-{len(labels)}", given=total, distinct=len(labels))


def as_number(text: str) -> float | None:
    """The number that a text is, or starts with as an answer does (``4 - good``); None for anything else."""
    try:
        return float(text)
    except ValueError:
        found = _LEADING.fullmatch(text) or _TRAILING.fullmatch(text)
        if found:
            return float(found[1])
        stars = _STARS.fullmatch(text)
        return float(len(stars[1].rstrip("\ufe0f"))) if stars else None


def _numbers(given: Mapping[str, str], commas: bool) -> tuple[dict[str, float], bool]:
    plain = {text: number for text, word in given.items() if (number := as_number(word)) is not None}
    if not commas:
        return plain, False
    turned = {text: float(word.replace(",", ".")) for text, word in given.items() if _DECIMAL_COMMA.fullmatch(word)}
    # Only where every cell is a number that way: "2,5" among points may be two answers.
    if turned and len(turned) + len(plain) == len(given) and not any("." in given[text] for text in plain):
        return plain | turned, True
    return plain, False


def _yes_no(given: Mapping[str, str]) -> dict[str, float]:
    found: list[dict[str, float]] = []
    given = {text: word for text, word in given.items() if word in _OF_PAIRS}
    for yes, no in _YES_NO:
        found.append({text: 1.0 if word in yes else 0.0 for text, word in given.items() if word in yes or word in no})
    return max(found, key=len)


def _ordered(given: Mapping[str, str], reading: object) -> Reading:
    best: dict[str, float] = {}
    chosen: tuple[str, ...] = ()
    given = {text: word for text, word in given.items() if word in _OF_SCALES}
    for scale in sorted(_SCALES, key=len):
        places = {word: float(place) for place, point in enumerate(scale, start=1) for word in point.split("|")}
        known = {text: places[word] for text, word in given.items() if word in places}
        if len(known) > len(best):
            best, chosen = known, scale
    labels = tuple(point.split("|")[0] for point in chosen)
    return reading("ordered", best, labels=labels, scale=f"1-{len(labels)}" if labels else None)  # type: ignore[operator,no-any-return]
