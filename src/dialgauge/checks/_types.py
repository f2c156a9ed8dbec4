"""What a checked summary is: its sentences, the reasons to doubt them, and the turns that they rest on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dialgauge.corpus import Turn

Span = tuple[int, int]
#: ``contradicted``: a turn says otherwise. ``not found``: a value or name that the dialogue lacks. ``doubtful``: weak
#: reasons that together make the sentence more likely wrong than right. ``cannot tell``: no turn is about it.
#: ``no doubt found`` is all that is known of the others: neither covered words nor values that were found make them
#: likelier right.
Verdict = Literal["contradicted", "not found", "doubtful", "no doubt found", "cannot tell"]
DOUBTED: tuple[Verdict, ...] = ("contradicted", "not found", "doubtful")
#: The reason that the model of the metric ``consistency`` gives; it is no rule and has no weight in the table.
DOUBT = "doubt"
#: The parts of the score that are metrics of their own.
Group = Literal["numbers", "names", "negation", "speakers", "words"]


@dataclass(frozen=True, slots=True)
class Check:
    """A kind of reason: the group that it belongs to, and whether a turn contradicts the summary where it fires."""

    name: str
    group: Group
    contradicts: bool
    help: str


CHECKS = {
    check.name: check
    for check in (
        Check("value_absent", "numbers", False, "a value that the dialogue does not have"),
        Check("value_conflict", "numbers", True, "a value that the turns do not have, where they have another one"),
        Check("value_elsewhere", "numbers", False, "a value from another place of the dialogue"),
        Check("name_absent", "names", False, "a name that the dialogue does not have"),
        Check("new_capital", "names", False, "a capitalised word that the dialogue does not have"),
        Check("negation_added", "negation", True, "a negated sentence about turns without negation"),
        Check("clause_negated", "negation", True, "a negated clause about a statement without negation"),
        Check("declined", "negation", True, "an agreement to what was declined"),
        Check("attribution", "speakers", True, "what another speaker said or does"),
        Check("owner", "speakers", True, "what another speaker calls their own"),
        Check("antonym", "words", True, "the opposite of a word of the turns"),
        Check("word_absent", "words", False, "a rare word that the dialogue does not have, nor one like it"),
    )
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to doubt a sentence: the words of the summary, and the turn that they were compared with.

    ``summary`` and ``turn_span`` are characters of the summary and of the turn's text; ``turn`` is the place of the
    turn in ``CheckedSummary.turns``, from 0. ``strength`` is 1 for a check that fires or not, and how clearly another
    speaker is meant for ``attribution``. ``weight`` is how much this reason alone lowers the logarithm of the odds that
    the sentence is right; a reason without weight is a hint.
    """

    check: str
    summary: Span
    says: str
    turn: int | None = None
    turn_span: Span | None = None
    dialogue_says: str = ""
    strength: float = 1.0
    weight: float = 0.0

    @property
    def hint(self) -> bool:
        """Whether the reason is shown and does not count."""
        return self.weight == 0

    def as_dict(self) -> dict[str, Any]:
        """The reason as JSON; turns count from 1, as people read them."""
        return {
            "check": self.check,
            "summary": list(self.summary),
            "says": self.says,
            "turn": None if self.turn is None else self.turn + 1,
            "turn_span": None if self.turn_span is None else list(self.turn_span),
            "dialogue_says": self.dialogue_says,
            "strength": round(self.strength, 4),
            "weight": round(self.weight, 4),
        }


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of a summary: how likely it is right, why it may not be, and the turns that it is about."""

    span: Span
    p_right: float
    verdict: Verdict
    reasons: tuple[Reason, ...]
    #: Places of turns, the best first.
    evidence: tuple[int, ...]
    #: How far the best turn covers the words of the sentence, from 0 to 1. Shown, never weighed.
    covered: float = 0.0
    parts: Mapping[str, float | None] = field(default_factory=dict)
    #: What values and names that no turn has leave of the probability, whatever else is known; 1 if all are found.
    ceiling: float = 1.0


@dataclass(frozen=True, slots=True)
class CheckedSummary:
    """A summary compared with its dialogue. ``p_right`` is the probability that all of it is right.

    ``turns`` are those of the dialogue, split where several stood in one line; ``features`` are what the weights are
    applied to; ``parts`` holds the probability of each part of the score.
    """

    text: str
    turns: tuple[Turn, ...]
    sentences: tuple[CheckedSentence, ...]
    p_right: float
    features: Mapping[str, float]
    parts: Mapping[str, float | None]
    ceiling: float = 1.0

    @property
    def logit(self) -> float:
        """The score before it becomes a probability."""
        return logit(self.p_right)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """All reasons, in the order of the summary."""
        return tuple(reason for sentence in self.sentences for reason in sentence.reasons)

    def records(self, **key: str) -> list[dict[str, Any]]:
        """A record per sentence, as JSON; sentences and turns count from 1."""
        return [
            {
                **key,
                "sentence": number,
                "span": list(sentence.span),
                "text": self.text[slice(*sentence.span)],
                "p_right": round(sentence.p_right, 4),
                "verdict": sentence.verdict,
                "reasons": [reason.as_dict() for reason in sentence.reasons],
                "evidence": [turn + 1 for turn in sentence.evidence],
                "parts": {name: None if p is None else round(p, 4) for name, p in sentence.parts.items()},
            }
            for number, sentence in enumerate(self.sentences, 1)
        ]


def logit(probability: float) -> float:
    """The logarithm of the odds; probabilities of 0 and 1 give large finite numbers."""
    kept = min(max(probability, 1e-12), 1 - 1e-12)
    return math.log(kept / (1 - kept))


def probability(score: float) -> float:
    """The probability of this logarithm of odds."""
    return 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))


def with_error_rate(p_right: float, error_rate: float) -> float:
    """A probability for balanced classes, where this share of summaries is wrong instead of half of them."""
    return probability(logit(p_right) + math.log((1 - error_rate) / error_rate))


def worst(sentences: Sequence[CheckedSentence]) -> CheckedSentence | None:
    """The sentence that is least likely right."""
    return min(sentences, key=lambda sentence: sentence.p_right, default=None)
