"""Times that a sentence can lose (*tomorrow*, *next week*): not a rate or a span, nor what a verb gives or needs."""

from dialgauge.perturb._deletions_stretch import WHEN
from dialgauge.perturb._grammar import finite_part
from dialgauge.perturb._guards import lemma_of
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person
from dialgauge.perturb._word_tables import word_set

#: Verbs that need the phrase after them (*look at*, *deal with*), and those that need a time.
_BINDING_VERBS, _TIMED = word_set("binding_verbs"), word_set("timed_verbs")
#: Verbs of giving somebody something.
_GIVING = word_set("giving_verbs")
#: What somebody is doing of these is mostly still to come.
_ARRANGED = frozenset(["arrive", "come", "depart", "go", "join", "leave", "marry", "meet", "move", "return", "start"])
#: Times that no plan is for.
_NOT_TO_COME = frozenset(["ago", "currently", "last", "moment", "now", "nowadays", "present", "yesterday"])


def is_future_by_time(parsed: Parsed, first: int, last: int, verb: Token) -> bool:
    """*Are having a call in 15 minutes*: without the time they would be having it now."""
    stretch = {t.lower for t in parsed.tokens[first : last + 1]}
    one = verb
    while one.dep == "conj" and not parsed.child(one, "aux", "nsubj"):
        one = parsed.tokens[one.head]
    helper = parsed.child(one, "aux")
    present = helper is not None and helper.lower in ("am", "are", "is", "'m", "'re", "'s", "’m", "’re", "’s")
    return present and verb.tag == "VBG" and lemma_of(verb) not in _ARRANGED and not stretch & _NOT_TO_COME


def bound_time(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """*Tomorrow*, *next week*, *this evening*: on a verb, not the subject of what follows, not a rate or a span."""
    head = parsed.tokens[token.head]
    inner = parsed.child(token, "npadvmod") if token.dep == "advmod" else token
    if inner is None or inner.entity not in WHEN or lemma_of(head) in _TIMED | {"spend"}:
        return "needed by its verb"
    if head.pos != "VERB" and not _is_somewhere(parsed, first, head, token):
        return "needed by its verb"
    if is_future_by_time(parsed, first, last, head):
        return "needed by its verb"
    if token.dep == "npadvmod" and parsed.child(inner, "nummod") is not None:
        return "a rate or a span"  # "refund three months", "pays back one night"
    if _may_be_given(parsed, first, head):
        return "needed by its verb"  # "offers him Saturday"
    if any(t.pos == "VERB" for t in parsed.tokens[first : last + 1]):
        return "not one stretch"  # "suggests Ann, who has watched TV all day, to go out"
    if parsed.tokens[first].lower in ("each", "every"):
        return "says how long, or how often"
    behind_time = first > 0 and (parsed.tokens[first - 1].entity in WHEN or parsed.tokens[first - 1].dep == "pobj")
    if behind_time and token.dep == "npadvmod" and parsed.tokens[first - 1].pos in ("ADV", "NUM"):
        return "a rate or a span"  # "someday next week"
    if parsed.tokens[first].lower in ("some", "any", "most", "more", "another", "other"):
        return "needed by its verb"  # "will bring Jerry some tomorrow", "wants to meet another day"
    complete = parsed.child(head, "dobj", "nsubjpass", "xcomp", "ccomp", "acomp", "attr") is not None or has_others(
        parsed, head, token
    )
    plain = head.tag == "VBD" and not complete and parsed.child(head, "aux", "advmod") in (None, token)
    if (head.dep == "acl" and not complete) or (plain and token.dep == "advmod"):
        return "needed by its verb"  # "two daughters aged six", "smoked two weeks ago"
    said = parsed.child(head, "dobj", "nsubjpass", "xcomp", "ccomp", "acomp", "attr", "prep")
    if said is None and lemma_of(head) in word_set("light_verbs"):
        return "needed by its verb"  # "where she did a week in spring"
    if (lemma_of(head) in _BINDING_VERBS and not complete) or (
        lemma_of(head) == "take" and not parsed.child(head, "dobj")
    ):
        return "needed by its verb"
    before = parsed.tokens[first - 1] if first else None
    starts = [t.i for t in parsed.tokens if not t.i or parsed.tokens[t.i - 1].sentence != t.sentence]
    after = parsed.tokens[last + 1] if last + 1 < len(parsed.tokens) else None
    if before is not None and (
        before.lower in ("once", "twice", "times", "every", "all", "the", "to", "a")
        or (before.pos in ("NUM", "ADJ") and before.dep != "dobj")  # but "meet each other next week"
        or (before.pos == "ADP" and before.dep != "prt")  # but "meet up next week"
        or (before.pos == "PROPN" and parsed.tokens[first].pos == "NUM")  # "watch Lethal Weapon 3 tonight"
    ):
        return "a rate or a span"
    if (
        after is not None
        and after.sentence == token.sentence
        and (
            after.pos in ("AUX", "VERB", "NOUN")
            or (after.pos == "CCONJ" and token.left == token.i == first and first in starts)  # "May and Tom give it"
            or after.lower in ("ago", "before", "after", "later", "old", "at", "until")
        )
    ):
        return "needed by what follows"
    return ""


def _is_somewhere(parsed: Parsed, first: int, be: Token, time: Token) -> bool:
    """*Needs to be at the party tonight*, *was ill last week*; not *is in Rome tomorrow*."""
    finite = finite_part(parsed, be)
    now = finite is not None and finite.tag in ("VBZ", "VBP") and lemma_of(finite) == "be" and time.lower != "today"
    where = parsed.child(be, "prep")
    placed = where is not None and parsed.child(where, "pobj") is not None and where.i < first
    said = parsed.child(be, "acomp", "attr")
    return lemma_of(be) == "be" and not now and (placed or (said is not None and said.i < first))


def _may_be_given(parsed: Parsed, first: int, verb: Token) -> bool:
    """Whether a time stands right behind somebody to whom a verb gives something, and nothing else is given."""
    to = parsed.tokens[first - 1] if first else verb
    told = to.dep in ("dobj", "dative") and to.head == verb.i and (is_person(parsed, to) or to.pos == "PRON")
    return told and lemma_of(verb) in _GIVING and parsed.child(verb, "xcomp", "ccomp") is None


def has_others(parsed: Parsed, verb: Token, phrase: Token) -> bool:
    """Whether something else than this phrase follows a verb and belongs to it; a particle is a part of the verb."""
    rest = [parsed.tokens[c] for c in verb.children if c > verb.i and c != phrase.i]
    return any(t.dep in ("prep", "advmod", "npadvmod") and t.tag != "RP" for t in rest)
