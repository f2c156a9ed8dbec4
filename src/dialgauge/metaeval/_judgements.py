"""Metrics against every kind of judgement that is not a rating on a scale: labels and preferences."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.metaeval._directions import dimension_directions
from dialgauge.metaeval._labels import LabelEvaluation, evaluate_labels
from dialgauge.metaeval._preference_accuracy import PreferenceAccuracy, preference_accuracy
from dialgauge.metaeval._score_table import ScoreTable
from dialgauge.metaeval._settings import LabelSettings
from dialgauge.ratings import RatingPolicy, class_names, treat_ratings, with_judgements_as_ratings
from dialgauge.settings import chosen_pair, takes

#: A dimension with more labels than this has no column for each.
_MOST_LABELS = 12


@dataclass(frozen=True, slots=True)
class JudgementEvaluation:
    """Metrics against the labels and the preferences of a corpus; None where it has none."""

    labels: LabelEvaluation | None
    preferences: PreferenceAccuracy | None

    def sentences(self) -> list[str]:
        """What was found, in a sentence per dimension."""
        return [line for part in (self.labels, self.preferences) if part is not None for line in part.sentences()]


@takes(LabelSettings, RatingPolicy)
def evaluate_judgements(
    corpus: Corpus,
    scores: ScoreTable,
    settings: LabelSettings | None = None,
    policy: RatingPolicy | None = None,
    **changes: Any,
) -> JudgementEvaluation:
    """How well metrics tell good from bad summaries, and how often they agree with preferences.

    Labels are the dimensions of yes and no (and "any error" of marked spans); preferences those of the corpus.
    """
    asked, policy = chosen_pair("evaluate_judgements", changes, (LabelSettings, settings), (RatingPolicy, policy))
    directions = dict(scores.directions)
    labels = summary_labels(corpus, policy)
    wanted = policy.dimensions
    compared = corpus.without_models().preferences
    if wanted is not None:
        compared = compared.filter(pl.col("dimension").is_in(list(wanted)))
    evaluated = None
    if labels is not None:
        starts = tuple(f"{name}: " for name in corpus.dimensions_of("nominal"))
        classes = frozenset(column for column in labels.columns if column.startswith(starts))
        evaluated = evaluate_labels(scores.frame, labels, asked, directions=directions, classes=classes)
    return JudgementEvaluation(
        evaluated,
        None if compared.is_empty() else preference_accuracy(scores.frame, compared, asked, directions=directions),
    )


def summary_labels(corpus: Corpus, policy: RatingPolicy | None = None) -> pl.DataFrame | None:
    """A row per summary and a column per binary dimension: true for good, false for bad, null for an even vote.

    Each summary has the label of most of its annotators; where sentences were labelled, a summary is good if all of
    them are. "Good" is yes, or no on a dimension of which less is better. A dimension of more than two names without an
    order has a column for each name; where sentences have them, it says whether the summary has a sentence of this
    name, or, where every summary has one, whether it has ``only`` such sentences. None where no dimension has labels.
    """
    policy = policy or RatingPolicy()
    corpus = with_judgements_as_ratings(corpus.without_models())
    kinds = {name: corpus.dimension(name) for name in corpus.dimensions}
    named = [name for name, one in kinds.items() if one.kind in ("binary", "nominal")]
    named = [name for name in named if policy.dimensions is None or name in policy.dimensions]
    if not named:
        return None
    rated = corpus.ratings.filter(pl.col("dimension").is_in(named))
    counted = treat_ratings(rated, policy.model_copy(update={"dimensions": None})).counted.drop_nulls("value")
    lower = {name for name, way in dimension_directions(corpus, policy, named).items() if way.better == "lower"}
    columns = [
        column
        for name in named
        for column in _columns(counted.filter(pl.col("dimension") == name), name, kinds[name], name in lower)
    ]
    if not columns:
        return None
    keys = counted.select(KEY).unique().sort(KEY)
    for column in columns:
        keys = keys.join(column, on=list(KEY), how="left", maintain_order="left")
    return keys


def _columns(part: pl.DataFrame, name: str, about: Any, lower: bool) -> list[pl.DataFrame]:
    if about.kind == "binary":
        return [_vote(part, pl.col("value") < 0.5 if lower else pl.col("value") > 0.5, name)]
    values = sorted(part["value"].unique())
    if len(values) > _MOST_LABELS:
        return []
    names = class_names(about, values)
    return [_class_column(part, pl.col("value") == value, name, label) for value, label in names.items()]


def _class_column(part: pl.DataFrame, own: pl.Expr, name: str, label: str) -> pl.DataFrame:
    """Whether a summary has this class; of sentences one is enough, unless that is true of all summaries."""
    if part["sentence"].null_count() == part.height:
        return _vote(part, own, f"{name}: {label}")
    having = _vote(part, own, f"{name}: {label}", enough=True)
    return _vote(part, own, f"{name}: only {label}") if having.to_series(-1).all() else having


def _vote(part: pl.DataFrame, good: pl.Expr, name: str, *, enough: bool = False) -> pl.DataFrame:
    """The majority of annotators for each sentence, then all sentences of a summary, or ``enough`` if one of them."""
    share = good.cast(pl.Float64).mean()
    units = part.group_by(*KEY, "sentence").agg(share.alias("share"))
    voted = units.with_columns(pl.when(pl.col("share") != 0.5).then(pl.col("share") > 0.5).alias("good"))
    # One bad sentence makes a summary bad, whatever the even votes would have been.
    found = pl.col("good").any(ignore_nulls=False) if enough else pl.col("good").all(ignore_nulls=False)
    return voted.group_by(KEY).agg(found.alias(name)).sort(KEY)
