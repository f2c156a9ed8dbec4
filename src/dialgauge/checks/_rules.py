"""The checks: each looks for one kind of reason to doubt a sentence, and says which turn it was compared with."""

import re
from collections.abc import Iterator

from dialgauge.checks._attribution import attribute
from dialgauge.checks._claims import AGREEING
from dialgauge.checks._compare import Aligned, Comparison
from dialgauge.checks._names import absent_names
from dialgauge.checks._negated import ABOUT, added_negations
from dialgauge.checks._numerals import is_read_out
from dialgauge.checks._owners import wrong_owners
from dialgauge.checks._types import Reason
from dialgauge.checks._values import Value, comparable, follows, same, stated
from dialgauge.checks._weights import Weights
from dialgauge.checks._words import antonyms

#: Words that no turn has anything like are shown if they are rarer than this; the rarest, at most this many a sentence.
_RARE, _LEAST_LIKE, _SHOWN = 0.55, 0.25, 3
#: Numbers read out digit by digit have at least this number.
_FEWEST_DIGITS = 3
#: Fewer words than this are no quotation.
_FEWEST_QUOTED = 3


def find_reasons(compared: Comparison, sentence: int, aligned: Aligned, weights: Weights) -> list[Reason]:
    """All reasons to doubt one sentence, in the order of its words."""
    if _is_quoted(compared, sentence):
        return []
    found = [
        *_values(compared, sentence, aligned),
        *absent_names(compared, sentence),
        *added_negations(compared, sentence, aligned),
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
        if place < 0 or matches[place] < ABOUT or not source.statements[place].question:
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
        if clause.saying and clause.negated:  # who does not want something has it from somebody else
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
