"""Passive clauses that cannot be made active without another meaning or bad English."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_first_name
from dialgauge.perturb._spans import PLACEHOLDER


def has_aside(parsed: Parsed, noun: Token) -> bool:
    """*By Ann, who has left*, *by Ann, a doctor*: on the other side of the verb a comma would be missing."""
    phrase = without_mark(parsed.subtree(noun))
    return any(t.text == "," for t in phrase) and any(t.dep in ("appos", "relcl") for t in phrase)


def is_run_on(parsed: Parsed, first: Token) -> bool:
    """*The bar.The food was …*: no space after the full stop, so that nobody knows whether a sentence begins."""
    before = parsed.text[first.start - 1] if first.start else " "
    return before.isalnum() or before in ".,;:!?"


def leans_on_passive(parsed: Parsed, verb: Token, by: Token) -> bool:
    """*Ann is convinced by it, while Bob isn't*, *disappointed by it, same as Bob*: what follows would lose the verb or
    the one whom it compares."""
    rest = [t for t in parsed.tokens[by.right + 1 :] if t.sentence == verb.sentence]
    left_over = {"attr", "acomp", "prep", "advmod", "ccomp", "xcomp", "dobj"}
    elided = any(
        t.lemma in ("be", "do", "have")
        and t.dep not in ("aux", "auxpass")
        and not any(parsed.tokens[c].dep in left_over and c > t.i for c in t.children)
        for t in rest
    )
    return elided or any(t.lower in ("like", "same", "than") for t in rest)


def holds_two_names(phrase: Sequence[Token]) -> bool:
    """*Tells #Person1# Megan was bullied*: the first of them is spoken to, whatever the parser thinks."""
    for one, other in pairwise(phrase):
        speaker = re.fullmatch(PLACEHOLDER, one.text) is not None
        if (speaker and other.tag != "POS" and other.pos not in ("CCONJ", "PUNCT")) or (
            is_first_name(one.text) and is_first_name(other.text)
        ):
            return True
    return False


def is_more_than_doer(parsed: Parsed, by: Token) -> bool:
    """*Surrounded only by Italians*, *scraped by her nails and Ann suggests …*: it says more than who did
    it, or begins the next clause."""
    phrase = parsed.subtree(by)
    after = parsed.tokens[phrase[-1].i + 1] if phrase[-1].i + 1 < len(parsed.tokens) else None
    joined = any(t.pos == "CCONJ" for t in phrase) and after is not None and after.pos in ("VERB", "AUX")
    return joined or phrase[0].i < by.i or parsed.tokens[by.i - 1].lower == "only"


def governs_clause(parsed: Parsed, verb: Token) -> bool:
    """*He was questioned because of climbing into a house*: who climbed is the subject, which would change."""
    parts = [parsed.tokens[c] for c in verb.children]
    inner = [t for part in parts if part.dep == "prep" for t in parsed.subtree(part) if t.dep == "pcomp"]
    return any(t.tag == "VBG" for t in inner) or any(
        t.dep == "advcl" and t.tag == "VBG" and not parsed.child(t, "nsubj", "nsubjpass") for t in parts
    )


def is_cut_short(parsed: Parsed, by: Token) -> bool:
    """*By men with a knife who wanted his watch*, *by the painting lessons part*: the parser ended the doer too
    early, or what follows may belong to it."""
    if sum(parsed.tokens[c].dep == "pobj" for c in by.children) != 1:
        return True
    rest: list[Token] = []
    for token in parsed.tokens[without_mark(parsed.subtree(by))[-1].i + 1 :]:
        if token.sentence != by.sentence or token.pos in ("PUNCT", "CCONJ", "SCONJ"):
            break
        rest.append(token)
    if not rest:
        return False
    noun = rest[0].pos in ("NOUN", "PROPN", "ADJ") and rest[0].entity not in ("DATE", "TIME")
    return noun or rest[0].lower == "with" or any(t.tag in ("WP", "WDT", "WP$") for t in rest)


def is_general(parsed: Parsed, subject: Token, by: Token) -> bool:
    """*Accidents are caused by drivers*: without an article on either side, the active says it of all of them."""
    doer = parsed.child(by, "pobj")
    return all(
        noun is not None and (noun.tag == "NNS" or noun.lower == "people") and noun.left == noun.i
        for noun in (subject, doer)
    )


def without_mark(stretch: Sequence[Token]) -> Sequence[Token]:
    """A phrase without the comma or full stop that the parser hangs on its last word."""
    last = len(stretch)
    while last > 1 and stretch[last - 1].pos == "PUNCT":
        last -= 1
    return stretch[:last]
