"""drop_condition: a condition, a limit or a doubt is removed, so that what is left claims more."""

import re
from collections.abc import Iterator, Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_descriptions import check_dropped
from dialgauge.perturb._baseline_dropping import cut
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, finite_part
from dialgauge.perturb._guards import ancestors, in_condition, is_definite, is_negated, lemma_of
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import is_person
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import copies_turns
from dialgauge.perturb._word_tables import word_set

CITATION = (
    "Pagnoni et al. 2021. Understanding Factuality in Abstractive Summarization with FRANK. NAACL (circumstance errors)"
)
_OPENING = frozenset(["if", "unless", "provided"])
_UNTIL = frozenset(["until", "till", "before", "unless", "without"])
#: What sets an upper limit; *at least ten* and *nearly ten* say hardly less than *ten* does.
_LIMIT = re.compile(
    r"\b(?:(?:up to|at most|no more than) (?=[$£€]?\d|(?:an? )?[a-z]+ty\b|all\b)|(?:nearly|almost) (?=all\b))"
)
#: Verbs of what somebody would like: a condition that takes nothing away.
_WISHING = frozenset(["feel", "like", "need", "prefer", "want", "wish"])
_NEARLY = frozenset(["barely", "hardly", "scarcely"])
_DOUBT = frozenset(["allegedly", "maybe", "perhaps", "possibly", "probably", "supposedly"])
#: After these *if* says what is asked or known, not under which condition.
_OF_KNOWING = word_set("knowing_verbs")
#: Verbs of asking, whatever stands between them and *if*.
_ASKING = frozenset(["ask", "check", "confirm", "determine", "enquire", "inquire", "question", "verify", "wonder"])
#: Verbs of telling somebody.
_TELLING = frozenset(["advise", "inform", "message", "notify", "remind", "show", "tell", "text", "update"])
#: Verbs that can take a clause: without an object, *if* after them is one.
_WITH_CLAUSES = word_set("clause_verbs", "wordnet")


def propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    """Remove one condition, limit or doubt, chosen at random."""
    if copies_turns(parsed.text):
        return NotApplicable("turns of the dialogue, not sentences of a summary")
    found = [*_clauses(parsed), *_under_negation(parsed), *_exceptions(parsed), *_limits(parsed)]
    return rng.choice(found) if found else NotApplicable("no condition, limit or doubt")


def _clauses(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    """*If he pays*, *unless it rains*: below a verb that claims something by itself."""
    for verb in parsed.tokens:
        mark = parsed.child(verb, "mark")
        head = parsed.tokens[verb.head]
        hypothetical = any(
            parsed.tokens[c].lower in ("would", "could", "might", "'d")
            for above in (head, *ancestors(parsed, head))
            for c in above.children
        )
        if verb.dep != "advcl" or mark is None or mark.lower not in _OPENING or hypothetical or not verb.unbroken:
            continue
        about = lemma_of(verb) == "come" and any(parsed.tokens[c].lower == "to" for c in verb.children)
        if about or lemma_of(verb) in _WISHING:
            continue  # "if it comes to the price"; who suggests it if somebody likes suggests it
        if parsed.child(verb, *SUBJECTS) is None or _is_requested(parsed, head):
            continue  # "if necessary" limits nothing that can be checked
        if _is_asked(parsed, verb, head) or any(_opens_question(parsed, t) for t in (head, *ancestors(parsed, head))):
            continue
        if verb.left == mark.i and head.pos in ("VERB", "AUX"):
            yield _cut(parsed, verb)


def _is_asked(parsed: Parsed, clause: Token, verb: Token) -> bool:
    """Whether *if* says what is asked or checked (*verify if it works*), not under which condition something holds."""
    before = parsed.tokens[clause.left - 1] if clause.left else None
    beside = before is not None and before.sentence == clause.sentence
    if beside and before is not None and (before.pos == "ADJ" or lemma_of(before) in _OF_KNOWING):
        return True  # "is not sure if", "will let him know if"
    if lemma_of(verb) in _OF_KNOWING or lemma_of(verb) == "let":
        return True
    earlier = [t for t in parsed.tokens if t.sentence == clause.sentence and t.i < clause.left]
    if any(lemma_of(t) in _ASKING and parsed.child(t, "xcomp", "ccomp") is None for t in earlier):
        return True  # "will enquire with her friends who own it if it is free"
    told = parsed.child(verb, "dobj")
    if told is not None and lemma_of(verb) in _TELLING and is_person(parsed, told):
        return True  # "will inform him tomorrow if they can meet"
    return clause.i > verb.i and lemma_of(verb) in _WITH_CLAUSES and told is None


def _is_requested(parsed: Parsed, verb: Token) -> bool:
    """*Asks her to pick up if he calls*: what somebody is asked to do is no claim, and the condition often goes without
    saying."""
    above, to = parsed.tokens[verb.head], parsed.child(verb, "aux")
    asked = parsed.child(verb, *SUBJECTS) or parsed.child(above, "dobj", "dative")
    return verb.dep in ("xcomp", "ccomp") and to is not None and to.lower == "to" and asked is not None


def _opens_question(parsed: Parsed, verb: Token) -> bool:
    """*Tells him what to do if it breaks*, *wonders if she can come if it rains*: nothing is claimed there."""
    parts = [parsed.tokens[c] for c in verb.children if c < verb.i]
    return any(t.tag in ("WRB", "WP", "WDT") or (t.dep == "mark" and t.lower in ("if", "whether")) for t in parts)


def _under_negation(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    """*Is not covered before 1 May*: without the phrase it is never covered."""
    for token in parsed.tokens:
        head = parsed.tokens[token.head]
        if head.pos not in ("VERB", "AUX") or token.i < head.i or not token.unbroken or not _is_denied(parsed, head):
            continue
        # "send it in one week without a trace", "won't come today, but will before Sunday"
        limited = {t.lower for t in parsed.tokens[head.left : head.right + 1]} & {"without", "but"}
        if limited or parsed.tokens[token.left - 1].pos in ("AUX", "CCONJ"):
            continue  # "neither today nor on Monday"
        noun = parsed.child(token, "pobj")
        timed = token.dep == "prep" and noun is not None and noun.entity in ("DATE", "TIME") and lemma_of(head) != "be"
        timed = timed and token.lower != "after"  # "is not feeling well after last night"
        carrier = finite_part(parsed, head)
        done = carrier is None or carrier.tag == "VBD" or carrier.lower in ("has", "have", "'s", "'ve")
        if timed and token.lower not in _UNTIL and done:
            continue  # "was not well on Friday", "has not called for days": what was not so then was not so
        known = parsed.child(head, "dobj")
        if timed and token.lower not in _UNTIL and known is not None and is_definite(parsed, known):
            continue  # "can't make the appointment on Wednesday": there is one, and it stays true
        until = token.dep == "advcl" and parsed.tokens[token.left].lower in _UNTIL
        rest = parsed.tokens[token.right + 1 : token.right + 3]
        if any(t.tag in ("WRB", "WDT", "WP") or t.lower in ("now", "so") for t in rest):
            continue  # "until the next morning, when it was too late", "for two months now"
        if in_condition(parsed, head):
            continue  # "will worry if it does not change in an hour"
        if any(parsed.tokens[c].lower in _NEARLY for c in head.children):
            continue  # "barely snows in winter"
        if timed or until:
            yield _cut(parsed, token)


def _is_denied(parsed: Parsed, verb: Token) -> bool:
    """Whether a verb is negated itself; *does not know if she comes for Christmas* denies nothing of the coming."""
    own = any(parsed.tokens[c].lower in NEGATIONS for c in verb.children)
    return is_negated(parsed, verb) and verb.dep != "ccomp" and (own or verb.dep != "conj")


def _exceptions(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    """*All rooms except the attic*."""
    for token in parsed.tokens:
        if token.lower == "except" and token.dep == "prep" and token.unbroken and token.right > token.i:
            yield _cut(parsed, token)


def _limits(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    for match in _LIMIT.finditer(parsed.text):
        before = [t for t in parsed.tokens if t.end < match.start()][-1:]
        if before and (before[0].tag == "MD" or before[0].lower in ("in", "within")):
            continue  # "would up to 17 euros": no verb but this; "is ready in no more than ten minutes"
        yield [Edit(*match.span())]
    for token in parsed.tokens:
        bracketed = parsed.text[token.start - 1 : token.start] == "(" and parsed.text[token.end : token.end + 1] == ")"
        apart = token.i > 0 and parsed.tokens[token.i - 1].text == ","  # "will meet, probably next month"
        loose = not token.children and not bracketed and not apart
        if token.lower in _DOUBT and token.dep == "advmod" and loose:
            yield cut(parsed, [token.i])


def _cut(parsed: Parsed, token: Token) -> Sequence[Edit]:
    last = token.right
    while last > token.left and parsed.tokens[last].pos == "PUNCT":
        last -= 1
    return cut(parsed, range(token.left, last + 1))


register(
    Perturbation(
        name="drop_condition",
        version="7",
        family="further",
        description="removes a condition, a limit or a doubt, so that the summary claims more than was said",
        effects={"consistency": "degrades", "relevance": "degrades-mildly"},
        propose=propose,
        validate=check_dropped,
        needs=frozenset({"parse"}),
        citation=CITATION,
        examples=(
            (
                "The agent refunds the fee if the customer sends the form.",
                "The agent refunds the fee.",
            ),
        ),
    ),
)
