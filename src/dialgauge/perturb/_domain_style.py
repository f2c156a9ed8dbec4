"""writing_style: the same content as shorthand notes, in the passive, or in the active voice."""

import re
from collections.abc import Sequence

from dialgauge.corpus import Dialogue
from dialgauge.perturb._domain_text import CITATION, lost_facts, negations, new_facts, overlap
from dialgauge.perturb._domain_voice import to_active, to_passive
from dialgauge.perturb._edits import Edit, apply_edits
from dialgauge.perturb._grammar import glued, is_question, like
from dialgauge.perturb._lexicon import alternatives
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person
from dialgauge.perturb._perturbation import NotApplicable, Option, Perturbation, Proposal, Random
from dialgauge.perturb._registry import register

#: A text that shares more word bigrams with the original than this does not count as a rewrite.
_MOST_OVERLAP = 0.95
_ABBREVIATIONS = {
    "customer": "cust.",
    "customers": "custs.",
    "agent": "agt.",
    "representative": "rep",
    "appointment": "appt.",
    "account": "acct.",
    "information": "info",
    "approximately": "approx.",
    "department": "dept.",
    "reference": "ref.",
    "payment": "pmt",
    "received": "rec'd",
    "because": "b/c",
    "with": "w/",
    "and": "&",
    "tomorrow": "tmrw",
    "minutes": "min",
    "hours": "hrs",
    "weeks": "wks",
    "months": "mos",
    "years": "yrs",
    "date of birth": "DOB",
    "as soon as possible": "asap",
}
_ABBREVIATED = alternatives(_ABBREVIATIONS)
_UNITS = frozenset(
    ("second", "minute", "hour", "day", "night", "week", "month", "year", "dozen", "hundred", "thousand")
)
#: A few marks or articles more or less make no other style.
_FEWEST_NOTES, _ENOUGH_NOTES, _SHARE_OF_NOTES = 2, 3, 0.15
_STYLES = ("shorthand", "passive", "active")


def _propose(
    parsed: Parsed, dialogue: Dialogue | None, rng: Random, level: int, *, style: str
) -> Proposal | NotApplicable:
    makers = {"shorthand": _shorthand, "passive": to_passive, "active": to_active}
    wanted = [style] if style != "any" else rng.sample(_STYLES, len(_STYLES))
    for name in wanted:
        edits = makers[name](parsed)
        if (
            edits
            and not (name == "shorthand" and _is_hardly_shorter(parsed, edits))
            and overlap(parsed.text, apply_edits(parsed.text, edits)) <= _MOST_OVERLAP
        ):
            return Proposal(edits, {"style": name})
    reasons = {
        "passive": "no clause can safely be made passive",
        "active": "no passive clause names its agent",
        "shorthand": "there is nothing to shorten",
        "any": "no style can be applied",
    }
    return NotApplicable(reasons[style])


def _is_hardly_shorter(parsed: Parsed, edits: Sequence[Edit]) -> bool:
    return len(edits) < max(_FEWEST_NOTES, min(_ENOUGH_NOTES, _SHARE_OF_NOTES * len(parsed.words)))


def _shorthand(parsed: Parsed) -> list[Edit]:
    """Without articles and the auxiliaries of main clauses, with the abbreviations of case notes."""
    edits = [without_space(parsed, token) for token in parsed.tokens if is_dispensable(parsed, token)]
    removed = [(edit.start, edit.end) for edit in edits]
    openings = {start for start, _ in parsed.sentences}
    for match in _ABBREVIATED.finditer(parsed.text):
        if any(start < match.end() and match.start() < end for start, end in removed) or _in_name(parsed, match):
            continue
        short = _ABBREVIATIONS[match.group().lower()]
        if match.start() in openings and not short[0].isalpha():
            continue  # no sentence begins with "&"
        before_stop = parsed.text[match.end() : match.end() + 1] == "."
        edits.append(Edit(*match.span(), like(match.group(), short.removesuffix(".") if before_stop else short)))
    return edits


def without_space(parsed: Parsed, token: Token) -> Edit:
    """The removal of a word and of the space behind it."""
    return Edit(token.start, token.end + (parsed.text[token.end : token.end + 1] == " "))


def _could_act(parsed: Parsed, verb: Token) -> bool:
    """Whether the subject of a passive could be taken for the one who acts: *was refunded* is not *refunded*."""
    subject = parsed.child(verb, "nsubjpass")
    somebody = subject is None or subject.pos in ("PRON", "PROPN") or names_person(subject)
    return somebody or parsed.child(verb, "dobj", "xcomp", "oprd", "ccomp") is not None


def is_dispensable(parsed: Parsed, token: Token) -> bool:
    """Articles, and forms of *be* and *have* that only help a main verb or link a main subject to what it is."""
    bound = token.start > 0 and parsed.text[token.start - 1] in "'’-"
    if bound or glued(parsed, token) or is_question(parsed, token.sentence):
        return False
    if token.tag == "DT" and token.lower in ("the", "a", "an"):
        if token.i and (parsed.tokens[token.i - 1].tag == "PRP" or parsed.tokens[token.i - 1].lower == "just"):
            return False  # "makes her the surprise" must not become "makes her surprise", nor "just the man" "just man"
        following = parsed.tokens[token.i + 1] if token.i + 1 < len(parsed.tokens) else None
        if following is not None and token.lower != "the" and following.lemma in _UNITS:
            return False  # "within an hour" and "twice a week" are numbers
        return following is not None and following.tag not in ("JJR", "JJS", "RBR", "CD") and following.lower not in (
            "few", "little", "bit", "couple", "lot", "number", "same", "only", "other", "others",
            "more", "less", "least", "most",
        ) and not following.text[0].isdigit() and not following.text[0].isupper()  # fmt: skip
    if token.lemma not in ("be", "have") or token.lower.startswith(("'", "’")):
        return False
    verb = parsed.tokens[token.head] if token.dep in ("aux", "auxpass") else token
    doer = parsed.child(verb, "nsubj", "nsubjpass")
    if doer is not None and (doer.tag == "PRP" or doer.right > doer.i + 3):
        return False  # "He snappy", "the pet that he got when he was 10 feeling worse"
    in_main_clause = verb.dep == "ROOT" or (verb.dep == "conj" and parsed.tokens[verb.head].dep == "ROOT")
    if token.dep in ("aux", "auxpass"):
        helpers = [parsed.tokens[c] for c in verb.children if parsed.tokens[c].dep in ("aux", "auxpass")]
        only_be_and_have = all(helper.lemma in ("be", "have") for helper in helpers)
        # In "has the booking changed" the verb is not what *has* helps.
        between = parsed.tokens[token.i + 1 : verb.i]
        if any(other.dep not in ("aux", "auxpass", "neg", "advmod") for other in between):
            return False
        passive = any(helper.dep == "auxpass" for helper in helpers)
        # "has booking 12 changed" is no perfect.
        perfect = verb.tag in ("VBN", "VBD") or any(helper.lower == "been" for helper in helpers)
        if (passive and _could_act(parsed, verb)) or (token.lemma == "have" and not perfect):
            return False
        return (
            in_main_clause and verb.pos == "VERB" and only_be_and_have and token.lower not in ("be", "having", "being")
        )
    linking = token.lemma == "be" and parsed.child(token, "acomp") is not None and token.tag in ("VBD", "VBZ", "VBP")
    return (
        linking and in_main_clause and parsed.child(token, "nsubj") is not None and parsed.child(token, "expl") is None
    )


def _in_name(parsed: Parsed, match: "re.Match[str]") -> bool:
    inside = [t for t in parsed.tokens if t.start < match.end() and match.start() < t.end]
    return any(token.entity in ("ORG", "PERSON", "FAC", "WORK_OF_ART") for token in inside)


def _validate(
    original: str, result: str, edits: Sequence[Edit], parsed: Parsed, dialogue: Dialogue | None
) -> str | None:
    """Numbers, names and negations are the same, the wording is not."""
    if complaint := lost_facts(original, result, parsed) or new_facts(original, result):
        return complaint
    before, after = negations(original), negations(result)
    if (before == 0) != (after == 0) or abs(before - after) > 1:
        return f"the original has {before} negations, the result {after}"
    if overlap(original, result) > _MOST_OVERLAP:
        return "the wording is nearly the same"
    return None


WRITING_STYLE = Perturbation(
    name="writing_style",
    version="13",
    family="domain",
    description="Rewrites the content in another style: shorthand notes, passive voice or active voice",
    effects={"consistency": "preserves", "relevance": "preserves"},
    propose=_propose,
    validate=_validate,
    needs=frozenset({"parse"}),
    citation=CITATION,
    examples=(
        (
            "The customer was angry because the account was locked. The agent unlocked the account.",
            "Cust. angry b/c acct. was locked. Agt. unlocked acct.",
        ),
    ),
    options={
        "style": Option(("any", *_STYLES), "shorthand, passive, active, or any: draw one of those that can be applied")
    },
)
register(WRITING_STYLE)
