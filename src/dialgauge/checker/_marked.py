"""Checked summaries with the words that the model doubts, beside the reasons of the rules."""

from collections.abc import Sequence
from dataclasses import replace

from dialgauge.checker._judge import Doubt, Judged, judge
from dialgauge.checks import (
    DOUBT,
    CheckedSentence,
    CheckedSummary,
    NearestTurn,
    Reason,
    logit,
    nearest_turns,
    refusal,
    turns_of,
    verdict_of,
)
from dialgauge.corpus import Dialogue
from dialgauge.errors import InputError


def check_with_model(
    dialogue: Dialogue | str, summaries: Sequence[str], *, folder: str = "", device: str = "auto", dtype: str = "auto"
) -> list[CheckedSummary]:
    """Check summaries by rules and by the checker's model; the dialogue is read once for all of them.

    The probabilities are those of the metric ``consistency``; doubtful words are reasons among the others.
    """
    text = dialogue if isinstance(dialogue, str) else dialogue.text
    for summary in summaries:
        if why := refusal(text, summary):
            raise InputError(why)
    judged = judge(text, summaries, folder=folder, device=device, dtype=dtype)
    return [marked(text, summary, one) for summary, one in zip(summaries, judged, strict=True)]


def marked(dialogue: str, summary: str, judged: Judged) -> CheckedSummary:
    """A judged summary with its doubtful words as reasons, and the turns that come nearest to them."""
    rules = judged.checked
    if rules is None:  # without rules there is no parser that finds the turns
        sentences = tuple(CheckedSentence((s.start, s.end), 0.5, "cannot tell", (), (), 1.0) for s in judged.sentences)
        rules = CheckedSummary(summary, turns_of(dialogue), sentences, judged.p_right, {}, {})
        nearest: list[NearestTurn | None] = [None] * len(judged.doubts)
    else:
        nearest = nearest_turns(rules.turns, summary, [(doubt.start, doubt.end) for doubt in judged.doubts])
    doubts = [_reason(summary, doubt, near) for doubt, near in zip(judged.doubts, nearest, strict=True)]
    p_right = {(one.start, one.end): one.p_right for one in judged.sentences}
    return replace(
        rules,
        sentences=tuple(_sentence(one, doubts, p_right.get(one.span)) for one in rules.sentences),
        p_right=judged.p_right,
        parts={**rules.parts, "consistency": judged.p_right},
    )


def _reason(summary: str, doubt: Doubt, near: NearestTurn | None) -> Reason:
    turn, span, said = (None, None, "") if near is None else (near.turn, near.span, near.text)
    words = summary[doubt.start : doubt.end]
    return Reason(DOUBT, (doubt.start, doubt.end), words, turn, span, said, doubt.p_wrong, logit(doubt.p_wrong))


def _sentence(one: CheckedSentence, doubts: Sequence[Reason], p_right: float | None) -> CheckedSentence:
    if p_right is None:  # no word of the sentence is a token of the model
        return one
    start, end = one.span
    mine = tuple(doubt for doubt in doubts if start <= doubt.summary[0] < end)
    turns = (*one.evidence, *(doubt.turn for doubt in mine if doubt.turn is not None))
    return replace(
        one,
        p_right=p_right,
        verdict=verdict_of(one.reasons, p_right, one.covered),
        reasons=(*one.reasons, *mine),
        evidence=tuple(dict.fromkeys(turns)),
        parts={**one.parts, "consistency": p_right},
    )
