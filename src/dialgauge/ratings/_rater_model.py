"""A model of the raters: what each rated item is worth with its uncertainty, and how each rater rates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from dialgauge.arrays import FloatArray, IntArray
from dialgauge.corpus import KEY
from dialgauge.errors import ParameterError
from dialgauge.ratings._frame import UnitRatings, select_dimensions, unit_ratings
from dialgauge.ratings._rater_grid import CodedRatings, ItemBlocks
from dialgauge.ratings._rater_labels import LabelFit, fit_dawid_skene, fit_mace, prior_log_odds
from dialgauge.ratings._rater_ordinal import OrdinalFit, fit_ordinal
from dialgauge.ratings._scales import Scale, scale_of, validate
from dialgauge.ratings._settings import RaterModelSettings, RatingPolicy
from dialgauge.ratings._spammers import spammer_log_odds
from dialgauge.settings import chosen_pair, takes

#: The columns of the items.
RATED_ITEMS = pl.Schema(
    {
        **dict.fromkeys(KEY, pl.String),
        "sentence": pl.Int32,
        "dimension": pl.String,
        "value": pl.Float64,
        "sd": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "quality": pl.Float64,
        "quality_sd": pl.Float64,
        "probability": pl.Float64,
        "ratings": pl.UInt32,
    }
)
#: The columns of the raters.
RATER_PROFILES = pl.Schema(
    {
        "annotator": pl.String,
        "dimension": pl.String,
        "model": pl.String,
        "ratings": pl.UInt32,
        "severity": pl.Float64,
        "severity_error": pl.Float64,
        "discrimination": pl.Float64,
        "discrimination_error": pl.Float64,
        "ends": pl.Float64,
        "reliability": pl.Float64,
        "spammer": pl.Float64,
        "group": pl.Int64,
        "flag": pl.String,
    }
)
#: More distinct values than these (sliders) are put into as many classes of equal size as the second says.
_MOST_POINTS, _CLASSES = 30, 10
#: With fewer ratings a rater's profile is mostly what is expected of anybody.
_FEW = 10
#: How many standard deviations above zero agreement has to be.
_BEYOND_CHANCE = 2.33
#: From this share of all possible ratings on, a design counts as complete.
_NEARLY_ALL = 0.95


@dataclass(frozen=True, slots=True)
class RaterModel:
    """The items and raters of some ratings under a model.

    ``items`` has a row per rated unit (a summary, or a sentence of it, on a dimension): ``value``, on the scale, is the
    rating that an average rater is expected to give (under models of labels the mean of the points by their
    probability; on categorical scales and of classes the most likely one); ``sd`` is its standard deviation and
    ``low``–``high`` its interval; ``quality`` (with ``quality_sd``) is in standard deviations of items; ``probability``
    is that of the most likely label. ``raters`` has a row per rater and dimension: ``severity`` (above 0: gives fewer
    points), ``discrimination`` (near 0: ratings do not depend on the item; below 0: the scale is read backwards),
    ``ends`` (below 1: uses the ends of the scale more), ``reliability`` (of one rating; for labels: how often it is
    right), ``spammer`` (the probability that the ratings do not depend on what is rated), ``group`` (raters of
    different groups share no items, directly or through others, so their severities cannot be compared) and ``flag``. A
    row whose dimension is null has the probability from all dimensions together. ``notes`` say what should be known
    before any number is used.
    """

    items: pl.DataFrame
    raters: pl.DataFrame
    notes: tuple[str, ...]

    @property
    def spammers(self) -> list[str]:
        """The raters who are more likely spammers than not, over all dimensions together."""
        found = self.raters.filter(pl.col("flag") == "spammer")
        pooled = found.filter(pl.col("dimension").is_null())
        several = self.raters["dimension"].is_null().any()
        return sorted((pooled if several else found)["annotator"].unique())


@takes(RaterModelSettings, RatingPolicy)
def rater_model(
    ratings: pl.DataFrame,
    settings: RaterModelSettings | None = None,
    policy: RatingPolicy | None = None,
    *,
    scales: Iterable[Scale] = (),
    nominal: Iterable[str] = (),
    **changes: Any,
) -> RaterModel:
    """Fit a model of the raters to each dimension.

    ``kind`` is ``"ordinal"`` (severity, discrimination and use of the ends of each rater; the default),
    ``"dawid-skene"`` (a table of confusions per rater; the default on categorical scales) or ``"mace"`` (the share of
    labels that a rater guesses). Dimensions named in ``nominal`` are classes without an order, whatever their scale.
    Ratings off their scale are dropped unless ``on_invalid`` says otherwise.
    """
    asked, policy = chosen_pair("rater_model", changes, (RaterModelSettings, settings), (RatingPolicy, policy))
    scales, nominal = tuple(scales), set(nominal)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales).ratings
    used = select_dimensions(checked, None if policy.dimensions is None else list(policy.dimensions))
    parts = []
    for dimension in sorted(used["dimension"].unique()):
        part = used.filter(pl.col("dimension") == dimension).drop_nulls("value")
        if part.height:
            parts.append(_fit_dimension(part, dimension, asked, scales, dimension in nominal))
    items = [part.items for part in parts]
    raters = pl.concat([pl.DataFrame(schema=RATER_PROFILES), *(part.raters for part in parts)])
    if len(parts) > 1:
        raters = pl.concat([raters, _over_dimensions(parts)])
    notes = tuple(note for part in parts for note in part.notes)
    return RaterModel(pl.concat([pl.DataFrame(schema=RATED_ITEMS), *items]), raters, notes)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The results for a dimension; ``odds``: what its ratings say for each rater being a spammer, before the prior.

    None where raters do not agree beyond chance, so that nobody can be said to be one.
    """

    items: pl.DataFrame
    raters: pl.DataFrame
    notes: tuple[str, ...]
    odds: FloatArray | None
    prior: float


def _fit_dimension(
    ratings: pl.DataFrame, dimension: str, asked: RaterModelSettings, scales: tuple[Scale, ...], unordered: bool
) -> _Fitted:
    scale = scale_of(ratings, scales)
    are_labels = unordered or (scale is not None and scale.kind == "categorical")
    if unordered and asked.kind == "ordinal":
        reason = f"dawid-skene or mace: {dimension!r} has classes without an order"
        raise ParameterError("rater_model", "kind", reason, asked.kind)
    kind = asked.kind or ("dawid-skene" if are_labels else "ordinal")
    given = unit_ratings(ratings)
    coded = _coded(given)
    counts = np.bincount(coded.rater, minlength=coded.raters)
    frame = {
        "annotator": given.annotators,
        "dimension": [dimension] * coded.raters,
        "model": [kind] * coded.raters,
        "ratings": counts,
        "group": _groups(coded),
    }
    if len(coded.points) < 2:
        value = float(coded.points[0])
        same = {"value": value, "sd": 0.0, "low": value, "high": value}
        items = given.units.with_columns(
            *(pl.lit(number).alias(name) for name, number in same.items()), pl.Series("ratings", given.sizes)
        )
        note = f"{dimension}: all ratings are {value:g}, so nothing can be said of the raters"
        return _Fitted(_in(items, RATED_ITEMS), _in(pl.DataFrame(frame), RATER_PROFILES), (note,), None, 0.0)
    blocks = ItemBlocks(coded)
    fit: OrdinalFit | LabelFit
    if kind == "ordinal":
        fit = fit_ordinal(blocks)
        odds, prior = spammer_log_odds(fit)
        found = _qualities(blocks, fit, asked.confidence)
        frame |= _ordinal_profiles(fit)
    else:
        fit = fit_dawid_skene(blocks) if kind == "dawid-skene" else fit_mace(blocks, asked.seed)
        odds, prior = fit.spammer, prior_log_odds()
        found = _labels(blocks, fit, asked.confidence, are_labels)
        if unordered:
            found = {name: found[name] for name in ("value", "probability")}
        frame |= {"reliability": fit.reliability}
    agreeing = _agree(coded, unordered)
    if agreeing:
        frame |= {"spammer": _probability(odds + prior)}
    raters = _flagged(_in(pl.DataFrame(frame), RATER_PROFILES))
    items = _in(
        given.units.with_columns(pl.DataFrame(found)).with_columns(pl.Series("ratings", given.sizes)), RATED_ITEMS
    )
    notes = tuple(_notes(dimension, raters, given, fit.converged, agreeing, are_labels))
    return _Fitted(items, raters, notes, odds if agreeing else None, prior)


def _in(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """The frame with the columns of a schema; those it lacks are null."""
    absent = [pl.lit(None, dtype=kind).alias(name) for name, kind in schema.items() if name not in frame.columns]
    return frame.with_columns(absent).select(pl.col(name).cast(kind) for name, kind in schema.items())


def _coded(given: UnitRatings) -> CodedRatings:
    values = given.value
    points, code = np.unique(values, return_inverse=True)
    if len(points) > _MOST_POINTS:
        edges = np.unique(np.quantile(values, np.linspace(0, 1, _CLASSES + 1)[1:-1]))
        code = np.searchsorted(edges, values, side="right")
        _, code = np.unique(code, return_inverse=True)
        points = np.bincount(code, values) / np.bincount(code)
    return CodedRatings(given.unit, given.annotator, code, points, given.units.height, len(given.annotators))


def _groups(coded: CodedRatings) -> IntArray:
    """For each rater the number of the group of raters that items connect, from 1 on."""
    from scipy.sparse.csgraph import connected_components

    from dialgauge.ratings._values import sparse

    size = coded.raters + coded.items
    graph = sparse(np.ones(len(coded.item)), coded.rater, coded.raters + coded.item, (size, size))
    _, label = connected_components(graph, directed=False)
    return np.unique(label[: coded.raters], return_inverse=True)[1] + 1


def _qualities(blocks: ItemBlocks, fit: OrdinalFit, confidence: float) -> dict[str, FloatArray]:
    expected = fit.expected(blocks.coded.points)
    tail = (1 - confidence) / 2
    names = ("value", "sd", "low", "high", "quality", "quality_sd")
    found = {name: np.empty(blocks.coded.items) for name in names}
    for items, _, chances, _ in blocks.states(fit.table, fit.prior):
        value = chances @ expected
        found["value"][items] = value
        found["sd"][items] = np.sqrt(np.maximum(chances @ expected**2 - value**2, 0))
        quality = chances @ fit.qualities
        found["quality"][items] = quality
        found["quality_sd"][items] = np.sqrt(np.maximum(chances @ fit.qualities**2 - quality**2, 0))
        # A point of the grid stands for its surroundings: half of its probability lies below it.
        below = np.cumsum(chances, axis=1) - chances / 2
        for name, share in (("low", tail), ("high", 1 - tail)):
            found[name][items] = np.interp(_crossing(below, share), np.arange(len(expected)), expected)
    return found


def _crossing(below: FloatArray, share: float) -> FloatArray:
    """Where each row, which rises, reaches the share: a place between columns."""
    after = np.clip((below < share).sum(axis=1), 1, below.shape[1] - 1)
    rows = np.arange(len(below))
    low, high = below[rows, after - 1], below[rows, after]
    return np.asarray(after - 1 + np.clip((share - low) / np.maximum(high - low, 1e-300), 0, 1))


def _labels(blocks: ItemBlocks, fit: LabelFit, confidence: float, are_labels: bool) -> dict[str, FloatArray]:
    """The most likely point where points are labels, their mean by probability where they have an order."""
    points, tail = blocks.coded.points, (1 - confidence) / 2
    names = ("value", "sd", "low", "high", "probability")
    found = {name: np.empty(blocks.coded.items) for name in names}
    for items, _, chances, _ in blocks.states(fit.table, fit.prior):
        chosen = chances.argmax(axis=1)
        found["value"][items] = points[chosen] if are_labels else chances @ points
        found["probability"][items] = chances[np.arange(len(chances)), chosen]
        found["sd"][items] = np.sqrt(np.maximum(chances @ points**2 - (chances @ points) ** 2, 0))
        reached = np.cumsum(chances, axis=1)
        for name, share in (("low", tail), ("high", 1 - tail)):
            found[name][items] = points[np.minimum((reached < share).sum(axis=1), len(points) - 1)]
    return found


def _ordinal_profiles(fit: OrdinalFit) -> dict[str, FloatArray]:
    # The model counts severity in the noise of one rating; over the discrimination it is in deviations of items.
    unit = np.maximum(fit.discrimination, max(fit.average, 1e-6) / 2)
    return {
        "severity": fit.severity / unit,
        "severity_error": fit.errors[:, 0] / unit,
        "discrimination": fit.discrimination,
        "discrimination_error": fit.errors[:, 2],
        "ends": fit.ends,
        "reliability": fit.discrimination**2 / (fit.discrimination**2 + 1),
    }


def _probability(odds: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _flagged(raters: pl.DataFrame) -> pl.DataFrame:
    known = pl.col("spammer").is_not_null()
    backwards = known & (pl.col("discrimination") + 2 * pl.col("discrimination_error") < 0)
    return raters.with_columns(
        pl.when(backwards)
        .then(pl.lit("backwards"))
        .when(pl.col("spammer") > 0.5)
        .then(pl.lit("spammer"))
        .when(pl.col("ratings") < _FEW)
        .then(pl.lit("few ratings"))
        .otherwise(None)
        .alias("flag")
    )


def _over_dimensions(parts: list[_Fitted]) -> pl.DataFrame:
    """For each rater one row over all dimensions: what each of them says of being a spammer, added up.

    Dimensions on which raters do not agree beyond chance say nothing of anybody.
    """
    counts: dict[str, int] = {}
    said: dict[str, list[tuple[float, float]]] = {}
    for part in parts:
        for place, (name, count) in enumerate(part.raters.select("annotator", "ratings").iter_rows()):
            counts[name] = counts.get(name, 0) + int(count)
            if part.odds is not None:
                said.setdefault(name, []).append((float(part.odds[place]), part.prior))
    names = sorted(counts)
    nothing = [(float("nan"), 0.0)]
    odds = np.array([np.sum(own := np.array(said.get(name, nothing)), axis=0)[0] + own[:, 1].mean() for name in names])
    backwards = {name for part in parts for name in part.raters.filter(pl.col("flag") == "backwards")["annotator"]}
    frame = pl.DataFrame(
        {
            "annotator": names,
            "ratings": [counts[name] for name in names],
            "spammer": pl.Series(_probability(odds), nan_to_null=True),
        }
    )
    flagged = _flagged(_in(frame, RATER_PROFILES))
    return flagged.with_columns(
        pl.when(pl.col("annotator").is_in(sorted(backwards)) & (pl.col("flag") == "spammer"))
        .then(None)
        .otherwise("flag")
        .alias("flag")
    )


def _agree(coded: CodedRatings, unordered: bool) -> bool:
    """Whether raters agree beyond chance: products of two ratings of an item, each from its rater's mean, sum above 0.

    Of classes without an order, "is of this class" is such a rating for each class. Without agreement the model trusts
    whom it happens to, and nobody can be said to be a spammer.
    """
    each = np.maximum(np.bincount(coded.rater, minlength=coded.raters), 1)
    products = np.zeros(coded.items)
    for points in np.eye(len(coded.points)) if unordered else [coded.points]:
        values = points[coded.code]
        off = values - (np.bincount(coded.rater, values, minlength=coded.raters) / each)[coded.rater]
        sums = np.bincount(coded.item, off, minlength=coded.items)
        products += sums**2 - np.bincount(coded.item, off**2, minlength=coded.items)
    return bool(products.sum() > _BEYOND_CHANCE * np.sqrt((products**2).sum()))


def _notes(
    dimension: str, raters: pl.DataFrame, given: UnitRatings, converged: bool, agreeing: bool, are_labels: bool
) -> Iterable[str]:
    plain = "majority" if are_labels else "mean"
    if not converged:
        yield f"{dimension}: the search for the parameters stopped before its end; values are approximate"
    groups = raters["group"].n_unique()
    if groups > 1:
        yield (
            f"{dimension}: {groups} groups of raters share no items; between groups, severity cannot be separated from "
            "the items"
        )
    if not agreeing:
        yield f"{dimension}: raters do not agree beyond chance, so nobody can be said to rate without looking"
        return
    flagged = {flag: raters.filter(pl.col("flag") == flag)["annotator"].to_list() for flag in ("spammer", "backwards")}
    complete = given.sizes.mean() > _NEARLY_ALL * raters.height
    for flag, names in flagged.items():
        if names:
            words = {"spammer": "rated as if without looking", "backwards": "seem to read the scale backwards"}[flag]
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            yield f"{dimension}: {shown} {words}; the model counts them for little, the {plain} does not"
    if not any(flagged.values()):
        yield (
            f"{dimension}: the same raters rated all items and none stands out; the {plain} is as good and simpler"
            if complete
            else f"{dimension}: raters differ by item; the model counts each by how often they are right"
            if are_labels
            else f"{dimension}: raters differ by item; the model separates their severity from the items"
        )
