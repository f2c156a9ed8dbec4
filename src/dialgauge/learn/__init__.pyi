from dialgauge.learn._across import (
    Across as Across,
    train_across as train_across,
)
from dialgauge.learn._augment import (
    Augmented as Augmented,
    add_variants as add_variants,
    assign_ratings as assign_ratings,
)
from dialgauge.learn._card import (
    Training as Training,
    train as train,
)
from dialgauge.learn._conditions import (
    Conditions as Conditions,
    run_conditions as run_conditions,
)
from dialgauge.learn._corpora import (
    RatedCorpus as RatedCorpus,
)
from dialgauge.learn._explain import (
    contributions as contributions,
    permutation_importance as permutation_importance,
)
from dialgauge.learn._extrapolate import (
    Extrapolated as Extrapolated,
    extrapolate as extrapolate,
)
from dialgauge.learn._features import (
    FeatureTable as FeatureTable,
    build_features as build_features,
)
from dialgauge.learn._finetune import (
    FineTuned as FineTuned,
    finetune as finetune,
)
from dialgauge.learn._finetune_data import (
    RatedSplit as RatedSplit,
    RatedSummary as RatedSummary,
)
from dialgauge.learn._folder import (
    Card as Card,
    FeatureUse as FeatureUse,
    load_trained as load_trained,
)
from dialgauge.learn._learners import (
    Fitted as Fitted,
    Learner as Learner,
    Recipe as Recipe,
    find_learner as find_learner,
)
from dialgauge.learn._metric import (
    predict as predict,
)
from dialgauge.learn._procedure import (
    Data as Data,
    LeakError as LeakError,
    Predicted as Predicted,
    Trial as Trial,
)
from dialgauge.learn._selection import (
    Selection as Selection,
    select_features as select_features,
)
from dialgauge.learn._settings import (
    ConditionSettings as ConditionSettings,
    FineTuneSettings as FineTuneSettings,
    LearnSettings as LearnSettings,
    TableSettings as TableSettings,
    TuningGrid as TuningGrid,
    VariantSettings as VariantSettings,
)
from dialgauge.learn._splits import (
    Fold as Fold,
    Split as Split,
    find_split as find_split,
)
from dialgauge.learn._summary_intervals import (
    SummaryIntervals as SummaryIntervals,
)
from dialgauge.learn._tables import (
    AugmentationTables as AugmentationTables,
    augmentation_tables as augmentation_tables,
    check_ratings as check_ratings,
)
from dialgauge.learn._tables_render import (
    tables_markdown as tables_markdown,
)
from dialgauge.learn._targets import (
    Target as Target,
    build_target as build_target,
)
from dialgauge.learn._tuning_table import (
    TuningTable as TuningTable,
    run_tuning_table as run_tuning_table,
)
from dialgauge.learn._validate import (
    Validation as Validation,
    build_data as build_data,
    validate as validate,
)

__all__: list[str]  # The names above are public; those below are for other rooms only.

from dialgauge.learn._augment import (
    find_families as find_families,
    has_no_variants as has_no_variants,
)
from dialgauge.learn._extrapolate import (
    PRIORS_SCALE as PRIORS_SCALE,
    nearest_class as nearest_class,
)
from dialgauge.learn._folder import (
    refuse_foreign as refuse_foreign,
)
from dialgauge.learn._folder_paths import (
    find_folder as find_folder,
    named_folder as named_folder,
    path_given as path_given,
)
from dialgauge.learn._learners import (
    LEARNERS as LEARNERS,
)
from dialgauge.learn._settings import (
    CONDITIONS as CONDITIONS,
    TEXT_FEATURES as TEXT_FEATURES,
    Rounding as Rounding,
    fine_tunable as fine_tunable,
)
from dialgauge.learn._splits import (
    SPLITS as SPLITS,
)
from dialgauge.learn._summary_intervals import (
    summary_intervals as summary_intervals,
)
from dialgauge.learn._tables_gaps import (
    PAPER_FEATURES as PAPER_FEATURES,
    gaps as gaps,
)
from dialgauge.learn._tables_render import (
    shown_tables as shown_tables,
    tables_latex as tables_latex,
)
from dialgauge.learn._tables_store import (
    TablesFolder as TablesFolder,
)
from dialgauge.learn._targets import (
    corpus_to_learn as corpus_to_learn,
)
from dialgauge.learn._tuning_table import (
    tuned_table as tuned_table,
)
