"""Noun phrases that a pronoun cannot stand for without another meaning or bad English."""

from dialgauge.perturb._grammar import SUBJECTS, can_be_verb, finite_part, is_finite, verb_base
from dialgauge.perturb._guards import following, has_determiner, is_definite, is_negated, noun_class, preceding
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person, names_person
from dialgauge.perturb._word_tables import word_set

#: Verbs with two objects, and verbs that say little themselves.
_GIVING = word_set("giving_verbs")
_LIGHT = word_set("light_verbs")
_TITLES = word_set("titles")
#: What is done with books and films, which have people's names.
_WITH_WORKS = frozenset(["read", "reread", "rewatch", "stream", "watch"])
#: What is done with people.
_WITH_PEOPLE = frozenset(["date", "greet", "hire", "hug", "interview", "invite", "kiss", "marry", "meet", "thank"])
_PERSONAL = frozenset(["he", "she", "him", "her", "his", "hers", "they", "them", "their"])
_MEASURES = frozenset(["DATE", "TIME", "MONEY", "QUANTITY", "PERCENT", "CARDINAL"])
#: Supersenses of states and times.
_STATE, _TIME = 26, 28
#: Supersenses of things, animals, food and people.
_THINGS = frozenset((5, 6, 13, 18))


def unfit(parsed: Parsed, root: Token, pronoun: str) -> bool:
    """Whether this noun must stay: the speaker of a turn, a title, people in general, one half of an expression."""
    after = following(parsed, parsed.tokens[root.right])
    verb = parsed.tokens[root.head]
    if after is not None and after.text in (":", "'", "’"):
        return True  # "Stephen: wait", "watch 'The Shining'"
    if (
        after is not None
        and after.lower == "about"
        and root.dep not in SUBJECTS
        and root.pos == "NOUN"
        and not names_person(root)
    ):
        return True  # "answers a call from Ann about a job"
    if _owner_is_spoken_of(parsed, root):
        return True
    if noun_class(root) == _TIME or (noun_class(root) == _STATE and parsed.child(root, "poss") is not None):
        return True  # "who treats this time", "overstays her welcome"
    if root.left == root.i and root.tag == "NN" and verb.tag == "VB" and root.dep in SUBJECTS:
        return True  # "if need be"
    if after is not None and after.tag == "VBG" and after.dep == "acl":
        return True  # "the Visa ending in 03", cut too short
    if root.pos == "PROPN" and any(t.lower in _TITLES for t in parsed.tokens[root.left + 1 : root.i]):
        return True  # "will tell Mr. Li Mrs. Smith has called"
    if any(parsed.tokens[c].lower == "only" for c in verb.children) and parsed.tokens[root.left].tag == "CD":
        return True  # "only lets them miss one class"
    part = parsed.child(root, "prep")
    if part is not None and part.lower == "of" and any(parsed.tokens[c].tag == "CD" for c in root.children):
        return True  # "600 m of climbing"
    if root.pos == "PROPN" and root.dep == "dobj" and verb_base(verb) in _WITH_WORKS:
        return True  # "is reading Harry Potter"
    if pronoun == "it" and root.dep == "dobj" and verb_base(verb) in _WITH_PEOPLE:
        return True  # "wants to meet a medium"
    if root.dep in SUBJECTS:
        if _is_cut(parsed, root, after):
            return True
    elif after is not None and is_finite(after) and after.pos != "AUX":
        return True  # "gives him a couple pin points"
    elif verb_base(verb) == "spend" or (is_negated(parsed, verb) and not _is_known(parsed, root)):
        return True  # "spent two hours playing games", "did not say a word"
    return (
        _is_completed(parsed, root, after)
        or _holds_another(parsed, root, verb)
        or _is_of_participle(parsed, root, verb)
        or _may_be_given(parsed, root, verb)
        or _in_general(parsed, root, verb)
        or _is_called(parsed, root, verb, pronoun)
        or _has_other_reflexive(parsed, verb, pronoun)
    )


def _owner_is_spoken_of(parsed: Parsed, noun: Token) -> bool:
    """*Ann's car is broken and she walks*: without the owner nobody is left whom the pronoun could mean."""
    owner = parsed.child(noun, "poss")
    if owner is None or owner.pos not in ("PROPN", "NOUN"):
        return False
    named = any(t.i < noun.left and t.text == owner.text for t in parsed.tokens)
    later = [t for t in parsed.tokens if t.i > noun.right and t.sentence <= noun.sentence + 1]
    return not named and any(t.lower in _PERSONAL for t in later)


def _is_completed(parsed: Parsed, noun: Token, after: Token | None) -> bool:
    """Whether a noun is only whole with what follows (*some more time to think*, *has reached the age to decide*, *the
    manager of the shop*, *the man who called*), or is a part of more (*some wine*)."""
    parts = [parsed.tokens[c] for c in noun.children]
    if any(t.dep in ("acl", "relcl") or (t.dep == "prep" and t.lower == "of") or t.lower == "some" for t in parts):
        return True
    if noun.dep not in SUBJECTS and verb_base(parsed.tokens[noun.head]) == "prefer":
        return True  # one of two, which "it" would not tell apart
    if noun.dep not in SUBJECTS and after is not None and after.lower == "by":
        return True  # "the music by Prince"
    later = [t for t in parsed.tokens[noun.right + 1 :] if t.sentence == noun.sentence]
    if noun.dep not in SUBJECTS and any(
        t.lower in ("who", "whom") and t.tag == "WP" and not is_person(parsed, parsed.tokens[t.i - 1]) for t in later
    ):
        return True  # "drove his daughter to Rome who studies there"
    if names_person(noun) and noun.dep not in SUBJECTS and any(t.lower in ("a", "an") for t in parts):
        return True  # "likes a girl with a nice smile": any one, who is nobody that a pronoun could mean
    return after is not None and after.lower == "to" and after.tag == "TO" and noun_class(noun) not in _THINGS


def _holds_another(parsed: Parsed, noun: Token, verb: Token) -> bool:
    """*On Sunday Ken is away*, *owes Trevor 35 dollars*, *drinking beer helps*, *Ann, Eve and Tom's boss is here*: the
    parser took a time, a sum, a doing or another person into the phrase."""
    tokens = parsed.subtree(noun)
    before = preceding(parsed, tokens[0])
    bare_preposition = before is not None and before.dep == "prep" and not before.children
    if noun.dep in SUBJECTS and bare_preposition:
        return True
    named = noun.pos == "PROPN" or any(t.pos == "PROPN" and t.dep in ("compound", "nmod") for t in tokens)
    if named and any(t.entity in _MEASURES for t in tokens):
        return True
    if tokens[0].dep == "compound" and tokens[0].text.endswith("ing") and tokens[0].i + 1 == noun.i:
        return can_be_verb(tokens[0].lower)
    carrier = finite_part(parsed, verb)
    single = carrier is not None and (carrier.tag == "VBZ" or carrier.lower == "was")
    after = following(parsed, tokens[-1])
    beyond = following(parsed, after) if after is not None else None
    if after is not None and after.pos == "CCONJ" and beyond is not None and beyond.pos == "ADP":
        return parsed.child(noun, "prep") is not None  # "advertise the opening in the paper and on the net"
    return single and any(t.dep == "conj" and parsed.child(t, "poss") is not None for t in tokens)


def _is_of_participle(parsed: Parsed, noun: Token, verb: Token) -> bool:
    """*Do the work badly organized*, *stamps collecting is fun*: what the parser takes for the verb describes the noun,
    or makes one word with it."""
    if noun.dep not in SUBJECTS or parsed.child(verb, "aux", "auxpass") is not None:
        return False
    return verb.tag == "VBN" or (verb.tag == "VBG" and verb.dep in SUBJECTS)


def _is_known(parsed: Parsed, noun: Token) -> bool:
    return noun.pos == "PROPN" or is_definite(parsed, noun) or noun.tag == "NNS"


def _is_cut(parsed: Parsed, noun: Token, after: Token | None) -> bool:
    """Whether the parser cut a subject too short (*the bus heading to the mall stops*), took it from another verb
    (*having a daughter is nice*) or from a participle before it (*Disputed bill is on hold*), or cannot tell how its
    verb agrees (*doesn ' t*)."""
    before = preceding(parsed, parsed.tokens[noun.left])
    if after is not None and after.tag == "VBG" and after.i != noun.head:
        return True
    if before is not None and (before.tag == "VBG" or (before.tag == "VBN" and preceding(parsed, before) is None)):
        return True
    verb = parsed.tokens[noun.head]
    return any(t.lower in ("doesn", "hasn", "isn", "wasn") for t in parsed.subtree(verb))


def _may_be_given(parsed: Parsed, noun: Token, verb: Token) -> bool:
    """*Keeps her company*: *her* may be somebody to whom it is done."""
    her = parsed.tokens[noun.left].lower == "her" and noun.dep in ("dobj", "dative", "iobj")
    bare = noun.tag == "NNS" or noun_class(noun) not in _THINGS
    return her and (verb_base(verb) in _GIVING or (verb_base(verb) in _LIGHT and bare))


def _in_general(parsed: Parsed, noun: Token, verb: Token) -> bool:
    """*Thinks people need relaxation*: anybody, not some that the reader could look for."""
    several = noun.tag == "NNS" and (names_person(noun) or noun.lower == "people")
    described = has_determiner(parsed, noun) or any(
        parsed.tokens[c].dep in ("amod", "nummod", "compound", "prep", "relcl") for c in noun.children
    )
    return several and not described and verb.tag in ("VB", "VBP", "VBZ", "MD")


def _is_called(parsed: Parsed, noun: Token, verb: Token, pronoun: str) -> bool:
    """*Ken is a prankster*, *Ken works as a guide*: *they are a prankster* is bad English."""
    said = parsed.child(verb, "attr") if verb.lemma == "be" else None
    role = next((parsed.tokens[c] for c in verb.children if parsed.tokens[c].lower == "as"), None)
    said = said or (parsed.child(role, "pobj") if role is not None and not parsed.child(verb, "dobj") else None)
    single = (
        said is not None
        and said.tag in ("NN", "NNP")
        and any(parsed.tokens[c].lower in ("a", "an") for c in said.children)
    )
    several = noun.tag in ("NNS", "NNPS") or parsed.child(noun, "conj") is not None
    return pronoun == "they" and single and not several


def _has_other_reflexive(parsed: Parsed, verb: Token, pronoun: str) -> bool:
    """*The quality of the photos will speak for themselves*: *it* does not go with *themselves*."""
    return pronoun == "it" and any(t.lower == "themselves" for t in parsed.subtree(verb))
