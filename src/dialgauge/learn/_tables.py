"""Tables 5 and 6 of "Tweak to Trust": classifiers on metric scores, trained without and with variants.

Patel, Agrawal and Kumar 2024 hold out a random quarter. Here the split is explicit, and the variants of a summary are
always on the side of their original.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray
from dialgauge.corpus import KEY, ORIGINAL, Corpus
from dialgauge.errors import InputError, counted
from dialgauge.learn._augment import ITEM, Augmented, draw_most, has_no_variants, prior_means
from dialgauge.learn._extrapolate import Extrapolated, extrapolate
from dialgauge.learn._features import FeatureTable, build_features
from dialgauge.learn._finetune_data import target_ratings
from dialgauge.learn._learners import Recipe, find_learner
from dialgauge.learn._procedure import Data
from dialgauge.learn._settings import CONDITIONS, TableSettings, VariantSettings
from dialgauge.learn._splits import Fold, find_split, make_folds
from dialgauge.learn._tables_cells import TABLES, Cells
from dialgauge.learn._tables_gaps import MOST_FREQUENT, gaps
from dialgauge.learn._targets import Target, build_target
from dialgauge.learn._validate import build_data
from dialgauge.metrics import Scores
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import RatingPolicy, Scale
from dialgauge.settings import chosen_pair, takes

#: The table of the paper for each training set.
TABLE_OF: Mapping[str, str] = {ORIGINAL: "Table 5", "original+domain": "Table 6"}
_TYPES = ("dimension", "perturbation", "family", "ratings", "mean", "assigned", "origin")


@dataclass(frozen=True, slots=True)
class AugmentationTables:
    """Accuracies of classifiers on held-out summaries.

    ``frame`` has a row per condition, dimension, classifier and set (``original`` or a family): the accuracy with its
    interval, the difference to the originals with its interval, how many summaries, and where their ratings come from.
    ``types`` says for each kind of perturbation how many of it were rated, their mean, and the class that the others
    were given. ``notes`` has remarks on the numbers.
    """

    frame: pl.DataFrame
    types: pl.DataFrame
    notes: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gaps(self) -> pl.DataFrame:
        """What training on variants changes; see :func:`dialgauge.learn.gaps`."""
        return gaps(self.frame)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "settings": dict(self.settings),
            "notes": list(self.notes),
            "rows": self.frame.to_dicts(),
            "gaps": self.gaps.to_dicts(),
            "types": self.types.to_dicts(),
        }


@dataclass(frozen=True, slots=True)
class _Dimension:
    """Everything of one dimension: originals, and variants with the position of the original that each belongs to."""

    data: Data
    variants: pl.DataFrame
    X: FloatArray
    tested: Extrapolated
    ratings: pl.DataFrame
    scale: Scale
    priors: Mapping[str, float] | None


@with_bar
@takes(TableSettings, RatingPolicy)
def augmentation_tables(
    augmented: Augmented,
    scores: Scores,
    settings: TableSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    progress: Progress | None = None,
    **changes: Any,
) -> AugmentationTables:
    """Train each classifier under each condition, and test it on held-out originals and variants.

    ``scores`` has the originals and the variants. The classifiers have their default settings, so that nothing is
    chosen with a look at what is tested.
    """
    options, policy = chosen_pair("augmentation_tables", changes, (TableSettings, settings), (RatingPolicy, policy))
    table = build_features(augmented.corpus, scores)
    steps = len(options.dimensions) * len(options.conditions) * len(options.classifiers)
    cells: list[dict[str, Any]] = []
    types: list[pl.DataFrame] = []
    counts: dict[str, dict[str, Any]] = {}
    done = 0
    for name in options.dimensions:
        part = _dimension(augmented, table, name, options, policy)
        folds = make_folds(options.split, part.data.keys, folds=options.folds, seed=options.seed)
        _require_ratings(part, augmented, options, name)
        gathered = Cells.of(part.data, part.tested.frame, part.variants, options.families)
        gathered = gathered.with_draws(options)
        for condition in options.conditions:
            trained = [_rows(part, fold, condition, options) for fold in folds]
            for classifier in (*options.classifiers, MOST_FREQUENT):
                if progress and classifier != MOST_FREQUENT:
                    progress(f"{name}: {classifier} on {condition}", done, steps)
                    done += 1
                said = gathered.empty()
                for fold, (X, y) in zip(folds, trained, strict=True):
                    _predict(said, part, fold, _fitted(classifier, part.data.target, options.seed, X, y))
                cells += [
                    {"condition": condition, "dimension": name, "classifier": classifier, **cell}
                    for cell in gathered.judge(said)
                ]
        types.append(_types(part.tested, augmented.families, name))
        counts[name] = {
            "originals": len(part.data.y),
            "variants": part.tested.frame.height,
            "without a rating": part.variants.height - part.tested.frame.height,
            "classes": list(part.data.target.levels),
        }
    if progress:
        progress("done", steps, steps)
    frame = pl.DataFrame(cells, schema=TABLES)
    found = pl.concat(types)
    facts = {
        "corpus": augmented.corpus.info.name,
        "ratings_origin": augmented.corpus.info.ratings_origin,
        "features": list(table.names),
        "missing": {key: count for key, count in table.missing.items() if count},
        "summaries": counts,
        "variants_made_here": augmented.made,
        "variants_declined": augmented.declined,
        "recipes": {name: dict(find_learner(name).grid[0]) for name in options.classifiers},
        **options.model_dump(mode="json", exclude=set(VariantSettings.model_fields)),
        "variants": options.subset(VariantSettings).model_dump(mode="json"),
        "method": policy.aggregate,
        "scale": policy.scale,
    }
    notes = (*_notes(augmented.corpus, options, found, counts), *_no_better(frame))
    return AugmentationTables(frame, found, notes, facts)


def _dimension(
    augmented: Augmented, table: FeatureTable, name: str, options: TableSettings, policy: RatingPolicy
) -> _Dimension:
    corpus = augmented.corpus
    ratings, scale = target_ratings(corpus, name, policy)
    if not scale.points:
        raise InputError(f"dimension {name!r}: classifiers need classes, but the scale {scale.name!r} has no points")
    target = _target(corpus, name, options, policy)
    data = build_data(table, target)
    owners = data.keys.select(ITEM).with_row_index("owner")
    variants = augmented.variants.join(owners, on=list(ITEM), how="inner", maintain_order="left")
    unscored = variants.join(table.frame, on=list(KEY), how="anti")
    if unscored.height:
        key = " / ".join(unscored.select(KEY).row(0))
        raise InputError(f"no scores for {counted(unscored.height, 'variant')} (first: [{key}]); score them as well")
    priors = prior_means(name) if options.priors else None
    # For testing, given ratings are used unchanged; only unrated variants get an assigned one.
    tested = extrapolate(variants, ratings, scale, rounding=options.rounding, priors=priors, seed=options.seed)
    return _Dimension(data, variants, table.rows(variants).matrix(), tested, ratings, scale, priors)


def _target(corpus: Corpus, name: str, options: TableSettings, policy: RatingPolicy) -> Target:
    """The ratings of originals, as classes."""
    rows = corpus.summaries.filter(pl.col("variant") == ORIGINAL)
    if not options.include_references:
        rows = rows.filter(pl.col("kind") == "system")
    rated = corpus.ratings.filter(pl.col("dimension") == name).join(rows, on=list(KEY), how="semi")
    if rated.is_empty():
        raise InputError(f"dimension {name!r}: no original summary of a system has a rating")
    return build_target(rated, name, policy, task="classes")


def check_ratings(corpus: Corpus, options: TableSettings, policy: RatingPolicy | None = None) -> None:
    """Raise an error before any variant is made or scored if the tables cannot be computed."""
    policy = policy or RatingPolicy()
    for name in options.dimensions:
        target_ratings(corpus, name, policy)
        _target(corpus, name, options, policy)
        if options.priors:
            prior_means(name)
        elif has_no_variants(corpus):
            raise _no_rating(options.needed[0], name)


def _require_ratings(part: _Dimension, augmented: Augmented, options: TableSettings, name: str) -> None:
    rated = {augmented.families[label] for label in part.tested.types["perturbation"]}
    for family in options.needed:
        if family not in rated:
            raise _no_rating(family, name)


def _no_rating(family: str, dimension: str) -> InputError:
    return InputError(
        f"no variant of the family {family!r} has a rating on {dimension!r}: rate some (the paper rated 25 of each "
        "kind), or use the published means of another corpus with --priors"
    )


def _rows(part: _Dimension, fold: Fold, condition: str, options: TableSettings) -> tuple[FloatArray, FloatArray]:
    """The training rows: the originals of the fold and, depending on the condition, their variants.

    The ratings of variants are assigned from ratings on this side of the split alone.
    """
    families = [name for name in CONDITIONS[condition] if name != ORIGINAL]
    X, y = part.data.X[fold.train], part.data.y[fold.train]
    if not families:
        return X, y
    wanted = part.variants.with_row_index("row").filter(
        pl.col("owner").is_in(fold.train.tolist()), pl.col("family").is_in(families)
    )
    learnt = extrapolate(
        wanted,
        part.ratings,
        part.scale,
        rounding=options.rounding,
        annotated=options.annotated,
        priors=part.priors,
        seed=options.seed,
    )
    rated = wanted.join(learnt.frame.select(*KEY, "value"), on=list(KEY), how="inner", maintain_order="left")
    rated = draw_most(rated, options.most, options.seed)
    if rated.is_empty():
        raise InputError(
            f"dimension {part.data.target.dimension!r}, fold {fold.name}: no variant to train on has a rating; "
            "rate more of them, or use the published means with --priors"
        )
    return np.vstack([X, part.X[rated["row"].to_list()]]), np.concatenate([y, rated["value"].to_numpy()])


class _MostFrequent:
    """Always predicts the most frequent class of its training rows (the lower one of two)."""

    def __init__(self, target: Target, y: FloatArray) -> None:
        classes, counts = np.unique(target.classes(y), return_counts=True)
        self.constant = float(classes[np.argmax(counts)])

    def classes(self, x: FloatArray) -> FloatArray:
        return np.full(len(x), self.constant)


def _fitted(classifier: str, target: Target, seed: int, x: FloatArray, y: FloatArray) -> Any:
    if classifier == MOST_FREQUENT:
        return _MostFrequent(target, y)
    return Recipe.build(classifier, target, seed=seed).fit(x, y)


def _predict(said: tuple[FloatArray, FloatArray], part: _Dimension, fold: Fold, fitted: Any) -> None:
    """Fill in the predictions for the held-out originals and their variants."""
    originals, variants = said
    originals[fold.test] = fitted.classes(part.data.X[fold.test])
    rows = np.flatnonzero(np.isin(part.variants["owner"].to_numpy(), fold.test))
    if len(rows):
        variants[rows] = fitted.classes(part.X[rows])


def _types(tested: Extrapolated, families: Mapping[str, str], dimension: str) -> pl.DataFrame:
    family = pl.col("perturbation").replace_strict(dict(families), return_dtype=pl.String)
    return tested.types.with_columns(pl.lit(dimension).alias("dimension"), family.alias("family")).select(_TYPES)


def _notes(
    corpus: Corpus, options: TableSettings, types: pl.DataFrame, counts: Mapping[str, Mapping[str, Any]]
) -> tuple[str, ...]:
    """Remarks on the numbers, one sentence each."""
    notes = [f"Split {options.split!r}: {find_split(options.split).hides} Variants are on the side of their original."]
    if corpus.info.ratings_origin == "constructed":
        notes.append("The ratings of the originals were constructed by a program, not given by people.")
    origins = set(types["origin"])
    if "priors" in origins:
        labels = types.filter(pl.col("origin") == "priors")["perturbation"].n_unique()
        notes.append(
            f"{labels} kinds of perturbation have no rating here: they have published means of another corpus (scale "
            "1-7, rescaled to this one)."
        )
    if origins:
        notes.append(
            f"Variants that nobody rated have the class of their kind (rounding {options.rounding!r}): what "
            "that only recognises the kind scores well, and one that detects differences within a kind is marked wrong."
        )
    lost = {name: count["without a rating"] for name, count in counts.items() if count["without a rating"]}
    if lost:
        shown = ", ".join(f"{count:,} for {name}" for name, count in lost.items())
        notes.append(f"Variants skipped because their kind has no rating: {shown}.")
    return tuple(notes)


def _no_better(frame: pl.DataFrame) -> tuple[str, ...]:
    """How often a classifier is not better than always predicting the most frequent class."""
    cells = ["condition", "dimension", "set"]
    constant = frame.filter(pl.col("classifier") == MOST_FREQUENT).select(*cells, constant="accuracy")
    held = frame.filter(pl.col("classifier") != MOST_FREQUENT).join(constant, on=cells, how="left")
    count = held.filter(pl.col("accuracy") <= pl.col("constant")).height
    if not count:
        return ()
    return (
        f"In {count} of {held.height} cells a classifier is not better than always predicting the most frequent class.",
    )
