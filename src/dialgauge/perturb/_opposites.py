"""Where the opposite of an adjective would be nonsense, bad English or no opposite."""

from functools import cache

from dialgauge.perturb._adjective_forms import adjective_lemma, inflected
from dialgauge.perturb._grammar import SUBJECTS, base_form, finite_part, inflect, subject
from dialgauge.perturb._guards import (
    ancestors,
    following,
    in_excess,
    is_definite,
    is_negated,
    lemma_of,
    noun_class,
    preceding,
)
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person
from dialgauge.perturb._word_tables import negates, substitutes, takes_ending, word_set

#: Adjectives that say how much of something there is, and supersenses of what has no size: attributes, thoughts,
#: feelings, amounts and states.
_AMOUNTS = frozenset(["big", "great", "huge"])
_ABSTRACT = frozenset((7, 9, 12, 23, 26))
#: Supersenses of acts, things, events, food and times.
_TIMED = frozenset((4, 6, 11, 13, 28))
#: Supersenses of bodies, things, food, places, objects, plants, possessions and substances.
_CONCRETE = frozenset((5, 6, 8, 13, 15, 17, 18, 20, 21, 27))
_DEVICE, _BODY, _FOOD = 6, 8, 13
#: What opens a clause that tells why or when something is so.
_EXPLAINING = frozenset(["after", "as", "because", "if", "since", "when", "while"])
#: Verbs that say of their subject how it is.
_SAYING = frozenset(
    ["'m", "'re", "'s", "appear", "be", "feel", "look", "prove", "remain", "seem", "smell", "sound", "taste"]
)
#: Verbs whose object is what somebody would like to have.
_SEEKING = word_set("seeking_verbs")
#: Adjectives that mean something else of things that can be touched than of the others.
OF_THINGS = word_set("adjectives_of_things")


def in_excess_or_none(parsed: Parsed, token: Token) -> str:
    """*Too good to be true*, *so good that she sees it again*, *for no good reason*."""
    if any(parsed.tokens[c].lower == "so" for c in token.children):
        return "measured by so"
    if any(in_excess(parsed, t) for t in (token, *ancestors(parsed, token))):
        return "measured by too"
    noun = parsed.tokens[token.head]
    return "under a negation" if any(parsed.tokens[c].lower == "no" for c in noun.children) else ""


def not_said_of(parsed: Parsed, token: Token) -> str:
    """*Wants to start small*, *she drunk beer*: an adverb or a verb, whatever the parser says."""
    above = parsed.tokens[token.head]
    if token.dep == "acomp" and lemma_of(above) not in _SAYING:
        return "part of a fixed phrase"
    return "may be a verb" if token.dep != "amod" and parsed.child(token, "nsubj") is not None else ""


def acted_on(parsed: Parsed, token: Token) -> str:
    """*Is tired and goes to bed*: what somebody does because of it would make nonsense of its opposite."""
    verb = parsed.tokens[token.head]
    joined = [parsed.tokens[c] for c in verb.children if parsed.tokens[c].dep == "conj"]
    doing = any(t.pos == "VERB" and parsed.child(t, *SUBJECTS) is None for t in joined)
    return "told with what follows from it" if token.dep == "acomp" and doing else ""


def misspelt(parsed: Parsed, token: Token) -> str:
    """A comparative or superlative that is none (*lastest*), or no longer one (*the latest news*)."""
    if token.tag == "JJ":
        return ""
    lemma = adjective_lemma(token)
    known = inflected(lemma, token) == token.lower or lemma in ("bad", "far", "good", "little", "many", "much", "old")
    return "part of a fixed phrase" if not known or token.lower == "latest" else ""


def in_pair(parsed: Parsed, token: Token) -> str:
    """*Both nice and bad weather*, *angry and sad*: the other one says how this one is meant."""
    first = parsed.tokens[token.head] if token.dep == "conj" else token
    joined = [parsed.tokens[c] for c in first.children if parsed.tokens[c].dep == "conj"]
    others = [t for t in (first, *joined) if t.i != token.i and t.pos == "ADJ"] if joined else []
    known = substitutes("antonyms")
    if any(valence(t.lower) * valence(token.lower) > 0 and not known.get(adjective_lemma(t)) for t in others):
        return "one half of a pair"
    noun = parsed.tokens[first.head]
    both = any(parsed.tokens[c].lower in ("both", "either") for t in (first, noun) for c in t.children)
    return "one half of a pair" if both else ""


def explained(parsed: Parsed, token: Token) -> str:
    """*Sad because his life is miserable*, *depressed and stressed*: what is said beside it would contradict."""
    noun = parsed.tokens[token.head]
    if token.dep == "amod":
        if (valence(noun.lower) or valence(lemma_of(noun))) * valence(token.lower) > 0:
            return "explained by its noun"  # "terrible debts"
        above = [t.lower for t in ancestors(parsed, noun)]
        if noun.dep == "pobj" and {"because", "due"} & {*above[:2]}:
            return "gives a reason"  # "because of the terrible noise"
    if tells_why(parsed, token):
        return "gives a reason or has one"
    verb = parsed.tokens[noun.head] if token.dep == "amod" and noun.dep == "attr" else noun
    said = token.dep != "amod" or noun.dep == "attr"
    beside = [parsed.tokens[c] for c in (*verb.children, *token.children) if c > token.i]
    if said and any(p.dep == "advcl" and parsed.tokens[p.left].lower in _EXPLAINING for p in beside):
        return "explained by what follows"
    joined = [p for p in beside if p.dep == "conj" and p.tag == "VBN" and parsed.child(p, *SUBJECTS) is None]
    same = any(valence(p.lower) * valence(token.lower) > 0 for p in joined)
    return "explained by what follows" if same else ""


def tells_why(parsed: Parsed, token: Token) -> bool:
    """*Buys it because it is cheap*, *is lost, so she is sad*: the opposite would be no reason, or have none."""
    for t in parsed.tokens:
        if t.sentence != token.sentence:
            continue
        after = following(parsed, t)
        joins = t.dep in ("mark", "cc", "advmod") and after is not None and after.pos not in ("ADJ", "ADV")
        if t.lower == "because" or (t.lower in ("as", "for", "since", "so") and joins and t.pos != "ADP"):
            return True
    return False


def in_set_phrase(parsed: Parsed, token: Token) -> str:
    """*Makes good use of it*, *takes good care of him*, *asks them not to be late*."""
    noun = parsed.tokens[token.head]
    if token.dep == "amod":
        light = noun.dep == "dobj" and lemma_of(parsed.tokens[noun.head]) in ("make", "take") and noun.tag == "NN"
        bare = not any(parsed.tokens[c].dep in ("det", "poss") for c in noun.children)
        return "part of a fixed phrase" if light and bare else ""
    marks = {parsed.tokens[c].lower for c in noun.children if c < token.i}
    return "under a negation" if {"not", "to"} <= marks else ""


def of_a_part_or_device(parsed: Parsed, token: Token) -> str:
    """*The lower back*, *a slow cooker*, *dry wine*: one of two parts, what something does, a sort of drink."""
    noun = parsed.tokens[token.head]
    before, after = preceding(parsed, token), following(parsed, token)
    if before is not None and after is not None and before.tag == after.tag == "CD":
        return "part of a name"  # "zero dark thirty"
    if token.dep == "amod" and token.lower in ("dry", "hard", "light", "soft", "strong") and noun_class(noun) == _FOOD:
        return "part of a term"
    if token.dep != "amod":
        after = following(parsed, token)
        misread = token.tag != "JJ" and after is not None and after.pos == "VERB"  # "and later convinces him"
        return "part of a fixed phrase" if misread else ""
    doing = lemma_of(noun).endswith("er") and base_form(lemma_of(noun)[:-2], "VERB") is not None
    device = noun_class(noun) == _DEVICE and doing
    return "part of a term" if device or (token.tag == "JJR" and noun_class(noun) == _BODY) else ""


def result_of_a_verb(parsed: Parsed, token: Token) -> str:
    """*The broken pipe*: what was done to it is why it is spoken of."""
    verb = base_form(token.lower, "VERB")
    done = verb is not None and verb != token.lower and inflect(verb, "VBN") == token.lower
    return "says what was done" if done and token.dep in ("amod", "conj") else ""


def unwanted(parsed: Parsed, token: Token, opposite: str) -> bool:
    """An opposite that nobody would write: *not unhappy* is no opposite of *not happy*, *unafraid it rains* and *more
    cheap* are no English, and nobody looks for the bad or asks for the useless."""
    lemma = adjective_lemma(token)
    above = parsed.tokens[token.head]
    negative = negates(opposite, lemma) and len(opposite) > len(lemma)
    if _has_more(parsed, token) and takes_ending(opposite):
        return True  # "more cheap"
    if lemma in ("right", "wrong") and lemma_of(above) in ("feel", "seem"):
        return True  # "does not feel right"
    if lemma.endswith("ed") and _of_it(parsed, above):
        return True  # "it is tired to help them"
    if token.dep == "amod":
        if lemma in _AMOUNTS and noun_class(above) in _ABSTRACT:
            return True  # "great attention" is much of it
        if opposite == "right" and not is_definite(parsed, above):
            return True  # "discovers right details"
        if negative and is_definite(parsed, above):
            return True  # "the unsuitable train": that there is one was not said
        if lemma in ("early", "late") and noun_class(above) not in _TIMED:
            return True  # "her early experience"
        if token.tag == "JJ" and lemma in OF_THINGS - {"new"} and noun_class(above) not in _CONCRETE:
            return True  # "an open day", "a heavy cold"
    if negative and token.dep == "amod" and parsed.child(parsed.tokens[above.head], "expl") is not None:
        return True  # "there would be unavailable ones"
    if negative and token.dep != "amod" and is_negated(parsed, above) and not _of_somebody(parsed, above):
        return True
    clause = parsed.child(token, "ccomp")
    if clause is not None and parsed.child(clause, "mark") is None and negative:
        return True
    if _is_feared(parsed, token):
        return True
    return (negative or valence(opposite) < 0) and _is_sought(parsed, token)


def _is_feared(parsed: Parsed, token: Token) -> bool:
    """*Hopes that she won't feel depressed*: nobody hopes for the contrary."""
    below = [t for t in ancestors(parsed, token) if t.pos in ("VERB", "AUX")]
    hoping = any(lemma_of(t) in _SEEKING for t in below[1:])
    return hoping and is_negated(parsed, below[0]) and valence(token.lower) < 0


def _of_somebody(parsed: Parsed, verb: Token) -> bool:
    doer = subject(parsed, verb)
    return doer is not None and (doer.pos == "PROPN" or names_person(doer) or doer.lower in ("he", "she", "they"))


def _of_it(parsed: Parsed, verb: Token) -> bool:
    doer = subject(parsed, verb)
    return doer is not None and doer.lower in ("it", "that", "this")


def _has_more(parsed: Parsed, token: Token) -> bool:
    return any(parsed.tokens[c].lower in ("more", "most") for c in token.children)


def _is_sought(parsed: Parsed, token: Token) -> bool:
    """Whether the adjective belongs to something that somebody wants, tries, asks for or will do. Of a verb that is
    said of a quality (*looks nice*, *will be late*) this does not hold."""
    said = token.dep != "amod"
    for verb in ancestors(parsed, token):
        if verb.pos not in ("VERB", "AUX"):
            said = False
            continue
        marks = {parsed.tokens[c].lower for c in verb.children if parsed.tokens[c].dep == "aux"}
        looking = lemma_of(verb) == "look" and any(parsed.tokens[c].lower == "for" for c in verb.children)
        if looking or _is_purpose(parsed, verb):
            return True
        if (
            "to" in marks
            or marks & {"should", "must"}
            or (verb.tag == "VB" and not marks)
            or (not said and (lemma_of(verb) in _SEEKING or marks & {"will", "'ll", "should", "must"}))
        ):
            return True
        if finite_part(parsed, verb) is not None and verb.dep != "ccomp":
            return False
        said = False
    return False


def _is_purpose(parsed: Parsed, verb: Token) -> bool:
    """*So that she looks good*."""
    opening = [t.lower for t in parsed.tokens[verb.left : verb.left + 2]]
    return verb.dep == "advcl" and opening == ["so", "that"]


@cache
def valence(word: str) -> float:
    """How good (above 0) or bad a word sounds, by the lexicon of VADER."""
    from dialgauge.affect import vader_lexicon

    return vader_lexicon().valences.get(word, 0.0)


#: What keeps an adjective from becoming its opposite.
OPPOSITE_GUARDS = (
    in_excess_or_none, in_pair, explained, in_set_phrase, of_a_part_or_device, result_of_a_verb, not_said_of, acted_on,
    misspelt,
)  # fmt: skip
