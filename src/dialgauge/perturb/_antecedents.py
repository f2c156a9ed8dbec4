"""remove_important_sentence: what a sentence that stays speaks of as known, though only one that goes tells it."""

import re
from collections.abc import Sequence

from dialgauge.perturb._lexicon import lexicon, root, word_list
from dialgauge.perturb._people import is_person_word
from dialgauge.perturb._word_tables import supersense

#: A noun right behind *the*: not *the price of the room*, *the man who called*, *the hotel room*.
_KNOWN = re.compile(
    r"\b(?:[Tt]he|[Tt]his|[Tt]hat|[Tt]hese|[Tt]hose|[Ss]uch)\s+([a-z]+)\b(?!\s+(?:of|at|from|in|where|which|who|whose)\b)"
)
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
#: Supersenses of acts, thoughts, what is said, events, feelings, groups, people, phenomena, money and states: of these
#: *the* means one that was told of.
_TOLD = frozenset((4, 7, 9, 10, 11, 12, 14, 18, 19, 21, 22, 26))
_TIMES = 28
#: There is one of these, whatever was said before.
_ONLY_ONE = frozenset(
    (
        *("army", "beginning", "country", "economy", "end", "environment", "future", "government", "internet", "moon"),
        *("past", "police", "president", "public", "radio", "sea", "sky", "sun", "way", "weather", "world"),
    )
)
_FELT = (
    "able|angry|available|aware|certain|confused|convinced|curious|delighted|disappointed|excited|glad|grateful|happy"
    "|impressed|interested|jealous|keen|pleased|ready|relieved|reluctant|satisfied|sceptical|shocked|skeptical|sorry|sure"
    "|surprised|thankful|unable|uninterested|unsure|unwilling|upset|willing|worried"
)
#: *Are interested*, *can come*, *wants another*, *the cheaper room*: in what, where, than which?
_ELLIPTIC = re.compile(
    rf"\b(?:{_FELT})\b(?=\s*(?:[.!;,]|$|(?:and|but|because|as)\b))"
    r"|\b(?:attend|buy|come|do|go|help|join|manage|participate|try)(?:e?s|ing)?\s*[.!]?$"
    r"|\b[Tt]he (?:first|second|third)\b"
    r"|\b[Aa]nother\b|(?<!\beach )\bother\b(?! than)|\bmore\s*[.,;!]|\b(?:not|n't)\s*[.;!]"
    r"|\b(?:better|bigger|cheaper|faster|larger|newer|older|smaller|worse)\b(?!.*\bthan\b)"
)


def lacks_antecedent(texts: Sequence[str], gone: Sequence[int]) -> bool:
    """Whether what stays means something that only a sentence before it tells: *the error*, *Olivia is interested*."""
    stays = [place for place in range(len(texts)) if place not in gone]
    if any(len(texts[place].split()) <= 1 for place in stays) or any(text[:1].islower() for text in texts[1:]):
        return True  # "Cust. wants money back": cut within a sentence
    cut = [place for place in stays if place - 1 in gone]
    if any(_ELLIPTIC.search(texts[place]) for place in cut):
        return True
    return any(
        _is_lost(texts, place, known, gone)
        for place in stays
        if min(gone) < place
        for known in _KNOWN.finditer(texts[place])
    )


def _is_lost(texts: Sequence[str], place: int, known: re.Match[str], gone: Sequence[int]) -> bool:
    noun, text = known[1], texts[place]
    singular = noun if supersense(noun) is not None or is_person_word(noun) else noun.removesuffix("s")
    sense = supersense(singular)
    if noun in _ONLY_ONE or sense == _TIMES or (sense is None and not is_person_word(singular)):
        return False
    here = _roots(text[: known.start()])
    kept = here.union(*(_roots(texts[other]) for other in range(place) if other not in gone))
    stem = root(singular)
    if stem in kept:
        return False
    if any(stem in _roots(texts[other]) for other in gone if other < place):
        return True  # "buys a car. The car …"
    if place - 1 not in gone or any(singular in pair for pair in lexicon().pairs):
        return False
    behind = _WORD.match(text, known.end() + 1)
    compound = behind is not None and supersense(behind[0].removesuffix("s")) is not None and known.start() != 0
    if compound and behind is not None and behind[0] not in word_list("function"):
        return False  # "the hotel room"
    return known.start() == 0 or is_person_word(singular) or sense in _TOLD


def _roots(text: str) -> set[str]:
    return {root(form) for word in _WORD.findall(text) for form in (word.lower(), word.lower().removesuffix("s"))}
