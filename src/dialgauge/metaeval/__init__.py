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
from dialgauge.metaeval._leaders import LEADERS, leaders
from dialgauge.metaeval._matrix import Pairing, ScoreMatrix, align
from dialgauge.metaeval._names import COEFFICIENTS, LEVELS, RESAMPLES, Coefficient, Interval, Level, Resample
from dialgauge.metaeval._paired import PairedDifferences, paired_differences
from dialgauge.metaeval._permutation import (
    PERMUTATIONS,
    Permutation,
    PermutationTest,
    Swaps,
    draw_swaps,
    permutation_p_value,
    permutation_test,
)
from dialgauge.metaeval._robustness import ANY_DIMENSION, Robustness, robustness
from dialgauge.metaeval._robustness_matrix import SPREADS, Spread, dose_of, label_of
from dialgauge.metaeval._robustness_ratings import (
    PERTURBED_CORRELATIONS,
    ROUNDINGS,
    PerturbedCorrelations,
    perturbed_correlations,
    spread_priors,
)
from dialgauge.metaeval._robustness_tests import MeanChange, equivalence_test, mean_change, sign_test
from dialgauge.metaeval._tests import CORRECTIONS, Correction, adjust_p_values, paired_bootstrap_p_value, williams_test

__all__ = [
    "ANY_DIMENSION",
    "COEFFICIENTS",
    "COMPARISONS",
    "CORRECTIONS",
    "CORRELATIONS",
    "LEADERS",
    "LEVELS",
    "PERMUTATIONS",
    "PERTURBED_CORRELATIONS",
    "RESAMPLES",
    "ROUNDINGS",
    "SPREADS",
    "TESTS",
    "Bootstrap",
    "Coefficient",
    "Comparisons",
    "Correction",
    "CorrelationMatrix",
    "Correlations",
    "HumanCeiling",
    "Interval",
    "Level",
    "MeanChange",
    "PairedDifferences",
    "Pairing",
    "Permutation",
    "PermutationTest",
    "PerturbedCorrelations",
    "Resample",
    "Robustness",
    "ScoreMatrix",
    "SignificanceGroups",
    "Spread",
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
    "dose_of",
    "draw_swaps",
    "equivalence_test",
    "fisher_interval",
    "human_ceiling",
    "label_of",
    "leaders",
    "mean_change",
    "order_certainty",
    "paired_bootstrap_p_value",
    "paired_differences",
    "pairwise_accuracy",
    "per_dialogue",
    "percentile_interval",
    "permutation_p_value",
    "permutation_test",
    "perturbed_correlations",
    "reference_effect",
    "robustness",
    "sign_test",
    "significance_groups",
    "soft_pairwise_accuracy",
    "spread_priors",
    "weighted_values",
    "williams_test",
]
