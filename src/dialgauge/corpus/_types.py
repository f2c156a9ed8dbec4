"""The three things a corpus is made of, one at a time: dialogue, summary, rating."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

SummaryKind = Literal["system", "reference"]

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
