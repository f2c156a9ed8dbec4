"""The cells of a correlation table: metric × dimension at one level, with one coefficient; and why a cell is empty."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dialgauge.errors import ParameterError
from dialgauge.metaeval._coefficients import resampled_values
from dialgauge.metaeval._draws import Weights, bootstrap_weights, jackknife_weights, no_resampling
from dialgauge.metaeval._intervals import bca_interval, fisher_interval, percentile_interval
from dialgauge.metaeval._kendall_test import kendall_p_value
from dialgauge.metaeval._matrix import ScoreMatrix
from dialgauge.metaeval._names import BASE, BoolArray, Coefficient, FloatArray, Level, Resample
from dialgauge.metaeval._settings import CorrelationSettings
from dialgauge.metaeval._weighted import FEWEST, Resampled, enough, mean_of


@dataclass(slots=True)
class Plan:
    """What is drawn once and shared by all metrics and dimensions, and what was computed from it.

    Metrics with one value per system (``one_per_system``) exist at system level, and only systems can be resampled.
    """

    matrix: ScoreMatrix
    settings: CorrelationSettings
    one_per_system: bool = False
    _weights: dict[str, Weights] = field(default_factory=dict)
    _values: dict[tuple[str, str, str], Resampled] = field(default_factory=dict)

    def __post_init__(self) -> None:
        m, n = len(self.matrix.systems), len(self.matrix.dialogues)
        self._weights["point"] = no_resampling(m, n)
        asked = self.settings
        if asked.resamples and asked.interval != "fisher":
            drawn: Resample = "systems" if self.one_per_system else asked.resample
            self._weights["draws"] = bootstrap_weights(m, n, asked.resamples, drawn, asked.seed)
            if asked.interval == "bca":
                self._weights["left out"] = jackknife_weights(m, n, drawn)

    def rows(self, level: Level, coefficient: Coefficient) -> list[dict[str, Any]]:
        """A row per metric and dimension."""
        matrix = self.matrix
        impossible = _impossible(level, coefficient) or self._needs_summaries(level, coefficient)
        no_interval = impossible or self._no_interval(level, coefficient)
        shape = (len(matrix.metrics), len(matrix.dimensions))
        point = Resampled(np.full((1, *shape), np.nan), np.zeros((1, *shape)))
        if not impossible:
            point = self.values(level, coefficient, "point")
        rows = []
        for p, metric in enumerate(matrix.metrics):
            for d, dimension in enumerate(matrix.dimensions):
                x, z, value = matrix.scores[p], matrix.ratings[d], float(point.values[0, p, d])
                low, high, undefined = math.nan, math.nan, 0
                if not no_interval and not math.isnan(value):
                    low, high, undefined = self._bounds(level, coefficient, p, d, value)
                reason = impossible or matrix.refused.get(metric) or matrix.refused.get(dimension)
                if not reason and math.isnan(value):
                    reason = why_undefined(x, z, level)
                if not reason and self.settings.resamples and math.isnan(low):
                    reason = no_interval or "the interval does not exist: too few systems, or a value of exactly ±1"
                if not reason and self.one_per_system:
                    reason = self._about_systems(x)
                present = ~(np.isnan(x) | np.isnan(z))
                rows.append(
                    {
                        "metric": metric,
                        "dimension": dimension,
                        "level": level,
                        "coefficient": coefficient,
                        "value": null(value),
                        "low": null(low),
                        "high": null(high),
                        "p_value": null(_p_value(x, z, value, level, coefficient)),
                        "systems": int(present.any(axis=1).sum()),
                        "dialogues": int(present.any(axis=0).sum()),
                        "missing": int((~present).sum()),
                        "skipped": int(point.skipped[0, p, d]),
                        "undefined": undefined,
                        "reason": reason or None,
                    }
                )
        return rows

    def values(self, level: Level, coefficient: Coefficient, which: str) -> Resampled:
        """The coefficient of every cell under these weights; the three base coefficients are computed once."""
        key = (level, coefficient, which)
        if key not in self._values:
            self._values[key] = self._compute(level, coefficient, which)
        return self._values[key]

    def _compute(self, level: Level, coefficient: Coefficient, which: str) -> Resampled:
        scores, ratings, weights = self.matrix.scores, self.matrix.ratings, self._weights[which]
        if coefficient == "mean":
            return mean_of([self.values(level, base, which) for base in BASE])
        asked = self.settings
        return resampled_values(scores, ratings, level, coefficient, weights, asked.epsilon, asked.seed)

    def _needs_summaries(self, level: Level, coefficient: Coefficient) -> str:
        if not self.one_per_system or (level == "system" and coefficient != "soft_pairwise_accuracy"):
            return ""
        return "one value per system: not available where a value per summary is needed"

    def _about_systems(self, x: FloatArray) -> str:
        """Notes about a value that exists."""
        notes = []
        without = int(np.isnan(x).all(axis=1).sum())
        if without:
            notes.append(f"no value for {without} of {len(x)} systems")
        if self.settings.resamples and self.settings.interval != "fisher" and self.settings.resample == "both":
            notes.append("one value per system: the interval is over systems only")
        return "; ".join(notes)

    def _no_interval(self, level: Level, coefficient: Coefficient) -> str:
        if not self.settings.resamples:
            return "no interval was requested"
        if self.one_per_system and self.settings.resample == "inputs" and self.settings.interval != "fisher":
            return "one value per system: an interval over inputs does not exist"
        if self.settings.interval == "fisher" and (level != "system" or coefficient not in BASE):
            return "a closed-form interval is not valid here; use the bootstrap"
        if coefficient == "soft_pairwise_accuracy" and self.settings.resample != "systems":
            return "the interval of soft pairwise accuracy is over systems only (resample='systems')"
        return ""

    def _bounds(self, level: Level, coefficient: Coefficient, p: int, d: int, value: float) -> tuple[float, float, int]:
        """The interval, and how many resamples had no value."""
        if self.settings.interval == "fisher":
            present = ~(np.isnan(self.matrix.scores[p]) | np.isnan(self.matrix.ratings[d]))
            n = int(present.any(axis=1).sum())
            return *fisher_interval(value, n, coefficient, self.settings.confidence), 0
        drawn = self.values(level, coefficient, "draws").values[:, p, d]
        if self.settings.interval == "bca":
            left_out = self.values(level, coefficient, "left out").values[:, p, d]
            bounds = bca_interval(value, drawn, left_out, self.settings.confidence)
        else:
            bounds = percentile_interval(drawn, self.settings.confidence)
        return *bounds, int(np.isnan(drawn).sum())


def _impossible(level: Level, coefficient: Coefficient) -> str:
    if coefficient == "soft_pairwise_accuracy" and level != "system":
        return "soft pairwise accuracy exists at system level only"
    return ""


def why_undefined(x: FloatArray, z: FloatArray, level: Level) -> str:
    """The reason, in words, why a coefficient of these matrices has no value."""
    present = ~(np.isnan(x) | np.isnan(z))
    if few := too_few(present, level):
        return few
    for name, matrix in (("metric", x), ("ratings", z)):
        if np.ptp(matrix[present]) == 0:
            return f"the {name} {'is' if name == 'metric' else 'are'} constant"
    return "constant at this level: every vector it would correlate has one value"


def too_few(present: BoolArray, level: Level) -> str:
    """Why these cells are too few points for a coefficient; empty if they are enough."""
    if enough(present, level).any():
        return ""
    systems = int(present.any(axis=1).sum())
    if level == "global":
        points = ("no summary", "one summary", "two summaries")[int(present.sum())]
    elif systems < FEWEST:
        points = ("no system", "one system", "two systems")[systems]
    else:
        points = "no dialogue has summaries of more than two systems"
    return f"{points}: a correlation needs three"


def _p_value(x: FloatArray, z: FloatArray, value: float, level: Level, coefficient: Coefficient) -> float:
    """Two-sided p of no correlation between the systems' means: Student's t, or Kendall's own test."""
    if level != "system" or coefficient not in BASE or math.isnan(value):
        return math.nan
    present = ~(np.isnan(x) | np.isnan(z))
    rows = present.any(axis=1)
    n = int(rows.sum())
    if n < 3:
        return math.nan
    if coefficient == "kendall":
        means = [np.nanmean(np.where(present, matrix, np.nan)[rows], axis=1) for matrix in (x, z)]
        return kendall_p_value(*(np.round(mean, 12) for mean in means))
    return correlation_p_value(value, n)


def correlation_p_value(r: float, n: int) -> float:
    """Two-sided p of a Pearson (or, approximately, Spearman) coefficient of n pairs: Student's t with n − 2 degrees."""
    if n < 3:
        raise ParameterError("correlation_p_value", "n", "at least 3", n)
    from scipy.special import stdtr

    if abs(r) >= 1:
        return 0.0
    return float(2 * stdtr(n - 2, -abs(r) * math.sqrt((n - 2) / (1 - r * r))))


def null(value: float) -> float | None:
    """NaN as null, for frames and JSON."""
    return None if math.isnan(value) else value
