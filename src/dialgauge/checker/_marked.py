"""Checked summaries with the words that the model doubts, beside the reasons of the rules."""

from collections.abc import Sequence
from dataclasses import replace

from dialgauge.checker._judge import Judged, judge
from dialgauge.checks import DOUBT, CheckedSentence, CheckedSummary, Reason, Verdict, check_many, logit
from dialgauge.corpus import Dialogue


def check_with_model(
    dialogue: Dialogue | str, summaries: Sequence[str], *, folder: str = "", device: str = "auto", dtype: str = "auto"
) -> list[CheckedSummary]:
    """Check summaries by rules and by the checker's model; the dialogue is read once for all of them.

    The probabilities are those of the metric ``consistency``; doubtful words are reasons among the others.
    """
    checked = list(check_many((dialogue, summary) for summary in summaries))
    text = dialogue if isinstance(dialogue, str) else dialogue.text
    judged = judge(text, summaries, folder=folder, device=device, dtype=dtype)
    return [_marked(rules, model) for rules, model in zip(checked, judged, strict=True)]


def _marked(checked: CheckedSummary, judged: Judged) -> CheckedSummary:
    p_right = {(one.start, one.end): one.p_right for one in judged.sentences}
    sentences = tuple(_sentence(checked, one, judged, p_right.get(one.span)) for one in checked.sentences)
    parts = {**checked.parts, "consistency": judged.p_right}
    return replace(checked, sentences=sentences, p_right=judged.p_right, parts=parts)


def _sentence(checked: CheckedSummary, one: CheckedSentence, judged: Judged, p_right: float | None) -> CheckedSentence:
    if p_right is None:  # no word of the sentence is a token of the model
        return one
    start, end = one.span
    doubts = tuple(
        Reason(DOUBT, (d.start, d.end), checked.text[d.start : d.end], strength=d.p_wrong, weight=logit(d.p_wrong))
        for d in judged.doubts
        if start <= d.start < end
    )
    verdict: Verdict = one.verdict
    if verdict not in ("contradicted", "not found"):
        verdict = "doubtful" if p_right < 0.5 else "cannot tell" if verdict == "cannot tell" else "supported"
    parts = {**one.parts, "consistency": p_right}
    return replace(one, p_right=p_right, verdict=verdict, reasons=(*one.reasons, *doubts), parts=parts)
