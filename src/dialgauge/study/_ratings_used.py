"""``[ratings]``: which ratings a study uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl
from pydantic import field_validator

from dialgauge.errors import InputError, UnknownNameError, counted
from dialgauge.ratings import majority_noise_removal, validate
from dialgauge.study._study_file import SectionModel

CLEANED = "majority-noise-removal"


def checked_method(method: str) -> str:
    """A method of aggregation, refused where there is none of this name."""
    from dialgauge.ratings import METHODS

    if method not in METHODS and not method.startswith("annotator:"):
        raise ValueError(str(UnknownNameError("method of aggregation", method, METHODS)))
    return method


class RatingsSection(SectionModel):
    """``[ratings]``: how the raters of a summary become one value per dimension."""

    aggregate: str = "mean"
    clean: Literal["none", "majority-noise-removal"] = "none"
    on_invalid: Literal["keep", "drop", "error"] = "drop"
    dimensions: list[str] | None = None

    @field_validator("aggregate")
    @classmethod
    def _known_method(cls, method: str) -> str:
        return checked_method(method)


@dataclass(frozen=True, slots=True)
class RatingsUsed:
    """The ratings that are valid (``checked``), those ``used`` after cleaning, those off their scale (``invalid``), and
    the ``noise`` that cleaning took out."""

    checked: pl.DataFrame
    used: pl.DataFrame
    invalid: pl.DataFrame
    noise: pl.DataFrame


def ratings_used(ratings: pl.DataFrame, wanted: RatingsSection) -> RatingsUsed:
    """Off-scale values go first: a 0 that nobody meant must not win a majority.

    Where that leaves no rating of those given, the study file asks for what cannot be done.
    """
    checked = validate(ratings, on_invalid=wanted.on_invalid)
    given, left = (frame["value"].drop_nulls().len() for frame in (ratings, checked.ratings))
    if given and not left:
        raise InputError(
            f"ratings.on_invalid: {wanted.on_invalid!r} leaves no rating to count: {_none_valid(given)}; name their "
            'scale as it was, or keep them ("keep")'
        )
    if wanted.clean != CLEANED:
        return RatingsUsed(checked.ratings, checked.ratings, checked.invalid, checked.ratings.clear())
    cleaned = majority_noise_removal(checked.ratings)
    return RatingsUsed(checked.ratings, cleaned.ratings, checked.invalid, cleaned.removed)


def _none_valid(given: int) -> str:
    return "the only one is off its scale" if given == 1 else f"all {counted(given, 'rating')} are off their scale"


def check_dimensions(key: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a dimension that nobody rated: a mistake in the study file."""
    for name in names:
        if name not in known:
            raise UnknownNameError(f"dimension in {key}", name, known)
