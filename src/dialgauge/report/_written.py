"""The systems whose summaries a run generated, as opposed to those that came with the corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class WrittenData:
    """The summaries that a run generated.

    ``rows`` has an entry per system and role: how many ``summaries`` of how many ``words`` on average, how many
    dialogues are without one (``failures``) and how many have a note (``notes``), and the ``description``,
    ``citation`` and ``signature`` of the system. ``failures`` counts ``dialogues`` by system, role and reason,
    ``notes`` by system, role and note. ``ratings_dropped`` is how many ratings the corpus had of summaries that the run
    replaced.
    """

    rows: Sequence[Mapping[str, Any]]
    failures: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[Mapping[str, Any]] = ()
    ratings_dropped: int = 0

    @property
    def systems(self) -> dict[str, Mapping[str, Any]]:
        """Each system once, with the entry of its first role."""
        found: dict[str, Mapping[str, Any]] = {}
        for row in self.rows:
            found.setdefault(row["system"], row)
        return found
