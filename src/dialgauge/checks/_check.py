"""Check a summary against its dialogue, or many of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from dialgauge.checks._claims import read_ahead
from dialgauge.checks._compare import NearestTurn, compare
from dialgauge.checks._language import refusal
from dialgauge.checks._rules import find_reasons
from dialgauge.checks._source import prepare, turns_of
from dialgauge.checks._types import CHECKS, CheckedSentence, CheckedSummary, Group, Reason, Verdict
from dialgauge.checks._weights import Weights, default_weights, features_of
from dialgauge.corpus import Dialogue, Turn
from dialgauge.errors import InputError

PARSER = "embedded:spacy-en"
VECTORS = "embedded:glove-50d"
GROUPS: tuple[Group, ...] = ("numbers", "names", "negation", "speakers")
#: A sentence of which no turn covers this share of words, and with no reason to doubt it, cannot be judged.
_LEAST_COVERED = 0.1
#: How many summaries are parsed together.
_TOGETHER = 64
#: Groups whose reasons hardly ever fire on right summaries: no other part of a score outweighs them.
_FIRM: tuple[Group, ...] = ("numbers", "names")
#: An attribution as clear as this contradicts; a weaker one only makes doubtful.
_CLEAR = 1.0


def check(
    dialogue: Dialogue | Sequence[Turn] | str,
    summary: str,
    *,
    weights: Weights | None = None,
    parser: str = PARSER,
    vectors: str = VECTORS,
) -> CheckedSummary:
    """Compare a summary with its dialogue (or the turns or the transcript of one).

    Each sentence gets the turns that it is about, every reason to doubt it, and the probability that it is right; so
    does the summary. English only: other languages are an error.
    """
    table = weights or default_weights()
    turns = turns_of(dialogue)
    if not any(turn.text.strip() for turn in turns):
        raise InputError("the dialogue is empty")
    if not summary.strip():
        raise InputError("the summary is empty")
    if why := refusal("\n".join(turn.text for turn in turns), summary):
        raise InputError(why)
    compared = compare(summary, prepare(turns, vectors), parser, vectors)
    sentences = []
    for number, span in enumerate(compared.claims.sentences):
        aligned = compared.align(number)
        reasons = tuple(_weighed(reason, table) for reason in find_reasons(compared, number, aligned, table))
        p_right = table.p_right(features_of(reasons))
        verdict = verdict_of(reasons, p_right, aligned.covered)
        shown = dict.fromkeys([*(r.turn for r in reasons if r.turn is not None and _hard(r)), *aligned.turns])
        parts: dict[str, float | None] = {"checks": p_right}
        sentences.append(
            CheckedSentence(
                span,
                p_right,
                verdict,
                reasons,
                compared.source.with_answers(tuple(shown)),
                aligned.covered,
                parts,
                _ceiling(reasons, table),
            )
        )
    reasons = tuple(reason for sentence in sentences for reason in sentence.reasons)
    features = features_of(reasons)
    total = table.p_right(features)
    parts = {"checks": total, **{f"checks-{group}": table.p_right(features, group) for group in GROUPS}}
    return CheckedSummary(summary, turns, tuple(sentences), total, features, parts, _ceiling(reasons, table))


def check_many(
    pairs: Iterable[tuple[Dialogue | Sequence[Turn] | str, str]],
    *,
    weights: Weights | None = None,
    parser: str = PARSER,
    vectors: str = VECTORS,
) -> Iterator[CheckedSummary]:
    """Check summaries, some dozen at a time: each dialogue is prepared once if its summaries come together."""
    waiting = ((turns_of(dialogue), summary) for dialogue, summary in pairs)
    while some := list(islice(waiting, _TOGETHER)):
        read_ahead([(summary, prepare(turns, vectors).speakers) for turns, summary in some], parser)
        for turns, summary in some:
            yield check(turns, summary, weights=weights, parser=parser, vectors=vectors)


def nearest_turns(
    turns: Sequence[Turn], summary: str, spans: Sequence[tuple[int, int]], parser: str = PARSER, vectors: str = VECTORS
) -> list[NearestTurn | None]:
    """For words of a summary, the statement of the dialogue that comes nearest to what is said with them."""
    if not spans:
        return []
    compared = compare(summary, prepare(tuple(turns), vectors), parser, vectors)
    return [compared.nearest(span) for span in spans]


def _hard(reason: Reason) -> bool:
    return CHECKS[reason.check].contradicts and (reason.check != "attribution" or reason.strength >= _CLEAR)


def _weighed(reason: Reason, table: Weights) -> Reason:
    return replace(reason, weight=table.intercept - table.score(features_of([reason])))


def _ceiling(reasons: Sequence[Reason], table: Weights) -> float:
    firm = [reason for reason in reasons if _is_firm(reason)]
    return table.p_right(features_of(firm)) if firm else 1.0


def _is_firm(reason: Reason) -> bool:
    return not reason.hint and CHECKS[reason.check].group in _FIRM


def verdict_of(reasons: Sequence[Reason], p_right: float, covered: float) -> Verdict:
    """What to call a sentence with these reasons of rules: the probability decides whether it is doubted."""
    if p_right >= 0.5:
        return "no doubt found" if covered >= _LEAST_COVERED else "cannot tell"
    counted = [reason for reason in reasons if not reason.hint]
    if any(map(_hard, counted)):
        return "contradicted"
    return "not found" if any(map(_is_firm, counted)) else "doubtful"
