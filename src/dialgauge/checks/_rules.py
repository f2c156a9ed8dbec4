"""The checks: each looks for one kind of reason to doubt a sentence, and says which turn it was compared with."""

import re
from collections.abc import Iterator

from dialgauge.checks._attribution import attribute
from dialgauge.checks._claims import AGREEING, Token
from dialgauge.checks._compare import Aligned, Comparison
from dialgauge.checks._names import absent_names
from dialgauge.checks._negation import WORDS as NEGATIONS
from dialgauge.checks._numerals import is_read_out
from dialgauge.checks._owners import wrong_owners
from dialgauge.checks._source import Statement
from dialgauge.checks._types import Reason
from dialgauge.checks._values import Value, comparable, follows, same, stated
from dialgauge.checks._weights import Weights
from dialgauge.checks._words import antonyms

#: Words that no turn has anything like are shown if they are rarer than this; the rarest, at most this many a sentence.
_RARE, _LEAST_LIKE, _SHOWN = 0.55, 0.25, 3
#: A clause counts as about a statement that covers at least this much of it.
_ABOUT = 0.25
#: Numbers read out digit by digit have at least this number.
_FEWEST_DIGITS = 3
#: A negation concerns the words so near to it; negated elsewhere, if a negated statement covers this share of them.
_NEAR, _NEGATED = 4, 0.34
#: Fewer words than this are no quotation.
_FEWEST_QUOTED = 3


def find_reasons(compared: Comparison, sentence: int, aligned: Aligned, weights: Weights) -> list[Reason]:
    """All reasons to doubt one sentence, in the order of its words."""
    if _is_quoted(compared, sentence):
        return []
    found = [
        *_values(compared, sentence, aligned),
        *absent_names(compared, sentence),
        *_negations(compared, sentence, aligned),
        *_declined(compared, sentence, aligned),
        *_speakers(compared, sentence, weights),
        *wrong_owners(compared.claims, compared.source, sentence),
        *_antonyms(compared, sentence, aligned),
        *_absent_words(compared, sentence),
    ]
    return sorted(found, key=lambda reason: (reason.summary, reason.check))


def _is_quoted(compared: Comparison, sentence: int) -> bool:
    """Whether a sentence stands word by word in a turn; of several words, so that it says the same there."""
    start, end = compared.claims.sentences[sentence]
    text = compared.claims.text[start:end]
    said = f" {' '.join(re.findall('[a-z0-9]+', text.lower().partition(': ')[2] or text.lower()))} "
    return said.count(" ") > _FEWEST_QUOTED and said in compared.source.flat_text


def _inside(compared: Comparison, sentence: int, position: int) -> bool:
    start, end = compared.claims.sentences[sentence]
    return start <= position < end


def _values(compared: Comparison, sentence: int, aligned: Aligned) -> Iterator[Reason]:
    source = compared.source
    window = aligned.window(len(source.turns))
    for value in compared.values:
        if not _inside(compared, sentence, value.start) or not stated(value):
            continue
        rivals = [(k, other) for k in window for other in source.values[k] if comparable(value, other)]
        present = any(same(value, other) for other in source.all_values)
        if present and any(same(value, other) for _, other in rivals):
            continue
        if not present and (follows(value, source.all_values) or _spelt(compared, value)):
            continue
        place = (value.start, value.end)
        says = compared.claims.text[slice(*place)]
        if not rivals:
            if not present:
                yield Reason("value_absent", place, says)
            continue
        turn, other = rivals[0]
        shown = source.turns[turn].text[other.start : other.end]
        check = "value_elsewhere" if present else "value_conflict"
        yield Reason(check, place, says, turn, (other.start, other.end), shown)


def _spelt(compared: Comparison, value: Value) -> bool:
    """Whether a value stands in the dialogue word by word, or is spelt or read out there digit by digit."""
    text = compared.claims.text[value.start : value.end].lower()
    digits = re.sub(r"[\W_]", "", text)
    if (
        any(letter.isdigit() for letter in digits)
        and len(digits) >= _FEWEST_DIGITS
        and is_read_out(digits, compared.source.spoken)
    ):
        return True
    return f" {re.sub(r'[^a-z0-9]+', ' ', text).strip()} " in compared.source.flat_text


def _negations(compared: Comparison, sentence: int, aligned: Aligned) -> Iterator[Reason]:
    claims, source = compared.claims, compared.source
    negations = [t for t in claims.tokens if t.sentence == sentence and t.text.lower() in NEGATIONS]
    if not negations or not aligned.turns:
        return
    best = aligned.turns[0]
    window = aligned.window(len(source.turns))
    word = next((word for word in negations if not _negated_elsewhere(compared, word)), None)
    if word and not any(source.negated_turns[k] for k in window):
        yield Reason("negation_added", (word.start, word.end), word.text, best, None, source.turns[best].text)
    for clause in claims.clauses:
        if clause.sentence != sentence or not clause.negated or not clause.words:
            continue
        matches = compared.matches(clause.words)
        place = int(matches.argmax()) if len(matches) else -1
        if place < 0 or matches[place] < _ABOUT:
            continue
        if not any(statement.negated for statement in _around(compared, place)) and not _opposite(
            compared, clause.words, place
        ):
            statement = source.statements[place]
            shown = source.turns[statement.turn].text[slice(*statement.span)]
            yield Reason(
                "clause_negated", clause.span, claims.text[slice(*clause.span)], statement.turn, statement.span, shown
            )


def _negated_elsewhere(compared: Comparison, word: Token) -> bool:
    """Whether a negated statement of the dialogue has the words around a negation of the summary."""
    near = [
        i
        for i in compared.claims.content(word.sentence)
        if abs(i - word.i) <= _NEAR and i in compared.row and i != word.i
    ]
    matches = compared.matches(near)
    return any(s.negated and matches[i] >= _NEGATED for i, s in enumerate(compared.source.statements))


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


def _declined(compared: Comparison, sentence: int, aligned: Aligned) -> Iterator[Reason]:
    claims, source = compared.claims, compared.source
    for clause in claims.clauses:
        head = claims.tokens[clause.head]
        if clause.sentence != sentence or clause.negated or not clause.words:
            continue
        will = any(t.head == clause.head and t.text.lower() in ("will", "'ll") for t in claims.tokens)
        if not (will or head.lemma in AGREEING):
            continue
        matches = compared.matches(clause.words)
        place = int(matches.argmax()) if len(matches) else -1
        if place < 0 or matches[place] < _ABOUT or not source.statements[place].question:
            continue
        asked = source.statements[place]
        answer = next((s for s in source.statements[place + 1 :] if s.speaker != asked.speaker), None)
        if answer and answer.refusal and answer.turn == asked.turn + 1:
            shown = source.turns[answer.turn].text[slice(*answer.span)]
            yield Reason("declined", clause.span, claims.text[slice(*clause.span)], answer.turn, answer.span, shown)


def _speakers(compared: Comparison, sentence: int, weights: Weights) -> Iterator[Reason]:
    claims, source = compared.claims, compared.source
    for clause in claims.clauses:
        # Which of two people a "she" means is not known: that the words are the other's speaks for the other.
        if clause.sentence != sentence or clause.subject is None or clause.guessed or not clause.words:
            continue
        found = attribute(clause, compared.matches(clause.words), source)
        if found is None:
            continue
        fit = float(weights.attribution @ found.features)
        if fit < 0:
            rival = source.statements[found.rival]
            shown = source.turns[rival.turn].text[slice(*rival.span)]
            says = claims.text[slice(*clause.span)]
            yield Reason("attribution", clause.span, says, rival.turn, rival.span, shown, -fit)


def _antonyms(compared: Comparison, sentence: int, aligned: Aligned) -> Iterator[Reason]:
    claims, source = compared.claims, compared.source
    table = antonyms()
    for i in claims.content(sentence):
        token = claims.tokens[i]
        opposites = table.get(token.lemma)
        # Adverbs ("away", "home") belong to different verbs too often to contradict.
        if not opposites or token.pos == "ADV" or token.lemma in source.lowers or token.text.lower() in source.lowers:
            continue
        for k in aligned.turns[:1]:
            for match in re.finditer(r"[a-z]+", source.turns[k].text.lower()):
                if match[0] in opposites and not source.negated_turns[k]:
                    yield Reason("antonym", (token.start, token.end), token.text, k, match.span(), match[0])
                    break


def _absent_words(compared: Comparison, sentence: int) -> Iterator[Reason]:
    claims = compared.claims
    found = []
    for i in claims.content(sentence):
        place = compared.row.get(i)
        token = claims.tokens[i]
        if place is None or token.pos in ("PROPN", "NUM") or any(letter.isdigit() for letter in token.text):
            continue
        like = float(compared.cover[place].max()) if compared.cover.shape[1] else 0.0
        if compared.rarity[place] >= _RARE and like < _LEAST_LIKE:
            found.append((float(compared.rarity[place]), token))
    for rarity, token in sorted(found, key=lambda one: (-one[0], one[1].i))[:_SHOWN]:
        yield Reason("word_absent", (token.start, token.end), token.text, strength=rarity)
