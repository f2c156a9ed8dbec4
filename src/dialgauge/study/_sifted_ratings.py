"""Which ratings a study counts: those on their scale and, where it cleans, those that no majority contradicts."""

from dataclasses import dataclass

import polars as pl

from dialgauge.errors import InputError, counted
from dialgauge.ratings import OnInvalid, majority_noise_removal, validate
from dialgauge.report import CountedRatings
from dialgauge.study._finished import FinishedRun

CLEANED = "majority-noise-removal"


@dataclass(frozen=True, slots=True)
class Sifted:
    """Ratings as they were checked, the same after cleaning, and what was found: ``invalid`` off their scale, and the
    ``noise`` that cleaning took out."""

    checked: pl.DataFrame
    counted: pl.DataFrame
    invalid: pl.DataFrame
    noise: pl.DataFrame


def sift(ratings: pl.DataFrame, on_invalid: OnInvalid, clean: str) -> Sifted:
    """Off-scale values go first: a 0 that nobody meant must not win a majority.

    Where that leaves no rating of those given, the study file asks for what cannot be done.
    """
    checked = validate(ratings, on_invalid=on_invalid)
    given, left = (frame["value"].drop_nulls().len() for frame in (ratings, checked.ratings))
    if given and not left:
        raise InputError(
            f"ratings.on_invalid: {on_invalid!r} leaves no rating to count: {_none_valid(given)}; name their "
            'scale as it was, or keep them ("keep")'
        )
    if clean != CLEANED:
        return Sifted(checked.ratings, checked.ratings, checked.invalid, checked.ratings.clear())
    cleaned = majority_noise_removal(checked.ratings)
    return Sifted(checked.ratings, cleaned.ratings, checked.invalid, cleaned.removed)


def _none_valid(given: int) -> str:
    return "the only one is off its scale" if given == 1 else f"all {counted(given, 'rating')} are off their scale"


def counted_ratings(run: FinishedRun) -> CountedRatings:
    """The ratings that the correlations of a run rest on, and what became of the others."""
    asked = run.stage("correlations")["settings"]["ratings"]
    ratings = run.corpus.ratings.filter(pl.col("value").is_not_null())
    if asked["dimensions"]:
        ratings = ratings.filter(pl.col("dimension").is_in(asked["dimensions"]))
    sifted = sift(ratings, asked["on_invalid"], asked["clean"])
    invalid = dict(sifted.invalid["problem"].value_counts().sort("problem").iter_rows())
    frame = sifted.counted.filter(pl.col("value").is_not_null())
    return CountedRatings(frame, ratings.height, invalid, asked["on_invalid"] == "keep", sifted.noise.height)
