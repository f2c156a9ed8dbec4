"""Answers of people that are not ratings, in the shape that agreement is computed from."""

import polars as pl

from dialgauge.corpus import ORIGINAL, OVERALL, RATINGS
from dialgauge.ratings._frame import UnitRatings, unit_ratings


def recurs(*item: str) -> pl.Expr:
    """Whether an item is one of several dialogues, as systems are, and edited summaries of one dialogue are not."""
    dialogue = pl.col("dialogue_id")
    return (dialogue.n_unique().over(item) > 1) | (dialogue.n_unique() == 1)


def system_name() -> pl.Expr:
    """The name under which summaries are counted: their system, with a variant that occurs in several dialogues."""
    own = (pl.col("variant") == ORIGINAL) | ~recurs("system", "variant")
    return pl.when(own).then("system").otherwise(pl.format("{}/{}", "system", "variant"))


def alpha_of_answers(answers: pl.DataFrame, *, two_sided: bool = False) -> UnitRatings:
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
    columns = (pl.col(name).cast(dtype) for name, dtype in RATINGS.items())
    return unit_ratings(filled.select(columns), two_sided=two_sided)
