from dialgauge.metaeval._accuracy import (
    TieCalibration as TieCalibration,
    calibrate_ties as calibrate_ties,
    order_certainty as order_certainty,
    pairwise_accuracy as pairwise_accuracy,
    soft_pairwise_accuracy as soft_pairwise_accuracy,
)
from dialgauge.metaeval._arrays import (
    Bootstrap as Bootstrap,
    bootstrap as bootstrap,
    correlation as correlation,
    per_dialogue as per_dialogue,
    weighted_values as weighted_values,
)
from dialgauge.metaeval._between import (
    CorrelationMatrix as CorrelationMatrix,
    correlation_matrix as correlation_matrix,
    reference_effect as reference_effect,
)
from dialgauge.metaeval._ceiling import (
    HumanCeiling as HumanCeiling,
    human_ceiling as human_ceiling,
)
from dialgauge.metaeval._cells import (
    correlation_p_value as correlation_p_value,
)
from dialgauge.metaeval._compare import (
    COMPARISONS as COMPARISONS,
    TESTS as TESTS,
    Comparisons as Comparisons,
    compare as compare,
)
from dialgauge.metaeval._correlate import (
    CORRELATIONS as CORRELATIONS,
    Correlations as Correlations,
    correlate as correlate,
)
from dialgauge.metaeval._draws import (
    Weights as Weights,
    bootstrap_weights as bootstrap_weights,
    count_draws as count_draws,
)
from dialgauge.metaeval._evaluate import MetricEvaluation as MetricEvaluation, evaluate_metrics as evaluate_metrics
from dialgauge.metaeval._groups import (
    SignificanceGroups as SignificanceGroups,
    significance_groups as significance_groups,
)
from dialgauge.metaeval._intervals import (
    bca_interval as bca_interval,
    fisher_interval as fisher_interval,
    percentile_interval as percentile_interval,
)
from dialgauge.metaeval._leaders import (
    LEADERS as LEADERS,
    leaders as leaders,
)
from dialgauge.metaeval._matrix import (
    Pairing as Pairing,
    ScoreMatrix as ScoreMatrix,
    align as align,
)
from dialgauge.metaeval._names import (
    COEFFICIENTS as COEFFICIENTS,
    LEVELS as LEVELS,
    RESAMPLES as RESAMPLES,
)
from dialgauge.metaeval._paired import (
    PairedDifferences as PairedDifferences,
    paired_differences as paired_differences,
)
from dialgauge.metaeval._permutation import (
    PERMUTATIONS as PERMUTATIONS,
    Permutation as Permutation,
    PermutationTest as PermutationTest,
    Swaps as Swaps,
    draw_swaps as draw_swaps,
    permutation_p_value as permutation_p_value,
    permutation_test as permutation_test,
)
from dialgauge.metaeval._robustness import (
    ANY_DIMENSION as ANY_DIMENSION,
    Robustness as Robustness,
    robustness as robustness,
)
from dialgauge.metaeval._robustness_matrix import (
    dose_of as dose_of,
    label_of as label_of,
)
from dialgauge.metaeval._robustness_ratings import (
    PERTURBED_CORRELATIONS as PERTURBED_CORRELATIONS,
    ROUNDINGS as ROUNDINGS,
    PerturbedCorrelations as PerturbedCorrelations,
    perturbed_correlations as perturbed_correlations,
    spread_priors as spread_priors,
)
from dialgauge.metaeval._robustness_tests import (
    MeanChange as MeanChange,
    equivalence_test as equivalence_test,
    mean_change as mean_change,
    sign_test as sign_test,
)
from dialgauge.metaeval._settings import (
    Coefficient as Coefficient,
    ComparisonSettings as ComparisonSettings,
    CorrelationSettings as CorrelationSettings,
    Interval as Interval,
    Level as Level,
    RobustnessSettings as RobustnessSettings,
    Spread as Spread,
    Test as Test,
)
from dialgauge.metaeval._tests import (
    CORRECTIONS as CORRECTIONS,
    Correction as Correction,
    adjust_p_values as adjust_p_values,
    paired_bootstrap_p_value as paired_bootstrap_p_value,
    williams_test as williams_test,
)
from dialgauge.resampling import Intervals as Intervals, Resample as Resample, Resampling as Resampling
