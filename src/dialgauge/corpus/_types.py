"""The things a corpus is made of, one at a time: dialogue, summary, and the kinds of judgement."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

SummaryKind = Literal["system", "reference"]
JudgementKind = Literal["binary", "ordinal", "interval", "nominal", "preference", "best-worst", "span"]
Direction = Literal["higher", "lower", "none"]

#: The variant of a summary as its system wrote it. Perturbed ones are named after their perturbation.
ORIGINAL = "original"
#: The role of a summary that covers the whole dialogue, not one speaker's side of it.
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says before another takes over. ``role`` is customer, agent, user … where it is known."""

    speaker: str
    text: str
    role: str | None = None

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation: its turns in order, and what is known about it."""

    id: str
    turns: tuple[Turn, ...]
    domain: str | None = None
    language: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The transcript, a line per turn, each starting with its speaker. This is what ``@source`` metrics read."""
        return "\n".join(str(turn) for turn in self.turns)

    def side(self, role: str) -> "Dialogue":
        """The dialogue with the turns of one role alone; all of them for ``overall``.

        A turn without a role has the role that is in its speaker's name: ``Agent`` for ``agent``. If no turn of the
        dialogue has the role, it is compared with the names of speakers.
        """
        if role == OVERALL:
            return self
        carried = any(turn.role == role for turn in self.turns)
        name = role.casefold()
        turns = tuple(
            turn
            for turn in self.turns
            if turn.role == role or (turn.speaker.casefold() == name and (turn.role is None or not carried))
        )
        return replace(self, turns=turns)

    def lead(self, n: int = 3) -> str:
        """The first ``n`` turns, joined by spaces: the LEAD-n baseline."""
        return " ".join(str(turn) for turn in self.turns[:n])

    def longest(self, n: int = 3) -> str:
        """The ``n`` longest turns (in characters; the earlier one wins a tie) in the dialogue's order: LONGEST-n."""
        ranked = sorted(range(len(self.turns)), key=lambda i: (-len(self.turns[i].text), i))
        return " ".join(str(self.turns[i]) for i in sorted(ranked[:n]))


@dataclass(frozen=True, slots=True)
class Summary:
    """One system's summary of one dialogue, or a reference for it (``kind="reference"``)."""

    dialogue_id: str
    system: str
    text: str
    variant: str = ORIGINAL
    role: str = OVERALL
    kind: SummaryKind = "system"
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rating:
    """One annotator's judgement of one summary (or of one ``sentence`` of it) on one dimension.

    ``value`` is None where the annotator gave none. ``scale`` names the scale it was given on, as in ``"1-5"``.
    """

    dialogue_id: str
    system: str
    annotator: str
    dimension: str
    value: float | None
    variant: str = ORIGINAL
    role: str = OVERALL
    sentence: int | None = None
    scale: str | None = None
    comment: str | None = None
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Preference:
    """One annotator's choice between two summaries of a dialogue: ``winner`` is ``"a"``, ``"b"`` or ``"tie"``.

    ``strength`` is at least 1 where it was asked for; ``both_bad`` marks a tie of two bad summaries; ``shown_first``
    says which of the two the annotator saw first (or on the left).
    """

    dialogue_id: str
    system_a: str
    system_b: str
    annotator: str
    dimension: str
    winner: Literal["a", "b", "tie"]
    variant_a: str = ORIGINAL
    variant_b: str = ORIGINAL
    role: str = OVERALL
    strength: float | None = None
    both_bad: bool = False
    shown_first: Literal["a", "b"] | None = None
    comment: str | None = None
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a best-worst question: all options of one question share their ``tuple``."""

    dialogue_id: str
    tuple: str
    annotator: str
    dimension: str
    system: str
    choice: Literal["best", "worst", "neither"]
    variant: str = ORIGINAL
    role: str = OVERALL


@dataclass(frozen=True, slots=True)
class Span:
    """A marked place in a summary (or, with ``side="dialogue"``, in the dialogue), or a reading without a finding.

    ``start`` and ``end`` count characters of the stored text, the end not included; both are None where the annotator
    read the summary and marked nothing. ``span`` counts the marks of one annotator in one summary from 1.
    """

    dialogue_id: str
    system: str
    annotator: str
    dimension: str
    span: int = 1
    start: int | None = None
    end: int | None = None
    text: str | None = None
    label: str | None = None
    severity: str | None = None
    variant: str = ORIGINAL
    role: str = OVERALL
    side: Literal["summary", "dialogue"] = "summary"
    comment: str | None = None
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Dimension:
    """What is known about a dimension: what kind of judgement it is, on which scale, and which way is better.

    ``labels`` name the values in order, from the lowest. ``direction`` is ``"higher"`` where more is better,
    ``"lower"`` where less is, ``"none"`` where neither is. ``said_by`` says how this is known: by the ``user``, by the
    ``file``, by the ``name`` of the dimension or by its ``values``.
    """

    name: str
    kind: JudgementKind
    scale: str | None = None
    labels: tuple[str, ...] = ()
    direction: Direction = "higher"
    said_by: Literal["user", "file", "name", "values"] = "values"
