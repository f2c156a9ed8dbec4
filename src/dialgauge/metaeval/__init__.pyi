from dialgauge.metaeval._accuracy import (
    pairwise_accuracy as pairwise_accuracy,
    soft_pairwise_accuracy as soft_pairwise_accuracy,
)
from dialgauge.metaeval._arrays import (
    Bootstrap as Bootstrap,
    bootstrap as bootstrap,
    correlation as correlation,
    per_dialogue as per_dialogue,
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
from dialgauge.metaeval._compare import (
    Comparisons as Comparisons,
    compare as compare,
)
from dialgauge.metaeval._compare_parts import (
    PartComparison as PartComparison,
    compare_parts as compare_parts,
)
from dialgauge.metaeval._compare_systems import (
    SystemComparison as SystemComparison,
    compare_systems as compare_systems,
)
from dialgauge.metaeval._correlate import (
    Correlations as Correlations,
    correlate as correlate,
)
from dialgauge.metaeval._draws import (
    Weights as Weights,
    bootstrap_weights as bootstrap_weights,
)
from dialgauge.metaeval._evaluate import (
    MetricEvaluation as MetricEvaluation,
    evaluate_metrics as evaluate_metrics,
)
from dialgauge.metaeval._groups import (
    SignificanceGroups as SignificanceGroups,
    significance_groups as significance_groups,
)
from dialgauge.metaeval._headline import (
    headline as headline,
)
from dialgauge.metaeval._intervals import (
    bca_interval as bca_interval,
    fisher_interval as fisher_interval,
)
from dialgauge.metaeval._judgements import (
    JudgementEvaluation as JudgementEvaluation,
    evaluate_judgements as evaluate_judgements,
    summary_labels as summary_labels,
)
from dialgauge.metaeval._labels import (
    LabelEvaluation as LabelEvaluation,
    evaluate_labels as evaluate_labels,
)
from dialgauge.metaeval._leaders import (
    leaders as leaders,
)
from dialgauge.metaeval._matrix import (
    Pairing as Pairing,
    ScoreMatrix as ScoreMatrix,
    align as align,
)
from dialgauge.metaeval._paired import (
    PairedDifferences as PairedDifferences,
    paired_differences as paired_differences,
)
from dialgauge.metaeval._permutation import (
    PermutationTest as PermutationTest,
    Swaps as Swaps,
    permutation_test as permutation_test,
)
from dialgauge.metaeval._preference_accuracy import (
    PreferenceAccuracy as PreferenceAccuracy,
    preference_accuracy as preference_accuracy,
)
from dialgauge.metaeval._robustness import (
    Robustness as Robustness,
    robustness as robustness,
)
from dialgauge.metaeval._robustness_ratings import (
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
    LabelSettings as LabelSettings,
    Level as Level,
    RobustnessSettings as RobustnessSettings,
    SystemComparisonSettings as SystemComparisonSettings,
    TrustSettings as TrustSettings,
)
from dialgauge.metaeval._tests import (
    Correction as Correction,
    adjust_p_values as adjust_p_values,
    williams_test as williams_test,
)
from dialgauge.metaeval._trust import (
    trust as trust,
)
from dialgauge.metaeval._verdict import (
    Reason as Reason,
    Verdict as Verdict,
    Verdicts as Verdicts,
)
from dialgauge.resampling import (
    Intervals as Intervals,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.metaeval._arrays import (
    weighted_values as weighted_values,
)
from dialgauge.metaeval._best import (
    best_floor as best_floor,
    undominated as undominated,
)
from dialgauge.metaeval._ceiling import CEILING as CEILING
from dialgauge.metaeval._coefficient_parts import (
    coefficient_parts as coefficient_parts,
)
from dialgauge.metaeval._compare_systems import (
    NEITHER as NEITHER,
)
from dialgauge.metaeval._decide import (
    decide as decide,
)
from dialgauge.metaeval._directions import (
    dimension_directions as dimension_directions,
)
from dialgauge.metaeval._draws import (
    count_draws as count_draws,
)
from dialgauge.metaeval._intervals import (
    percentile_interval as percentile_interval,
)
from dialgauge.metaeval._items import (
    find_items as find_items,
)
from dialgauge.metaeval._leaders import (
    PAIRS as PAIRS,
    metric_pairs as metric_pairs,
)
from dialgauge.metaeval._names import (
    COEFFICIENT_NAMES as COEFFICIENT_NAMES,
)
from dialgauge.metaeval._robust_enough import (
    count_kinds as count_kinds,
    too_few_kinds as too_few_kinds,
)
from dialgauge.metaeval._robustness import (
    ANY_DIMENSION as ANY_DIMENSION,
)
from dialgauge.metaeval._robustness_matrix import (
    label_of as label_of,
)
from dialgauge.metaeval._robustness_ratings import (
    PERTURBED_CORRELATIONS as PERTURBED_CORRELATIONS,
    ROUNDINGS as ROUNDINGS,
)
from dialgauge.metaeval._roc import (
    Labelled as Labelled,
    area as area,
    auc as auc,
    best_threshold as best_threshold,
    draw_dialogues as draw_dialogues,
    within_auc as within_auc,
)
from dialgauge.metaeval._settings import (
    PairedSettings as PairedSettings,
)
from dialgauge.metaeval._verdict import (
    TRUST as TRUST,
    Trust as Trust,
)
