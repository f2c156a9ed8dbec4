"""Clauses that cannot be turned into the other voice without another meaning or bad English."""

import re
from collections.abc import Sequence
from itertools import pairwise

from dialgauge.perturb._grammar import is_finite
from dialgauge.perturb._guards import lemma_of, noun_class
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_first_name, is_person
from dialgauge.perturb._spans import PLACEHOLDER

REFLEXIVE = re.compile(r"sel(?:f|ves)$")
#: Supersenses of animals, groups and people; of acts; of times and of amounts.
_LIVING, _ACT, _MEASURES = frozenset((5, 14, 18)), 4, frozenset((23, 28))
#: After these *by the glass* or *by the hour* says how much at a time.
_TRADING = frozenset(["bill", "buy", "charge", "hire", "let", "pay", "rent", "sell"])
#: Verbs whose object is words.
_OF_WORDS = frozenset(["read", "recite", "sing", "write"])
_NOMINATIVE = {"him": "he", "her": "she", "them": "they"}
#: An object of more words does not stand before a particle or an adverb of its verb.
_SHORT_OBJECT = 2
#: A full stop within a phrase, unless it closes a title.
_STOP = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)[.!?]\s")


def is_torn_apart(parsed: Parsed, verb: Token, target: Token) -> bool:
    """*Spoils the plot for Jon*, *pays twice the price than she does*, *agree conditions can differ*, *did it
    themselves*: what stands behind the noun may belong to the verb, or the noun to what follows."""
    object_ = parsed.subtree(target)
    behind = [t for t in parsed.tokens[object_[-1].i + 1 :] if t.sentence == verb.sentence]
    loose = any(t.dep == "prep" and t.lower != "of" for t in object_ if t.i > target.i)
    equal = any(t.lower in ("as", "same", "such") for t in object_) and any(t.lower == "as" for t in behind[:1])
    compared = equal or any(t.lower == "than" for t in [*object_, *behind])
    opens_clause = any(t.pos in ("VERB", "AUX") and t.tag != "VBN" for t in behind[:1])
    # "Considers the post an ad"
    second = any(t.dep == "det" and parsed.tokens[t.i - 1].pos in ("NOUN", "PROPN") for t in object_[1:])
    aside = second or any(t.text == "," for t in object_)  # "her neighbour, Jack"
    own = any(REFLEXIVE.search(t.lower) for t in [*object_, *behind[:1]])
    near = behind[: next((k for k, t in enumerate(behind) if t.pos in ("CCONJ", "PUNCT", "SCONJ")), len(behind))]
    judged = bool(near) and (near[-1].pos == "ADJ" or near[-1].tag == "VBG")  # "found it at that price tempting"
    doing = any(t.dep == "pcomp" and t.tag == "VBG" for t in behind)  # "instead of sleeping"
    leaning = any(one.lemma == "do" and two.lower in ("either", "so", "too") for one, two in pairwise(behind))
    return loose or compared or opens_clause or own or aside or doing or judged or leaning


def is_written_to(parsed: Parsed, verb: Token, target: Token) -> bool:
    """*She wrote him*: it is not he who was written."""
    somebody = is_person(parsed, target) or target.lower in ("him", "her", "them", "me", "us")
    return somebody and lemma_of(verb) in _OF_WORDS


def reaches_person(parsed: Parsed, token: Token) -> bool:
    """*States the purpose of the visit to him*: whom something is told, given or shown, or with whom it is shared, may
    belong to the verb, whatever the parser thinks."""
    noun = parsed.child(token, "pobj") if token.dep == "prep" and token.lower in ("to", "with") else None
    return noun is not None and (is_person(parsed, noun) or noun.entity == "PERSON")


def is_out_of_number(verb: Token, subject: Token) -> bool:
    """Whether the verb does not agree with its subject: then it may be no verb, as in "nine, claim 552086"."""
    return verb.tag == "VBP" and subject.tag in ("NN", "NNP", "DT")


def tears_marks(parsed: Parsed, phrase: Sequence[Token]) -> bool:
    """*Play the new episode of "Criminal Minds."*, *met a Philips'*: a mark of the phrase stands outside of it."""
    start, end = phrase[0].start, phrase[-1].end
    odd = any(parsed.text.count(mark, start, end) % 2 for mark in '"`') or any(
        parsed.text.count(one, start, end) != parsed.text.count(other, start, end) for one, other in ("“”", "()", "[]")
    )
    return odd or parsed.text[end : end + 1] in ("'", "’", "-", "/")


def is_crowded_behind(parsed: Parsed, last: Token) -> bool:
    """*Recommends a suit and Ann buys it*: by whom it is recommended and who buys it would be read as one."""
    behind = [t for t in parsed.tokens[last.i + 1 : last.i + 3] if t.sentence == last.sentence]
    return len(behind) > 1 and behind[0].pos == "CCONJ" and behind[1].pos in ("ADJ", "DET", "NOUN", "NUM", "PROPN")


def may_be_another(parsed: Parsed, subject: Token, target: Token) -> bool:
    """*He gives her the number of Will, so she can ask him*: *he* would be the one who stands first. *Kate binge
    watched it*: the subject is not all that the parser takes for it. *Asks the location*: asked is somebody."""
    sentence = [t for t in parsed.tokens if t.sentence == target.sentence]
    again = any(t.dep in ("nsubj", "nsubjpass") and t.lower == _NOMINATIVE.get(target.lower) for t in sentence)
    again = again or any(_NOMINATIVE.get(t.lower) == subject.lower and t.tag == "PRP" for t in sentence)
    before = [t for t in sentence if t.i < subject.left]
    again = again or (target.lower == "it" and any(t.tag == "NN" and not is_person(parsed, t) for t in before))
    whole = parsed.subtree(subject)
    parts = [parsed.tokens[c] for c in subject.children if parsed.tokens[c].dep == "compound"]
    # "Tony, David and Luke", where the first of them is thought to be spoken to
    row = before[-1:] and before[-1].text == "," and not any(map(is_finite, before)) and before[0].pos == "PROPN"
    misread_row = bool(row) or holds_two_names(whole) or whole[-1].pos == "CCONJ"
    # "Pen packed it", where the parser does not know the name
    bare = whole[0].i == whole[-1].i and subject.tag in ("NN", "NNS") and not is_person(parsed, subject)
    misread = (
        subject.pos == "NUM"
        or (bare and subject.text[0].isupper())
        or (subject.tag == "NN" and any(is_first_name(t.text) for t in parts))
    )
    verb = parsed.tokens[target.head]
    somebody = is_person(parsed, target) or target.pos in ("PRON", "PROPN")
    again = again or (lemma_of(verb) == "follow" and somebody)  # "he is followed by her": she comes next
    return again or misread or misread_row or (lemma_of(verb) == "ask" and not somebody)


def is_no_doer(parsed: Parsed, verb: Token, subject: Token, by: Token) -> bool:
    """*Closed by the time she comes*, *sold by the glass*, *explained by it being broken*, *paid by himself*: no one
    who acts. *Parking is paid by her*, *the transport of it is taken on by her*: one who does it only with another
    word, or behind a long phrase."""
    doer = parsed.child(by, "pobj")
    phrase = without_mark(parsed.subtree(by))
    after = parsed.tokens[phrase[-1].i + 1 : phrase[-1].i + 2]
    measured = doer is None or noun_class(doer) in _MEASURES or lemma_of(doer) == "time"
    if doer is None or measured or REFLEXIVE.search(doer.lower):
        return True
    living = is_person(parsed, doer) or doer.pos in ("PROPN", "PRON") or noun_class(doer) in _LIVING
    rated = lemma_of(verb) in _TRADING and not living
    done = any(t.lower == "being" for t in phrase) or any(t.tag == "VBG" for t in after)
    whole = parsed.subtree(subject)
    text = parsed.text[whole[0].start : whole[-1].end]
    free = lemma_of(verb) == "pay" and (noun_class(subject) == _ACT or subject.lower.endswith("ing"))
    between = any(verb.i < c < by.i and parsed.tokens[c].dep not in ("aux", "neg") for c in verb.children)
    return rated or done or free or _STOP.search(text) is not None or (between and len(whole) > _SHORT_OBJECT)


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
