"""Who is a person, and which pronoun can stand for a noun phrase."""

import re
from functools import lru_cache

from dialgauge.corpus import Dialogue
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import supersense, word_set

_PLACEHOLDER = re.compile(PLACEHOLDER)
_HE = word_set("male")
_SHE = word_set("female")
_PERSON = word_set("person") | word_set("persons", "wordnet")
_FIRST_NAMES = frozenset().union(*(word_set(f"first_names_{of}") for of in ("feminine", "masculine", "either")))
#: Things and places do this as well.
_OF_ANYTHING = word_set("impersonal_verbs")
_TITLES = word_set("titles")
#: Only people do this: say, think, feel, want.
PERSONAL = word_set("personal_verbs")
#: Several people in one word.
COLLECTIVE = frozenset(["couple", "crew", "family", "police", "staff", "team"])
_SUBJECT_TO_OBJECT = {"he": "him", "she": "her", "they": "them", "it": "it"}
_VOCATIVE = re.compile(r"\b(?i:thanks|thank you|hi|hello|hey|sorry|bye|goodbye|morning|dear),?\s+([A-Z][a-z]+)\b")
#: The supersense of things that people make.
_ARTIFACT = 6
#: The supersense of groups.
_GROUP = 14
_NOT_NAMES = word_set("not_names")
#: How alike two names must be for one to be a misspelling of the other.
ALIKE = 0.85


@lru_cache(maxsize=256)
def _people_in(speakers: tuple[str, ...], text: str) -> frozenset[str]:
    people = [re.findall(r"[^\W\d_]+", speaker) for speaker in speakers]
    # A speaker "Pet Shop" is nobody; one common noun alone may be a name (Grant, Summer).
    named = {
        word
        for words in people
        if len(words) < 2 or any(is_first_name(word) or supersense(word.lower()) is None for word in words)
        for word in words
        if word[0].isupper()
    }
    addressed = {*_VOCATIVE.findall(text)}
    return frozenset(word.lower() for word in named | addressed) - _NOT_NAMES - _PERSON


def people_of(dialogue: Dialogue | None) -> frozenset[str]:
    """The names (in lower case) of those who speak in a dialogue or are addressed there."""
    if dialogue is None:
        return frozenset()
    return _people_in(tuple(turn.speaker for turn in dialogue.turns), "\n".join(turn.text for turn in dialogue.turns))


def is_first_name(word: str) -> bool:
    """Whether a word is a usual first name."""
    return word in _FIRST_NAMES


def is_person_word(word: str) -> bool:
    """Whether a word is a common noun for somebody."""
    return word in _PERSON or word in _HE or word in _SHE


def names_person(token: Token) -> bool:
    """Whether a common noun names a person."""
    return token.pos == "NOUN" and is_person_word(token.lemma.lower())


def _may_be_a_device(parsed: Parsed, token: Token) -> bool:
    """*CD player*, *printer driver*: a person's noun after the name of a thing."""
    parts = [parsed.tokens[c] for c in token.children if parsed.tokens[c].dep in ("compound", "nmod", "nummod")]
    named = any(any(c.isdigit() for c in p.text) or (len(p.text) > 1 and p.text.isupper()) for p in parts)
    return token.pos == "NOUN" and (named or any(supersense(p.lemma.lower()) == _ARTIFACT for p in parts))


def is_person(parsed: Parsed, token: Token, known: frozenset[str] = frozenset()) -> bool:
    """Whether a noun or name is a person: by the lists, a title, who speaks, or because it does what only people do.
    The
    parser's own label counts only for a name that does something."""
    if names_person(token) or _PLACEHOLDER.fullmatch(token.text):
        return True
    if token.pos != "PROPN" and token.lower not in known:
        return False
    if _has_article(parsed, token):
        return False  # "the Bill", "the User Interface"
    if token.lower in known or (
        is_first_name(token.text) and (token.entity == "PERSON" or supersense(token.lower) is None)
    ):
        return True  # a name that is also a word (Bill, Rose) needs the parser to think so
    parts = [parsed.tokens[c] for c in token.children if parsed.tokens[c].dep == "compound"]
    if any(part.lower in _TITLES or part.lower in known or is_first_name(part.text) for part in parts):
        return True
    same = [t for t in parsed.tokens if t.text == token.text]
    doings = [parsed.tokens[t.head].lemma.lower() for t in same if t.dep == "nsubj"]
    labelled = all(t.entity == "PERSON" for t in same)
    return any(verb in PERSONAL or (labelled and verb not in _OF_ANYTHING) for verb in doings)


def _has_article(parsed: Parsed, token: Token) -> bool:
    """Whether a name in the singular has an article of its own, as names of people do not (*the proud Ann* does)."""
    parts = [parsed.tokens[c] for c in token.children]
    described = any(part.dep == "amod" and part.text.islower() for part in parts)
    return token.tag == "NNP" and not described and any(p.lower in ("the", "a", "an", "this", "that") for p in parts)


def pronoun_of(parsed: Parsed, root: Token, nominative: bool, known: frozenset[str] = frozenset()) -> str | None:
    """The pronoun for the phrase of this noun: *they* for several and for a person whose sex is not said. None for a
    name that may be a person's or a thing's."""
    pronoun = _nominative(parsed, root, known)
    return pronoun if nominative or pronoun is None else _SUBJECT_TO_OBJECT[pronoun]


def _nominative(parsed: Parsed, root: Token, known: frozenset[str]) -> str | None:
    joined = any(parsed.tokens[child].dep == "conj" for child in root.children)
    several = (
        root.tag in ("NNS", "NNPS")
        or (joined and any(t.dep == "cc" for t in parsed.subtree(root)))
        or root.lower in COLLECTIVE
    )
    if several:
        return "they"
    lemma = root.lower
    titles = {parsed.tokens[child].lower for child in root.children if parsed.tokens[child].dep == "compound"}
    branded = root.pos == "PROPN" and any(parsed.tokens[c].dep in ("det", "compound") for c in root.children)
    if (lemma in _HE and not branded) or titles & _HE:  # a Game Boy is nobody
        return "he"
    if (lemma in _SHE and not branded) or titles & _SHE:
        return "she"
    if is_person(parsed, root, known):
        return None if _may_be_a_device(parsed, root) else "they"
    parts = [parsed.tokens[c] for c in root.children if parsed.tokens[c].dep == "compound"]
    if any(map(names_person, parts)) and root.dep in ("nsubj", "nsubjpass"):
        return None  # "the deputy head will ring"
    if root.pos == "PROPN" or root.text[:1].isupper():
        doings = {
            parsed.tokens[t.head].lemma.lower() for t in parsed.tokens if t.text == root.text and t.dep == "nsubj"
        }
        if doings & PERSONAL:
            return None  # "the Marketing insisted": people under the name of what they do
        company = root.entity in ("ORG", "FAC", "PRODUCT", "WORK_OF_ART", "EVENT") and any(
            parsed.tokens[c].dep in ("det", "poss") for c in root.children
        )
        return "it" if company or (len(root.text) > 1 and root.text.isupper()) else None
    thing = supersense(root.lemma.lower())
    if root.dep == "nsubj" and parsed.tokens[root.head].lemma.lower() in PERSONAL and thing not in (_GROUP, None):
        return None  # "the marketing thought": somebody under another name
    # Of a noun that WordNet's table does not have, nobody knows whether it is somebody (*a tailor*).
    return "it" if supersense(root.lemma.lower()) or supersense(root.lower) else None
