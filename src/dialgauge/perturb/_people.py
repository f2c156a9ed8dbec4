"""Which pronoun can stand for a noun phrase."""

import re

from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._spans import PLACEHOLDER
from dialgauge.perturb._word_tables import word_set

_PLACEHOLDER = re.compile(PLACEHOLDER)
_HE = word_set("male")
_SHE = word_set("female")
_PERSON = word_set("person") | word_set("persons", "wordnet")
_SUBJECT_TO_OBJECT = {"he": "him", "she": "her", "they": "them", "it": "it"}


def pronoun_of(parsed: Parsed, root: Token, nominative: bool) -> str | None:
    """The pronoun for the phrase of this noun: *they* for several and for a person whose sex is not said."""
    pronoun = _nominative(parsed, root)
    return pronoun if nominative or pronoun is None else _SUBJECT_TO_OBJECT[pronoun]


def names_person(token: Token) -> bool:
    """Whether a common noun names a person."""
    lemma = token.lemma.lower()
    return token.pos == "NOUN" and (lemma in _PERSON or lemma in _HE or lemma in _SHE)


def _nominative(parsed: Parsed, root: Token) -> str | None:
    joined = any(parsed.tokens[child].dep == "conj" for child in root.children)
    several = root.tag in ("NNS", "NNPS") or (joined and parsed.child(root, "cc") is not None)
    if several:
        return "they"
    lemma = root.lower
    titles = {parsed.tokens[child].lower for child in root.children if parsed.tokens[child].dep == "compound"}
    if lemma in _HE or titles & _HE:
        return "he"
    if lemma in _SHE or titles & _SHE:
        return "she"
    if lemma in _PERSON or _is_person(parsed, root) or _PLACEHOLDER.fullmatch(root.text):
        return "they"
    if len(root.text) > 1 and root.text.isupper():
        return "it"
    # A name that the parser does not know is more often a person's than a thing's where it acts.
    if root.pos == "PROPN" and not root.entity:
        return "they" if root.dep in ("nsubj", "nsubjpass") else None
    return "it"


def _is_person(parsed: Parsed, root: Token) -> bool:
    """Whether this name is a person's, here or wherever else it stands in the text."""
    return root.pos == "PROPN" and any(t.entity == "PERSON" and t.text == root.text for t in parsed.tokens)
