"""Ratings for unrated variants: the mean of the rated ones of their kind, rounded to a class.

This is the rule of Patel, Agrawal and Kumar 2024 ("Tweak to Trust", section 5.2): 25 variants of a kind are rated, and
all others of that kind get the class nearest to the mean. Differences within a kind are lost.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from dialgauge.corpus import KEY, ORIGINAL
from dialgauge.errors import InputError, ParameterError
from dialgauge.learn._settings import Rounding
from dialgauge.metaeval import ROUNDINGS, label_of, spread_priors
from dialgauge.ratings import Scale, find_scale

#: Origin of the rating of a variant.
Origin = Literal["given", "extrapolated", "priors"]
#: The scale of the published priors, and the number of rated variants per kind in the paper.
PRIORS_SCALE, ANNOTATED = "1-7", 25

_RATED = pl.Schema({**dict.fromkeys(KEY, pl.String()), "value": pl.Float64(), "origin": pl.String()})
_TYPES = pl.Schema(
    {
        "perturbation": pl.String(),
        "ratings": pl.Int64(),
        "mean": pl.Float64(),
        "assigned": pl.Float64(),
        "origin": pl.String(),
    }
)


@dataclass(frozen=True, slots=True)
class Extrapolated:
    """A rating for every variant that can have one.

    ``frame``: the key, ``value`` and ``origin`` (given, extrapolated, priors). ``types`` has a row per kind of
    perturbation: the number of ratings used, their mean, the class it was rounded to, and its origin.
    ``without`` names the kinds that have neither a rating nor an accepted prior; their variants are not in ``frame``.
    """

    frame: pl.DataFrame
    types: pl.DataFrame
    without: tuple[str, ...]
    rounding: Rounding


def extrapolate(
    variants: pl.DataFrame,
    ratings: pl.DataFrame,
    scale: Scale,
    *,
    rounding: Rounding = "half-up",
    annotated: int | None = None,
    priors: Mapping[str, float] | None = None,
    seed: int = 0,
) -> Extrapolated:
    """Give each variant its own rating, or the class of its kind.

    ``variants`` has the key columns, ``ratings`` the key and one ``value`` per rated summary, on ``scale``. The paper
    rounds "to the nearest integer" and does not say how halves are rounded: ``half-up`` is our choice, ``none`` keeps
    the mean. ``annotated`` follows the paper's protocol if more was rated: that number of ratings of a kind, drawn by
    the seed, is used, and every other variant gets an assigned rating. ``priors`` (label → mean on the scale 1-7) are
    used for kinds without a rating; they are rescaled to ``scale`` and rounded like means.
    """
    if rounding not in ROUNDINGS:
        raise ParameterError("extrapolate", "rounding", " or ".join(map(repr, ROUNDINGS)), rounding)
    if annotated is not None and annotated < 1:
        raise ParameterError("extrapolate", "annotated", "at least 1, or none", annotated)
    wanted = _labelled(variants)
    given = wanted.join(
        ratings.select(*KEY, "value").drop_nulls("value"), on=list(KEY), how="inner", maintain_order="left"
    )
    _refuse_off_scale(given, scale)
    if annotated is not None:
        given = _drawn(given, annotated, seed)
    types = _types(wanted, given, scale, rounding, priors or {})
    means = {row["perturbation"]: {"value": row["assigned"]} for row in types.iter_rows(named=True)}
    rest = wanted.join(given, on=list(KEY), how="anti")
    origins = types.select("perturbation", "origin")
    assigned = _labelled(spread_priors(rest, means, "none") if means else rest.head(0).with_columns(value=0.0))
    assigned = assigned.join(origins, on="perturbation", how="left")
    frame = pl.concat(
        [part.select(_RATED.names()) for part in (given.with_columns(origin=pl.lit("given")), assigned)],
        how="vertical_relaxed",
    ).sort(KEY)
    known = set(types["perturbation"])
    without = tuple(label for label in dict.fromkeys(wanted["perturbation"]) if label not in known)
    return Extrapolated(frame, types, without, rounding)


def nearest_class(value: float, scale: Scale, rounding: Rounding = "half-up") -> float:
    """The point of the scale that is nearest; on a slider (no points) and with ``none`` the value itself."""
    if rounding == "none" or scale.step is None:
        return min(max(value, scale.minimum), scale.maximum)
    # Even refers to the numbers of the scale, not to positions on it: 4.5 on 1 to 7 is rounded to 4.
    start = 0.0 if (scale.minimum / scale.step).is_integer() else scale.minimum
    steps = (value - start) / scale.step
    whole = math.floor(steps + 0.5) if rounding == "half-up" else round(steps)
    return min(max(start + whole * scale.step, scale.minimum), scale.maximum)


def stretched(value: float, to: Scale, source: str = PRIORS_SCALE) -> float:
    """A value of one scale at the same share of another."""
    known = find_scale(source)
    share = (value - known.minimum) / (known.maximum - known.minimum)
    return to.minimum + share * (to.maximum - to.minimum)


def _labelled(frame: pl.DataFrame) -> pl.DataFrame:
    label = pl.col("variant").map_elements(label_of, return_dtype=pl.String)
    return frame.filter(pl.col("variant") != ORIGINAL).with_columns(label.alias("perturbation"))


def _refuse_off_scale(given: pl.DataFrame, scale: Scale) -> None:
    outside = given.filter((pl.col("value") < scale.minimum) | (pl.col("value") > scale.maximum))
    if outside.height:
        row = outside.row(0, named=True)
        key = ", ".join(f"{name}={row[name]}" for name in KEY)
        raise InputError(
            f"ratings: [{key}] {row['value']:g} is off the scale {scale.name!r} ({outside.height} such ratings)"
        )


def _drawn(given: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """``count`` rated variants of each kind; the draw depends on key and seed alone."""

    def place(row: dict[str, Any]) -> str:
        return hashlib.sha256(json.dumps([seed, *(row[name] for name in KEY)]).encode()).hexdigest()

    order = pl.Series("order", [place(row) for row in given.iter_rows(named=True)], dtype=pl.String)
    ranked = given.with_columns(order).with_columns(pl.col("order").rank("ordinal").over("perturbation").alias("rank"))
    return ranked.filter(pl.col("rank") <= count).drop("order", "rank")


def _types(
    wanted: pl.DataFrame, given: pl.DataFrame, scale: Scale, rounding: Rounding, priors: Mapping[str, float]
) -> pl.DataFrame:
    rated = {
        label: (count, mean)
        for label, count, mean in given.group_by("perturbation")
        .agg(pl.len(), pl.col("value").sort().mean().alias("mean"))
        .iter_rows()
    }
    rows: list[tuple[str, int, float, float, Origin]] = []
    for label in dict.fromkeys(wanted["perturbation"]):
        if label in rated:
            count, mean = rated[label]
            rows.append((label, count, mean, nearest_class(mean, scale, rounding), "extrapolated"))
        elif label in priors:
            mean = stretched(priors[label], scale)
            rows.append((label, 0, mean, nearest_class(mean, scale, rounding), "priors"))
    return pl.DataFrame(rows, schema=_TYPES, orient="row")
