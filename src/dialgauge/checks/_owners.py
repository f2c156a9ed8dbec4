"""Whose it is: "Tom's car" in a summary, where it was Ines who said "my car"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dialgauge.checks._claims import Claims, Token
from dialgauge.checks._people import plain
from dialgauge.checks._source import Source, Statement
from dialgauge.checks._types import Reason
from dialgauge.checks._words import WORD, person_nouns, stem_of

#: So many words after "my" or "your" may be what is owned: "my old car".
_OWNED = 2
#: Words of which it is not known whom they mean.
_OTHERS = frozenset(("his", "her", "their", "our", "its", "whose"))
_NO_OWNERS = frozenset(("it's", "that's", "he's", "she's", "there's", "what's", "who's", "here's", "let's", "where's"))


@dataclass(frozen=True, slots=True)
class Owned:
    """Where a dialogue says whose something is: ``owner`` is "my", "your" or, for anybody else, ""."""

    owner: str
    statement: Statement


def wrong_owners(claims: Claims, source: Source, sentence: int) -> Iterator[Reason]:
    """Names in the possessive with what only somebody else calls theirs."""
    for token in claims.tokens:
        if token.sentence != sentence or token.dep != "poss" or token.pos != "PROPN":
            continue
        noun = claims.tokens[token.head]
        if noun.pos != "NOUN" or not _comparable(token, noun, claims, source):
            continue
        said = _owned(source).get(stem_of(noun.lemma), [])
        rival = _rival(said, claims.mentions.get(token.i))
        if rival is not None:
            shown = source.turns[rival.turn].text[slice(*rival.span)]
            span = (token.start, noun.end)
            yield Reason("owner", span, claims.text[slice(*span)], rival.turn, rival.span, shown)


def _comparable(token: Token, noun: Token, claims: Claims, source: Source) -> bool:
    """A speaker's, or the relative of somebody in the dialogue: a doctor's letter can be "my letter" as well."""
    return token.i in claims.mentions or (noun.lemma in person_nouns() and plain(token.text) in source.lowers)


def _rival(said: Sequence[Owned], who: int | None) -> Statement | None:
    """The statement of another speaker who owns it, if nothing in the dialogue lets it be theirs."""
    mine = [one.statement for one in said if one.owner == "my"]
    if any(not one.owner or (one.owner == "your" and one.statement.speaker != who) for one in said):
        return None
    if any(statement.speaker == who for statement in mine):
        return None
    return mine[0] if mine else None


@lru_cache(maxsize=64)
def _owned(source: Source) -> dict[str, list[Owned]]:
    """By stem: what a dialogue says to be somebody's."""
    found: dict[str, list[Owned]] = {}
    for statement in source.statements:
        for stem, owned in _owned_in(statement, source.turns[statement.turn].text[slice(*statement.span)]):
            found.setdefault(stem, []).append(owned)
    return found


def _owned_in(statement: Statement, text: str) -> Iterator[tuple[str, Owned]]:
    words = [word.lower().replace("’", "'") for word in WORD.findall(text)]
    for place, word in enumerate(words):
        if word in ("my", "your", "ur"):
            owner = "my" if word == "my" else "your"
        elif word in _OTHERS or (word.endswith("'s") and word not in _NO_OWNERS):
            owner = ""
        else:
            continue
        after = [other for other in words[place + 1 : place + 2 + _OWNED] if other != word][:_OWNED]
        for other in after:
            yield stem_of(other.removesuffix("'s")), Owned(owner, statement)
