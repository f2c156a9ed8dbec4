"""What holds a phrase in its sentence from outside: adverbs that look to it, alternatives, denials, and verbs that are
left out because they were said before."""

from dialgauge.perturb._grammar import SUBJECTS
from dialgauge.perturb._guards import (
    DENYING,
    ancestors,
    has_determiner,
    in_excess,
    is_negated,
    lemma_of,
    noun_class,
)
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person

#: Supersenses of what is always the time, thought, state or quality of something.
OF_WHAT = frozenset((7, 9, 12, 16, 24, 26, 28))
_TIME = 28
#: Adverbs that repeat, add or replace something: what that is must be said.
_REPEATING = frozenset(["again", "either", "instead", "too"])
_AUXILIARIES = frozenset(["be", "do", "have"])
#: What makes a verb complete.
_COMPLEMENTS = ("dobj", "dative", "acomp", "attr", "xcomp", "ccomp", "oprd", "nsubjpass")
_ADJUNCTS = ("prep", "advmod", "npadvmod", "advcl", "agent")


def is_looked_to(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """*Go by train instead*, *open on Sundays again*, *with a taxi as well*: the adverb is about the phrase."""
    head = parsed.tokens[token.head]
    behind = [t.lower for t in parsed.tokens[last + 1 : last + 4] if t.sentence == token.sentence]
    if behind[:1] and (behind[0] in _REPEATING or (behind[:2] == ["as", "well"] and behind[2:] != ["as"])):
        return True
    own = [parsed.tokens[c] for c in head.children if not first <= c <= last]
    if token.dep not in ("prep", "npadvmod", "advmod", "advcl") or head.pos not in ("VERB", "AUX"):
        return False
    added = any(t.lower == "also" for t in own) and parsed.child(head, *_COMPLEMENTS) is None
    return added or any(t.lower in _REPEATING and t.i > head.i for t in own)


def has_alternative(parsed: Parsed, verb: Token) -> bool:
    """*Delivered in thirty minutes or it's free*: what is said of one of two clauses with *or* is its condition."""
    joints = [parsed.tokens[c].lower for c in verb.children if parsed.tokens[c].dep == "cc"]
    before = parsed.tokens[verb.left - 1].lower if verb.dep == "conj" and verb.left else ""
    return verb.pos in ("VERB", "AUX") and ("or" in joints or before == "or")


def is_denied(parsed: Parsed, token: Token) -> bool:
    """Whether something is denied or doubted that holds this phrase: *doubt you can earn it as a clerk*. What is said
    of a reason is not, nor is the reason why somebody refuses."""
    for word in ancestors(parsed, token):
        reason = token.dep == "advcl" and word.i == token.head
        denying = (lemma_of(word) in DENYING and not reason) or in_excess(parsed, word)
        if denying or (word.pos in ("VERB", "AUX") and is_negated(parsed, word)):
            return True
        own = word.dep == "conj" and parsed.child(word, *SUBJECTS) is not None
        if own or word.dep == "advcl":
            return False
    return False


def is_left_out_behind(parsed: Parsed, last: int, token: Token) -> bool:
    """*May be on the night flight. If it is, …*, *Ann leaves on Monday, but Bob doesn't*: an auxiliary without its verb
    stands for what was said last before it, as it was said."""
    for word in parsed.tokens[last + 1 :]:
        if word.sentence > token.sentence + 1:
            return False
        if not _stands_alone(parsed, word):
            continue
        between = [t for t in parsed.tokens[: word.i] if t.sentence == word.sentence and t.pos == "VERB"]
        if word.sentence == token.sentence or not between:
            return True
    return False


def _stands_alone(parsed: Parsed, word: Token) -> bool:
    """Whether an auxiliary has no verb and nothing else behind it."""
    if word.tag not in ("MD", "VBZ", "VBP", "VBD") or (word.tag != "MD" and lemma_of(word) not in _AUXILIARIES):
        return False
    if word.dep in ("aux", "auxpass") or parsed.child(word, *SUBJECTS) is None:
        return False
    behind = [t for t in parsed.tokens[word.i + 1 : word.i + 3] if t.sentence == word.sentence]
    while behind and behind[0].dep == "neg":
        behind.pop(0)
    return not behind or behind[0].pos == "PUNCT" or behind[0].dep == "cc"


def is_day_of_hour(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """*Meet on Saturday at 9 pm*: without the day the hour would be one of today."""
    dated = any(t.entity == "DATE" for t in parsed.tokens[first : last + 1])
    day = dated and (token.dep in ("acl", "npadvmod", "relcl") or token.lower == "on")
    near = [t for t in parsed.tokens[max(first - 6, 0) : last + 7] if t.sentence == token.sentence]
    outside = [t for t in near if not first <= t.i <= last]
    behind = [t for t in parsed.tokens[last + 1 :] if t.sentence > token.sentence]
    dated_later = next((t.sentence for t in behind if t.entity == "DATE"), len(parsed.sentences))
    if not any(t.entity == "DATE" for t in outside):
        outside += [t for t in behind if t.sentence < dated_later]  # "has to come tomorrow. He will come at 6 a.m."
    return day and any(
        t.lower in ("am", "pm", "a.m.", "p.m.", "o'clock")
        or (t.tag == "CD" and (t.entity == "TIME" or _is_hour(parsed, t)))
        for t in outside
    )


def _is_hour(parsed: Parsed, number: Token) -> bool:
    at = parsed.tokens[number.head].lower in ("around", "at", "by")
    return number.dep == "pobj" and at and number.entity in ("", "CARDINAL", "DATE")


def has_more_of_date(parsed: Parsed, last: int, token: Token) -> bool:
    """*For Wednesday the 16th*, *on Wednesday, 1 pm*: the rest of a date or an hour stands right behind."""
    if parsed.tokens[last].entity not in ("DATE", "TIME"):
        return False
    behind = [t for t in parsed.tokens[last + 1 : last + 3] if t.sentence == token.sentence and t.text != ","]
    return any(t.entity in ("DATE", "TIME") and t.pos in ("DET", "NUM") for t in behind[:1])


def opens_participle(parsed: Parsed, last: int, token: Token) -> bool:
    """*The key, which lay under one of five pots, all holding dead plants*: a participle behind a second comma that may
    belong to what goes."""
    if token.dep not in ("relcl", "appos", "acl") or last + 2 >= len(parsed.tokens):
        return False
    comma, opening = parsed.tokens[last + 1], parsed.tokens[last + 2]
    if comma.text != "," or opening.sentence != token.sentence:
        return False
    return any(
        t.left == opening.i and t.tag in ("VBG", "VBN") and t.dep in ("acl", "advcl") and t.head < opening.i
        for t in parsed.tokens[opening.i :]
        if t.sentence == token.sentence
    )


def joins_unlike_measures(parsed: Parsed, token: Token) -> bool:
    """*4.6% for five years or 4.9% for two*: *or* joins the two offers, and not what stands beside it."""
    noun = parsed.child(token, "pobj")
    other = parsed.child(noun, "conj") if noun is not None else None
    if noun is None or other is None or not (noun.entity or other.entity):
        return False
    return noun.entity != other.entity and bool(noun.entity and other.entity)


def repeats_preposition(parsed: Parsed, token: Token) -> bool:
    """*For five years or 4.9% for two*: one of two phrases with the same preposition, where one lacks its noun."""
    noun = parsed.child(token, "pobj")
    others = [t for t in parsed.tokens if t.sentence == token.sentence and t.i != token.i and t.lower == token.lower]
    nouns = [found for t in others if t.dep == "prep" and (found := parsed.child(t, "pobj"))]
    bare = [n for n in (noun, *nouns) if n is not None and n.tag == "CD" and n.left == n.right]
    return noun is not None and bool(nouns) and bool(bare) and (noun in bare or noun.entity != "")


def is_bare_without(parsed: Parsed, gone: set[int], token: Token) -> bool:
    """Whether a verb would be left with nothing behind it once this phrase goes as well as those that are gone."""
    verb = parsed.tokens[token.head]
    if verb.pos != "VERB" or not any(c in gone for c in verb.children):
        return False
    held = [parsed.tokens[c] for c in verb.children if c not in gone and c != token.i]
    return not any(t.dep in _COMPLEMENTS or (t.dep in _ADJUNCTS and t.i > verb.i) for t in held)


def is_counted_from(parsed: Parsed, first: int, token: Token) -> bool:
    """*Has known him since they were little*: what has been so is said together with its beginning."""
    helper = parsed.child(parsed.tokens[token.head], "aux")
    return parsed.tokens[first].lower == "since" and helper is not None and lemma_of(helper) == "have"


def is_measured_off(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """*The day after tomorrow*, *hours before the deadline*: a stretch of time that says nothing without its end, nor
    the end without it."""
    edges = (parsed.tokens[max(first - 1, 0) : first + 1], parsed.tokens[last : last + 2])
    return any(
        len(edge) == 2
        and edge[0].sentence == edge[1].sentence == token.sentence
        and edge[0].pos == "NOUN"
        and noun_class(edge[0]) == _TIME
        and edge[1].lower in ("after", "before")
        for edge in edges
    )


def has_verb_left_out(parsed: Parsed, token: Token) -> bool:
    """*A team comes today, a surveyor on Thursday*: the time is all that is left of a second clause."""
    noun, when = parsed.tokens[token.head], parsed.child(token, "pobj")
    timed = when is not None and when.entity in ("DATE", "TIME")
    return token.dep == "prep" and timed and noun.pos == "NOUN" and (names_person(noun) or _is_second(parsed, noun))


def _is_second(parsed: Parsed, noun: Token) -> bool:
    """*The letter comes in two days, new ones in ten*: a noun behind a comma, which no verb of its own follows."""
    before = parsed.tokens[noun.left - 1] if noun.left else noun
    return (
        before.text == "," and noun.dep in ("appos", "conj", "dep", "dobj", "npadvmod") and not parsed.child(noun, "cc")
    )


def is_time_with_somebody(parsed: Parsed, token: Token) -> bool:
    """*Spending time with her*, which is more than spending time."""
    noun = parsed.tokens[token.head] if token.dep == "prep" else token
    spent = noun.dep == "dobj" and lemma_of(parsed.tokens[noun.head]) == "spend"
    beside = token.dep == "prep" and lemma_of(noun) == "spend" and parsed.child(noun, "dobj") is not None
    near = any(
        t.lower in ("spend", "spends", "spending", "spent") for t in parsed.tokens[max(token.i - 4, 0) : token.i]
    )
    return token.lower == "with" and (spent or beside or near)


def has_other_time(parsed: Parsed, first: int, last: int) -> bool:
    """*Next week because of the rain this week*: another time of the sentence, counted by the same word."""
    times = {lemma_of(t) for t in parsed.tokens[first : last + 1] if t.entity == "DATE" and t.pos == "NOUN"}
    place = parsed.tokens[first].sentence
    timed = any(t.entity in ("DATE", "TIME") for t in parsed.tokens[first : last + 1])
    if timed and any(t.lower == "now" and t.sentence == place and not first <= t.i <= last for t in parsed.tokens):
        return True  # "comes in the afternoon as he is busy now"
    return any(
        t.entity == "DATE" and lemma_of(t) in times and t.sentence == place and not first <= t.i <= last
        for t in parsed.tokens
    )


def joins_two_places(parsed: Parsed, last: int, token: Token) -> bool:
    """*A film at the cinema and drinks at the bar*: *and* joins film and drinks, whatever the parser says."""
    noun = parsed.child(token, "pobj")
    joined = noun is not None and parsed.child(noun, "conj") is not None
    behind = [t for t in parsed.tokens[last + 1 : last + 7] if t.sentence == token.sentence]
    if not joined and behind[:1] and behind[0].dep != "cc":
        return False
    nouns = behind[: next((k for k, t in enumerate(behind) if t.pos in ("VERB", "AUX", "PUNCT")), len(behind))]
    return any(t.lower == token.lower for t in nouns[:1] if joined) or any(t.lower == token.lower for t in nouns[1:])


def opens_infinitive(parsed: Parsed, last: int, token: Token) -> bool:
    """*On her first day to work*: an infinitive behind a noun that may say what the noun is for."""
    noun, behind = parsed.tokens[last], parsed.tokens[last + 1 : last + 2]
    follows = any(t.lower == "to" and t.sentence == token.sentence for t in behind)
    if follows and noun.dep == "conj":
        return True  # "milk for dry skin and shampoo to prevent scurf"
    return follows and noun.pos == "NOUN" and has_determiner(parsed, noun) and noun_class(noun) in OF_WHAT
