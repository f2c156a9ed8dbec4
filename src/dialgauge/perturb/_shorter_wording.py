"""length_reduction: wordings that say the same in fewer words."""

import re
from collections.abc import Iterator

from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import can_be_verb, finite_part, is_finite
from dialgauge.perturb._guards import following, lemma_of
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._word_tables import word_set

_WORDY = tuple(
    (re.compile(rf"\b{long}\b", re.IGNORECASE), short)
    for long, short in (
        ("in order to", "to"),
        ("due to the fact that", "because"),
        ("as a result of", "from"),
        ("at this point in time", "now"),
        ("in the meantime", "meanwhile"),
        ("a large number of", "many"),
        ("with regard to", "about"),
        ("is able to", "can"),
        ("was able to", "could"),
        ("in addition to", "besides"),
        ("as well as", "and"),
        ("prior to", "before"),
        ("free of charge", "free"),
        ("at no cost", "free"),
        ("as soon as(?! possible)", "once"),
        ("at the moment", "now"),
        ("right now", "now"),
        ("so that", "so"),
        ("together with", "with"),
        ("all of the", "all the"),
        ("both of them", "both"),
        ("get in touch with", "contact"),
        ("gets in touch with", "contacts"),
        ("talk about", "discuss"),
        ("talks about", "discusses"),
        ("talked about", "discussed"),
        ("talking about", "discussing"),
        ("looking for", "seeking"),
        ("come back", "return"),
        ("comes back", "returns"),
        ("coming back", "returning"),
        ("came back", "returned"),
        ("put off", "postpone"),
        ("puts off", "postpones"),
        ("(?:is|are) supposed to", "should"),
    )
)
#: What two people are doing is what they do in a summary.
_TALKING = re.compile(r"\b(is|are) (discussing|talking about)\b")
#: Long forms that are another verb form as they stand.
_BASE_FORMS = frozenset(["come back", "put off", "talk about"])
#: Verbs after which a name may be that of the hearer.
_WITH_HEARER = word_set("giving_verbs") | {"ask", "notify", "promise", "remind", "show", "tell", "warn", "write"}
#: Verbs that are as common without *that* (*she panicked the thief* is misread).
_WITHOUT_THAT = word_set("knowing_verbs") | {"believe", "claim", "fear", "feel", "guess", "hope", "promise", "suspect"}


def _wordy(parsed: Parsed) -> Iterator[Edit]:
    for pattern, short in _WORDY:
        for match in pattern.finditer(parsed.text):
            rest = parsed.text[match.end() :].partition(".")[0]
            if match.group().endswith("about") and (" about " in rest or not re.match(r"\s+[\w#]", rest)):
                continue  # "talk about the weather and about sports", "what they talked about"
            verb = next((t for t in parsed.tokens if t.start == match.start()), None)
            if verb is not None and verb.pos == "NOUN" and verb.dep != "ROOT":
                continue  # "talks about the pay go on"
            if short == "with" and verb is not None and parsed.tokens[verb.i - 1].pos in ("AUX", "VERB"):
                continue  # "get together with her"
            base = verb is not None and (verb.tag in ("VB", "VBP") or (verb.dep == "ROOT" and verb.tag == "NN"))
            if match.group().lower() in _BASE_FORMS and not base:
                continue  # "was put off", "has come back"
            yield Edit(*match.span(), short.capitalize() if match.group()[0].isupper() else short)


def _talking(parsed: Parsed) -> Iterator[Edit]:
    """*Are talking about* → *discuss*, where they talk about one thing."""
    for match in _TALKING.finditer(parsed.text):
        rest = parsed.text[match.end() :].partition(".")[0]
        if " about " not in rest and re.match(r"\s+[\w#]", rest):
            yield Edit(*match.span(), "discusses" if match[1] == "is" else "discuss")


def _shorter_verbs(parsed: Parsed) -> Iterator[Edit]:
    """*is going to pay* → *will pay*, *has to pay* → *must pay*, *says that he pays* → *says he pays*, *both*, *who
    is*."""
    for token in parsed.tokens:
        follows = parsed.child(token, "xcomp")
        to = parsed.child(follows, "aux") if follows is not None else None
        helper = parsed.child(token, "aux")
        infinitive = follows is not None and to is not None and to.lower == "to" and can_be_verb(follows.lower)
        if infinitive and to is not None and to.i == token.i + 1:
            if (
                token.lower == "going"
                and helper is not None
                and helper.lower in ("is", "are")
                and helper.i == token.i - 1
            ):
                yield Edit(helper.start, to.end, "will")
            if (
                token.lower in ("has", "have")
                and helper is None
                and token.tag in ("VBZ", "VBP")
                and parsed.child(token, "nsubj")
            ):
                yield Edit(token.start, to.end, "must")
        if token.lower == "that" and token.dep == "mark" and _is_optional(parsed, token):
            yield _with_space(parsed, token.start, token.end)
        if token.lower == "both" and token.dep in ("preconj", "det") and parsed.child(parsed.tokens[token.head], "cc"):
            yield _with_space(parsed, token.start, token.end)
        if token.dep == "relcl" and token.tag in ("VBG", "VBN"):
            who, be = parsed.child(token, "nsubj", "nsubjpass"), parsed.child(token, "aux", "auxpass")
            if (
                who
                and be
                and who.tag in ("WP", "WDT")
                and be.lemma == "be"
                and token.lemma != "be"
                and (who.i, be.i) == (token.i - 2, token.i - 1)
                and not _shares_pronoun(parsed, token)
            ):
                yield _with_space(parsed, who.start, be.end)


#: What says the same in fewer words.
REWORDING = (_talking, _wordy, _shorter_verbs)


def _is_optional(parsed: Parsed, that: Token) -> bool:
    """*Says that he pays*: right behind its verb, or behind whom somebody tells, and before a clause with tense (not
    *asks that he be paid*, *comforts her that he pays*)."""
    verb = parsed.tokens[that.head]
    governor, after = parsed.tokens[verb.head], following(parsed, that)
    opens = after is not None and (
        after.dep in ("nsubj", "nsubjpass", "det", "poss", "amod", "compound") or after.pos == "PROPN"
    )
    told = lemma_of(governor) == "tell" and parsed.child(governor, "dobj", "dative") is not None
    # "Writes that Marc left": not "writes Marc"; and of two clauses with "that" both keep it.
    taken = not told and lemma_of(governor) in _WITH_HEARER and after is not None and after.tag != "PRP"
    again = any(t.lower == "that" and t.dep == "mark" for t in parsed.tokens[that.i + 1 : governor.right + 1])
    beside = governor.i == that.i - 1 or (told and parsed.tokens[that.i - 1].head == governor.i)
    named = after is not None and _is_name(after) and _is_name(parsed.tokens[that.i - 1])  # "tells Ann Bob can go"
    clause = verb.dep == "ccomp" and finite_part(parsed, verb) is not None and lemma_of(governor) in _WITHOUT_THAT
    return opens and beside and clause and not taken and not again and not named


def _is_name(token: Token) -> bool:
    return token.pos == "PROPN" or token.text[0] == "#"


def _shares_pronoun(parsed: Parsed, verb: Token) -> bool:
    """*That was closed but is still advertised*: a second verb with tense, which needs *that* as well."""
    joint = parsed.child(verb, "cc")
    behind = [t for t in parsed.tokens[joint.i + 1 : joint.i + 5] if t.pos in ("VERB", "AUX")] if joint else []
    return any(map(is_finite, behind[:1]))


def _with_space(parsed: Parsed, start: int, end: int) -> Edit:
    """The stretch with the space behind it."""
    return Edit(start, end + (parsed.text[end : end + 1] == " "))
