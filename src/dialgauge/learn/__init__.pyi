from dialgauge.learn._augment import (
    Augmented as Augmented,
    add_variants as add_variants,
    assign_ratings as assign_ratings,
)
from dialgauge.learn._card import (
    Training as Training,
    data_digest as data_digest,
    train as train,
)
from dialgauge.learn._conditions import (
    CONDITIONS as CONDITIONS,
    Conditions as Conditions,
    VariantOptions as VariantOptions,
    run_conditions as run_conditions,
)
from dialgauge.learn._explain import (
    contributions as contributions,
    permutation_importance as permutation_importance,
)
from dialgauge.learn._extrapolate import (
    Extrapolated as Extrapolated,
    extrapolate as extrapolate,
    nearest_class as nearest_class,
)
from dialgauge.learn._features import (
    FeatureTable as FeatureTable,
    build_features as build_features,
)
from dialgauge.learn._finetune import (
    FINE_TUNABLE as FINE_TUNABLE,
    FineTuned as FineTuned,
    fine_tunable as fine_tunable,
    finetune as finetune,
    usual_settings as usual_settings,
)
from dialgauge.learn._finetune_data import (
    RatedSplit as RatedSplit,
    RatedSummary as RatedSummary,
    rated_summaries as rated_summaries,
    split_dialogues as split_dialogues,
    target_ratings as target_ratings,
)
from dialgauge.learn._finetune_recipe import (
    FineTuning as FineTuning,
)
from dialgauge.learn._folder import (
    KINDS as KINDS,
    Card as Card,
    FeatureUse as FeatureUse,
    Trained as Trained,
    find_folder as find_folder,
    load_trained as load_trained,
    named_folder as named_folder,
    path_given as path_given,
    read_card as read_card,
    refuse_foreign as refuse_foreign,
    registry_folder as registry_folder,
    write_folder as write_folder,
)
from dialgauge.learn._learners import (
    AUTO as AUTO,
    LEARNERS as LEARNERS,
    Fitted as Fitted,
    Learner as Learner,
    Recipe as Recipe,
    candidates as candidates,
    find_learner as find_learner,
)
from dialgauge.learn._losses import (
    BART_LOSSES as BART_LOSSES,
    UNIEVAL_LOSSES as UNIEVAL_LOSSES,
)
from dialgauge.learn._metric import (
    predict as predict,
    save_trained as save_trained,
)
from dialgauge.learn._ordinal import (
    ProportionalOdds as ProportionalOdds,
)
from dialgauge.learn._procedure import (
    Data as Data,
    LeakError as LeakError,
    Predicted as Predicted,
    Procedure as Procedure,
    Trial as Trial,
    check_leaks as check_leaks,
    procedure as procedure,
    search as search,
)
from dialgauge.learn._selection import (
    Selection as Selection,
    select_features as select_features,
)
from dialgauge.learn._settings import (
    TEXT_FEATURES as TEXT_FEATURES,
    LearnSettings as LearnSettings,
    Split as Split,
    Task as Task,
)
from dialgauge.learn._splits import (
    HIDES as HIDES,
    SPLITS as SPLITS,
    Fold as Fold,
    check_folds as check_folds,
    make_folds as make_folds,
)
from dialgauge.learn._tables import (
    AugmentationTables as AugmentationTables,
    TableOptions as TableOptions,
    augmentation_tables as augmentation_tables,
    check_ratings as check_ratings,
)
from dialgauge.learn._tables_gaps import (
    CLASSIFIERS as CLASSIFIERS,
    MOST_FREQUENT as MOST_FREQUENT,
    PAPER_FEATURES as PAPER_FEATURES,
    gaps as gaps,
)
from dialgauge.learn._tables_render import (
    shown_tables as shown_tables,
    tables_latex as tables_latex,
    tables_markdown as tables_markdown,
)
from dialgauge.learn._tables_store import (
    TablesFolder as TablesFolder,
)
from dialgauge.learn._targets import (
    TASKS as TASKS,
    Target as Target,
    build_target as build_target,
)
from dialgauge.learn._validate import (
    Validation as Validation,
    build_data as build_data,
    validate as validate,
)
