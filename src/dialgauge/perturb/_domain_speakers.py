"""speaker_switch: what the one side did, the other did. Role words, names and pronouns are swapped everywhere."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_sides import Mention, Side, Sides, sides_of
from dialgauge.perturb._domain_text import CITATION
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._lexicon import lexicon, plural, word_list
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._people import ALIKE, is_first_name, is_person_word, people_of
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import copies_turns
from dialgauge.perturb._speaker_pronouns import (
    AS_RELATIVE,
    NAME,
    OTHER_PEOPLE,
    PRONOUN,
    WITH_RELATIVE,
    cased_like,
    is_relative,
    name_of_side,
    pronoun_edits,
)
from dialgauge.perturb._third_people import share_a_view
from dialgauge.perturb._word_tables import supersense, word_set

_NO_NAME = word_list("no_name")
#: What two people do with one another, so that it is the same whoever is named first.
_TOGETHER = re.compile(
    r"\b(?:(?:dis)?agree|argu|bargain|chat|compet|debat|differ|discuss|go|going|met|meet|play|quarrel|share|sharing|speak|swim|talk|together|work)\w*",
    re.IGNORECASE,
)
#: Somebody without a name who opens a sentence.
_OPENING_NOUN = re.compile(r"(?:^|[.!?]\s+)(?:The|An?) (?:[a-z-]+ )?([a-z]+)")
#: What opens another clause: *A gets the schedule, so she can talk with B*.
_CLAUSES = re.compile(r"[,;]|\b(?:and|but|so|because|that|who|when|before|after)\b")
#: What stands between two that are named in one row: *A and B*, *A, Ann and B*.
_LISTED = r"(?:,?\s+[A-Z]\w+)*,?\s+(?:(?:and|&|nor|or)\s+(?:the\s+)?)?"
#: What one does to another who then does it too: *A meets B*; and *A likes it and so does B*.
_MUTUAL = re.compile(
    r"\s+(?:(?:will|is|are|has|have|just|going to)\s+)*"
    r"(?:meet|meets|met|meeting(?: up)?(?: with)?|marry|marries|married|dates|dating|resembles"
    r"|(?:runs|ran|bumps|bumped) into)\s+(?:the\s+)?"
    r"|.*\band (?:so|neither) (?:are|can|did|do|does|has|is|was|will)\s+(?:the\s+)?"
)


def _propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    text = parsed.text
    sides = sides_of(dialogue, text)
    mentions = sides.mentions(text)
    if not mentions:
        return NotApplicable("neither side of the conversation is mentioned by a role word or a known name")
    if reason := _unswitchable(parsed, dialogue, sides, mentions):
        return NotApplicable(reason)
    edits = [_swapped(mention, sides, mentions, text) for mention in mentions]
    pronouns = pronoun_edits(text, sides, mentions)
    if pronouns is None:
        return NotApplicable("it is not clear whom a pronoun stands for, or whether the other side is a man or a woman")
    if re.search(r"\b(\S+) and \1(?!\w)", apply_edits(text, [*edits, *pronouns])):
        return NotApplicable("a side would be named twice in one row")
    return [*edits, *pronouns]


def _unswitchable(parsed: Parsed, dialogue: Dialogue | None, sides: Sides, mentions: Sequence[Mention]) -> str:
    """Why swapping would change nothing, or only a half of it."""
    text = parsed.text
    if any(AS_RELATIVE.search(text[: mention.start]) for mention in mentions):
        return "a side is named as somebody's relative"  # "his mom, Lucy"
    if any(
        WITH_RELATIVE.match(text, m.end) and _may_be_relative(sides, 0 if m.side else 1, mentions) for m in mentions
    ):
        return "a side is named as somebody's relative"  # "Elif's father", who is the other speaker
    if any(re.match(r"['’](?!\w)", text[mention.end :]) for mention in mentions):
        return "a side owns something by an apostrophe alone"  # "Hans' advice"
    if share_a_view(text, mentions):
        return "both sides share a view"  # "A thinks that it is late. B agrees."
    if _misspelt(text, mentions):
        return "a side is named in two spellings"
    both: tuple[Side, Side] = (0, 1)
    unnamed = [side for side in both if not name_of_side(side, sides, mentions)]
    if unnamed and copies_turns(text) and any(m.kind == "name" and m.side not in unnamed for m in mentions):
        return "the other side has no name that could be called"  # "Hello the agent"
    called = {name_of_side(side, sides, mentions) for side in both}
    if any(is_relative(name) and re.search(rf"\b{name.lower()}\b", text) for name in called):
        return "a side is named as somebody's relative"  # "Dad buys it at dad's request"
    if any(_is_label(speaker, dialogue) for speaker in called.intersection(sides.display)):
        return "the other side has no name that could be called"  # "Office has used the stove"
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
    if any(is_person_word(word.lower()) for word in _OPENING_NOUN.findall(text)) and mentions[0].kind == "name":
        return "one side is named, and somebody who may be the other one"  # "A claimant's payment was stopped"
    spans = [(mention.start, mention.end) for mention in mentions]
    placeholder = mentions[0].kind == "name" and not mentions[0].text[0].isalpha()
    if placeholder and any(word in OTHER_PEOPLE for word in re.findall(r"\b[Tt]he (\w+)", text)):
        return "one side is named, and somebody who may be the other one"  # "the doctor asks #Person1#"
    speakers = people_of(dialogue)
    for match in NAME.finditer(text):
        words = re.findall(r"[A-Z][a-z]+", match.group())
        person = any(is_first_name(word) or word.lower() in speakers for word in words) or match.group().startswith(
            ("Mr", "Ms", "Dr")
        )
        person = person or (placeholder and match.start() == 0 and len(words) > 1)  # "Tiang Had shows #Person2# …"
        often = len(re.findall(rf"\b{re.escape(match.group())}\b", text)) > 1
        person = person or (often and match.group().lower() not in _NO_NAME)
        person = person or any(get_close_matches(word.lower(), speakers, 1, ALIKE) for word in words)  # a misspelt one
        if person and not any(start < match.end() and match.start() < end for start, end in spans):
            return "one side is named, and somebody who may be the other one"
    return ""


def _may_be_relative(sides: Sides, side: Side, mentions: Sequence[Mention]) -> bool:
    """Whether the summary may call a side *Elif's father*: one that has no name in it, or is called *Dad*."""
    unnamed = not sides.display[side][:1].isalpha() and all(mention.side != side for mention in mentions)
    return unnamed or is_relative(sides.display[side])


def _is_label(speaker: str, dialogue: Dialogue | None) -> bool:
    """Whether turns are headed by a noun (*Office*), which is no name in a sentence: it would want an article."""
    if not speaker.isalpha():  # "Bot Team"
        words = speaker.split() if speaker.replace(" ", "").isalpha() else []
        named = any(map(is_first_name, words)) or any(word.lower().rstrip(".") in word_set("titles") for word in words)
        return len(words) > 1 and not named and any(supersense(word.lower()) is not None for word in words)
    if is_first_name(speaker) or is_relative(speaker):
        return False
    said = re.compile(rf"\b(?:an?|our|the|this|your) {speaker.lower()}\b")
    return supersense(speaker.lower()) is not None or (dialogue is not None and said.search(dialogue.text) is not None)


def _misspelt(text: str, mentions: Sequence[Mention]) -> bool:
    """Whether a name that is no side's is nearly that of one: *Philip* beside *Phillip*."""
    own = {word.lower() for mention in mentions if mention.kind == "name" for word in mention.text.split()}
    rest = {word.lower() for match in NAME.finditer(text) for word in match.group().split()} - own
    return any(get_close_matches(word, own, 1, ALIKE) for word in rest if len(word) > 4)


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
        if _MUTUAL.fullmatch(between) or re.search(r"\bdiffer\w*\s+from\s+(?:the\s+)?$", between):
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
            cased_like(word if mention.text.lower() == singular else plural(word), text[mention.start : mention.end]),
        )
    name = name_of_side(other, sides, mentions)
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
    text = re.sub(r"\b(?:an?|the)\s+(?=@)", "", PRONOUN.sub("@", text), flags=re.IGNORECASE)
    return re.sub(r"\s+|(?<=@)['’]s|(?<=@ )['’]s", "", text).lower()


SPEAKER_SWITCH = Perturbation(
    name="speaker_switch",
    version="13",
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
