"""category_change: the nouns of the summary are replaced by those of another domain."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_text import CITATION, numbers, word_count
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._lexicon import Domain, lexicon, plural
from dialgauge.perturb._parse import Parsed
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register

_CENTRAL = 4
#: A domain is a target if it has nouns for at least this share of what the best one has nouns for.
_ENOUGH = 0.75
_BARE = re.compile(
    r"(?:^|[.,;:(!?]|\b(?:and|or|of|to|for|with|about|from|in|by|that|because|when|as|but|without))\s*$", re.I
)


@dataclass(frozen=True, slots=True)
class Term:
    """A place where a noun of a domain stands."""

    start: int
    end: int
    text: str
    slot: str
    singular: str

    @property
    def is_plural(self) -> bool:
        """Whether it stands in the plural."""
        return self.text.lower() != self.singular.lower()


def find_terms(parsed: Parsed, domain: Domain) -> list[Term]:
    """The nouns of a domain in a text. A word that the parser takes for a verb is none, nor is a part of a name."""
    by_end = {token.end: token for token in parsed.tokens}
    forms = {form.lower(): term for terms in domain.terms.values() for term in terms for form in (term, plural(term))}
    found: list[Term] = []
    for match in domain.pattern.finditer(parsed.text):
        last = by_end.get(match.end())
        if (
            last is None
            or last.pos not in ("NOUN", "PROPN")
            or last.entity in ("PERSON", "ORG", "GPE", "FAC", "PRODUCT")
        ):
            continue
        inside = match.start() > 0 and parsed.text[match.start() - 2 : match.start()] not in (". ", "\n")
        if inside and match.group()[0].isupper() and not match.group().isupper():
            continue  # capitalised within a sentence: part of a name
        key = match.group().lower()
        found.append(Term(match.start(), match.end(), match.group(), domain.slots[key], forms[key]))
    return found


def _propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Proposal | NotApplicable:
    text = parsed.text
    source = lexicon().domain_of(dialogue, text)
    if source is None:
        return NotApplicable("the domain of the dialogue or summary is not in the lexicon")
    terms = find_terms(parsed, source)
    if not terms:
        return NotApplicable(f"the summary has no noun of the domain {source.name!r} that is in the lexicon")
    targets = _targets(terms, source)
    if not targets:
        return NotApplicable(f"no other domain has a noun of the kind of {terms[0].singular!r}")
    target = rng.choice(targets)
    mapping = _mapping(terms, source, target, rng)
    edits = [Edit(t.start, t.end, _inflected(t, mapping[t.singular], text)) for t in terms if t.singular in mapping]
    return Proposal(edits, {"from": source.name, "to": target.name})


def _targets(terms: Sequence[Term], source: Domain) -> list[Domain]:
    """The domains that have a noun of the same slot for most of those in the text."""
    others = [domain for domain in lexicon().domains.values() if domain.name != source.name]
    covered = [sum(bool(_options(term.slot, source, other)) for term in terms) for other in others]
    most = max(covered)
    return [other for other, count in zip(others, covered, strict=True) if count and count >= _ENOUGH * most]


def _options(slot: str, source: Domain, target: Domain) -> list[str]:
    """What the target has for a slot, and the source does not know: what is central to the domain comes first."""
    mass = lexicon().mass
    return [t for t in target.terms.get(slot, ()) if t not in mass and not source.pattern.search(t)]


def _mapping(terms: Sequence[Term], source: Domain, target: Domain, rng: Random) -> Mapping[str, str]:
    """For each noun of the text one of the same slot in the target: different ones for different nouns, if it has
    enough, and none that the source domain knows as well."""
    mapping: dict[str, str] = {}
    for slot in dict.fromkeys(term.slot for term in terms):
        wanted = list(dict.fromkeys(term.singular for term in terms if term.slot == slot))
        options = _options(slot, source, target)
        if not options:
            continue
        options = options[: max(len(wanted), _CENTRAL)]
        rng.shuffle(options)
        for place, singular in enumerate(wanted):
            mapping[singular] = options[place % len(options)]
    return mapping


def _inflected(term: Term, replacement: str, text: str) -> str:
    """The replacement in the number and case of what it replaces; with an article where a mass noun had none."""
    if term.is_plural:
        word = plural(replacement)
    elif term.singular in lexicon().mass and _BARE.search(text[: term.start]):
        word = f"the {replacement}"
    else:
        word = replacement
    return word[0].upper() + word[1:] if term.text[0].isupper() and not term.text.isupper() else word


def _validate(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Nouns of the domain are gone; the numbers and the shape of the text are the same."""
    source = lexicon().domain_of(dialogue, original)
    if source is not None:
        before, after = (len(source.pattern.findall(text)) for text in (original, result))
        if before and after >= before:
            return f"the result still mentions {source.name}"
    if numbers(original) != numbers(result):
        return "numbers were changed"
    if not 0.6 <= word_count(result) / max(word_count(original), 1) <= 1.6:
        return "the structure changed: the length differs too much"
    return None


CATEGORY_CHANGE = Perturbation(
    name="category_change",
    family="domain",
    description="Replaces the nouns of the domain by those of another domain (a card becomes a room key)",
    effects={"consistency": "degrades", "relevance": "degrades"},
    propose=_propose,
    validate=_validate,
    needs=frozenset({"parse", "lexicon"}),
    version="2",
    citation=CITATION,
    examples=(
        (
            "The bank cancelled the card and refunded the payment to the account.",
            "The clinic cancelled the inhaler and refunded the payment to the care plan.",
        ),
    ),
)
register(CATEGORY_CHANGE)
