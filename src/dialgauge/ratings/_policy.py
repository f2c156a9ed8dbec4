"""Ratings under a policy: checked against their scales, cleaned, aggregated."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from dialgauge.errors import InputError, counted
from dialgauge.ratings._aggregate import Aggregated, aggregate
from dialgauge.ratings._clean import Cleaned, majority_noise_removal
from dialgauge.ratings._scales import Scale, find_scale, validate
from dialgauge.ratings._settings import RatingPolicy
from dialgauge.settings import takes


@dataclass(frozen=True, slots=True)
class TreatedRatings:
    """Ratings under a policy.

    ``checked`` are those that count before cleaning, ``counted`` those after it, ``invalid`` lists the ratings off
    their scale and ``cleaned`` what cleaning removed (None where the policy does not clean).
    """

    policy: RatingPolicy
    checked: pl.DataFrame
    counted: pl.DataFrame
    invalid: pl.DataFrame
    cleaned: Cleaned | None
    scales: tuple[Scale, ...] = ()

    def aggregate(self) -> Aggregated:
        """One value per summary and dimension."""
        return aggregate(self.counted, settings=self.policy, scales=self.scales)

    @property
    def removed(self) -> int:
        """How many ratings cleaning removed."""
        return 0 if self.cleaned is None else self.cleaned.removed.height


@takes(RatingPolicy)
def treat_ratings(
    ratings: pl.DataFrame, settings: RatingPolicy | None = None, *, scales: Iterable[Scale] = (), **changes: Any
) -> TreatedRatings:
    """Apply a policy to ratings: values off their scale first (an unset 0 must not win a majority), then cleaning.

    ``scales`` are scales of your own that ratings name. A policy that leaves no rating is an error.
    """
    policy = RatingPolicy.chosen(settings, changes, "treat_ratings")
    ratings = with_default_scale(ratings, policy.scale)
    scales = tuple(scales)
    checked = validate(ratings, on_invalid=policy.on_invalid, scales=scales)
    given, left = (frame["value"].drop_nulls().len() for frame in (ratings, checked.ratings))
    if given and not left:
        raise InputError(
            f"ratings.on_invalid: {policy.on_invalid!r} leaves no ratings: {_none_valid(given)}; give the scale that "
            'was used, or keep them ("keep")'
        )
    cleaned = majority_noise_removal(checked.ratings) if policy.clean != "none" else None
    used = checked.ratings if cleaned is None else cleaned.ratings
    return TreatedRatings(policy, checked.ratings, used, checked.invalid, cleaned, scales)


def with_default_scale(ratings: pl.DataFrame, scale: str | None) -> pl.DataFrame:
    """The ratings, with this scale for those without one; unchanged for None."""
    return ratings if scale is None else ratings.with_columns(pl.col("scale").fill_null(find_scale(scale).name))


def _none_valid(given: int) -> str:
    return "the only one is off its scale" if given == 1 else f"all {counted(given, 'rating')} are off their scale"
