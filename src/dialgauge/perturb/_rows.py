"""length_reduction: the middle of a row of things that somebody has, does or speaks of."""

from collections.abc import Iterator

from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS
from dialgauge.perturb._guards import in_quotes, occurs_again
from dialgauge.perturb._looking_back import referred_to
from dialgauge.perturb._parse import Parsed, Token
from dialgauge.perturb._people import names_person

#: Words that count the row, and those that need all of it.
_COUNTING = frozenset(
    [
        *("all", "altogether", "among", "between", "both", "each", "either", "if", "neither", "only", "respectively"),
        *("several", "total", "without"),
    ]
)
#: Where a row stands that says what is had, done or spoken of.
_OBJECTS = frozenset(["dobj", "pobj"])


def middles(parsed: Parsed) -> Iterator[Edit]:
    """*Orders crisps, a cake and four coffees* → *orders crisps and four coffees*."""
    for token in parsed.tokens:
        last = _end(parsed, token)
        if last is not None:
            mark, behind = parsed.tokens[token.left - 1], parsed.tokens[last + 1]
            closed = behind.text == "," and parsed.tokens[last + 2].lower == "and"
            yield Edit(mark.start, behind.end if closed else parsed.tokens[last].end)


def _end(parsed: Parsed, middle: Token) -> int | None:
    """Where a thing ends that stands between two others of its row."""
    first = parsed.tokens[middle.head]
    if middle.dep not in ("appos", "conj") or {middle.pos, first.pos} != {"NOUN"} or middle.left <= first.i:
        return None
    start = first
    while start.dep == "conj":
        start = parsed.tokens[start.head]
    if start.dep not in _OBJECTS or start.pos != "NOUN" or parsed.tokens[middle.left - 1].text != ",":
        return None
    sentence = [t for t in parsed.tokens if t.sentence == middle.sentence]
    if any(t.lower in NEGATIONS | _COUNTING or t.text in ":;()" for t in sentence):
        return None
    behind = [t for t in sentence if t.i > middle.i and (t.text == "," or t.dep == "cc")]
    if not behind:
        return None
    last, near = behind[0].i - 1, parsed.tokens[behind[0].i : behind[0].i + 2]
    joint = near[1] if near[0].text == "," and near[1].dep == "cc" else near[0]
    stretch = parsed.tokens[middle.left : last + 1]
    whole = all(t.i == middle.i or middle.left <= t.head <= last for t in stretch)
    # "Her job", "Ann's job": whose it is may be said
    told = [t for t in stretch if t.dep != "poss"]
    plain = whole and not any(t.pos in ("AUX", "VERB", "PRON", "PUNCT") or names_person(t) for t in told)
    between = parsed.tokens[first.i + 1 : middle.left - 1]
    row = plain and not any(t.pos in ("AUX", "VERB", "PUNCT", "CCONJ") for t in between)
    if not row or in_quotes(parsed, middle) or occurs_again(parsed, middle):
        return None
    goes_on = _goes_on(parsed, joint, middle, start)
    return last if goes_on and not referred_to(parsed, (middle.left - 1, last, middle)) else None


def _goes_on(parsed: Parsed, joint: Token, middle: Token, start: Token) -> bool:
    """Whether another thing of the row follows, the last one behind *and*."""
    nouns = [t for t in parsed.tokens[joint.i + 1 :] if t.dep == "conj" and t.left == joint.i + 1]
    following = nouns[0] if nouns else None
    if following is None or following.sentence != middle.sentence:
        return False
    article = parsed.child(following, "det") is not None  # "and a Coke"
    if following.pos != "NOUN" and not (following.pos == "PROPN" and article):
        return False
    above = parsed.tokens[following.head]
    joined = above.i in (middle.i, middle.head, start.i)
    if joint.lower == "and":
        return joined
    closes = [t for t in parsed.tokens[following.i :] if t.dep == "cc" and t.lower == "and"]
    return joint.text == "," and joined and bool(closes) and closes[0].head in (following.i, middle.i, start.i)
