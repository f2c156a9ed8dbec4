"""The weights of the rule-based checks for a checker of one's own: learnt from its right and wrong summaries."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dialgauge.arrays import BoolArray
from dialgauge.checker._example import Example, Group
from dialgauge.checks import Weights, check_many, default_weights, fit_weights, refusal
from dialgauge.metaeval import area

#: So many summaries are read, about ten seconds; more change the weights little.
_MOST = 1500
#: With fewer wrong or right summaries than this in one half, the weights of the package stay.
_FEWEST = 50


@dataclass(frozen=True, eq=False)
class RuleWeights:
    """Weights of the checks, and what was found: areas under the curve of both tables, and which one is used."""

    weights: Weights
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The weights for a card; none where those of the package are used."""
        return self.weights.as_dict() if self.numbers.get("used") else {}


def fit_rules(families: Sequence[Sequence[Group]], seed: int) -> RuleWeights:
    """Weights fitted to these groups, if those fitted to half of them tell right from wrong better in the other half.

    A family is a dialogue with its twins, which share much: it stays in one half. The package's weights were learnt
    from chats; calls of one kind may need others.
    """
    rows: tuple[list[tuple[str, Example]], ...] = ([], [])
    for number, family in enumerate(random.Random(f"rules:{seed}").sample(families, k=len(families))):
        if sum(map(len, rows)) >= _MOST:
            break
        made = ((group.dialogue, one) for group in family for one in group.examples)
        rows[number % 2].extend((dialogue, one) for dialogue, one in made if not refusal(dialogue, one.text))
    labels = [np.array([one.right for _, one in half], dtype=bool) for half in rows]
    found: dict[str, Any] = {"summaries": sum(map(len, rows)), "used": False}
    if any(min(mine.sum(), (~mine).sum()) < _FEWEST for mine in labels):
        return RuleWeights(default_weights(), found)
    features = [[one.features for one in check_many((d, e.text) for d, e in half)] for half in rows]
    areas: dict[str, list[float]] = {"fitted": [], "usual": []}
    for learn, test in ((0, 1), (1, 0)):
        for name, table in (("fitted", _fitted(features[learn], labels[learn])), ("usual", default_weights())):
            totals = np.array([table.score(one) for one in features[test]])
            areas[name].append(area(totals[labels[test]], totals[~labels[test]]))
    found |= {name: round(float(np.mean(mine)), 4) for name, mine in areas.items()}
    if found["fitted"] <= found["usual"]:
        return RuleWeights(default_weights(), found)
    return RuleWeights(_fitted([*features[0], *features[1]], np.concatenate(labels)), found | {"used": True})


def _fitted(features: Sequence[Mapping[str, float]], right: BoolArray) -> Weights:
    return fit_weights(features, right, np.ones(len(right)))
