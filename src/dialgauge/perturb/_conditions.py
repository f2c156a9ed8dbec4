"""drop_condition: a condition, a limit or a doubt is removed, so that what is left claims more."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dialgauge.corpus import Dialogue
from dialgauge.perturb._baseline_descriptions import check_dropped
from dialgauge.perturb._baseline_dropping import cut
from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import SUBJECTS, can_be_verb, finite_part, is_be, verb_base
from dialgauge.perturb._guards import (
    ancestors,
    following,
    is_definite,
    lemma_of,
    noun_class,
    preceding,
)
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._perturbation import NotApplicable, Perturbation, Random
from dialgauge.perturb._registry import register
from dialgauge.perturb._spans import TURNS, copies_turns
from dialgauge.perturb._word_tables import word_set

CITATION = (
    "Pagnoni et al. 2021. Understanding Factuality in Abstractive Summarization with FRANK. NAACL (circumstance errors)"
)
_OPENING = frozenset(["if", "unless", "provided"])
#: What sets an upper limit; *at least ten* and *nearly ten* say hardly less than *ten* does.
_LIMIT = re.compile(
    r"\b(?:(?:up to|at most|no more than) (?=[$£€]?\d|(?:an? )?[a-z]+ty\b|all\b)|(?:nearly|almost) (?=all\b))"
)
#: Verbs of what somebody would like: a condition that takes nothing away.
_WISHING = frozenset(["feel", "like", "need", "prefer", "want", "wish"])
_DOUBT = frozenset(["allegedly", "maybe", "perhaps", "possibly", "probably", "supposedly"])
_SEEMING = frozenset(["guess", "likely", "seem", "suspect"])
_THINKING = frozenset(["assume", "believe", "expect", "suppose", "think"])
#: After these *if* says what is asked or known, not under which condition.
_OF_KNOWING = word_set("knowing_verbs")
#: Verbs of asking, whatever stands between them and *if*.
_ASKING = frozenset(["ask", "check", "confirm", "determine", "enquire", "inquire", "question", "verify", "wonder"])
#: Verbs for which *if* names what they are about: *does not care if*.
_CARING = frozenset(["care", "matter", "mind"])
#: Verbs of reaching somebody: *will call him if he can come* may say what the call is about.
_REACHING = frozenset(["call", "contact", "email", "phone", "reply", "respond", "ring", "write"])
#: Modals that leave open whether it is so: with them the rest stays true without its condition.
_OPEN = frozenset(["could", "may", "might", "would", "'d"])
#: What is suggested, offered or wanted is suggested, offered or wanted also without the condition.
_NOT_CLAIMING = frozenset(["advise", "ask", "consider", "hope", "like", "love", "offer", "promise", "propose",
                           "recommend", "suggest", "threaten", "try", "vow", "want", "warn", "wish"])  # fmt: skip
#: Verbs whose infinitive is a claim: *has to pay*, *is going to pay*, *agrees to pay*.
_CLAIMING = frozenset(["agree", "decide", "go", "have", "intend", "need", "plan", "refuse"])
_ALTERNATIVES = frozenset(["if", "otherwise", "unless", "whether"])
#: Supersenses of thoughts and messages: *has no idea if*, *got an answer if*.
_MESSAGES = frozenset((9, 10))
#: Verbs with which *up to* says where something gets: *the price goes up to 50*.
_GETTING = frozenset(["add", "climb", "come", "get", "go", "grow", "increase", "reach", "rise", "run", "walk"])
#: Verbs of telling somebody.
_TELLING = frozenset(["advise", "inform", "message", "notify", "remind", "show", "tell", "text", "update"])
#: Verbs that can take a clause: without an object, *if* after them is one.
_WITH_CLAUSES = word_set("clause_verbs", "wordnet")


def propose(parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int) -> Sequence[Edit] | NotApplicable:
    """Remove one condition, limit or doubt, chosen at random."""
    if copies_turns(parsed.text):
        return NotApplicable(TURNS)
    found = [*_clauses(parsed), *_exceptions(parsed), *_limits(parsed)]
    return rng.choice(found) if found else NotApplicable("no condition, limit or doubt")


def _clauses(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    """*If he pays*, *unless it rains*: below a verb that claims something by itself."""
    for verb in parsed.tokens:
        mark = parsed.child(verb, "mark")
        head = parsed.tokens[verb.head]
        if verb.dep != "advcl" or mark is None or mark.lower not in _OPENING or not verb.unbroken:
            continue
        if _is_garbled(parsed, verb, head):
            continue
        if _is_open(parsed, head) or _holds_another_verb(parsed, verb) or _is_topic(parsed, verb):
            continue
        if _is_limited(parsed, verb) or _runs_into_verb(parsed, verb):
            continue  # "only buys it if it is cheap", "is only an option if it is cheap"
        about = lemma_of(verb) == "come" and any(parsed.tokens[c].lower == "to" for c in verb.children)
        interested = parsed.child(verb, "acomp")
        wished = lemma_of(verb) in _WISHING or (
            interested is not None and interested.lower in ("interested", "willing")
        )
        if about or wished:
            continue  # "if it comes to the price"; who suggests it if somebody likes suggests it
        if parsed.child(verb, *SUBJECTS) is None or _is_requested(parsed, head):
            continue  # "if necessary" limits nothing that can be checked
        if not _is_of_claim(parsed, verb, head) or _has_alternative(parsed, verb) or _is_said_before(parsed, verb):
            continue
        if _is_asked(parsed, verb, head) or any(_opens_question(parsed, t) for t in (head, *ancestors(parsed, head))):
            continue
        if verb.left == mark.i and head.pos in ("VERB", "AUX") and not _names_for_later(parsed, verb, head):
            yield _cut(parsed, verb)


def _is_limited(parsed: Parsed, clause: Token) -> bool:
    return any(t.lower == "only" and t.sentence == clause.sentence for t in parsed.tokens[: clause.left])


def _is_garbled(parsed: Parsed, clause: Token, head: Token) -> bool:
    """*Go and chcek if it is so*, *the last trip if Rome that she enjoyed*: no verb that the dictionary has, or two
    words that open the clause."""
    marks = [parsed.tokens[c] for c in clause.children if parsed.tokens[c].dep == "mark"]
    known = can_be_verb(verb_base(head)) or is_be(head)
    return not known or len(marks) > 1 or any(mark.children for mark in marks)


def _is_open(parsed: Parsed, verb: Token) -> bool:
    """Whether what the condition belongs to is no claim: it may be so, or is possible, suggested, offered or wanted."""
    chain = (verb, *ancestors(parsed, verb))
    if any(parsed.tokens[c].lower in _OPEN for above in chain for c in above.children):
        return True
    for inner, above in pairwise(chain):
        to = any(parsed.tokens[c].lower == "to" and parsed.tokens[c].dep == "aux" for c in inner.children)
        said = parsed.child(above, "acomp", "attr") or above
        if to and ("possible" in said.lower or inner.dep in ("advcl", "relcl", "acl")):
            return True  # "it is possible to pay by card if …", "asks for somebody to call if …"
        if inner.dep in ("xcomp", "ccomp") and lemma_of(above) in _NOT_CLAIMING:
            return True
    return False


def _is_of_claim(parsed: Parsed, clause: Token, head: Token) -> bool:
    """Whether the clause opens a sentence, with a comma behind it, or follows what is or will be so (*Ann pays if …*);
    elsewhere it may be an indirect question (*is not sure yet if …*)."""
    if clause.i < head.i:
        after = following(parsed, parsed.tokens[clause.right])
        closing = "," in (parsed.tokens[clause.right].text, after.text if after is not None else "")
        return closing and preceding(parsed, parsed.tokens[clause.left]) is None
    claim = head
    while claim.dep in ("conj", "xcomp") and finite_part(parsed, claim) is None:
        above = parsed.tokens[claim.head]
        if claim.dep == "xcomp" and lemma_of(above) not in _CLAIMING:
            return False
        claim = above
    carrier = finite_part(parsed, claim)
    if carrier is None or carrier.tag not in ("MD", "VBP", "VBZ"):
        return False
    target = parsed.child(head, "dobj", "attr")
    if target is not None and noun_class(target) in _MESSAGES and not is_definite(parsed, target):
        return False
    return carrier.tag == "MD" or parsed.child(head, "acomp") is None


def _has_alternative(parsed: Parsed, clause: Token) -> bool:
    """*If she passes … If she fails …*, *if she comes or not*: the text says what holds in either case."""
    near = [t for t in parsed.tokens if abs(t.sentence - clause.sentence) <= 1 and t.head != clause.i]
    return any(t.lower in _ALTERNATIVES for t in near) or any(
        one.lower == "or" and other.lower == "not" for one, other in pairwise(near)
    )


def _is_said_before(parsed: Parsed, clause: Token) -> bool:
    """*Ann can't come. If she doesn't come, …*: another sentence says whether the condition is met."""
    content = ("ADJ", "NOUN", "VERB")
    words = {lemma_of(t) for t in parsed.subtree(clause) if t.pos in content}
    others = {lemma_of(t) for t in parsed.tokens if t.sentence != clause.sentence and t.pos in content}
    return bool(words) and words <= others


def _holds_another_verb(parsed: Parsed, clause: Token) -> bool:
    """*If she has no feeling for him and tell their daughter*: the second verb, or a reason, belongs to what stays."""
    joined = [t for t in parsed.subtree(clause) if t.dep == "conj" and t.head == clause.i and t.pos in ("VERB", "AUX")]
    own = finite_part(parsed, clause)
    if any(t.dep == "mark" and t.lower in ("as", "because", "since", "so") for t in parsed.subtree(clause)):
        return True  # "can wait there if Ann is early as he lives nearby"
    for other in joined:
        form = finite_part(parsed, other)
        if parsed.child(other, *SUBJECTS) is None and own is not None and (form is None or form.tag != own.tag):
            return not (own.tag == "MD" and other.tag == "VB")
    return False


def _runs_into_verb(parsed: Parsed, clause: Token) -> bool:
    """*Unless they bring a note and the leave is ten days*: the parser took the next subject into the clause."""
    after = following(parsed, parsed.tokens[clause.right])
    return after is not None and after.pos in ("VERB", "AUX")


def _is_topic(parsed: Parsed, clause: Token) -> bool:
    """*Talks about the plan if she is not hired*: the clause belongs to a noun after *about* or *on*."""
    before = parsed.tokens[clause.left - 1] if clause.left else clause
    return before.pos == "NOUN" and any(
        t.lower in ("about", "on") and t.dep == "prep" for t in ancestors(parsed, before)
    )


def _names_for_later(parsed: Parsed, clause: Token, head: Token) -> bool:
    """*If one reads, he learns*, *if they grill, it'll be in the garden*: the clause before names what the rest only
    points to."""
    who, doer = parsed.child(clause, *SUBJECTS), parsed.child(head, *SUBJECTS)
    if doer is not None and clause.i < head.i and doer.lower in ("it", "that", "this"):
        return True
    pointing = doer is not None and doer.tag == "PRP" and clause.i < head.i
    return (
        pointing
        and doer is not None
        and who is not None
        and who.lower != doer.lower
        and (who.tag != "PRP" or who.lower == "one")
    )


def _is_asked(parsed: Parsed, clause: Token, verb: Token) -> bool:
    """Whether *if* says what is asked or checked (*verify if it works*), not under which condition something holds."""
    before = parsed.tokens[clause.left - 1] if clause.left else None
    beside = before is not None and before.sentence == clause.sentence
    if beside and before is not None and (before.pos == "ADJ" or lemma_of(before) in _OF_KNOWING):
        return True  # "is not sure if", "will let him know if"
    if lemma_of(verb) in _OF_KNOWING | _CARING or "let" in (lemma_of(verb), lemma_of(parsed.tokens[verb.head])):
        return True
    modals = [parsed.tokens[c] for c in (*clause.children, *verb.children) if parsed.tokens[c].tag == "MD"]
    if lemma_of(verb) in _REACHING and any(t.head == clause.i or t.lower == "can" for t in modals):
        return True  # "can call him if she has questions": that goes without saying
    earlier = [t for t in parsed.tokens if t.sentence == clause.sentence and t.i < clause.left]
    if any(lemma_of(t) in _ASKING and parsed.child(t, "xcomp", "ccomp") is None for t in earlier):
        return True  # "will enquire with her friends who own it if it is free"
    told = parsed.child(verb, "dobj")
    if lemma_of(verb) in _TELLING and clause.i > verb.i:
        return True  # "will inform him tomorrow if they can meet"
    if told is not None and told.lower == "it" and clause.i > verb.i:
        return True  # "do not hold it against them if they fail": that is what "it" is
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


def _exceptions(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    """*All rooms except the attic*."""
    for token in parsed.tokens:
        if token.lower != "except" or token.dep != "prep" or not token.unbroken or token.right == token.i:
            continue
        after = following(parsed, parsed.tokens[token.right])
        before = preceding(parsed, parsed.tokens[token.left])
        named = {t.lower for t in parsed.subtree(token) if t.pos in ("NOUN", "PROPN", "PRON")}
        earlier = {t.lower for t in parsed.tokens[: token.i] if t.sentence == token.sentence}
        if earlier & named:
            continue  # "Ann's classmates are all from Rome except Ann": nobody would count her
        if earlier & {"almost", "many", "most", "mostly", "nearly"}:
            continue  # "almost everything except the car" is as much without it
        if before is None or before.text == "(" or (after is not None and after.pos != "PUNCT"):
            continue  # "Except for tea, she also wants …", "stay except for Tim, who is busy and he …"
        if before.text != "," or after is None or after.text != ",":
            yield _cut(parsed, token)  # not "start at one, except for Tim, he …"


def _limits(parsed: Parsed) -> Iterator[Sequence[Edit]]:
    for match in _LIMIT.finditer(parsed.text):
        before = [t for t in parsed.tokens if t.end < match.start()][-1:]
        if before and (before[0].tag == "MD" or before[0].lower in ("in", "within")):
            continue  # "would up to 17 euros": no verb but this; "is ready in no more than ten minutes"
        verb = before[0] if before else None
        measured = match.group().startswith(("nearly", "almost"))
        bare = verb is None or verb.pos not in ("VERB", "AUX", "ADP") or verb.tag == "VBN"
        if not measured and (bare or (verb is not None and lemma_of(verb) in _GETTING)):
            continue  # "cashback up to 50 pounds", "is covered up to 50 pounds", "goes up to 50 pounds"
        if verb is not None and (
            any(parsed.tokens[c].tag == "MD" and parsed.tokens[c].lower != "will" for c in verb.children)
        ):
            continue  # "can use up to three": who can use three can use up to three
        yield [Edit(*match.span())]
    for token in parsed.tokens:
        bracketed = parsed.text[token.start - 1 : token.start] == "(" and parsed.text[token.end : token.end + 1] == ")"
        apart = token.i > 0 and parsed.tokens[token.i - 1].text == ","  # "will meet, probably next month"
        loose = not token.children and not bracketed and not apart
        if token.lower in _DOUBT and token.dep == "advmod" and loose and not _is_doubted_twice(parsed, token):
            yield cut(parsed, [token.i])


def _is_doubted_twice(parsed: Parsed, doubt: Token) -> bool:
    """Whether the sentence stays as doubtful without the word: another such word, *may*, *seems*, *or*, a
    condition."""
    others = [t for t in parsed.tokens if t.sentence == doubt.sentence and t.i != doubt.i]
    doubted = parsed.tokens[doubt.head]
    after = following(parsed, parsed.tokens[doubted.right])
    if doubted.pos in ("NOUN", "PROPN") and doubted.dep == "conj" and after is not None and after.text == ",":
        return True  # "Ann, and probably Tom, are going": the commas are the doubt's
    if any(parsed.tokens[c].lower in ("just", "only") for c in doubted.children):
        return True  # "maybe just in the East"
    if any(lemma_of(t) in _THINKING for t in ancestors(parsed, doubt)):
        return True  # who thinks so does not know
    return any(
        t.lower in _DOUBT | _OPEN or t.lower in ("either", "if", "or") or lemma_of(t) in _SEEMING for t in others
    )


def _cut(parsed: Parsed, token: Token) -> Sequence[Edit]:
    last = token.right
    while last > token.left and parsed.tokens[last].pos == "PUNCT":
        last -= 1
    return cut(parsed, range(token.left, last + 1))


register(
    Perturbation(
        name="drop_condition",
        version="11",
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
