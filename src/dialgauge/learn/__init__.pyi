from dialgauge.learn._augment import (
    Augmented as Augmented,
)
from dialgauge.learn._augment import (
    add_variants as add_variants,
)
from dialgauge.learn._augment import (
    assign_ratings as assign_ratings,
)
from dialgauge.learn._card import (
    Training as Training,
)
from dialgauge.learn._card import (
    data_digest as data_digest,
)
from dialgauge.learn._card import (
    train as train,
)
from dialgauge.learn._conditions import (
    CONDITIONS as CONDITIONS,
)
from dialgauge.learn._conditions import (
    Conditions as Conditions,
)
from dialgauge.learn._conditions import (
    VariantOptions as VariantOptions,
)
from dialgauge.learn._conditions import (
    run_conditions as run_conditions,
)
from dialgauge.learn._explain import (
    contributions as contributions,
)
from dialgauge.learn._explain import (
    permutation_importance as permutation_importance,
)
from dialgauge.learn._extrapolate import (
    Extrapolated as Extrapolated,
)
from dialgauge.learn._extrapolate import (
    extrapolate as extrapolate,
)
from dialgauge.learn._extrapolate import (
    nearest_class as nearest_class,
)
from dialgauge.learn._features import (
    TEXT_FEATURES as TEXT_FEATURES,
)
from dialgauge.learn._features import (
    FeatureTable as FeatureTable,
)
from dialgauge.learn._features import (
    build_features as build_features,
)
from dialgauge.learn._finetune import (
    FINE_TUNABLE as FINE_TUNABLE,
)
from dialgauge.learn._finetune import (
    FineTuned as FineTuned,
)
from dialgauge.learn._finetune import (
    fine_tunable as fine_tunable,
)
from dialgauge.learn._finetune import (
    finetune as finetune,
)
from dialgauge.learn._finetune import (
    usual_settings as usual_settings,
)
from dialgauge.learn._finetune_data import (
    RatedSplit as RatedSplit,
)
from dialgauge.learn._finetune_data import (
    RatedSummary as RatedSummary,
)
from dialgauge.learn._finetune_data import (
    rated_summaries as rated_summaries,
)
from dialgauge.learn._finetune_data import (
    split_dialogues as split_dialogues,
)
from dialgauge.learn._finetune_data import (
    target_ratings as target_ratings,
)
from dialgauge.learn._finetune_recipe import (
    FineTuning as FineTuning,
)
from dialgauge.learn._folder import (
    KINDS as KINDS,
)
from dialgauge.learn._folder import (
    Card as Card,
)
from dialgauge.learn._folder import (
    FeatureUse as FeatureUse,
)
from dialgauge.learn._folder import (
    Trained as Trained,
)
from dialgauge.learn._folder import (
    find_folder as find_folder,
)
from dialgauge.learn._folder import (
    load_trained as load_trained,
)
from dialgauge.learn._folder import (
    named_folder as named_folder,
)
from dialgauge.learn._folder import (
    path_given as path_given,
)
from dialgauge.learn._folder import (
    read_card as read_card,
)
from dialgauge.learn._folder import (
    refuse_foreign as refuse_foreign,
)
from dialgauge.learn._folder import (
    registry_folder as registry_folder,
)
from dialgauge.learn._folder import (
    write_folder as write_folder,
)
from dialgauge.learn._learners import (
    AUTO as AUTO,
)
from dialgauge.learn._learners import (
    LEARNERS as LEARNERS,
)
from dialgauge.learn._learners import (
    Fitted as Fitted,
)
from dialgauge.learn._learners import (
    Learner as Learner,
)
from dialgauge.learn._learners import (
    Recipe as Recipe,
)
from dialgauge.learn._learners import (
    candidates as candidates,
)
from dialgauge.learn._learners import (
    find_learner as find_learner,
)
from dialgauge.learn._losses import (
    BART_LOSSES as BART_LOSSES,
)
from dialgauge.learn._losses import (
    UNIEVAL_LOSSES as UNIEVAL_LOSSES,
)
from dialgauge.learn._metric import (
    predict as predict,
)
from dialgauge.learn._metric import (
    save_trained as save_trained,
)
from dialgauge.learn._ordinal import (
    ProportionalOdds as ProportionalOdds,
)
from dialgauge.learn._procedure import (
    Data as Data,
)
from dialgauge.learn._procedure import (
    LeakError as LeakError,
)
from dialgauge.learn._procedure import (
    Predicted as Predicted,
)
from dialgauge.learn._procedure import (
    Procedure as Procedure,
)
from dialgauge.learn._procedure import (
    Trial as Trial,
)
from dialgauge.learn._procedure import (
    check_leaks as check_leaks,
)
from dialgauge.learn._procedure import (
    procedure as procedure,
)
from dialgauge.learn._procedure import (
    search as search,
)
from dialgauge.learn._selection import (
    Selection as Selection,
)
from dialgauge.learn._selection import (
    select_features as select_features,
)
from dialgauge.learn._splits import (
    HIDES as HIDES,
)
from dialgauge.learn._splits import (
    SPLITS as SPLITS,
)
from dialgauge.learn._splits import (
    Fold as Fold,
)
from dialgauge.learn._splits import (
    Split as Split,
)
from dialgauge.learn._splits import (
    check_folds as check_folds,
)
from dialgauge.learn._splits import (
    make_folds as make_folds,
)
from dialgauge.learn._tables import (
    AugmentationTables as AugmentationTables,
)
from dialgauge.learn._tables import (
    TableOptions as TableOptions,
)
from dialgauge.learn._tables import (
    augmentation_tables as augmentation_tables,
)
from dialgauge.learn._tables import (
    check_ratings as check_ratings,
)
from dialgauge.learn._tables_published import (
    CLASSIFIERS as CLASSIFIERS,
)
from dialgauge.learn._tables_published import (
    MOST_FREQUENT as MOST_FREQUENT,
)
from dialgauge.learn._tables_published import (
    PAPER_FEATURES as PAPER_FEATURES,
)
from dialgauge.learn._tables_published import (
    gaps as gaps,
)
from dialgauge.learn._tables_published import (
    published_tables as published_tables,
)
from dialgauge.learn._tables_render import (
    ShownTable as ShownTable,
)
from dialgauge.learn._tables_render import (
    shown_tables as shown_tables,
)
from dialgauge.learn._tables_render import (
    tables_latex as tables_latex,
)
from dialgauge.learn._tables_render import (
    tables_markdown as tables_markdown,
)
from dialgauge.learn._tables_store import (
    TablesFolder as TablesFolder,
)
from dialgauge.learn._targets import (
    TASKS as TASKS,
)
from dialgauge.learn._targets import (
    Target as Target,
)
from dialgauge.learn._targets import (
    Task as Task,
)
from dialgauge.learn._targets import (
    build_target as build_target,
)
from dialgauge.learn._validate import (
    Validation as Validation,
)
from dialgauge.learn._validate import (
    build_data as build_data,
)
from dialgauge.learn._validate import (
    validate as validate,
)
