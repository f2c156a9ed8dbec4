"""speaker_switch: somebody beside the two sides whom a pronoun may mean, and views that both of them hold."""

import re
from collections.abc import Sequence

from dialgauge.perturb._domain_sides import Mention
from dialgauge.perturb._lexicon import Gender, people, word_list
from dialgauge.perturb._people import is_first_name, is_person_word
from dialgauge.perturb._word_tables import supersense, word_set

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ENDS = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)[.!?]\s+")
_NO_NAME = word_list("no_name") | word_list("function")
#: Before a name that no list has: of somebody rather than of a town or a firm.
_TOLD = re.compile(r"\b(?:and|ask|asks|calls|leaves|meets|tells|to|with)\s$")
_ANIMALS = frozenset(["beagle", "cat", "dog", "horse", "kitten", "parrot", "pet", "pony", "puppy", "rabbit"])
#: The supersense of people; names of places, days and firms have another.
_PEOPLE = 18
#: What somebody thinks or likes; the other one, who agrees, does so as well.
_VIEW = re.compile(
    r"\s+(?:also\s+|both\s+|really\s+)?(?:admire|believe|consider|dislike|enjoy|feel|find|found|hate|like|love|prefer|regard"
    r"|say|said|think|thought|complain|worr)\w*\b"
)
_AGREES = re.compile(r"(?<!not )(?<!n't )\b(?:agree[sd]?|concur(?:s|red)?|shares?)\b(?!\s+to\b)")
#: *A likes it, and B does, too*.
_AS_WELL = re.compile(r"\s+(?:\w+\s+)?(?:also|too)\b|[^.;]*\b(?:too|as well|either|so do(?:es)?|the same)\b\s*[.!,;]?")


def may_be_third(pronoun: re.Match[str], gender: Gender, text: str, mentions: Sequence[Mention]) -> bool:
    """Whether somebody else of this gender stands before a pronoun, in its sentence or in the one before: *one of his
    colleagues for what he posted*, *Mike's grandma tonight. Mary will buy her some chocolate*."""
    ends = [match.end() for match in _ENDS.finditer(text, 0, pronoun.start())]
    begins = (ends[-2] if len(ends) > 1 else 0) if ends else 0
    return any(
        _is_somebody(word, text, gender)
        for word in _WORD.finditer(text, begins, pronoun.start())
        if not any(mention.start < word.end() and word.start() < mention.end for mention in mentions)
    )


def is_nobodys(pronoun: re.Match[str], gender: Gender, text: str, mentions: Sequence[Mention]) -> bool:
    """Whether nobody is named before a pronoun whom it could mean."""
    told = any(mention.start < pronoun.start() for mention in mentions)
    return not told and not may_be_third(pronoun, gender, text, mentions)


def _is_somebody(word: re.Match[str], text: str, gender: Gender) -> bool:
    lower = word.group().lower()
    if lower in _ANIMALS:
        return True
    if word.group()[0].islower():
        one_of = re.search(r"\b(?:one|another|each|some) of (?:\w+ ){1,3}$", text[: word.start()])
        # "They" are several; of "his colleagues" one may be meant.
        return _fits(lower, gender) or (one_of is not None and _fits(lower.removesuffix("s"), gender))
    if is_first_name(word.group()):
        return people().gender_of(word.group()) in (None, gender)
    told = _TOLD.search(text[: word.start()]) is not None and not re.match(r"['’ -][A-Zs]", text[word.end() :])
    named = told and lower not in _NO_NAME and supersense(lower) in (None, _PEOPLE)
    return named and people().gender_of(word.group()) in (None, gender)


def _fits(noun: str, gender: Gender) -> bool:
    other = "female" if gender == "masculine" else "male"
    return is_person_word(noun) and noun not in word_set(other)


def share_a_view(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether one side agrees with what the other thinks, or does the same: both are true of either."""
    viewed = any(_VIEW.match(text, mention.end) for mention in mentions)
    if viewed and _AGREES.search(text):
        return True
    return len(mentions) > 1 and any(_AS_WELL.match(text, mention.end) for mention in mentions[1:])
