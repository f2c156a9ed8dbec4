"""Preferences, best-worst choices and marked spans as ratings, so that metrics can be correlated with them."""

from dataclasses import replace
from typing import Any, Literal

import polars as pl

from dialgauge.corpus import KEY, RATINGS, Corpus, Dimension
from dialgauge.ratings._best_worst import best_worst_ratings
from dialgauge.ratings._settings import JudgementSettings, RatingPolicy
from dialgauge.ratings._span_scores import span_scores
from dialgauge.settings import takes


@takes(JudgementSettings)
def with_judgements_as_ratings(corpus: Corpus, settings: JudgementSettings | None = None, **changes: Any) -> Corpus:
    """The corpus with ratings of its other judgements added; itself where it has none.

    - A preference gives each of the two summaries 1, 0 or (for a tie) ½: the rating is the share of comparisons won.
    - A best-worst choice gives 1, −1 or 0.
    - Marked spans of a dimension give three: ``DIMENSION penalty`` (weighted by severity), ``DIMENSION per 100 words``
      and ``DIMENSION any`` (yes or no); less is better on each.
    """
    asked = JudgementSettings.chosen(settings, changes, "with_judgements_as_ratings")
    added: list[pl.DataFrame] = []
    declared: list[Dimension] = []
    if corpus.preferences.height:
        added.append(_rated(_won(corpus.preferences), "0-1"))
        declared += _declare(added[-1], "higher")
    if corpus.choices.height:
        added.append(_rated(best_worst_ratings(corpus.choices), "best-worst"))
        declared += _declare(added[-1], "higher")
    if corpus.spans.height:
        scores = span_scores(corpus.spans, corpus.summaries, asked.severities)
        for column, label, scale in (
            ("penalty", "penalty", None),
            ("per_100_words", "per 100 words", None),
            ("errors", "any", "yes/no"),
        ):
            value = (pl.col("errors") > 0).cast(pl.Float64) if label == "any" else pl.col(column)
            named = scores.select(
                *KEY, "annotator", pl.format(f"{{}} {label}", "dimension").alias("dimension"), value.alias("value")
            )
            added.append(_rated(named, scale))
            declared += _declare(added[-1], "lower", "binary" if label == "any" else "interval")
    known = {one.name for one in corpus.declared}
    # A dimension that was rated as well keeps its ratings.
    fresh = [frame.filter(~pl.col("dimension").is_in(corpus.dimensions)) for frame in added]
    if not added:
        return corpus
    extra = tuple(one for one in declared if one.name not in known and one.name not in corpus.dimensions)
    kept = tuple(one for one in corpus.declared if one.kind not in ("preference", "best-worst"))
    gone = {one.name for one in corpus.declared} - {one.name for one in kept}
    extra += tuple(one for one in declared if one.name in gone)
    return replace(corpus, ratings=pl.concat([corpus.ratings, *fresh]), declared=(*kept, *extra))


def rated_and_judged(corpus: Corpus) -> list[str]:
    """The dimensions of ratings of which there are preferences or best-worst choices as well, under the same name."""
    others = {*corpus.preferences["dimension"], *corpus.choices["dimension"]}
    return sorted(others.intersection(corpus.dimensions))


def classes_without_order(corpus: Corpus, policy: RatingPolicy) -> list[str]:
    """The dimensions whose values are names without an order: no mean of their numbers says anything.

    Classes of which the policy, or somebody who declared them, says which way is better have an order.
    """
    said = {*policy.lower_is_better, *policy.higher_is_better}
    known = {name: corpus.dimension(name) for name in corpus.dimensions_of("nominal") if name not in said}
    return [name for name, one in known.items() if one.said_by not in ("user", "file") or one.direction == "none"]


def with_ordered_ratings(corpus: Corpus, policy: RatingPolicy) -> Corpus:
    """The corpus without ratings that are classes without an order."""
    without = classes_without_order(corpus, policy)
    return replace(corpus, ratings=corpus.ratings.filter(~pl.col("dimension").is_in(without))) if without else corpus


def ordered_dimensions(corpus: Corpus, policy: RatingPolicy) -> RatingPolicy:
    """The policy without the dimensions it names that are classes without an order; those have labels instead."""
    if policy.dimensions is None:
        return policy
    classes = {*classes_without_order(corpus, policy)}
    return policy.model_copy(update={"dimensions": tuple(name for name in policy.dimensions if name not in classes)})


def _won(preferences: pl.DataFrame) -> pl.DataFrame:
    """For each summary and annotator the share of comparisons won, a tie counting half."""
    sides = []
    for side, other in (("a", "b"), ("b", "a")):
        value = pl.when(pl.col("winner") == side).then(1.0).when(pl.col("winner") == other).then(0.0).otherwise(0.5)
        sides.append(
            preferences.select(
                "dialogue_id",
                pl.col(f"system_{side}").alias("system"),
                pl.col(f"variant_{side}").alias("variant"),
                "role",
                "annotator",
                "dimension",
                value.alias("value"),
            )
        )
    return pl.concat(sides).group_by(*KEY, "annotator", "dimension").agg(pl.col("value").mean()).sort(*KEY, "annotator")


def _rated(values: pl.DataFrame, scale: str | None) -> pl.DataFrame:
    filled = values.with_columns(
        pl.lit(scale, dtype=pl.String).alias("scale"),
        *(pl.lit(None, dtype=RATINGS[name]).alias(name) for name in ("sentence", "comment", "time")),
    )
    return filled.select(pl.col(name).cast(dtype) for name, dtype in RATINGS.items())


def _declare(ratings: pl.DataFrame, direction: Literal["higher", "lower"], kind: Any = "interval") -> list[Dimension]:
    scale = ratings["scale"][0] if ratings.height else None
    names = sorted(ratings["dimension"].unique())
    return [Dimension(name, kind, scale, (), direction, "file") for name in names]
