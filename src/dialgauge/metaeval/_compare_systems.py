"""``compare_systems``: which of two systems is better, by each metric and by each dimension that people rated."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from dialgauge.corpus import KEY, OVERALL, Corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.metaeval._directions import dimension_directions
from dialgauge.metaeval._names import FloatArray, IntArray
from dialgauge.metaeval._pairs import pair_indices
from dialgauge.metaeval._rater_interval import MeanDifferences, mean_differences, pairs_over_raters
from dialgauge.metaeval._settings import SystemComparisonSettings
from dialgauge.metaeval._system_pairs import pair_systems
from dialgauge.metaeval._tests import adjust_p_values
from dialgauge.metaeval._unpaired import UnpairedSystems, unpaired_systems
from dialgauge.progress import Progress, with_bar
from dialgauge.ratings import (
    RatingPolicy,
    classes_without_order,
    treat_ratings,
    with_judgements_as_ratings,
    with_ordered_ratings,
)
from dialgauge.settings import chosen_pair, takes
from dialgauge.tables import FrameResult

if TYPE_CHECKING:
    from dialgauge.metaeval._score_table import ScoreTable

#: One row of :attr:`SystemComparison.frame`.
SYSTEM_COMPARISON = pl.Schema(
    {
        "kind": pl.String,
        "name": pl.String,
        "direction": pl.String,
        "system": pl.String,
        "other": pl.String,
        "mean": pl.Float64,
        "other_mean": pl.Float64,
        "difference": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p_value": pl.Float64,
        "p_corrected": pl.Float64,
        "p_floor": pl.Float64,
        "effect": pl.Float64,
        "wins": pl.Int64,
        "ties": pl.Int64,
        "losses": pl.Int64,
        "dialogues": pl.Int64,
        "low_other_raters": pl.Float64,
        "high_other_raters": pl.Float64,
        "p_other_raters": pl.Float64,
        "p_other_raters_corrected": pl.Float64,
        "raters": pl.Int64,
        "better": pl.String,
        "better_other_raters": pl.String,
        "reason": pl.String,
        "design": pl.String,
    }
)
#: One row of :attr:`SystemComparison.agreement`.
SAME_WINNER = pl.Schema(
    {
        "metric": pl.String,
        "dimension": pl.String,
        "system": pl.String,
        "other": pl.String,
        "metric_better": pl.String,
        "people_better": pl.String,
        "agree": pl.String,
    }
)
#: What stands in ``better`` where no difference was shown.
NEITHER = "neither"
#: With more dialogues, Student's t test takes the place of swaps: both give the same p, and swaps would take minutes.
_MANY = 2000


@dataclass(frozen=True, slots=True)
class SystemComparison(FrameResult):
    """Every two systems, compared by each metric and each rated dimension on the dialogues that both summarised.

    ``frame`` has both means, their ``difference`` (system − other, in the units of the metric or scale) with the
    interval ``low`` … ``high`` over dialogues, the p-value of the paired test and the same corrected, the ``effect``
    (mean difference by the standard deviation of differences), and on how many dialogues ``system`` wins, ties and
    loses. For dimensions, ``low_other_raters`` … ``high_other_raters`` holds for raters like these, while ``low`` …
    ``high`` holds for these alone. ``better`` names the better system, or says ``neither`` (was shown); it is null for
    descriptive metrics. ``design`` is "unpaired" where fewer than half of the dialogues of either system have both
    values: then means are over all dialogues of each, interval and p-value are Welch's, the effect is in standard
    deviations that are pooled, and nothing is said about other raters.
    ``agreement`` says for each metric and dimension whether both name the same system: ``yes``, ``no`` (they name
    different ones), or which of them (``metric only``, ``people only``, ``neither``) shows a difference at all.
    """

    frame: pl.DataFrame
    agreement: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Measure:
    """A metric or dimension: a value per system and dialogue, and the single ratings behind it (none for metrics)."""

    kind: str
    name: str
    direction: str
    values: FloatArray
    single: FloatArray | None = None


@with_bar
@takes(SystemComparisonSettings, RatingPolicy)
def compare_systems(
    corpus: Corpus,
    scores: "ScoreTable | None" = None,
    settings: SystemComparisonSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    progress: Progress | None = None,
    **changes: Any,
) -> SystemComparison:
    """Test which of two systems is better: every pair, by each metric of ``scores`` and each rated dimension.

    The test swaps the two systems' values within dialogues (all ways where these are few, else ``resamples`` random
    ones), so a dialogue that is hard for both favours neither. Systems with values on different dialogues are compared
    by Welch's t-test. p-values are corrected over the pairs of each metric or
    dimension, unless told otherwise. Ratings are treated by ``policy``. References are compared only
    ``with_references``; metrics with one value per system cannot be tested and are left out. With a
    ``baseline``, each system is compared with that one only. Shares of comparisons won, best-worst points and penalties
    of marked errors are compared like ratings; classes without an order are not.
    """
    asked, policy = chosen_pair(
        "compare_systems", changes, (SystemComparisonSettings, settings), (RatingPolicy, policy)
    )
    measures, systems = _measures(corpus, scores, asked, policy)
    if asked.baseline is not None and asked.baseline not in systems:
        raise UnknownNameError("system", asked.baseline, systems)
    parts = []
    for done, measure in enumerate(measures):
        if progress:
            progress(measure.name, done, len(measures))
        parts.append(_pair_rows(measure, systems, asked))
    rows = pl.concat(parts)
    if asked.baseline is not None:
        rows = rows.filter((pl.col("system") == asked.baseline) | (pl.col("other") == asked.baseline))
    pairs = math.comb(len(systems), 2) if asked.baseline is None else len(systems) - 1
    frame = judged_pairs(rows, asked)
    used = asked.model_dump(mode="json") | {"systems": list(systems), "pairs": pairs}
    return SystemComparison(frame, _same_winner(frame), used)


def _measures(
    corpus: Corpus, scores: "ScoreTable | None", asked: SystemComparisonSettings, policy: RatingPolicy
) -> tuple[list[_Measure], list[str]]:
    """All that is compared, on the same systems and dialogues."""
    tables = []
    if scores is not None:
        tables.append(scores.frame)
    judged = with_judgements_as_ratings(corpus.without_models())
    corpus = with_ordered_ratings(judged, policy)
    rated = not corpus.ratings["value"].drop_nulls().is_empty()
    treated = treat_ratings(corpus.ratings, policy) if rated else None
    wide = treated.aggregate().wide() if treated else None
    if wide is not None:
        tables.append(wide)
    if not tables:
        raise InputError(_nothing(judged, policy))
    shared = set.intersection(*(set(frame["role"]) for frame in tables))
    role = only_role(shared) if asked.role is None else asked.role
    tables = [_here(frame, role, asked.variant) for frame in tables]
    systems = _systems(corpus, tables, asked)
    dialogues = sorted({name for frame in tables for name in frame["dialogue_id"]})
    places = _Places({name: k for k, name in enumerate(systems)}, {name: k for k, name in enumerate(dialogues)})
    found: list[_Measure] = []
    if scores is not None:
        names = [name for name in scores.frame.columns if name not in KEY]
        for name in _chosen("metric", names, asked.metrics):
            direction = scores.directions.get(name, "none")
            found.append(_Measure("metric", name, direction, places.matrix(tables[0], name)))
    if treated is not None and wide is not None:
        single = _here(treated.counted, role, asked.variant)
        names = [column for column in wide.columns if column not in KEY]
        ways = dimension_directions(corpus, policy, names)
        for name in names:
            direction = ways[name].better
            cube = places.cube(single.filter(pl.col("dimension") == name))
            found.append(_Measure("dimension", name, direction, places.matrix(tables[-1], name), cube))
    return found, systems


def _nothing(corpus: Corpus, policy: RatingPolicy) -> str:
    """Why there is nothing to compare systems by."""
    if classes := classes_without_order(corpus, policy):
        return (
            f"give scores to compare systems by, or say which way is better; {', '.join(classes)}: classes without an "
            "order name no better system ('dialgauge agreement' shows how often each system has which)"
        )
    return "nothing to compare systems by: the corpus has no ratings, and no scores were given"


def _here(frame: pl.DataFrame, role: str, variant: str) -> pl.DataFrame:
    return frame.filter(pl.col("role") == role, pl.col("variant") == variant)


def only_role(roles: Iterable[str]) -> str:
    """The role that is compared where none was chosen: the one that has summaries, or that of the whole dialogue."""
    roles = sorted(roles)
    if OVERALL in roles or not roles:
        return OVERALL
    if len(roles) > 1:
        raise InputError(f"several roles have summaries: {', '.join(roles)}; choose one (role=…, --role)")
    return roles[0]


def _systems(corpus: Corpus, tables: Sequence[pl.DataFrame], asked: SystemComparisonSettings) -> list[str]:
    references = set() if asked.with_references else set(corpus.references["system"])
    known = sorted({name for frame in tables for name in frame["system"]} - references)
    chosen = _chosen("system", known, asked.systems)
    if len(chosen) < 2:
        raise InputError(
            f"a comparison needs two systems; there {'is one, ' + repr(chosen[0]) if chosen else 'is none'}"
            + ("" if asked.with_references or not references else "; --with-references counts the references too")
        )
    return chosen


def _chosen(kind: str, known: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    for name in wanted or ():
        if name not in known:
            raise UnknownNameError(kind, name, known)
    return list(known if wanted is None else wanted)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where systems and dialogues stand in the matrices."""

    systems: Mapping[str, int]
    dialogues: Mapping[str, int]

    def matrix(self, frame: pl.DataFrame, column: str) -> FloatArray:
        """Systems × dialogues, NaN where there is no value."""
        values = np.full((len(self.systems), len(self.dialogues)), np.nan)
        known = frame.filter(pl.col("system").is_in(list(self.systems)), pl.col(column).cast(pl.Float64).is_finite())
        values[self._of(known, "system"), self._of(known, "dialogue_id")] = known[column].to_numpy()
        return values

    def cube(self, ratings: pl.DataFrame) -> FloatArray:
        """Systems × raters × dialogues; who rated a summary twice counts with the mean."""
        means = ratings.group_by("system", "dialogue_id", "annotator").agg(pl.col("value").mean())
        raters = {name: k for k, name in enumerate(means["annotator"].unique().sort())}
        values = np.full((len(self.systems), len(raters), len(self.dialogues)), np.nan)
        known = means.filter(pl.col("system").is_in(list(self.systems)), pl.col("value").is_not_null())
        who = known["annotator"].replace_strict(raters, return_dtype=pl.Int64).to_numpy()
        values[self._of(known, "system"), who, self._of(known, "dialogue_id")] = known["value"].to_numpy()
        return values

    def _of(self, frame: pl.DataFrame, column: str) -> IntArray:
        places = self.systems if column == "system" else self.dialogues
        return frame[column].replace_strict(places, return_dtype=pl.Int64).to_numpy()


def _pair_rows(measure: _Measure, systems: Sequence[str], asked: SystemComparisonSettings) -> pl.DataFrame:
    first, second = pair_indices(len(systems))
    many = measure.values.shape[1] > _MANY
    # With fewer, the smallest p that there can be would not survive the correction.
    permutations = max(asked.resamples, math.ceil(2 * len(first) / (1 - asked.confidence)))
    found = pair_systems(measure.values, measure.direction == "lower", 0 if many else permutations, asked.seed)
    within = mean_differences(found.difference, found.error, found.dialogues, asked.confidence, tested=many)
    beyond = None if measure.single is None else pairs_over_raters(measure.single, asked.confidence)
    names = np.array(systems, dtype=object)
    columns: dict[str, Any] = {
        "system": names[first].tolist(),
        "other": names[second].tolist(),
        "mean": found.mean,
        "other_mean": found.other_mean,
        "difference": within.value,
        "low": within.low,
        "high": within.high,
        "p_value": within.p_value if many else found.p_value,
        "p_floor": None if many else np.where(found.dialogues > 0, found.floor, np.nan),
        "effect": found.effect,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "dialogues": found.dialogues,
        "low_other_raters": beyond and beyond.low,
        "high_other_raters": beyond and beyond.high,
        "p_other_raters": beyond and beyond.p_value,
        "raters": beyond and beyond.units,
        "reason": _reasons(within, beyond),
        "design": "paired",
    }
    _put_unpaired(columns, unpaired_systems(measure.values, first, second, asked.confidence))
    made = pl.DataFrame(columns, strict=False).with_columns(
        pl.lit(measure.kind).alias("kind"),
        pl.lit(measure.name).alias("name"),
        pl.lit(measure.direction).alias("direction"),
    )
    schema = pl.DataFrame(schema=SYSTEM_COMPARISON)
    return (
        pl.concat([schema, made], how="diagonal_relaxed")
        .cast(SYSTEM_COMPARISON)
        .with_columns(pl.col(pl.Float64).fill_nan(None))
    )


def _put_unpaired(columns: dict[str, Any], found: UnpairedSystems) -> None:
    """Replace what is said of pairs of systems with values on different dialogues."""
    apart = found.apart
    if not apart.any():
        return
    for name in ("mean", "other_mean", "difference", "low", "high", "p_value", "effect"):
        columns[name] = np.where(apart, getattr(found, name), columns[name])
    for name in ("p_floor", "low_other_raters", "high_other_raters", "p_other_raters"):
        if columns[name] is not None:
            columns[name] = np.where(apart, np.nan, columns[name])
    for name in ("wins", "ties", "losses"):
        columns[name] = np.where(apart, 0, columns[name])
    untested = np.isnan(found.p_value)
    few = "a system has values on one dialogue only, or no value varies: no test"
    columns["reason"] = [
        (few if none else None) if unpaired else reason
        for unpaired, none, reason in zip(apart, untested, columns["reason"], strict=True)
    ]
    columns["design"] = np.where(apart, "unpaired", "paired").tolist()


def _reasons(within: MeanDifferences, beyond: MeanDifferences | None) -> list[str | None]:
    few = np.full(within.units.shape, None, dtype=object)
    if beyond is not None:
        few[beyond.units < 2] = "one rater: nothing can be said about other raters"
    few[within.units == 1] = "one dialogue has values for both systems: an interval needs two"
    few[within.units == 0] = "no dialogue has a value for both systems"
    return list(few.tolist())


def judged_pairs(frame: pl.DataFrame, asked: SystemComparisonSettings) -> pl.DataFrame:
    """With corrected p-values, and the better system of each row."""
    frame = frame.with_columns(
        _corrected(frame, "p_value", asked).alias("p_corrected"),
        _corrected(frame, "p_other_raters", asked).alias("p_other_raters_corrected"),
    )
    first = (pl.col("difference") > 0) == (pl.col("direction") != "lower")
    winner = pl.when(first).then("system").otherwise("other")

    def better(column: str) -> pl.Expr:
        shown = pl.col(column).fill_null(1.0) <= 1 - asked.confidence + 1e-12
        return pl.when(shown).then(winner).otherwise(pl.lit(NEITHER))

    return frame.with_columns(
        pl.when(pl.col("direction") != "none").then(better("p_corrected")).alias("better"),
        pl.when(pl.col("p_other_raters").is_not_null())
        .then(better("p_other_raters_corrected"))
        .alias("better_other_raters"),
    )


def _corrected(frame: pl.DataFrame, column: str, asked: SystemComparisonSettings) -> pl.Series:
    """Corrected over the pairs of systems of each metric or dimension."""
    found: list[FloatArray] = []
    for _, part in frame.group_by("kind", "name", maintain_order=True):
        given = part[column].fill_null(math.nan).to_numpy()
        found.append(given if asked.correction == "none" else adjust_p_values(given.tolist(), asked.correction))
    return pl.Series(np.concatenate(found), dtype=pl.Float64, nan_to_null=True)


def _same_winner(frame: pl.DataFrame) -> pl.DataFrame:
    pair = ["system", "other"]
    metrics = frame.filter(pl.col("kind") == "metric", pl.col("better").is_not_null())
    people = frame.filter(pl.col("kind") == "dimension")
    both = metrics.select(pl.col("name").alias("metric"), *pair, pl.col("better").alias("metric_better")).join(
        people.select(pl.col("name").alias("dimension"), *pair, pl.col("better").alias("people_better")),
        on=pair,
        how="inner",
        maintain_order="left_right",
    )
    metric, person = pl.col("metric_better") != NEITHER, pl.col("people_better") != NEITHER
    said = (
        pl.when(metric & person)
        .then(pl.when(pl.col("metric_better") == pl.col("people_better")).then(pl.lit("yes")).otherwise(pl.lit("no")))
        .when(metric)
        .then(pl.lit("metric only"))
        .when(person)
        .then(pl.lit("people only"))
        .otherwise(pl.lit(NEITHER))
    )
    return both.with_columns(said.alias("agree")).select(SAME_WINNER.names())
