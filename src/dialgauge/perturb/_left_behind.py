"""Whether a sentence can be understood without the one before it: what it points back to must stand in it itself."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Literal

from dialgauge.perturb._lexicon import people, word_list
from dialgauge.perturb._people import is_first_name, is_person_word
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import supersense, word_set

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
_AUXILIARY = "is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must|might|may"
#: *He goes there*, *the cheaper one*, *That is fine*; not *there is*, *one o'clock*.
_POINTING = re.compile(
    r"\bthere\b(?!\s+(?:is|are|was|were|will|has|have|had|may|might)\b|['’])"
    r"|\b(?:[Tt]he|[Aa]n?|[Aa]nother|[Tt]his|[Tt]hat)\s+(?:\w+\s+)?ones?\b"
    r"|\b(?:did|done|do(?:es|ing)?)\s+so\b|\bthe\s+same\b|\bfurther\b"
    r"|\b(?:believes?|says?|thinks?) that(?:['’]s| is| was)\b"
    r"|^(?:This|That|These|Those)(?:['’]|\s+(?:is|are|was|were|will|would|means|makes)\b)"
    # "The first is too early", "Ann gets two."
    r"|\b[Tt]he (?:first|second|third|last)\s+(?:is|was|will|would|has|had|one)\b"
    r"|\b(?:one|two|three|four|five|six|some|any|none|many|more|most)\s*[.;!?]"
    r"|\b(?:that|this|these|those)\s*[.,;!?]|\b(?:about|at|by|for|from|in|of|on|to|with)\s+that\b"
    rf"|\b(?:this|these|those)\s+(?!{'|'.join(_TIMES)})\w"
    r"|\b(?:know|(?:dis)?agree[sd]?|accept(?:s|ed)?|refuse[sd]?|decline[sd]?)\s*(?:[.!,;]?$|[,;]?\s(?:and|as|but|because|since)\b)"
    # "Should that fail", "If so"; "If it is, …": an auxiliary without the verb that was said before
    r"|\b(?:[Ii]f|[Uu]nless|[Ww]hen|[Oo]nce|[Ss]hould|[Bb]ecause|[Ss]ince|[Aa]lthough|[Tt]hough)\s+(?:that|so|not)\b"
    rf"|^(?:(?:If|Unless|When|Once|Because|Although)\s+)?(?:\S+\s+){{1,2}}(?:{_AUXILIARY})(?:n['’]t|\s+not)?\s*[,.;]",
)
#: *However*, *Mel is also going*, *Jim likes it too*, *the other two*: said beside something else, or after it.
_ADDING = re.compile(
    r"^(?:And|But|Or|So|Yet|Nor|Others?|Still|Then|Thus|Hence|However|Therefore|Instead|Otherwise|Also|Besides|Moreover"
    r"|Furthermore|Additionally|Nevertheless|Nonetheless|Consequently|Accordingly|Afterwards|Alternatively|Meanwhile"
    r"|Later|Next|Again|Similarly|Likewise|Conversely)\b"
    r"|^(?:In addition|As a result|For that|After that|Before that|By then|Until then|On the other hand|In return"
    r"|In that case|In turn|For (?:example|instance)|That said|Even so|All the same|At the same time|In response)\b"
    r"|^(?:\S+\s+){1,4}?(?:also|therefore|however|thus|nevertheless|consequently|still)\b"
    r"|^(?:[^\s,;]+\s+){1,4}?(?<!and )then\b"
    r"|\b(?:too|either|instead|again|as well|else|afterwards|then|though|as a result)\s*[.!?]?$"
    r"|^(?:Eventually|Finally|In the end|At last)\b"
    r"|\b(?:[Tt]he|[Tt]wo|[Tt]heir|[Hh]is|[Hh]er)\s+other\b|\b[Tt]he (?:others|rest|latter|former)\b"
    r"|^The (?:two|three)\b|\bthe (?:decision|idea|news|offer|proposal|suggestion)\b"
)
_PRONOUN_FIRST = re.compile(r"(?:He|She|It|They|His|Her|Its|Their)\b")
#: Nouns do not begin with these.
_ADVERBS = frozenset({"again", "here", "later", "now", "soon", "there", "today", "tomorrow", "tonight", "yesterday"})
#: *That made her think*, *is angry about it*, *Ann and Bob are not*.
_LEANING = re.compile(
    r"^(?:This|That|These|Those|Both|Such)\b|\b(?:about|do|does|doing|did|done|know|knows|knew|of) it\b"
    rf"|\b(?:{_AUXILIARY})(?:n['’]t|\s+not)?\s*[.!?]?$"
)
#: Endings of nouns that are no names.
_OF_NOUNS = ("ance", "ence", "ery", "ing", "ion", "ity", "ment", "ness", "ship", "ure")
#: *The anxious customer* as well.
_DEFINITE = re.compile(r"\b[Tt]he ([a-z]+(?: [a-z]+)?)")
#: A sentence of so few words tells nothing by itself: *Ann is thankful.*
_FEWEST = 4


def points_back(sentence: str) -> Literal["", "person", "thing"]:
    """What a pronoun, or a word like *there*, points to that its own sentence does not name; empty if there is none."""
    words = [match[0] for match in _WORD.finditer(sentence)]
    short = len(words) < _FEWEST and bool(words) and _names_somebody(words[0], words[0].lower(), 0)
    return "thing" if short else _pointed_to(sentence, words)


def _pointed_to(sentence: str, words: Sequence[str]) -> Literal["", "person", "thing"]:
    if _POINTING.search(sentence):
        return "thing"
    if _PRONOUN_FIRST.match(sentence):
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
            together = several or (len(fitting) > 1 and lower != "them")  # "Ann and Bob eat them"
            if not (together if lower in _SEVERAL else bound) or _stands_alone(lower, following):
                return "person"
        if lower in ("it", "its") and not things:
            return "thing"
        things = things or (lower in _DETERMINERS and not any(is_person_word(word.lower()) for word in following))
        several = several or (
            bare.islower() and len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") and things
        )
        if _names_somebody(bare, lower, place) and bare == word:
            named.append((place, bare))
    return ""


def _fitting(pronoun: str, named: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Those named before whom the pronoun may mean by its gender."""
    gender = _GENDERS.get(pronoun)
    if gender is None:
        return list(named)
    one = [(place, name) for place, name in named if not (name.endswith("s") and is_person_word(name[:-1].lower()))]
    return [(place, name) for place, name in one if people().gender_of(name) in (None, gender)]


def _stands_alone(pronoun: str, following: Sequence[str]) -> bool:
    """*Ann got hers*, *Bob got his after a month*: what they got is said before."""
    alone = not following or following[0].lower() in word_list("function")
    return pronoun in ("hers", "theirs") or (pronoun == "his" and alone)


def _is_object(pronoun: str, following: Sequence[str]) -> bool:
    """Whether a pronoun cannot be the one who acts: *him*; *her* where no noun follows (*visit her today*)."""
    alone = not following or following[0].lower() in word_list("function") | _ADVERBS
    return pronoun in _OBJECTIVE or (pronoun == "her" and alone)


def _names_somebody(word: str, lower: str, place: int) -> bool:
    """Whether a word may name somebody: a placeholder, a name, or a noun like *agent*."""
    if not word[:1].isalpha() or lower in word_set("person"):
        return True
    if place or is_first_name(word):
        return word[0].isupper()
    # At the start of a sentence anything has a capital: *Surgery can start once she signs.*
    common = supersense(lower) is not None or lower.endswith(_OF_NOUNS)
    return word[0].isupper() and not common and lower not in word_list("function") | word_list("no_name")


def is_tied(sentence: str, introduced: bool = False) -> bool:
    """Whether a sentence points to something that it does not name, or is said beside the one before it.

    Where somebody was ``introduced`` (*A frightened mother has broken down*), *the customer* is somebody before.
    """
    if introduced and any(is_person_word(word) for found in _DEFINITE.findall(sentence) for word in found.split()):
        return True
    if sentence[:1].islower() or _LEANING.search(sentence):
        return True  # "Cust. exports lists first": no sentence of its own
    words = [match[0] for match in _WORD.finditer(sentence)]
    return bool(_pointed_to(sentence, words)) or _ADDING.search(sentence) is not None


def may_mean_others(sentence: str, before: str) -> bool:
    """Whether *he* or *she*, who seems to be somebody of this sentence, may be one whom only the sentence before names.

    *Rebecca admits it. Ann appreciates her candour.*
    """
    meant = _meant(sentence)
    others = _persons([before]) - _persons([sentence])
    return any(_gender(name) in (None, gender) for gender in meant for name in others)


def speaks_of_several(sentence: str) -> bool:
    """Whether *they* or *both* may be those of more than one sentence before."""
    return bool((_SEVERAL | {"both"}) & _lower_words(sentence))


def looks_back(texts: Sequence[str], gone: Sequence[int]) -> bool:
    """Whether a sentence that stays needs one that goes: it points back to it, is said beside it, or means somebody
    whom only those name that go."""
    return any(
        (place - 1 in gone and (_ADDING.search(text) is not None or _is_lost(texts, place, points_back(text), gone)))
        or _is_orphaned(texts, place, gone)
        for place, text in enumerate(texts)
        if place not in gone
    )


def _is_lost(texts: Sequence[str], place: int, pointed: str, gone: Sequence[int]) -> bool:
    """Whether what a sentence points to went with those before it. A person is still there if the sentence before them
    names the only one whom they name."""
    before = max((other for other in range(place) if other not in gone), default=None)
    if pointed != "person" or before is None:
        return bool(pointed)
    named = {name for other in range(before + 1, place) for name in _people_in(texts[other])}
    here = _people_in(texts[before])
    if _SEVERAL & _lower_words(texts[place]):
        several = len(here) > 1 or bool(_SEVERAL & _lower_words(texts[before]))
        return not several or not named <= here
    if len(named) <= 1 and named <= here:
        alike = [_gender(name.split()[0]) for name in here]  # somebody whom no list knows may be either
        return bool(named) and any(sum(one in (gender, None) for one in alike) > 1 for gender in _meant(texts[place]))
    return not _is_carried(texts, place, before)


def _is_carried(texts: Sequence[str], place: int, before: int) -> bool:
    """Whether each *he* and *she* is somebody whom the sentence names that stays, because those between the two speak
    of the same one: *Ann is cross. The agent promises her a refund. She hangs up.*"""
    between = texts[before + 1 : place]
    here = {_gender(name) for name in _persons([texts[before]])}
    others = {_gender(name) for name in _persons(between) - _persons([texts[before]])}
    spoken = set().union(*map(_meant, between))
    return all(
        gender in here and gender not in others and (gender in spoken or None not in others)
        for gender in _meant(texts[place])
    )


def _is_orphaned(texts: Sequence[str], place: int, gone: Sequence[int]) -> bool:
    """Whether *he* or *she* may be somebody of that gender whom a sentence before introduced and none that stays names:
    *A hiker's boots fell apart. The agent looks into it. He gets a new pair.*"""
    told = [texts[other] for other in gone if other < place]
    if not told:
        return False
    kept = _persons(texts[other] for other in range(place) if other not in gone)
    here = _persons([texts[place]])
    lost = _persons(told) - kept - here
    if points_back(texts[place]) == "person" and not kept:
        return True
    known = {_gender(name) for name in kept}.union(
        *(_meant(texts[other]) for other in range(place) if other not in gone)
    )
    missed = {_gender(name) for name in lost}
    spoken = set().union(*map(_meant, told))  # of somebody whom no list knows
    carried = set().union(*(_meant(texts[other]) for other in range(place) if other not in gone))
    strangers = spoken - carried - {_gender(name) for name in kept | here}
    if points_back(texts[place]) == "person" and strangers & _meant(texts[place]):
        return True  # "She is handed over to Mira. Mira is busy. She waits."
    return any(
        gender in missed or (gender not in known and (None in missed or gender in spoken))
        for gender in _meant(texts[place]) - {_gender(name) for name in here}
    )


def _meant(sentence: str) -> set[str]:
    """The genders of the pronouns of a sentence."""
    return {_GENDERS[word.lower()] for word in _bare_words(sentence) if word.lower() in _GENDERS}


def _persons(texts: Iterable[str]) -> set[str]:
    """The words of these sentences that are a first name or a noun for somebody."""
    words = {word for text in texts for word in _bare_words(text)}
    return {word if is_first_name(word) else word.lower() for word in words if _is_somebody(word)}


def _is_somebody(word: str) -> bool:
    return is_first_name(word) or is_person_word(word.lower())


def _gender(word: str) -> str | None:
    return people().gender_of(word)


def _lower_words(sentence: str) -> set[str]:
    return {word.lower() for word in _bare_words(sentence)}


def _bare_words(sentence: str) -> list[str]:
    """The words, without *'s* and *'ll*."""
    return [re.sub(r"['’].*", "", match[0]) for match in _WORD.finditer(sentence)]


def _people_in(sentence: str) -> set[str]:
    """Who may be named; *Ann Holm* is one."""
    words = _bare_words(sentence)
    named = [_names_somebody(word, word.lower(), place) for place, word in enumerate(words)]
    return {
        " ".join(words[i] for i, _ in run)
        for is_name, run in groupby(enumerate(named), key=lambda entry: entry[1])
        if is_name
    }
