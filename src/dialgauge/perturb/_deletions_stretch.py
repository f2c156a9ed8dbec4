"""Whether a phrase is one stretch that can be cut out: a clause with a verb is left, and nothing hangs in the air."""

import re
from itertools import pairwise

from dialgauge.perturb._deletions_joined import beside_clause, leaves_loose_end
from dialgauge.perturb._deletions_limits import (
    ends_inside,
    has_more_reasons,
    has_tense,
    is_one_of_row,
    opens_clause_behind,
)
from dialgauge.perturb._deletions_scope import (
    has_more_of_date,
    is_looked_to,
    joins_two_places,
    joins_unlike_measures,
    opens_infinitive,
    opens_participle,
)
from dialgauge.perturb._grammar import SUBJECTS, glued, is_finite, looks_like_verb, subject
from dialgauge.perturb._guards import in_quotes
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person

#: First and last token of a phrase, and the token that it hangs by.
Phrase = tuple[int, int, Token]
WHEN, WHERE = ("DATE", "TIME"), ("GPE", "LOC", "FAC")
MARKS = frozenset(["after", "although", "as", "because", "since", "so", "that", "though", "when", "while", "whereas"])
#: An apostrophe that opens or closes a word; not that of *#Person1#'s*.
_SINGLE_QUOTES = re.compile(r"(?<![\w#])['‘’](?=\w)|(?<=\w)['’](?!\w)")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_RELATIVES = frozenset(["who", "whom", "whose", "which", "where", "that"])
_OF_HOURS = frozenset(["a.m.", "p.m.", "am", "pm", "o'clock"])
_INDEFINITE = re.compile(r"(?:any|every|no|some)(?:body|one|thing|where)")
_PERSONAL = frozenset(["her", "him", "me", "them", "us"])
_OPENING_QUOTES = frozenset(['"', "'", "`", "``", "“", "‘"])
#: No phrase ends with one of these: it would be that of what follows.
_OPENING = ("ADP", "DET", "CCONJ", "AUX", "PART", "SCONJ")


def is_cut(parsed: Parsed, phrase: Phrase) -> str:
    """Why a phrase cannot be cut out of its sentence; empty if it can."""
    for guard in (_no_stretch, _holds_what_follows, _one_of_several, _tears_marks, _shares_what_follows, _misread):
        if reason := guard(parsed, *phrase):
            return reason
    return ""


def _next(parsed: Parsed, last: int, token: Token, steps: int = 1) -> Token | None:
    """The token behind a phrase, if it is of the same sentence."""
    found = parsed.tokens[last + steps] if last + steps < len(parsed.tokens) else None
    return found if found is not None and found.sentence == token.sentence else None


def _no_stretch(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """One stretch of a sentence with a finite verb."""
    roots = [t for t in parsed.tokens if t.sentence == token.sentence and t.dep == "ROOT"]
    if len(roots) != 1 or not has_tense(parsed, roots[0]) or not _has_subject(parsed, roots[0]):
        return "the sentence has no single finite verb"
    if not token.unbroken or (first == last and token.dep != "npadvmod") or first <= roots[0].i <= last:
        return "not one stretch"
    if has_more_of_date(parsed, last, token) or ends_inside(parsed, last):
        return "not one stretch"
    if any(t.text in (":", ";") for t in parsed.tokens[first : last + 2] if t.sentence == token.sentence) or any(
        t.text[-1] in "-–—" and " " in (parsed.text[t.start - 1], parsed.text[t.end : t.end + 1])
        for t in parsed.tokens[first + 1 : last + 1]
    ):
        return "not one stretch"  # "with my sister Jane: If anyone", "while the winter is dry; the sky is clear"
    return "quoted" if in_quotes(parsed, parsed.tokens[first]) else ""


def _has_subject(parsed: Parsed, root: Token) -> bool:
    """Whether somebody does it, also where the parser takes the name before the verb for a part of it."""
    before = parsed.tokens[root.i - 1] if root.i else root
    named = before.dep == "compound" and before.head == root.i and before.pos == "PROPN" and root.pos == "VERB"
    return subject(parsed, root) is not None or (named and is_finite(root))


def _holds_what_follows(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """What stands behind the phrase, or before it, would be left without it."""
    after, beyond = _next(parsed, last, token), _next(parsed, last, token, 2)
    ending = parsed.tokens[last]
    if after is not None:
        opens = after.pos != "PUNCT" and ending.pos in _OPENING
        if opens or after.lower in _RELATIVES | _OF_HOURS:
            return "needed by what follows"
        if after.text == "," and beyond is not None and beyond.tag in ("WDT", "WP", "WRB"):
            return "needed by what follows"  # "a letter that moves it to Friday, when she works"
        if after.entity in WHEN and beyond is not None and beyond.tag in ("WP", "WDT"):
            return "needed by what follows"  # "gives it to Ann tomorrow, who …"
        described = (
            token.dep in ("acl", "relcl") and parsed.tokens[token.head].dep not in SUBJECTS
        )  # "stating it will be"
        late = after.pos == "ADV" and beyond is not None and is_finite(beyond)  # "to Ann and Bob finally chooses"
        if (token.dep in ("prep", "advcl", "npadvmod") or described) and (late or is_finite(after)):
            return "needed by what follows"
        subject_alone = token.dep in ("acl", "relcl") and parsed.tokens[token.head].dep in SUBJECTS
        if subject_alone and after.pos == "CCONJ" and beyond is not None and is_finite(beyond):
            return "needed by what follows"  # "a colleague paid for it and must be repaid"
    beside = tuple(t.lower for t in parsed.tokens[last + 1 : last + 4])
    if {"apart", "except", "besides"} & {*beside[:2]}:
        return "needed by what follows"  # "with the outfit that she likes, apart from the hat"
    if beside[:2] == ("at", "the") and beside[2:] in (("latest",), ("earliest",)):
        return "needed by what follows"  # "dies off by June at the latest"
    if leaves_loose_end(parsed, first, last, token) or ending.pos == "CCONJ":
        return "needed by what follows"
    if is_looked_to(parsed, first, last, token) or opens_participle(parsed, last, token):
        return "needed by what follows"
    if opens_clause_behind(parsed, first, last):
        return "needed by what follows"
    if token.dep == "advcl" and first and parsed.tokens[first - 1].pos == "AUX":
        return "needed by what stands before"  # "says it's because he is ill"
    if token.dep in ("acl", "advcl", "relcl") and first and _INDEFINITE.fullmatch(parsed.tokens[first - 1].lower):
        return "needed by what stands before"  # "is looking for somewhere to live"
    if after is not None and after.text in _OPENING_QUOTES:
        return "needed by what follows"  # "in her 'Continue watching'", where the parser ends the phrase before it
    if token.dep != "prep":
        return ""
    if any(t.lower == "be" and t.tag == "VB" for t in parsed.tokens[first : last + 1]):
        return "needed by what stands before"  # "finds the air at work to be bad", whatever the parser says
    if after is not None:
        if after.pos == "DET" and after.entity not in WHEN and first != parsed.tokens[0].i:
            return "needed by what follows"  # "a poor service for the money the home costs"
        if (after.tag == "VBG" or after.pos == "ADJ") and ending.pos in ("NOUN", "PROPN"):
            return "needed by what follows"  # "on Jonas turning three", "on the task due tomorrow"
        if joins_two_places(parsed, last, token) or opens_infinitive(parsed, last, token):
            return "needed by what follows"
    return ""


def _one_of_several(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """The phrase belongs to a row, of which the rest would be left."""
    after, beyond = _next(parsed, last, token), _next(parsed, last, token, 2)
    if after is not None and beyond is not None:
        if (
            after.text == ","
            and token.dep in ("acl", "advcl", "relcl")
            and (beyond.tag == "VB" or beyond.dep == "prep")
        ):
            return "one of several"  # "tells him to boil water, take out food and dice it"
        joined = after.pos == "CCONJ" and token.dep in ("acl", "relcl", "prep")
        if joined and beyond.tag in ("JJ", "NN", "NNS", "VB", "VBG"):
            return "one of several"  # "an event involving beer and stand up"
    inside = parsed.tokens[first : last + 1]
    closes = any(a.text == "," and b.dep == "cc" for a, b in pairwise(inside))
    if (
        closes
        and token.dep in ("acl", "advcl")
        and any(t.text == "," for t in parsed.tokens[: max(first - 1, 0)] if t.sentence == token.sentence)
    ):
        return "one of several"  # "an attic, a room connected to a kitchen, a bath, and a hall"
    head = parsed.tokens[token.head]
    if token.dep == "conj" and head.dep == "conj" and parsed.tokens[head.left - 1].dep != "cc":
        return "one of several"  # "gets half back, passes the box on, and …"
    if is_one_of_row(parsed, first, last, token):
        return "one of several"
    if token.dep == "prep" and token.lower == "from" and after is not None and after.lower in ("to", "till", "until"):
        return "one half of a pair"
    before = parsed.tokens[first - 1] if first else None
    halved = before is not None and token.dep != "conj" and before.dep in ("cc", "preconj")
    return "one half of a pair" if halved else ""


def _tears_marks(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """Brackets, quotes and hyphens stay whole."""
    text, start, end = parsed.text, parsed.tokens[first].start, parsed.tokens[last].end
    owners = {t.start for t in parsed.tokens[first : last + 1] if t.tag == "POS"}  # "their neighbours' sleep"
    if (
        any(text.count(a, start, end) != text.count(b, start, end) for a, b in _PAIRS)
        or text.count('"', start, end) % 2
        or sum(match.start() not in owners for match in _SINGLE_QUOTES.finditer(text, start, end)) % 2
        or text[end : end + 1] in ("'", "’")
    ):
        return "brackets or quotes would be cut"
    if "-" in (text[start - 1 : start], text[end : end + 1]) or glued(parsed, parsed.tokens[last]):
        return "glued to its neighbour"
    return "glued to its neighbour" if first and glued(parsed, parsed.tokens[first - 1]) else ""


def _shares_what_follows(parsed: Parsed, first: int, last: int, token: Token) -> str:
    after = _next(parsed, last, token)
    joined = after is not None and after.dep == "cc"
    if token.dep == "advcl" and (joined or has_more_reasons(parsed, last)) and parsed.tokens[first].lower in MARKS:
        return "shares what follows"  # "since it's too small and there isn't a bigger size"
    beside = token.dep in ("advcl", "conj") and beside_clause(parsed, last, token)
    return "shares what follows" if beside else ""


def _misread(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """*Before four o'clock and starts by …*, *at 5 and Ann at 6*: *and* joins more than the parser thinks."""
    joined = [t for t in parsed.tokens[first : last + 1] if t.dep == "conj"]
    verbs = [t for t in joined if t.tag in ("VBZ", "VBD") or looks_like_verb(parsed, t)]
    unlike = token.dep == "prep" and (verbs or _joins_unlike(parsed, token) or joins_unlike_measures(parsed, token))
    return "not one stretch" if unlike else ""


def _joins_unlike(parsed: Parsed, preposition: Token) -> bool:
    """Whether *and* joins somebody to something, so that it does not join the two at all."""
    noun = parsed.child(preposition, "pobj")
    other = parsed.child(noun, "conj") if noun is not None else None
    if noun is None or other is None:
        return False
    one, two = (is_person(parsed, t) or t.lower in _PERSONAL for t in (noun, other))
    return one != two and not (preposition.lower == "with" and noun.pos == other.pos == "PROPN")
