"""Cleaning: removing the ratings that contradict a majority of the annotators."""

from dataclasses import dataclass

import polars as pl

from dialgauge.corpus import RATING_KEY
from dialgauge.ratings._frame import UNIT, require_ratings


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Ratings after cleaning. A removed rating stays in ``ratings`` as a row whose value is null (missing).

    ``removed`` lists each of them with the value it had and the value of the majority; ``counts`` has, per dimension,
    how many ratings there were, were removed, and are left.
    """

    ratings: pl.DataFrame
    removed: pl.DataFrame
    counts: pl.DataFrame


def majority_noise_removal(ratings: pl.DataFrame) -> Cleaned:
    """Set ratings that contradict a strict majority to missing.

    Where more than half of the ratings of a unit (a summary, or a sentence of it, on one dimension) are the same value,
    all its other ratings become missing; all other units stay as they are. For three annotators this is the rule of
    DialSummEval (Gao and Wan, 2022): if exactly two agree the third is removed; three equal or three different ones
    stay. Missing ratings do not count towards the half, and cleaning is idempotent.

    Agreement after this is higher by construction: the disagreement has been deleted. Report both numbers.
    """
    require_ratings(ratings)
    votes = pl.len().over(*UNIT, "value")
    total = pl.col("value").count().over(UNIT)
    is_majority = pl.col("value").is_not_null() & (2 * votes > total)
    marked = ratings.with_columns(
        pl.when(is_majority).then("value").otherwise(None).max().over(UNIT).alias("majority")
    ).with_columns(
        (pl.col("majority").is_not_null() & (pl.col("value") != pl.col("majority"))).fill_null(False).alias("noise")
    )
    removed = marked.filter("noise").select(*RATING_KEY, "value", "majority")
    counts = (
        marked.group_by("dimension")
        .agg(
            pl.col("value").count().alias("ratings"),
            pl.col("noise").sum().cast(pl.UInt32).alias("removed"),
        )
        .with_columns((pl.col("ratings") - pl.col("removed")).alias("left"))
        .sort("dimension")
    )
    cleaned = marked.with_columns(pl.when("noise").then(None).otherwise("value").alias("value")).drop(
        "majority", "noise"
    )
    return Cleaned(cleaned, removed, counts)
