"""speaker_switch: for whom a pronoun stands, and what stands there once the sides are swapped."""

import re
from collections.abc import Mapping, Sequence

from dialgauge.perturb._domain_sides import Mention, Side, Sides, gender_of_side
from dialgauge.perturb._domain_text import FUNCTION_WORDS
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import can_be_verb
from dialgauge.perturb._lexicon import Gender, people, word_list
from dialgauge.perturb._people import is_first_name
from dialgauge.perturb._third_people import is_nobodys, may_be_third
from dialgauge.perturb._word_tables import supersense, word_set

PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_FEMININE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
_MASCULINE = {"she": "he", "her": "him", "hers": "his", "herself": "himself"}
#: Where somebody is named, which side that is (None: neither) and of which gender.
_Candidate = tuple[int, Side | None, Gender | None]
_GENDER: dict[str, Gender] = {**dict.fromkeys(_FEMININE, "masculine"), **dict.fromkeys(_MASCULINE, "feminine")}
#: Not somebody's mother: those who belong to a side ("her elderly mother") hardly ever are what a pronoun is about.
_NOBODYS = r"(?<!\bhis )(?<!\bher )(?<!\bhis late )(?<!\bher late )(?<!\belderly )(?<!-old )\b"
_WOMEN = "mother|mum|mom|daughter|wife|sister|girl|girlfriend|woman|nan|grandmother|aunt|bride|fiancée|lady"
_MEN = "father|dad|son|husband|brother|boy|boyfriend|man|grandfather|uncle|groom|fiancé|gentleman"
_OTHERS = re.compile(rf"{_NOBODYS}(?P<feminine>{_WOMEN})\b|{_NOBODYS}(?P<masculine>{_MEN})\b", re.IGNORECASE)
#: Somebody's mother who does something: "his nan is coming, so she …".
_ACTING_RELATIVES = re.compile(
    rf"\b(?:his|her|their) (?:(?P<feminine>{_WOMEN})|(?P<masculine>{_MEN}))"
    r"(?=,? who(?:se)?\b| (?:is|was|will|has|had|would|can|could|does|did|wants|gets|comes|came|went)\b)",
    re.IGNORECASE,
)
#: Before the name of a relative: *his mom, Lucy*.
AS_RELATIVE = re.compile(rf"\b(?:his|her|their) (?:{_WOMEN}|{_MEN}|partner),? $", re.IGNORECASE)
#: Behind the name of a side whose relative may be the other one: *Elif's father*.
WITH_RELATIVE = re.compile(rf"['’]s? (?:{_WOMEN}|{_MEN})\b", re.IGNORECASE)
#: Where a clause opens.
_OPENS = re.compile(r"(?:^|[.,;:]\s+|\b(?:and|but|that)\s+)(?:(?:his|her|their|the)\s+)?$", re.IGNORECASE)
_RELATIVES: dict[Gender, re.Pattern[str]] = {
    "feminine": re.compile(rf"\b(?:{_WOMEN})\b", re.IGNORECASE),
    "masculine": re.compile(rf"\b(?:{_MEN})\b", re.IGNORECASE),
}
#: Animals, which a pronoun of either gender may be about.
_ANIMALS = re.compile(r"\b(?:dog|puppy|beagle|cat|kitten|horse|pony|rabbit|parrot|pet)\b", re.IGNORECASE)
#: Function words that a noun follows: *her only day off*.
_BEFORE_NOUNS = frozenset(["few", "first", "last", "many", "most", "only", "other", "own", "whole"])
#: After *call her* these own nothing.
_ADVERBS = frozenset(
    [
        "again",
        "back",
        "early",
        "here",
        "herself",
        "himself",
        "later",
        "now",
        "soon",
        "there",
        "today",
        "tomorrow",
        "tonight",
        "too",
        "yesterday",
    ]
)
#: After these *her* and *him* are taken somewhere: "drives her home".
_TAKEN = re.compile(r"\b(?:tak(?:e|es|ing)|took|bring(?:s|ing)?|brought|driv(?:e|es|ing)|drove|sen(?:d|ds|ding|t))\s+$")
#: Verbs of giving, after which *her* is the one to whom something is given.
_GIVEN = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(word_set('giving_verbs')))})(?:s|es)?|bought|brought|found|gave|made|sent|told)\s+$"
)
#: Somebody right before what is his.
_OWNER_BEFORE = re.compile(r"\b([A-Z]\w+) (?:and|with) $")
#: A verb without *to* follows the one who may do it.
_LET = re.compile(r"\blet(?:s|ting)?\s+$")
OTHER_PEOPLE = word_set("person")
#: The last sentence before a place, if it is about somebody's friend.
_OWNED = re.compile(r"(?:^|[.!?]\s+)[A-Z]\w+['’]s\s+(\w+(?:\s+\w+)?)\b[^.!?]*[.!?]\s+$")
NAME = re.compile(r"(?:(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+)?[A-Z][a-z]+(?:-[A-Z][a-z]+)?(?:\s+[A-Z][a-z]+)*")
#: Titles of men and women.
_OFFICES = re.compile(r"\b(?:Captain|Chancellor|Director|Doctor|Dr|Judge|Officer|President|Prof|Professor)\b")
#: Where a sentence ends; not after a title.
_ENDS = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)[.!?]\s")
#: A name of which nothing is known, not after words for places: *asks Tío Paco*.
_UNKNOWN = re.compile(
    r"(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bfrom )(?<!\bon )(?<!\bthe )(?<!\ba )(?<!\ban )(?<![\w#'’-])"
    r"[A-Z][a-z\u00c0-\u024f]+(?: [A-Z][a-z\u00c0-\u024f]+)*(?![\w#])"
)
_NO_NAME = word_list("no_name")
#: The supersenses of amounts and of times.
_MEASURES = (23, 28)
#: At most this many pronouns become names.
_MOST_NAMES = 4
#: How far back (in characters) a pronoun may look for the one it stands for.
_REACH = 1000


def name_of_side(side: Side, sides: Sides, mentions: Sequence[Mention]) -> str:
    """The name of a side: the fullest form in this text, or the one in the transcript."""
    forms = [mention.text for mention in mentions if mention.side == side and mention.kind == "name"]
    return max(forms, key=len) if forms else sides.display[side] if sides.names[side] else ""


def is_relative(name: str) -> bool:
    """Whether somebody is called by what they are to another: *Dad*."""
    return any(pattern.fullmatch(name) for pattern in _RELATIVES.values())


def cased_like(word: str, model: str) -> str:
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if model[0].isupper() else word


def pronoun_edits(text: str, sides: Sides, mentions: list[Mention]) -> list[Edit] | None:
    """Pronouns of a side follow the other side's gender; where that is not known, its name takes their place. None
    where
    that cannot be done."""
    genders: dict[Side, Gender | None] = {0: gender_of_side(sides, 0, mentions), 1: gender_of_side(sides, 1, mentions)}
    numbered = not any(
        name[:1].isalpha() for name in (sides.display[0], sides.display[1], *sides.names[0], *sides.names[1])
    )
    if numbered and len({_GENDER[match.group().lower()] for match in PRONOUN.finditer(text)}) == 1:
        return []  # "#Person2# says she will come" can be said of either
    unknown = {side for side in genders if genders[side] is None}
    resolved = _resolved(text, mentions, genders)
    if _is_left_over(text, resolved, mentions, genders, unknown):
        return None
    bound = [(match, side) for match, side in resolved if side is not None]
    if genders[0] is not None and genders[0] == genders[1]:
        return []
    if any(_is_unclear(match, text, mentions, genders) for match, _ in bound):
        return None
    read = [(match, side, _GENDER[match.group().lower()]) for match, side in resolved]
    if any(side is None and is_nobodys(match, gender, text, mentions) for match, side, gender in read):
        return None  # "It is late, which he finds odd. Ann promises to ring": rather the side that is not named
    # One that stays may mean a side as well where another is near: what changes has to be sure, and so has what stays.
    if any(side is not None and may_be_third(match, gender, text, mentions) for match, side, gender in read):
        return None
    if any(side is None and _may_be_side(match, gender, text, mentions, genders) for match, side, gender in read):
        return None
    edits: list[Edit] = []
    for match, side in bound:
        form = match.group().lower()
        other: Side = 0 if side else 1
        swapped = _FEMININE[form] if form in _FEMININE else _MASCULINE[form]
        if form in ("her", "his"):
            swapped = _possessive(form, text[: match.start()], text[match.end() :])
        if genders[other] is None:
            name = name_of_side(other, sides, mentions)
            others = {*re.findall(r"[a-z]+", text)} & OTHER_PEOPLE
            if (
                others
                or _RELATIVES[_GENDER[form]].search(text)
                or (form == "her" and _GIVEN.search(text[: match.start()]))
            ):
                return None  # "is angry at her sister because she …", "made her soup"
            if not name or form in ("himself", "herself") or len(bound) > _MOST_NAMES:
                return None if name else []
            owns = form in ("hers", "his") or (form == "her" and swapped == "his")
            swapped = f"{name}'s" if owns else name
        edits.append(Edit(*match.span(), cased_like(swapped, match.group())))
    return edits


def _resolved(
    text: str, mentions: Sequence[Mention], genders: dict[Side, Gender | None]
) -> list[tuple[re.Match[str], Side | None]]:
    """Every pronoun with its side. *Himself* is whoever *he* is in the sentence, and a sentence that begins with *He*
    goes on about him, unless another man is named: not about *Dr Hill*, who may be a woman."""
    resolved: list[tuple[re.Match[str], Side | None]] = []
    alone = None not in genders.values() and not _strangers(text, mentions)
    for match in PRONOUN.finditer(text):
        side, form = _stands_for(match, text, mentions, genders), match.group().lower()
        subject = "he" if _GENDER[form] == "masculine" else "she"
        acting = [(m, s) for m, s in resolved if m.group().lower() == subject]
        reflexive = form in ("himself", "herself")
        if side is None and acting and (reflexive or match.group()[0].isupper()):
            last, meant = acting[-1]
            between = text[last.end() : match.start()]
            strangers = [m for m in NAME.finditer(between) if people().gender_of(m.group()) == _GENDER[form]]
            if not strangers and len(_ENDS.findall(between)) <= (not reflexive):
                side = meant
        if side is None and alone:
            only = [one for one in genders if genders[one] == _GENDER[form]]
            side = only[0] if len(only) == 1 else None  # of a man and a woman
        resolved.append((match, side))
    return resolved


def _is_left_over(
    text: str,
    resolved: Sequence[tuple[re.Match[str], Side | None]],
    mentions: Sequence[Mention],
    genders: Mapping[Side, Gender | None],
    unknown: set[Side],
) -> bool:
    """Whether a pronoun may stay that means a side which changes: *Rob shows Mike and Beth a pumpkin he carved*, *Kai
    left because she was ill* beside Mike; or is taken for a side of which no list knows whether it is a man, where
    somebody else may be meant (*a blind date for Columbus. She …*)."""
    if genders[0] == genders[1] and genders[0] is not None:
        return any(_GENDER[m.group().lower()] != genders[0] for m, _ in resolved) and not _strangers(text, mentions)
    people_here = {*re.findall(r"[a-z]+", text)} & OTHER_PEOPLE
    for match, side in resolved:
        gender = _GENDER[match.group().lower()]
        begins = max((end.end() for end in _ENDS.finditer(text, 0, match.start())), default=0)
        reach = 0 if _is_object(match, text) else begins  # "Ann will look it up and gets back to him"
        if side is None and any(reach <= m.start < match.start() and genders[m.side] == gender for m in mentions):
            return True
        if side is not None and _is_also_another(text, begins, match, mentions):
            return True
        if side in unknown and people_here and match.group()[0].isupper():
            return True
        owned = _OWNED.search(text, 0, begins) if begins == match.start() else None
        if owned is not None and not OTHER_PEOPLE.isdisjoint(owned[1].split()):
            return True  # "Dory's friend is coming. She …"
    return False


def _may_be_side(
    pronoun: re.Match[str],
    gender: Gender,
    text: str,
    mentions: Sequence[Mention],
    genders: Mapping[Side, Gender | None],
) -> bool:
    """Whether a pronoun of somebody else may be that of a side that is named in its sentence or the one before."""
    ends = [match.end() for match in _ENDS.finditer(text, 0, pronoun.start())]
    begins = ends[-2] if len(ends) > 1 else 0
    return any(begins <= m.start < pronoun.start() and genders[m.side] in (None, gender) for m in mentions)


def _is_also_another(text: str, begins: int, pronoun: re.Match[str], mentions: Sequence[Mention]) -> bool:
    """*Sam and Eve stay away because he is ill and she is busy*: once *she* becomes *he*, it may be Sam."""
    gender = _GENDER[pronoun.group().lower()]
    taken = [(mention.start, mention.end) for mention in mentions]
    return any(
        people().gender_of(name.group()) not in (None, gender)
        and not any(start < name.end() and name.start() < end for start, end in taken)
        for name in NAME.finditer(text, begins, pronoun.start())
    )


def _strangers(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether somebody is named who is neither side: by a name, as a relative, or an animal."""
    taken = [(mention.start, mention.end) for mention in mentions]
    found = [
        match
        for match in (*NAME.finditer(text), *_UNKNOWN.finditer(text))
        if people().gender_of(match.group())
        or any(map(is_first_name, match.group().split()))
        or _may_be_somebody(match)
    ]
    outside = [m for m in found if not any(start < m.end() and m.start() < end for start, end in taken)]
    related = any(pattern.search(text) for pattern in (*_RELATIVES.values(), _ANIMALS))
    return bool(outside) or related or bool({*re.findall(r"[a-z]+", text)} & OTHER_PEOPLE)


def _possessive(form: str, preceding: str, following: str) -> str:
    """``her`` before a noun becomes ``his``, elsewhere ``him``; ``his`` before a noun ``her``, elsewhere ``hers``."""
    match = re.match(r"\s+([^\W\d_]+)", following)
    after = match[1].lower() if match else ""
    before_noun = _owns_amount(following) or bool(after and (after not in FUNCTION_WORDS or after in _BEFORE_NOUNS))
    told = match is not None and match[1][0].isupper() and is_first_name(match[1])  # "tells her Mike is out"
    if after == "and" and re.match(r"\s+and [A-Z]\w+['’]s\b", following):
        before_noun = True  # "her and Daddy's garden"
    if form == "her" and after.endswith("s") and _GIVEN.search(preceding):
        before_noun = False  # "send her booklets"
    if form == "her" and _LET.search(preceding) and can_be_verb(after):
        before_noun = False  # "will let her know"
    alone = (
        after.endswith("ly") and re.match(r"\s+\w+(?:[.,;!?]|$)", following) is not None
    )  # "introduces her wrongly."
    if told or alone or after in _ADVERBS or (after == "home" and _TAKEN.search(preceding)):
        before_noun = False
    if form == "her":
        return "his" if before_noun else "him"
    return "her" if before_noun else "hers"


def _owns_amount(following: str) -> bool:
    """*Her £40 refund*, *her 2 cards*; not *cost her £40 a month*, *takes her 20 minutes*."""
    match = re.match(r"\s+([£$€]?)\d[\d.,:]*%?\s+([a-z]+)", following)
    if match is None or match[2] in FUNCTION_WORDS:
        return False
    return bool(match[1]) or supersense(match[2].removesuffix("s")) not in _MEASURES


def _stands_for(
    pronoun: re.Match[str], text: str, mentions: Sequence[Mention], genders: dict[Side, Gender | None]
) -> Side | None:
    """The side that a pronoun stands for: the nearest one before it of its gender, else the nearest of unknown gender
    (whose gender is then known). None where somebody else is meant."""
    gender, window = _GENDER[pronoun.group().lower()], text[: pronoun.start()]
    joined = _joined_to(pronoun, text, mentions)
    if joined is not None and genders[joined] in (gender, None):
        return joined
    owner = _OWNER_BEFORE.search(window) if pronoun.group().lower() in ("his", "her") else None
    if owner is not None and not any(m.start <= owner.start(1) < m.end for m in mentions):
        return None  # "Lennon and his girlfriend"
    # Who is named as the speaker of a turn ("Agent:") does not speak of himself as "he".
    told = [mention for mention in mentions if text[mention.end : mention.end + 1] != ":"]
    near = _nearest(pronoun, text, _candidates(pronoun, text, told, mentions, genders))
    if near:
        side = max(near, key=lambda candidate: candidate[0])[1]
        if side is not None and genders[side] is None and _RELATIVES[gender].search(window):
            return None  # "his wife is 84, and it is her sixth wedding": rather the wife than somebody unknown
    else:  # "after a machine swallowed his card, Owen …"
        ahead = re.match(r"[^.!?]*", text[pronoun.end() :])
        end = pronoun.end() + (ahead.end() if ahead else 0)
        following = [m for m in told if pronoun.end() < m.start < end and genders[m.side] in (gender, None)]
        side = following[0].side if following else None
    if side is not None and genders[side] is None:
        genders[side] = gender
    return side


def _joined_to(pronoun: re.Match[str], text: str, mentions: Sequence[Mention]) -> Side | None:
    """*He and Helen*: of two sides the one that is not named there."""
    beside = [m for m in mentions if text[pronoun.end() : m.start] == " and "]
    if not beside or pronoun.group().lower() not in ("he", "she"):
        return None  # "heights frighten her and Kit is sorry"
    return 0 if beside[0].side else 1


def _candidates(
    pronoun: re.Match[str],
    text: str,
    told: Sequence[Mention],
    mentions: Sequence[Mention],
    genders: Mapping[Side, Gender | None],
) -> list[_Candidate]:
    """Everybody whom a pronoun can stand for: the sides, relatives, animals and other people named before it."""
    found: list[_Candidate] = [
        (mention.start, mention.side, genders[mention.side])
        for mention in told
        if pronoun.start() - _REACH <= mention.start < pronoun.start()
    ]
    taken = [(mention.start, mention.end) for mention in mentions]
    window = text[: pronoun.start()]
    begins = max(0, len(window) - _REACH)
    for pattern in (_OTHERS, _ACTING_RELATIVES):
        for match in pattern.finditer(window, begins):
            if re.match(r",? who[^.;]*[.;]", window[match.end() :]) and pattern is _ACTING_RELATIVES:
                continue  # "his father, who died; he was bitter": the clause about the father is over
            found.append((match.start(), None, "feminine" if match["feminine"] else "masculine"))
    found += [(match.start(), None, None) for match in _ANIMALS.finditer(window, begins)]
    for match in NAME.finditer(window, begins):
        known = people().gender_of(match.group())
        # "Professor Potter", "Jamie": a man or a woman
        either = _OFFICES.search(match.group()) is not None or any(map(is_first_name, match.group().split()))
        if (known or either) and not any(start < match.end() and match.start() < end for start, end in taken):
            found.append((match.start(), None, known))
    return found


def _nearest(pronoun: re.Match[str], text: str, candidates: list[_Candidate]) -> list[_Candidate]:
    """Those of the right gender (else of an unknown one) that stand where the pronoun looks for them."""
    gender, window = _GENDER[pronoun.group().lower()], text[: pronoun.start()]
    if _is_object(pronoun, text) and len(candidates) > 1:
        # Who acts in the clause is not whom it happens to: "Ann explains it to her".
        nearest = max(candidates, key=lambda candidate: candidate[0])
        apart = [candidate for candidate in candidates if candidate[1] != nearest[1]]
        if apart and not re.search(
            r"[.!?;,]|\b(?:that|who|because|when|if|and|but)\b", text[nearest[0] : pronoun.start()]
        ):
            candidates = apart
    same = [candidate for candidate in candidates if candidate[2] == gender]
    open_ = [candidate for candidate in candidates if candidate[2] is None]
    # *Kasper's on his way*, *Morgan cannot come because she …*: who stands in the same sentence is nearer than a side
    # of the right gender before it.
    begins = max((match.end() for match in _ENDS.finditer(window)), default=0)
    beside = [c for c in open_ if c[0] >= begins and not _is_object(pronoun, text)]
    owns = pronoun.group().lower() in ("his", "her", "himself", "herself")
    here = any(c[0] >= begins for c in same)
    near = beside if beside and not here else same or open_
    if begins == pronoun.start():
        earlier = max((match.end() for match in _ENDS.finditer(window[: begins - 1])), default=0)
        told_of = sorted((c for c in (*same, *open_) if earlier <= c[0] < begins), key=lambda c: c[0])
        near = told_of[:1] or near  # "Ann will rent a car. She …": who opens the sentence before
    # Who only owns something in the sentence is hardly the one of whom it goes on to speak.
    acting = [c for c in near if not re.match(r"[^\s.,]*['’]s\s", text[c[0] :])]
    return acting if acting and any(c[0] >= begins for c in acting) and not owns else near


def _is_unclear(
    pronoun: re.Match[str], text: str, mentions: Sequence[Mention], genders: dict[Side, Gender | None]
) -> bool:
    """Whether *he* may be a side or somebody else whom the sentence names: *Dad is angry with Tom, because he …*."""
    form = pronoun.group().lower()
    begins = max((match.end() for match in _ENDS.finditer(text, 0, pronoun.start())), default=0)
    told = [m for m in mentions if begins <= m.start < pronoun.start() and genders[m.side] in (_GENDER[form], None)]
    taken = {(m.start, m.end) for m in mentions}
    others = [m for m in _RELATIVES[_GENDER[form]].finditer(text, begins, pronoun.start()) if _acts(text, m)]
    named = [m for m in NAME.finditer(text, begins, pronoun.start()) if people().gender_of(m.group()) == _GENDER[form]]
    # Of a name that no list has nobody knows whether it is a man's or a woman's: it counts where it stands nearer.
    nearest = max([text.rfind(";", 0, pronoun.start()), *(m.end for m in told), begins])
    if form in ("he", "him", "she"):  # "his" and "himself" are rather of whoever acts
        named += [m for m in _UNKNOWN.finditer(text, nearest, pronoun.start()) if _may_be_somebody(m)]
    strangers = [m for m in (*others, *named) if not any(a < m.end() and m.start() < b for a, b in taken)]
    return bool(told and strangers)


def _may_be_somebody(name: re.Match[str]) -> bool:
    """Whether a capitalised word is neither a word of the language nor that of a time or place."""
    words = [word.lower() for word in name.group().split()]
    return not any(word in _NO_NAME or supersense(word) is not None for word in words[-1:])


def _acts(text: str, relative: re.Match[str]) -> bool:
    """Whether somebody who is no side opens a sentence or clause: *Dad is angry*, *and his mother wants*."""
    return _OPENS.search(text[: relative.start()]) is not None


def _is_object(pronoun: re.Match[str], text: str) -> bool:
    """Whether a pronoun is *him*, or *her* that owns nothing."""
    form = pronoun.group().lower()
    return form == "him" or (
        form == "her" and _possessive(form, text[: pronoun.start()], text[pronoun.end() :]) == "him"
    )
