"""Who did what: whether the words of a clause stand in turns of its subject, or in turns of somebody else.

Statements are grouped by who speaks of whom ("I …" said by the subject speaks for it, "you …" said by the subject for
the other); what counts is how much better the best statement of the subject fits than the best one of the others.
Swapping the two turns every sign, so that the weights can be learnt from references without any label.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialgauge.checks._claims import Clause
from dialgauge.checks._source import Source

#: Kinds of statements, as in ``Source.groups``.
GROUPS = ("i", "you", "both", "neither", "question", "any")
FEATURES = (*(f"does:{group}" for group in GROUPS), *(f"says:{group}" for group in GROUPS), "asks:question")
#: A clause that no statement covers better than this says nothing about who did it.
_LEAST = 0.15


@dataclass(frozen=True, slots=True)
class Attribution:
    """How well a clause fits its subject: the features, and the statement of the others that fits best."""

    clause: Clause
    features: NDArray[np.float64]
    rival: int
    own: int


def attribute(clause: Clause, matches: NDArray[np.float32], source: Source) -> Attribution | None:
    """Compare the subject of a clause with the other speakers; ``matches`` has how each statement covers its words."""
    subject = clause.subject
    if subject is None or len(source.speakers.names) < 2 or not len(matches) or float(matches.max()) < _LEAST:
        return None
    own = source.spoken_by == subject
    if not own.any() or own.all():
        return None
    best = np.where(source.groups & own, matches, 0).max(axis=1) - np.where(source.groups & ~own, matches, 0).max(
        axis=1
    )
    size = len(GROUPS)
    features = np.zeros(len(FEATURES))
    features[size * clause.saying : size * clause.saying + size] = best
    features[-1] = best[GROUPS.index("question")] if clause.asking else 0
    return Attribution(
        clause, features, int(np.where(own, -1, matches).argmax()), int(np.where(own, matches, -1).argmax())
    )
