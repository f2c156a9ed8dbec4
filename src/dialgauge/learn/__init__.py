"""Metrics that are trained on ratings: features, honest validation, and a folder that is a metric.

scikit-learn and skops (the extra ``learn``) are imported when something is fitted or loaded.
"""

from dialgauge.learn._augment import Augmented, add_variants, assign_ratings
from dialgauge.learn._card import Training, data_digest, train
from dialgauge.learn._conditions import CONDITIONS, Conditions, VariantOptions, run_conditions
from dialgauge.learn._explain import contributions, permutation_importance
from dialgauge.learn._extrapolate import Extrapolated, extrapolate, nearest_class
from dialgauge.learn._features import TEXT_FEATURES, FeatureTable, build_features
from dialgauge.learn._finetune import FINE_TUNABLE, FineTuned, fine_tunable, finetune, usual_settings
from dialgauge.learn._finetune_data import (
    RatedSplit,
    RatedSummary,
    rated_summaries,
    split_dialogues,
    target_ratings,
)
from dialgauge.learn._finetune_recipe import FineTuning
from dialgauge.learn._folder import (
    KINDS,
    Card,
    FeatureUse,
    Trained,
    find_folder,
    load_trained,
    named_folder,
    path_given,
    read_card,
    refuse_foreign,
    registry_folder,
    write_folder,
)
from dialgauge.learn._learners import AUTO, LEARNERS, Fitted, Learner, Recipe, candidates, find_learner
from dialgauge.learn._losses import BART_LOSSES, UNIEVAL_LOSSES
from dialgauge.learn._metric import predict, save_trained
from dialgauge.learn._ordinal import ProportionalOdds
from dialgauge.learn._procedure import (
    Data,
    LeakError,
    Predicted,
    Procedure,
    Trial,
    check_leaks,
    procedure,
    search,
)
from dialgauge.learn._selection import Selection, select_features
from dialgauge.learn._splits import HIDES, SPLITS, Fold, Split, check_folds, make_folds
from dialgauge.learn._tables import AugmentationTables, TableOptions, augmentation_tables, check_ratings
from dialgauge.learn._tables_published import CLASSIFIERS, MOST_FREQUENT, PAPER_FEATURES, gaps, published_tables
from dialgauge.learn._tables_render import ShownTable, shown_tables, tables_latex, tables_markdown
from dialgauge.learn._tables_store import TablesFolder
from dialgauge.learn._targets import TASKS, Target, Task, build_target
from dialgauge.learn._validate import Validation, build_data, validate

__all__ = [
    "AUTO",
    "BART_LOSSES",
    "CLASSIFIERS",
    "CONDITIONS",
    "FINE_TUNABLE",
    "HIDES",
    "KINDS",
    "LEARNERS",
    "MOST_FREQUENT",
    "PAPER_FEATURES",
    "SPLITS",
    "TASKS",
    "TEXT_FEATURES",
    "UNIEVAL_LOSSES",
    "AugmentationTables",
    "Augmented",
    "Card",
    "Conditions",
    "Data",
    "Extrapolated",
    "FeatureTable",
    "FeatureUse",
    "FineTuned",
    "FineTuning",
    "Fitted",
    "Fold",
    "LeakError",
    "Learner",
    "Predicted",
    "Procedure",
    "ProportionalOdds",
    "RatedSplit",
    "RatedSummary",
    "Recipe",
    "Selection",
    "ShownTable",
    "Split",
    "TableOptions",
    "TablesFolder",
    "Target",
    "Task",
    "Trained",
    "Training",
    "Trial",
    "Validation",
    "VariantOptions",
    "add_variants",
    "assign_ratings",
    "augmentation_tables",
    "build_data",
    "build_features",
    "build_target",
    "candidates",
    "check_folds",
    "check_leaks",
    "check_ratings",
    "contributions",
    "data_digest",
    "extrapolate",
    "find_folder",
    "find_learner",
    "fine_tunable",
    "finetune",
    "gaps",
    "load_trained",
    "make_folds",
    "named_folder",
    "nearest_class",
    "path_given",
    "permutation_importance",
    "predict",
    "procedure",
    "published_tables",
    "rated_summaries",
    "read_card",
    "refuse_foreign",
    "registry_folder",
    "run_conditions",
    "save_trained",
    "search",
    "select_features",
    "shown_tables",
    "split_dialogues",
    "tables_latex",
    "tables_markdown",
    "target_ratings",
    "train",
    "usual_settings",
    "validate",
    "write_folder",
]
