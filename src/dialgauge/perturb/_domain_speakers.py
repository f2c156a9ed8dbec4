"""speaker_switch: what the one side did, the other did. Role words, names and pronouns are swapped everywhere."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_sides import Mention, Side, Sides, gender_of_side, sides_of
from dialgauge.perturb._domain_text import CITATION, FUNCTION_WORDS
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._lexicon import Gender, lexicon, people, plural, word_list
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._people import is_first_name, people_of
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._word_tables import word_set

_PRONOUN = re.compile(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)
_FEMININE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
_MASCULINE = {"she": "he", "her": "him", "hers": "his", "herself": "himself"}
_GENDER: dict[str, Gender] = {**dict.fromkeys(_FEMININE, "masculine"), **dict.fromkeys(_MASCULINE, "feminine")}
#: Not somebody's mother: those who belong to a side ("her elderly mother") hardly ever are what a pronoun is about.
_NOBODYS = r"(?<!\bhis )(?<!\bher )(?<!\bhis late )(?<!\bher late )(?<!\belderly )(?<!-old )\b"
_WOMEN = "mother|mum|mom|daughter|wife|sister|girl|woman|nan|grandmother|aunt|bride|lady"
_MEN = "father|dad|son|husband|brother|boy|man|grandfather|uncle|groom|gentleman"
_OTHERS = re.compile(rf"{_NOBODYS}(?P<feminine>{_WOMEN})\b|{_NOBODYS}(?P<masculine>{_MEN})\b", re.IGNORECASE)
#: Somebody's mother who does something: "his nan is coming, so she …".
_ACTING_RELATIVES = re.compile(
    rf"\b(?:his|her|their) (?:(?P<feminine>{_WOMEN})|(?P<masculine>{_MEN})) "
    r"(?=(?:is|was|will|has|had|would|can|could|does|did|wants|gets|comes|came|went)\b)",
    re.IGNORECASE,
)
_RELATIVES: dict[Gender, re.Pattern[str]] = {
    "feminine": re.compile(rf"\b(?:{_WOMEN})\b", re.IGNORECASE),
    "masculine": re.compile(rf"\b(?:{_MEN})\b", re.IGNORECASE),
}
#: Animals, which a pronoun of either gender may be about.
_ANIMALS = re.compile(r"\b(?:dog|puppy|beagle|cat|kitten|horse|pony|rabbit|parrot|pet)\b", re.IGNORECASE)
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
_OTHER_PEOPLE = word_set("person")
_NO_NAME = word_list("no_name")
_NAME = re.compile(r"(?:(?:Mr|Mrs|Ms|Miss|Dr)\.?\s+)?[A-Z][a-z]+(?:-[A-Z][a-z]+)?(?:\s+[A-Z][a-z]+)*")
#: What two people do with one another, so that it is the same whoever is named first.
_TOGETHER = re.compile(
    r"\b(?:agree|argu|chat|discuss|go|going|met|meet|play|quarrel|share|sharing|speak|swim|talk|together|work)\w*",
    re.IGNORECASE,
)
#: What opens another clause: *A gets the schedule, so she can talk with B*.
_CLAUSES = re.compile(r"[,;]|\b(?:and|but|so|because|that|who|when|before|after)\b")
#: What stands between two that are named in one row: *A and B*, *A, Ann and B*.
_LISTED = r"(?:,?\s+[A-Z]\w+)*,?\s+(?:(?:and|&)\s+(?:the\s+)?)?"
#: Where a sentence ends; not after a title.
_ENDS = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bProf)[.!?]\s")
#: At most this many pronouns become names.
_MOST_NAMES = 4
#: How far back (in characters) a pronoun may look for the one it stands for.
_REACH = 1000


def _propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    text = parsed.text
    sides = sides_of(dialogue, text)
    mentions = sides.mentions(text)
    if not mentions:
        return NotApplicable("neither side of the conversation is mentioned by a role word or a known name")
    if reason := _unswitchable(parsed, dialogue, sides, mentions):
        return NotApplicable(reason)
    edits = [_swapped(mention, sides, mentions, text) for mention in mentions]
    pronouns = _pronoun_edits(text, sides, mentions)
    if pronouns is None:
        return NotApplicable("a pronoun stands for a side whose counterpart may be a man or a woman")
    if re.search(r"\b(\S+) and \1(?!\w)", apply_edits(text, [*edits, *pronouns])):
        return NotApplicable("a side would be named twice in one row")
    return [*edits, *pronouns]


def _unswitchable(parsed: Parsed, dialogue: Dialogue | None, sides: Sides, mentions: Sequence[Mention]) -> str:
    """Why swapping would change nothing, or only a half of it."""
    text = parsed.text
    if any(a.side == b.side and text[a.end : b.start] == " and " for a, b in pairwise(mentions)):
        return "two people are called by one name"
    if len({mention.side for mention in mentions}) == 2:
        paired = [
            m for sentence in parsed.sentences for m in _in_step(text, [m for m in mentions if _within(m, sentence)])
        ]
        if len(paired) == len(mentions):
            return "both sides do the same"
        return ""
    if any(re.search(r"\b[A-Z][a-z]+ and $", text[: m.start]) for m in mentions):
        return "one side is named, and somebody who may be the other one"
    spans = [(mention.start, mention.end) for mention in mentions]
    placeholder = mentions[0].kind == "name" and not mentions[0].text[0].isalpha()
    if placeholder and any(word in _OTHER_PEOPLE for word in re.findall(r"\b[Tt]he (\w+)", text)):
        return "one side is named, and somebody who may be the other one"  # "the doctor asks #Person1#"
    speakers = people_of(dialogue)
    for match in _NAME.finditer(text):
        words = re.findall(r"[A-Z][a-z]+", match.group())
        person = any(is_first_name(word) or word.lower() in speakers for word in words) or match.group().startswith(
            ("Mr", "Ms", "Dr")
        )
        often = len(re.findall(rf"\b{re.escape(match.group())}\b", text)) > 1
        person = person or (often and match.group().lower() not in _NO_NAME)
        if person and not any(start < match.end() and match.start() < end for start, end in spans):
            return "one side is named, and somebody who may be the other one"
    return ""


def _within(mention: Mention, sentence: tuple[int, int]) -> bool:
    return sentence[0] <= mention.start and mention.end <= sentence[1]


def _in_step(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions of a sentence in which both sides do the same: *A and B agree*, *A discusses it with B*."""
    joined: list[Mention] = []
    for first, second in pairwise(mentions):
        between = text[first.end : second.start]
        if first.side != second.side and re.fullmatch(_LISTED, between):
            joined += (first, second)
    if len(mentions) == 2 and not joined and mentions[0].side != mentions[1].side:
        between = text[mentions[0].end : mentions[1].start]
        if re.search(r"\bwith\s+(?:the\s+)?$", between) and _TOGETHER.search(between) and not _CLAUSES.search(between):
            joined = list(mentions)
    return joined


def _swapped(mention: Mention, sides: Sides, mentions: Sequence[Mention], text: str) -> Edit:
    """The mention in the words of the other side, keeping number, possessive and capital."""
    other: Side = 0 if mention.side else 1
    if mention.kind == "role":
        singular = next(w for w in sides.words[mention.side] if mention.text.lower() in (w, plural(w)))
        word = _counterpart(singular, mention.side, sides, mentions, text)
        return Edit(
            mention.start,
            mention.end,
            _cased(word if mention.text.lower() == singular else plural(word), text[mention.start : mention.end]),
        )
    name = _display(other, sides, mentions)
    if name:
        return Edit(mention.start, mention.end, name)
    word = _counterpart("", mention.side, sides, mentions, text)
    start = mention.start == 0 or text[: mention.start].rstrip().endswith((".", "!", "?"))
    return Edit(mention.start, mention.end, f"{'The' if start else 'the'} {word}")


def _counterpart(word: str, side: Side, sides: Sides, mentions: Sequence[Mention], text: str) -> str:
    """The role word of the other side: the one that this text uses, or the partner in the lexicon's pairs."""
    other: Side = 0 if side else 1
    for mention in mentions:
        if mention.side == other and mention.kind == "role":
            form = mention.text.lower()
            role = next(w for w in sides.words[other] if form in (w, plural(w)))
            return text[mention.start : mention.end - len(mention.text)].lower() + role
    partners = [pair[other] for pair in lexicon().pairs if pair[side] == word and pair[other] in sides.words[other]]
    return partners[0] if partners else lexicon().pairs[0][other]


def _display(side: Side, sides: Sides, mentions: Sequence[Mention]) -> str:
    """The name of a side: the fullest form in this text, or the one in the transcript."""
    forms = [mention.text for mention in mentions if mention.side == side and mention.kind == "name"]
    return max(forms, key=len) if forms else sides.display[side] if sides.names[side] else ""


def _cased(word: str, model: str) -> str:
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if model[0].isupper() else word


def _pronoun_edits(text: str, sides: Sides, mentions: list[Mention]) -> list[Edit] | None:
    """Pronouns of a side follow the other side's gender; where that is not known, its name takes their place. None
    where
    that cannot be done."""
    genders: dict[Side, Gender | None] = {0: gender_of_side(sides, 0, mentions), 1: gender_of_side(sides, 1, mentions)}
    resolved = [(match, _stands_for(match, text, mentions, genders)) for match in _PRONOUN.finditer(text)]
    bound = [(match, side) for match, side in resolved if side is not None]
    if genders[0] is not None and genders[0] == genders[1]:
        return []
    edits: list[Edit] = []
    for match, side in bound:
        form = match.group().lower()
        other: Side = 0 if side else 1
        swapped = _FEMININE[form] if form in _FEMININE else _MASCULINE[form]
        if form in ("her", "his"):
            swapped = _possessive(form, text[: match.start()], text[match.end() :])
        if genders[other] is None:
            name = _display(other, sides, mentions)
            others = {*re.findall(r"[a-z]+", text)} & _OTHER_PEOPLE
            if others:
                return None
            if not name or form in ("himself", "herself") or len(bound) > _MOST_NAMES:
                return None if name else []
            owns = form in ("hers", "his") or (form == "her" and swapped == "his")
            swapped = f"{name}'s" if owns else name
        edits.append(Edit(*match.span(), _cased(swapped, match.group())))
    return edits


def _possessive(form: str, preceding: str, following: str) -> str:
    """``her`` before a noun becomes ``his``, elsewhere ``him``; ``his`` before a noun ``her``, elsewhere ``hers``."""
    match = re.match(r"\s+([^\W\d_]+)", following)
    after = match[1].lower() if match else ""
    before_noun = bool(re.match(r"\s+[£$€\d]", following)) or bool(
        after and (after not in FUNCTION_WORDS or after in ("own", "other"))
    )
    told = match is not None and match[1][0].isupper() and is_first_name(match[1])  # "tells her Mike is out"
    if told or after in _ADVERBS or (after == "home" and _TAKEN.search(preceding)):
        before_noun = False
    if form == "her":
        return "his" if before_noun else "him"
    return "her" if before_noun else "hers"


def _stands_for(
    pronoun: re.Match[str], text: str, mentions: Sequence[Mention], genders: dict[Side, Gender | None]
) -> Side | None:
    """The side that a pronoun stands for: the nearest one before it of its gender, else the nearest of unknown gender
    (whose gender is then known). None where somebody else is meant."""
    gender = _GENDER[pronoun.group().lower()]
    # Who is named as the speaker of a turn ("Agent:") does not speak of himself as "he".
    told = [mention for mention in mentions if text[mention.end : mention.end + 1] != ":"]
    candidates: list[tuple[int, Side | None, Gender | None]] = [
        (mention.start, mention.side, genders[mention.side])
        for mention in told
        if pronoun.start() - _REACH <= mention.start < pronoun.start()
    ]
    taken = [(mention.start, mention.end) for mention in mentions]
    window = text[: pronoun.start()]
    for match in _OTHERS.finditer(window, max(0, len(window) - _REACH)):
        candidates.append((match.start(), None, "feminine" if match["feminine"] else "masculine"))
    for match in _ACTING_RELATIVES.finditer(window, max(0, len(window) - _REACH)):
        candidates.append((match.start(), None, "feminine" if match["feminine"] else "masculine"))
    candidates += [(match.start(), None, None) for match in _ANIMALS.finditer(window, max(0, len(window) - _REACH))]
    for match in _NAME.finditer(window, max(0, len(window) - _REACH)):
        known = people().gender_of(match.group())
        if known and not any(start < match.end() and match.start() < end for start, end in taken):
            candidates.append((match.start(), None, known))
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
    # *Kasper's on his way*: who stands in the sentence of a possessive is nearer than a side of the right gender.
    begins = max((match.end() for match in _ENDS.finditer(window)), default=0)
    beside = [c for c in open_ if c[0] >= begins and not _is_object(pronoun, text)]
    owns = pronoun.group().lower() in ("his", "her", "himself", "herself")
    here = any(c[0] >= begins or c[1] is None for c in same)
    near = beside if owns and beside and not here else same or open_
    # Who only owns something in the sentence is hardly the one of whom it goes on to speak.
    acting = [c for c in near if not re.match(r"[^\s.,]*['’]s\s", text[c[0] :])]
    near = acting if acting and any(c[0] >= begins for c in acting) and not owns else near
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


def _is_object(pronoun: re.Match[str], text: str) -> bool:
    """Whether a pronoun is *him*, or *her* that owns nothing."""
    form = pronoun.group().lower()
    return form == "him" or (
        form == "her" and _possessive(form, text[: pronoun.start()], text[pronoun.end() :]) == "him"
    )


def _validate(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """The sides are named in the same places, each by the other; nothing else is changed."""
    sides = sides_of(dialogue, original)
    before, after = sides.mentions(original), sides.mentions(result)
    rest = iter([int(mention.side) for mention in after])
    if not all((1 - mention.side) in rest for mention in before):
        return "the sides are not mentioned in exactly the swapped order"
    if _masked(original, before) != _masked(result, after):
        return "more than the speakers changed"
    return None


def _masked(text: str, mentions: Sequence[Mention]) -> str:
    """The text without mentions, pronouns, articles and letter case."""
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} @ {text[mention.end :]}"
    text = re.sub(r"\b(?:an?|the)\s+(?=@)", "", _PRONOUN.sub("@", text), flags=re.IGNORECASE)
    return re.sub(r"\s+|(?<=@)['’]s|(?<=@ )['’]s", "", text).lower()


SPEAKER_SWITCH = Perturbation(
    name="speaker_switch",
    version="5",
    family="domain",
    description="Swaps the two sides: role words, names and their pronouns, everywhere",
    effects={"consistency": "degrades", "relevance": "degrades"},
    propose=_propose,
    validate=_validate,
    needs=frozenset({"lexicon"}),
    citation=CITATION,
    examples=(
        (
            "The customer called to cancel a card. The agent cancelled it for the customer.",
            "The agent called to cancel a card. The customer cancelled it for the agent.",
        ),
    ),
)
register(SPEAKER_SWITCH)
