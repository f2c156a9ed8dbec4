"""The table of weights: what each check takes from the score, learnt from references without human labels."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialgauge.checks._attribution import FEATURES as ATTRIBUTION
from dialgauge.checks._types import CHECKS, Group, Reason, probability
from dialgauge.errors import InputError

#: More cases of one check than this add nothing.
_MOST = 3.0
#: Two features for each check: whether there is a case (for ``attribution``: the clearest one), and all of them.
FEATURES = tuple(f"{name}:{part}" for name in CHECKS for part in ("worst", "sum"))


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the features (never positive: a reason can only lower the score) and of the attribution."""

    version: str
    intercept: float
    features: Mapping[str, float]
    attribution: NDArray[np.float64]

    def score(self, features: Mapping[str, float], group: Group | None = None) -> float:
        """The logarithm of the odds that the text with these features is right; of one group of checks, or of all."""
        return self.intercept + sum(
            self.features.get(name, 0.0) * value
            for name, value in features.items()
            if group is None or CHECKS[name.partition(":")[0]].group == group
        )

    def as_dict(self) -> dict[str, Any]:
        """The table as JSON, which :func:`weights_from` reads."""
        attribution = dict(zip(ATTRIBUTION, self.attribution.tolist(), strict=True))
        shown = {"version": self.version, "intercept": self.intercept, "features": dict(self.features)}
        return shown | {"attribution": attribution}

    def p_right(self, features: Mapping[str, float], group: Group | None = None) -> float:
        """The probability that the text with these features is right, where half of all texts are."""
        return probability(self.score(features, group))


def features_of(reasons: Sequence[Reason]) -> dict[str, float]:
    """The features of a sentence or a summary with these reasons; those that are 0 are left out."""
    found: dict[str, float] = {}
    for reason in reasons:
        worst, total = f"{reason.check}:worst", f"{reason.check}:sum"
        found[worst] = max(found.get(worst, 0.0), reason.strength)
        found[total] = min(found.get(total, 0.0) + reason.strength, _MOST)
    return found


def read_weights(path: Path) -> Weights:
    """Weights from a file of the form of the one in the package."""
    try:
        return weights_from(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a table of weights of checks: {error}") from error


@cache
def default_weights() -> Weights:
    """The weights that come with the package."""
    return weights_from(tomllib.loads(files("dialgauge.checks").joinpath("weights.toml").read_text("utf-8")))


def weights_from(raw: Mapping[str, Any]) -> Weights:
    """Weights from a table as :meth:`Weights.as_dict` gives it; ValueError, KeyError or TypeError if it is not one."""
    features = {name: float(value) for name, value in raw["features"].items()}
    unknown = [name for name in features if name not in FEATURES]
    if unknown:
        raise ValueError(f"no feature is called {unknown[0]!r}")
    if wrong := [name for name, value in features.items() if value > 0]:
        raise ValueError(f"the weight of {wrong[0]!r} must not be positive")
    attribution = np.array([float(raw["attribution"][name]) for name in ATTRIBUTION])
    return Weights(str(raw["version"]), float(raw["intercept"]), features, attribution)
