"""Negations of a summary that the dialogue does not have: of a sentence, and of a clause against its statement."""

import re
from collections.abc import Iterator

import numpy as np

from dialgauge.checks._claims import Clause, Token
from dialgauge.checks._compare import Aligned, Comparison
from dialgauge.checks._negation import WORDS as NEGATIONS
from dialgauge.checks._source import Statement
from dialgauge.checks._types import Reason
from dialgauge.checks._words import antonyms

#: A clause counts as about a statement that covers at least this much of it.
ABOUT = 0.25
#: What is denied must be in the statement, too: "has not found it in the bag" denies no "look in the bag".
_DENIED = 0.5
#: A negation concerns the words so near to it; negated elsewhere, if a negated statement covers this share of them.
_NEAR, _NEGATED = 4, 0.34
#: A turn that has this share of them without a negation is not outweighed by one that has fewer of them with one.
_SAID = 0.7
#: Verbs that say nothing by themselves: what is denied stands beside them.
_LIGHT = frozenset(("be", "have", "do", "get"))
_BESIDE = frozenset(("acomp", "attr", "dobj", "oprd", "xcomp"))


def added_negations(compared: Comparison, sentence: int, aligned: Aligned) -> Iterator[Reason]:
    """What a sentence denies and the dialogue does not."""
    claims = compared.claims
    negations = [t for t in claims.tokens if t.sentence == sentence and t.text.lower() in NEGATIONS]
    if not negations or not aligned.turns:
        return
    yield from _of_sentence(compared, negations, aligned)
    for clause in claims.clauses:
        if clause.sentence == sentence and clause.negated and clause.words:
            yield from _of_clause(compared, clause)


def _of_sentence(compared: Comparison, negations: list[Token], aligned: Aligned) -> Iterator[Reason]:
    source, best = compared.source, aligned.turns[0]
    window = aligned.window(len(source.turns))
    if any(source.negated_turns[k] for k in window):
        return
    near = [i for i, statement in enumerate(source.statements) if statement.turn in window]
    word = next(
        (w for w in negations if _has(compared, w.head, near) and not _negated_elsewhere(compared, w, best)), None
    )
    if word:
        yield Reason("negation_added", (word.start, word.end), word.text, best, None, source.turns[best].text)


def _of_clause(compared: Comparison, clause: Clause) -> Iterator[Reason]:
    source = compared.source
    matches = compared.matches(clause.words)
    place = int(matches.argmax()) if len(matches) else -1
    if place < 0 or matches[place] < ABOUT or not _has(compared, clause.head, [place]):
        return
    if any(one.negated for one in _around(compared, place)) or _opposite(compared, clause.words, place):
        return
    statement = source.statements[place]
    shown = source.turns[statement.turn].text[slice(*statement.span)]
    says = compared.claims.text[slice(*clause.span)]
    yield Reason("clause_negated", clause.span, says, statement.turn, statement.span, shown)


def _has(compared: Comparison, denied: int, places: list[int]) -> bool:
    """Whether statements have the word that is denied or, for a verb like "be", what stands beside it."""
    tokens = compared.claims.tokens
    words = [denied]
    if tokens[denied].lemma in _LIGHT:
        words = [t.i for t in tokens if t.head == denied and t.dep in _BESIDE]
    rows = [compared.row[i] for i in words if i in compared.row]
    return not rows or bool(places and compared.cover[np.ix_(rows, places)].max() >= _DENIED)


def _negated_elsewhere(compared: Comparison, word: Token, turn: int) -> bool:
    """Whether a negated statement has the words around a negation of the summary, and no less than its own turn."""
    near = [
        i
        for i in compared.claims.content(word.sentence)
        if abs(i - word.i) <= _NEAR and i in compared.row and i != word.i
    ]
    matches, statements = compared.matches(near), compared.source.statements
    plain = [matches[i] for i, s in enumerate(statements) if s.turn == turn and not s.negated and not s.question]
    said = max(plain, default=0.0)
    least = max(_NEGATED, said if said >= _SAID else 0.0)
    return any(s.negated and matches[i] >= least for i, s in enumerate(statements))


def _around(compared: Comparison, place: int) -> list[Statement]:
    """A statement, those beside it, and all of the turn that answers it."""
    statements = compared.source.statements
    turn = statements[place].turn
    return [s for i, s in enumerate(statements) if abs(i - place) <= 1 or s.turn == turn + 1]


def _opposite(compared: Comparison, words: tuple[int, ...], place: int) -> bool:
    """Whether a statement has the opposite of one of these words, so that "not happy" can be "sad"."""
    statement = compared.source.statements[place]
    text = compared.source.turns[statement.turn].text.lower()
    said = set(re.findall(r"[a-z]+", text))
    return any(antonyms().get(compared.claims.tokens[i].lemma, frozenset()) & said for i in words)
