"""length_reduction: reasons, times and asides that close a text, which the rest can do without."""

from collections.abc import Iterator

from dialgauge.perturb._edits import Edit
from dialgauge.perturb._grammar import NEGATIONS, SUBJECTS, is_finite
from dialgauge.perturb._guards import in_quotes
from dialgauge.perturb._parse import Parsed, Token

_REASONS = frozenset(["as", "because", "since"])
#: *Only because*, *as late as*: what stays would say something else.
_BINDING = frozenset(
    ["as", "enough", "if", "just", "mainly", "not", "only", "partly", "same", "simply", "so", "such", "unless"]
)
_WHEN = frozenset(["at", "for", "in", "on"])
_TIMES = ("DATE", "TIME")
#: What a reason gives of somebody's wishes and feelings is all that is told.
_MIXED = frozenset(["angry", "glad", "happy", "sad", "sorry", "upset", "worried"])


def closing(parsed: Parsed) -> Iterator[Edit]:
    """*Did not come as he is ill*, *cancels his reservation for Sunday*: the last clause or phrase of the last
    sentence."""
    ending = [t for t in parsed.tokens if t.sentence == len(parsed.sentences) - 1]
    if len(ending) < 2 or ending[-1].text != "." or any(t.text in '"()“”:;' or t.lower == "whether" for t in ending):
        return
    for token in ending[2:-2]:
        if in_quotes(parsed, token):
            continue
        reason = token.lower in _REASONS and _is_reason(parsed, token, ending)
        if reason or _is_when(parsed, token, ending) or _is_aside(parsed, token, ending):
            comma = parsed.tokens[token.i - 1].text == ","
            yield Edit(parsed.tokens[token.i - 2 if comma else token.i - 1].end, ending[-1].start)
            return


def _is_reason(parsed: Parsed, mark: Token, ending: list[Token]) -> bool:
    """Whether a whole clause stands before the word that opens a reason, and the reason is one clause up to the end."""
    before = [t for t in ending if t.i < mark.i and t.pos != "PUNCT"]
    behind = [t for t in ending if t.i > mark.i and t.pos != "PUNCT"]
    verb = parsed.tokens[mark.head]
    whole = any(map(is_finite, before)) and any(t.dep in SUBJECTS for t in before)
    clause = mark.dep == "mark" and verb.dep == "advcl" and verb.head < mark.i and parsed.child(verb, *SUBJECTS)
    joined = any(t.lower in ("and", "or", "but") for t in behind) or any(t.text == "," for t in ending[mark.i + 1 :])
    bound = any(t.lower in _BINDING | _MIXED for t in before if t.lower != "not") or before[-1].lower == "not"
    return whole and bool(clause) and not joined and not bound and before[-1].pos not in ("ADV", "SCONJ", "AUX")


def _is_aside(parsed: Parsed, which: Token, ending: list[Token]) -> bool:
    """*…, which spares her 60 euros*, *…, who lives near*: behind the comma before the end, of nothing denied."""
    before = [t for t in ending if t.i < which.i]
    behind = [t for t in ending if t.i > which.i]
    opens = which.lower in ("which", "who") and before[-1].text == "," and bool(behind) and is_finite(behind[0])
    whole = any(map(is_finite, before)) and any(t.dep in SUBJECTS for t in before)
    bound = any(t.lower in NEGATIONS | _BINDING for t in before) or any(t.text == "," for t in [*before[:-1], *behind])
    joined = any(t.dep == "cc" for t in behind)
    return opens and whole and not bound and not joined


def _is_when(parsed: Parsed, phrase: Token, ending: list[Token]) -> bool:
    """Whether a phrase of time behind what somebody does closes a sentence in which nothing is denied."""
    noun = parsed.child(phrase, "pobj")
    thing = parsed.tokens[phrase.head]
    if phrase.lower not in _WHEN or phrase.dep != "prep" or noun is None or noun.entity not in _TIMES:
        return False
    if phrase.lower == "for" and parsed.child(noun, "nummod") is not None:
        return False  # "has savings for eight months"
    closes = noun.right == ending[-2].i and thing.i == phrase.i - 1 and thing.dep == "dobj"
    denied = any(t.lower in NEGATIONS or t.lower in _BINDING for t in ending)
    return closes and not denied
