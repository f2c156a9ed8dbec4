"""Which way is better on each dimension of the ratings, and how that is known."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.ratings import RatingPolicy

#: Words in the name of a dimension on which a lower value is better: places in a ranking, and counts of faults.
_LOWER = frozenset(
    [
        "rank",
        "ranks",
        "ranking",
        "error",
        "errors",
        "mistake",
        "mistakes",
        "hallucination",
        "hallucinations",
        "omission",
        "omissions",
    ]
)
#: Words that turn it round: no errors, error-free.
_TURNED = frozenset(["no", "non", "not", "free", "without", "lack", "absence"])


@dataclass(frozen=True, slots=True)
class DimensionDirection:
    """``better`` is ``higher`` or ``lower``; ``said_by`` the ``settings``, the ``corpus`` or the dimension's ``name``.

    It is ``default`` where nothing says so and more is taken to be better.
    """

    better: Literal["higher", "lower"]
    said_by: Literal["settings", "corpus", "name", "default"]


def dimension_directions(
    corpus: Corpus, policy: RatingPolicy, dimensions: Iterable[str]
) -> dict[str, DimensionDirection]:
    """The direction of each dimension: as the settings say, else the corpus, else its name."""
    return {name: _direction(name, corpus, policy) for name in dimensions}


def _direction(name: str, corpus: Corpus, policy: RatingPolicy) -> DimensionDirection:
    if name in policy.lower_is_better:
        return DimensionDirection("lower", "settings")
    if name in policy.higher_is_better:
        return DimensionDirection("higher", "settings")
    if lower_by_name(name):
        return DimensionDirection("lower", "name")
    return DimensionDirection("higher", "default")


def lower_by_name(name: str) -> bool:
    """Whether the name of a dimension says that less is better: ``rank``, ``error_count``, ``hallucinations``."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    return bool(words & _LOWER) and not words & _TURNED


def oriented_ratings(ratings: pl.DataFrame, directions: dict[str, DimensionDirection]) -> pl.DataFrame:
    """The ratings with signs such that larger means better on every dimension."""
    lower = [name for name, each in directions.items() if each.better == "lower" and name in ratings.columns]
    return ratings.with_columns(-pl.col(name) for name in lower)
