"""Whether a text still follows from itself without a phrase: nothing is denied, limited or compared around it."""

from itertools import pairwise

from dialgauge.perturb._deletions_limits import is_felt, is_limit, is_limited, is_reason, is_statement
from dialgauge.perturb._deletions_scope import (
    has_alternative,
    has_other_time,
    has_verb_left_out,
    is_counted_from,
    is_day_of_hour,
    is_denied,
    is_left_out_behind,
    is_measured_off,
    is_time_with_somebody,
    repeats_preposition,
)
from dialgauge.perturb._deletions_stretch import WHEN, WHERE, Phrase
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, finite_part
from dialgauge.perturb._guards import ancestors, in_condition, lemma_of
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._word_tables import word_set

_EXTREMES = frozenset(["all", "any", "both", "each", "either", "every", "most", "neither", "no", "none", "only"])
_TELLING_APART = frozenset(["chief", "first", "last", "main", "sole", "top"])
#: Who likes Boston in summer need not like Boston.
_ATTITUDES = word_set("attitude_verbs")
#: What opens a reason.
_REASONS = frozenset(["as", "because", "since"])


def is_no_longer_said(parsed: Parsed, phrase: Phrase) -> str:
    """Whether the text follows without the phrase: nothing is denied, limited or compared around it."""
    first, last, token = phrase
    inside = {t.lower for t in parsed.tokens[first : last + 1]}
    clause = is_statement(parsed, first, token)
    if not (clause or is_reason(parsed, first, token)) and inside & (
        NEGATIONS | {"just", "only", "if", "unless", "until", "except", "than"}
    ):
        return "holds a negation or a limit"
    sentence = [t.lower for t in parsed.tokens if t.sentence == token.sentence]
    if any(pair in (("but", "not"), ("not", "but"), ("and", "not")) for pair in pairwise(sentence)):
        return "beside a contrast"
    head = parsed.tokens[token.head]
    verb = (
        head
        if head.pos in ("VERB", "AUX")
        else next((t for t in ancestors(parsed, head) if t.pos in ("VERB", "AUX")), head)
    )
    own = clause and (parsed.child(token, *SUBJECTS) is not None or finite_part(parsed, token) is not None)
    if is_limit(parsed, token, verb) or is_limited(parsed, first, head):
        return "a limit"
    if token.dep in ("prep", "acl", "relcl") and is_felt(parsed, head):
        return "says what is liked"
    if is_denied(parsed, token) and not own:
        return "under a negation"
    if token.dep in ("prep", "npadvmod", "advmod", "advcl") and has_alternative(parsed, verb):
        return "beside an alternative"
    if is_day_of_hour(parsed, first, last, token):
        return "the hour would be left without its day"
    if is_counted_from(parsed, first, token) or is_time_with_somebody(parsed, token):
        return "needed by its verb"
    if is_measured_off(parsed, first, last, token) or has_verb_left_out(parsed, token):
        return "the rest of a time"
    if is_left_out_behind(parsed, last, token):
        return "the rest leaves it out"
    if in_condition(parsed, head):
        return "inside a condition"
    if any(_gives_reason(parsed, one) for one in (head, *ancestors(parsed, head)) if one.i != token.i):
        return "inside a reason"  # "claims no lost pay, as he will give evidence during his break"
    if any(parsed.tokens[c].lower == "only" for c in verb.children) and not own:
        return "beside a superlative or a quantifier"  # "only warns when you ask"
    felt = lemma_of(verb) in _ATTITUDES or _is_judged(parsed, verb)
    if token.dep in ("prep", "npadvmod", "advcl") and felt and not clause:
        return "says what is liked"
    around = [t for t in parsed.subtree(head) if t.i < head.i]  # "the highest grossing film this week"
    if head.pos == "NOUN" and any(
        t.lower in _EXTREMES or t.tag in ("JJS", "RBS") or t.lower in _TELLING_APART for t in around
    ):
        return "beside a superlative or a quantifier"
    if token.dep in ("prep", "npadvmod") and has_other_time(parsed, first, last):
        return "beside a contrast"
    if not own and (_is_paralleled(parsed, token) or (token.dep == "prep" and repeats_preposition(parsed, token))):
        return "beside a contrast"
    rest = [t.lower for t in parsed.tokens[last + 1 : last + 3] if t.sentence == token.sentence and t.text != ","]
    if token.dep == "prep" and _is_general(parsed, verb):
        return "said of all"
    tying = (
        ("because", "so")
        if token.dep in ("prep", "relcl", "acl")
        else ("so", *_REASONS)
        if token.dep == "npadvmod"
        else ()
    )
    if rest and rest[0] in tying:
        return "tied to what follows"  # "wants one in a dark shade because she is a teacher", "eats beef today, so …"
    more = head.tag == "JJR" or any(parsed.tokens[c].tag in ("JJR", "RBR") for c in verb.children)
    return "in a comparison" if ("than" in sentence or more) and not own else ""


def _gives_reason(parsed: Parsed, clause: Token) -> bool:
    mark = parsed.child(clause, "mark")
    return clause.dep == "advcl" and mark is not None and mark.lower in _REASONS


def _is_general(parsed: Parsed, verb: Token) -> bool:
    """*Women suffer in some parts of the country*: without the place it is said of all of them."""
    who = parsed.child(verb, "nsubj", "nsubjpass") if verb.pos == "VERB" else None
    return who is not None and who.tag == "NNS" and who.left == who.i and who.right == who.i


def _is_paralleled(parsed: Parsed, token: Token) -> bool:
    """*Grew up in Rome, while Ann was born in Oslo*, *picks up Tom at 5 and Ann at 6*: one of two times or places that
    are contrasted."""
    noun = parsed.child(token, "pobj") if token.dep == "prep" else None
    if noun is None or noun.entity not in WHEN + WHERE:
        return False
    kinds = WHERE if noun.entity in WHERE else WHEN
    return any(
        t.i != token.i
        and t.sentence == token.sentence
        and t.lower == token.lower
        and any(parsed.tokens[c].entity in kinds for c in t.children)
        for t in parsed.tokens
    )


def _is_judged(parsed: Parsed, verb: Token) -> bool:
    """*It is hard to earn money in this way*: what is judged is not earning money."""
    for clause in (verb, *ancestors(parsed, verb)):
        judging = parsed.tokens[clause.head]
        known = judging.pos == "ADJ" or (judging.lemma == "be" and parsed.child(judging, "acomp") is not None)
        to = parsed.child(clause, "aux")
        if clause.dep in ("xcomp", "ccomp", "advcl", "csubj") and known and to is not None and to.lower == "to":
            return True
    return False
