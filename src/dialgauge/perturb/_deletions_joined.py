"""What stands after *and* or *but*, and what describes a noun: whether the rest is whole without it."""

from dialgauge.perturb._grammar import SUBJECTS, can_be_verb, finite_part
from dialgauge.perturb._guards import is_negated, lemma_of, noun_class, occurs_again
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._word_tables import word_set

#: Words that look back to two things.
_OF_TWO = frozenset(["both", "former", "latter", "respectively"])

#: Supersenses of attributes and thoughts: what they are of must be said.
_OF_WHAT = frozenset((7, 9))
#: Nouns that need the phrase after them (*a lot of*).
BINDING_NOUNS = word_set("binding_nouns")


def bound_conjunct(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """A second verb phrase or a second object, with *and*, where the first one is complete without it."""
    head, joint = parsed.tokens[token.head], parsed.tokens[first]
    chained = head.dep == "conj" and not (head.left and parsed.tokens[head.left - 1].dep == "cc")
    if joint.lower not in ("and", "but") or chained or leaves_a_row_open(parsed, first):
        return "one of several"
    if joint.lower == "but" and parsed.child(token, *SUBJECTS) is None and is_negated(parsed, head):
        return "takes back what was denied"  # "does not want to, but agrees in the end"
    if any(
        parsed.tokens[c].dep == "preconj" or parsed.tokens[c].lower in ("both", "between", "either")
        for c in head.children
    ):
        return "one half of a pair"
    between = [t for t in parsed.tokens[head.i + 1 : first] if t.pos not in ("PUNCT", "ADV") and t.dep != "aux"]
    if head.pos in ("VERB", "AUX") and token.pos in ("VERB", "AUX"):
        rest = [t for t in parsed.tokens[last + 1 : last + 3] if t.sentence == token.sentence]
        if rest and rest[0].pos not in ("PUNCT", "CCONJ", "SCONJ"):
            return "shares what follows"
        if len(rest) > 1 and rest[0].text == "," and rest[1].pos in ("DET", "NOUN", "PROPN", "ADJ", "NUM"):
            return "shares what follows"  # "and gives him the name, the number and the address"
        if parsed.child(token, *SUBJECTS) is not None:
            return ""
        finite = finite_part(parsed, token) is not None
        stands = finite or (finite_part(parsed, head) is None and head.tag == token.tag)
        return "" if between and stands else "shares what follows"
    return _bound_second_object(parsed, last, token, head)


def leaves_a_row_open(parsed: Parsed, first: int) -> bool:
    """Whether what stands before this place is a row with commas that still waits for its *and*."""
    for member in parsed.tokens[:first]:
        if member.sentence != parsed.tokens[first].sentence or not member.left:
            continue
        comma = parsed.tokens[member.left - 1].text == ","
        unfinished = not any(t.dep == "cc" for t in parsed.tokens[member.i + 1 : first])
        bare = member.tag == "VB" and member.left == member.i and parsed.child(member, *SUBJECTS, "aux") is None
        if comma and unfinished and (member.dep == "conj" or bare):
            return True
    return False


def _bound_second_object(parsed: Parsed, last: int, token: Token, head: Token) -> str:
    after = parsed.tokens[last + 1] if last + 1 < len(parsed.tokens) else None
    nouns = ("NOUN", "PROPN")
    if (
        head.pos not in nouns
        or token.pos not in nouns
        or head.dep not in ("dobj", "pobj")
        or parsed.tokens[token.left - 1].lower != "and"
    ):
        return "one half of a pair"
    if head.pos == "PROPN" and token.pos != "PROPN":
        return "one half of a pair"  # "robbed James and May's place", "the Queen and King suites"
    if parsed.tokens[token.left - 2].text == "," or any(t.lower in _OF_TWO for t in parsed.tokens[last + 1 :]):
        return "one of several"  # the last of a row; "and can get more from the latter"
    comma, earlier = parsed.tokens[head.left - 1], parsed.tokens[head.left - 2]
    if head.left > 1 and comma.text == "," and earlier.sentence == head.sentence and earlier.pos in nouns:
        return "one of several"  # "visit the zoo, the parks and the hall", whatever the parser hangs "parks" on
    owner = parsed.tokens[head.head]
    bare = token.left == token.i and can_be_verb(token.lower)
    if bare and (token.tag == "NNS" or token.entity != head.entity):
        return "may be a verb"  # "passes up a refund and switches to another group", "go home on Friday and party"
    if lemma_of(owner) in ("between", "among", "combine", "compare", "mix", "connect", "join") or occurs_again(
        parsed, token
    ):
        return "one half of a pair"
    if any(parsed.tokens[c].dep == "conj" for c in token.children) or any(
        parsed.tokens[c].dep in ("det", "nummod") and parsed.tokens[c].lower in ("two", "both", "these", "those")
        for c in head.children
    ):
        return "one of several"
    if (
        after is not None
        and after.sentence == token.sentence
        and (
            after.pos not in ("PUNCT", "ADP", "CCONJ", "SCONJ", "PART", "ADV")
            or after.lower in ("of", "with")
            or (after.pos == "ADP" and parsed.child(token, "relcl") is not None)
        )
    ):
        return "shares what follows"
    return ""


def bound_attribute(parsed: Parsed, first: int, last: int, token: Token) -> str:
    """Relative clauses, participles and appositions: between commas, or on a noun with an article."""
    head = parsed.tokens[token.head]
    set_off = parsed.tokens[first - 1].text == "," if first else False
    closed = last + 1 >= len(parsed.tokens) or parsed.tokens[last + 1].text in (",", ".", ";")
    if token.dep == "appos":
        aside = set_off and closed and token.pos != "NUM" and head.pos in ("NOUN", "PROPN")
        row = parsed.child(token, "cc") is not None or leaves_a_row_open(parsed, first)
        return "one of several" if row else "" if aside else "not set off by commas"
    if set_off and closed and token.dep == "relcl":
        return ""
    verb = parsed.tokens[head.head]
    made = token.tag == "VBN" and head.dep == "dobj" and lemma_of(verb) in ("get", "have", "need", "want")
    if (token.dep == "acl" and token.tag not in ("VBG", "VBN")) or made or noun_class(head) in _OF_WHAT:
        return "needed by its noun"  # "have a suit made", "the qualities she looks for"
    definite = any(parsed.tokens[c].lower in ("the", "a", "an", "this", "these", "those") for c in head.children)
    if not definite or lemma_of(head) in BINDING_NOUNS or head.dep in ("attr", "conj") or occurs_again(parsed, head):
        return "needed by its noun"
    return "" if first == head.i + 1 else "not beside its noun"
