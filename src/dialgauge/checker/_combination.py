"""From what the parts find to one probability: a weighted sum of standardised parts, calibrated."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from dialgauge.arrays import FloatArray
from dialgauge.checker._network import Marks

#: ``worst``: the logits of wrong tokens taken together (one wrong word makes a summary wrong), ``mean``: their mean,
#: ``likelihood``: mean log-probability of the summary after the dialogue, ``contrast``: how much of it is due to the
#: dialogue, ``checks``: the logit of the rule-based checks. All are higher for a right summary.
Part = Literal["worst", "mean", "likelihood", "contrast", "checks"]
PARTS: tuple[Part, ...] = ("worst", "mean", "likelihood", "contrast", "checks")


@dataclass(frozen=True, slots=True)
class Scale:
    """How a part counts: ``weight`` × (value − ``centre``) / ``spread``. A weight is never negative."""

    centre: float
    spread: float
    weight: float


@dataclass(frozen=True, slots=True)
class Combination:
    """The parts with their weights; the logit of being right is ``intercept`` + ``slope`` × their sum."""

    parts: Mapping[str, Scale]
    slope: float
    intercept: float

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> "Combination":
        """Read what :meth:`as_dict` wrote."""
        return cls({name: Scale(**one) for name, one in raw["parts"].items()}, raw["slope"], raw["intercept"])

    def as_dict(self) -> dict[str, Any]:
        """The combination for a card."""
        return {
            "parts": {n: asdict(s) for n, s in self.parts.items()},
            "slope": self.slope,
            "intercept": self.intercept,
        }

    @property
    def weighed(self) -> tuple[str, ...]:
        """The parts that count."""
        return tuple(name for name, scale in self.parts.items() if scale.weight)

    def total(self, values: Mapping[str, float]) -> float:
        """The weighted sum of the parts; those that are not given do not count."""
        return sum(
            scale.weight * (values[name] - scale.centre) / scale.spread
            for name, scale in self.parts.items()
            if name in values and scale.weight
        )

    def p_right(self, values: Mapping[str, float]) -> float:
        """The probability that all is right."""
        logit = self.intercept + self.slope * self.total(values)
        return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))


def parts_of(marks: Marks, chosen: FloatArray | None = None) -> dict[str, float]:
    """The parts of a summary, or of the tokens that ``chosen`` (true or false for each) says."""
    keep = np.ones(len(marks.wrong), dtype=bool) if chosen is None else np.asarray(chosen, dtype=bool)
    wrong = marks.wrong[keep]
    found = {"worst": -float(np.logaddexp.reduce(wrong)), "mean": -float(wrong.mean())}
    if len(marks.given):
        found["likelihood"] = float(marks.given[keep].mean())
    if len(marks.alone):
        found["contrast"] = float((marks.given - marks.alone)[keep].mean())
    return found


def fit_calibration(totals: FloatArray, right: FloatArray) -> tuple[float, float]:
    """Slope and intercept of a logistic curve through the totals, both classes counting the same (Platt).

    Newton steps on two numbers, with a small penalty so that separable data have a solution.
    """
    wanted = np.asarray(right, dtype=np.float64)
    weights = np.where(wanted > 0, 0.5 / max(wanted.sum(), 1), 0.5 / max((1 - wanted).sum(), 1))
    design = np.stack([np.asarray(totals, dtype=np.float64), np.ones(len(totals))], axis=1)
    found = np.array([1.0, 0.0])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        gradient = design.T @ (weights * (p - wanted)) + 1e-4 * found
        curvature = (design * (weights * p * (1 - p))[:, None]).T @ design + 1e-4 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        found = found - np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return max(float(found[0]), 1e-6), float(found[1])
