"""How far metrics agree with people: correlation, its uncertainty, tests between metrics. Numbers in, numbers out."""

from dialgauge.metaeval._accuracy import (
    TieCalibration,
    calibrate_ties,
    order_certainty,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from dialgauge.metaeval._arrays import Bootstrap, bootstrap, correlation, per_dialogue, weighted_values
from dialgauge.metaeval._between import CorrelationMatrix, correlation_matrix, reference_effect
from dialgauge.metaeval._ceiling import HumanCeiling, human_ceiling
from dialgauge.metaeval._cells import correlation_p_value
from dialgauge.metaeval._compare import COMPARISONS, TESTS, Comparisons, Test, compare
from dialgauge.metaeval._correlate import CORRELATIONS, Correlations, correlate
from dialgauge.metaeval._draws import Weights, bootstrap_weights, count_draws
from dialgauge.metaeval._groups import SignificanceGroups, significance_groups
from dialgauge.metaeval._intervals import bca_interval, fisher_interval, percentile_interval
from dialgauge.metaeval._matrix import Pairing, ScoreMatrix, align
from dialgauge.metaeval._names import COEFFICIENTS, LEVELS, RESAMPLES, Coefficient, Interval, Level, Resample
from dialgauge.metaeval._permutation import (
    PERMUTATIONS,
    Permutation,
    PermutationTest,
    Swaps,
    draw_swaps,
    permutation_p_value,
    permutation_test,
)
from dialgauge.metaeval._tests import adjust_p_values, paired_bootstrap_p_value, williams_test

__all__ = [
    "COEFFICIENTS",
    "COMPARISONS",
    "CORRELATIONS",
    "LEVELS",
    "PERMUTATIONS",
    "RESAMPLES",
    "TESTS",
    "Bootstrap",
    "Coefficient",
    "Comparisons",
    "CorrelationMatrix",
    "Correlations",
    "HumanCeiling",
    "Interval",
    "Level",
    "Pairing",
    "Permutation",
    "PermutationTest",
    "Resample",
    "ScoreMatrix",
    "SignificanceGroups",
    "Swaps",
    "Test",
    "TieCalibration",
    "Weights",
    "adjust_p_values",
    "align",
    "bca_interval",
    "bootstrap",
    "bootstrap_weights",
    "calibrate_ties",
    "compare",
    "correlate",
    "correlation",
    "correlation_matrix",
    "correlation_p_value",
    "count_draws",
    "draw_swaps",
    "fisher_interval",
    "human_ceiling",
    "order_certainty",
    "paired_bootstrap_p_value",
    "pairwise_accuracy",
    "per_dialogue",
    "percentile_interval",
    "permutation_p_value",
    "permutation_test",
    "reference_effect",
    "significance_groups",
    "soft_pairwise_accuracy",
    "weighted_values",
    "williams_test",
]
