"""category_change: the request becomes one of another kind.

Where a summary of a call calls its sides by their roles, the object of the request alone is exchanged if a frame allows
it, as the paper does (a trip becomes a hotel reservation); otherwise the people keep their places and get the story of
another domain.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_retold import retold
from dialgauge.perturb._domain_sides import sides_of
from dialgauge.perturb._domain_text import CITATION, numbers, tells_past, word_count
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._frames import Frame, Member, frames
from dialgauge.perturb._grammar import hyphenated
from dialgauge.perturb._guards import Safe, ancestors, following, has_determiner, lemma_of, preceding, safe_ones
from dialgauge.perturb._lexicon import Domain, lexicon, plural, root
from dialgauge.perturb._parse import Parsed, Token, outline
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import TURNS, copies_turns
from dialgauge.perturb._word_tables import word_set

_GENERAL = word_set("optional_adjectives")
_NEEDED = word_set("needed_adjectives")


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
    """Another object of the request where both sides are called by their roles, else another story."""
    if copies_turns(parsed.text):
        return NotApplicable(TURNS)
    roles = {m.side for m in sides_of(dialogue, parsed.text).mentions(parsed.text) if m.kind == "role"}
    if roles:
        exchanged = _object_exchanged(parsed, dialogue, rng)
        if isinstance(exchanged, Proposal):
            return exchanged
    return retold(parsed, dialogue, rng, tells_past(parsed))


def _object_exchanged(parsed: Parsed, dialogue: Dialogue | None, rng: Random) -> Proposal | NotApplicable:
    """Exchange the object of the request, wherever it is named, with what goes with it."""
    found = [(match, frame, member) for match, frame, member in frames().find(parsed.text) if _is_noun(parsed, match)]
    objects = safe_ones(parsed, found, _described_closely, _under_other_verbs)
    domain = lexicon().domain_of(dialogue, parsed.text)
    for match, frame, member in objects:
        if not _is_requested(parsed, match):
            objects.refused["not what the first sentence is about"] += 1
            continue
        if domain is not None and member.domain in lexicon().domains and member.domain != domain.name:
            objects.refused["another sense of the word"] += 1
            continue
        mentions = [place for place, _, other in found if other == member]
        if any(not any(place.span() == kept.span() for kept, _, _ in objects) for place in mentions):
            objects.refused["a mention that cannot be exchanged"] += 1
            continue
        edits = _exchanged(parsed, frame, member, mentions, rng)
        if edits is None:
            objects.refused["a word of its domain would stay behind"] += 1
            continue
        new, changes = edits
        return Proposal(changes, {"frame": frame.name, "from": member.noun, "to": new.noun, **objects.notes()})
    if not found:
        return NotApplicable("the summary names nothing that the lexicon can exchange")
    return Safe[object]((), objects.refused).none_left("object of a request")


def _is_noun(parsed: Parsed, match: re.Match[str]) -> bool:
    """Whether the words are a noun phrase of their own: no verb, no part of a name or of a longer compound."""
    inside = [t for t in parsed.tokens if match.start() <= t.start and t.end <= match.end()]
    if not inside or inside[-1].tag not in ("NN", "NNS") or match.group()[0].isupper():
        return False
    before, after = preceding(parsed, inside[0]), following(parsed, inside[-1])
    beside = [t for t in (before, after) if t is not None and (t.pos in ("NOUN", "PROPN") or t.dep == "compound")]
    if after is not None and after.tag == "POS":
        return False
    return not beside and not hyphenated(parsed, inside[0]) and not hyphenated(parsed, inside[-1])


def _is_requested(parsed: Parsed, match: re.Match[str]) -> bool:
    """Whether a noun is what the summary is about: named in its first sentence, as an object, a subject that something
    happens to, or after *about* and *for*."""
    noun = next(t for t in reversed(parsed.tokens) if t.start >= match.start() and t.end <= match.end())
    topic = noun.dep == "pobj" and parsed.tokens[noun.head].lower in ("about", "for", "of")
    return noun.sentence == 0 and (noun.dep in ("dobj", "nsubjpass", "attr") or topic)


Place = tuple[re.Match[str], Frame, Member]


def _head(parsed: Parsed, place: Place) -> Token:
    return next(t for t in reversed(parsed.tokens) if t.start >= place[0].start() and t.end <= place[0].end())


def _described_closely(parsed: Parsed, place: Place) -> str:
    """An adjective, a clause or an *of* that may not fit another noun."""
    noun = _head(parsed, place)
    for child in (parsed.tokens[c] for c in noun.children):
        if child.dep == "amod" and child.lower not in _GENERAL and child.lower not in _NEEDED:
            return "described too closely"
        if child.dep in ("acl", "relcl", "appos") or (
            child.dep == "prep" and child.lower not in ("to", "from", "on", "at", "with", "for")
        ):
            return "described too closely"
    return "has no article" if noun.tag == "NN" and not has_determiner(parsed, noun) else ""


def _under_other_verbs(parsed: Parsed, place: Place) -> str:
    """The verb above must be one of the frame."""
    verb = next((t for t in ancestors(parsed, _head(parsed, place)) if t.pos in ("VERB", "AUX")), None)
    return "" if verb is not None and lemma_of(verb) in place[1].verbs else "its verb may not fit another noun"


def _exchanged(
    parsed: Parsed, frame: Frame, member: Member, mentions: Sequence[re.Match[str]], rng: Random
) -> tuple[Member, list[Edit]] | None:
    """Another noun of the frame, of another domain where there is one, with the edits; None where a word of the old
    domain
    (or of the new one, which would mix stories) would stay behind."""
    told = {root(word) for word in re.findall(r"[^\W\d_]+", parsed.text)}
    others = [other for other in frame.members if other.domain != member.domain] or [
        o for o in frame.members if o != member
    ]
    others = [other for other in others if other.noun not in parsed.text.lower()]
    parts: dict[str, list[re.Match[str]]] = {}
    for key, word in member.parts.items():
        places = [
            m for m in re.finditer(rf"\b{word}s?\b", parsed.text) if not any(_overlap(m, other) for other in mentions)
        ]
        if places:
            parts[key] = places
    own = {root(word) for phrase in (member.noun, *(member.parts[key] for key in parts)) for word in phrase.split()}
    for new in rng.sample(others, len(others)):
        behind = (told - own) & (frames().fields[member.domain] | frames().fields[new.domain])
        if behind or not parts.keys() <= new.parts.keys():
            continue
        edits = [Edit(*match.span(), _like(match.group(), member.noun, new.noun)) for match in mentions]
        for key, places in parts.items():
            edits += [Edit(*m.span(), _like(m.group(), member.parts[key], new.parts[key])) for m in places]
        return new, edits
    return None


def _overlap(first: re.Match[str], second: re.Match[str]) -> bool:
    return first.start() < second.end() and second.start() < first.end()


def _like(text: str, singular: str, noun: str) -> str:
    """The new noun in the number of the old one."""
    return noun if text.lower() == singular else plural(noun)


def _validate(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Something of the request is another thing, no number is new, and the shape of the text is the same."""
    source = lexicon().domain_of(dialogue, original)
    if source is not None and source.pattern.search(original):
        named = [sorted(source.pattern.findall(text.lower())) for text in (original, result)]
        if named[0] == named[1] and _things(original) == _things(result):
            return f"the result still mentions {source.name}"
    if numbers(result) - numbers(original):
        return "a number was added"
    alike = len(outline(result).sentences) == len(parsed.sentences)
    if not alike and not 0.6 <= word_count(result) / max(word_count(original), 1) <= 1.6:
        return "the structure changed: the length differs too much"
    return None


def _things(text: str) -> list[str]:
    return sorted(match.group().lower() for match, _, _ in frames().find(text))


CATEGORY_CHANGE = Perturbation(
    name="category_change",
    family="domain",
    description="Tells of a request of another kind: the same people, another object or another story",
    effects={"consistency": "degrades", "relevance": "degrades"},
    propose=_propose,
    validate=_validate,
    needs=frozenset({"parse", "lexicon"}),
    version="6",
    citation=CITATION,
    examples=(
        (
            "The customer wants to cancel the gym membership by Friday.",
            "The customer wants to cancel the savings account by Friday.",
        ),
    ),
)
register(CATEGORY_CHANGE)
