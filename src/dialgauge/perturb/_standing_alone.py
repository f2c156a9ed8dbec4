"""Whether what an adjective says stands alone in its text: nothing explains it, limits it, contrasts with it, follows
from it or needs it to know what is meant. Only there is its opposite as coherent as the adjective itself."""

from dialgauge.perturb._adjective_forms import adjective_lemma
from dialgauge.perturb._grammar import finite_part, is_question, subject
from dialgauge.perturb._guards import ancestors, is_definite, lemma_of
from dialgauge.perturb._opposites import valence
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person
from dialgauge.perturb._word_tables import word_set

#: What somebody is, not only feels at the time, and how many words at most a sentence has that says no more.
_TRAITS, _SHORT = word_set("traits"), 4
#: Words that set a statement beside another one (*is still dissatisfied*, *only wet weather*, *but it is late*).
_SETTING = word_set("setting_words")
#: Verbs that only say whose statement it is (*thinks that the film is boring*).
_STATING = word_set("stating_verbs")
#: What may open a sentence that leans on the one before.
_LEANING = frozenset(["it", "that", "this", "these", "those", "such", "they", "he", "she"])
#: Prepositions whose object is told with what happens (*lives in a small town*, *goes for a long walk*).
_PLACING = frozenset(["at", "for", "from", "in", "into", "near", "on", "through", "to", "with"])
#: Phrases that may stay with a noun: they place it (*a small town in Italy*) and rarely explain its quality.
_LOCATING = frozenset(["at", "for", "from", "in", "near", "of"])
#: Clauses that are part of another one.
_CLAUSES = frozenset(["acl", "advcl", "conj", "csubj", "parataxis", "pcomp", "relcl"])
#: Last words of a sentence that leaves out what the one before it says.
_ELLIPTIC = frozenset(["are", "did", "do", "does", "either", "is", "n't", "not", "too", "was", "were", "will"])
_PERSONAL = frozenset(["he", "her", "him", "his", "she", "their", "them", "they"])
_OF_THINGS = frozenset(["it", "its", "one", "ones", "that", "their", "them", "there", "these", "they", "this", "those"])


def identifies(parsed: Parsed, token: Token) -> str:
    """*The sick boy*, *the old version*, *a narrow staircase with a bend*: the adjective says which one is meant, or
    another phrase describes it as well."""
    if token.dep != "amod":
        return ""
    noun = parsed.tokens[token.head]
    if is_definite(parsed, noun) or any(parsed.tokens[c].lower in ("'s", "’s") for c in noun.children):
        return "says which one is meant"
    others = [parsed.tokens[c] for c in noun.children if c != token.i and parsed.tokens[c].dep not in ("det", "punct")]
    if any(c.dep not in ("nummod", "compound") and c.lower not in _LOCATING for c in others):
        return "described by other words, too"
    above = parsed.tokens[noun.head]
    placed = noun.dep == "pobj" and above.lower in _PLACING and above.dep == "prep"
    stated = noun.dep in ("dobj", "attr") or placed
    return "" if stated else "not what is stated"


def joined_to_others(parsed: Parsed, token: Token) -> str:
    """*Is tired and does not go out*, *noisy, and she would hear it*, *buys an old car to save money*: the clause is
    one of several, or *only*, *still*, *yet* set it beside another statement."""
    sentence = [t for t in parsed.tokens if t.sentence == token.sentence]
    if any(t.lower in _SETTING or t.text in (";", ":", "(", "–", "—") for t in sentence):
        return "set beside another statement"
    if is_question(parsed, token.sentence):
        return "asked"
    verbs = [t for t in ancestors(parsed, token) if t.pos in ("VERB", "AUX")]
    if not verbs:
        return "no statement of its own"
    own, above = verbs[0], verbs[1:]
    while own.dep == "xcomp" and above and own.pos == "VERB":
        own, above = above[0], above[1:]  # "wants to buy an old car"
    if finite_part(parsed, own) is None:
        return "no statement of its own"
    if any(lemma_of(v) not in _STATING for v in above) or len(above) > 1:
        return "below another statement"
    chain = {*(v.i for v in verbs)}
    for t in sentence:
        # What somebody is glad of, or what is easy to do, belongs to the adjective.
        if any(up.i == token.i for up in ancestors(parsed, t)) and t.dep in ("xcomp", "ccomp", "aux", "auxpass"):
            continue
        if t.i in chain or t.lower == "according":
            continue
        verb = t.pos in ("VERB", "AUX") and t.dep not in ("aux", "auxpass", "amod", "compound")
        if verb or (t.dep in _CLAUSES and t.pos == "ADJ"):
            return "one of several statements"
    if any(parsed.tokens[c].dep == "conj" for c in (*token.children, *own.children)) or token.dep == "conj":
        return "one of several statements"
    return ""


def told_further(parsed: Parsed, token: Token) -> str:
    """*He is stuck in a queue. He will be late.* *The battery is low. She brings a charger*: another sentence may say
    why it is so, or what follows. It does not where the adjective has its reason beside it (*is happy that she is
    back*), or where the last sentence says how something is of which the others do not speak."""
    if len(parsed.sentences) == 1:
        return ""
    noun = parsed.tokens[token.head] if token.dep == "amod" else subject(parsed, parsed.tokens[token.head])
    if noun is None:
        return "no statement of its own"
    somebody = noun.pos == "PROPN" or names_person(noun) or noun.lower in _PERSONAL or "#" in noun.text
    mentions = {lemma_of(noun), noun.lower} | (_PERSONAL if somebody else _OF_THINGS)
    before = [t for t in parsed.tokens if t.sentence < token.sentence]
    after = [t for t in parsed.tokens if t.sentence > token.sentence]
    words = [t for t in parsed.tokens if t.sentence == token.sentence and t.pos != "PUNCT"]
    if token.dep != "amod" and somebody and adjective_lemma(token) in _TRAITS and len(words) <= _SHORT:
        return ""  # "Marcy was nice.": a judgement on which nothing else depends
    if any({t.lower, lemma_of(t)} & mentions for t in after) or (before and noun.lower in _LEANING):
        return "told with another sentence"
    if token.dep != "amod":
        reason = any(parsed.tokens[c].dep in ("xcomp", "ccomp", "prep") for c in token.children)
        told = somebody or bool(after) or any({t.lower, lemma_of(t)} & mentions for t in before)
        if told and not (somebody and reason):
            return "told with another sentence"
    following = [t for t in after if t.sentence == token.sentence + 1]
    # "So she leaves.", "It broke down.", "Mike is not."
    next_words = [t.lower for t in following if t.pos != "PUNCT"]
    leaning = next_words[:1] and (next_words[0] in _LEANING or _SETTING & {*next_words[:3]})
    return "told with another sentence" if leaning or (next_words and next_words[-1] in _ELLIPTIC) else ""


def weighed_elsewhere(parsed: Parsed, token: Token) -> str:
    """*Had a tough time … is tired*, *a beautiful country, and he wants to go*: another word of the text sounds as good
    or as bad, so that the opposite would not go with it."""
    mine = valence(token.lower) or valence(adjective_lemma(token))
    if not mine:
        return ""
    for t in parsed.tokens:
        if t.i != token.i and abs(t.sentence - token.sentence) <= 1 and t.pos in ("ADJ", "ADV", "NOUN", "VERB"):
            other = valence(t.lower) or valence(lemma_of(t))
            strong = abs(other) >= (1 if t.sentence != token.sentence else 0.5)
            if other * mine > 0 and strong and t.lower != token.lower:
                return "borne out by other words"
    return ""


#: In this order the first reason is given.
STANDING_GUARDS = (identifies, joined_to_others, told_further, weighed_elsewhere)
