"""``compare``: which of two metrics correlates better, with a test, an interval of the difference and a correction."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, get_args

import numpy as np
import polars as pl

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metaeval._cells import null, why_undefined
from dialgauge.metaeval._coefficients import resampled_values
from dialgauge.metaeval._correlate import orient
from dialgauge.metaeval._draws import bootstrap_weights, no_resampling
from dialgauge.metaeval._intervals import percentile_interval
from dialgauge.metaeval._matrix import Pairing, ScoreMatrix, align
from dialgauge.metaeval._names import BASE, FloatArray, check_name
from dialgauge.metaeval._permutation import PERMUTATIONS, draw_swaps, permutation_test, swap_floor
from dialgauge.metaeval._settings import ComparisonSettings, Test
from dialgauge.metaeval._tests import adjust_p_values, paired_bootstrap_p_value, williams_test
from dialgauge.metaeval._weighted import resampled_correlations
from dialgauge.progress import Progress, with_bar
from dialgauge.settings import takes

TESTS: tuple[Test, ...] = get_args(Test)
#: Systems from which on Williams' test is taken for Pearson at system level.
_WILLIAMS_NEEDS = 5

#: One row of :attr:`Comparisons.frame`.
COMPARISONS = pl.Schema(
    {
        "metric": pl.String,
        "other": pl.String,
        "dimension": pl.String,
        "level": pl.String,
        "coefficient": pl.String,
        "value": pl.Float64,
        "other_value": pl.Float64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "p_holm": pl.Float64,
        "p_benjamini_hochberg": pl.Float64,
        "floor": pl.Float64,
        "test": pl.String,
        "undefined": pl.Int64,
        "reason": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Pairs of metrics, tested.

    ``frame`` has a row per pair and dimension: both values, their ``difference`` with its paired bootstrap interval,
    the ``p_value`` of the named ``test`` and the same corrected for the number of pairs of that dimension (``p_holm``,
    ``p_benjamini_hochberg``), the smallest p-value that the test permits (``floor``), the ``undefined`` resamples, and
    the ``reason`` where a number is null or nothing can be significant.
    """

    frame: pl.DataFrame
    pairing: Pairing
    settings: Mapping[str, Any] = field(default_factory=dict)


@with_bar
@takes(ComparisonSettings)
def compare(
    scores: pl.DataFrame,
    ratings: pl.DataFrame,
    settings: ComparisonSettings | None = None,
    *,
    pairs: Sequence[tuple[str, str]] | None = None,
    dimensions: Sequence[str] | None = None,
    references: Collection[str] = (),
    directions: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Comparisons:
    """Test whether one metric correlates with the ratings better than another, for each pair (all pairs by default).

    The default generalises to new systems: Williams' test for Pearson at system level, permutation over systems
    elsewhere, and the bootstrap at global level and for pairwise accuracy, where nothing can be swapped; with a
    bootstrap interval of the difference over systems and inputs. Permutations over inputs, both or cells treat the
    systems as fixed: a significant result says nothing about systems outside the study. Metrics
    whose ``directions`` entry is ``"lower"`` are negated first: only then is the larger correlation the better one.
    """
    asked = ComparisonSettings.chosen(settings, changes, "compare")
    check_name("coefficient", asked.coefficient, (*BASE, "mean", "pairwise_accuracy"))
    if asked.resamples == 0:
        raise ParameterError("compare", "resamples", "at least 20: a test needs them", asked.resamples)
    matrix = align(
        scores,
        ratings,
        metrics=asked.metrics,
        dimensions=dimensions,
        without_systems=() if asked.with_references else tuple(references),
        role=asked.role,
        variant=asked.variant,
    )
    matrix = orient(matrix, directions or {})
    chosen = _pairs(matrix.metrics, pairs)
    bench = _Bench(matrix, asked)
    rows: list[dict[str, Any]] = []
    for d, dimension in enumerate(matrix.dimensions):
        part = []
        for done, (one, other) in enumerate(chosen):
            if progress:
                progress(dimension, d * len(chosen) + done, len(chosen) * len(matrix.dimensions))
            part.append(bench.row(matrix.metrics.index(one), matrix.metrics.index(other), d))
        p_values = [math.nan if row["p_value"] is None else row["p_value"] for row in part]
        for row, holm, hochberg in zip(
            part, adjust_p_values(p_values, "holm"), adjust_p_values(p_values, "benjamini-hochberg"), strict=True
        ):
            row["p_holm"], row["p_benjamini_hochberg"] = null(float(holm)), null(float(hochberg))
        rows += part
    done_with = asked.model_dump(mode="json", exclude={"metrics", "level", "coefficient", "test"})
    done_with |= {
        "references": sorted(references),
        "systems": len(matrix.systems),
        "dialogues": len(matrix.dialogues),
        "role": matrix.pairing.role,
    }
    return Comparisons(pl.DataFrame(rows, schema=COMPARISONS), matrix.pairing, done_with)


def _pairs(metrics: tuple[str, ...], wanted: Sequence[tuple[str, str]] | None) -> list[tuple[str, str]]:
    if wanted is None:
        if len(metrics) < 2:
            raise InputError(f"compare needs two metrics; the scores have one, {metrics[0]!r}")
        return list(combinations(metrics, 2))
    for pair in wanted:
        for name in pair:
            if name not in metrics:
                raise UnknownNameError("metric", name, metrics)
    return [(one, other) for one, other in wanted]


def _chosen_test(asked: ComparisonSettings, systems: int) -> Test:
    """The test that was asked for; where none was, the one that fits the level and the coefficient."""
    if asked.test != "auto":
        return asked.test
    if asked.level == "global" or asked.coefficient == "pairwise_accuracy":
        return "bootstrap"
    # Its size holds from five systems on; with four it has one degree of freedom.
    closed_form = asked.level == "system" and asked.coefficient == "pearson" and systems >= _WILLIAMS_NEEDS
    return "williams" if closed_form else "permutation-systems"


class _Bench:
    """Everything the pairs of one comparison share: correlations, their resamples, and the swaps."""

    def __init__(self, matrix: ScoreMatrix, asked: ComparisonSettings) -> None:
        self.matrix, self.level, self.coefficient = matrix, asked.level, asked.coefficient
        self.test = _chosen_test(asked, len(matrix.systems))
        self.confidence = asked.confidence
        m, n = len(matrix.systems), len(matrix.dialogues)
        plain = no_resampling(m, n)
        drawn = bootstrap_weights(m, n, asked.resamples, asked.resample, asked.seed)
        sides = matrix.scores, matrix.ratings, asked.level, asked.coefficient
        self.values = resampled_values(*sides, plain).values[0]
        self.draws = resampled_values(*sides, drawn).values
        self.swaps = None
        method = self.test.removeprefix("permutation-")
        self.refusal = self._refusal()
        if method in PERMUTATIONS and not self.refusal:
            self.swaps = draw_swaps(check_name("permutation", method, PERMUTATIONS), m, n, asked.resamples, asked.seed)

    def _refusal(self) -> str:
        if self.test == "williams" and (self.level != "system" or self.coefficient not in ("pearson", "spearman")):
            return "Williams' test needs Pearson or Spearman at system level, where the systems are independent cases"
        if self.test.startswith("permutation") and self.level == "global":
            return "permutation tests exist at system and summary level; use test='bootstrap'"
        if self.test.startswith("permutation") and self.coefficient == "pairwise_accuracy":
            return "permutation tests exist for correlations, not for pairwise accuracy; use test='bootstrap'"
        return ""

    def row(self, one: int, other: int, d: int) -> dict[str, Any]:
        matrix = self.matrix
        value, other_value = float(self.values[one, d]), float(self.values[other, d])
        differences = self.draws[:, one, d] - self.draws[:, other, d]
        low, high = percentile_interval(differences, self.confidence)
        p_value, undefined = self._p_value(one, other, d, differences)
        reason = self.refusal
        for p, number in ((one, value), (other, other_value)):
            if math.isnan(number):
                name = matrix.metrics[p]
                why = matrix.refused.get(name) or matrix.refused.get(matrix.dimensions[d])
                reason = f"{name}: {why or why_undefined(matrix.scores[p], matrix.ratings[d], self.level)}"
        if not reason and math.isnan(p_value):
            reason = "the test is undefined: too few systems, or correlations of exactly ±1"
        reason = reason or self._undecidable()
        return {
            "metric": matrix.metrics[one],
            "other": matrix.metrics[other],
            "dimension": matrix.dimensions[d],
            "level": self.level,
            "coefficient": self.coefficient,
            "value": null(value),
            "other_value": null(other_value),
            "difference": null(value - other_value),
            "low": null(low),
            "high": null(high),
            "p_value": null(p_value),
            "floor": null(self.floor),
            "test": self.test,
            "undefined": undefined,
            "reason": reason or None,
        }

    def _p_value(self, one: int, other: int, d: int, differences: FloatArray) -> tuple[float, int]:
        undefined = int(np.isnan(differences).sum())
        if self.refusal or np.isnan(self.values[[one, other], d]).any():
            return math.nan, undefined
        x, y, z = self.matrix.scores[one], self.matrix.scores[other], self.matrix.ratings[d]
        if self.test == "bootstrap":
            return paired_bootstrap_p_value(differences), undefined
        if self.test == "williams":
            r12, r13, r23, n = self._triple(x, y, z)
            return williams_test(r12, r13, r23, n), undefined
        result = permutation_test(x, y, z, self.level, self.coefficient, swaps=self.swaps)
        return result.p_value, result.undefined

    @property
    def floor(self) -> float:
        """The smallest p-value that the test can give; NaN where that is not known."""
        return math.nan if self.swaps is None else swap_floor(self.swaps)

    def _undecidable(self) -> str:
        if not self.floor > 1 - self.confidence:
            return ""
        systems = len(self.matrix.systems)
        return f"no difference can be significant with {systems} systems: no p-value is below {self.floor:.3g}"

    def _triple(self, x: FloatArray, y: FloatArray, z: FloatArray) -> tuple[float, float, float, int]:
        """The three correlations on the cells that all three have, and the systems left."""
        missing = np.isnan(x) | np.isnan(y) | np.isnan(z)
        x, y, z = (np.where(missing, np.nan, each) for each in (x, y, z))
        plain = no_resampling(*x.shape)
        both = resampled_correlations(np.stack([x, y]), np.stack([z, y]), self.level, self.coefficient, plain).values[0]
        return float(both[0, 0]), float(both[1, 0]), float(both[0, 1]), int((~missing).any(axis=1).sum())
