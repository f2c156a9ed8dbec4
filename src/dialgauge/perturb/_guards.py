"""Guards: why a candidate for an edit is unsafe. They look at the parsed text and run before anything is drawn, so that
a text with one unsafe candidate and two safe ones stays usable."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

from dialgauge.perturb._grammar import NEGATIONS
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable
from dialgauge.perturb._word_tables import is_term, supersense

Candidate = TypeVar("Candidate")
Guard = Callable[[Parsed, Candidate], str]

#: What opens a clause that only says under which condition something holds.
CONDITIONS = frozenset(("if", "unless", "whether", "until", "till", "once", "provided", "supposing", "lest", "before"))
#: Words that deny what follows them.
DENYING = frozenset(
    [
        *(
            "avoid",
            "deny",
            "doubt",
            "exclude",
            "fail",
            "forbid",
            "impossible",
            "lack",
            "miss",
            "prevent",
            "refuse",
            "reject",
        ),
        *("rule", "unable", "without"),
    ]
)
_QUOTES = re.compile(r"[\"“”„«»]")


class Safe(list[Candidate]):
    """The candidates that every guard let through; ``refused`` counts the reasons for the others."""

    def __init__(self, kept: Iterable[Candidate], refused: Counter[str]) -> None:
        super().__init__(kept)
        self.refused = refused

    def notes(self) -> dict[str, object]:
        """For the provenance: what was not touched, and why."""
        return {"refused": dict(sorted(self.refused.items()))} if self.refused else {}

    def none_left(self, what: str) -> NotApplicable:
        """The reason for declining: nothing there, or nothing safe (with the most frequent reason)."""
        if not self.refused:
            return NotApplicable(f"no {what}")
        reason = min(self.refused, key=lambda name: (-self.refused[name], name))
        return NotApplicable(f"no {what} that is safe to change: {reason}")


def safe_ones(parsed: Parsed, candidates: Iterable[Candidate], *guards: Guard[Candidate]) -> Safe[Candidate]:
    """The candidates without those that a guard refuses; the first guard that does gives the reason."""
    kept: list[Candidate] = []
    refused: Counter[str] = Counter()
    for candidate in candidates:
        reason = next((reason for guard in guards if (reason := guard(parsed, candidate))), "")
        if reason:
            refused[reason] += 1
        else:
            kept.append(candidate)
    return Safe(kept, refused)


def lemma_of(token: Token) -> str:
    """The lemma in lower case."""
    return token.lemma.lower()


def following(parsed: Parsed, token: Token) -> Token | None:
    """The next token of the same sentence."""
    place = token.i + 1
    found = parsed.tokens[place] if place < len(parsed.tokens) else None
    return found if found is not None and found.sentence == token.sentence else None


def preceding(parsed: Parsed, token: Token) -> Token | None:
    """The token before, of the same sentence."""
    found = parsed.tokens[token.i - 1] if token.i else None
    return found if found is not None and found.sentence == token.sentence else None


def ancestors(parsed: Parsed, token: Token) -> Iterable[Token]:
    """The heads above a token, the nearest first."""
    while token.head != token.i:
        token = parsed.tokens[token.head]
        yield token


def part_of_term(parsed: Parsed, adjective: Token) -> str:
    """An adjective that forms a term with its noun or with the next word (*current account*, *whole life*
    insurance)."""
    head, after = parsed.tokens[adjective.head], following(parsed, adjective)
    others = {lemma_of(head), head.lower} if adjective.dep in ("amod", "compound") else set()
    if after is not None and after.pos in ("NOUN", "PROPN", "ADJ", "VERB"):
        others |= {lemma_of(after), after.lower, after.lower.removesuffix("s")}
    return "part of a term" if any(is_term(adjective.lower, other) for other in others) else ""


def in_quotes(parsed: Parsed, token: Token) -> str:
    """A word that stands between quotation marks."""
    # A title in quotes may hold a full stop ("G.I. Joe"), so that the whole text counts, not the sentence.
    before = _QUOTES.findall(parsed.text, 0, token.start)
    after = _QUOTES.search(parsed.text, token.end)
    return "quoted" if len(before) % 2 and after else ""


def is_negated(parsed: Parsed, verb: Token) -> bool:
    """Whether a negation belongs to this verb, or to the one whose subject it shares."""
    while True:
        if any(parsed.tokens[c].lower in NEGATIONS for c in verb.children):
            return True
        for child in verb.children:
            part = parsed.tokens[child]
            if part.dep in ("nsubj", "nsubjpass", "dobj", "expl") and any(
                parsed.tokens[c].lower in ("no", "neither", "none") for c in part.children
            ):
                return True
        own = verb.dep == "conj" and parsed.child(verb, "nsubj", "nsubjpass", "expl") is not None
        if own or verb.dep not in ("xcomp", "conj", "ccomp") or verb.head == verb.i:
            return False  # "did not expect snow, but they were snowed in"
        verb = parsed.tokens[verb.head]


def in_excess(parsed: Parsed, token: Token) -> bool:
    """*Too busy to go* denies that somebody goes; *too intense* has a consequence that its opposite has not."""
    return any(parsed.tokens[c].lower == "too" for c in token.children)


def under_negation(parsed: Parsed, token: Token) -> str:
    """A word below a negated verb: what is not so for the whole need not be not so for a part."""
    return (
        "under a negation"
        if any(
            (t.pos in ("VERB", "AUX") and is_negated(parsed, t)) or in_excess(parsed, t) or lemma_of(t) in DENYING
            for t in ancestors(parsed, token)
        )
        else ""
    )


def in_condition(parsed: Parsed, token: Token) -> str:
    """A word inside a condition: taking from it changes when the rest holds."""
    for verb in (token, *ancestors(parsed, token)):
        if any(
            parsed.tokens[c].dep in ("mark", "advmod") and parsed.tokens[c].lower in CONDITIONS for c in verb.children
        ):
            return "inside a condition"
        if verb is not token and verb.lower in CONDITIONS:
            return "inside a condition"  # "provided that he is careful", where *provided* is a verb to the parser
    return ""


def in_comparison(parsed: Parsed, token: Token) -> str:
    """A word of a sentence that compares."""
    words = {t.lower for t in parsed.tokens if t.sentence == token.sentence}
    return "in a comparison" if "than" in words or "respectively" in words else ""


def occurs_again(parsed: Parsed, noun: Token) -> bool:
    """Whether the same noun stands elsewhere in the text, so that what goes with it may distinguish the two."""
    return any(t.i != noun.i and t.pos in ("NOUN", "PROPN") and lemma_of(t) == lemma_of(noun) for t in parsed.tokens)


def noun_class(token: Token) -> int | None:
    """The supersense of a noun, by its lemma or as it stands."""
    found = supersense(lemma_of(token))
    return found if found is not None else supersense(token.lower)


def has_determiner(parsed: Parsed, noun: Token) -> bool:
    """Whether a noun has an article, a demonstrative or a possessive."""
    return any(parsed.tokens[c].dep in ("det", "poss") for c in noun.children)


def is_definite(parsed: Parsed, noun: Token) -> bool:
    """Whether a noun is one that the reader knows: *the*, *this*, somebody's."""
    return any(
        parsed.tokens[c].dep == "poss" or parsed.tokens[c].lower in ("the", "this", "that", "these", "those")
        for c in noun.children
    )
