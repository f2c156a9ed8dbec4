"""Which way is better on each dimension of the ratings, and how that is known."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import polars as pl

from dialgauge.corpus import Corpus
from dialgauge.ratings import RatingPolicy

#: Words for places in a ranking, where the first is best. Which faults are counted, the corpus knows.
_RANKS = frozenset(("rank", "ranks", "ranking"))


@dataclass(frozen=True, slots=True)
class DimensionDirection:
    """``better`` is ``higher``, ``lower`` or ``none``; ``said_by`` the ``settings``, the ``corpus`` or the ``name``.

    It is ``default`` where nothing says so and more is taken to be better.
    """

    better: Literal["higher", "lower", "none"]
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
    known = corpus.dimension(name)
    if known.said_by in ("user", "file") or known.direction == "none":
        return DimensionDirection(known.direction, "corpus")
    if known.kind == "nominal":  # a name such as error_type says nothing about the numbers of its classes
        return DimensionDirection("none", "corpus")
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    if known.direction == "lower" or words & _RANKS:
        return DimensionDirection("lower", "name")
    return DimensionDirection("higher", "default")


def oriented_ratings(ratings: pl.DataFrame, directions: dict[str, DimensionDirection]) -> pl.DataFrame:
    """The ratings with signs such that larger means better on every dimension."""
    lower = [name for name, each in directions.items() if each.better == "lower" and name in ratings.columns]
    return ratings.with_columns(-pl.col(name) for name in lower)
