"""Sentences of a summary that can go: told beside the main point, and not spoken of again."""

import re

from dialgauge.corpus import Dialogue
from dialgauge.perturb._deletions_limits import has_tense
from dialgauge.perturb._grammar import is_finite
from dialgauge.perturb._guards import Safe, is_definite, lemma_of, safe_ones
from dialgauge.perturb._importance import nearness, tells_outcome
from dialgauge.perturb._left_behind import is_tied, looks_back, may_mean_others
from dialgauge.perturb._looking_back import TYING
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person

#: What they come to in the end.
_DECIDED = re.compile(r"\b(?:decid|finally|in the end|eventual)")
_PRONOUNS = frozenset(["PRP", "PRP$", "WP", "WDT"])
_NEUTER = frozenset(["it", "its", "they", "them", "their"])
_GENDERED = frozenset(["he", "she", "him", "her", "his", "hers", "himself", "herself"])
_OF_ANYBODY = frozenset(["i", "we", "you", "me", "us", "my", "our", "your"])


def lesser_sentences(parsed: Parsed, dialogue: Dialogue | None) -> Safe[int]:
    """The places of the sentences that the others can do without, the least important first. The first one says what
    it is about and always stays."""
    places = range(1, len(parsed.sentences))
    safe = safe_ones(parsed, places, _uncut, _tied, _introduces)
    texts = [parsed.text[start:end] for start, end in parsed.sentences]
    scores = nearness(texts, dialogue) if len(safe) > 1 else [0.0] * len(texts)
    ranked = sorted(safe, key=lambda place: (_is_outcome(texts[place]), scores[place], -place))
    return Safe(ranked, safe.refused)


def first_can_go(parsed: Parsed) -> bool:
    """Whether the second sentence can open a text: it points back to nothing that only the first one names."""
    texts = [parsed.text[start:end] for start, end in parsed.sentences]
    stays = is_tied(texts[1], True) or may_mean_others(texts[1], texts[0]) or looks_back(texts, [0])
    refused = _uncut(parsed, 0) or _uncut(parsed, 1) or _tied(parsed, 0) or _introduces(parsed, 0)
    known = any(t.sentence == 1 and t.pos == "NOUN" and is_definite(parsed, t) for t in parsed.tokens)
    return not stays and not refused and not known


def _is_outcome(sentence: str) -> bool:
    return tells_outcome(sentence) or _DECIDED.search(sentence) is not None


def _uncut(parsed: Parsed, place: int) -> str:
    """Whether it is a sentence at all: with a finite verb, and with both of its quotation marks and brackets."""
    start, end = parsed.sentences[place]
    text = parsed.text[start:end]
    rest = parsed.text[end:].lstrip()
    if text[:1].islower() or rest[:1].islower():
        return "not a sentence"  # "… at Stars. com and …": a full stop within a name
    if text.count('"') % 2 or text.count("(") != text.count(")") or text.count("“") != text.count("”"):
        return "quotes or brackets would be cut"
    words = [t for t in parsed.tokens if t.sentence == place]
    finite = any(is_finite(t) or (t.dep == "ROOT" and has_tense(parsed, t)) for t in words)
    return "" if finite or any(map(_is_short, words, words[1:], words[2:])) else "not a sentence"


def _is_short(clitic: Token, after: Token, beyond: Token) -> bool:
    """*Ann's grateful.*, *Ann's not surprised.*, where the parser takes *'s* for a possessive."""
    short = clitic.lower == "'s" and after.tag in ("JJ", "RB", "VBG", "VBN")
    return short and beyond.pos not in ("NOUN", "PROPN") and (after.tag == "RB" or beyond.pos != "ADJ")


def _tied(parsed: Parsed, place: int) -> str:
    """Whether the next sentence begins with a word that looks back: *So*, *Then*, *He*, *This*."""
    if looks_back([parsed.text[start:end] for start, end in parsed.sentences], [place]):
        return "the next sentence looks back"
    following = [t for t in parsed.tokens if t.sentence == place + 1]
    if any(t.lower in ("one", "ones", "same") and t.pos in ("NOUN", "PRON", "NUM", "ADJ") for t in following):
        return "the next sentence looks back"
    if any(t.lower in _NEUTER for t in following):
        return "the next sentence looks back"
    told = {lemma_of(t) for t in parsed.tokens if t.sentence < place}
    if following and following[0].lower == "the" and lemma_of(parsed.tokens[following[0].head]) not in told:
        return "the next sentence looks back"  # "Jane is pregnant. The father …"
    for token in following:
        pronoun = token.tag in _PRONOUNS and token.lower not in _OF_ANYBODY
        if pronoun or token.lower in TYING:
            return "the next sentence looks back"
        if token.pos in ("NOUN", "PROPN", "VERB"):
            return ""
    return ""


def _introduces(parsed: Parsed, place: int) -> str:
    """Whether a later sentence speaks of what only this one introduces."""
    nouns = {"NOUN", "PROPN"}
    before = {lemma_of(t) for t in parsed.tokens if t.sentence < place and t.pos in nouns}
    here = {lemma_of(t) for t in parsed.tokens if t.sentence == place and t.pos == "NOUN"}
    later = {lemma_of(t) for t in parsed.tokens if t.sentence > place and t.pos == "NOUN"}
    if (here - before) & later:
        return "spoken of again"
    people = any(names_person(t) for t in parsed.tokens if t.sentence == place and lemma_of(t) not in before)
    if people and any(t.lower in _GENDERED for t in parsed.tokens if t.sentence > place):
        return "names whom the rest speaks of"
    named = {t.text for t in parsed.tokens if t.pos == "PROPN" and t.sentence != place}
    pronouns = any(t.tag in ("PRP", "PRP$") and t.sentence > place for t in parsed.tokens)
    mine = {t.text for t in parsed.tokens if t.pos == "PROPN" and t.sentence == place}
    return "names whom the rest speaks of" if pronouns and mine - named else ""
