from dialgauge.metaeval._accuracy import (
    TieCalibration as TieCalibration,
)
from dialgauge.metaeval._accuracy import (
    calibrate_ties as calibrate_ties,
)
from dialgauge.metaeval._accuracy import (
    order_certainty as order_certainty,
)
from dialgauge.metaeval._accuracy import (
    pairwise_accuracy as pairwise_accuracy,
)
from dialgauge.metaeval._accuracy import (
    soft_pairwise_accuracy as soft_pairwise_accuracy,
)
from dialgauge.metaeval._arrays import (
    Bootstrap as Bootstrap,
)
from dialgauge.metaeval._arrays import (
    bootstrap as bootstrap,
)
from dialgauge.metaeval._arrays import (
    correlation as correlation,
)
from dialgauge.metaeval._arrays import (
    per_dialogue as per_dialogue,
)
from dialgauge.metaeval._arrays import (
    weighted_values as weighted_values,
)
from dialgauge.metaeval._between import (
    CorrelationMatrix as CorrelationMatrix,
)
from dialgauge.metaeval._between import (
    correlation_matrix as correlation_matrix,
)
from dialgauge.metaeval._between import (
    reference_effect as reference_effect,
)
from dialgauge.metaeval._ceiling import (
    HumanCeiling as HumanCeiling,
)
from dialgauge.metaeval._ceiling import (
    human_ceiling as human_ceiling,
)
from dialgauge.metaeval._cells import (
    correlation_p_value as correlation_p_value,
)
from dialgauge.metaeval._compare import (
    COMPARISONS as COMPARISONS,
)
from dialgauge.metaeval._compare import (
    TESTS as TESTS,
)
from dialgauge.metaeval._compare import (
    Comparisons as Comparisons,
)
from dialgauge.metaeval._compare import (
    Test as Test,
)
from dialgauge.metaeval._compare import (
    compare as compare,
)
from dialgauge.metaeval._correlate import (
    CORRELATIONS as CORRELATIONS,
)
from dialgauge.metaeval._correlate import (
    Correlations as Correlations,
)
from dialgauge.metaeval._correlate import (
    correlate as correlate,
)
from dialgauge.metaeval._draws import (
    Weights as Weights,
)
from dialgauge.metaeval._draws import (
    bootstrap_weights as bootstrap_weights,
)
from dialgauge.metaeval._draws import (
    count_draws as count_draws,
)
from dialgauge.metaeval._groups import (
    SignificanceGroups as SignificanceGroups,
)
from dialgauge.metaeval._groups import (
    significance_groups as significance_groups,
)
from dialgauge.metaeval._intervals import (
    bca_interval as bca_interval,
)
from dialgauge.metaeval._intervals import (
    fisher_interval as fisher_interval,
)
from dialgauge.metaeval._intervals import (
    percentile_interval as percentile_interval,
)
from dialgauge.metaeval._leaders import (
    LEADERS as LEADERS,
)
from dialgauge.metaeval._leaders import (
    leaders as leaders,
)
from dialgauge.metaeval._matrix import (
    Pairing as Pairing,
)
from dialgauge.metaeval._matrix import (
    ScoreMatrix as ScoreMatrix,
)
from dialgauge.metaeval._matrix import (
    align as align,
)
from dialgauge.metaeval._names import (
    COEFFICIENTS as COEFFICIENTS,
)
from dialgauge.metaeval._names import (
    LEVELS as LEVELS,
)
from dialgauge.metaeval._names import (
    RESAMPLES as RESAMPLES,
)
from dialgauge.metaeval._names import (
    Coefficient as Coefficient,
)
from dialgauge.metaeval._names import (
    Interval as Interval,
)
from dialgauge.metaeval._names import (
    Level as Level,
)
from dialgauge.metaeval._names import (
    Resample as Resample,
)
from dialgauge.metaeval._paired import (
    PairedDifferences as PairedDifferences,
)
from dialgauge.metaeval._paired import (
    paired_differences as paired_differences,
)
from dialgauge.metaeval._permutation import (
    PERMUTATIONS as PERMUTATIONS,
)
from dialgauge.metaeval._permutation import (
    Permutation as Permutation,
)
from dialgauge.metaeval._permutation import (
    PermutationTest as PermutationTest,
)
from dialgauge.metaeval._permutation import (
    Swaps as Swaps,
)
from dialgauge.metaeval._permutation import (
    draw_swaps as draw_swaps,
)
from dialgauge.metaeval._permutation import (
    permutation_p_value as permutation_p_value,
)
from dialgauge.metaeval._permutation import (
    permutation_test as permutation_test,
)
from dialgauge.metaeval._robustness import (
    ANY_DIMENSION as ANY_DIMENSION,
)
from dialgauge.metaeval._robustness import (
    Robustness as Robustness,
)
from dialgauge.metaeval._robustness import (
    robustness as robustness,
)
from dialgauge.metaeval._robustness_matrix import (
    SPREADS as SPREADS,
)
from dialgauge.metaeval._robustness_matrix import (
    Spread as Spread,
)
from dialgauge.metaeval._robustness_matrix import (
    dose_of as dose_of,
)
from dialgauge.metaeval._robustness_matrix import (
    label_of as label_of,
)
from dialgauge.metaeval._robustness_ratings import (
    PERTURBED_CORRELATIONS as PERTURBED_CORRELATIONS,
)
from dialgauge.metaeval._robustness_ratings import (
    ROUNDINGS as ROUNDINGS,
)
from dialgauge.metaeval._robustness_ratings import (
    PerturbedCorrelations as PerturbedCorrelations,
)
from dialgauge.metaeval._robustness_ratings import (
    perturbed_correlations as perturbed_correlations,
)
from dialgauge.metaeval._robustness_ratings import (
    spread_priors as spread_priors,
)
from dialgauge.metaeval._robustness_tests import (
    MeanChange as MeanChange,
)
from dialgauge.metaeval._robustness_tests import (
    equivalence_test as equivalence_test,
)
from dialgauge.metaeval._robustness_tests import (
    mean_change as mean_change,
)
from dialgauge.metaeval._robustness_tests import (
    sign_test as sign_test,
)
from dialgauge.metaeval._tests import (
    CORRECTIONS as CORRECTIONS,
)
from dialgauge.metaeval._tests import (
    Correction as Correction,
)
from dialgauge.metaeval._tests import (
    adjust_p_values as adjust_p_values,
)
from dialgauge.metaeval._tests import (
    paired_bootstrap_p_value as paired_bootstrap_p_value,
)
from dialgauge.metaeval._tests import (
    williams_test as williams_test,
)
