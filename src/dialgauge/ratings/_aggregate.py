"""Aggregation: from the ratings of several annotators to one value per summary and dimension."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.corpus import KEY, RATING_KEY
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.ratings._frame import UNIT, select_dimensions, show_key
from dialgauge.ratings._rater_model import rater_model
from dialgauge.ratings._scales import INVALID, Scale, normalise, scale_of, validate
from dialgauge.ratings._settings import MODEL_METHODS, OnInvalid, RatingPolicy
from dialgauge.settings import takes

#: The dimension that holds the mean of all others.
OVERALL_DIMENSION = "overall"

_CELL = (*KEY, "dimension")


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One value per summary and dimension.

    ``frame`` is long: the key, ``dimension``, ``value``, ``ratings`` (how many values went in), ``sentences`` (how many
    sentences were averaged; null for ratings of whole summaries), ``sd`` (the standard deviation of a value that a
    model of the raters made; else null) and, where the value is null, the ``reason``.
    ``invalid`` lists the ratings that their scale does not allow, which ``on_invalid`` kept or dropped.
    """

    frame: pl.DataFrame
    method: str
    invalid: pl.DataFrame
    on_invalid: OnInvalid

    @property
    def dimensions(self) -> list[str]:
        """The dimensions, sorted."""
        return sorted(self.frame["dimension"].unique())

    def wide(self) -> pl.DataFrame:
        """A row per summary, a column per dimension."""
        wide = self.frame.pivot("dimension", index=list(KEY), values="value", sort_columns=True)
        return wide.select(*KEY, *self.dimensions).sort(KEY)

    def system_means(self) -> pl.DataFrame:
        """The mean of every dimension for each system, in a row per system, variant and role."""
        by_system = ("system", "variant", "role")
        return self.wide().group_by(by_system).agg(pl.col(self.dimensions).mean()).sort(by_system)


@takes(RatingPolicy)
def aggregate(
    ratings: pl.DataFrame,
    method: str | None = None,
    settings: RatingPolicy | None = None,
    *,
    normalised: bool = False,
    overall: bool = False,
    scales: Iterable[Scale] = (),
    **changes: Any,
) -> Aggregated:
    """One value per summary and dimension from the ratings of all annotators.

    ``method`` (or ``aggregate`` of the policy):

    - ``"mean"`` (the default), ``"median"``.
    - ``"majority-or-mean"``: the value that most annotators gave, if at least two gave it and no other value was given
      as often; otherwise the mean of all (DialSummEval).
    - ``"majority"``: the value given most often. Where several are, ``ties`` decides among these: the ``"lowest"``, the
      ``"highest"``, their ``"mean"``, or none (``"null"``).
    - ``"model"``: what an average rater is expected to give, under a model of how severe and how reliable each rater is
      (:func:`rater_model`); on categorical scales the most likely label. ``"dawid-skene"`` and ``"mace"`` are the two
      models of labels. ``sd`` is the standard deviation of these values.
    - ``"annotator:NAME"``: the ratings of one annotator, such as an expert.

    Ratings of single sentences are aggregated sentence by sentence, then averaged over the sentences of the summary.
    ``normalised`` maps every rating to 0–1 by its scale first; ``overall`` adds the dimension "overall", the mean of
    the others, null where one of them is. A value off its scale is dropped and listed unless ``on_invalid`` says
    otherwise ("keep" is what studies did that averaged a saved-but-unset 0). Cleaning is not done here: see
    :func:`treat_ratings`.
    """
    policy = RatingPolicy.chosen(settings, changes | ({"aggregate": method} if method else {}), "aggregate")
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    wanted = None if policy.dimensions is None else list(policy.dimensions)
    every = select_dimensions(ratings, wanted)
    used = select_dimensions(checked.ratings, wanted)
    if normalised:
        used = normalise(used, scales=scales)
    _refuse_mixed_units(every)
    _refuse_mixed_scales(used, scales)
    per_unit = (
        _by_model(used, policy, scales)
        if policy.aggregate in MODEL_METHODS
        else _per_unit(used, policy.aggregate, policy.ties).with_columns(pl.lit(None, dtype=pl.Float64).alias("sd"))
    )
    frame = _per_summary(every.select(_CELL).unique(), per_unit)
    if overall:
        frame = _with_overall(frame, used, scales)
    invalid = checked.invalid.join(every.select(_CELL).unique(), on=_CELL, how="semi").select(INVALID.names())
    name = policy.aggregate if policy.aggregate != "majority" else f"majority:{policy.ties}"
    return Aggregated(frame.sort(_CELL), name, invalid, policy.on_invalid)


def _refuse_mixed_units(ratings: pl.DataFrame) -> None:
    whole = pl.col("sentence").is_null()
    mixed = ratings.group_by(_CELL, maintain_order=True).agg(whole.any().alias("whole"), whole.all().alias("only"))
    mixed = mixed.filter(pl.col("whole") & ~pl.col("only"))
    if mixed.height:
        key = show_key(mixed.row(0, named=True), _CELL)
        raise InputError(
            f"ratings: [{key}] was rated as a whole and by sentence on the same dimension; give the two different names"
        )


def _refuse_mixed_scales(ratings: pl.DataFrame, scales: Iterable[Scale]) -> None:
    for (dimension,), part in ratings.group_by("dimension", maintain_order=True):
        try:
            scale_of(part, scales)
        except InputError as error:
            raise InputError(f"dimension {dimension!r}: {error}") from error


def _per_unit(ratings: pl.DataFrame, method: str, ties: str) -> pl.DataFrame:
    """The units with a value: ``value``, ``ratings``; ``tied`` where a majority vote ended without a winner."""
    # Sorted, so that floating-point sums do not depend on the order in which the ratings came.
    given = ratings.drop_nulls("value").sort(RATING_KEY)
    if method.startswith("annotator:"):
        given = _of_annotator(ratings, given, method.removeprefix("annotator:"))
    groups = given.group_by(UNIT, maintain_order=True)
    if not method.startswith("majority"):
        value = pl.col("value").median() if method == "median" else pl.col("value").mean()
        return groups.agg(value, pl.len().alias("ratings")).with_columns(pl.lit(False).alias("tied"))
    winners = pl.col("winners")
    voted = groups.agg(pl.col("value").mean(), pl.len().alias("ratings"), pl.col("value").mode().alias("winners"))
    is_clear = winners.list.len() == 1
    if method == "majority-or-mean":
        # A single winner among several ratings has two votes at least: with one vote each, all of them would win.
        value, is_tied = pl.col("value"), pl.lit(False)
    else:
        rules = {"lowest": winners.list.min(), "highest": winners.list.max(), "mean": winners.list.sort().list.mean()}
        value, is_tied = rules.get(ties, pl.lit(None, dtype=pl.Float64)), ~is_clear & (ties == "null")
    decided = pl.when(is_clear).then(winners.list.first()).otherwise(value)
    return voted.with_columns(decided.alias("value"), is_tied.alias("tied")).select(*UNIT, "value", "ratings", "tied")


def _by_model(ratings: pl.DataFrame, policy: RatingPolicy, scales: tuple[Scale, ...]) -> pl.DataFrame:
    """The same as :func:`_per_unit` from a model of the raters."""
    kind = None if policy.aggregate == "model" else policy.aggregate
    items = rater_model(ratings, kind=kind, on_invalid="keep", scales=scales).items
    return items.select(*UNIT, "value", "ratings", pl.lit(False).alias("tied"), "sd")


def _of_annotator(ratings: pl.DataFrame, given: pl.DataFrame, name: str) -> pl.DataFrame:
    known = ratings["annotator"].unique().to_list()
    if name not in known:
        raise UnknownNameError("annotator", name, known)
    return given.filter(pl.col("annotator") == name)


def _per_summary(cells: pl.DataFrame, per_unit: pl.DataFrame) -> pl.DataFrame:
    """Every summary and dimension that was ever rated; those without a value say why."""
    summaries = per_unit.group_by(_CELL, maintain_order=True).agg(
        pl.col("value").mean(),
        pl.col("ratings").sum(),
        pl.when(pl.col("sentence").is_not_null().any())
        .then(pl.col("value").is_not_null().sum())
        .cast(pl.Int32)
        .alias("sentences"),
        pl.col("tied").any(),
        # Of a mean over sentences, whose values are independent given the raters.
        pl.when(pl.col("sd").is_not_null().all()).then(pl.col("sd").pow(2).sum().sqrt() / pl.len()).alias("sd"),
    )
    joined = cells.join(summaries, on=_CELL, how="left").with_columns(pl.col("ratings").fill_null(0).cast(pl.UInt32))
    tied = pl.col("tied").fill_null(False)
    return joined.with_columns(
        pl.when(pl.col("value").is_not_null())
        .then(None)
        .when(tied)
        .then(pl.lit("the vote is tied"))
        .otherwise(pl.lit("no valid rating"))
        .alias("reason")
    ).drop("tied")


def _with_overall(frame: pl.DataFrame, used: pl.DataFrame, scales: Iterable[Scale]) -> pl.DataFrame:
    if OVERALL_DIMENSION in frame["dimension"]:
        raise InputError(
            f"ratings: a dimension is already called {OVERALL_DIMENSION!r}; rename it, or leave out overall"
        )
    try:
        scale_of(used, scales)
    except InputError as error:
        raise InputError(f"overall: {error} (normalised=True does)") from error
    dimensions = sorted(frame["dimension"].unique())
    present = pl.col("dimension").filter(pl.col("value").is_not_null())
    overall = (
        frame.sort(_CELL)
        .group_by(KEY, maintain_order=True)
        .agg(
            pl.col("value").mean().alias("mean"),
            pl.col("ratings").sum(),
            pl.lit(dimensions).list.set_difference(present.implode()).list.sort().list.join(", ").alias("absent"),
        )
        .with_columns(
            pl.lit(OVERALL_DIMENSION).alias("dimension"),
            pl.when(pl.col("absent") == "").then("mean").alias("value"),
            pl.lit(None, dtype=pl.Int32).alias("sentences"),
            pl.lit(None, dtype=pl.Float64).alias("sd"),
            pl.when(pl.col("absent") != "").then(pl.lit("no value for ") + pl.col("absent")).alias("reason"),
        )
    )
    return pl.concat([frame, overall.select(frame.columns)])
