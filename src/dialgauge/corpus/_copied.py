"""Judgements that are the same for all systems of a dialogue: one of a row was given to each of them."""

import math
from typing import Any

import polars as pl

#: Chance agreement below this is none. People who judge several systems of a dialogue alike are far above it.
_BY_CHANCE = 1e-8
_TOLD_APART_BY = ("system", "variant")


def copied_judgements(parts: Any) -> list[str]:
    """The dimensions whose every value is that of all systems of its dialogue, each as a sentence.

    How the file was read does not matter: if values were drawn from all of them, such agreement would not be seen.
    """
    ratings = parts.ratings.filter(pl.col("value").is_not_null())
    same = [name for name in ("dimension", "dialogue_id", "role", "annotator", "sentence") if name in ratings.columns]
    groups = (
        ratings.group_by(same)
        .agg(pl.struct(_TOLD_APART_BY).n_unique().alias("_systems"), pl.col("value").n_unique().alias("_values"))
        .filter(pl.col("_systems") > 1)
        .group_by("dimension")
        .agg(pl.col("_values").max(), (pl.col("_systems") - 1).sum().alias("_again"))
        .filter(pl.col("_values") == 1)
    )
    chances = dict(ratings.group_by("dimension").agg(_same_by_chance()).iter_rows())
    found = [name for name, _, again in groups.iter_rows() if again * math.log(chances[name]) < math.log(_BY_CHANCE)]
    return [
        f"{name!r} has the same value for every system of a dialogue: one judgement was given to all of them. Give "
        f"each system a column of its own, or leave it out (--map ignore={name})"
        for name in sorted(found)
    ]


def _same_by_chance() -> pl.Expr:
    """The probability that two values of a dimension are the same."""
    counts = pl.col("value").value_counts().struct.field("count")
    return ((counts / counts.sum()) ** 2).sum().alias("_same")
