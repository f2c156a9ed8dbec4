"""Answers of people that are not ratings, in the shape that agreement is computed from."""

import polars as pl

from dialgauge.corpus import OVERALL, RATINGS
from dialgauge.ratings._frame import UnitRatings, unit_ratings


def alpha_of_answers(answers: pl.DataFrame) -> UnitRatings:
    """Units and values of ``answers``: ``dialogue_id``, ``unit`` within it, ``annotator`` and ``value``.

    The unit takes the place of the system, so that a dialogue is still the cluster that is drawn.
    """
    filled = answers.with_columns(
        pl.col("unit").alias("system"),
        pl.lit("answer").alias("variant"),
        pl.lit(OVERALL).alias("role"),
        pl.lit("answer").alias("dimension"),
        *(pl.lit(None, dtype=RATINGS[name]).alias(name) for name in ("sentence", "scale", "comment", "time")),
    )
    return unit_ratings(filled.select(pl.col(name).cast(dtype) for name, dtype in RATINGS.items()))
