"""Where the opposite of an adjective would be nonsense, bad English or no opposite."""

from functools import cache

from dialgauge.perturb._adjective_forms import adjective_lemma, inflected
from dialgauge.perturb._grammar import SUBJECTS, base_form, finite_part, inflect, subject
from dialgauge.perturb._guards import (
    CONDITIONS,
    ancestors,
    following,
    has_determiner,
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
#: Supersenses of things, events, food and times.
_TIMED = frozenset((6, 11, 13, 28))
#: Supersenses of bodies, things, food, places, objects, plants, possessions and substances.
_CONCRETE = frozenset((5, 6, 8, 13, 15, 17, 18, 20, 21, 27))
_DEVICE, _BODY, _FOOD, _PLACE = 6, 8, 13, 15
#: What opens a clause that tells why or when something is so.
_EXPLAINING = frozenset(["after", "as", "because", "if", "since", "when", "while"])
#: Verbs that say of their subject how it is.
_FINDING = frozenset(["call", "consider", "feel", "find", "make", "think"])
_SAYING = frozenset(
    ["'m", "'re", "'s", "appear", "be", "feel", "look", "prove", "remain", "seem", "smell", "sound", "taste"]
)
_HAVING = frozenset(["find", "offer", "provide"])
#: Verbs whose object is what somebody thinks good for another.
_PROPOSING = frozenset(["advise", "encourage", "propose", "recommend", "suggest"])
#: Verbs whose object is what somebody would like to have.
_SEEKING = word_set("seeking_verbs")
#: What somebody does with the new alone (*the opening of the new theatre*).
_BEGINNING = frozenset(["inaugurate", "inauguration", "introduce", "launch", "open", "opening", "release"])
#: What opens a clause in spite of which something is so.
_CONCEDING = frozenset(["although", "despite", "though"])
#: Verbs of liking and the like, and from which valence on a word is one; who agrees or accepts likes nothing yet.
_ATTITUDES, _STRONG = word_set("attitude_verbs"), 1.4
_FEARING = frozenset(["afraid", "envy", "fear", "miss", "scared", "worried", "worry"])
_AGREEING = frozenset(["accept", "agree", "help"])
#: Adverbs that only say how much: they go with any adjective (*spotlessly* goes with *clean* alone).
_DEGREES = word_set("degree_adverbs")
#: Supersenses of events, feelings, phenomena and states (or none), which can be bad in themselves, and of times.
_ILLS, _TIME = frozenset((9, 11, 12, 19, 26, None)), 28
#: Opposites that are so or not so, and not more or less so (*very free*).
_ABSOLUTE = word_set("absolute_adjectives")
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
    if token.dep in ("acomp", "oprd") and lemma_of(above) not in _SAYING | _FINDING:
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
    named = noun if after is None or after.dep != "compound" else after  # "a slow cooker dish"
    doing = lemma_of(named).endswith("er") and base_form(lemma_of(named)[:-2], "VERB") is not None
    device = noun_class(named) in (_DEVICE, None) and doing and not names_person(named)
    body = noun_class(noun) == _BODY  # "the lower back", "has a bad chest", "dry skin"
    return "part of a term" if device or body else ""


def conceded(parsed: Parsed, token: Token) -> str:
    """*Goes for a walk although it is late*: the opposite would be no hindrance."""
    for t in parsed.tokens:
        after = following(parsed, t)
        joins = t.sentence == token.sentence and t.lower in _CONCEDING and after is not None and after.pos != "PUNCT"
        if joins or (t.sentence == token.sentence and t.lower == "even" and after is not None and after.lower == "if"):
            return "in a concession"
    return ""


def valued_above(parsed: Parsed, token: Token) -> str:
    """*Apologises for being rude*, *likes working with honest people*: how somebody takes it says how it is."""
    below = token if token.dep == "amod" else parsed.tokens[token.head]
    for t in ancestors(parsed, below):
        joined = below.dep == "conj" and finite_part(parsed, below) is not None
        before = below.i < t.i and below is not token and t.pos in ("ADJ", "VERB")
        if joined or before:
            return ""  # a clause of its own, or one that stands before
        strength = max(abs(valence(t.lower)), abs(valence(lemma_of(t))))
        takes = strength >= _STRONG or {t.lower, lemma_of(t)} & (_ATTITUDES | _FEARING)
        if takes and (t.pos == "VERB" or (t.pos == "ADJ" and t.dep != "amod")) and lemma_of(t) not in _AGREEING:
            return "valued by what stands above"
        below = t
    return ""


def tied_to_its_words(parsed: Parsed, token: Token) -> str:
    """*Spotlessly clean*, *fresh baked bread*, *a fast but nice breakfast*, *long weekend plans*, *183 tall*: words
    beside it that the opposite does not go with."""
    before, after = preceding(parsed, token), following(parsed, token)
    manner = [t for t in (parsed.tokens[c] for c in token.children) if t.dep == "advmod" and t.lower.endswith("ly")]
    numbers = any(t is not None and t.pos == "NUM" for t in (before, after))  # "183 tall", "the big 3"
    little = any(parsed.tokens[c].lower in ("bit", "little") for c in token.children) and valence(token.lower) < 0
    if (
        numbers
        or little
        or any(t.lower not in _DEGREES for t in manner)
        or (after is not None and after.lower == "enough")
    ):
        return "measured by its own words"
    asked = any(parsed.tokens[c].lower == "how" for c in token.children)
    if asked or (token.lower == "right" and before is not None and before.lower == "all"):
        return "part of a fixed phrase"  # "asks how old it is", "it is all right"
    if token.dep == "amod" and before is not None and before.pos == "NOUN":
        return "part of a term"  # "a wall two miles long", "fitness smart socks"
    if after is not None and token.dep == "amod":
        part = after.pos in ("ADJ", "VERB") and after.lower.endswith("ed")
        if part or (after.dep == "compound" and noun_class(after) == _TIME):
            return "part of a term"
    joined = (token, parsed.tokens[token.head]) if token.dep == "conj" else (token,)
    contrast = any(parsed.tokens[c].lower in ("but", "yet") for t in joined if t.pos == "ADJ" for c in t.children)
    return "one half of a pair" if contrast else ""


def in_list_of_things(parsed: Parsed, token: Token) -> str:
    """*Regular meals, enough sleep and a good mood*, *advantages like an excellent package*: what stands in one list is
    of one sort."""
    noun = parsed.tokens[token.head]
    if token.dep != "amod" or not (valence(token.lower) or valence(lemma_of(token))):
        return ""
    if any(parsed.tokens[c].dep == "conj" for c in noun.children):
        return "one of a list"
    for t in (noun, *ancestors(parsed, noun)):
        if t.pos in ("VERB", "AUX") and finite_part(parsed, t) is not None:
            break
        if (t.dep == "conj" and t.pos == "NOUN") or t.lower in ("as", "including", "like"):
            return "one of a list"
    return ""


def of_an_ill(parsed: Parsed, token: Token) -> str:
    """*A terrible toothache*, *the smog is bad*: nobody has a wonderful one."""
    noun = parsed.tokens[token.head] if token.dep == "amod" else subject(parsed, parsed.tokens[token.head])
    if noun is None or noun.pos != "NOUN" or names_person(noun):
        return ""
    bad = valence(adjective_lemma(token)) <= -_STRONG or token.lower in ("severe", "serious")
    return "explained by its noun" if bad and noun_class(noun) in _ILLS else ""


def supposed(parsed: Parsed, token: Token) -> str:
    """*If the weather is nice*, *wonders whether it is important*, *after he has a good job*: nothing is said to be
    so."""
    for t in (token, *ancestors(parsed, token)):
        opening = {parsed.tokens[c].lower for c in t.children if parsed.tokens[c].dep in ("mark", "advmod")}
        if t.pos in ("VERB", "AUX", "ADJ") and opening & (CONDITIONS | {"after", "when", "whenever"}):
            return "inside a condition"
        if t is not token and t.lower in CONDITIONS:
            return "inside a condition"  # "provided that he is careful"
        clauses = [parsed.tokens[c] for c in t.children if parsed.tokens[c].dep == "advcl"]
        if any(parsed.tokens[c.left].lower in ("if", "once", "unless") for c in clauses):
            return "under a condition"  # "could be a great hotel once the insects are gone"
    return ""


def begun(parsed: Parsed, token: Token) -> str:
    """*The opening of the new theatre*: nobody opens an old one."""
    above = {lemma_of(t) for t in list(ancestors(parsed, token))[:4]}
    return "told with what is begun" if token.lower == "new" and above & _BEGINNING else ""


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
    if _has_more(parsed, token) and (takes_ending(opposite) or negative):
        return True  # "more cheap", "most unimportant"
    if opposite in _ABSOLUTE and any(parsed.tokens[c].dep == "advmod" for c in token.children):
        return True  # "is very free"
    if not negates(opposite, lemma) and _stays_true(parsed, token, opposite):
        return True
    if lemma in ("right", "wrong") and lemma_of(above) in ("feel", "seem"):
        return True  # "does not feel right"
    if lemma.endswith("ed") and _of_it(parsed, above):
        return True  # "it is tired to help them"
    if token.dep == "amod":
        if lemma in _AMOUNTS and noun_class(above) in _ABSTRACT:
            return True  # "great attention" is much of it
        if lemma == "right" and noun_class(above) in (_BODY, _PLACE):
            return True  # "in the right corner"
        if opposite == "right" and not is_definite(parsed, above):
            return True  # "discovers right details"
        if negative and is_definite(parsed, above):
            return True  # "the unsuitable train": that there is one was not said
        if lemma in ("early", "late") and noun_class(above) not in _TIMED:
            return True  # "her early experience"
        if token.tag == "JJ" and lemma in OF_THINGS - {"new"} and noun_class(above) not in _CONCRETE:
            return True  # "an open day", "a heavy cold"
    if negative and token.dep == "amod":
        verb = parsed.tokens[above.head]
        bare = above.tag == "NNS" and not has_determiner(parsed, above)
        had = above.dep == "dobj" and lemma_of(verb) in (_HAVING | {"get", "have"} if bare else _HAVING)
        if parsed.child(verb, "expl") is not None or had:
            return True  # "there would be unavailable ones", "has unavailable rooms"
    if negative and token.dep != "amod" and is_negated(parsed, above):
        return True  # "is not uninterested"
    clause = parsed.child(token, "ccomp")
    if clause is not None and parsed.child(clause, "mark") is None and negative:
        return True
    if _is_feared(parsed, token):
        return True
    proposed = token.dep == "amod" and any(lemma_of(t) in _PROPOSING for t in ancestors(parsed, token))
    return (proposed or negative or valence(opposite) < 0 or valence(lemma) > 0) and _is_sought(parsed, token)


def _stays_true(parsed: Parsed, token: Token, opposite: str) -> bool:
    """*Is not late* may be true of who is *not early*; of *not good* and *not bad* only one is meant."""
    verb = token if token.dep == "amod" else parsed.tokens[token.head]
    denied = is_negated(parsed, verb) or any(parsed.tokens[c].dep == "neg" for c in token.children)
    judged = min(abs(valence(token.lower)), abs(valence(opposite))) >= 1
    return denied and token.dep != "amod" and token.tag == "JJ" and not judged


def _is_feared(parsed: Parsed, token: Token) -> bool:
    """*Hopes that she won't feel depressed*: nobody hopes for the contrary."""
    below = [t for t in ancestors(parsed, token) if t.pos in ("VERB", "AUX")]
    hoping = any(lemma_of(t) in _SEEKING for t in below[1:])
    return hoping and is_negated(parsed, below[0]) and valence(token.lower) < 0


def _of_it(parsed: Parsed, verb: Token) -> bool:
    doer = subject(parsed, verb)
    return doer is not None and doer.lower in ("it", "that", "this")


def _has_more(parsed: Parsed, token: Token) -> bool:
    return any(parsed.tokens[c].lower in ("more", "most", "less", "least") for c in token.children)


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
        looking = looking or (lemma_of(verb) == "find" and verb.tag in ("VB", "VBG"))
        if looking or _is_purpose(parsed, verb):
            return True
        if (
            "to" in marks
            or marks & {"should", "must"}
            or (verb.tag == "VB" and not marks)
            or (not said and (lemma_of(verb) in _SEEKING or marks & {"will", "'ll", "should", "must"}))
        ):
            return True
        if verb.dep == "relcl" and marks & {"can", "could", "might"}:
            return True  # "agencies that could be helpful"
        if finite_part(parsed, verb) is not None and verb.dep not in ("ccomp", "relcl"):
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
    misspelt, conceded, valued_above, tied_to_its_words, in_list_of_things, of_an_ill, begun,
    supposed,
)  # fmt: skip
