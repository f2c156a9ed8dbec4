"""Phrases that can go from a clause of which more is left, and those whose loss would claim more: limits of what may be
done, what is felt about something, and sentences that the parser cut."""

from dialgauge.perturb._grammar import SUBJECTS, can_be_verb, finite_part, is_be, is_finite
from dialgauge.perturb._guards import CONDITIONS, ancestors, lemma_of
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person

#: Opens a clause that is true by itself, whatever the other clause denies.
_BY_ITSELF = frozenset(["although", "as", "because", "since", "so", "though", "whereas", "while"])
#: What can only be done so long is said together with how long.
_ALLOWING = frozenset(["can", "could", "may", "might"])
_TO_AN_END = frozenset(["before", "by", "for", "until", "till", "up", "within"])
#: Except in a case: "barring an accident", "failing that".
_EXCEPTING = frozenset(["assuming", "barring", "excepting", "excluding", "failing"])
#: Who agrees with somebody on something need not agree with him.
_OF_BOTH = frozenset(["agree", "compare", "compete", "differ", "disagree", "share"])
_TIMES = ("DATE", "TIME")


def has_tense(parsed: Parsed, root: Token) -> bool:
    """Whether a sentence has a verb with tense. Behind two names the parser often takes it for an infinitive: *Ann and
    Bob talk*."""
    who = parsed.child(root, "nsubj")
    if finite_part(parsed, root) is not None or who is None:
        return finite_part(parsed, root) is not None
    joined = who.i < root.i and parsed.child(who, "conj") is not None
    bare = root.tag == "VB" or (root.tag == "NN" and can_be_verb(root.lower) and root.left == who.left)
    # "Ann's looking for it", where the parser takes *'s* for a possessive
    short = root.tag in ("JJ", "VBG", "VBN") and parsed.tokens[who.right].tag == "POS" and who.right < root.i
    return short or (joined and bare and parsed.child(root, "aux", "auxpass") is None)


def ends_inside(parsed: Parsed, last: int) -> bool:
    """*At Franklin Av. station*: the point of an abbreviation that the parser takes for the end of the sentence."""
    token = parsed.tokens[last]
    behind = parsed.text[parsed.sentences[token.sentence][1] :].lstrip()
    ends = not any(t.sentence == token.sentence and t.pos != "PUNCT" for t in parsed.tokens[last + 1 :])
    return ends and behind[:1].islower()


def opens_clause_behind(parsed: Parsed, first: int, last: int) -> bool:
    """*Knocked over kilts Nadine uses*: a subject right behind the phrase, whose clause belongs to it."""
    behind = parsed.tokens[last + 1 : last + 2]
    inside = parsed.tokens[first].start != parsed.sentences[parsed.tokens[first].sentence][0]
    return inside and any(
        t.left == opening.i and t.dep in SUBJECTS and t.head > t.i
        for opening in behind
        if opening.sentence == parsed.tokens[first].sentence and opening.pos != "PUNCT"
        for t in parsed.tokens[opening.i : opening.i + 6]
    )


def has_more_reasons(parsed: Parsed, last: int) -> bool:
    """*Because she sells it, and nobody wants a marked one*: a second clause behind a comma that may belong to it."""
    behind = parsed.tokens[last + 1 : last + 3]
    return len(behind) == 2 and behind[0].text == "," and (behind[1].lower in ("and", "or") or is_finite(behind[1]))


def has_person_before(parsed: Parsed, noun: Token) -> bool:
    """*Suggests Ann hunt for it*: what the parser takes for a noun is what somebody is to do."""
    before = parsed.tokens[noun.i - 1] if noun.i else noun
    parts = [parsed.tokens[c] for c in noun.children if parsed.tokens[c].dep == "compound"]
    return can_be_verb(noun.lower) and any(t.pos == "PROPN" and is_person(parsed, t) for t in (before, *parts))


def follows_complement(parsed: Parsed, phrase: Token, verb: Token) -> bool:
    """*Waits for Joe outside the pub*, *goes to Rome for a week*: a phrase behind the one that the verb needs."""
    before = [parsed.tokens[c] for c in verb.children if verb.i < c < phrase.i and parsed.tokens[c].dep != "punct"]
    if not before or lemma_of(verb) in _OF_BOTH or parsed.tokens[phrase.left - 1].text == ",":
        return False
    needed = next((t for t in before if t.dep != "prt"), None)
    beside = needed is not None and needed.left == verb.i + 1 + (before[0].dep == "prt")
    whole = needed is not None and needed.dep == "prep" and parsed.child(needed, "pobj") is not None
    return beside and whole and needed is not None and needed.lower not in ("from", phrase.lower)


def says_which(parsed: Parsed, phrase: Token, noun: Token) -> bool:
    """*Discuss the preparations for the barbecue*, *books the table for four*: what is first spoken of as known is
    known by what stands behind it."""
    known = any(parsed.tokens[c].lower == "the" for c in noun.children) and noun.pos == "NOUN"
    there = parsed.child(phrase, "pobj")
    told = any(lemma_of(t) == lemma_of(noun) for t in parsed.tokens[: noun.i])
    about = phrase.lower in ("about", "for", "from") and there is not None and there.entity not in _TIMES
    return known and noun.i == phrase.i - 1 and about and not told


def is_statement(parsed: Parsed, first: int, token: Token) -> bool:
    """Whether a clause says something of its own: a second clause, or one with *so*, *although*, *, because*."""
    if token.dep == "conj":
        return token.pos in ("VERB", "AUX")
    even = parsed.tokens[first].lower == "even"
    opening = parsed.tokens[first + even]
    fronted = first == 0 or parsed.tokens[first - 1].sentence != token.sentence
    comma = parsed.tokens[token.right + 1 : token.right + 2] if fronted else parsed.tokens[max(first - 1, 0) : first]
    set_off = opening.lower in ("although", "so", "though", "while") or any(t.text == "," for t in comma)
    whole = parsed.child(token, *SUBJECTS) is not None and finite_part(parsed, token) is not None
    return token.dep == "advcl" and opening.lower in _BY_ITSELF and set_off and whole


def is_reason(parsed: Parsed, first: int, token: Token) -> bool:
    """*Because they do not answer*: what a whole reason denies is not what the sentence denies."""
    whole = parsed.child(token, *SUBJECTS) is not None and finite_part(parsed, token) is not None
    set_off = first > 0 and parsed.tokens[first - 1].text == ","  # not "acts as she did not know it"
    opening = parsed.tokens[first].lower
    if token.dep == "relcl" and set_off and opening in ("which", "who"):
        return True  # "…, who ate it without suspecting anything"
    return token.dep == "advcl" and whole and (opening in ("because", "since") or (opening == "as" and set_off))


def is_limit(parsed: Parsed, token: Token, verb: Token) -> bool:
    """*Can be returned within sixty days*, *asks them to leave the house for three days*, *barring an accident*: what
    is left would be allowed or wanted for ever, or in any case."""
    opening = parsed.tokens[token.left].lower
    if token.lower in _EXCEPTING or opening in _EXCEPTING:
        return True
    noun = parsed.child(token, "pobj")
    measured = token.dep == "prep" and token.lower in _TO_AN_END and noun is not None and noun.entity in _TIMES
    if not measured:
        return False
    helpers = {parsed.tokens[c].lower for c in verb.children if parsed.tokens[c].dep in ("aux", "auxpass")}
    wanted = "to" in helpers and token.lower == "for"
    return bool(helpers & _ALLOWING) or wanted


def is_limited(parsed: Parsed, first: int, head: Token) -> bool:
    """*Only available in China*: what *only* or *just* is about."""
    near = [t for t in parsed.tokens[max(first - 4, 0) : first] if t.sentence == head.sentence]
    return any(t.lower in ("only", "merely", "solely") for t in near)


def is_one_of_row(parsed: Parsed, first: int, last: int, token: Token) -> bool:
    """*Asks about her hobbies, how she spends her time, the books and the films*: a clause that is one of a row."""
    behind = parsed.tokens[last + 1 : last + 3]
    if token.dep not in ("acl", "advcl", "relcl") or not first or parsed.tokens[first - 1].text != ",":
        return False
    nominal = len(behind) == 2 and behind[0].text == "," and behind[1].pos in ("DET", "NOUN", "ADJ", "NUM")
    own = any(t.left == last + 2 and t.dep in SUBJECTS and t.head == token.head for t in parsed.tokens)
    return nominal and not own and any(t.dep == "cc" for t in parsed.tokens[last + 2 :] if t.sentence == token.sentence)


def is_list_of_examples(parsed: Parsed, token: Token) -> bool:
    """*…, including the hotel and the flight*: examples at the end of a sentence, behind a comma."""
    behind = [t for t in parsed.tokens[token.right + 1 :] if t.sentence == token.sentence]
    comma = token.left > 0 and parsed.tokens[token.left - 1].text == ","
    opening = parsed.tokens[token.left].lower
    return comma and opening in ("including", "such") and all(t.pos == "PUNCT" for t in behind)


def is_felt(parsed: Parsed, noun: Token) -> bool:
    """*Is touched that he read a book that she likes*: what is felt about the whole need not be felt about less."""
    for word in (noun, *ancestors(parsed, noun)):
        above = parsed.tokens[word.head]
        if above.lower == "like" and word.i > above.i:
            return True  # "women like a man in good shape", where the parser takes *like* for a preposition
        if word.dep == "ccomp" and (above.pos == "ADJ" or above.tag == "VBN"):
            return True
    return False


def last_clause(parsed: Parsed) -> tuple[int, int] | None:
    """The last clause of a text, with *so*, *but* or *and* and a subject of its own, where a whole one stands before
    it: *She is ill, so he stays*. The parser often takes the first one for a part of the last."""
    ending = [t for t in parsed.tokens if t.sentence == len(parsed.sentences) - 1]
    if ending[-1].text != "." or ending[0].pos in ("SCONJ", "CCONJ", "ADP"):
        return None
    if any(t.text in ('"', "(", ")", ":", ";", "“", "”", "'") for t in ending):
        return None
    joints = [t for t in ending[1:-2] if _joins_clauses(parsed, t, ending)]
    return (joints[-1].i, ending[-2].i) if joints else None


def _joins_clauses(parsed: Parsed, joint: Token, ending: list[Token]) -> bool:
    """Whether a whole clause stands before a word that joins clauses, and one with its own subject behind it."""
    before = [t for t in ending if t.i < joint.i]
    behind = [t for t in ending if t.i > joint.i and t.pos != "PUNCT"]
    # "Wants a salad, then they talk about it"
    after = joint.lower == "then" and before[-1].text == "," and not any(t.lower == "first" for t in before)
    if not (after or joint.lower in ("and", "but", "so")) or parsed.tokens[joint.i + 1].lower == "that":
        return False
    opening = behind[0]
    own = any(t.left == opening.i and t.dep in SUBJECTS for t in behind)
    # "Brings beer and Ann brings wine", where the parser takes Ann for a second thing
    verb = next((t for t in behind[1:] if t.pos != "ADV"), opening)
    somebody = opening.tag in ("NNP", "PRP") and is_finite(verb)
    # "A car from Ann and Ben asks when": two people would not be one who "asks"
    alone = before[-1].pos not in ("PROPN", "PRON") or (verb.tag == "VBZ" and not is_be(verb))
    misread = somebody and alone and joint.lower in ("and", "then")
    if not (misread or (own and any(map(is_finite, behind)) and joint.dep in ("cc", "mark", "advmod"))):
        return False
    whole = any(map(is_finite, before)) and any(t.dep in SUBJECTS for t in before)
    bound = any(t.dep == "mark" and t.lower in CONDITIONS for t in before) or before[-1].lower in ("not", "only")
    return whole and not bound and before[-1].pos not in ("ADV", "CCONJ", "SCONJ", "AUX", "ADP")
