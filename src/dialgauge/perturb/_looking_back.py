"""Whether the rest of a text speaks of something that only a phrase of it introduces."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dialgauge.perturb._grammar import is_finite
from dialgauge.perturb._guards import has_determiner, lemma_of, noun_class
from dialgauge.perturb._lexicon import root
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person
from dialgauge.perturb._word_tables import word_set

#: Words that tie a sentence to the one before.
TYING = word_set("tying_words")
_WHEN = ("DATE", "TIME")
_WHERE = ("GPE", "LOC", "FAC")
_PERSONAL = frozenset(["he", "she", "him", "her", "his", "hers", "himself", "herself"])
_PLURAL = frozenset(["they", "them", "their", "theirs", "themselves", "ones"])
#: Other words that look back to more than one.
_TOGETHER = frozenset(["both", "each", "together"])
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth")
_SPANS = frozenset(["day", "evening", "month", "morning", "night", "week", "year"])
#: Verbs of answering, and what says to what.
_ANSWERING = frozenset(["accept", "agree", "comply", "decline", "disagree", "refuse", "try"])
_SAID_WITH = frozenset(["ccomp", "dobj", "prep", "prt", "xcomp"])
#: Supersenses of groups and people.
_LIVING = (14, 18)
_NEUTER = frozenset(["it", "its", "itself", "one"])


def referred_to(parsed: Parsed, phrase: tuple[int, int, Token]) -> str:
    """Whether the rest speaks of something that only the phrase introduces."""
    first, last, token = phrase
    later = parsed.tokens[last + 1 :]
    following = next((t for t in later if t.sentence > token.sentence), None)
    if token.dep == "conj" and token.pos in ("VERB", "AUX") and following is not None and following.lower in TYING:
        return "the next sentence looks back"  # "…, but she never went there. So they go elsewhere."
    soon = [t for t in later if t.sentence <= token.sentence + 1 and t.dep == "advmod" and t.i > t.head]
    timed = token.dep == "prep" or any(t.entity in _WHEN for t in parsed.tokens[first : last + 1])
    if timed and any(
        t.lower in ("same", "that") and parsed.tokens[t.head].lower in ("day", "week", "month", "year", "time")
        for t in later
        if t.sentence <= token.sentence + 1
    ):
        return "spoken of again"  # "leaves on Tuesday and comes back the same day"
    if any(
        t.lower == "same" and parsed.tokens[t.head].lower in ("reason", "thing", "way")
        for t in later
        if t.sentence <= token.sentence + 1
    ):
        return "spoken of again"  # "for the same reason"
    if timed and any(a.lower in _SPANS and b.lower in ("before", "after") for a, b in pairwise(later)):
        return "spoken of again"  # "on Saturday, as it is her birthday the day before"
    if timed and any(t.lower == "then" for t in soon):
        return "spoken of again"  # "comes in May. She will be away then"
    named = any(t.pos in ("NOUN", "PROPN") for t in parsed.tokens[first : last + 1])
    if named and any(t.lower == "there" and t.dep == "advmod" for t in later if t.sentence <= token.sentence + 1):
        return "spoken of again"  # "buys them at the post office. She's going there"
    happens = token.dep in ("advcl", "conj") and token.pos in ("VERB", "AUX")
    if happens and any(_is_answer(parsed, t) for t in later if t.sentence <= token.sentence + 1):
        return "spoken of again"  # "George advises him to work out. Mike tries but he gets tired"
    nouns = [t for t in parsed.tokens[first : last + 1] if t.pos in ("NOUN", "PROPN") and t.entity not in _WHEN]
    if any(_is_another(parsed, t, nouns) for t in later if t.sentence <= token.sentence + 1):
        return "spoken of again"  # "a contract with a headhunter and will see other agencies"
    if any(t.lower == "some" and t.dep in ("dobj", "pobj") for t in later):
        return "spoken of again"  # "needs sugar. She comes to borrow some"
    if token.dep == "conj" and token.pos in ("NOUN", "PROPN") and any(t.lower in _PLURAL for t in later):
        return "spoken of again"  # "picks up Ann and Kate and goes shopping with them"
    placed = any(t.entity in _WHERE for t in parsed.tokens[first : last + 1])
    done = {root(t.lower) for t in parsed.tokens[first : last + 1] if t.pos == "VERB"}
    if any(t.pos == "NOUN" and has_determiner(parsed, t) and root(t.lower) in done for t in later):
        return "spoken of again"  # "a dog named Count. The name comes from …"
    if (
        _is_meant(parsed, first, last)
        or _is_one_of_them(parsed, first, last)
        or _is_pointed_to(parsed, first, last, token)
        or _is_left_out_later(parsed, first, last)
    ):
        return "spoken of again"
    if placed and any(_is_place_again(parsed, t) for t in later):
        return "spoken of again"  # "the rent in Rome, but she thinks the city is exciting"
    if _is_contrasted(parsed, first, last, token):
        return "beside a contrast"
    for noun in parsed.tokens[first : last + 1]:
        if noun.pos not in ("NOUN", "PROPN") or noun.entity in _WHEN:
            continue
        elsewhere = [t for t in parsed.tokens if not first <= t.i <= last and lemma_of(t) == lemma_of(noun)]
        if any(t.i < first or t.pos == "PROPN" for t in elsewhere):
            continue
        unknown = noun.pos == "PROPN" and (noun.dep == "nsubj" or noun.entity not in (*_WHERE, "ORG", "PRODUCT"))
        person = is_person(parsed, noun) or unknown
        words = _PLURAL if noun.tag in ("NNS", "NNPS") else _PERSONAL if person else _NEUTER
        pronouns = {
            t.lower
            for t in later
            if (t.pos == "PRON" or t.dep == "dobj") and (person or t.sentence <= noun.sentence + 1)
        }
        if noun.entity in _WHERE and any(t.lower == "there" and t.dep == "advmod" for t in later):
            return "spoken of again"
        if elsewhere or pronouns & words:
            return "spoken of again"
    return ""


def _is_answer(parsed: Parsed, verb: Token) -> bool:
    """*Agrees*, *tries*, without what it is that they agree to or try."""
    alone = verb.pos == "VERB" and is_finite(verb) and lemma_of(verb) in _ANSWERING
    return alone and not any(parsed.tokens[c].dep in _SAID_WITH and c > verb.i for c in verb.children)


def _is_another(parsed: Parsed, word: Token, nouns: Sequence[Token]) -> bool:
    """*Other agencies*, *someone else*: another one of the kind of these nouns; not *each other*."""
    if word.lower not in ("another", "else", "other", "others") or parsed.tokens[word.i - 1].lower == "each":
        return False
    of = parsed.tokens[word.head] if word.dep in ("amod", "det") else None
    return bool(nouns) and (of is None or any(_kind(parsed, one) in (None, _kind(parsed, of)) for one in nouns))


def _kind(parsed: Parsed, noun: Token) -> int | None:
    """The supersense of a noun; of people and groups, the same."""
    living = is_person(parsed, noun) or noun.entity in ("ORG", "PERSON") or noun_class(noun) in _LIVING
    return _LIVING[0] if living else noun_class(noun)


def _is_place_again(parsed: Parsed, noun: Token) -> bool:
    """*The city*, *this country*."""
    known = any(parsed.tokens[c].lower in ("the", "this", "that") for c in noun.children)
    return known and lemma_of(noun) in ("city", "country", "island", "place", "state", "town", "village")


def _is_meant(parsed: Parsed, first: int, last: int) -> bool:
    """*When Carol calls, Ann tells her*, *a man wanting to leave, and this news*: what stays may point to somebody who
    is named in the phrase, or to what happens there."""
    phrase, end = parsed.tokens[first : last + 1], parsed.tokens[last].sentence
    later = [t for t in parsed.tokens[last + 1 :] if t.sentence <= end + 1]
    person = any(t.pos in ("NOUN", "PROPN") and is_person(parsed, t) for t in phrase)
    if person and any(t.lower in _PERSONAL and t.sentence == end for t in later):
        return True
    happens = any(t.pos == "VERB" for t in phrase)
    ends = not any(t.sentence == end and t.pos != "PUNCT" for t in later)
    return happens and any(
        (
            t.lower in ("this", "that", "these", "those")
            and t.tag == "DT"
            and t.entity not in _WHEN
            and parsed.tokens[t.head].entity not in _WHEN
        )
        or t.lower == "such"
        or (t.lower == "so" and lemma_of(parsed.tokens[t.i - 1]) == "do")  # "cannot study. Ann helps him to do so"
        or (ends and t.lower == "it" and t.dep != "expl")
        for t in later
    )


def _is_one_of_them(parsed: Parsed, first: int, last: int) -> bool:
    """*Discusses it with Mr. Chen. They meet on Friday*: somebody whom only the phrase names before a word for
    several, or before *him* where nobody else has a name."""
    for person in parsed.tokens[first : last + 1]:
        if person.pos not in ("NOUN", "PROPN") or not is_person(parsed, person):
            continue
        if any(lemma_of(t) == lemma_of(person) for t in parsed.tokens[:first]):
            continue
        again = next((t.i for t in parsed.tokens[last + 1 :] if lemma_of(t) == lemma_of(person)), len(parsed.tokens))
        others = any(t.pos == "PROPN" and t.text[0] != "#" and is_person(parsed, t) for t in parsed.tokens[:first])
        words = _PLURAL | _TOGETHER if others else _PLURAL | _TOGETHER | _PERSONAL
        if any(t.lower in words for t in parsed.tokens[last + 1 : again]):
            return True
    return False


def _is_pointed_to(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """*Finds perfumes for men, and Ann says it is a new fashion*: what describes a noun, where *it* may mean the noun
    as it is described."""
    beside = parsed.tokens[first - 1] if first else token  # the parser often gives the phrase to the verb
    described = "NOUN" in (parsed.tokens[token.head].pos, beside.pos) and token.dep in ("prep", "acl", "relcl")
    return described and any(
        t.sentence == token.sentence and t.lower in ("it", "this", "that") and t.tag in ("PRP", "DT")
        for t in parsed.tokens[last + 1 :]
    )


def _is_left_out_later(parsed: Parsed, first: int, last: int) -> bool:
    """*Gets off on the 56th floor, though she goes to the 70th*: a number in the phrase has the noun that another
    number lacks."""
    counted = any(_ORDINAL.fullmatch(t.lower) for t in parsed.tokens[first : last + 1])
    return counted and any(
        _ORDINAL.fullmatch(t.lower) and t.dep in ("pobj", "dobj", "nsubj", "attr", "conj")
        for t in (*parsed.tokens[:first], *parsed.tokens[last + 1 :])
    )


def _is_contrasted(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """*In summer, she walks. In winter, she reads*: one of two times or places of neighbouring sentences, with the same
    preposition or both in front."""
    kinds = _kinds(parsed, first, last)
    if not kinds or token.dep not in ("prep", "npadvmod"):
        return False
    for other in parsed.tokens:
        if abs(other.sentence - token.sentence) != 1 or other.dep not in ("prep", "npadvmod"):
            continue
        fronted = _is_fronted(parsed, token) and _is_fronted(parsed, other)
        alike = token.dep == other.dep == "prep" and token.lower == other.lower
        if (fronted or alike) and _kinds(parsed, other.left, other.right) & kinds:
            return True
    return False


def _kinds(parsed: Parsed, first: int, last: int) -> set[str]:
    """Whether a phrase says when or where."""
    entities = {t.entity for t in parsed.tokens[first : last + 1]}
    return {name for name, kinds in (("when", _WHEN), ("where", _WHERE)) if not entities.isdisjoint(kinds)}


def _is_fronted(parsed: Parsed, token: Token) -> bool:
    return parsed.tokens[token.left].start == parsed.sentences[token.sentence][0]
