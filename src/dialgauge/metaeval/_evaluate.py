"""``evaluate_metrics``: the whole answer to "which metric agrees with people?" for a corpus and its scores."""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, Corpus
from dialgauge.errors import InputError
from dialgauge.metaeval._between import reference_effect
from dialgauge.metaeval._ceiling import HumanCeiling, human_ceiling
from dialgauge.metaeval._coefficient_parts import Unit
from dialgauge.metaeval._correlate import Correlations, correlate
from dialgauge.metaeval._directions import dimension_directions, oriented_ratings
from dialgauge.metaeval._items import NOTE, Items, find_items
from dialgauge.metaeval._leaders import LEADERS, leaders
from dialgauge.metaeval._perfect import disattenuated
from dialgauge.metaeval._score_table import ScoreTable
from dialgauge.metaeval._settings import CorrelationSettings, PairedSettings
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import (
    Aggregated,
    RatingPolicy,
    TreatedRatings,
    ordered_dimensions,
    treat_ratings,
    with_judgements_as_ratings,
    with_ordered_ratings,
)
from dialgauge.settings import chosen_pair, takes
from dialgauge.tables import FrameResult

#: The columns of the correlations against ratings without noise.
DISATTENUATED = pl.Schema(
    dict.fromkeys(("metric", "dimension", "level", "coefficient"), pl.String)
    | dict.fromkeys(("r", "perfect", "value", "low", "high"), pl.Float64)
)


@dataclass(frozen=True, slots=True)
class MetricEvaluation(FrameResult):
    """How well metrics correlate with the ratings of a corpus.

    ``treated`` and ``aggregated`` are the ratings that count. ``leaders`` lists, for each level, coefficient and
    dimension, the metrics that are not significantly worse than the best (empty with raw signs, where there is no
    best). ``ceiling`` is what one annotator reaches (None where no coefficient has one), ``references`` what changes
    when references count as systems (None where they were not scored and rated). ``notes`` say what was done otherwise
    than asked: rated variants of one system are correlated within dialogues and all together.
    """

    treated: TreatedRatings
    aggregated: Aggregated
    correlations: Correlations
    leaders: pl.DataFrame
    ceiling: HumanCeiling | None
    references: pl.DataFrame | None
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> pl.DataFrame:
        """The correlations."""
        return self.correlations.frame

    @property
    def disattenuated(self) -> pl.DataFrame:
        """Pearson correlations as they would be against ratings without noise, with what a perfect metric reaches."""
        if self.ceiling is None:
            return pl.DataFrame(schema=DISATTENUATED)
        key = ("dimension", "level", "coefficient")
        reached = self.ceiling.frame.select(*key, "perfect", "perfect_low", "perfect_high").drop_nulls("perfect")
        own = self.correlations.frame.select("metric", *key, "value", "low", "high").drop_nulls("value")
        both = own.join(reached, on=key, maintain_order="left")
        r, perfect = (
            tuple(both[name].fill_null(float("nan")).to_numpy() for name in names)
            for names in (("value", "low", "high"), ("perfect", "perfect_low", "perfect_high"))
        )
        found = disattenuated(r, perfect)  # type: ignore[arg-type]
        made = both.select("metric", *key, pl.col("value").alias("r"), "perfect").with_columns(
            pl.Series("value", found.value), pl.Series("low", found.low), pl.Series("high", found.high)
        )
        return made.with_columns(pl.col("value", "low", "high").fill_nan(None)).cast(dict(DISATTENUATED))  # type: ignore[arg-type]

    @property
    def ratings(self) -> pl.DataFrame:
        """The aggregated ratings: a row per summary, a column per dimension."""
        return self.aggregated.wide()


@with_bar
@takes(CorrelationSettings, RatingPolicy)
def evaluate_metrics(
    corpus: Corpus,
    scores: ScoreTable,
    settings: CorrelationSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    progress: Progress | None = None,
    **changes: Any,
) -> MetricEvaluation:
    """Treat the ratings of a corpus by ``policy`` and correlate its scores with them.

    This is what ``dialgauge correlate`` and the study file ask: correlations with intervals, the metrics that lead, the
    human ceiling and the effect of the references, all from the same ratings.
    """
    asked, policy = chosen_pair("evaluate_metrics", changes, (CorrelationSettings, settings), (RatingPolicy, policy))
    corpus = with_judgements_as_ratings(corpus.without_models())
    corpus, policy = with_ordered_ratings(corpus, policy), ordered_dimensions(corpus, policy)
    if policy.dimensions == ():
        raise InputError("name a dimension with an order: classes have none; evaluate_judgements has their labels")
    treated = treat_ratings(corpus.ratings, policy)
    aggregated = treated.aggregate()
    ratings = aggregated.wide()
    if asked.oriented:
        names = [name for name in ratings.columns if name not in KEY]
        ratings = oriented_ratings(ratings, dimension_directions(corpus, policy, names))
    references = sorted(corpus.references["system"].unique())
    shared: dict[str, Any] = {"references": references, "directions": scores.directions, "progress": progress}
    items = find_items(ratings, references)
    if items is not None:
        return _over_items(items, treated, aggregated, scores, ratings, asked, policy, shared)
    systems = None if scores.systems.is_empty() else scores.systems
    found = correlate(scores.frame, ratings, asked, systems=systems, **shared)
    asked = asked.model_copy(update={"role": found.settings["role"]})
    return MetricEvaluation(
        treated,
        aggregated,
        found,
        _leaders(found, scores.frame, scores.judging, ratings, asked, shared),
        _ceiling(treated, asked, policy, references),
        _reference_effect(found, scores, ratings, asked, references),
    )


def _over_items(
    items: Items,
    treated: TreatedRatings,
    aggregated: Aggregated,
    scores: ScoreTable,
    ratings: pl.DataFrame,
    asked: CorrelationSettings,
    policy: RatingPolicy,
    shared: dict[str, Any],
) -> MetricEvaluation:
    """The same for rated variants of one system, each of which is an item of its dialogue."""
    asked = items.asked(asked)
    frame, values = items.renamed(scores.frame), items.renamed(ratings)
    shared = shared | {"references": []}
    found = correlate(frame, values, asked, **shared)
    asked = asked.model_copy(update={"role": found.settings["role"]})
    leading = _leaders(found, frame, scores.judging, values, asked, shared, unit="dialogues")
    checked = replace(treated, checked=items.renamed(treated.checked))
    return MetricEvaluation(treated, aggregated, found, leading, _ceiling(checked, asked, policy, []), None, (NOTE,))


def _leaders(
    found: Correlations,
    scores: pl.DataFrame,
    judging: list[str],
    ratings: pl.DataFrame,
    asked: CorrelationSettings,
    shared: dict[str, Any],
    unit: Unit = "systems",
) -> pl.DataFrame:
    if not asked.oriented:
        return pl.DataFrame(schema=LEADERS)
    return leaders(found.frame, scores, ratings, asked.subset(PairedSettings), metrics=judging, unit=unit, **shared)


def _ceiling(
    treated: TreatedRatings, asked: CorrelationSettings, policy: RatingPolicy, references: list[str]
) -> HumanCeiling | None:
    """Annotators are measured without cleaning, which removes disagreement and would make the ceiling too high."""
    among = tuple(name for name in asked.coefficients if name != "soft_pairwise_accuracy")
    if not among:
        return None
    asked = asked.model_copy(update={"coefficients": among})
    return human_ceiling(treated.checked, asked, policy, references=references)


def _reference_effect(
    found: Correlations, scores: ScoreTable, ratings: pl.DataFrame, asked: CorrelationSettings, references: list[str]
) -> pl.DataFrame | None:
    rated = set(found.systems if asked.with_references else ratings["system"]) & set(scores.frame["system"])
    if not rated & set(references):
        return None
    systems = None if scores.systems.is_empty() else scores.systems
    return reference_effect(
        scores.frame, ratings, asked, references=references, directions=scores.directions, systems=systems
    )
