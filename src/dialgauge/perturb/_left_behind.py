"""Whether a sentence can be understood without the one before it: what it points back to must stand in it itself."""

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Literal

from dialgauge.perturb._baseline_order import PRONOUN_FIRST
from dialgauge.perturb._lexicon import people, word_list
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import word_set

_WORD = re.compile(rf"{PLACEHOLDER}|[A-Za-z]+(?:[-.][A-Za-z]+)*(?:['’][a-z]+)?")
_GENDERS = {"he": "masculine", "him": "masculine", "his": "masculine"} | dict.fromkeys(
    ("she", "her", "hers"), "feminine"
)
_PERSONAL = frozenset((*_GENDERS, "they", "their", "theirs"))
#: Stands for somebody who is not the one who does it.
_OBJECTIVE = frozenset({"him", "them"})
_SEVERAL = frozenset({"they", "them", "their", "theirs"})
_TIMES = (
    "morning", "afternoon", "evening", "night", "week", "weekend", "month", "year", "time", "spring", "summer",
    "autumn", "winter",
)  # fmt: skip
_DETERMINERS = frozenset({"a", "an", "the", "this", "my", "our", "your", "his", "her", "their", "some"})
#: *He goes there*, *the cheaper one*, *That is fine*; not *there is*, *one o'clock*.
_POINTING = re.compile(
    r"\bthere\b(?!\s+(?:is|are|was|were|will|has|have|had|may|might)\b|['’])"
    r"|\b(?:[Tt]he|[Aa]n?|[Aa]nother|[Tt]his|[Tt]hat)\s+(?:\w+\s+)?ones?\b"
    r"|\bdo(?:es|ing)?\s+so\b|\bthe\s+same\b|\bfurther\b"
    r"|^(?:This|That|These|Those)(?:['’]|\s+(?:is|are|was|were|will|would|means|makes)\b)"
    r"|\b(?:that|this|these|those)\s*[.,;!?]|\b(?:about|at|by|for|from|in|of|on|to|with)\s+that\b"
    rf"|\b(?:this|these|those)\s+(?!{'|'.join(_TIMES)})\w"
    r"|\b(?:know|(?:dis)?agree[sd]?|accept(?:s|ed)?|refuse[sd]?)\s*[.!]?$",
)
#: A sentence of so few words tells nothing by itself: *Ann is thankful.*
_FEWEST = 4


def points_back(sentence: str) -> Literal["", "person", "thing"]:
    """What a pronoun, or a word like *there*, points to that its own sentence does not name; empty if there is none."""
    words = [match[0] for match in _WORD.finditer(sentence)]
    short = len(words) < _FEWEST and bool(words) and _names_somebody(words[0], words[0].lower(), 0)
    if short or _POINTING.search(sentence):
        return "thing"
    if PRONOUN_FIRST.match(sentence):
        return "thing" if sentence.startswith("It") else "person"
    named: list[tuple[int, str]] = []
    things = several = False
    for place, word in enumerate(words):
        bare = re.sub(r"['’].*", "", word)
        lower = bare.lower()
        following = words[place + 1 : place + 2]
        if lower in _PERSONAL or lower in _OBJECTIVE:
            fitting = _fitting(lower, named)
            apart = any(b - a > 1 and words[b - 1].lower() != "and" for (a, _), (b, _) in pairwise(fitting))
            bound = apart if _is_object(lower, following) else bool(fitting)
            if not (several or len(fitting) > 1 if lower in _SEVERAL else bound) or _stands_alone(lower, following):
                return "person"
        if lower in ("it", "its") and not things:
            return "thing"
        things = things or lower in _DETERMINERS
        several = several or (
            bare.islower() and len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") and things
        )
        if _names_somebody(bare, lower, place) and bare == word:
            named.append((place, bare))
    return ""


def _fitting(pronoun: str, named: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Those named before whom the pronoun may mean by its gender."""
    gender = _GENDERS.get(pronoun)
    return [(place, name) for place, name in named if gender is None or people().gender_of(name) in (None, gender)]


def _stands_alone(pronoun: str, following: Sequence[str]) -> bool:
    """*Ann got hers*, *Bob got his after a month*: what they got is said before."""
    alone = not following or following[0].lower() in word_list("function")
    return pronoun in ("hers", "theirs") or (pronoun == "his" and alone)


def _is_object(pronoun: str, following: Sequence[str]) -> bool:
    """Whether a pronoun cannot be the one who acts: *him*; *her* where no noun follows."""
    alone = not following or following[0].lower() in word_list("function")
    return pronoun in _OBJECTIVE or (pronoun == "her" and alone)


def _names_somebody(word: str, lower: str, place: int) -> bool:
    """Whether a word may name somebody: a placeholder, a name, or a noun like *agent*."""
    if not word[:1].isalpha() or lower in word_set("person"):
        return True
    return word[0].isupper() and (place > 0 or lower not in word_list("function") | word_list("no_name"))


def leaves_pronoun(texts: Sequence[str], gone: Sequence[int]) -> bool:
    """Whether a sentence that stays points back to one that goes."""
    return any(
        place - 1 in gone and place not in gone and _is_lost(texts, place, points_back(text), gone)
        for place, text in enumerate(texts)
    )


def _is_lost(texts: Sequence[str], place: int, pointed: str, gone: Sequence[int]) -> bool:
    """Whether what a sentence points to went with those before it. A person is still there if the sentence before them
    names the only one whom they name."""
    before = max((other for other in range(place) if other not in gone), default=None)
    if pointed != "person" or before is None:
        return bool(pointed)
    named = {name for other in range(before + 1, place) for name in _people_in(texts[other])}
    return len(named) > 1 or not named <= _people_in(texts[before])


def _people_in(sentence: str) -> set[str]:
    """Who may be named; *Ann Holm* is one."""
    words = [re.sub(r"['’].*", "", match[0]) for match in _WORD.finditer(sentence)]
    named = [_names_somebody(word, word.lower(), place) for place, word in enumerate(words)]
    return {
        " ".join(words[i] for i, _ in run)
        for is_name, run in groupby(enumerate(named), key=lambda entry: entry[1])
        if is_name
    }
