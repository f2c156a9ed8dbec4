"""The gate by the checks of consistency: a variant must not belie what its kind declares."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dialgauge.checks import CHECKS, CheckedSummary, Reason, check, refusal
from dialgauge.corpus import Turn
from dialgauge.perturb._gates import is_shorthand

if TYPE_CHECKING:
    from dialgauge.perturb._apply import Task, Variant

#: A variant that is said to be less consistent may look more consistent by at most this.
_RISE = 0.02


#: Abbreviations of notes look like names.
_NAME = "name_absent"


def _reasons(found: CheckedSummary) -> Iterator[Reason]:
    """What speaks against a text: a contradiction, or a value or name that the other text does not have."""
    for sentence in found.sentences:
        for reason in sentence.reasons:
            if not reason.hint and (CHECKS[reason.check].contradicts or reason.check in ("value_absent", _NAME)):
                yield reason


def judge_consistency(task: "Task", variant: "Variant") -> tuple[str, Mapping[str, Any]]:
    """Where consistency is preserved, the original must say nothing against the variant that it does not say against
    itself; where it is degraded, the transcript must not support the variant better than the original."""
    effect = task.request.perturbation.effects.get("consistency")
    if effect == "preserves" and task.claims_fluency:
        if why := refusal(task.text, variant.text):
            return why, {}
        original = (Turn("", task.text),)
        found = check(original, variant.text)
        against = [reason for reason in _reasons(found) if not (is_shorthand(variant) and reason.check == _NAME)]
        if against:
            # What the text says of several speakers may seem to contradict the text itself.
            known = {(reason.check, reason.says) for reason in _reasons(check(original, task.text))}
            for reason in against:
                if (reason.check, reason.says) not in known:
                    return f"{CHECKS[reason.check].help} ({reason.says!r})", {}
        return "", {"p_right": round(found.p_right, 4)}
    if effect != "degrades" or task.dialogue is None or not task.dialogue.turns:
        return "", {}
    spoken = "\n".join(turn.text for turn in task.dialogue.turns)
    if why := refusal(spoken, task.text) or refusal(spoken, variant.text):
        return why, {}
    before, after = check(task.dialogue, task.text).p_right, check(task.dialogue, variant.text).p_right
    if after > before + _RISE:
        return f"the transcript supports it better than the original ({before:.2f} → {after:.2f})", {}
    return "", {"p_right": round(after, 4)}
